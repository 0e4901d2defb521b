//! Everything that can go wrong on the wire: each fault ends in an error of its kind or in a right answer, in time, and
//! never in half a call.

use std::time::Duration;

use toolwright::env::Env;
use toolwright::message::Block;
use toolwright::query::{Model, ModelErrorKind};
use toolwright_tools::models::{Chat, Endpoint, Http, Messages, Retry, Timeouts};

use super::fixtures::{event, usual_chat, usual_messages};
use super::server::{Act, Server, blocks, events, go, refusal, stream, stream_head};

/// Longer than any fault may take.
const LIMIT: Duration = Duration::from_secs(40);
/// How many faults are played side by side.
const SIDE_BY_SIDE: usize = 14;

fn endpoint(server: &Server, http: &Http) -> Endpoint {
    let timeouts = Timeouts {
        response: Duration::from_millis(1_500),
        idle: Duration::from_millis(1_500),
        total: Duration::from_secs(5),
    };
    let retry = Retry { attempts_max: 2, wait_first: Duration::from_millis(1), ..Retry::default() };
    let env = Env::tokio().expect("tests run on tokio");
    Endpoint::new(env).base_url(server.url()).timeouts(timeouts).retry(retry).transport(http.clone())
}

fn http() -> Http {
    Http::to_this_machine().expect("the machine has certificates")
}

fn both(server: &Server, http: &Http) -> [(&'static str, Box<dyn Model>); 2] {
    let messages = Messages::new(endpoint(server, http), "m-1").expect("it is an address");
    let chat = Chat::new(endpoint(server, http), "m-1").expect("it is an address");
    [("messages", Box::new(messages)), ("chat", Box::new(chat))]
}

fn usual(name: &str) -> String {
    if name == "messages" { usual_messages() } else { usual_chat() }
}

fn drip(text: &str, wait: Duration) -> Vec<Act> {
    let mut acts = vec![stream_head()];
    for byte in text.bytes() {
        acts.extend([Act::Chunk(vec![byte]), Act::Pause(wait)]);
    }
    acts
}

/// A fault, what the server does, and how it must end; nothing where the answer must be right.
type Fault = (&'static str, Vec<Vec<Act>>, Option<ModelErrorKind>);

/// Faults of a stream that has begun.
fn faults(name: &str) -> Vec<Fault> {
    use ModelErrorKind::{Connection, Malformed, TimedOut, TooLarge};
    let usual = usual(name);
    let half = usual.find("Probe").expect("there is a call");
    let (left, right) = usual.as_bytes().split_at(half);
    let begun = |more: &[Act]| [&[stream_head(), Act::Chunk(left.to_vec())], more].concat();
    let huge = vec![b'x'; 1 << 20];
    let huge: Vec<Act> = std::iter::repeat_n(Act::Chunk(huge), 18).collect();
    let minute = Duration::from_secs(60);
    vec![
        ("it breaks off within an event", vec![begun(&[Act::End])], Some(Connection)),
        ("the connection breaks within a block", vec![begun(&[Act::Reset])], Some(Connection)),
        ("it falls silent within a block", vec![begun(&[Act::Pause(minute)])], Some(TimedOut)),
        ("bytes that are no chunk", vec![begun(&[Act::Raw(b"zzz\r\n".to_vec())])], Some(Connection)),
        ("no UTF-8", vec![begun(&[Act::Chunk(b"\xff\xfe\n\n".to_vec())])], Some(Malformed)),
        ("a NUL", vec![begun(&[Act::Chunk(b"\0\n\n".to_vec())])], Some(Malformed)),
        (
            "a pause that is short enough",
            vec![begun(&[Act::Pause(Duration::from_millis(100)), Act::Chunk(right.to_vec()), Act::End])],
            None,
        ),
        ("nothing at all, then an answer", vec![vec![Act::Reset], stream(&usual)], None),
        ("an empty stream, then an answer", vec![stream(""), stream(&usual)], None),
        ("an empty stream for ever", vec![stream("")], Some(Connection)),
        ("no connection for ever", vec![vec![Act::Reset]], Some(Connection)),
        ("it never begins", vec![vec![Act::Pause(minute)]], Some(TimedOut)),
        (
            "a drip that completes no line",
            vec![drip(&"x".repeat(2_000), Duration::from_millis(30))],
            Some(TimedOut),
        ),
        ("comments for ever", vec![drip(&":\n".repeat(5_000), Duration::from_millis(5))], Some(TimedOut)),
        (
            "a huge event",
            vec![[vec![stream_head(), Act::Chunk(b"data: ".to_vec())], huge].concat()],
            Some(TooLarge),
        ),
    ]
}

/// Responses that are no stream.
fn refusals(name: &str) -> Vec<Fault> {
    use ModelErrorKind::Unauthorised;
    use ModelErrorKind::{Connection, Malformed, NotFound, Other, Overloaded, RateLimited, Server as Failed};
    let usual = usual(name);
    let page = "<html><body>Bad gateway, says the proxy</body></html>";
    let html = |status| {
        vec![
            Act::Head(status, vec![("content-type", "text/html".to_owned())]),
            Act::Chunk(page.into()),
            Act::End,
        ]
    };
    let minute = Duration::from_secs(60);
    vec![
        (
            "what is no HTTP",
            vec![vec![Act::Raw(b"220 mail.example ESMTP\r\n\r\n".to_vec()), Act::Reset]],
            Some(Connection),
        ),
        ("a page in place of a stream", vec![html(200)], Some(Malformed)),
        ("a page with an error", vec![html(502)], Some(Failed)),
        ("JSON in place of a stream", vec![refusal(200, &[], "{}")], Some(Malformed)),
        ("a redirect", vec![refusal(307, &[("location", "http://127.0.0.1:9/")], "")], Some(Other)),
        (
            "too many requests, then an answer",
            vec![refusal(429, &[("retry-after", "0")], "{}"), stream(&usual)],
            None,
        ),
        ("too many requests for ever", vec![refusal(429, &[], "{}")], Some(RateLimited)),
        ("overloaded, then an answer", vec![refusal(529, &[], "{}"), stream(&usual)], None),
        ("overloaded for ever", vec![refusal(529, &[], "{}")], Some(Overloaded)),
        ("failing for ever", vec![refusal(500, &[], "not even JSON")], Some(Failed)),
        ("a wrong key, once", vec![refusal(401, &[], "{}"), stream(&usual)], Some(Unauthorised)),
        ("no such model", vec![refusal(404, &[], "{}")], Some(NotFound)),
        (
            "an error that never ends",
            vec![vec![Act::Head(500, Vec::new()), Act::Chunk(b"wo".to_vec()), Act::Pause(minute)]],
            Some(Failed),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_fault_ends_in_time_in_an_error_of_its_kind_or_a_right_answer() {
    let http = http();
    let mut cases = Vec::new();
    for name in ["messages", "chat"] {
        cases.extend(faults(name).into_iter().chain(refusals(name)).map(|fault| (name, fault)));
    }
    assert!(cases.len() > 50);
    let mut cases = cases.into_iter();
    loop {
        let running: Vec<_> = cases
            .by_ref()
            .take(SIDE_BY_SIDE)
            .map(|(name, (fault, script, kind))| {
                let http = http.clone();
                tokio::spawn(async move { play(&http, name, fault, script, kind).await })
            })
            .collect();
        if running.is_empty() {
            return;
        }
        for one in running {
            one.await.expect("the fault ends as it must");
        }
    }
}

async fn play(http: &Http, name: &str, fault: &str, script: Vec<Vec<Act>>, kind: Option<ModelErrorKind>) {
    let server = Server::new(script).await;
    let [messages, chat] = both(&server, http);
    let model = if name == "messages" { messages.1 } else { chat.1 };
    let answer = tokio::time::timeout(LIMIT, events(&*model, go())).await;
    let (events, error) = answer.unwrap_or_else(|_late| panic!("{name}, {fault}: it hangs"));
    assert_eq!(error.as_ref().map(|error| error.kind), kind, "{name}, {fault}: {error:?}");
    let calls = blocks(&events).iter().filter(|block| matches!(block, Block::ToolUse(_))).count();
    assert_eq!(calls, if kind.is_none() { 2 } else { 0 }, "{name}, {fault}: {events:?}");
}

#[tokio::test]
async fn an_error_within_the_stream_ends_it_and_is_asked_again_only_before_any_block() {
    let begin = event(&serde_json::json!({ "type": "message_start", "message": { "id": "msg_1" } }));
    let overloaded = event(
        &serde_json::json!({ "type": "error", "error": { "type": "overloaded_error", "message": "busy" } }),
    );
    let server = Server::new([stream(begin.clone() + &overloaded), stream(usual_messages())]).await;
    let model = Messages::new(endpoint(&server, &http()), "m-1").expect("it is an address");
    let (got, error) = events(&model, go()).await;
    assert_eq!((error, blocks(&got).len(), server.came().len()), (None, 3, 2));

    let text = usual_messages();
    let end_of_text = text.find("content_block_stop").expect("a block ends");
    let end_of_text = end_of_text + text[end_of_text..].find("\n\n").expect("the event ends") + 2;
    let server =
        Server::new([stream(text[..end_of_text].to_owned() + &overloaded), stream(usual_messages())]).await;
    let model = Messages::new(endpoint(&server, &http()), "m-1").expect("it is an address");
    let (got, error) = events(&model, go()).await;
    let error = error.expect("it broke off");
    assert_eq!(
        (error.kind, error.is_retryable(), error.request_id.as_deref()),
        (ModelErrorKind::Overloaded, true, Some("req_1"))
    );
    assert_eq!((blocks(&got).len(), server.came().len()), (1, 1));
}

#[tokio::test]
async fn dropping_the_answer_closes_the_connection() {
    use futures_util::StreamExt;
    let text = usual_messages();
    let head = &text[..text.find("Probe").expect("there is a call")];
    let pauses = std::iter::repeat_n(Act::Pause(Duration::from_millis(20)), 100);
    let script = [stream_head(), Act::Chunk(head.into())].into_iter().chain(pauses).collect();
    let server = Server::new([script]).await;
    let model = Messages::new(endpoint(&server, &http()), "m-1").expect("it is an address");
    let mut answer = model.respond(go());
    assert!(answer.next().await.is_some_and(|event| event.is_ok()));
    assert_eq!(server.given_up(), 0);
    drop(answer);
    for _ in 0..100 {
        if server.given_up() == 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the server still speaks to nobody");
}

#[tokio::test]
async fn the_pieces_of_a_body_may_be_cut_anywhere_on_the_wire_too() {
    for name in ["messages", "chat"] {
        let text = usual(name);
        let script = (0..text.len()).step_by(7).map(|cut| {
            let (left, right) = text.as_bytes().split_at(cut);
            vec![stream_head(), Act::Chunk(left.to_vec()), Act::Chunk(right.to_vec()), Act::End]
        });
        let count = script.len();
        let server = Server::new(script).await;
        let [messages, chat] = both(&server, &http());
        let model = if name == "messages" { messages.1 } else { chat.1 };
        let whole = events(&*model, go()).await;
        assert_eq!((blocks(&whole.0).len(), &whole.1), (3, &None));
        for _ in 1..count {
            assert_eq!(events(&*model, go()).await, whole);
        }
    }
}

#[tokio::test]
async fn a_server_without_tls_is_no_server_for_https() {
    let server = Server::new([stream(usual_messages())]).await;
    let endpoint = endpoint(&server, &http()).base_url(server.url().replace("http://", "https://"));
    let model = Messages::new(endpoint, "m-1").expect("it is an address");
    let (events, error) = events(&model, go()).await;
    assert_eq!((events.len(), error.map(|error| error.kind)), (0, Some(ModelErrorKind::Connection)));
}
