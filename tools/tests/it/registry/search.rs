//! What a search finds, and in which order.

use std::collections::{BTreeMap, BTreeSet};

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

/// BM25 from its definition, over words that are simple enough to need no rules.
fn ranked(docs: &[(String, String)], query: &[&str]) -> Vec<usize> {
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
    let query: BTreeSet<&str> = query.iter().copied().collect();
    let rarity = |word: &str| {
        let having = counts.iter().filter(|counts| counts.contains_key(word)).count() as f64;
        (1.0 + (number - having + 0.5) / (having + 0.5)).ln()
    };
    let query: Vec<(&str, f64)> = query.into_iter().map(|word| (word, rarity(word))).collect();
    let score = |doc: usize| -> f64 {
        let of = |(word, rarity): &(&str, f64)| {
            let often = counts[doc].get(*word).copied().unwrap_or(0.0);
            rarity * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * lengths[doc] / average))
        };
        query.iter().map(of).sum()
    };
    let mut hits: Vec<(usize, f64)> =
        (0..docs.len()).map(|doc| (doc, score(doc))).filter(|(_, score)| *score > 0.0).collect();
    hits.sort_by(|a, b| b.1.total_cmp(&a.1).then(docs[a.0].0.cmp(&docs[b.0].0)));
    hits.into_iter().map(|(doc, _)| doc).collect()
}

#[test]
fn ranks_are_those_of_a_scan_by_the_formula() {
    let vocabulary: Vec<String> = (0..60).map(|n| format!("word{n}")).collect();
    let mut state = 7_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let docs: Vec<(String, String)> = (0..300)
        .map(|n| {
            let name = format!("{}_{}_n{n}", vocabulary[next(60)], vocabulary[next(60)]);
            let text: Vec<&str> = (0..next(30) + 1).map(|_| vocabulary[next(60)].as_str()).collect();
            (name, text.join(" "))
        })
        .collect();
    let indexed: Vec<SearchDoc<'_>> =
        docs.iter().map(|(name, text)| SearchDoc { name, hint: "", description: text }).collect();
    let index = SearchIndex::new(&indexed);
    for _ in 0..60 {
        let query: Vec<&str> = (0..next(4) + 1).map(|_| vocabulary[next(60)].as_str()).collect();
        let found = index.search(&Query::new(&query.join(" ")), 10);
        let expected = ranked(&docs, &query);
        assert_eq!(found.len(), expected.len().min(10), "{query:?}");
        // Where two are as good as equal, the last bit of a sum may decide.
        let differing = found.iter().zip(&expected).filter(|(a, b)| a != b).count();
        assert!(differing <= 2, "{query:?}: {found:?} {expected:?}");
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
