//! `Skill`: puts a skill's text before the model, or has an agent do it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use toolwright::message::Message;
use toolwright::permission::Behavior;
use toolwright::prelude::*;

use super::{Fill, Skill, Skills, run};
use crate::agents::life::{self, Order};
use crate::agents::{AgentOutput, AgentProgress, Agents};
use crate::one_line::one_line;

/// The agent that does a skill that names none.
const AGENT_DEFAULT: &str = "general-purpose";

/// What the tool `Skill` is given.
#[derive(Clone, Debug, Default)]
pub struct SkillState {
    /// The skills.
    pub skills: Skills,
    /// Who does those that an agent does; without, they cannot be used.
    pub agents: Option<Agents>,
    /// What `${NAME}` stands for in their texts, such as `CLAUDE_SESSION_ID`.
    pub variables: BTreeMap<String, String>,
}

/// Uses a skill: instructions for a certain kind of task. Its text comes as a note that you follow; some skills are done
/// by an agent, whose last message comes back. Use a skill as soon as a task is of its kind, and none that is not listed.
#[tool(
    name = "Skill",
    always_load,
    max_result_chars = 32_000,
    state = SkillState,
    progress = AgentProgress,
    search_hint = "use a skill, a slash command"
)]
pub struct UseSkill {
    /// The skill, as it is listed.
    skill: String,
    /// Its arguments.
    args: Option<String>,
    #[tool(inject = |state| state.clone())]
    state: SkillState,
}

/// What became of a skill.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillOutput {
    /// The skill.
    pub command_name: String,
    /// What may be used without a question until the person says something.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_tools: Vec<String>,
    /// What the agent came to that does it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentOutput>,
    /// What the model should know besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

impl Tool for UseSkill {
    type Output = Reply<SkillOutput>;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        let Ok(skill) = self.found() else { return Effects::unknown("there is no such skill") };
        let mut effects = vec![Effect::Name(skill.name.clone())];
        // A rule about the skill alone is about it with arguments too where it closes, and not where it opens.
        if !self.arguments().trim().is_empty() {
            effects.push(Effect::Name(format!("{} {}", skill.name, self.arguments())));
        }
        Effects::Known(effects)
    }

    async fn validate_input(&self, _cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
        let skill = self.found().map_err(InvalidInput::new)?;
        if let Some(why) = &skill.unavailable {
            return Err(InvalidInput::new(format!("the skill `{}` cannot be used: {why}", skill.name)));
        }
        if skill.disable_model_invocation {
            let why = "only a person may use it: tell them how, if it would help";
            return Err(InvalidInput::new(format!("the skill `{}` is not for you: {why}", skill.name)));
        }
        Ok(())
    }

    async fn check_permissions(&self, _cx: &Cx<'_, Self>) -> Opinion {
        match self.found() {
            // A text in the conversation opens nothing.
            Ok(skill) if skill.is_only_text() => Opinion::Allow,
            _more => Opinion::Pass,
        }
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<Reply<SkillOutput>, ToolError> {
        let skill = self.found().map_err(ToolError::new)?;
        let mut output = SkillOutput {
            command_name: skill.name.clone(),
            allowed_tools: Vec::new(),
            agent: None,
            notices: Vec::new(),
        };
        if skill.is_fork {
            return self.fork(cx, skill, output).await;
        }
        self.rules(cx, skill, &mut output)?;
        let text = self.text(cx, skill).await?;
        let message = Message::note(text);
        Ok(Reply::new(output).with_message(message))
    }

    fn prompt(state: &SkillState) -> Cow<'static, str> {
        let docs = &<UseSkill as toolwright::contract::ToolForm>::form().docs;
        Cow::Owned(format!("{docs}\n\nThe skills:\n{}", state.skills.listing()))
    }

    fn result_content(data: &SkillOutput) -> Content {
        let done = match &data.agent {
            Some(agent) => crate::agents::Agent::result_content(agent).to_text(),
            None => format!("the skill `{}` begins: follow the note after this result", data.command_name),
        };
        std::iter::once(done)
            .chain(data.notices.iter().map(|notice| format!("({notice})")))
            .collect::<Vec<_>>()
            .join("\n")
            .into()
    }

    fn description(&self) -> String {
        let arguments = match self.arguments().trim() {
            "" => String::new(),
            given => format!(" {}", one_line(given)),
        };
        let opens = match self.found() {
            Ok(skill) if !skill.allowed_tools.is_empty() && !skill.is_fork => {
                format!(
                    ", which may then use {} without a question",
                    one_line(&skill.allowed_tools.join(", "))
                )
            }
            _other => String::new(),
        };
        format!("Skill {}{arguments}{opens}", one_line(&self.skill))
    }

    fn classifier_input(&self) -> Option<String> {
        Some(format!("use the skill {} {}", self.skill, self.arguments()))
    }
}

impl UseSkill {
    fn found(&self) -> Result<&Skill, String> {
        self.state.skills.find(&self.skill)
    }

    fn arguments(&self) -> &str {
        self.args.as_deref().unwrap_or_default()
    }

    fn fill(&self, cx: &Cx<'_, Self>, skill: &Skill) -> Fill {
        let mut variables = self.state.variables.clone();
        let mut set = |name: &str, place: Option<&std::path::Path>| {
            if let Some(place) = place {
                variables.insert(name.to_owned(), place.display().to_string());
            }
        };
        set("CLAUDE_SKILL_DIR", skill.folder());
        set("CLAUDE_PROJECT_DIR", Some(&cx.context().root));
        Fill { arguments: self.arguments().to_owned(), names: skill.arguments.clone(), variables }
    }

    /// Puts in force what the skill opens and closes. What it closes must be; what it opens is told where it is not.
    fn rules(&self, cx: &Cx<'_, Self>, skill: &Skill, output: &mut SkillOutput) -> Result<(), ToolError> {
        let fill = Fill { arguments: String::new(), names: Vec::new(), ..self.fill(cx, skill) };
        let rule = |entry: &String| fill_places(&fill, entry);
        if !skill.disallowed_tools.is_empty() {
            let denied = skill.disallowed_tools.iter().map(|entry| (Behavior::Deny, rule(entry)));
            cx.rules_until_next_prompt(denied).map_err(|why| {
                ToolError::new(format!(
                    "the skill `{}` forbids tools, which cannot be done: {why}",
                    skill.name
                ))
            })?;
        }
        for entry in &skill.allowed_tools {
            let entry = rule(entry);
            match cx.rules_until_next_prompt([(Behavior::Allow, entry.clone())]) {
                Ok(()) => output.allowed_tools.push(entry),
                Err(why) => output.notices.push(format!("`{entry}` asks as before: {why}")),
            }
        }
        Ok(())
    }

    /// The text of the skill, with the output of its commands.
    async fn text(&self, cx: &Cx<'_, Self>, skill: &Skill) -> Result<String, ToolError> {
        let text = run::filled(cx, skill, &self.fill(cx, skill)).await?;
        Ok(match skill.folder() {
            Some(folder) => {
                format!("the skill `{}`, whose files are in `{}`:\n\n{text}", skill.name, folder.display())
            }
            None => format!("the skill `{}`:\n\n{text}", skill.name),
        })
    }

    /// Has an agent do it. Its rules are those of this session: what the skill would open asks as before.
    async fn fork(
        &self,
        cx: &Cx<'_, Self>,
        skill: &Skill,
        mut output: SkillOutput,
    ) -> Result<Reply<SkillOutput>, ToolError> {
        let Some(agents) = &self.state.agents else {
            return Err(ToolError::new(format!(
                "the skill `{}` is for an agent, and there are none",
                skill.name
            )));
        };
        let agent = agents.find(skill.agent.as_deref().unwrap_or(AGENT_DEFAULT)).map_err(ToolError::new)?;
        if let Some(part) = skill.disallowed_tools.iter().find(|entry| entry.contains('(')) {
            return Err(ToolError::new(format!(
                "the skill `{}` forbids `{part}`, and an agent can only go without a tool as a whole",
                skill.name
            )));
        }
        if !skill.allowed_tools.is_empty() {
            output
                .notices
                .push("an agent does it, so what it may use without a question asks as before".to_owned());
        }
        let order = Order {
            agent,
            description: format!("skill {}", skill.name),
            prompt: self.text(cx, skill).await?,
            model: skill.model.clone(),
            name: None,
            in_background: skill.background,
            isolation: None,
            without: skill.disallowed_tools.clone(),
        };
        let (life, hold) = life::start(cx, agents, &order).await.map_err(ToolError::new)?;
        output.agent = Some(if order.in_background {
            let launched = AgentOutput::AsyncLaunched {
                agent_id: life.id.clone(),
                description: order.description.clone(),
                prompt: order.prompt.clone(),
            };
            life::let_run(agents, life, hold, order.prompt);
            launched
        } else {
            AgentOutput::completed(
                life::wait_for(agents, &life, hold, order.prompt).await.map_err(ToolError::new)?,
            )
        });
        Ok(Reply::new(output))
    }
}

/// A rule with the places in it filled in. A place with brackets in it would end the rule early, so it is escaped.
fn fill_places(fill: &Fill, entry: &str) -> String {
    let escape = |value: &String| value.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
    let variables = fill.variables.iter().map(|(name, value)| (name.clone(), escape(value))).collect();
    Fill { variables, ..Fill::default() }.places(entry)
}
