//! Patterns over hosts.

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
    pub(super) fn new(content: &str) -> Result<DomainPattern, String> {
        let host = content.trim().strip_prefix("domain:").map(|host| host.trim().trim_end_matches('.'));
        let host = host.ok_or_else(|| "the content of the rule is `domain:` and a host".to_owned())?;
        if host.is_empty()
            || host.contains(|c: char| c.is_whitespace() || c.is_control() || ":/@".contains(c))
        {
            return Err(format!("`{host}` is not a host: leave out its scheme, port and path"));
        }
        Ok(DomainPattern(host.to_lowercase()))
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
