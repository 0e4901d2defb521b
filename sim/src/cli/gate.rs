//! The gate on the command line: in which mode it judges, which rules it has besides those of settings, which feature
//! switches are on, and the session that every command begins with.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use toolwright::contract::Context;
use toolwright::env::Env;
use toolwright::permission::{Behavior, Mode, RuleProblem, RuleText, Source};
use toolwright::registry::Catalogue;
use toolwright::session::{Session, SessionBuilder};
use toolwright::settings::Settings;

use super::output::complain;
use super::settings::{SettingsArguments, home, tell};

#[derive(Args)]
pub(super) struct GateArguments {
    /// The permission mode; what settings choose when left out
    #[arg(long, value_parser = parse_mode)]
    mode: Option<Mode>,
    /// A rule that allows, such as `Bash(git log:*)`; may be given again
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,
    /// A rule that asks; may be given again
    #[arg(long, value_name = "RULE")]
    ask: Vec<String>,
    /// A rule that denies; may be given again
    #[arg(long, value_name = "RULE")]
    deny: Vec<String>,
    /// A feature switch that is on, such as `monitor` or `repl`; may be given again
    #[arg(long, value_name = "NAME")]
    feature: Vec<String>,
}

fn parse_mode(text: &str) -> Result<Mode, String> {
    text.parse::<Mode>().map_err(|unknown| unknown.to_string())
}

impl GateArguments {
    /// The feature switches that are on.
    pub(super) fn feature_names(&self) -> BTreeSet<String> {
        self.feature.iter().cloned().collect()
    }

    /// A session as the command line asks for it. Who is asked in it, and what runs beside it, is for the command to say.
    pub(super) fn session(
        &self,
        env: Env,
        catalogue: Catalogue,
        cwd: PathBuf,
        arguments: &SettingsArguments,
        settings: &Settings,
    ) -> SessionBuilder {
        let builder = Session::builder(env, catalogue)
            .context(Context { home: home(), ..Context::new(cwd) })
            .settings(settings.clone())
            .profile(arguments.profile())
            .rules(self.rules());
        let builder = self.feature.iter().fold(builder, |builder, feature| builder.feature(feature));
        match self.mode {
            Some(mode) => builder.mode(mode),
            None => builder,
        }
    }

    /// The rules that were given.
    pub(super) fn rules(&self) -> Vec<RuleText> {
        let all = [(Behavior::Allow, &self.allow), (Behavior::Ask, &self.ask), (Behavior::Deny, &self.deny)];
        let rules = all.into_iter().flat_map(|(behavior, rules)| {
            rules.iter().map(move |rule| RuleText::new(behavior, Source::CliArg, rule.clone()))
        });
        rules.collect()
    }
}

/// Says on standard error what is wrong with a session's settings, and with the rules of the command line.
pub(super) fn tell_problems(session: &Session, settings: &Settings) {
    session.settings_problems().iter().for_each(|problem| tell(problem, settings));
    of_options(session, settings).iter().for_each(|problem| complain(&problem.to_string()));
}

/// What is wrong with the rules that the command line gives by itself, outside of settings.
pub(super) fn of_options<'s>(session: &'s Session, settings: &Settings) -> Vec<&'s RuleProblem> {
    // Settings of the command line have told of theirs, each at its place.
    let told = settings.rules.iter().map(|rule| &rule.rule).filter(|rule| rule.source == Source::CliArg);
    let told: BTreeSet<(Behavior, &str)> = told.map(|rule| (rule.behavior, rule.text.trim())).collect();
    let given = session.rule_problems().iter().filter(|problem| {
        problem.source == Source::CliArg && !told.contains(&(problem.behavior, problem.rule.trim()))
    });
    given.collect()
}
