//! The hooks of settings files, in their public format. What cannot be read is a problem with its place, and the rest
//! applies; a handler before calls that cannot be read or run is kept, to ask: it may be there to deny.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};

use super::HookStage;
use super::matcher::Matcher;
use crate::nearest::nearest;

/// The hooks of one settings file.
#[derive(Clone, Debug, Default)]
pub struct HookConfig {
    handlers: Vec<HookHandler>,
}

/// Something in the hooks of a settings file that does not do what its author wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookProblem {
    /// Where it is, as a JSON pointer below the value of `hooks`.
    pub pointer: String,
    /// What is wrong, and what it means for the session.
    pub reason: String,
}

impl fmt::Display for HookProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.pointer, self.reason)
    }
}

/// One handler, with what it waits for.
#[derive(Clone, Debug)]
pub struct HookHandler {
    /// The moment.
    pub stage: HookStage,
    /// What runs.
    pub action: HookAction,
    /// The permission rule that must match the call.
    pub condition: Option<String>,
    /// How long it may take, where it says so.
    pub timeout: Option<Duration>,
    /// What a person reads while it runs.
    pub status: Option<String>,
    pub(super) matcher: Matcher,
}

/// What a handler runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookAction {
    /// A program.
    Command {
        /// The command line, or the program where there are arguments.
        command: String,
        /// The arguments; without them a shell reads the command line.
        args: Option<Vec<String>>,
        /// The shell.
        shell: HookShell,
        /// Whether nobody waits for it.
        is_async: bool,
    },
    /// A request.
    Http {
        /// Where it goes.
        url: String,
        /// Its headers; `$NAME` and `${NAME}` stand for variables of the environment.
        headers: BTreeMap<String, String>,
        /// The variables that headers may name.
        allowed_env: Vec<String>,
    },
    /// Nothing: why it cannot be run. Before a call it asks.
    Unrunnable(String),
}

/// Which shell reads a command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HookShell {
    /// The usual one.
    #[default]
    Bash,
    /// PowerShell.
    PowerShell,
}

impl HookConfig {
    /// What its handlers for the end of a turn wait for in a sub-agent: the end of the agent.
    pub(super) fn of_agent(&mut self) {
        let stops = self.handlers.iter_mut().filter(|handler| handler.stage == HookStage::Stop);
        stops.for_each(|handler| handler.stage = HookStage::SubagentStop);
    }

    /// Reads the value of `hooks`; tells what is wrong with it too.
    #[must_use]
    pub fn from_json(value: &Value) -> (HookConfig, Vec<HookProblem>) {
        let mut reader = Reader::default();
        match value {
            Value::Object(stages) => stages.iter().for_each(|(name, groups)| reader.stage(name, groups)),
            Value::Null => {}
            _other => {
                reader.problem("", "`hooks` is not an object, so every call is asked about");
                reader.unrunnable(HookStage::PreToolUse, Matcher::All, "the hooks cannot be read");
            }
        }
        (HookConfig { handlers: reader.handlers }, reader.problems)
    }

    /// The handlers, in the order of the file; within it, stages are in the order of their names.
    #[must_use]
    pub fn handlers(&self) -> &[HookHandler] {
        &self.handlers
    }
}

#[derive(Default)]
struct Reader {
    handlers: Vec<HookHandler>,
    problems: Vec<HookProblem>,
}

impl Reader {
    fn problem(&mut self, pointer: impl Into<String>, reason: impl Into<String>) {
        self.problems.push(HookProblem { pointer: pointer.into(), reason: reason.into() });
    }

    /// Keeps a handler that cannot be run where it may be there to deny.
    fn unrunnable(&mut self, stage: HookStage, matcher: Matcher, reason: impl Into<String>) {
        if stage == HookStage::PreToolUse {
            let action = HookAction::Unrunnable(reason.into());
            self.handlers.push(HookHandler {
                stage,
                action,
                condition: None,
                timeout: None,
                status: None,
                matcher,
            });
        }
    }

    fn stage(&mut self, name: &str, groups: &Value) {
        let pointer = format!("/{}", escaped(name));
        let Some(stage) = HookStage::named(name) else {
            let near = nearest(name, HookStage::ALL.iter().map(|stage| stage.name()));
            if near == Some(HookStage::PreToolUse.name()) {
                // A guard that never runs because its event is misspelt would be worse than a question too many.
                self.problem(
                    pointer,
                    format!("there is no hook event `{name}`; did you mean `PreToolUse`? Every call is asked about"),
                );
                let reason = format!("the hooks of `{name}` seem to be meant for `PreToolUse`");
                self.unrunnable(HookStage::PreToolUse, Matcher::All, reason);
                return;
            }
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            self.problem(pointer, format!("there is no hook event `{name}`, so its hooks never run{near}"));
            return;
        };
        let Value::Array(groups) = groups else {
            self.problem(pointer, format!("the hooks of `{name}` are not an array{}", asks(stage)));
            self.unrunnable(stage, Matcher::All, format!("the hooks of `{name}` cannot be read"));
            return;
        };
        for (at, group) in groups.iter().enumerate() {
            self.group(stage, &format!("{pointer}/{at}"), group);
        }
    }

    fn group(&mut self, stage: HookStage, pointer: &str, group: &Value) {
        let Value::Object(group) = group else {
            self.problem(pointer, format!("this is not an object with `hooks`{}", asks(stage)));
            self.unrunnable(stage, Matcher::All, "an entry cannot be read");
            return;
        };
        let Some(matcher) = self.matcher(stage, pointer, group.get("matcher")) else { return };
        let Some(Value::Array(handlers)) = group.get("hooks") else {
            self.problem(format!("{pointer}/hooks"), format!("there is no array `hooks`{}", asks(stage)));
            self.unrunnable(stage, matcher, "an entry has no handlers that can be read");
            return;
        };
        for (at, handler) in handlers.iter().enumerate() {
            self.handler(stage, &format!("{pointer}/hooks/{at}"), handler, &matcher);
        }
    }

    /// The matcher of a group; nothing when the group never runs.
    fn matcher(&mut self, stage: HookStage, pointer: &str, matcher: Option<&Value>) -> Option<Matcher> {
        let pointer = format!("{pointer}/matcher");
        let wrong = match matcher {
            None | Some(Value::Null) => return Some(Matcher::All),
            Some(Value::String(text)) => {
                let is_useless = !stage.takes_matcher() && !matches!(text.as_str(), "" | "*");
                if is_useless {
                    self.problem(
                        &pointer,
                        format!("`{}` takes no matcher: its hooks run always", stage.name()),
                    );
                    return Some(Matcher::All);
                }
                match Matcher::new(text) {
                    Ok(matcher) => return Some(matcher),
                    Err(reason) => reason,
                }
            }
            Some(_other) => "the matcher is not a string".to_owned(),
        };
        let is_closed = stage == HookStage::PreToolUse;
        let meaning = if is_closed { "its hooks run for every tool" } else { "its hooks never run" };
        self.problem(&pointer, format!("{wrong}; {meaning}"));
        is_closed.then_some(Matcher::All)
    }

    fn handler(&mut self, stage: HookStage, pointer: &str, handler: &Value, matcher: &Matcher) {
        let Value::Object(fields) = handler else {
            self.problem(pointer, format!("the handler is not an object{}", asks(stage)));
            self.unrunnable(stage, matcher.clone(), "a handler cannot be read");
            return;
        };
        let mut fields = Fields { reader: self, pointer, fields };
        let action = fields.action();
        let timeout = fields.timeout();
        let status = fields.text("statusMessage");
        let condition = fields.text("if");
        fields.once();
        let action = action.unwrap_or_else(|(field, reason)| {
            let place = if field.is_empty() { pointer.to_owned() } else { format!("{pointer}/{field}") };
            self.problem(place, format!("{reason}{}", asks(stage)));
            HookAction::Unrunnable(reason)
        });
        if condition.is_some() && !stage.takes_condition() {
            let reason = format!("`{}` is not about a call, so a handler with `if` never runs", stage.name());
            self.problem(format!("{pointer}/if"), reason);
            return;
        }
        let is_kept = !matches!(action, HookAction::Unrunnable(_)) || stage == HookStage::PreToolUse;
        if is_kept {
            let matcher = matcher.clone();
            self.handlers.push(HookHandler { stage, action, condition, timeout, status, matcher });
        }
    }
}

/// The fields of one handler, and where problems with them go.
struct Fields<'a> {
    reader: &'a mut Reader,
    pointer: &'a str,
    fields: &'a Map<String, Value>,
}

/// A field, and why it cannot be used.
type Unusable = (&'static str, String);

impl Fields<'_> {
    fn action(&mut self) -> Result<HookAction, Unusable> {
        match self.fields.get("type") {
            Some(Value::String(kind)) => match kind.as_str() {
                "command" => self.command(),
                "http" => self.http(),
                "mcp_tool" | "prompt" | "agent" => {
                    Err(("type", format!("handlers of the type `{kind}` cannot be run")))
                }
                other => Err(("type", format!("there is no handler type `{other}`"))),
            },
            Some(_other) => Err(("type", "the handler's type is not a string".to_owned())),
            None => Err(("", "the handler has no `type`".to_owned())),
        }
    }

    fn command(&mut self) -> Result<HookAction, Unusable> {
        let command = self.required("command")?;
        let args = match self.fields.get("args") {
            None | Some(Value::Null) => None,
            Some(args) => {
                Some(strings(args).ok_or(("args", "`args` is not an array of strings".to_owned()))?)
            }
        };
        let shell = match self.fields.get("shell").map(|shell| shell.as_str()) {
            None | Some(Some("bash")) => HookShell::Bash,
            Some(Some("powershell")) => HookShell::PowerShell,
            Some(_other) => return Err(("shell", "`shell` is neither `bash` nor `powershell`".to_owned())),
        };
        let is_async = self.flag("async") | self.flag("asyncRewake");
        Ok(HookAction::Command { command, args, shell, is_async })
    }

    fn http(&mut self) -> Result<HookAction, Unusable> {
        let url = self.required("url")?;
        let mut headers = BTreeMap::new();
        match self.fields.get("headers") {
            None | Some(Value::Null) => {}
            Some(Value::Object(given)) => {
                for (name, value) in given {
                    let Some(value) = value.as_str() else {
                        return Err(("headers", format!("the header `{name}` is not a string")));
                    };
                    headers.insert(name.clone(), value.to_owned());
                }
            }
            Some(_other) => return Err(("headers", "`headers` is not an object".to_owned())),
        }
        let allowed_env = match self.fields.get("allowedEnvVars") {
            None | Some(Value::Null) => Vec::new(),
            Some(names) => strings(names)
                .ok_or(("allowedEnvVars", "`allowedEnvVars` is not an array of strings".to_owned()))?,
        };
        Ok(HookAction::Http { url, headers, allowed_env })
    }

    fn required(&self, name: &'static str) -> Result<String, Unusable> {
        match self.fields.get(name) {
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(text.clone()),
            Some(Value::String(_empty)) => Err((name, format!("`{name}` is empty"))),
            Some(_other) => Err((name, format!("`{name}` is not a string"))),
            None => Err(("", format!("the handler has no `{name}`"))),
        }
    }

    /// A text that may be missing. A condition that is no text is as if it were not there: the handler runs.
    fn text(&mut self, name: &'static str) -> Option<String> {
        match self.fields.get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Null => None,
            _other => {
                self.reader.problem(format!("{}/{name}", self.pointer), format!("`{name}` is not a string"));
                None
            }
        }
    }

    fn flag(&mut self, name: &'static str) -> bool {
        match self.fields.get(name) {
            None | Some(Value::Null) => false,
            Some(Value::Bool(flag)) => *flag,
            Some(_other) => {
                let reason = format!("`{name}` is neither true nor false, so it is false");
                self.reader.problem(format!("{}/{name}", self.pointer), reason);
                false
            }
        }
    }

    /// Only hooks of skills may run once, and these are of settings.
    fn once(&mut self) {
        if self.flag("once") {
            let reason = "`once` is for hooks of skills: this one runs every time";
            self.reader.problem(format!("{}/once", self.pointer), reason);
        }
    }

    fn timeout(&mut self) -> Option<Duration> {
        let given = self.fields.get("timeout").filter(|given| !given.is_null())?;
        let seconds = given.as_f64().filter(|seconds| *seconds > 0.0);
        let timeout = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        if timeout.is_none() {
            let reason = "`timeout` is not a number of seconds above zero, so the usual time applies";
            self.reader.problem(format!("{}/timeout", self.pointer), reason);
        }
        timeout
    }
}

fn strings(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
}

/// What a handler that cannot be run means for calls.
fn asks(stage: HookStage) -> &'static str {
    if stage == HookStage::PreToolUse {
        "; calls that it may be about are asked about"
    } else {
        "; it never runs"
    }
}

/// A name as a piece of a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
