//! Trees and patterns that are hard on searches.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolwright::contract::Cx;
use toolwright_tools::files::glob::Glob;
use toolwright_tools::files::grep::Grep;

use super::{Says, call, check};
use crate::session::Session;

/// How many files the large tree has. `TOOLWRIGHT_FILES=100000` tries it with a hundred thousand.
fn large() -> usize {
    let said = std::env::var("TOOLWRIGHT_FILES").ok();
    said.map_or(2_000, |files| files.parse().expect("`TOOLWRIGHT_FILES` is a number"))
}

#[tokio::test]
async fn of_very_many_files_the_newest_are_shown_and_all_are_counted() {
    let (session, files) = (Session::new(), large());
    for number in 0..files {
        if number % 1_000 == 0 {
            std::fs::create_dir(session.path(&format!("d{}", number / 1_000))).expect("folders can be made");
        }
        let path = session.path("").join(format!("d{}/f{number}", number / 1_000));
        std::fs::write(path, if number % 10 == 0 { "word\n" } else { "no\n" }).expect("files can be written");
    }
    let began = Instant::now();
    let globbed = call(&session, "Glob", json!({"pattern": "**/f*"})).await.expect("it can be searched");
    assert!(
        globbed.ends_with(&format!("(the newest 100 of {files} files; narrow the pattern to see others)"))
    );
    let counted = json!({"pattern": "word", "output_mode": "count", "head_limit": 3});
    let counted = call(&session, "Grep", counted).await.expect("it can be searched");
    let matches = files.div_ceil(10);
    assert!(counted.contains(&format!("({matches} matches in all)")), "{counted}");
    assert!(counted.contains(&format!("(files 1 to 3 of {matches}; there are more")), "{counted}");
    println!("{files} files: both searches took {:?}", began.elapsed());
}

/// Folders in folders, so many; the path of the innermost below the first, as far as the system takes it.
fn nest(root: &Path, depth: usize) {
    // From the inside out, since a path may not be as long as such a tree is deep.
    let inner = root.join("word");
    std::fs::create_dir(&inner).expect("folders can be made");
    std::fs::write(inner.join("word"), "word\n").expect("files can be written");
    for _folder in 0..depth {
        let (outer, inner) = (root.join("outer"), root.join("word"));
        std::fs::create_dir(&outer).expect("folders can be made");
        std::fs::rename(inner, outer.join("word")).expect("folders can be moved");
        std::fs::rename(outer, root.join("word")).expect("folders can be moved");
    }
}

#[tokio::test]
async fn deep_trees_are_searched_and_those_deeper_than_a_path_is_long_are_said_to_be_left_out() {
    let session = Session::new();
    nest(&session.path(""), 300);
    let found = call(&session, "Glob", json!({"pattern": "**/word"})).await.expect("it can be searched");
    assert!(found.ends_with("/word/word") && !found.contains('('), "{found}");
    let found = call(&session, "Grep", json!({"pattern": "word"})).await.expect("it can be searched");
    assert!(found.ends_with("/word/word") && !found.contains('('), "{found}");
    let session = Session::new();
    nest(&session.path(""), 1_500);
    check(
        &session,
        &[
            ("Glob", json!({"pattern": "**/*"}), Says::Shown("(1 folders could not be read)")),
            ("Grep", json!({"pattern": "word"}), Says::Shown("could not be read)")),
        ],
    )
    .await;
    // The temporary folder's own cleaning works with whole paths.
    let removed = std::process::Command::new("rm").arg("-rf").arg(session.path("word")).status();
    assert!(removed.is_ok_and(|status| status.success()));
}

#[tokio::test]
async fn names_with_line_ends_stay_one_line_each() {
    let session = Session::new();
    session.put("a\nb", "word\n");
    session.put("(the newest 1 of 9 files)\n", "word\n");
    for (tool, input) in [
        ("Glob", json!({"pattern": "*"})),
        ("Grep", json!({"pattern": "word"})),
        ("Grep", json!({"pattern": "word", "output_mode": "count"})),
        ("Grep", json!({"pattern": "word", "output_mode": "content"})),
    ] {
        let found = call(&session, tool, input.clone()).await.expect("it can be searched");
        assert_eq!(found.lines().filter(|line| line.starts_with("a\\nb")).count(), 1, "{input}: {found}");
        let other = found.lines().filter(|line| line.starts_with("(the newest 1 of 9 files)\\n"));
        assert_eq!(other.count(), 1, "{input}: {found}");
    }
}

#[tokio::test]
async fn globs_that_cannot_be_meant_are_refused_and_hard_ones_end() {
    let session = Session::new();
    session.put("a/b/c.rs", "");
    session.put("[x].rs", "");
    let many = "**/".repeat(40) + "c.rs";
    let braces = format!("{{{}}}", vec!["*.rs"; 2_000].join(","));
    let stars = "*a".repeat(200) + "b";
    check(
        &session,
        &[
            ("Glob", json!({"pattern": "../*"}), Says::Shown("")),
            (
                "Glob",
                json!({"pattern": "*/../b"}),
                Says::Refused("has `..` after a wildcard: give the folder in `path`"),
            ),
            ("Glob", json!({"pattern": "**/**/**/c.rs"}), Says::Shown("a/b/c.rs")),
            ("Glob", json!({"pattern": many}), Says::Shown("")),
            ("Glob", json!({"pattern": braces}), Says::Shown("[x].rs")),
            ("Glob", json!({"pattern": stars}), Says::Shown("no files found")),
            ("Glob", json!({"pattern": "[x.rs"}), Says::Refused("is not a glob")),
            ("Glob", json!({"pattern": "{a,b"}), Says::Refused("is not a glob")),
            ("Glob", json!({"pattern": "a}"}), Says::Refused("is not a glob")),
            ("Glob", json!({"pattern": "[z-a]"}), Says::Refused("is not a glob")),
            ("Glob", json!({"pattern": "\\[x\\].rs"}), Says::Shown("[x].rs")),
            ("Glob", json!({"pattern": "   "}), Says::Shown("no files found")),
            ("Glob", json!({"pattern": "a/b/"}), Says::Refused("the pattern is empty")),
            ("Glob", json!({"pattern": "*.rs", "path": "~no such user/x"}), Says::Refused("does not exist")),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_pattern_that_would_become_huge_is_refused_before_it_costs_much() {
    let session = Session::new();
    let began = Instant::now();
    for pattern in ["\\w{5000}", "x{1000}{1000}{1000}", "(\\pL{99}){99}"] {
        let refused = call(&session, "Grep", json!({"pattern": pattern})).await.expect_err("it is huge");
        assert!(refused.contains("give a simpler regular expression"), "{pattern}: {refused}");
    }
    let large = (0..3_000).map(|word| format!("word{word}")).collect::<Vec<_>>().join("|");
    session.put("f", "a word2999\n");
    let found = call(&session, "Grep", json!({"pattern": large, "-i": true})).await;
    assert_eq!(found.as_deref(), Ok("f"), "many words are not huge");
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

#[tokio::test]
async fn of_a_long_pattern_a_refusal_shows_the_beginning() {
    let session = Session::new();
    for (tool, input) in [
        ("Glob", json!({"pattern": "{a,".repeat(3_000)})),
        ("Glob", json!({"pattern": format!("{}/../x", "*".repeat(9_000))})),
        ("Grep", json!({"pattern": "(".repeat(20_000)})),
        ("Grep", json!({"pattern": format!("\\p{{{}}}", "x".repeat(20_000))})),
        ("Grep", json!({"pattern": "a\n".repeat(9_000)})),
        ("Grep", json!({"pattern": "a", "glob": "[a".repeat(9_000)})),
        ("Grep", json!({"pattern": "a", "type": "a".repeat(9_000)})),
    ] {
        let refused = call(&session, tool, input).await.expect_err("it is no pattern");
        assert!(refused.len() < 600 && refused.contains('…'), "{} bytes: {refused:.600}", refused.len());
    }
}

#[tokio::test]
async fn expressions_that_ruin_others_are_searched_in_time_or_refused() {
    let session = Session::new();
    session.put("a", format!("{}!\n", "a".repeat(20_000)));
    let multiline = |pattern: &str| json!({"pattern": pattern, "multiline": true, "output_mode": "count"});
    check(
        &session,
        &[
            ("Grep", json!({"pattern": "(a+)+$"}), Says::Shown("no matches found")),
            ("Grep", json!({"pattern": "(a*)*b"}), Says::Shown("no matches found")),
            ("Grep", json!({"pattern": "(a|aa)+$"}), Says::Shown("no matches found")),
            ("Grep", json!({"pattern": "(.*)(.*)(.*)(.*)x"}), Says::Shown("no matches found")),
            ("Grep", multiline("(?:.*\\n)*x"), Says::Shown("no matches found")),
            (
                "Grep",
                json!({"pattern": "x{1000}{1000}{1000}"}),
                Says::Refused("give a simpler regular expression"),
            ),
            ("Grep", json!({"pattern": "\\w{5000}"}), Says::Refused("give a simpler regular expression")),
            ("Grep", json!({"pattern": "(".repeat(1_000)}), Says::Refused("is not a regular expression")),
            (
                "Grep",
                json!({"pattern": format!("{}a{}", "(".repeat(500), ")".repeat(500))}),
                Says::Refused(""),
            ),
            (
                "Grep",
                json!({"pattern": "a", "head_limit": 0, "output_mode": "content"}),
                Says::Shown("more bytes in this line"),
            ),
            (
                "Grep",
                json!({"pattern": "a", "-C": 999_999_999, "output_mode": "content"}),
                Says::Shown("1:a"),
            ),
            (
                "Grep",
                json!({"pattern": "a", "offset": u64::MAX}),
                Says::Shown("nothing is left after `offset`"),
            ),
            ("Grep", json!({"pattern": "a", "glob": "["}), Says::Refused("is not a glob")),
            ("Grep", json!({"pattern": "a", "type": "no such type"}), Says::Refused("there is no type")),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_is_too_large_for_a_match_over_lines_is_said_to_be_left_out() {
    let session = Session::new();
    let huge = std::fs::File::create(session.path("huge")).expect("files can be made");
    huge.set_len(5 << 30).expect("files can be sparse");
    session.put("small", "a\nb\n");
    let input = json!({"pattern": "a\\nb", "multiline": true, "path": "huge"});
    let found = call(&session, "Grep", input).await.expect("it can be searched");
    assert!(
        found.contains("1 files were left out") && found.contains("with `multiline` the file"),
        "{found}"
    );
}

/// Starts a search of a file without an end, lets `happens` happen once it is under way, and gives what it says.
async fn endless(happens: impl AsyncFnOnce(&Session)) -> String {
    let session = Session::new();
    let endless = std::fs::File::create(session.path("endless")).expect("files can be made");
    endless.set_len(1 << 40).expect("files can be sparse");
    let input: Value = json!({"pattern": "x", "path": "endless"});
    let (found, ()) = tokio::join!(session.text::<Grep>(input), async {
        // The search begins when it is first asked for; then the clock may go on.
        tokio::task::yield_now().await;
        std::thread::sleep(Duration::from_millis(50));
        happens(&session).await;
    });
    found.expect("it can be searched")
}

#[tokio::test(start_paused = true)]
async fn a_search_that_has_no_time_left_says_so() {
    let found = endless(async |_session| tokio::time::advance(Duration::from_secs(61)).await).await;
    assert!(found.contains("stopped after 60 s, before everything was searched"), "{found}");
}

#[tokio::test]
async fn a_search_that_is_cancelled_ends_though_its_file_does_not() {
    let found = endless(async |session| {
        let cx = Cx::<Glob>::for_test(session.cx(), &());
        cx.cancellation().cancel(toolwright::env::Cause::Aborted);
    });
    let found = tokio::time::timeout(super::ONE_CALL, found).await.expect("it ends");
    assert!(found.contains("before everything was searched"), "{found}");
}
