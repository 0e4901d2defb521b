//! What is written of an imported recording: histories that the Messages API takes, and transcripts without secrets.

use std::collections::BTreeSet;

use serde_json::Value;
use toolwright_sim::import::{read_bytes, read_path, redact};
use toolwright_sim::transcript::{RepairKind, Transcript, history, to_text};

use super::import_fixtures::{Fixture, fixtures};

/// The rules of the Messages API for a history.
fn assert_taken(text: &str, calls: usize, name: &str) {
    let history: Value = serde_json::from_str(text).expect("it is JSON");
    let messages = history["messages"].as_array().expect("there are messages");
    let mut ids = BTreeSet::new();
    let mut open: Vec<String> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        assert_eq!(
            message["role"],
            ["user", "assistant"][index % 2],
            "{name}: roles alternate from the user on"
        );
        let blocks = message["content"].as_array().expect("there are blocks");
        assert!(!blocks.is_empty(), "{name}");
        let kinds: Vec<&str> = blocks.iter().filter_map(|block| block["type"].as_str()).collect();
        let results = kinds.iter().take_while(|kind| **kind == "tool_result").count();
        assert!(!kinds[results..].contains(&"tool_result"), "{name}: results come first");
        let answered: Vec<String> =
            blocks.iter().filter_map(|block| Some(block["tool_use_id"].as_str()?.to_owned())).collect();
        assert_eq!(answered, open, "{name}: each call is answered in the next message, in order");
        open.clear();
        for block in blocks {
            match block["type"].as_str() {
                Some("text") => assert!(!block["text"].as_str().expect("a text").trim().is_empty(), "{name}"),
                Some("tool_use") => {
                    let id = block["id"].as_str().expect("an id");
                    for word in [id, block["name"].as_str().expect("a name")] {
                        let taken = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
                        assert!(!word.is_empty() && word.chars().all(taken), "{name}: {word}");
                    }
                    assert!(block["input"].is_object(), "{name}");
                    assert!(ids.insert(id.to_owned()), "{name}: ids are used once");
                    open.push(id.to_owned());
                }
                Some("tool_result") => assert!(block["content"].is_string() || block["content"].is_array()),
                other => panic!("{name}: {other:?}"),
            }
        }
    }
    assert!(open.is_empty(), "{name}: the last calls are answered too");
    assert_eq!(ids.len(), calls, "{name}: no call is lost");
}

#[test]
fn a_history_has_every_call_and_is_one_that_the_api_takes() {
    for Fixture { path, name, .. } in fixtures() {
        let imported = read_path(&path).expect("a fixture can be read");
        let written = history(&imported.transcript);
        assert_taken(&written.text, imported.transcript.calls().count(), &name);
        let again = read_bytes("history", written.text.as_bytes()).expect("it is a request of the API");
        assert_eq!(again.transcript.calls().count(), imported.transcript.calls().count(), "{name}");
        assert_eq!(again.repairs, [], "{name}: there is nothing to mend in it");
    }
}

#[test]
fn recordings_become_histories_that_the_api_takes() {
    super::import::each_recording(|path| {
        let imported = read_path(path).expect("a recording can be read");
        let name = path.display().to_string();
        assert_taken(&history(&imported.transcript).text, imported.transcript.calls().count(), &name);
    });
}

#[test]
fn what_a_history_needs_and_the_recording_lacks_is_told() {
    let session = concat!(
        r#"{"type":"assistant","sessionId":"s","message":{"id":"m","content":[{"type":"tool_use","id":"a b","name":"x.y","input":[1]}]}}"#,
        "\n",
        r#"{"type":"assistant","sessionId":"s","message":{"id":"n","content":[{"type":"tool_use","id":"a.b","name":"z","input":{}}]}}"#,
    );
    let imported = read_bytes("file", session.as_bytes()).expect("it is a session");
    let written = history(&imported.transcript);
    assert_taken(&written.text, 2, "a session");
    let kinds: BTreeSet<RepairKind> = written.repairs.iter().map(|repair| repair.kind).collect();
    let want = [
        RepairKind::MissingName,
        RepairKind::UnansweredCall,
        RepairKind::ReusedId,
        RepairKind::MissingPrompt,
        RepairKind::WrappedInput,
    ];
    assert_eq!(kinds, BTreeSet::from(want));
}

/// Secrets of every kind, made up; each is cut in two so that nobody takes the test for a leak.
const SECRETS: [(&str, [&str; 2]); 18] = [
    ("anthropic-key", ["sk-ant-", "api03-AAAAAAAAAAAAAAAAAAAA"]),
    ("api-key", ["sk-proj-", "BBBBBBBBBBBBBBBBBBBBBBBB"]),
    ("github-token", ["ghp_", "CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC"]),
    ("gitlab-token", ["glpat-", "DDDDDDDDDDDDDDDDDDDD"]),
    ("slack-token", ["xoxb-", "1234567890-EEEEEEEEEEEE"]),
    ("aws-key", ["AKIA", "FFFFFFFFFFFFFFFF"]),
    ("google-key", ["AIza", "GGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGG"]),
    ("stripe-key", ["sk_live_", "HHHHHHHHHHHHHHHHHHHH"]),
    ("package-token", ["npm_", "IIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIII"]),
    ("jwt", ["eyJhbGciOiJI", ".eyJzdWIiOiIx.JJJJJJJJJJ"]),
    ("authorization", ["Bearer ", "KKKKKKKKKKKKKKKKKKKK"]),
    ("password", ["https://user:", "LLLLLLLL@host/path"]),
    ("secret", ["DB_PASSWORD=", "MMMMMMMMMM"]),
    ("secret", ["export DEPLOY_TOKEN='", "PPPPPPPPPP"]),
    ("secret", ["DB_PASS='", "QQQQQQQQQQ"]),
    ("secret", ["AccountKey=", "RRRRRRRRRR"]),
    ("service-token", ["whsec_", "SSSSSSSSSSSSSSSSSSSS"]),
    ("service-token", ["dckr_pat_", "TTTTTTTTTTTTTTTTTTTT"]),
];

/// A session in which a text stands in every place that a text can.
fn session(secret: &str) -> Transcript {
    let text = serde_json::to_string(secret).expect("a text serialises");
    let lines = [
        format!(r#"{{"type":"user","sessionId":"s","message":{{"content":{text}}}}}"#),
        format!(
            r#"{{"type":"assistant","sessionId":"s","message":{{"id":"m","content":[{{"type":"text","text":{text}}},{{"type":"tool_use","id":"a","name":"X","input":{{"n":1.50,"list":[{text}]}}}},{{"type":"tool_use","id":"b","name":"X","input":{{}}}}]}}}}"#
        ),
        format!(
            r#"{{"type":"user","sessionId":"s","message":{{"content":[{{"type":"tool_result","tool_use_id":"a","content":{text}}}]}}}}"#
        ),
        format!(
            r#"{{"type":"user","sessionId":"s","message":{{"content":[{{"type":"tool_result","tool_use_id":"b","content":[{{"type":"text","text":{text}}}]}}]}}}}"#
        ),
    ];
    read_bytes("file", lines.join("\n").as_bytes()).expect("it is a session").transcript
}

#[test]
fn secrets_are_replaced_wherever_they_stand_and_counted() {
    let key = format!(
        "-----BEGIN RSA {}-----\nNNNNNNNNNN\nNNNNNN\n-----END RSA {}-----",
        "PRIVATE KEY", "PRIVATE KEY"
    );
    let whole = SECRETS.map(|(kind, [start, end])| (kind, format!("{start}{end}"), end.split('@').next()));
    let key = ("private-key", key, Some("NNNNNNNNNN"));
    for (kind, secret, hidden) in whole.into_iter().chain([key]) {
        let mut transcript = session(&format!("before {secret} after"));
        let done = redact(&mut transcript);
        let text = to_text(&transcript);
        let hidden = hidden.expect("there is a part that is hidden");
        assert!(!text.contains(hidden), "{kind}: {text}");
        assert_eq!(done.places.get(kind), Some(&5), "{kind}: {done:?} in {text}");
        assert_eq!(done.total(), 5, "{kind}: {done:?} in {text}");
        assert_eq!(text.matches(&format!("[redacted {kind} 1]")).count(), 5, "{text}");
        assert_eq!(text.matches("before ").count(), 5, "what stands around is kept: {text}");
        assert!(text.contains("1.50"), "what is no text stays byte for byte: {text}");
        let again = redact(&mut transcript);
        assert_eq!(again.total(), 0, "{kind}: what stands for a secret is none: {again:?} {text}");
    }
}

#[test]
fn secrets_are_told_apart_and_the_same_on_every_run() {
    let secret = |letter: &str| format!("ghp_{}", letter.repeat(36));
    let make = || {
        let mut transcript = session(&format!("{} {} {}", secret("a"), secret("b"), secret("a")));
        let done = redact(&mut transcript);
        (to_text(&transcript), done)
    };
    let (text, done) = make();
    let first = "[redacted github-token 1] [redacted github-token 2] [redacted github-token 1]";
    assert_eq!(text.matches(first).count(), 5, "{text}");
    assert_eq!(done.places["github-token"], 15);
    assert_eq!(make(), (text, done));
}

#[test]
fn a_field_that_is_named_as_a_secret_is_replaced_whatever_it_says() {
    let line = r#"{"type":"assistant","sessionId":"s","message":{"id":"m","content":[{"type":"tool_use","id":"a","name":"X","input":{"api_key":"zz","authorization":"x","pass\u0077ord":"y\u0079","tokens":"kept","max_tokens":5}}]}}"#;
    let mut transcript = read_bytes("file", line.as_bytes()).expect("it is a session").transcript;
    assert_eq!(redact(&mut transcript).places["secret"], 3);
    let text = to_text(&transcript);
    let want = r#""api_key":"[redacted secret 1]","authorization":"[redacted secret 2]","pass\u0077ord":"[redacted secret 3]","tokens":"kept","max_tokens":5"#;
    assert!(text.contains(want), "{text}");
}

#[test]
fn the_name_of_a_field_is_no_secret_whatever_stands_before_it() {
    let line = r#"{"type":"assistant","sessionId":"s","message":{"id":"m","content":[{"type":"tool_use","id":"a","name":"X","input":{"password":null,"path":"/etc/hosts","token":true,"limit":50}}]}}"#;
    let mut transcript = read_bytes("file", line.as_bytes()).expect("it is a session").transcript;
    assert_eq!(redact(&mut transcript).total(), 0, "{}", to_text(&transcript));
}

#[test]
fn an_ordinary_text_is_left_as_it_is() {
    let text = "let token = parse(x); // https://example.com/a:b@c?secret the passwords are kept by sk-learn, bearer of news, basic idea";
    let mut transcript = session(text);
    let before = transcript.clone();
    assert_eq!(redact(&mut transcript).total(), 0, "{}", to_text(&transcript));
    assert_eq!(transcript, before);
}

/// Texts, with what of them must be gone and what must stay.
const FORMLESS: [(&str, &str, &str); 24] = [
    ("curl -u anna:hunter2 https://example.com", "hunter2", "curl -u anna:"),
    ("curl -sS --user 'anna:hunter2' https://example.com", "hunter2", "https://example.com"),
    ("curl -uanna:hunter2 https://example.com", "hunter2", "https://example.com"),
    ("http -a anna:hunter2 GET example.com", "hunter2", "GET example.com"),
    ("tool --password hunter2 --verbose", "hunter2", "--verbose"),
    ("tool --password=hunter2 --verbose", "hunter2", "--verbose"),
    ("tool --token=abc --name x", "=abc", "--name x"),
    ("tool --db-password 'two words' now", "two words", " now"),
    ("tool --client-secret \"s p a c e\" now", "s p a c e", " now"),
    ("tool --api-key k1 now", " k1", " now"),
    ("Cookie: session=abc; theme=dark", "session=abc", "Cookie: "),
    ("curl -H 'Cookie: sid=1' example.com", "sid=1", "example.com"),
    ("Set-Cookie: id=a3f; HttpOnly", "a3f", "Set-Cookie: "),
    ("Authorization: Basic YTpi", "YTpi", "Authorization: Basic "),
    ("authorization: Digest username=\u{2018}a\u{2019}", "username", "authorization: Digest "),
    ("curl -H \"Authorization: Bearer x\" example.com", "Bearer x", "example.com"),
    ("Proxy-Authorization: opaque-value", "opaque-value", "Proxy-Authorization: "),
    ("PASSWORD=abc make", "=abc", " make"),
    ("export DB_PASSWORD='a b' && make", "a b", " && make"),
    ("PGPASSWORD=x psql", "=x ", "psql"),
    ("MYSQL_PASS=123 run", "123", " run"),
    ("GITHUB_TOKEN=12345 gh pr list", "12345", "gh pr list"),
    ("AWS_SECRET_ACCESS_KEY=\"q w\" aws", "q w", " aws"),
    ("env API_KEY=1 run", "API_KEY=1", "run"),
];

#[test]
fn secrets_without_a_form_are_known_by_what_stands_before_them() {
    for (text, gone, stays) in FORMLESS {
        let mut transcript = session(text);
        let done = redact(&mut transcript);
        let now = transcript.turns[0].text.clone().expect("the model said it");
        assert!(!now.contains(gone), "`{text}` became `{now}`");
        assert!(now.contains(stays) && now.contains("[redacted "), "`{text}` became `{now}`");
        assert_eq!(done.total(), 5, "in every place: {done:?}, `{now}`");
        assert_eq!(redact(&mut transcript).total(), 0, "what stands for a secret is none: `{now}`");
    }
}

#[test]
fn what_only_looks_like_a_secret_without_a_form_stays() {
    for text in [
        "tool --password-file secrets.txt --token-limit 5 --max-tokens 7",
        "tool --password $PASSWORD --token \"$TOKEN\"",
        "PASSWORD=$OLD make; PWD=/home/anna; MAX_TOKENS=100; TOKENS=5",
        "curl -u $USER:$PASS https://example.com:8080/a:b",
        "the cookie: it is sweet, and authorization: yes",
        "fn authorization(x: u8) -> bool",
        "ls -u a:b; docker run -u 1000:1000 image",
    ] {
        let mut transcript = session(text);
        assert_eq!(redact(&mut transcript).total(), 0, "{:?}", transcript.turns[0].text);
    }
}

#[test]
fn numbers_and_lists_in_fields_named_as_secrets_are_replaced_and_arguments_behind_flags() {
    let line = r#"{"type":"assistant","sessionId":"s","message":{"id":"m","content":[{"type":"tool_use","id":"a","name":"X","input":{"password": 123456,"pin":7,"token":-1.5e3,"secret":["one",["two"],"three"],"after":"stays","args":["--password","hunter2","--verbose","yes"]}}]}}"#;
    let mut transcript = read_bytes("file", line.as_bytes()).expect("it is a session").transcript;
    assert_eq!(redact(&mut transcript).places["secret"], 6);
    let text = to_text(&transcript);
    for gone in ["123456", "1.5e3", "one", "two", "three", "hunter2"] {
        assert!(!text.contains(gone), "{gone}: {text}");
    }
    for stays in [r#""pin":7"#, r#""after":"stays""#, r#""--verbose","yes""#] {
        assert!(text.contains(stays), "{stays}: {text}");
    }
    assert_eq!(redact(&mut transcript).total(), 0, "{}", to_text(&transcript));
}
