//! Patterns over hosts.

use super::literal::Literals;
use super::problem::Wrong;
use crate::permission::raw::pieces_match;

/// A pattern over hosts: `*` alone is every host, a leading `*.` any depth of subdomain but not the domain itself, and
/// any other `*` does not cross a dot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DomainPattern(String);

impl DomainPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// In words: what is no host.
    pub(super) fn new(content: &str) -> Result<DomainPattern, Wrong> {
        let trimmed = content.trim();
        let Some(host) = trimmed.strip_prefix("domain:") else {
            let host = trimmed.split("://").last().unwrap_or_default();
            let host = host.split(['/', ':']).next().unwrap_or_default();
            let host = if host.is_empty() { "example.com" } else { host };
            return Err(Wrong::new(format!(
                "the content of the rule is `domain:` and a host: write `domain:{host}`"
            )));
        };
        let host = host.trim().trim_end_matches('.');
        if host.is_empty() {
            return Err(Wrong::new("the host is missing: write `domain:` and a host"));
        }
        let illegal = |c: char| c.is_whitespace() || c.is_control() || ":/@".contains(c);
        if host.contains(illegal) {
            let at = content.find(host).unwrap_or(0);
            let reason = format!("`{host}` is not a host: leave out its scheme, port and path");
            return Err(Wrong::new(reason).at(at..at + host.len()));
        }
        Ok(DomainPattern(host.to_lowercase()))
    }

    /// Texts that each host has that it means, in lower case.
    pub(super) fn literals(&self) -> Literals {
        self.0.split('*').map(|piece| piece.as_bytes().to_vec()).collect()
    }

    /// Whether a host matches. A port, and who logs in, do not count.
    pub(super) fn matches(&self, host: &str) -> bool {
        let host = host.rsplit('@').next().unwrap_or(host).to_lowercase();
        let host = match host.rsplit_once(':') {
            Some((name, port)) if port.chars().all(|c| c.is_ascii_digit()) && !name.contains(':') => name,
            _other => host.as_str(),
        };
        let host = host.trim_end_matches('.');
        if self.0 == "*" {
            return true;
        }
        if let Some(domain) = self.0.strip_prefix("*.").filter(|domain| !domain.contains('*')) {
            return host.strip_suffix(domain).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'));
        }
        let label_matches = |(pattern, label): (&str, &str)| {
            let pieces: Vec<String> = pattern.split('*').map(str::to_owned).collect();
            pieces_match(&pieces, label)
        };
        self.0.split('.').count() == host.split('.').count()
            && self.0.split('.').zip(host.split('.')).all(label_matches)
    }

    /// Whether it matches every host that another does.
    pub(super) fn covers(&self, other: &DomainPattern) -> bool {
        let is_plain = !other.0.contains('*');
        let is_deeper = |domain: &str| other.0.starts_with("*.") && other.0.ends_with(&format!(".{domain}"));
        self.0 == "*"
            || self.0 == other.0
            || (is_plain && self.matches(&other.0))
            || self.0.strip_prefix("*.").filter(|domain| !domain.contains('*')).is_some_and(is_deeper)
    }

    /// The pattern as text.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_patterns_and_the_ways_around_them() {
        for (pattern, host, expected) in [
            ("domain:x.com", "x.com", true),
            ("domain:x.com", "X.COM.", true),
            ("domain:x.com.", "x.com", true),
            ("domain:x.com", "x.com:443", true),
            ("domain:x.com", "x.com@evil.com", false),
            ("domain:x.com", "user@x.com", true),
            ("domain:x.com", "ax.com", false),
            ("domain:*.x.com", "a.b.x.com", true),
            ("domain:*.x.com", "x.com", false),
            ("domain:*.x.com", ".x.com", false),
            ("domain:*.x.com", "evilx.com", false),
            ("domain:x.*", "x.org", true),
            ("domain:x.*", "x.evil.com", false),
            ("domain: *", "anything", true),
        ] {
            let read = DomainPattern::new(pattern).expect("it is a pattern");
            assert_eq!(read.matches(host), expected, "{pattern} ~ {host}");
        }
        for pattern in
            ["x.com", "domain:", "domain:https://x.com", "domain:x.com/a", "domain:x.com:80", "domain:a b"]
        {
            assert!(DomainPattern::new(pattern).is_err(), "{pattern}");
        }
    }
}
