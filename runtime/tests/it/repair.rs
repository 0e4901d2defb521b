//! Histories on load: whatever was stored, what comes out is what models take, and everything that was done is told.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use toolwright::message::{Block, CallId, Message, RepairKind, Repaired, Role, ToolResult, ToolUse, repair};

fn message(role: Role, content: Vec<Block>) -> Message {
    Message { role, content, is_meta: false }
}

/// A message from words: `a:` or `u:`, then `+id` a call, `=id` a result, `~id` another result, anything else text.
fn read(line: &str) -> Message {
    let (side, words) = line.split_once(':').expect("a side is named");
    let role = if side == "a" { Role::Assistant } else { Role::User };
    let block = |word: &str| {
        let (mark, id) = word.split_at(1);
        match mark {
            "+" => Block::ToolUse(ToolUse::new(id, "Probe", r#"{"n":1}"#)),
            "*" => Block::ToolUse(ToolUse::new(id, "Probe", r#"{"n":2}"#)),
            "=" => Block::ToolResult(ToolResult {
                is_error: false,
                ..ToolResult::error(CallId::new(id), "first")
            }),
            "~" => Block::ToolResult(ToolResult {
                is_error: false,
                ..ToolResult::error(CallId::new(id), "second")
            }),
            _text => Block::Text(word.trim_matches('_').to_owned()),
        }
    };
    message(role, words.split_whitespace().map(block).collect())
}

fn show(messages: &[Message]) -> Vec<String> {
    let word = |block: &Block| match block {
        Block::Text(text) => text.clone(),
        Block::ToolUse(call) => {
            format!("{}{}", if call.input.as_str().contains('1') { "+" } else { "*" }, call.id)
        }
        Block::ToolResult(result) => {
            let mark = match (result.is_error, result.content.to_text().as_str()) {
                (true, _) => "!",
                (false, "first") => "=",
                (false, _) => "~",
            };
            format!("{mark}{}", result.tool_use_id)
        }
        other => format!("{other:?}"),
    };
    let line = |message: &Message| {
        let side = if message.role == Role::User { "u" } else { "a" };
        format!("{side}:{}", message.content.iter().map(word).collect::<Vec<_>>().join(" "))
    };
    messages.iter().map(line).collect()
}

/// What models take, told by a second hand.
fn assert_valid(messages: &[Message]) {
    let mut ids = BTreeSet::new();
    assert!(messages.first().is_none_or(|first| first.role == Role::User));
    for (at, message) in messages.iter().enumerate() {
        assert!(!message.content.is_empty(), "message {at} is empty");
        assert!(
            !message.content.iter().any(|block| matches!(block, Block::Text(text) if text.trim().is_empty()))
        );
        let calls: Vec<&CallId> = message.content.iter().filter_map(call).collect();
        let results: Vec<&CallId> = message.content.iter().filter_map(result).collect();
        let before: Vec<&CallId> = match at.checked_sub(1).map(|before| &messages[before]) {
            Some(before) if before.role == Role::Assistant => {
                before.content.iter().filter_map(call).collect()
            }
            _user => Vec::new(),
        };
        match message.role {
            Role::Assistant => {
                assert_eq!(results, Vec::<&CallId>::new());
                assert!(calls.iter().all(|id| !id.as_str().is_empty() && ids.insert((*id).clone())));
                assert!(
                    at > 0 && messages[at - 1].role == Role::User,
                    "two messages of the model follow each other"
                );
                assert!(calls.is_empty() || at + 1 < messages.len(), "the last calls are answered");
            }
            Role::User => {
                assert_eq!((calls, &results), (Vec::new(), &before), "message {at}");
                let leading = message.content.iter().take_while(|block| result(block).is_some()).count();
                assert_eq!(leading, results.len(), "results come first");
            }
        }
    }
}

fn call(block: &Block) -> Option<&CallId> {
    match block {
        Block::ToolUse(call) => Some(&call.id),
        _other => None,
    }
}

fn result(block: &Block) -> Option<&CallId> {
    match block {
        Block::ToolResult(result) => Some(&result.tool_use_id),
        _other => None,
    }
}

/// What is wrong; the conversation before and after; and what is told.
struct Case(&'static str, &'static [&'static str], &'static [&'static str], &'static [RepairKind]);

const CASES: &[Case] = {
    use RepairKind::*;
    &[
        Case(
            "a valid one stays",
            &["u:go", "a:hm +x +y", "u:=x =y and", "u:more", "a:ok"],
            &["u:go", "a:hm +x +y", "u:=x =y and", "u:more", "a:ok"],
            &[],
        ),
        Case(
            "cc#1237: an abort left calls without results",
            &["u:go", "a:+x +y", "u:=x", "u:again"],
            &["u:go", "a:+x +y", "u:=x !y", "u:again"],
            &[MissingResult],
        ),
        Case(
            "cc#1237: the session ended with a call",
            &["u:go", "a:+x"],
            &["u:go", "a:+x", "u:!x"],
            &[MissingResult],
        ),
        Case(
            "cc#20693: one message over several lines",
            &["u:go", "a:+x", "a:+y", "a:+x", "u:=x", "u:=y"],
            &["u:go", "a:+x +y", "u:=x =y"],
            &[DuplicateCall, MergedMessages, MergedMessages],
        ),
        Case(
            "cc#20693: a message stored twice",
            &["u:go", "a:+x", "u:=x", "a:+x", "u:=x", "a:ok"],
            &["u:go", "a:+x", "u:=x", "a:ok"],
            &[DuplicateCall, DuplicateResult],
        ),
        Case(
            "Wegent: results 00, 02, 01 in messages of their own",
            &["u:go", "a:+0 +1 +2", "u:=0", "u:=2", "u:=1"],
            &["u:go", "a:+0 +1 +2", "u:=0 =1 =2"],
            &[MovedResult, MergedMessages],
        ),
        Case(
            "CLIProxyAPI: a retry doubled a result",
            &["u:go", "a:+x", "u:=x ~x"],
            &["u:go", "a:+x", "u:=x"],
            &[DuplicateResult],
        ),
        Case("a result without a call", &["u:go", "u:=z", "a:ok"], &["u:go", "a:ok"], &[OrphanResult]),
        Case(
            "results behind text",
            &["u:go", "a:+x", "u:and =x"],
            &["u:go", "a:+x", "u:=x and"],
            &[MovedResult],
        ),
        Case(
            "a message between",
            &["u:go", "a:+x", "u:wait", "a:ok", "u:=x"],
            &["u:go", "a:+x", "u:=x", "u:wait", "a:ok"],
            &[MovedResult],
        ),
        Case(
            "a result before its call",
            &["u:go", "u:=x", "a:+x"],
            &["u:go", "a:+x", "u:=x"],
            &[MovedResult],
        ),
        Case(
            "the wrong order in one message",
            &["u:go", "a:+x +y", "u:=y =x"],
            &["u:go", "a:+x +y", "u:=x =y"],
            &[MovedResult],
        ),
        Case(
            "an identifier for two calls",
            &["u:go", "a:+c", "u:=c", "a:*c", "u:~c"],
            &["u:go", "a:+c", "u:=c", "a:*c_again1", "u:~c_again1"],
            &[ReusedId],
        ),
        Case(
            "the same call again, with another result",
            &["u:go", "a:+c", "u:=c", "a:+c", "u:~c"],
            &["u:go", "a:+c", "u:=c", "a:+c_again1", "u:~c_again1"],
            &[ReusedId],
        ),
        Case(
            "an identifier for two calls of one message",
            &["u:go", "a:+c *c", "u:=c ~c"],
            &["u:go", "a:+c *c_again1", "u:=c ~c_again1"],
            &[ReusedId],
        ),
        Case(
            "calls without identifiers",
            &["u:go", "a:+ +", "u:= ~"],
            &["u:go", "a:+call_made1 +call_made2", "u:=call_made1 ~call_made2"],
            &[MissingId, MissingId],
        ),
        Case(
            "a call of the user's",
            &["u:go +x", "a:ok", "u:=x"],
            &["u:go", "a:ok"],
            &[MisplacedBlock, OrphanResult],
        ),
        Case(
            "a result of the model's",
            &["u:go", "a:+x =x", "a:ok"],
            &["u:go", "a:+x ok", "u:=x"],
            &[MovedResult, MergedMessages],
        ),
        Case("nothing said", &["u:go", "a:_", "u:", "a:ok", "a:"], &["u:go", "a:ok"], &[Empty, Empty, Empty]),
        Case(
            "no beginning",
            &["a:+x", "u:=x"],
            &["u:(the beginning of this conversation was not kept)", "a:+x", "u:=x"],
            &[MissingBeginning],
        ),
        Case("nothing at all", &[], &[], &[]),
    ]
};

#[test]
fn each_way_of_being_broken_is_mended_and_told() {
    for Case(name, before, after, kinds) in CASES {
        let repaired = repair(before.iter().copied().map(read).collect());
        assert_eq!(show(&repaired.messages), *after, "{name}");
        let mut told: Vec<RepairKind> = repaired.repairs.iter().map(|repair| repair.kind).collect();
        let mut kinds = kinds.to_vec();
        told.sort_unstable();
        kinds.sort_unstable();
        assert_eq!(told, kinds, "{name}: {:#?}", repaired.repairs);
        assert!(repaired.repairs.iter().all(|repair| !repair.to_string().is_empty()));
        assert_valid(&repaired.messages);
    }
}

#[test]
fn results_in_a_note_stay_in_a_note() {
    let note = |line| Message { is_meta: true, ..read(line) };
    for messages in [
        vec![read("u:go"), read("a:+x"), note("u:=x")],
        vec![read("u:go"), read("a:+x +y"), note("u:=x =y and"), read("u:more")],
    ] {
        assert_eq!(repair(messages.clone()), Repaired { messages, repairs: Vec::new() });
    }
}

fn blocks() -> impl Strategy<Value = Vec<Message>> {
    let id = prop_oneof![Just(""), Just("a"), Just("b"), Just("c"), Just("a_again1")];
    let block = (0..8_u8, id, 0..2_u8).prop_map(|(kind, id, which)| match kind {
        0 => Block::Text(if which == 0 { "text" } else { " " }.to_owned()),
        1 => Block::Other(serde_json::json!({ "type": "thinking" })),
        2..=4 => Block::ToolUse(ToolUse::new(id, "Probe", format!(r#"{{"n":{which}}}"#))),
        _result => Block::ToolResult(ToolResult::error(CallId::new(id), format!("r{which}"))),
    });
    let role = prop_oneof![Just(Role::User), Just(Role::Assistant)];
    let message = (role, proptest::collection::vec(block, 0..4), any::<bool>())
        .prop_map(|(role, content, is_meta)| Message { role, content, is_meta });
    proptest::collection::vec(message, 0..8)
}

/// How often each text and each call's input is there.
fn said(messages: &[Message]) -> BTreeMap<String, usize> {
    let mut said = BTreeMap::new();
    for block in messages.iter().flat_map(|message| &message.content) {
        let words = match block {
            Block::Text(text) => text.clone(),
            Block::ToolUse(call) => call.input.as_str().to_owned(),
            Block::ToolResult(result) => result.content.to_text(),
            other => format!("{other:?}"),
        };
        *said.entry(words).or_default() += 1;
    }
    said
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn whatever_was_stored_becomes_what_models_take_and_stays_so(messages in blocks()) {
        let repaired = repair(messages.clone());
        assert_valid(&repaired.messages);
        let again = repair(repaired.messages.clone());
        prop_assert_eq!(&again.repairs, &Vec::new());
        prop_assert_eq!(&again.messages, &repaired.messages);
        prop_assert_eq!(repaired.repairs.is_empty(), repaired.messages == messages, "a change is told, and only a change");
        // Nothing is made up but results that say so, and what is gone was told.
        let (before, after) = (said(&messages), said(&repaired.messages));
        let told = |kinds: &[RepairKind]| repaired.repairs.iter().filter(|repair| kinds.contains(&repair.kind)).count();
        let gone: usize = before.iter().map(|(words, count)| count.saturating_sub(*after.get(words).unwrap_or(&0))).sum();
        let new: usize = after.iter().map(|(words, count)| count.saturating_sub(*before.get(words).unwrap_or(&0))).sum();
        prop_assert_eq!(new, told(&[RepairKind::MissingResult, RepairKind::MissingBeginning]));
        let dropped = [
            RepairKind::DuplicateCall, RepairKind::DuplicateResult, RepairKind::OrphanResult,
            RepairKind::MisplacedBlock, RepairKind::Empty,
        ];
        prop_assert!(gone <= told(&dropped), "{} gone, told {:?}", gone, &repaired.repairs);
    }
}

#[tokio::test]
async fn a_session_takes_a_broken_history_and_says_what_it_mended() {
    let env = toolwright::env::Env::tokio().expect("tests run on tokio");
    let session = toolwright::session::Session::builder(env, toolwright::registry::Catalogue::new())
        .history(["u:go", "a:+x +y", "u:=y"].map(read).to_vec())
        .build();
    assert_eq!(show(&session.conversation()), ["u:go", "a:+x +y", "u:!x =y"]);
    let kinds: Vec<RepairKind> = session.history_repairs().iter().map(|repair| repair.kind).collect();
    assert_eq!(kinds, [RepairKind::MissingResult]);
    let model = toolwright::query::Scripted::new([vec![toolwright::query::ModelEvent::text(0, "ok")]]);
    session.run(&model, "again", toolwright::query::Budget::default()).await;
    assert_valid(&session.conversation());
}
