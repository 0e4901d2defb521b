//! Servers that misbehave: nothing hangs, nothing is lost that was sound, and what went wrong is told.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use toolwright::message::Content;
use toolwright::session::Session;
use toolwright_tools::mcp::client::{Reach, ServerConfig, Servers};

use super::{call, config, env, names, program, session};

/// How many tools the server with many has, unless the environment says otherwise.
const MANY: usize = 300;

/// A server, the session that has its tools, and the folder it runs in.
struct Met {
    servers: Servers,
    session: Session,
    folder: tempfile::TempDir,
}

async fn met(arguments: &[&str], adjust: impl FnOnce(&mut ServerConfig)) -> Met {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/mcp/peer.sh");
    let arguments = [&[script], arguments].concat();
    let mut config = program("peer", PathBuf::from("sh"), &arguments, folder.path());
    adjust(&mut config);
    let servers = Servers::start(&env(), vec![config]).await;
    let session = session(&servers, &["mcp__peer"]);
    Met { servers, session, folder }
}

impl Met {
    fn problems(&self) -> String {
        self.servers.problems().iter().map(|problem| format!("{problem}\n")).collect()
    }

    fn tools(&self) -> Vec<String> {
        let all = names(&self.session).into_iter();
        all.filter_map(|name| name.strip_prefix("mcp__peer__").map(str::to_owned)).collect()
    }

    async fn act(&self) -> (bool, String) {
        let result = call(&self.session, "mcp__peer__act", "{}").await;
        (result.is_error, result.content.to_text())
    }
}

fn fine() -> (bool, String) {
    (false, "fine".to_owned())
}

#[tokio::test]
async fn noise_foreign_answers_and_requests_between_the_answers_change_nothing() {
    for kind in ["garbage", "wrong-id", "vague"] {
        let met = met(&[kind], |_| {}).await;
        assert_eq!(met.problems(), "", "{kind}");
        for _ in 0..2 {
            assert_eq!(met.act().await, fine(), "{kind}");
        }
    }
}

#[tokio::test]
async fn a_second_answer_is_nobodys() {
    let met = met(&["twice"], |_| {}).await;
    for number in 1..4 {
        assert_eq!(met.act().await, (false, format!("first {number}")));
    }
}

#[tokio::test]
async fn an_answer_of_another_kind_is_an_error_of_that_call() {
    let met = met(&["wrong-kind"], |_| {}).await;
    let (is_error, said) = met.act().await;
    assert!(is_error && said.contains("its answer is"), "{said}");
}

#[tokio::test]
async fn a_message_that_is_too_long_is_one_error_with_the_reason_and_the_server_comes_back() {
    let met = met(&["oversize"], |_| {}).await;
    let (is_error, said) = met.act().await;
    assert!(is_error && said.contains("a message of more than 16777216 bytes"), "{said}");
    assert_eq!(met.act().await, fine());
}

#[tokio::test]
async fn a_server_that_dies_in_a_call_is_one_error_and_comes_back() {
    let met = met(&["dies"], |_| {}).await;
    let (is_error, said) = met.act().await;
    assert!(is_error && said.contains("did not answer") && said.contains("started again"), "{said}");
    assert_eq!(met.act().await, fine());
}

/// A server that never stops talking and never answers ends with the call's time, and leaves nothing behind.
#[tokio::test]
async fn a_flood_does_not_outlast_the_calls_time() {
    let met = met(&["flood"], |config| config.call_timeout = Duration::from_millis(500)).await;
    let began = Instant::now();
    let (is_error, said) = met.act().await;
    assert!(is_error && began.elapsed() < Duration::from_secs(20), "{said} after {:?}", began.elapsed());
    met.servers.end(&env()).await;
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_server_that_is_silent_from_the_beginning_keeps_nobody_for_longer_than_its_time() {
    for kind in ["silent", "silent-list"] {
        let began = Instant::now();
        let met = met(&[kind], |config| config.start_timeout = Duration::from_millis(300)).await;
        assert!(began.elapsed() < Duration::from_secs(10), "{kind}: {:?}", began.elapsed());
        assert!(met.problems().contains("MCP_TIMEOUT"), "{kind}: {}", met.problems());
        assert!(met.tools().is_empty(), "{kind}");
    }
}

#[tokio::test]
async fn lists_without_an_end_are_not_taken() {
    for (kind, words) in [("pages", "the same page again"), ("endless-pages", "more than 1000 pages")] {
        let met = met(&[kind], |_| {}).await;
        assert!(met.problems().contains(words), "{kind}: {}", met.problems());
        assert!(met.tools().is_empty(), "{kind}");
    }
}

#[tokio::test]
async fn a_changed_list_over_real_streams_arrives_in_the_session() {
    let met = met(&["storm"], |_| {}).await;
    let session = std::sync::Arc::new(met.session);
    let (told, before) = (std::sync::Arc::clone(&session), session.pool().definitions());
    met.servers.on_tools(move |tools| told.add_remote(tools));
    let began = Instant::now();
    while session.pool().find("mcp__peer__act_2").is_err() {
        assert!(began.elapsed() < super::PATIENCE, "it never arrives: {:?}", names(&session));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(session.pool().definitions()[..before.len()], before[..], "what was sent stays as it was");
}

/// Each list is followed at once by the word that it has changed, and so it has.
#[tokio::test]
async fn lists_that_change_all_the_time_are_asked_for_once_in_a_while() {
    let met = met(&["storm"], |_| {}).await;
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert_eq!(met.act().await, fine(), "it can be called meanwhile");
    let lists = std::fs::read_to_string(met.folder.path().join("lists")).expect("it was listed");
    assert!((2..=4).contains(&lists.lines().count()), "{} lists", lists.lines().count());
}

#[tokio::test]
async fn wild_names_are_tamed_and_long_texts_are_cut() {
    let met = met(&["names"], |_| {}).await;
    assert_eq!(met.problems(), "");
    assert_eq!(
        met.tools(),
        ["", "__31mred_line__right", "act", "talks"].map(|name| match name {
            "" => "_".to_owned(),
            name => name.to_owned(),
        })
    );
    let pool = met.session.pool();
    for tool in pool.tools() {
        assert!(tool.definition().len() < 4_000, "{} bytes", tool.definition().len());
        assert!(!tool.definition().contains('\u{1b}'), "{}", tool.definition());
        assert!(tool.form().search_hint.as_ref().is_none_or(|hint| hint.len() <= 200));
    }
    assert_eq!(met.act().await, fine());
}

#[tokio::test]
async fn a_tool_whose_schema_is_wrong_leads_away_or_is_too_large_is_left_out_by_name_and_the_others_stay() {
    let met = met(&["schemas"], |_| {}).await;
    assert_eq!(met.tools(), ["act", "circle"]);
    let told = met.problems();
    for name in ["wrong", "away", "pattern", "huge"] {
        assert!(told.contains(&format!("the tool `{name}` is left out")), "{name}: {told}");
    }
    assert!(told.len() < 3_000, "{} characters", told.len());
    let nested = call(&met.session, "mcp__peer__circle", r#"{"more":{"more":{"more":{}}}}"#).await;
    assert!(!nested.is_error, "{nested:?}");
}

/// A request with a picture that its provider cannot read is refused, and so would be each one after it.
#[tokio::test]
async fn pictures_that_are_none_become_words_and_others_are_what_their_bytes_say() {
    let met = met(&["images"], |_| {}).await;
    let result = call(&met.session, "mcp__peer__act", "{}").await;
    let Content::Blocks(blocks) = &result.content else { panic!("{result:?}") };
    let shown: Vec<&str> = blocks.iter().filter_map(|block| block["source"]["media_type"].as_str()).collect();
    assert_eq!(shown, ["image/gif"], "{blocks:?}");
    let said = result.content.to_text();
    assert!(said.contains("is not a PNG") && said.contains("base 64") && said.ends_with("end"), "{said}");
}

#[tokio::test]
async fn very_many_tools_are_listed_found_and_called() {
    let many = std::env::var("TOOLWRIGHT_MANY_TOOLS").ok().and_then(|many| many.parse().ok()).unwrap_or(MANY);
    let met = met(&["many", &many.to_string()], |_| {}).await;
    assert_eq!((met.problems().as_str(), met.tools().len()), ("", many));
    let last = format!("mcp__peer__act{}", many - 1);
    assert_eq!(call(&met.session, &last, "{}").await.content.to_text(), "fine");
    let unknown = call(&met.session, "mcp__peer__akt7", "{}").await;
    assert!(unknown.is_error && unknown.content.to_text().contains("mcp__peer__act7"), "{unknown:?}");
}

/// A listener on the loopback that answers every request with these bytes.
async fn answering(answer: &'static str) -> ServerConfig {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("the loopback has a port");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(async move {
        while let Ok((mut stream, _from)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = vec![0; 64 * 1024];
                drop(stream.read(&mut request).await);
                drop(stream.write_all(answer.as_bytes()).await);
            });
        }
    });
    let reach = Reach::Http { url: format!("http://{address}/mcp"), headers: Default::default() };
    ServerConfig { start_timeout: Duration::from_secs(3), ..config("far", reach) }
}

#[tokio::test]
async fn what_cannot_be_reached_by_http_says_what_to_do() {
    let cases = [
        (
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer realm=\"x\"\r\nContent-Length: 0\r\n\r\n",
            ["OAuth is not supported", "Bearer ${TOKEN}"],
        ),
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", ["404", "`sse`, which is not supported"]),
        (
            "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n",
            ["405", "`sse`, which is not supported"],
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\n<p>hi",
            ["`far`", "text/html"],
        ),
        ("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\nnull", ["`far`", ""]),
        ("no http at all\r\n\r\n", ["`far`", ""]),
    ];
    for (answer, words) in cases {
        let servers = Servers::start(&env(), vec![answering(answer).await]).await;
        let told: String = servers.problems().iter().map(ToString::to_string).collect();
        assert!(words.iter().all(|word| told.contains(word)), "{answer}: {told}");
        assert!(told.len() < 2_000, "{told}");
    }
}
