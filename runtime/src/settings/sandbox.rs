//! The sandbox of a session: what settings say of it, joined with the rules that close. What no sandbox here can do is
//! told, and closed.

use std::path::{Path, PathBuf};

use super::Settings;
use crate::contract::{Context, SandboxPolicy, absolute};
use crate::permission::{Behavior, RuleText};

impl Settings {
    /// The sandbox, where there is to be one, and what of the settings it cannot do, a sentence each.
    pub(super) fn sandbox_of(
        &self,
        context: &Context,
        rules: &[RuleText],
    ) -> Option<(SandboxPolicy, Vec<String>)> {
        let said = &self.sandbox;
        if said.enabled != Some(true) {
            return None;
        }
        let mut unmet = Vec::new();
        let mut places = |key: &str, texts: &[String], anchor: &dyn Fn(&str) -> PathBuf| -> Vec<PathBuf> {
            let place = |text: &String| {
                let found = place(text, anchor);
                if found.is_none() {
                    unmet.push(format!("`{text}` in {key} is not held by the sandbox: it takes no wildcards but `/**` at the end"));
                }
                found
            };
            texts.iter().filter_map(place).collect()
        };
        let of_settings = |text: &str| absolute(&context.root, context.home.as_deref(), Path::new(text));
        let files = &said.filesystem;
        let mut policy = SandboxPolicy {
            is_required: said.fail_if_unavailable == Some(true),
            is_answer: said.auto_allow_bash_if_sandboxed != Some(false),
            may_be_left: said.allow_unsandboxed_commands != Some(false),
            excluded: said.excluded_commands.clone(),
            writable: places("sandbox.filesystem.allowWrite", &files.allow_write, &of_settings),
            unwritable: places("sandbox.filesystem.denyWrite", &files.deny_write, &of_settings),
            unreadable: places("sandbox.filesystem.denyRead", &files.deny_read, &of_settings),
            readable: places("sandbox.filesystem.allowRead", &files.allow_read, &of_settings),
            network: false,
        };
        let mut names = Vec::new();
        for rule in rules.iter().filter(|rule| rule.behavior == Behavior::Deny) {
            let anchor = |text: &str| anchored(text, rule, context);
            for (tool, closes_reading) in [("Read", true), ("Edit", false)] {
                let Some(content) = rule.content_for(tool) else { continue };
                if !content.contains(['/', '~', '*', '?', '[']) {
                    names.push(content.clone());
                }
                let closed = places("the deny rules", &[content], &anchor);
                if closes_reading {
                    policy.unreadable.extend(closed.iter().cloned());
                }
                policy.unwritable.extend(closed);
            }
        }
        let of_name = |name| {
            format!(
                "`{name}` in the deny rules is held by the sandbox in the session's own folder, and by the rules below it"
            )
        };
        unmet.extend(names.into_iter().map(of_name));
        policy.network = self.network_of(rules, &mut unmet);
        if said.credentials.is_some() {
            unmet.push("sandbox.credentials has no effect: what commands must not read, say in sandbox.filesystem.denyRead".to_owned());
        }
        Some((policy, unmet))
    }

    /// Whether commands use the network: hosts cannot be told apart, so it is open wholly or not at all.
    fn network_of(&self, rules: &[RuleText], unmet: &mut Vec<String>) -> bool {
        let said = &self.sandbox.network;
        let is_denied =
            |rule: &RuleText| rule.behavior == Behavior::Deny && rule.content_for("WebFetch").is_some();
        let is_whole = said.allowed_domains.iter().any(|domain| domain == "*");
        let closes = !said.denied_domains.is_empty() || rules.iter().any(is_denied);
        if !said.allowed_domains.is_empty() && (!is_whole || closes) {
            unmet.push(
                "the network stays closed to commands, since the sandbox cannot tell hosts apart: `*` as the only word \
                 on domains opens it"
                    .to_owned(),
            );
        }
        if said.http_proxy_port.is_some() {
            unmet
                .push("sandbox.network.httpProxyPort has no effect: commands go through no proxy".to_owned());
        }
        if !said.allow_unix_sockets.is_empty() {
            unmet.push(
                "sandbox.network.allowUnixSockets has no effect: sockets cannot be told apart, so none is open"
                    .to_owned(),
            );
        }
        is_whole && !closes
    }
}

/// The place that a text names, where that is one file or everything in one folder.
fn place(text: &str, anchor: &dyn Fn(&str) -> PathBuf) -> Option<PathBuf> {
    let whole = text.trim();
    let bare = ["/**", "/*", "/"].iter().find_map(|end| whole.strip_suffix(end)).unwrap_or(whole);
    let is_plain = !bare.is_empty() && !bare.contains(['*', '?', '[']);
    let bare = bare.strip_prefix('/').filter(|rest| rest.starts_with('/')).unwrap_or(bare);
    is_plain.then(|| anchor(bare))
}

/// The place that the path of a rule means: `/x` hangs on the rule's own folder, `//x` on the root.
fn anchored(text: &str, rule: &RuleText, context: &Context) -> PathBuf {
    let is_rooted = rule.text.contains("(//");
    let folder = rule.folder.as_deref().unwrap_or(&context.root);
    match text.strip_prefix('/') {
        Some(below) if !is_rooted => folder.join(below),
        Some(_) | None => absolute(&context.root, context.home.as_deref(), Path::new(text)),
    }
}
