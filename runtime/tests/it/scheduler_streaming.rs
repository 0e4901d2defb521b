//! Calls that start while their message still streams, on real threads.

#![expect(clippy::disallowed_methods, reason = "tests stand outside the runtime, on real threads")]

use std::sync::Arc;
use std::time::Duration;

use toolwright::event::Event;
use toolwright::message::{CallId, Message, Role};
use toolwright::query::{Budget, Model, ModelError, ModelErrorKind, ModelEvent, ModelStream, Request, Step};

use super::world::{World, on_each_runtime, probe, slow_probe, text};

async fn until(mut holds: impl FnMut() -> bool) {
    while !holds() {
        tokio::task::yield_now().await;
    }
}

#[test]
fn a_call_runs_to_its_result_before_its_message_is_complete() {
    on_each_runtime(async || {
        let world = World::plain();
        let mut open = world.session.start_streaming(Some("msg_1".to_owned())).await;
        for id in ["a", "b", "c"] {
            assert!(open.submit(probe(id, if id == "b" { "alone" } else { "ok" })));
            assert_eq!(open.next().await.tool_use_id, CallId::new(id));
        }
        assert!(!open.submit(probe("a", "ok")), "a second call with one identifier could not be answered");
        assert!(open.submit(probe("d", "fails")));
        let mut turn = open.close();
        assert!(turn.next().await.expect("there is one more").is_error);
        assert_eq!(turn.next().await, None);
        assert_eq!(turn.finish(), []);
        let ended = world.count(|event| matches!(event, Event::TurnEnded { .. }));
        assert_eq!((ended, world.run(vec![probe("e", "ok")]).await.len()), (1, 1));
    });
}

#[test]
fn the_next_result_of_an_open_turn_is_waited_for_also_while_there_is_no_call_to_give_it() {
    on_each_runtime(async || {
        let world = World::plain();
        let mut open = world.session.start_streaming(None).await;
        let wait = Duration::from_millis(20);
        assert!(tokio::time::timeout(wait, open.next()).await.is_err());
        open.submit(probe("a", "ok"));
        assert_eq!(text(&open.next().await), "ok");
        assert!(tokio::time::timeout(wait, open.next()).await.is_err());
    });
}

#[test]
fn the_calls_of_a_dropped_message_are_stopped_and_the_next_turn_waits_for_them() {
    on_each_runtime(async || {
        let world = World::plain();
        let mut open = world.session.start_streaming(None).await;
        open.submit(slow_probe("a", "ok", 60_000));
        open.submit(probe("b", "alone"));
        until(|| world.log.of("a").len() >= 4).await;
        open.drop_message();
        let results = world.run(vec![probe("c", "alone")]).await;
        assert_eq!(text(&results[0]), "alone");
        let told = |event: &Event| matches!(event, Event::Result { content, .. } if content.to_text().contains("the message that made the call broke off"));
        assert_eq!(world.count(told), 2);
    });
}

/// Makes a call, and then speaks no more or breaks off.
struct Interrupted {
    breaks: bool,
}

impl Model for Interrupted {
    fn respond(&self, _request: Request) -> ModelStream {
        use futures_util::stream::{self, StreamExt};
        let said = [ModelEvent::text(0, "first this"), ModelEvent::call(1, slow_probe("a", "ok", 60_000))];
        let said = stream::iter(said.map(Ok));
        if self.breaks {
            let broken = async {
                tokio::time::sleep(Duration::from_millis(30)).await;
                Err(ModelError::new(ModelErrorKind::Connection, "the line broke"))
            };
            return Box::pin(said.chain(stream::once(broken)));
        }
        Box::pin(said.chain(stream::pending()))
    }
}

#[test]
fn an_abort_in_the_middle_of_a_message_pairs_the_calls_it_had_made() {
    on_each_runtime(async || {
        let world = World::plain();
        let abort = async {
            until(|| world.log.of("a").len() >= 4).await;
            world.session.abort();
        };
        let (step, ()) = tokio::join!(world.session.step(&Interrupted { breaks: false }), abort);
        assert_eq!(step, Ok(Step::Aborted));
        let conversation = world.session.conversation();
        assert_eq!(
            conversation.iter().map(|message| message.role).collect::<Vec<_>>(),
            [Role::Assistant, Role::User]
        );
        assert_eq!((conversation[0].content.len(), conversation[1].content.len()), (2, 1));
    });
}

#[test]
fn a_step_that_is_dropped_in_the_middle_of_a_message_pairs_the_calls_it_had_made() {
    on_each_runtime(async || {
        let world = World::plain();
        let model = Interrupted { breaks: false };
        let step = tokio::time::timeout(Duration::from_millis(50), world.session.step(&model));
        assert!(step.await.is_err());
        let conversation = world.session.conversation();
        assert_eq!((conversation[0].content.len(), conversation[1].content.len()), (2, 1));
        assert_eq!(world.run(vec![probe("b", "ok")]).await.len(), 1);
    });
}

#[test]
fn a_message_that_breaks_off_leaves_nothing_and_the_loop_can_be_run_again() {
    on_each_runtime(async || {
        let world = World::plain();
        for _ in 0..2 {
            let end = world.session.run(&Interrupted { breaks: true }, "go", Budget::default()).await;
            assert!(matches!(end, toolwright::query::End::Failed(_)), "{end:?}");
        }
        assert!(world.session.conversation().iter().all(|message| message.role == Role::User));
        assert_eq!(world.session.conversation().len(), 2);
    });
}

#[test]
fn open_turns_that_are_stopped_at_any_time_answer_every_call_once() {
    on_each_runtime(async || {
        let world = Arc::new(World::plain());
        for round in 0..120_u64 {
            let does = ["ok", "alone", "fails", "first makes it solitary", "panic in call", "note"];
            let stop = async {
                for _ in 0..round {
                    tokio::task::yield_now().await;
                }
                match round % 3 {
                    0 => world.session.abort(),
                    1 => world.session.interrupt(),
                    _other => world.session.send(Message::user("wait")),
                }
            };
            let turn = async {
                let mut open = world.session.start_streaming(None).await;
                for n in 0..8_u64 {
                    let does = does[usize::try_from((round + n) % 6).expect("small")];
                    open.submit(slow_probe(&format!("{round}.{n}"), does, n % 3));
                    tokio::task::yield_now().await;
                }
                let mut turn = open.close();
                let mut results = 0;
                while turn.next().await.is_some() {
                    results += 1;
                }
                results
            };
            let (results, ()) = tokio::join!(turn, stop);
            assert_eq!(results, 8);
        }
        let begun = world.count(|event| matches!(event, Event::Started { .. }));
        assert_eq!(world.count(|event| matches!(event, Event::Finished { .. })), begun);
        assert_eq!(world.count(|event| matches!(event, Event::ResultRefused { .. })), 0);
    });
}
