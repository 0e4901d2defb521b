//! Entering and leaving plan mode, and the model that plans where the context is large.

use std::sync::{Arc, Mutex};

use toolwright::contract::Context;
use toolwright::permission::{Mode, PLAN_MODEL_DEFAULT, PLAN_TOKENS_MAX, enter_plan, leave_plan};
use toolwright::prelude::*;
use toolwright::query::{Budget, End, Model, ModelEvent, ModelStream, Request, Scripted, Usage};
use toolwright::registry::Catalogue;
use toolwright::session::Session;

#[test]
fn a_large_context_switches_the_model_until_planning_ends() {
    for (tokens, switches) in [
        (None, false),
        (Some(0), false),
        (Some(PLAN_TOKENS_MAX), false),
        (Some(PLAN_TOKENS_MAX + 1), true),
        (Some(u64::MAX), true),
    ] {
        for mode in [Mode::Default, Mode::AcceptEdits, Mode::Auto, Mode::BypassPermissions] {
            for model in [None, Some("large".to_owned())] {
                let mut context = Context { mode, model: model.clone(), ..Context::new("/w") };
                let before = context.clone();
                enter_plan(tokens, PLAN_MODEL_DEFAULT)(&mut context);
                assert_eq!(context.mode, Mode::Plan);
                let expected = if switches { Some(PLAN_MODEL_DEFAULT.to_owned()) } else { model.clone() };
                assert_eq!(context.model, expected, "{tokens:?} {mode}");
                let once = context.clone();
                enter_plan(Some(u64::MAX), "other")(&mut context);
                assert_eq!(context, once, "who plans already begins nothing");
                leave_plan(&mut context);
                assert_eq!(context, before);
                leave_plan(&mut context);
                assert_eq!(context, before);
            }
        }
    }
    let mut context = Context { mode: Mode::Plan, ..Context::new("/w") };
    leave_plan(&mut context);
    assert_eq!(context.mode, Mode::Default, "a session that began with planning");
    let mut context = Context::new("/w");
    enter_plan(Some(u64::MAX), "small")(&mut context);
    context.mode = Mode::DontAsk;
    leave_plan(&mut context);
    assert_eq!(context.mode, Mode::DontAsk, "somebody changed the mode since");
}

/// Begins to plan.
#[tool(default_permission = allow)]
struct EnterPlan {}

impl Tool for EnterPlan {
    type Output = Reply<String>;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<Reply<String>, ToolError> {
        let tokens = cx.context_tokens();
        Ok(Reply::new(format!("{tokens:?}")).with_context_change(enter_plan(tokens, "small")))
    }
}

struct Watched(Scripted, Arc<Mutex<Vec<Option<String>>>>);

impl Model for Watched {
    fn respond(&self, request: Request) -> ModelStream {
        self.1.lock().expect("nothing panics while it is held").push(request.model.clone());
        self.0.respond(request)
    }
}

#[tokio::test]
async fn the_tokens_of_the_message_that_enters_count() {
    for (input, cached, output, model) in
        [(1_000, 0, 0, "large"), (100_000, 90_000, 10_000, "large"), (100_000, 90_000, 10_001, "small")]
    {
        let env = Env::tokio().expect("tests run on tokio");
        let mut catalogue = Catalogue::new();
        catalogue.add::<EnterPlan>();
        let context = Context { model: Some("large".to_owned()), ..Context::new("/w") };
        let session = Session::builder(env, catalogue).context(context).build();
        let usage = |input, cache_read, output| Usage { input, cache_read, output, ..Usage::default() };
        let call = ToolUse::new("a", "EnterPlan", "{}");
        let answers = [
            // A later word replaces an earlier one. What is said behind the call comes too late: it runs already.
            vec![
                ModelEvent::Usage(usage(999_999, 0, 0)),
                ModelEvent::Usage(usage(input, cached, output)),
                ModelEvent::call(0, call),
                ModelEvent::Usage(usage(0, 0, 0)),
            ],
            vec![ModelEvent::text(0, "planned")],
        ];
        let asked: Arc<Mutex<Vec<Option<String>>>> = Arc::default();
        let watched = Watched(Scripted::new(answers), Arc::clone(&asked));
        let end = session.run(&watched, "plan it", Budget::default()).await;
        assert_eq!(end, End::Answered("planned".to_owned()));
        let asked = asked.lock().expect("nothing panics while it is held");
        assert_eq!(*asked, [Some("large".to_owned()), Some(model.to_owned())]);
        assert_eq!(session.context().mode, Mode::Plan);
    }
}
