//! The four stages, each with the reason for which a tool falls.

use toolwright::contract::{ErasedTool, SessionFacts};
use toolwright::permission::{Behavior, Profile, Source};
use toolwright::prelude::*;
use toolwright::registry::{Catalogue, Fall, Layer, Pool, Stage};
use toolwright_tools::{EMBEDDED_SEARCH, catalogue};

use crate::catalogue::{BY_ITSELF, IN_EVERY_SESSION, kept_with};

use super::{remote, session, with_remote};

/// Needs a person.
#[tool(needs_person)]
struct Confirm {}

impl Tool for Confirm {
    type Output = &'static str;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<&'static str, ToolError> {
        Ok("yes")
    }
}

/// Cannot be used here.
#[tool]
struct Broken {}

impl Tool for Broken {
    type Output = &'static str;

    fn is_enabled(_state: &(), _session: &SessionFacts) -> bool {
        false
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<&'static str, ToolError> {
        Ok("")
    }
}

/// Waits.
#[tool]
struct Nap {}

impl Tool for Nap {
    type Output = &'static str;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<&'static str, ToolError> {
        Ok("")
    }
}

fn all() -> Catalogue {
    let mut all = with_remote(&[
        remote("mcp__hub__get", "Gets."),
        remote("mcp__bad__get", "Gets."),
        remote("Bash", "Ours."),
    ]);
    all.add::<Confirm>().add::<Broken>();
    all.layer(Layer::when_any(["proactive", "assistant"]), |catalogue| {
        catalogue.add::<Nap>();
    });
    all
}

fn names(pool: &Pool) -> Vec<&str> {
    pool.tools().iter().map(|tool| tool.form().name.as_ref()).collect()
}

#[test]
fn each_tool_that_is_not_in_the_pool_says_at_which_stage_it_fell_and_why() {
    let pool = Pool::filtered(&all(), &SessionFacts::default(), |form| {
        form.name.starts_with("mcp__bad").then(|| "Deny(mcp__bad)".to_owned())
    });
    let mut fell: Vec<(Stage, String, String)> = pool
        .fallen()
        .iter()
        .map(|fallen| {
            let name = fallen.candidate.tool.form().name.to_string();
            (fallen.why.stage(), name, fallen.why.to_string())
        })
        .collect();
    fell.sort();
    let expected = [
        (Stage::Listed, "Monitor", "the feature `monitor` is off"),
        (Stage::Listed, "Nap", "the feature `assistant` or `proactive` is off"),
        (Stage::Listed, "REPL", "the feature `repl` is off"),
        (Stage::Listed, "Sleep", "the feature `assistant` or `proactive` is off"),
        (Stage::Rules, "mcp__bad__get", "denied as a whole by Deny(mcp__bad)"),
        (Stage::Launch, "Broken", "it cannot be used in this session"),
        (Stage::Launch, "Confirm", "it needs a person, and there is none to ask"),
        (Stage::Pool, "Bash", "another tool has its name"),
    ];
    let expected = expected.map(|(stage, name, why)| (stage, name.to_owned(), why.to_owned()));
    assert_eq!(fell, expected);
    let mut stay = kept_with(&[BY_ITSELF, IN_EVERY_SESSION]);
    stay.push("ToolSearch".to_owned());
    stay.sort();
    stay.push("mcp__hub__get".to_owned());
    assert_eq!(names(&pool), stay);
    assert_eq!(fell.len() + pool.tools().len(), all().built_in().len() + all().remote().len());
}

#[test]
fn a_feature_switch_of_any_of_its_layers_lists_a_tool_and_embedded_search_takes_two_away() {
    for (feature, is_there) in [("assistant", true), ("proactive", true), ("monitor", false)] {
        let facts = SessionFacts { features: [feature.to_owned()].into(), ..SessionFacts::default() };
        let pool = Pool::new(&all(), &facts, |_| true);
        assert_eq!(pool.find("Nap").is_ok(), is_there, "{feature}");
    }
    let facts = SessionFacts { features: [EMBEDDED_SEARCH.to_owned()].into(), ..SessionFacts::default() };
    let mut stay = kept_with(&[BY_ITSELF, IN_EVERY_SESSION]);
    stay.retain(|name| !["Glob", "Grep"].contains(&&**name));
    assert_eq!(names(&Pool::new(&catalogue(), &facts, |_| true)), stay);
}

#[test]
fn the_programs_own_tool_wins_a_name_whatever_was_added_first() {
    let mut first: Catalogue = Catalogue::new();
    first.add_remote(remote("Bash", "Another's.")).expect("the name is one");
    for tool in catalogue().built_in() {
        first.add_erased(std::sync::Arc::clone(tool)).expect("the name is one");
    }
    let pool = Pool::new(&first, &SessionFacts::default(), |_| true);
    let prompt = pool.find("Bash").expect("it is there").tool().prompt();
    assert_ne!(prompt, "Another's.");
}

#[tokio::test]
async fn what_is_denied_as_a_whole_is_absent_and_named_to_nobody() {
    for (rule, profile) in
        [("mcp__*", Profile::Current), ("mcp__hub", Profile::Current), ("mcp__hub__get", Profile::V2_1_88)]
    {
        let tools = [remote("mcp__hub__get", "Gets.")];
        let session = Session::builder(Env::tokio().expect("tests run on tokio"), with_remote(&tools))
            .profile(profile)
            .rule(Behavior::Deny, Source::CliArg, rule)
            .build();
        let pool = session.pool();
        let unknown = pool.find("mcp__hub__get").expect_err("it is denied");
        assert!(unknown.nearest.iter().all(|name| !name.starts_with("mcp__")), "{rule}: {unknown}");
        let whys = pool.fallen().iter().map(|fallen| &fallen.why);
        let denied: Vec<&Fall> = whys.filter(|why| !matches!(why, Fall::Feature(_))).collect();
        assert!(matches!(denied[..], [Fall::Denied(text)] if text.contains(rule)), "{denied:?}");
        let listed = pool.definitions().iter().any(|definition| definition.contains("mcp__hub"));
        assert!(!listed, "{rule}");
    }
}

/// rust-sdk#477, #809: what is disabled is neither listed nor callable.
#[tokio::test]
async fn a_disabled_tool_is_absent_from_the_list_and_from_calls_at_once() {
    let session = session(all()).build();
    assert!(session.pool().definitions().iter().all(|definition| !definition.contains("Broken")));
    let turn = Turn::new(vec![ToolUse::new("c", "Broken", "{}")]);
    let results = session.run_turn(turn).await.results;
    assert!(results[0].is_error && results[0].content.to_text().contains("no tool `Broken`"), "{results:?}");
}

#[test]
fn layers_hide_nothing_from_the_list_of_built_ins() {
    assert!(all().built_in().iter().any(|tool: &std::sync::Arc<dyn ErasedTool>| tool.form().name == "Nap"));
}
