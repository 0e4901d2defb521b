//! A key is in one header and nowhere else, whatever fails.

use std::sync::Arc;
use std::time::Duration;

use toolwright::env::Env;
use toolwright::event::Recorder;
use toolwright_tools::models::{Chat, Endpoint, HeaderValue, Messages, Post, Retry, Secret, SetupError};

use super::fixtures::{usual_chat, usual_messages};
use super::server::{Act, Server, events, go, refusal, stream};

const KEY: &str = "sk-not-a-real-key-0123456789";

fn env() -> Env {
    Env::tokio().expect("tests run on tokio")
}

fn assert_hidden(text: &str) {
    assert!(!text.contains(KEY) && !text.contains(&KEY[6..20]), "{text}");
}

#[tokio::test]
async fn no_debug_no_error_and_no_event_shows_the_key() {
    let echo = format!(r#"{{"error":{{"type":"x","message":"no such key: {KEY}!"}}}}"#);
    let page = vec![
        Act::Head(200, vec![("content-type", "text/html".to_owned())]),
        Act::Chunk(KEY.into()),
        Act::End,
    ];
    let in_stream = format!("data: {{\"type\":\"error\",\"error\":{{\"message\":\"{KEY}\"}}}}\n\n");
    let malformed = format!("data: {{\"type\":\"content_block_start\",\"index\":\"{KEY}\"}}\n\n");
    let scripts = [
        stream(usual_messages()),
        stream(usual_chat()),
        refusal(401, &[], &echo),
        refusal(500, &[], &echo),
        page,
        stream(in_stream),
        stream(malformed),
        refusal(403, &[], KEY),
        vec![Act::Reset],
    ];
    for script in scripts {
        let server = Server::new([script]).await;
        let recorder = Arc::new(Recorder::default());
        let env = env().with_sink(Arc::clone(&recorder) as _);
        let endpoint = Endpoint::new(env).base_url(server.url()).key(Secret::new(format!(" {KEY}\n")));
        let retry = Retry { attempts_max: 2, wait_first: Duration::from_millis(1), ..Retry::default() };
        let endpoint = endpoint.retry(retry);
        assert_hidden(&format!("{endpoint:?} {endpoint:#?}"));
        let messages = Messages::new(endpoint.clone(), "m-1").expect("it is an address");
        let chat = Chat::new(endpoint, "m-1").expect("it is an address");
        assert_hidden(&format!("{messages:?} {chat:?}"));
        for answer in [events(&messages, go()).await, events(&chat, go()).await] {
            assert_hidden(&format!("{answer:?}"));
            assert_hidden(&answer.1.map(|error| error.to_string()).unwrap_or_default());
        }
        assert_hidden(&format!("{:?}", recorder.events()));
        // It did go over the wire: what was looked for is what was there.
        let heads: String = server.came().iter().map(|came| came.head.clone()).collect();
        assert!(
            heads.contains(&format!("x-api-key: {KEY}"))
                && heads.contains(&format!("authorization: bearer {KEY}"))
        );
        assert!(server.came().iter().all(|came| !String::from_utf8_lossy(&came.body).contains(KEY)));
    }
}

#[test]
fn the_parts_of_a_request_hide_it() {
    let headers = vec![
        ("x-api-key", HeaderValue::Secret(Secret::new(KEY))),
        ("authorization", HeaderValue::Bearer(Secret::new(KEY))),
    ];
    let post = Post { url: format!("https://x/{KEY}"), headers, body: KEY.into() };
    assert_hidden(&format!("{post:?} {:?}", post.headers));
    assert!(post.headers.iter().all(|(_, value)| value.is_secret() && value.expose().contains(KEY)));
}

#[tokio::test]
async fn an_address_that_would_give_the_key_away_is_refused() {
    let open = |url: &str| {
        Messages::new(Endpoint::new(env()).base_url(url).key(Secret::new(KEY)), "m-1").map(|_| ())
    };
    let host = "models.example".to_owned();
    assert_eq!(open("http://models.example:8080"), Err(SetupError::Unprotected { host }));
    for url in ["https://me:pass@models.example", "https://models.example/?key=x"] {
        assert_eq!(open(url), Err(SetupError::MoreThanAddress));
    }
    for url in ["https://models.example", "http://localhost:1", "http://127.0.0.1", "http://[::1]:8080/v1"] {
        assert_eq!(open(url), Ok(()), "{url}");
    }
    let allowed =
        Endpoint::new(env()).base_url("http://models.example").key(Secret::new(KEY)).allow_plain_http();
    assert!(Messages::new(allowed, "m-1").is_ok());
    assert!(
        Messages::new(Endpoint::new(env()).base_url("http://models.example"), "m-1").is_ok(),
        "it has no key"
    );
}

#[tokio::test]
async fn the_environment_gives_key_and_address() {
    let server = Server::new([stream(usual_messages())]).await;
    let url = server.url();
    let lookup = |name: &str| match name {
        "ANTHROPIC_API_KEY" => Some(KEY.to_owned()),
        "ANTHROPIC_BASE_URL" => Some(url.clone()),
        _other => None,
    };
    let model = Messages::new(Endpoint::from_lookup(env(), &Messages::VARIABLES, lookup), "m-1");
    let (_events, error) = events(&model.expect("it is an address"), go()).await;
    assert_eq!(error, None);
    assert!(server.came()[0].head.contains(&format!("x-api-key: {KEY}")));
    assert_eq!((Chat::VARIABLES.key, Chat::VARIABLES.base_url), ("OPENAI_API_KEY", "OPENAI_BASE_URL"));
}

#[test]
fn no_proxy_sees_what_goes_to_a_server_on_this_machine() {
    let this = std::env::current_exe().expect("the tests are a program");
    let mut child = std::process::Command::new(this);
    // Nobody is behind this port: whoever asks the proxy fails.
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        child.env(name, "http://127.0.0.1:1");
    }
    child.env_remove("NO_PROXY").env_remove("no_proxy");
    let name = "models::secrets::the_environment_gives_key_and_address";
    let ended = child.args(["--exact", name]).output().expect("it runs");
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(ended.status.success() && said.contains("1 passed"), "{said}");
}
