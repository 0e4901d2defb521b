//! What secrets look like.

use regex_automata::meta::Regex;

/// One kind of secret: how it is called, and what it looks like. The part named `secret` or `quoted` is replaced, or all of
/// it. An unquoted `secret` that begins with `$` is the name of a variable, and no secret.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) regex: Regex,
}

/// The kinds, the more telling first.
const KINDS: [(&str, &str); 20] = [
    (
        "private-key",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----[\s\S]*?(-----END [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----|\z)",
    ),
    ("password", r"(?i)\b[a-z][a-z0-9+.-]*://[^\s/:@]*:(?<secret>[^\s/@]+)@"),
    // Whole, since any part of it may be the secret one.
    ("cookie", r#"(?i)\b(set-)?cookie\\?["']?\s*:\s*\\?["']?(?<secret>[^\s=;"'\\]+=[^\r\n"'\\]+)"#),
    ("anthropic-key", r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    ("api-key", r"\bsk-(proj-|svcacct-|or-v1-)?[A-Za-z0-9_-]{20,}"),
    ("github-token", r"\b(gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})"),
    ("gitlab-token", r"\bglpat-[A-Za-z0-9_-]{16,}"),
    ("slack-token", r"\bxox[abeprs]-[A-Za-z0-9-]{10,}"),
    ("aws-key", r"\b(AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    ("google-key", r"\b(AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,})"),
    ("stripe-key", r"\b[rs]k_(live|test)_[A-Za-z0-9]{16,}"),
    ("package-token", r"\b(npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{40,}|hf_[A-Za-z0-9]{30,})"),
    (
        "service-token",
        r"\b(xapp-[A-Za-z0-9-]{10,}|whsec_[A-Za-z0-9]{16,}|GOCSPX-[A-Za-z0-9_-]{20,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|dop_v1_[a-f0-9]{32,}|dckr_pat_[A-Za-z0-9_-]{16,}|hvs\.[A-Za-z0-9_-]{20,}|AGE-SECRET-KEY-1[A-Z0-9]{20,})",
    ),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    ("authorization", r"(?i)\b(bearer|basic|token)\s+(?<secret>[A-Za-z0-9._~+/=-]{12,})"),
    (
        "secret",
        r#"(?i)[a-z0-9_-]*(api[_-]?key|secret|passw(or)?d|access[_-]?token|auth[_-]?token|[_-]token|[_-]pass|[_-]pwd|passphrase|account[_-]?key|[_-]signature|x-api-key|private[_-]?key)[a-z0-9_-]*\\?["']?\s*[:=]\s*\\?["']?(?<secret>[^\s"'\\,;&<>(){}\[\]$]{6,})"#,
    ),
    // What has no form is known by what stands before it. Kinds with a form come first, since they tell more.
    (
        "authorization",
        r#"(?i)\b(proxy-)?authorization\\?["']?\s*[:=]\s*\\?["']?((bearer|basic|token|digest|negotiate|apikey)\s+(?<secret>[^\r\n"'\\]+)|(?<quoted>[^\s"'\\,;{}()\[\]]{8,}))"#,
    ),
    // What programs take on their command line.
    (
        "password",
        r#"(?i)\b(curl|wget|https?|httpie|xh)\b[^\n|;&]*?\s(-u|-U|--user|--proxy-user|-a|--auth)[ =]?["']?[^\s:'"$/]*:(?<secret>[^\s'"\\]+)"#,
    ),
    (
        "secret",
        r#"(?i)(^|[\s"'(])--?([a-z0-9]+[-_])*(password|passwd|pass|passphrase|pwd|token|secret|api[-_]?key|access[-_]?key|secret[-_]?key|private[-_]?key|credentials?|auth)(=|\s+)(\\?"(?<secret>[^"\\\n]+)|'(?<quoted>[^'\n]+)|(?<bare>[^\s"'\\;|&<>()-][^\s"'\\;|&<>()]*))"#,
    ),
    (
        "secret",
        r#"(^|[\s;&|("'])(export\s+|set\s+|env\s+)?([A-Z0-9]+_)*(PASSWORD|PASSWD|PASSPHRASE|PASS|SECRET|SECRET_KEY|ACCESS_KEY|TOKEN|API_?KEY|PRIVATE_KEY|CREDENTIALS?|[A-Z0-9]*PASSWORD)[0-9]*=(\\?"(?<secret>[^"\\\n]+)|'(?<quoted>[^'\n]+)|(?<bare>[^\s"'\\;|&()]+))"#,
    ),
];

/// Names of fields whose text is a secret whatever it looks like.
const NAMES: &str = r"(?i)^(.*[_-])?(api[_-]?key|secret([_-]?key)?|client[_-]?secret|passw(or)?d|passphrase|access[_-]?token|auth[_-]?token|token|private[_-]?key|authorization|x-api-key|cookie|set-cookie)$";

/// Arguments behind which a secret stands as an argument of its own.
const FLAGS: &str = r"(?i)^--?([a-z0-9]+[-_])*(password|passwd|passphrase|token|secret|api[-_]?key|access[-_]?key|secret[-_]?key|private[-_]?key)$";

/// Every kind of secret.
#[derive(Debug)]
pub(super) struct Patterns {
    pub(super) kinds: Vec<Kind>,
    names: Regex,
    flags: Regex,
}

impl Patterns {
    pub(super) fn new() -> Patterns {
        let build = |pattern: &str| Regex::new(pattern).expect("the patterns are constant and tested");
        let kinds = KINDS.iter().map(|(name, pattern)| Kind { name, regex: build(pattern) }).collect();
        Patterns { kinds, names: build(NAMES), flags: build(FLAGS) }
    }

    /// Whether a field of this name holds a secret.
    pub(super) fn is_secret(&self, name: &str) -> bool {
        self.names.is_match(name)
    }

    /// Whether what comes behind this argument is a secret.
    pub(super) fn is_flag(&self, argument: &str) -> bool {
        self.flags.is_match(argument)
    }
}
