//! The gate on the command line: in which mode it judges, which rules it has besides those of settings, and which feature
//! switches are on.

use std::collections::BTreeSet;

use clap::Args;
use toolwright::permission::{Behavior, Mode, RuleText, Source};
use toolwright::session::SessionBuilder;

#[derive(Args)]
pub(super) struct GateArguments {
    /// The permission mode; what settings choose when left out
    #[arg(long, value_parser = parse_mode)]
    pub(super) mode: Option<Mode>,
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

    /// The session with the feature switches that are on.
    pub(super) fn features(&self, builder: SessionBuilder) -> SessionBuilder {
        self.feature.iter().fold(builder, |builder, feature| builder.feature(feature))
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
