//! The query loop: what the conversation looks like however a step ends.

#![expect(clippy::disallowed_methods, reason = "tests stand outside the runtime, on real threads")]

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use toolwright::env::{Env, TaskName};
use toolwright::message::{Block, Message, Role};
use toolwright::query::{
    Budget, End, Model, ModelError, ModelErrorKind, ModelEvent, ModelStream, Request, Scripted, Spent, Step,
    blocks, channel, failed,
};

use super::world::{World, on_each_runtime, probe, slow_probe};

/// A conversation in short: `user`, `assistant a b`, `results a b!`, `note`.
fn shape(messages: &[Message]) -> Vec<String> {
    let ids = |message: &Message| {
        let id = |block: &Block| match block {
            Block::ToolUse(call) => Some(call.id.to_string()),
            Block::ToolResult(result) => {
                Some(format!("{}{}", result.tool_use_id, if result.is_error { "!" } else { "" }))
            }
            _other => None,
        };
        message.content.iter().filter_map(id).collect::<Vec<_>>().join(" ")
    };
    let short = |message: &Message| match (message.role, ids(message)) {
        (Role::User, ids) if ids.is_empty() => if message.is_meta { "note" } else { "user" }.to_owned(),
        (Role::User, ids) => format!("results {ids}"),
        (_assistant, ids) => format!("assistant {ids}").trim_end().to_owned(),
    };
    messages.iter().map(short).collect()
}

fn calls(calls: &[(&str, &str)]) -> Vec<ModelEvent> {
    calls.iter().enumerate().map(|(index, (id, does))| ModelEvent::call(index, probe(id, does))).collect()
}

fn answer() -> Vec<ModelEvent> {
    vec![ModelEvent::text(0, "that is all")]
}

/// Passes requests on, and keeps them.
struct Watched<M>(M, Mutex<Vec<Request>>);

impl<M: Model> Model for Watched<M> {
    fn respond(&self, request: Request) -> ModelStream {
        self.1.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        self.0.respond(request)
    }
}

#[test]
fn each_message_of_calls_is_followed_by_its_results_in_order_and_then_by_what_was_added() {
    on_each_runtime(async || {
        let world = World::plain();
        let model = Scripted::new([
            calls(&[("a", "speaks"), ("b", "fails"), ("c", "note")]),
            calls(&[("d", "ok"), ("e", "alone"), ("d", "fails")]),
            answer(),
        ]);
        let end = world.session.run(&model, "go", Budget::default()).await;
        assert_eq!(end, End::Answered("that is all".to_owned()));
        let shape = shape(&world.session.conversation());
        assert_eq!(
            shape,
            [
                "user",
                "assistant a b c",
                "results a b! c",
                "user",
                "note",
                "note",
                "assistant d e",
                "results d e",
                "assistant"
            ]
        );
    });
}

#[test]
fn every_request_has_the_same_definitions_byte_for_byte_and_the_conversation_so_far() {
    on_each_runtime(async || {
        let world = World::plain();
        let turns = (0..4).map(|n: u32| calls(&[(&format!("c{n}"), "moves alone")])).chain([answer()]);
        let model = Watched(Scripted::new(turns), Mutex::default());
        world.session.run(&model, "go", Budget::default()).await;
        let requests = model.1.into_inner().unwrap_or_else(PoisonError::into_inner);
        let lengths: Vec<_> = requests.iter().map(|request| request.messages.len()).collect();
        assert_eq!(lengths, [1, 3, 5, 7, 9]);
        assert!(
            requests.iter().all(|request| request.tools == requests[0].tools && request.tools.len() == 1)
        );
    });
}

#[test]
fn a_spent_budget_ends_the_loop_with_the_last_results_in_the_conversation() {
    on_each_runtime(async || {
        let world = World::plain();
        let model = Scripted::new((0..9).map(|n: u32| calls(&[(&format!("c{n}"), "ok")])));
        let two = NonZeroUsize::new(2).expect("two is not zero");
        let budget = Budget { requests_max: two, ..Budget::default() };
        assert_eq!(world.session.run(&model, "go", budget).await, End::OutOfBudget(Spent::Requests));
        assert_eq!(
            shape(&world.session.conversation()),
            ["user", "assistant c0", "results c0", "assistant c1", "results c1"]
        );
    });
}

fn broken_line() -> ModelError {
    ModelError::new(ModelErrorKind::Connection, "the line broke")
}

/// Says what it was given, and then breaks.
struct Broken(Vec<ModelEvent>);

impl Model for Broken {
    fn respond(&self, _request: Request) -> ModelStream {
        let said = self.0.clone().into_iter().map(Ok);
        let broken = Err(broken_line());
        Box::pin(futures_util::stream::iter(said.chain([broken])))
    }
}

#[test]
fn a_model_that_fails_leaves_the_conversation_as_it_was_and_its_calls_are_stopped() {
    on_each_runtime(async || {
        let slow = ModelEvent::call(0, slow_probe("a", "ok", 60_000));
        for said in [Vec::new(), vec![slow]] {
            let world = World::plain();
            let end = world.session.run(&Broken(said), "go", Budget::default()).await;
            assert_eq!(end, End::Failed(broken_line()));
            assert_eq!(shape(&world.session.conversation()), ["user"]);
            world.run(vec![probe("b", "ok")]).await;
            assert!(!world.log.all().contains(&"done a".to_owned()));
        }
    });
}

/// Streams a text and a call in a task of its own, once; then an error.
struct Streams(Env, AtomicBool);

impl Model for Streams {
    fn respond(&self, _request: Request) -> ModelStream {
        if self.1.swap(true, Ordering::SeqCst) {
            return failed(ModelError::new(ModelErrorKind::Other, "no more to say"));
        }
        let (sender, answer) = channel();
        let env = self.0.clone();
        drop(self.0.spawn(TaskName { kind: "model", index: 0 }, async move {
            assert!(sender.send(ModelEvent::text(0, "I look")).await);
            env.sleep(Duration::from_millis(1)).await;
            assert!(sender.send(ModelEvent::call(1, probe("a", "ok"))).await);
        }));
        answer
    }
}

#[test]
fn an_answer_that_is_sent_piece_by_piece_is_complete_when_its_sender_is_gone() {
    on_each_runtime(async || {
        let world = World::plain();
        let model = Streams(world.session.env().clone(), AtomicBool::new(false));
        let end = world.session.run(&model, "go", Budget::default()).await;
        let End::Failed(error) = end else { panic!("{end:?}") };
        assert_eq!(error.to_string(), "no more to say");
        assert_eq!(shape(&world.session.conversation()), ["user", "assistant a", "results a"]);
    });
}

#[test]
fn an_answer_that_breaks_off_is_an_error_and_one_that_is_given_up_wants_nothing_more() {
    on_each_runtime(async || {
        let (sender, answer) = channel();
        let broken = ModelError::new(ModelErrorKind::Other, "the line is cut");
        let heard = async { answer.collect::<Vec<_>>().await };
        let said = async {
            assert!(sender.send(ModelEvent::text(0, "a")).await);
            sender.fail(broken.clone()).await;
        };
        let (heard, ()) = tokio::join!(heard, said);
        assert_eq!(heard, [Ok(ModelEvent::text(0, "a")), Err(broken.clone())]);
        let (sender, answer) = channel();
        drop(answer);
        assert!(!sender.send(ModelEvent::text(0, "a")).await);
        assert_eq!(failed(broken.clone()).collect::<Vec<_>>().await, [Err(broken)]);
    });
}

#[test]
fn blocks_are_numbered_in_their_order() {
    on_each_runtime(async || {
        let whole = blocks([Block::Text("a".to_owned()), Block::ToolUse(probe("b", "ok"))]);
        let heard = whole.map(Result::unwrap).collect::<Vec<_>>().await;
        assert_eq!(heard, [ModelEvent::text(0, "a"), ModelEvent::call(1, probe("b", "ok"))]);
    });
}

/// Never says anything.
struct Silent;

impl Model for Silent {
    fn respond(&self, _request: Request) -> ModelStream {
        Box::pin(futures_util::stream::pending())
    }
}

#[test]
fn an_abort_ends_the_loop_while_the_model_speaks_and_while_calls_run() {
    on_each_runtime(async || {
        let world = World::plain();
        let abort = async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            world.session.abort();
        };
        let (end, ()) = tokio::join!(world.session.run(&Silent, "go", Budget::default()), abort);
        assert_eq!((end, shape(&world.session.conversation())), (End::Aborted, vec!["user".to_owned()]));

        let slow =
            [(0, "a"), (1, "b")].map(|(index, id)| ModelEvent::call(index, slow_probe(id, "ok", 60_000)));
        let model = Scripted::new([slow.to_vec(), answer()]);
        let abort = async {
            while world.log.of("b").len() < 4 {
                tokio::task::yield_now().await;
            }
            world.session.abort();
        };
        let (end, ()) = tokio::join!(world.session.run(&model, "again", Budget::default()), abort);
        assert_eq!(end, End::Aborted);
        assert_eq!(shape(&world.session.conversation()), ["user", "user", "assistant a b", "results a! b!"]);
    });
}

#[test]
fn a_step_that_is_dropped_leaves_a_result_for_every_call() {
    on_each_runtime(async || {
        let world = World::plain();
        let events = vec![
            ModelEvent::call(0, probe("a", "ok")),
            ModelEvent::call(1, slow_probe("b", "ok", 60_000)),
            ModelEvent::call(2, probe("c", "alone")),
        ];
        let model = Scripted::new([events, answer()]);
        let step = tokio::time::timeout(Duration::from_millis(300), world.session.step(&model));
        assert!(step.await.is_err(), "it is dropped in the middle");
        assert_eq!(shape(&world.session.conversation()), ["assistant a b c", "results a b! c!"]);
        assert_eq!(world.session.step(&model).await, Ok(Step::Answered("that is all".to_owned())));
    });
}

#[test]
fn a_message_that_comes_while_calls_run_waits_for_their_results() {
    on_each_runtime(async || {
        let world = World::plain();
        let model = Scripted::new([vec![ModelEvent::call(0, slow_probe("a", "speaks", 300))], answer()]);
        let push = async {
            while world.log.of("a").len() < 4 {
                tokio::task::yield_now().await;
            }
            world.session.push(Message::note("one more thing"));
        };
        tokio::join!(world.session.run(&model, "go", Budget::default()), push);
        assert_eq!(
            shape(&world.session.conversation()),
            ["user", "assistant a", "results a", "user", "note", "assistant"]
        );
    });
}

#[test]
fn steps_of_two_loops_never_mix() {
    on_each_runtime(async || {
        let world = Arc::new(World::plain());
        let run = |name: &'static str| {
            let world = Arc::clone(&world);
            tokio::spawn(async move {
                let turns = (0..5)
                    .map(|n: u32| calls(&[(&format!("{name}{n}"), "note"), (&format!("{name}{n}x"), "ok")]));
                world.session.run(&Scripted::new(turns.chain([answer()])), name, Budget::default()).await
            })
        };
        for run in ["a", "b", "c"].map(run) {
            assert!(matches!(run.await, Ok(End::Answered(_))));
        }
        let shape = shape(&world.session.conversation());
        let calls: Vec<_> = shape
            .iter()
            .enumerate()
            .filter_map(|(at, said)| Some((at, said.strip_prefix("assistant ")?)))
            .collect();
        assert_eq!(calls.len(), 15);
        for (at, ids) in calls {
            assert_eq!(shape[at + 1], format!("results {ids}"));
        }
    });
}

#[test]
fn a_call_with_the_identifier_of_one_in_an_earlier_message_gets_another() {
    on_each_runtime(async || {
        let world = World::plain();
        let twice = calls(&[("call_0", "ok"), ("call_1", "fails")]);
        let model = Scripted::new([twice.clone(), twice.clone(), twice, answer()]);
        world.session.run(&model, "go", Budget::default()).await;
        assert_eq!(
            shape(&world.session.conversation()),
            [
                "user",
                "assistant call_0 call_1",
                "results call_0 call_1!",
                "assistant call_0_again1 call_1_again1",
                "results call_0_again1 call_1_again1!",
                "assistant call_0_again2 call_1_again2",
                "results call_0_again2 call_1_again2!",
                "assistant",
            ]
        );
        let kept = world.session.conversation().to_vec();
        assert!(toolwright::message::repair(kept).repairs.is_empty(), "it is one that models take");
    });
}

/// Says what it was given, and then panics.
struct Panics(Vec<ModelEvent>);

impl Model for Panics {
    fn respond(&self, _request: Request) -> ModelStream {
        use futures_util::StreamExt as _;
        let said = futures_util::stream::iter(self.0.clone().into_iter().map(Ok));
        Box::pin(said.chain(futures_util::stream::once(async { panic!("the model broke") })))
    }
}

#[test]
fn a_model_that_panics_in_the_middle_of_its_message_leaves_a_result_for_every_call() {
    use futures_util::FutureExt as _;
    on_each_runtime(async || {
        let world = World::plain();
        let slow = vec![ModelEvent::text(0, "I call"), ModelEvent::call(1, slow_probe("a", "ok", 60_000))];
        let model = Panics(slow);
        let ran = std::panic::AssertUnwindSafe(world.session.run(&model, "go", Budget::default()));
        assert!(ran.catch_unwind().await.is_err(), "whoever runs the loop hears of it");
        assert_eq!(shape(&world.session.conversation()), ["user", "assistant a", "results a!"]);
        let end = world.session.run(&Scripted::new([answer()]), "again", Budget::default()).await;
        assert_eq!(end, End::Answered("that is all".to_owned()));
    });
}

#[test]
fn a_message_of_ten_thousand_blocks_is_answered_in_their_order() {
    on_each_runtime(async || {
        let world = World::plain();
        let block = |number: usize| match number % 3 {
            0 => ModelEvent::text(number, "x"),
            // Indexes that jump and come again say nothing: the order of the blocks is that of the message.
            1 => ModelEvent::call(number / 2, probe(&format!("call_{number}"), "ok")),
            _other => ModelEvent::call(0, probe(&format!("call_{}", number - 1), "fails")),
        };
        let said: Vec<ModelEvent> = (0..10_000).map(block).collect();
        world.session.run(&Scripted::new([said, answer()]), "go", Budget::default()).await;
        let conversation = world.session.conversation();
        let results: Vec<String> = conversation[2]
            .content
            .iter()
            .map(|block| match block {
                Block::ToolResult(result) => {
                    assert!(!result.is_error, "of two with one identifier the first runs");
                    result.tool_use_id.to_string()
                }
                other => panic!("{other:?}"),
            })
            .collect();
        let expected: Vec<String> = (1..10_000).step_by(3).map(|number| format!("call_{number}")).collect();
        assert_eq!(results, expected);
        let calls = conversation[1].content.iter().filter(|block| matches!(block, Block::ToolUse(_)));
        assert_eq!(calls.count(), expected.len(), "and nothing is said of the second");
    });
}
