//! The order in which the entries of objects were written, so that problems can be told in it whichever map type
//! `serde_json` was built with.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::schema::path::Step;

/// The order of one value's entries.
#[derive(Debug, Default)]
pub(in crate::schema) enum Order {
    /// It has none.
    #[default]
    Plain,
    /// Its items.
    Items(Vec<Order>),
    /// Its fields, each with its place.
    Fields(BTreeMap<String, (usize, Order)>),
}

impl Order {
    /// The order in a text; none at all in one that is not JSON.
    pub(in crate::schema) fn of(text: &str) -> Order {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// What to sort by, so that a path comes where it stands in the text; what does not stand there comes last.
    pub(in crate::schema) fn rank(&self, path: &[Step]) -> Vec<usize> {
        let mut at = self;
        let mut rank = Vec::with_capacity(path.len());
        for step in path {
            let below = match (step, at) {
                (Step::Item(index), Order::Items(items)) => items.get(*index).map(|below| (*index, below)),
                (Step::Field(name), Order::Fields(fields)) => {
                    fields.get(name).map(|(place, below)| (*place, below))
                }
                _other => None,
            };
            let Some((place, below)) = below else {
                rank.push(usize::MAX);
                return rank;
            };
            rank.push(place);
            at = below;
        }
        rank
    }
}

impl<'de> Deserialize<'de> for Order {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Order, D::Error> {
        deserializer.deserialize_any(Entries)
    }
}

struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Order;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Order, E> {
        Ok(Order::Plain)
    }

    fn visit_bool<E>(self, _value: bool) -> Result<Order, E> {
        Ok(Order::Plain)
    }

    fn visit_i64<E>(self, _value: i64) -> Result<Order, E> {
        Ok(Order::Plain)
    }

    fn visit_u64<E>(self, _value: u64) -> Result<Order, E> {
        Ok(Order::Plain)
    }

    fn visit_f64<E>(self, _value: f64) -> Result<Order, E> {
        Ok(Order::Plain)
    }

    fn visit_str<E>(self, _value: &str) -> Result<Order, E> {
        Ok(Order::Plain)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Order, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Order::Items(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Order, A::Error> {
        let mut fields = BTreeMap::new();
        while let Some(key) = entries.next_key::<String>()? {
            let place = fields.len();
            match fields.entry(key) {
                Entry::Occupied(_twice) => {
                    entries.next_value::<IgnoredAny>()?;
                }
                Entry::Vacant(entry) => {
                    entry.insert((place, entries.next_value()?));
                }
            }
        }
        Ok(Order::Fields(fields))
    }
}
