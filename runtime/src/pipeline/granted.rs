//! Rules that were granted with an answer: put in force, and kept where they are to be kept.

use std::sync::Arc;

use super::run::Running;
use crate::event::Event;
use crate::permission::{Destination, Grant, Remember, RuleText, Why};

/// How many rules one answer may grant.
const GRANTS_MAX: usize = 50;

impl Running<'_> {
    /// Puts granted rules in force from now on. A question that is asked each time grants nothing.
    pub(super) async fn keep(&self, grants: &[Grant], why: Option<Why>) {
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
