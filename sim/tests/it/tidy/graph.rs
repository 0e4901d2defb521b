//! What the project depends on, as cargo tells it.

use std::collections::BTreeSet;
use std::process::Command;

use super::tree::root;

/// How many crates that are not ours the core may need.
const CORE_CRATES_MAX: usize = 45;

/// What `cargo tree` says of the project.
fn cargo_tree(arguments: &[&str]) -> String {
    let run = Command::new(env!("CARGO"))
        .args(["tree", "--prefix", "none", "--locked", "--offline"])
        .args(arguments)
        .current_dir(root())
        .output()
        .expect("cargo runs: it runs this test");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).expect("names of crates are UTF-8")
}

/// What is too much in the core.
fn core(told: &str, most: usize) -> Vec<String> {
    let words = |line: &str| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let others: BTreeSet<String> =
        told.lines().filter(|line| !line.is_empty() && !line.starts_with("toolwright")).map(words).collect();
    let mut found = Vec::new();
    if others.len() > most {
        found.push(format!("{} crates in the core, at most {most}: {others:?}", others.len()));
    }
    let of_syn: Vec<&String> = others.iter().filter(|other| other.starts_with("syn ")).collect();
    if of_syn.len() != 1 || !of_syn[0].starts_with("syn v3.") {
        found.push(format!("the core takes syn once, and in its third version, not {of_syn:?}"));
    }
    found
}

/// What would make schemas depend on who builds them.
fn order_kept(told: &str) -> Vec<String> {
    told.lines().filter(|line| line.contains("preserve_order")).map(str::to_owned).collect()
}

#[test]
fn the_core_is_small_and_takes_syn_once() {
    let told = cargo_tree(&["-p", "toolwright", "--edges", "normal,build"]);
    assert_eq!(core(&told, CORE_CRATES_MAX), Vec::<String>::new());
}

#[test]
fn a_dev_dependency_on_the_simulator_takes_nothing_that_speaks_http() {
    let names = |arguments: &[&str]| {
        let told = cargo_tree(&[&["-p", "toolwright-sim", "--edges", "normal"], arguments].concat());
        let is_http = |line: &&str| line.starts_with("reqwest ") || line.starts_with("rustls ");
        told.lines().filter(is_http).map(str::to_owned).collect::<BTreeSet<String>>()
    };
    assert_eq!(names(&["--no-default-features"]), BTreeSet::new());
    assert!(!names(&[]).is_empty(), "the program speaks it");
}

#[test]
fn nothing_that_is_built_keeps_the_order_of_maps() {
    // Build scripts of dependencies are programs of their own: what they turn on reaches nothing that we build.
    let told = cargo_tree(&["--workspace", "--edges", "features,no-build"]);
    assert!(told.contains("serde_json"), "the tree is whole: {told}");
    assert_eq!(order_kept(&told), Vec::<String>::new());
}

#[test]
fn a_core_that_grows_takes_syn_twice_or_keeps_order_is_noticed() {
    let told = "toolwright v0.1.0 (/x)\nsyn v3.0.1\nquote v1.0.0\nsyn v3.0.1 (*)\n";
    assert_eq!(core(told, 2), Vec::<String>::new());
    assert!(core(told, 1)[0].starts_with("2 crates in the core, at most 1"));
    assert!(core(&format!("{told}syn v2.0.1\n"), 9)[0].contains("takes syn once"));
    assert!(core("quote v1.0.0\n", 9)[0].contains("takes syn once"));
    assert_eq!(order_kept("serde_json v1.0.0\nserde_json feature \"preserve_order\"\n").len(), 1);
}
