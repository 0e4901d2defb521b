//! The keys of settings files: their shapes, and whether what they say opens or closes.

/// What a value must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Bool,
    Number,
    /// An array of strings.
    Texts,
    Any,
}

/// Whether a value lets anything happen that would not happen without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opens {
    /// It may.
    Always,
    /// It only closes.
    Never,
    /// It closes when it is this, and opens otherwise.
    Unless(bool),
}

/// One key that is read by its shape alone.
#[derive(Debug)]
pub(super) struct Key {
    /// The names that lead to it.
    pub(super) path: &'static [&'static str],
    pub(super) shape: Shape,
    pub(super) opens: Opens,
}

const fn key(path: &'static [&'static str], shape: Shape, opens: Opens) -> Key {
    Key { path, shape, opens }
}

/// The keys that are read by their shape alone. Switching hooks off opens: hooks deny.
pub(super) const PLAIN: &[Key] = &[
    key(&["disableAllHooks"], Shape::Bool, Opens::Always),
    key(&["allowedHttpHookUrls"], Shape::Texts, Opens::Always),
    key(&["httpHookAllowedEnvVars"], Shape::Texts, Opens::Always),
    key(&["useAutoModeDuringPlan"], Shape::Bool, Opens::Always),
    key(&["autoMode", "environment"], Shape::Texts, Opens::Always),
    key(&["autoMode", "allow"], Shape::Texts, Opens::Always),
    key(&["autoMode", "soft_deny"], Shape::Texts, Opens::Never),
    key(&["autoMode", "hard_deny"], Shape::Texts, Opens::Never),
    key(&["sandbox", "enabled"], Shape::Bool, Opens::Always),
    key(&["sandbox", "failIfUnavailable"], Shape::Bool, Opens::Unless(true)),
    key(&["sandbox", "autoAllowBashIfSandboxed"], Shape::Bool, Opens::Unless(false)),
    key(&["sandbox", "allowUnsandboxedCommands"], Shape::Bool, Opens::Unless(false)),
    key(&["sandbox", "excludedCommands"], Shape::Texts, Opens::Always),
    key(&["sandbox", "credentials"], Shape::Any, Opens::Always),
    key(&["sandbox", "filesystem", "allowWrite"], Shape::Texts, Opens::Always),
    key(&["sandbox", "filesystem", "denyWrite"], Shape::Texts, Opens::Never),
    key(&["sandbox", "filesystem", "denyRead"], Shape::Texts, Opens::Never),
    key(&["sandbox", "filesystem", "allowRead"], Shape::Texts, Opens::Always),
    key(&["sandbox", "network", "allowedDomains"], Shape::Texts, Opens::Always),
    key(&["sandbox", "network", "deniedDomains"], Shape::Texts, Opens::Never),
    key(&["sandbox", "network", "allowUnixSockets"], Shape::Texts, Opens::Always),
    key(&["sandbox", "network", "httpProxyPort"], Shape::Number, Opens::Always),
];

/// The keys of `permissions`.
pub(super) const OF_PERMISSIONS: &[&str] = &[
    "allow",
    "ask",
    "deny",
    "additionalDirectories",
    "defaultMode",
    "disableBypassPermissionsMode",
    "disableAutoMode",
];

/// The keys that files have at their top: those read here, and public ones that are for other programs.
pub(super) const AT_TOP: &[&str] = &[
    "$schema",
    "allowManagedHooksOnly",
    "allowManagedPermissionRulesOnly",
    "allowedHttpHookUrls",
    "apiKeyHelper",
    "attribution",
    "autoMode",
    "awsAuthRefresh",
    "awsCredentialExport",
    "cleanupPeriodDays",
    "companyAnnouncements",
    "description",
    "disableAllHooks",
    "disabledMcpjsonServers",
    "enableAllProjectMcpServers",
    "enabledMcpjsonServers",
    "enabledPlugins",
    "env",
    "extraKnownMarketplaces",
    "fileSuggestion",
    "forceLoginMethod",
    "hooks",
    "httpHookAllowedEnvVars",
    "includeCoAuthoredBy",
    "language",
    "mcpServers",
    "model",
    "otelHeadersHelper",
    "outputStyle",
    "permissions",
    "respectGitignore",
    "sandbox",
    "statusLine",
    "useAutoModeDuringPlan",
];

/// The known name that an unknown one most likely stands for.
pub(super) fn likely<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let folded = wrong.to_lowercase().replace(['-', '_'], "");
    let near = known.filter_map(|name| {
        let edits = crate::nearest::edit_distance(&folded, &name.to_lowercase().replace(['-', '_'], ""));
        (edits <= 2.min(name.chars().count() / 3)).then_some((edits, name))
    });
    near.min().map(|(_edits, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_likely_a_slip_has_a_known_name() {
        let at_top = |wrong| likely(wrong, AT_TOP.iter().copied());
        assert_eq!(at_top("permision"), Some("permissions"));
        assert_eq!(at_top("mcp_servers"), Some("mcpServers"));
        assert_eq!(at_top("Hooks"), Some("hooks"));
        for other in ["_generated", "theme", "id", "x", "permissionsHelper"] {
            assert_eq!(at_top(other), None, "{other}");
        }
    }
}
