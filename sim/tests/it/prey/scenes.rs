//! The sessions themselves, each of at most three calls.

use std::sync::{Arc, Mutex};

use toolwright::Mutant;
use toolwright::env::{Access, Cancellation, Env, Object, TaskName};
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::Mode;
use toolwright::prelude::*;
use toolwright::registry::{Catalogue, Deferral, LoadMode};
use toolwright::session::{Session, SessionBuilder};
use toolwright_sim::explore::Scene;
use toolwright_tools::ToolSearch;

use super::checks::{MODE_ABOVE, say};
use super::{Act, Acts, Caller, Crowd, Person, crowd, rewriter, rival};
use crate::world::{Work, ms};

/// How long a switch of the mode, or an abort, waits at the most, in steps of a few milliseconds.
const STEPS: usize = 6;
const STEP_MS: u64 = 4;

/// What a scene has beside its calls.
#[derive(Clone, Copy)]
struct Parts {
    rewrites: &'static [(&'static str, Acts)],
    to: Acts,
    thinks_ms: u64,
    mode: Mode,
}

const PARTS: Parts = Parts { rewrites: &[], to: Acts::ALONE, thinks_ms: STEP_MS, mode: Mode::Default };

fn with_bug(env: Env, mutant: Option<Mutant>) -> Env {
    match mutant {
        Some(mutant) => env.with_mutant(mutant),
        None => env,
    }
}

fn builder(env: Env, woken: &Crowd, mutant: Option<Mutant>, parts: Parts) -> SessionBuilder {
    let env = with_bug(env, mutant);
    let Parts { rewrites, to, thinks_ms, mode } = parts;
    let mut catalogue = Catalogue::new();
    catalogue.add_with::<Act>(Arc::clone(woken)).add::<Work>();
    let (own, person) = (env.clone(), env.clone());
    Session::builder(env, catalogue)
        .mode(mode)
        .hook(rewriter(own, Arc::clone(woken), to, thinks_ms))
        .prompter(Person { env: person, crowd: Arc::clone(woken), rewrites, thinks_ms })
}

/// Changes the mode some time from now, and says so.
fn switch_later(env: &Env, session: &Arc<Session>, to: Mode) {
    let (own, session) = (env.clone(), Arc::downgrade(session));
    drop(env.spawn(TaskName { kind: "switch", index: 0 }, async move {
        own.sleep(ms(own.choose("switch", STEPS) as u64 * STEP_MS)).await;
        own.point(Object::Stop, Access::Write).await;
        if let Some(session) = session.upgrade() {
            session.change(|context| context.mode = to);
            say(session.env(), MODE_ABOVE, None, to.to_string());
        }
    }));
}

fn abort_later(env: &Env, session: &Arc<Session>) {
    let (own, session) = (env.clone(), Arc::downgrade(session));
    drop(env.spawn(TaskName { kind: "abort", index: 0 }, async move {
        own.sleep(ms(own.choose("abort", STEPS) as u64 * STEP_MS)).await;
        own.point(Object::Stop, Access::Write).await;
        if let Some(session) = session.upgrade() {
            session.abort();
        }
    }));
}

fn calls(acts: &[(&str, Acts)]) -> Vec<ToolUse> {
    let call = |(index, (kind, acts)): (usize, &(&str, Acts))| acts.call(format!("{kind}{index}"));
    acts.iter().enumerate().map(call).collect()
}

/// A turn beside a crowd that does much at one instant, whenever a hook, a person or a body has done its part.
fn crowded(name: &str, acts: &'static [(&str, Acts)], mutant: Option<Mutant>) -> Scene {
    let parts = Parts { thinks_ms: 0, ..PARTS };
    let woken: Arc<Mutex<Crowd>> = Arc::default();
    let given = Arc::clone(&woken);
    let build = move |env| {
        // Each run has a crowd of its own.
        let own = Crowd::default();
        *given.lock().expect("nobody panics") = Arc::clone(&own);
        builder(env, &own, mutant, parts)
    };
    Scene::driven(format!("crowded {name}"), build, move |_env, session| {
        let woken = Arc::clone(&woken.lock().expect("nobody panics"));
        Box::pin(async move {
            let env = session.env().clone();
            drop(env.spawn(TaskName { kind: "crowd", index: 0 }, crowd(env.clone(), woken)));
            session.run_turn(Turn::new(calls(acts))).await;
        })
    })
}

/// A turn in which the mode changes.
fn switched(
    name: &str,
    acts: &'static [(&str, Acts)],
    (from, to): (Mode, Mode),
    mutant: Option<Mutant>,
) -> Scene {
    let rewrites: &[(&str, Acts)] = &[("longer", Acts { ms: 11, ..Acts::ASKED })];
    let parts = Parts { mode: from, rewrites, ..PARTS };
    let build = move |env: Env| builder(env.clone(), &Crowd::default(), mutant, parts).hook(rival(env));
    Scene::driven(format!("switched {name}"), build, move |env, session| {
        Box::pin(async move {
            switch_later(&env, &session, to);
            session.run_turn(Turn::new(calls(acts))).await;
        })
    })
}

/// Two messages of a model, between which the mode changes or the turn is aborted.
fn listed(name: &str, is_aborted: bool, mutant: Option<Mutant>) -> Scene {
    let build = move |env| builder(env, &Crowd::default(), mutant, PARTS);
    Scene::driven(format!("listed {name}"), build, move |env, session| {
        Box::pin(async move {
            let messages = [calls(&[("first", Acts::SAFE)]), calls(&[("second", Acts::SAFE)])];
            let model = Caller { env: session.env().clone(), messages: Mutex::new(messages.to_vec()) };
            if is_aborted {
                abort_later(&env, &session);
            } else {
                switch_later(&env, &session, Mode::Plan);
            }
            drop(session.step(&model).await);
            drop(session.step(&model).await);
        })
    })
}

/// A session within another, whose mode is narrowed meanwhile.
fn narrowed(mutant: Option<Mutant>) -> Scene {
    let parts = Parts { mode: Mode::BypassPermissions, ..PARTS };
    let build = move |env| builder(env, &Crowd::default(), mutant, parts);
    Scene::driven("narrowed", build, |env, session| {
        Box::pin(async move {
            say(session.env(), MODE_ABOVE, None, Mode::BypassPermissions.to_string());
            let child = session.child("a", "helper", Cancellation::new()).build();
            switch_later(&env, &session, Mode::Default);
            let acts = [("childalone", Acts::ALONE), ("child", Acts { safe: false, ..Acts::ASKED })];
            child.run_turn(Turn::new(calls(&acts))).await;
        })
    })
}

/// Two sessions within another, each of which wants more than the one above may.
fn wanting(mutant: Option<Mutant>) -> Scene {
    let build = move |env| builder(env, &Crowd::default(), mutant, PARTS);
    Scene::driven("wanting", build, |_env, session| {
        Box::pin(async move {
            say(session.env(), MODE_ABOVE, None, Mode::Default.to_string());
            for agent in ["a", "b"] {
                let child = session.child(agent, "helper", Cancellation::new());
                let child = child.mode(Mode::BypassPermissions).build();
                child.run_turn(Turn::new(vec![Acts::ASKED.call(format!("child{agent}"))])).await;
            }
        })
    })
}

/// Says that it ran.
#[tool(should_defer, read_only, concurrency_safe, default_permission = allow)]
struct Near {}

/// Says that it ran.
#[tool(should_defer, read_only, concurrency_safe, default_permission = allow)]
struct Far {}

macro_rules! says_that_it_ran {
    ($($tool:ty),*) => {$(
        impl Tool for $tool {
            type Output = &'static str;

            async fn call(&self, _cx: &Cx<'_, Self>) -> Result<&'static str, ToolError> {
                Ok("it ran")
            }
        }
    )*};
}

says_that_it_ran!(Near, Far);

/// Two calls of a tool that is deferred, beside another that was loaded.
fn unloaded(mutant: Option<Mutant>) -> Scene {
    let turn = Turn::new(["far", "again"].map(|id| ToolUse::new(id, "Far", "{}")).into());
    Scene::turns("unloaded", [turn], move |env| {
        let env = with_bug(env, mutant);
        let mut catalogue = Catalogue::new();
        catalogue.add::<Near>().add::<Far>().add::<ToolSearch>();
        Session::builder(env, catalogue)
            .deferral(Deferral { mode: LoadMode::Deferred, ..Deferral::default() })
            .loaded(["Near"])
    })
}

/// Every scene, with a bug put in or none.
pub(crate) fn scenes(mutant: Option<Mutant>) -> Vec<Scene> {
    let (default, bypass) = (Mode::Default, Mode::BypassPermissions);
    vec![
        crowded("question", &[("asked", Acts { ms: 20, ..Acts::ASKED }), ("safe", Acts::SAFE)], mutant),
        crowded("rewrite", &[("safe", Acts::SAFE), ("rewritten", Acts::SAFE)], mutant),
        switched(
            "rewrites",
            &[("safe", Acts { ms: 2, ..Acts::SAFE }), ("rewritten", Acts::SAFE), ("safe", Acts::SAFE)],
            (default, Mode::AcceptEdits),
            mutant,
        ),
        switched(
            "questions",
            &[("harmless", Acts::ASKED), ("longer", Acts::ASKED), ("asked", Acts { ms: 1, ..Acts::ASKED })],
            (default, bypass),
            mutant,
        ),
        switched(
            "deadly",
            &[("alone", Acts::ALONE), ("deadly", Acts::DEADLY), ("rewritten", Acts::ASKED)],
            (default, bypass),
            mutant,
        ),
        rewritten_questions(mutant),
        listed("aborted", true, mutant),
        listed("planning", false, mutant),
        narrowed(mutant),
        wanting(mutant),
        unloaded(mutant),
    ]
}

/// A question about a call that a hook has rewritten.
fn rewritten_questions(mutant: Option<Mutant>) -> Scene {
    let parts = Parts { to: Acts { asks: true, ms: 12, ..Acts::ALONE }, ..PARTS };
    let build = move |env| builder(env, &Crowd::default(), mutant, parts);
    Scene::driven("rewritten questions", build, |env, session| {
        Box::pin(async move {
            abort_later(&env, &session);
            session.run_turn(Turn::new(calls(&[("rewritten", Acts::ASKED), ("safe", Acts::SAFE)]))).await;
        })
    })
}
