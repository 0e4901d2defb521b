//! What is sent in the three modes.

use toolwright::contract::SessionFacts;
use toolwright::registry::loading::tokens_about;
use toolwright::registry::{Deferral, LoadMode, Pool};

use super::{remote, with_remote};

/// hermes-agent#6318 tells of 19,210 tokens that became 2,198.
#[test]
fn two_hundred_remote_tools_cost_a_tenth_when_they_are_deferred() {
    let about =
        "Looks up one thing by its identifier and gives all of its fields, with those of what it belongs to.";
    let tools: Vec<_> = (0..200).map(|n| remote(&format!("mcp__hub__look_up_{n}"), about)).collect();
    let sent = |mode| {
        let deferral = Deferral { mode, ..Deferral::default() };
        let pool =
            Pool::new(&with_remote(&tools), &SessionFacts::default(), |_| true).with_deferral(deferral);
        let tokens: usize = pool.definitions().iter().map(|definition| tokens_about(definition)).sum();
        println!("{mode:?}: {} definitions, about {tokens} tokens", pool.definitions().len());
        tokens
    };
    let own = {
        let deferral = Deferral { mode: LoadMode::Deferred, ..Deferral::default() };
        let pool = Pool::new(&with_remote(&[]), &SessionFacts::default(), |_| true).with_deferral(deferral);
        pool.definitions().iter().map(|definition| tokens_about(definition)).sum::<usize>()
    };
    let [standard, deferred] = [sent(LoadMode::Standard), sent(LoadMode::Deferred)];
    assert_eq!(deferred, own);
    assert!((standard - own) > 10_000 && sent(LoadMode::Auto(100)) == standard, "{standard} {own}");
}
