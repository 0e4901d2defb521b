//! The names by which the model calls remote tools: `mcp__server__tool`, in characters and a length that providers take.
//!
//! A name is made from what the server and the tool are called and from nothing else, so it is the same whatever came
//! first. Nothing reads it back: who is meant is known by a map.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

/// How long a name may be: the smallest limit among providers.
const NAME_BYTES_MAX: usize = 64;
/// How many digits of a hash tell names apart.
const HASH_DIGITS: usize = 8;

/// What a server's tools are called among those of other servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerNames {
    server: String,
    /// Whether another server would be called the same, or its name could be read in two ways.
    is_ambiguous: bool,
}

impl ServerNames {
    /// The names of each of these servers' tools, in the same order.
    #[must_use]
    pub fn of_all(servers: &[&str]) -> Vec<ServerNames> {
        let mut called: BTreeMap<String, usize> = BTreeMap::new();
        for server in servers {
            *called.entry(sanitised(server)).or_default() += 1;
        }
        let of = |server: &&str| {
            let clean = sanitised(server);
            let reads_twice = clean.contains("__") || clean.starts_with('_') || clean.ends_with('_');
            let is_ambiguous = called.get(&clean).is_some_and(|same| *same > 1) || reads_twice;
            ServerNames { server: (*server).to_owned(), is_ambiguous }
        };
        servers.iter().map(of).collect()
    }

    /// The names of these tools, in the same order. Of tools that would be called the same, each gets a hash.
    #[must_use]
    pub fn of_tools(&self, tools: &[&str]) -> Vec<String> {
        let mut called: BTreeMap<String, usize> = BTreeMap::new();
        for tool in tools {
            *called.entry(self.plain(tool)).or_default() += 1;
        }
        let of = |tool: &&str| {
            let plain = self.plain(tool);
            let is_alone = called.get(&plain).is_none_or(|same| *same == 1);
            match is_alone && !self.is_ambiguous && plain.len() <= NAME_BYTES_MAX {
                true => plain,
                false => self.hashed(tool, &plain),
            }
        };
        tools.iter().map(of).collect()
    }

    fn plain(&self, tool: &str) -> String {
        format!("mcp__{}__{}", sanitised(&self.server), sanitised(tool))
    }

    /// The name, shortened where it must be, with a hash of what server and tool are really called.
    fn hashed(&self, tool: &str, plain: &str) -> String {
        let mut hash = Sha256::new();
        for part in [self.server.as_str(), tool] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let digits: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let kept = plain.len().min(NAME_BYTES_MAX - HASH_DIGITS - 1);
        format!("{}_{}", &plain[..kept], &digits[..HASH_DIGITS])
    }
}

/// A name in characters that providers take; it is ASCII.
fn sanitised(name: &str) -> String {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let clean: String = name.chars().map(|c| if legal(c) { c } else { '_' }).collect();
    if clean.is_empty() { "_".to_owned() } else { clean }
}
