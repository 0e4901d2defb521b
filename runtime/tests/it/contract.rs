//! What a reply carries beside its data.

use toolwright::event::Event;
use toolwright::message::{CallId, Turn};

use super::world::{World, on_each_runtime, probe, text};

#[test]
fn a_change_of_context_counts_for_calls_that_ran_alone_and_is_seen_by_later_batches() {
    on_each_runtime(async || {
        let world = World::plain();
        let turn = ["tells where", "moves", "tells where"].map(|does| probe(does, does));
        let turn = turn
            .into_iter()
            .enumerate()
            .map(|(index, call)| toolwright::message::ToolUse { id: CallId::new(index.to_string()), ..call });
        let results = world.run(turn.collect()).await;
        assert_eq!([text(&results[0]), text(&results[2])], ["/", "/"]);
        assert_eq!(world.count(|event| matches!(event, Event::ContextChangeDropped { .. })), 1);

        let results = world
            .run(vec![probe("a", "tells where"), probe("b", "moves alone"), probe("c", "tells where")])
            .await;
        assert_eq!([text(&results[0]), text(&results[2])], ["/", "/moved"]);
        assert_eq!(world.session.context().cwd.to_str(), Some("/moved"));
    });
}

#[test]
fn a_call_knows_the_message_it_came_in() {
    on_each_runtime(async || {
        let world = World::plain();
        for message in [Some("msg_7"), None] {
            let calls = vec![probe("a", "tells its message")];
            let outcome = world.session.run_turn(Turn { message: message.map(str::to_owned), calls }).await;
            assert_eq!(text(&outcome.results[0]), message.unwrap_or("none"));
        }
    });
}

#[test]
fn a_change_of_context_that_panics_is_dropped_whole() {
    on_each_runtime(async || {
        let world = World::plain();
        let results =
            world.run(vec![probe("a", "panic in the change alone"), probe("b", "tells where")]).await;
        assert_eq!((results[0].is_error, text(&results[1])), (false, "/".to_owned()));
        assert_eq!(world.count(|event| matches!(event, Event::ContextChangeDropped { .. })), 1);
    });
}

#[test]
fn new_messages_come_with_the_turns_end_in_the_order_of_the_calls() {
    on_each_runtime(async || {
        let world = World::plain();
        let calls = vec![probe("a", "note, fails"), probe("b", "speaks"), probe("c", "note, first denies")];
        let outcome = world.session.run_turn(Turn::new(calls)).await;
        let texts: Vec<_> = outcome
            .new_messages
            .iter()
            .map(|message| serde_json::to_value(&message.content).expect("it serialises")[0]["text"].clone())
            .collect();
        assert_eq!(texts, ["pre note", "failure note", "by the way", "pre note"]);
        assert_eq!(outcome.new_messages.iter().filter(|message| message.is_meta).count(), 3);
    });
}
