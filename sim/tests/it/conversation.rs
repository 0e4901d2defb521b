//! The query loop under aborts, dropped steps and messages at any time: every call is answered in the next message.

use std::sync::Arc;

use toolwright::env::{Env, TaskName};
use toolwright::event::Recorder;
use toolwright::message::{Block, Message, ToolUse};
use toolwright::query::{Budget, End, ModelEvent, Scripted};
use toolwright::registry::Catalogue;
use toolwright::session::Session;
use toolwright_sim::check;
use toolwright_sim::engine::Simulation;

use super::world::{Draw, Work, ms, number, silence_written_panics};

/// Four messages of calls, and an answer.
fn model(draw: &mut Draw) -> Scripted {
    let mut call = |id: String, index: usize| {
        let (safe, wait) = (draw.below(3) > 0, draw.below(4) * 10);
        let end = draw.one_of(&["ok", "fail", "panic", "say"]);
        let input = format!(r#"{{"safe":{safe},"asks":false,"ms":{wait},"end":"{end}"}}"#);
        ModelEvent::call(index, ToolUse::new(id, "Work", input))
    };
    let turns: Vec<Vec<ModelEvent>> =
        (0..4).map(|turn| (0..4).map(|index| call(format!("{turn}.{index}"), index)).collect()).collect();
    Scripted::new(turns.into_iter().chain([vec![ModelEvent::text(0, "done")]]))
}

async fn loops(env: Env, session: Arc<Session>, model: Scripted, stop_ms: u64, drops: bool) -> Option<End> {
    let (clock, stopped) = (env.clone(), Arc::clone(&session));
    let outside = async move {
        clock.sleep(ms(stop_ms)).await;
        stopped.push(Message::user("by the way"));
        if !drops {
            stopped.abort();
        }
    };
    drop(env.spawn(TaskName { kind: "outside", index: 0 }, outside));
    let run = session.run(&model, "go", Budget::default());
    if drops { env.timeout(ms(stop_ms), run).await.ok() } else { Some(run.await) }
}

#[test]
fn every_call_is_answered_in_the_message_behind_it() {
    silence_written_panics();
    let mut cut_short = 0;
    for seed in 0..300 {
        let mut draw = Draw::new(seed);
        let simulation = Simulation::new(Some(seed));
        let recorder = Arc::new(Recorder::default());
        let env = simulation.env().with_sink(Arc::clone(&recorder) as _);
        let mut catalogue = Catalogue::new();
        catalogue.add::<Work>();
        let session = Arc::new(Session::builder(env.clone(), catalogue).build());
        let (model, stop_ms, drops) = (model(&mut draw), draw.below(25) * 10, draw.below(2) == 0);
        let kept = Arc::clone(&session);
        let ended = simulation.run(async move {
            let end = loops(env, Arc::clone(&session), model, stop_ms, drops).await;
            // What was dropped has ended when the next turn runs.
            session.run_turn(toolwright::message::Turn::default()).await;
            end
        });
        cut_short += usize::from(!matches!(ended, Ok(Some(End::Answered(_)))));
        assert!(ended.is_ok(), "seed {seed}: {ended:?}");
        let conversation = kept.conversation();
        assert_eq!(unpaired(&conversation), None, "seed {seed}");
        let broken = check::all(&recorder.take(), number(10));
        assert!(broken.is_empty(), "seed {seed}: {broken:#?}");
    }
    assert!((50..250).contains(&cut_short), "{cut_short} of 300 loops were cut short");
}

/// The first message whose calls the next one does not answer, each once and in order.
pub(crate) fn unpaired(conversation: &[Message]) -> Option<String> {
    let none = Vec::new();
    let pairs = conversation.iter().zip(conversation.iter().skip(1).map(|next| &next.content).chain([&none]));
    for (message, next) in pairs {
        let wanted: Vec<_> = message.content.iter().filter_map(called).collect();
        let answered: Vec<_> = next.iter().filter_map(answered).collect();
        if answered != wanted {
            return Some(format!("{answered:?} answers {wanted:?} in {conversation:#?}"));
        }
    }
    None
}

fn called(block: &Block) -> Option<&str> {
    match block {
        Block::ToolUse(call) => Some(call.id.as_str()),
        _other => None,
    }
}

fn answered(block: &Block) -> Option<&str> {
    match block {
        Block::ToolResult(result) => Some(result.tool_use_id.as_str()),
        _other => None,
    }
}
