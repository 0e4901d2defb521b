//! What a search finds, and in which order.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use toolwright::contract::SessionFacts;
use toolwright::registry::search::{Query, SearchDoc, SearchIndex};
use toolwright::registry::{Deferral, Pool};

use super::{remote, with_remote};

fn pool(tools: &[(&str, &str)]) -> Pool {
    let tools: Vec<_> = tools.iter().map(|(name, description)| remote(name, description)).collect();
    let catalogue = with_remote(&tools);
    Pool::new(&catalogue, &SessionFacts::default(), |_| true).with_deferral(Deferral::default())
}

fn found(pool: &Pool, query: &str) -> Vec<String> {
    let found = pool.search(&Query::new(query), 5);
    found.tools.iter().map(|tool| tool.form().name.to_string()).collect()
}

/// cc#25894, changelog 2.1.113: a pasted name came behind tools whose descriptions have its words.
#[test]
fn an_exact_name_comes_first_also_among_other_words() {
    let pool = pool(&[
        ("mcp__hub__get", "Gets."),
        ("mcp__hub__get_issue", "mcp hub get: mcp hub get, get mcp hub get get hub."),
    ]);
    for query in ["mcp__hub__get", "MCP__Hub__Get", "please load `mcp__hub__get`", "mcp__hub__get issue hub"]
    {
        assert_eq!(found(&pool, query)[0], "mcp__hub__get", "{query}");
    }
    assert_eq!(found(&pool, "Read")[0], "Read", "what is loaded is found by its name");
}

#[test]
fn select_loads_by_exact_names_and_names_the_nearest_of_those_that_are_none() {
    let pool = pool(&[("mcp__hub__get", "Gets."), ("mcp__hub__put", "Puts.")]);
    assert_eq!(found(&pool, "select:mcp__hub__put, mcp__hub__get"), ["mcp__hub__put", "mcp__hub__get"]);
    assert_eq!(found(&pool, "select:mcp__hub__put,,MCP__hub__PUT"), ["mcp__hub__put"]);
    let wrong = pool.search(&Query::new("select:mcp__hub__got"), 5);
    assert!(wrong.tools.is_empty());
    assert!(wrong.unknown[0].nearest.contains(&"mcp__hub__get".to_owned()), "{:?}", wrong.unknown);
    for nothing in ["select:", "select:,", "", "   ", "+", "the of and"] {
        assert!(found(&pool, nothing).is_empty(), "{nothing}");
    }
}

#[test]
fn a_word_with_a_plus_must_be_there() {
    let pool = pool(&[
        ("mcp__chat__send_message", "Sends a message."),
        ("mcp__mail__send_message", "Sends a message by mail."),
        ("mcp__mail__list", "Lists letters."),
    ]);
    assert_eq!(found(&pool, "+mail message"), ["mcp__mail__send_message", "mcp__mail__list"]);
    assert_eq!(found(&pool, "+mail +message"), ["mcp__mail__send_message"]);
    assert!(found(&pool, "+fax message").is_empty());
}

#[test]
fn equal_ranks_are_in_the_order_of_names_and_at_most_five_unless_said() {
    let names: Vec<String> = (0..9).map(|n| format!("mcp__s{n}__run")).collect();
    let tools: Vec<(&str, &str)> = names.iter().rev().map(|name| (name.as_str(), "Runs.")).collect();
    let pool = pool(&tools);
    assert_eq!(found(&pool, "run"), names[..5]);
    let many = pool.search(&Query::new("run"), 7).tools;
    assert_eq!(many.len(), 7);
}

#[test]
fn only_what_is_deferred_is_found_by_words() {
    let pool = pool(&[("mcp__hub__find_files", "Finds files by name.")]);
    let found = found(&pool, "find files by name");
    assert_eq!(found[0], "mcp__hub__find_files");
    assert!(!found.iter().any(|name| name == "Glob"), "Glob is loaded already");
}

#[test]
fn a_word_that_no_tool_has_finds_longer_ones() {
    let pool = pool(&[("mcp__hub__greenhouse", "Waters."), ("mcp__hub__other", "Waters.")]);
    assert_eq!(found(&pool, "green"), ["mcp__hub__greenhouse"]);
}

/// BM25 from its definition for each tool, over words that are simple enough to need no rules; 0 where a word is missing
/// that must be there.
fn scores(docs: &[(String, String)], query: &BTreeMap<String, bool>) -> Vec<f64> {
    let counts: Vec<BTreeMap<&str, f64>> = docs
        .iter()
        .map(|(name, text)| {
            let mut counts = BTreeMap::new();
            name.split('_').for_each(|word| *counts.entry(word).or_insert(0.0) += 4.0);
            text.split(' ').for_each(|word| *counts.entry(word).or_insert(0.0) += 1.0);
            counts
        })
        .collect();
    let lengths: Vec<f64> = counts.iter().map(|counts| counts.values().sum()).collect();
    let (number, average) = (docs.len() as f64, lengths.iter().sum::<f64>() / docs.len() as f64);
    let rarity = |word: &str| {
        let having = counts.iter().filter(|counts| counts.contains_key(word)).count() as f64;
        (1.0 + (number - having + 0.5) / (having + 0.5)).ln()
    };
    let score = |(counts, length): (&BTreeMap<&str, f64>, &f64)| -> f64 {
        if query.iter().any(|(word, must)| *must && !counts.contains_key(word.as_str())) {
            return 0.0;
        }
        let of = |word: &str| {
            let often = counts.get(word).copied().unwrap_or(0.0);
            rarity(word) * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * length / average))
        };
        query.keys().map(|word| of(word)).sum()
    };
    counts.iter().zip(&lengths).map(score).collect()
}

/// Tools whose words are drawn from so few that most have most of them, so that common words, ties and rare words meet.
fn drawn(words: usize) -> impl Strategy<Value = Vec<(String, String)>> {
    let name = (0..words, 0..words).prop_map(|(a, b)| format!("word{a}_word{b}"));
    let text = proptest::collection::vec(0..words, 1..12)
        .prop_map(|words| words.into_iter().map(|word| format!("word{word}")).collect::<Vec<_>>().join(" "));
    proptest::collection::vec((name, text), 1..120)
}

proptest! {
    #[test]
    fn what_is_found_is_what_a_scan_by_the_formula_finds(
        (words, docs) in (3_usize..40).prop_flat_map(|words| (Just(words), drawn(words))),
        query in proptest::collection::vec((0_usize..40, any::<bool>()), 1..6),
        most in 1_usize..12,
    ) {
        let known: BTreeSet<&str> =
            docs.iter().flat_map(|(name, text)| name.split('_').chain(text.split(' '))).collect();
        // A word that no tool has stands for longer ones, which is another test.
        let query: BTreeMap<String, bool> =
            query.into_iter().map(|(word, must)| (format!("word{}", word % words), must))
                .filter(|(word, _)| known.contains(word.as_str())).collect();
        let text: Vec<String> =
            query.iter().map(|(word, must)| format!("{}{word}", if *must { "+" } else { "" })).collect();
        let indexed: Vec<SearchDoc<'_>> =
            docs.iter().map(|(name, text)| SearchDoc { name, hint: "", description: text }).collect();
        let found = SearchIndex::new(&indexed).search(&Query::new(&text.join(" ")), most);
        let scores = scores(&docs, &query);
        let mut expected: Vec<f64> = scores.iter().copied().filter(|score| *score > 0.0).collect();
        expected.sort_by(|a, b| b.total_cmp(a));
        expected.truncate(most);
        let got: Vec<f64> = found.iter().map(|doc| scores[*doc]).collect();
        prop_assert_eq!(got.len(), expected.len());
        for (got, expected) in got.iter().zip(&expected) {
            prop_assert!((got - expected).abs() <= 1e-4 * expected.abs(), "{:?} {:?}", got, expected);
        }
        // Of tools with the same text the first by name comes first.
        for pair in found.windows(2).filter(|pair| scores[pair[0]] == scores[pair[1]]) {
            prop_assert!(docs[pair[0]].0 <= docs[pair[1]].0 || docs[pair[0]].1 != docs[pair[1]].1);
        }
    }
}

#[test]
fn no_query_is_too_long_or_too_strange() {
    let pool = pool(&[("mcp__hub__get", "Größe ändern 🦀.")]);
    let long = "get ".repeat(100_000);
    assert_eq!(found(&pool, &long), ["mcp__hub__get"]);
    assert_eq!(found(&pool, "GRÖSSE größe"), ["mcp__hub__get"]);
    for strange in ["\u{0}", "+++", "select:select:", "🦀", &"+a ".repeat(10_000)] {
        let _any = found(&pool, strange);
    }
}
