//! Rules that were granted with an answer: put in force, and kept where they are to be kept.

use std::sync::Arc;

use super::run::{Running, Services};
use crate::env::{Access, Object};
use crate::event::Event;
use crate::hooks::wire::{PermissionUpdate, RuleValue};
use crate::permission::{Behavior, Destination, Grant, Remember, RuleText, Source, Why};

/// How many rules one answer may grant.
const GRANTS_MAX: usize = 50;

impl Running<'_> {
    /// Puts granted rules in force from now on. A question that is asked each time grants nothing.
    pub(super) async fn keep_rules(&self, grants: &[Grant], why: Option<Why>) {
        for (index, grant) in grants.iter().enumerate() {
            let refused = if self.services.only_managed_rules {
                Some("managed settings allow no rules but their own, so the yes counts once".to_owned())
            } else if !why.is_some_and(Why::may_last) {
                Some("no rule can answer this question, so the yes counts once".to_owned())
            } else if index >= GRANTS_MAX {
                Some(format!("one answer grants {GRANTS_MAX} rules at the most"))
            } else {
                self.grant(grant).await
            };
            if let Some(reason) = refused {
                self.services.env.emit(|| Event::NotRemembered {
                    call: self.cx.call.clone(),
                    rule: grant.rule.clone(),
                    reason,
                });
            }
        }
    }

    /// Puts one rule in force; says what of it was refused.
    async fn grant(&self, grant: &Grant) -> Option<String> {
        let services = self.services;
        let kept = match (grant.destination, &services.remember) {
            (Destination::Session, _) => Ok(()),
            (_, None) => Err("nobody is there to keep it".to_owned()),
            (_, Some(remember)) => self.remembered(Arc::clone(remember), grant).await,
        };
        let destination = if kept.is_ok() { grant.destination } else { Destination::Session };
        services.env.point(Object::Context, Access::Write).await;
        let rule = RuleText::new(grant.behavior, destination.source(), grant.rule.clone());
        if let Err(problem) = services.rules.add(&rule, services.files.as_ref()) {
            return Some(problem.to_string());
        }
        services.env.emit(|| Event::Remembered {
            call: self.cx.call.clone(),
            rule: grant.rule.clone(),
            behavior: grant.behavior,
            destination,
        });
        kept.err().map(|reason| format!("{reason}; it counts in this session and no longer"))
    }

    async fn remembered(&self, remember: Arc<dyn Remember>, grant: &Grant) -> Result<(), String> {
        let grant = grant.clone();
        let kept = self.services.env.blocking(move || remember.remember(&grant)).await;
        kept.map_err(|end| end.to_string())?.map_err(|error| error.to_string())
    }
}

impl Services {
    /// Puts rules in force until the person says something.
    ///
    /// # Errors
    /// In words: why none of them is.
    pub(crate) fn add_span(&self, rules: impl IntoIterator<Item = (Behavior, String)>) -> Result<(), String> {
        let text = |(behavior, rule)| RuleText::new(behavior, Source::Command, rule);
        let rules: Vec<RuleText> = rules.into_iter().map(text).collect();
        if self.only_managed_rules && rules.iter().any(|rule| rule.behavior == Behavior::Allow) {
            return Err("managed settings allow no rules but their own".to_owned());
        }
        if rules.len() > GRANTS_MAX {
            return Err(format!("{GRANTS_MAX} rules at the most may be added at once"));
        }
        self.rules.add_span(&rules, self.files.as_ref()).map_err(|problem| problem.to_string())
    }
}

/// Takes the rules that a hook's answer adds out of the changes that it brings.
pub(super) fn take_grants(updates: &mut Vec<PermissionUpdate>) -> Vec<Grant> {
    let (added, rest): (Vec<_>, Vec<_>) = std::mem::take(updates)
        .into_iter()
        .partition(|update| matches!(update, PermissionUpdate::AddRules { .. }));
    *updates = rest;
    let grants = added.into_iter().flat_map(|update| match update {
        PermissionUpdate::AddRules { rules, behavior, destination } => {
            let grant = |rule: RuleValue| Grant { behavior: behavior.into(), rule: rule.text(), destination };
            rules.into_iter().map(grant).collect()
        }
        PermissionUpdate::ReplaceRules { .. }
        | PermissionUpdate::RemoveRules { .. }
        | PermissionUpdate::SetMode { .. }
        | PermissionUpdate::AddDirectories { .. }
        | PermissionUpdate::RemoveDirectories { .. } => Vec::new(),
    });
    grants.collect()
}
