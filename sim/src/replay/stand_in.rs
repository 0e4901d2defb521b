//! Stand-ins for tools that a recording names and the catalogue does not have. Everything about them is closed.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::contract::{
    CallContext, Effects, EffectsContext, ErasedCall, ErasedOutput, ErasedTool, Flags, Form, InvalidInput,
    Opinion, Origin, Parsed, SessionFacts, ToolError,
};
use toolwright::env::BoxFuture;
use toolwright::message::RawInput;
use toolwright::permission::Permit;
use toolwright::schema::{InputErrors, Problem, Schema};

/// A tool that is known by its name alone: not safe beside others, not read-only, effects unknown.
pub(super) struct StandIn {
    form: Form,
}

impl StandIn {
    pub(super) fn new(name: &str) -> StandIn {
        StandIn { form: Form::closed(Cow::Owned(name.to_owned())) }
    }
}

impl ErasedTool for StandIn {
    fn form(&self) -> &Form {
        &self.form
    }

    fn prompt(&self) -> String {
        "A tool that this program knows only from a recording.".to_owned()
    }

    fn is_enabled(&self, _session: &SessionFacts) -> bool {
        true
    }

    fn input_schema(&self, _session: &SessionFacts) -> Schema {
        Schema::new(json!({"type": "object"}))
    }

    /// Any JSON object will do; its schema was not recorded.
    fn parse(&self, input: &RawInput, _origin: Origin, _schema: &Schema) -> Result<Parsed, InputErrors> {
        let text = input.as_str();
        let problem = |received: String, hint: &str| {
            let hint = Some(hint.to_owned());
            let problem =
                Problem { path: String::new(), expected: "a JSON object".to_owned(), received, hint };
            InputErrors::new(vec![problem], &json!({"type": "object"}))
        };
        match serde_json::from_str::<Value>(text) {
            Ok(Value::Object(_)) => {
                let call = StandInCall { name: self.form.name.clone().into_owned(), input: input.clone() };
                Ok(Parsed::as_given(Box::new(call)))
            }
            Ok(_other) => Err(problem("another kind of JSON".to_owned(), "send one JSON object")),
            Err(error) => {
                Err(problem(format!("text that is not valid JSON ({error})"), "send one JSON object"))
            }
        }
    }
}

/// The arguments that say most of what a call is about, the best first.
const TELLING: &[&str] = &[
    "command",
    "file_path",
    "notebook_path",
    "pattern",
    "url",
    "query",
    "subject",
    "description",
    "skill",
    "task_id",
    "taskId",
    "title",
    "prompt",
    "message",
];

struct StandInCall {
    name: String,
    input: RawInput,
}

impl ErasedCall for StandInCall {
    fn flags(&self) -> Flags {
        Flags::default()
    }

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::unknown("the tool is known only from a recording")
    }

    fn validate<'a>(&'a self, _cx: &'a CallContext) -> BoxFuture<'a, Result<(), InvalidInput>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn check_permissions<'a>(&'a self, _cx: &'a CallContext) -> BoxFuture<'a, Opinion> {
        Box::pin(std::future::ready(Opinion::Pass))
    }

    fn description(&self) -> String {
        let value: Value = serde_json::from_str(self.input.as_str()).unwrap_or_default();
        let text = TELLING.iter().find_map(|field| value.get(field)?.as_str());
        text.and_then(|text| text.lines().next()).unwrap_or(&self.name).to_owned()
    }

    fn user_facing_name(&self) -> String {
        self.name.clone()
    }

    fn classifier_input(&self) -> Option<String> {
        None
    }

    fn call(
        self: Box<Self>,
        _permit: Permit,
        _cx: Arc<CallContext>,
    ) -> BoxFuture<'static, Result<Box<dyn ErasedOutput>, ToolError>> {
        let error =
            ToolError::new(format!("`{}` is only a stand-in for a recorded tool and cannot run", self.name));
        Box::pin(std::future::ready(Err(error)))
    }
}
