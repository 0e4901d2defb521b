//! Texts that nobody wrote: reading never panics, whatever is denied stays closed, and writing loses nothing.

use proptest::prelude::*;
use toolwright::permission::{Behavior, Destination};
use toolwright::settings::{PermissionUpdate, update};

use super::world::{USER, World, rules};

/// A file with everything in it that settings have.
const WHOLE: &str = r#"// head
{
  "permissions": { /* mine */
    "allow": ["Bash(ls *)", "Read"], // why
    "deny": ["Bash(rm \"x\" *)", "Read(./.env)",],
    "additionalDirectories": ["../docs"], "defaultMode": "plan"
  },
  "env": {"A": "1", "Ä": "\u00e4\ud83d\ude00"},
  "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x", "timeout": 5}]}]},
  "mcpServers": {"s": {"type": "http", "url": "https://x", "headers": {"a": "b"}}},
  "sandbox": {"enabled": true, "network": {"deniedDomains": ["x"]}},
  "other": [1, -2.5e3, null, true, {"deep": [[[]]]}]
}
"#;

/// Pieces that change what a text means.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "//",
    "/*",
    "*/",
    "\n",
    "\r",
    "null",
    "1",
    "\"deny\":",
    "\u{feff}",
    "\0",
    "ä",
];

/// A text with a few pieces put in or taken out.
fn torn() -> impl Strategy<Value = String> {
    let cut = (any::<prop::sample::Index>(), 0_usize..12, prop::option::of(prop::sample::select(PIECES)));
    prop::collection::vec(cut, 0..5).prop_map(|cuts| {
        let mut text: Vec<char> = WHOLE.chars().collect();
        for (at, length, piece) in cuts {
            let at = at.index(text.len() + 1);
            let end = (at + length).min(text.len());
            text.splice(at..end, piece.unwrap_or_default().chars());
        }
        text.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reading_never_panics_and_says_something_of_what_it_does_not_take(text in torn()) {
        let settings = World::new(&[(USER, &text)]).load();
        for diagnostic in &settings.diagnostics {
            if let Some(place) = &diagnostic.place {
                prop_assert!(settings.text_of(diagnostic).is_some_and(|text| text.get(place.range.clone()).is_some()));
            }
        }
        prop_assert!(!settings.is_closed() || settings.has_errors());
    }

    #[test]
    fn writing_never_panics_and_loses_nothing(text in torn(), rule in "[A-Z][a-z]{0,4}(\\([ -~]{0,8}\\))?") {
        let added = PermissionUpdate::AddRules(Behavior::Allow, vec![rule.clone()]);
        let Ok(changed) = update(Some(&text), std::slice::from_ref(&added), Destination::UserSettings) else { return Ok(()) };
        let changed = changed.unwrap_or_else(|| text.clone());
        let mut before = rules(&World::new(&[(USER, &text)]).load());
        let after = rules(&World::new(&[(USER, &changed)]).load());
        before.push(format!("Allow {rule}"));
        prop_assert!(before.iter().all(|rule| after.contains(rule)), "{before:?}\n{after:?}");
        prop_assert!(after.iter().all(|rule| before.contains(rule)), "{before:?}\n{after:?}");
        let comments = |text: &str| ["// head", "/* mine */", "// why"].map(|comment| text.contains(comment));
        prop_assert_eq!(comments(&text), comments(&changed));
        prop_assert_eq!(update(Some(&changed), &[added], Destination::UserSettings), Ok(None), "twice is once");
        let removed = PermissionUpdate::RemoveRules(Behavior::Allow, vec![rule]);
        prop_assert!(update(Some(&changed), &[removed], Destination::UserSettings).is_ok());
    }
}
