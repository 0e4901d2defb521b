//! What texts say and must not: headers, lints, names, and calls for which the house has something better.

use super::Tree;

/// A text that must not stand in a room, and what to write instead.
struct Ban {
    /// Where it must not stand: a file's path begins with one of these.
    rooms: &'static [&'static str],
    /// Files that may have it, by how their path begins.
    except: &'static [&'static str],
    text: &'static str,
    instead: &'static str,
}

const SOURCES: &[&str] = &["macros/src/", "runtime/src/", "tools/src/", "sim/src/"];
const LIBRARIES: &[&str] = &["macros/src/", "runtime/src/", "tools/src/"];

/// What `clippy.toml` cannot say, since it holds for some files of a crate, or for a word and not a path.
const BANS: &[Ban] = &[
    Ban {
        rooms: &["runtime/src/"],
        except: &["runtime/src/permission/files.rs", "runtime/src/pipeline/store.rs", "runtime/src/testing/"],
        text: "std::fs::",
        instead: "the traits `Files` and `ResultStore`, or a simulation cannot hold it",
    },
    Ban {
        rooms: &["runtime/src/"],
        except: &[],
        text: "std::net::",
        instead: "a trait that `tools` implements: the core reaches nothing",
    },
    Ban {
        rooms: &["runtime/src/"],
        except: &[],
        text: "process::Command",
        instead: "a trait that `tools` implements: the core starts nothing",
    },
    Ban {
        rooms: SOURCES,
        except: &["tools/src/http.rs"],
        text: "Client::builder(",
        instead: "`toolwright_tools::http`, which makes every client",
    },
    Ban { rooms: SOURCES, except: &[], text: "Client::new(", instead: "`toolwright_tools::http`" },
    Ban {
        rooms: &["sim/src/"],
        except: &["sim/src/cli/write.rs"],
        text: "File::create",
        instead: "`cli::write`, which keeps what was there",
    },
    Ban {
        rooms: &["sim/src/"],
        except: &[],
        text: "fs::write(",
        instead: "`cli::write`, which keeps what was there",
    },
    Ban {
        rooms: SOURCES,
        except: &["sim/src/cli/interrupt.rs"],
        text: "process::exit",
        instead: "an exit code that `main` returns",
    },
    Ban {
        rooms: LIBRARIES,
        except: &[],
        text: "println!",
        instead: "an event or an error: a library writes nowhere",
    },
    Ban {
        rooms: &["tools/src/"],
        except: &["tools/src/mcp/server/handler.rs"],
        text: "select!",
        instead: "`Env::race`, whose order is a choice",
    },
    Ban {
        rooms: SOURCES,
        except: &[],
        text: "sync::watch",
        instead: "a mutex and a notify: it wakes in random order",
    },
    Ban {
        rooms: SOURCES,
        except: &["runtime/src/registry/search/build.rs", "tools/src/mcp/client/peer.rs"],
        text: "HashMap",
        instead: "`BTreeMap`: its order is seen",
    },
    Ban { rooms: SOURCES, except: &[], text: "HashSet", instead: "`BTreeSet`: its order is seen" },
    Ban {
        rooms: &["tools/src/", "sim/src/"],
        except: &[],
        text: "SystemTime::now",
        instead: "`Env::wall_now`, which a simulation holds",
    },
    Ban {
        rooms: &["sim/src/"],
        except: &[],
        text: "Scheduler",
        instead: "`Strategy`: the scheduler is the runtime's",
    },
    Ban {
        rooms: &["macros/", "runtime/", "tools/", "sim/", "benches/"],
        except: &["sim/src/import/tests.rs"],
        text: "#[ignore",
        instead: "an environment variable with a small default, so that it runs",
    },
    Ban {
        rooms: &[""],
        except: &["macros/src/expand.rs"],
        text: "#[allow(",
        instead: "`#[expect(…, reason = …)]`",
    },
    Ban { rooms: &[""], except: &[], text: "#![allow(", instead: "`#![expect(…, reason = …)]`" },
];

/// Texts that are banned where they stand. Comments may speak of them.
pub(super) fn banned(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    let begins = |name: &str, starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    for (name, text) in tree.rust().filter(|(name, _)| !is_this_room(name)) {
        for ban in BANS.iter().filter(|ban| begins(name, ban.rooms) && !begins(name, ban.except)) {
            for (number, line) in text.lines().enumerate() {
                if line.contains(ban.text) && !line.trim_start().starts_with("//") {
                    found.push(format!("{name}:{}: `{}`: use {}", number + 1, ban.text, ban.instead));
                }
            }
        }
    }
    found
}

/// Exceptions that nothing needs any more.
pub(super) fn idle_exceptions(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for ban in BANS {
        for except in ban.except {
            let needed = tree.rust().any(|(name, text)| name.starts_with(except) && text.contains(ban.text));
            if !needed {
                found.push(format!("{except} has no `{}`: take the exception away", ban.text));
            }
        }
    }
    found
}

/// The rules' own texts hold what they look for.
fn is_this_room(name: &str) -> bool {
    name.starts_with("sim/tests/it/tidy/")
}

/// Files that do not say at their top what they are for.
pub(super) fn silent(tree: &Tree) -> Vec<String> {
    let silent = tree.rust().filter(|(_, text)| !text.starts_with("//! "));
    silent.map(|(name, _)| format!("{name}: no `//!` at its top")).collect()
}

/// Names of files and folders that say nothing.
const VAGUE: &[&str] = &["common", "helper", "helpers", "manager", "misc", "util", "utils"];

/// Files that are named for no thing.
pub(super) fn vague_names(tree: &Tree) -> Vec<String> {
    let is_vague = |name: &&str| name.split(['/', '.']).any(|part| VAGUE.contains(&part));
    let vague = tree.rust().map(|(name, _)| name).filter(is_vague);
    vague.map(|name| format!("{name}: name it by the thing that it is about")).collect()
}

/// Places that belong to a machine or a registry.
pub(super) fn places(tree: &Tree) -> Vec<String> {
    let words = ["crates.io", "/work/main", "/root/"];
    let mut found = Vec::new();
    for (name, text) in tree.files().filter(|(name, _)| !is_this_room(name) && !name.ends_with("Cargo.lock"))
    {
        found.extend(words.iter().filter(|word| text.contains(**word)).map(|word| format!("{name}: {word}")));
    }
    found
}

/// Types that make a static one that changes.
const CELLS: &[&str] = &["Mutex<", "RwLock<", "RefCell<", "OnceLock<", "LazyLock<", "Atomic"];

/// Statics that may change, each in a file that says why: constants that are made once, and numbers for file names.
const STATICS: &[&str] = &[
    "macros/src/expand/form.rs",
    "runtime/src/mutant.rs",
    "tools/src/files/place.rs",
    "tools/src/process_tree.rs",
];

/// Global state, and what registers itself.
pub(super) fn globals(tree: &Tree) -> Vec<String> {
    let is_source = |name: &str| SOURCES.iter().any(|room| name.starts_with(room));
    let words = ["static ", "pub static ", "pub(crate) static ", "pub(super) static "];
    let changes = |line: &str| {
        let is_static = words.iter().any(|word| line.trim_start().starts_with(word));
        line.contains("thread_local!") || (is_static && CELLS.iter().any(|cell| line.contains(cell)))
    };
    let mut found = Vec::new();
    for (name, text) in tree.rust().filter(|(name, _)| is_source(name)) {
        let lines = text.lines().take_while(|line| *line != "#[cfg(test)]").filter(|line| changes(line));
        let is_excused = STATICS.contains(&name);
        match lines.count() {
            0 if is_excused => found.push(format!("{name}: excused, and without a static that changes")),
            1.. if !is_excused => found.push(format!("{name}: global state: a session holds what lasts")),
            _ => {}
        }
    }
    let registering = tree
        .crates()
        .filter(|(_, text)| ["inventory", "linkme", "ctor"].iter().any(|name| has_dependency(text, name)));
    found.extend(registering.map(|(name, _)| format!("{name}: nothing registers itself")));
    found
}

fn has_dependency(manifest: &str, name: &str) -> bool {
    manifest.lines().any(|line| line.split([' ', '.']).next() == Some(name))
}

/// Permits outside the one room that makes them and the one file that uses them.
pub(super) fn permits(tree: &Tree) -> Vec<String> {
    let wrong = tree.rust().filter(|(name, _)| !is_this_room(name)).filter(|(name, text)| {
        let makes = text.contains("Permit::new(") && !name.starts_with("runtime/src/permission/");
        let uses = text.contains(".call(permit, ") && *name != "runtime/src/pipeline/call.rs";
        makes || uses
    });
    wrong.map(|(name, _)| format!("{name}: a permit outside its rooms")).collect()
}
