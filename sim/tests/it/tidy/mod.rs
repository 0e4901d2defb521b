//! The house rules that a compiler does not know, as one table: the project keeps each of them, and each finds what it
//! forbids in a tree made for it.

mod graph;
mod lengths;
mod manifests;
mod modules;
mod readme;
mod tree;
mod words;

use tree::Tree;

/// A rule of the house.
struct Rule {
    /// What must hold.
    says: &'static str,
    problems: fn(&Tree) -> Vec<String>,
    /// A tree that breaks it, and what is said of that.
    broken: fn() -> (Tree, &'static str),
}

const RULES: &[Rule] = &[
    Rule {
        says: "every file says at its top what it is for",
        problems: words::silent,
        broken: || (Tree::of([("sim/src/a.rs", "use std::fmt;\n")]), "sim/src/a.rs: no `//!`"),
    },
    Rule {
        says: "no file is too long",
        problems: lengths::files,
        broken: || {
            let text = "//! A\n".repeat(lengths::FILE_LINES_MAX + 1);
            (Tree::of([("sim/src/a.rs", &text)]), "sim/src/a.rs: 501 lines, at most 500")
        },
    },
    Rule {
        says: "no function is too long",
        problems: lengths::functions,
        broken: || {
            let body = "        let a = 1;\n".repeat(lengths::FUNCTION_LINES_MAX - 1);
            let text = format!("impl A {{\n    pub(crate) async fn long<T>(&self) {{\n{body}    }}\n}}\n");
            (Tree::of([("sim/src/a.rs", &text)]), "sim/src/a.rs:long: 71 lines, at most 70")
        },
    },
    Rule {
        says: "what the house has something better for is not called",
        problems: words::banned,
        broken: || {
            let text = "//! A\n// HashMap in a comment is fine.\nuse std::collections::HashMap;\n";
            (Tree::of([("tools/src/a.rs", text)]), "tools/src/a.rs:3: `HashMap`: use `BTreeMap`")
        },
    },
    Rule {
        says: "an exception that nothing needs is taken away",
        problems: words::idle_exceptions,
        broken: || (Tree::of([("tools/src/http.rs", "")]), "tools/src/http.rs has no `Client::builder(`"),
    },
    Rule {
        says: "files are named for what they are about",
        problems: words::vague_names,
        broken: || (Tree::of([("sim/src/utils/a.rs", "")]), "sim/src/utils/a.rs: name it"),
    },
    Rule {
        says: "no text names a registry's host or a place on somebody's machine",
        problems: words::places,
        broken: || (Tree::of([("README.md", "see /root/x")]), "README.md: /root/"),
    },
    Rule {
        says: "there is no global state",
        problems: words::globals,
        broken: || {
            let text = "//! A\nstatic KNOWN: Mutex<u8> = Mutex::new(0);\n";
            (Tree::of([("tools/src/a.rs", text)]), "tools/src/a.rs: global state")
        },
    },
    Rule {
        says: "only the permission room makes permits, and only one place uses them",
        problems: words::permits,
        broken: || (Tree::of([("tools/src/a.rs", "Permit::new()")]), "tools/src/a.rs: a permit"),
    },
    Rule {
        says: "no source file is forgotten",
        problems: modules::forgotten,
        broken: || {
            let files = [
                ("sim/src/lib.rs", "//! A\npub mod a;\n"),
                ("sim/src/a/mod.rs", "mod b;\n"),
                ("sim/src/a/b.rs", "#[path = \"../c.rs\"]\nmod c;\n"),
                ("sim/src/c.rs", ""),
                ("sim/src/a/lost.rs", "mod b;\n"),
                ("sim/tests/lost/mod.rs", ""),
            ];
            (Tree::of(files), "sim/src/a/lost.rs: no module declares it\nsim/tests/lost/mod.rs: no")
        },
    },
    Rule {
        says: "what a package is built from is in it",
        problems: modules::outside,
        broken: || {
            let text = "//! A\nconst A: &str = include_str!(\"../../README.md\");\n";
            (Tree::of([("sim/src/a.rs", text)]), "sim/src/a.rs: `../../README.md` is not in its package")
        },
    },
    Rule {
        says: "every crate's metadata is whole",
        problems: manifests::metadata,
        broken: || {
            let text = "[package]\nname = \"x\"\nversion = \"0.2.0\"\ndescription = \"X\"\nlicense.workspace = true\n";
            (Tree::of([("sim/Cargo.toml", text)]), "sim/Cargo.toml: no line `version.workspace = true`")
        },
    },
    Rule {
        says: "all versions are one",
        problems: manifests::versions,
        broken: || {
            let root = "[workspace.package]\nversion = \"0.2.0\"\n\ntoolwright = { path = \"runtime\", version = \"0.1.0\" }\n";
            let lock = "[[package]]\nname = \"toolwright\"\nversion = \"0.1.0\"\n";
            let tree = Tree::of([("Cargo.toml", root), ("Cargo.lock", lock)]);
            (tree, "version = \"0.1.0\" }` is not of version \"0.2.0\"\nCargo.lock:")
        },
    },
    Rule {
        says: "crates only depend on those below them",
        problems: manifests::direction,
        broken: || {
            let text =
                "[dependencies]\ntoolwright-macros.workspace = true\ntoolwright-sim.workspace = true\n";
            (Tree::of([("runtime/Cargo.toml", text)]), "runtime/Cargo.toml: it depends on `toolwright-sim`")
        },
    },
    Rule {
        says: "every feature is told of where it is declared and in the docs of its crate",
        problems: manifests::features,
        broken: || {
            let text = "[features]\ndefault = []\n# Said.\nsaid = []\nunsaid = []\n\n[dependencies]\n";
            let docs = "//! The feature `said` does it.\n";
            let tree = Tree::of([("sim/Cargo.toml", text), ("sim/src/lib.rs", docs)]);
            (tree, "no comment above the feature `unsaid`\nsim/Cargo.toml: the docs of the crate do not tell")
        },
    },
    Rule {
        says: "the README's folders are the workspace's",
        problems: readme::folders,
        broken: || {
            let readme =
                "| folder | package | is |\n|---|---|---|\n| `sim` | `x` | a |\n| `gone` | `y` | b |\n";
            let tree = Tree::of([
                ("README.md", readme),
                ("Cargo.toml", "members = [\"sim\", \"new\"]"),
                ("sim/Cargo.toml", "[package]\nname = \"z\"\n"),
            ]);
            (tree, "no folder `gone`\nREADME: no row for the folder `new`\nREADME: the package in `sim`")
        },
    },
];

#[test]
fn the_project_keeps_every_rule_of_the_house() {
    let project = Tree::project();
    let mut found = Vec::new();
    for rule in RULES {
        let problems = (rule.problems)(&project);
        found.extend(problems.iter().map(|problem| format!("{}: {problem}", rule.says)));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_rule_of_the_house_finds_what_it_forbids() {
    for rule in RULES {
        let (tree, said) = (rule.broken)();
        let problems = (rule.problems)(&tree).join("\n");
        assert!(problems.contains(said), "{}: not `{said}` but `{problems}`", rule.says);
    }
}

#[test]
fn an_exception_to_a_length_excuses_and_may_not_outlive_its_need() {
    let lengths = || [("a".to_owned(), 80), ("a".to_owned(), 10), ("b".to_owned(), 5)].into_iter();
    assert_eq!(lengths::against(lengths(), 70, &["a"]), Vec::<String>::new());
    assert_eq!(
        lengths::against(lengths(), 70, &["b"]),
        ["a: 80 lines, at most 70", "b: excused, and not too long: take it off the list"]
    );
}
