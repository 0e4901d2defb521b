//! How a run differs from the least surprising one: its choices other than 0, by label, in a few characters.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use toolwright::env::label_hash;

use crate::engine::{Choice, TASK};

/// A label of choices, as a number that stays the same as long as the label's text does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label(u64);

impl Label {
    /// The number of a label: 0 for the choice among tasks, by far the most frequent; of others, 21 bits of its hash.
    #[must_use]
    pub fn of(label: &str) -> Label {
        Label(if label == TASK { 0 } else { (label_hash(label) >> 43) | 1 })
    }
}

/// The choices of a run that were not option 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deviations {
    /// The seed of values that are no choices, such as identifiers.
    pub chance: u64,
    // INVARIANT: no pick is 0, and no label is without a pick.
    picks: BTreeMap<Label, BTreeMap<usize, usize>>,
}

impl Deviations {
    /// The deviations among the choices of a run.
    #[must_use]
    pub fn of(choices: &[Choice], chance: u64) -> Deviations {
        let mut deviations = Deviations { chance, ..Deviations::default() };
        let mut made: BTreeMap<&str, usize> = BTreeMap::new();
        for choice in choices {
            let place = made.entry(choice.label).or_default();
            deviations.set(Label::of(choice.label), *place, choice.picked);
            *place += 1;
        }
        deviations
    }

    /// What is picked at the n-th choice with this label.
    #[must_use]
    pub fn pick(&self, label: Label, place: usize) -> usize {
        self.picks.get(&label).and_then(|picks| picks.get(&place)).copied().unwrap_or(0)
    }

    /// Changes one pick.
    pub fn set(&mut self, label: Label, place: usize, pick: usize) {
        let picks = self.picks.entry(label).or_default();
        if pick == 0 {
            picks.remove(&place);
        } else {
            picks.insert(place, pick);
        }
        if picks.is_empty() {
            self.picks.remove(&label);
        }
    }

    /// Every deviation: label, place, pick.
    pub fn iter(&self) -> impl Iterator<Item = (Label, usize, usize)> + '_ {
        self.picks.iter().flat_map(|(label, picks)| picks.iter().map(|(place, pick)| (*label, *place, *pick)))
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.picks.values().map(BTreeMap::len).sum()
    }

    /// Whether it is the least surprising run.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.picks.is_empty()
    }

    /// The deviations in letters, digits, `-` and `_`.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut bytes = Vec::new();
        put(&mut bytes, self.chance);
        for (label, picks) in &self.picks {
            put(&mut bytes, label.0);
            put(&mut bytes, picks.len() as u64);
            let mut next = 0;
            for (place, pick) in picks {
                put(&mut bytes, (place - next) as u64);
                put(&mut bytes, *pick as u64);
                next = place + 1;
            }
        }
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads what [`Deviations::encode`] wrote; nothing when it is something else.
    #[must_use]
    pub fn decode(text: &str) -> Option<Deviations> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let mut rest = bytes.as_slice();
        let mut deviations = Deviations { chance: take(&mut rest)?, ..Deviations::default() };
        while !rest.is_empty() {
            let label = Label(take(&mut rest)?);
            let count = take(&mut rest)?;
            let mut next = 0_usize;
            for _ in 0..count {
                let place = next.checked_add(usize::try_from(take(&mut rest)?).ok()?)?;
                let pick = usize::try_from(take(&mut rest)?).ok()?;
                deviations.set(label, place, pick);
                next = place.checked_add(1)?;
            }
        }
        Some(deviations)
    }
}

/// Writes a number in groups of seven bits, the lowest first.
fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(u8::try_from(number & 0x7f).expect("seven bits") | 0x80);
        number >>= 7;
    }
    bytes.push(u8::try_from(number).expect("seven bits"));
}

fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}
