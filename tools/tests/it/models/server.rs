//! A server on the loopback that plays what it is told, and a transport that plays it without a network.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt;
use futures_util::stream;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use toolwright::message::{Block, Message};
use toolwright::query::{Model, ModelError, ModelEvent, Request};
use toolwright_tools::models::{Post, Response, Transport, TransportError};

/// What the server does next with one request.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Sends the head of a response whose body comes in chunks.
    Head(u16, Vec<(&'static str, String)>),
    /// Sends one chunk of the body.
    Chunk(Vec<u8>),
    /// Ends the body.
    End,
    /// Sends bytes as they are.
    Raw(Vec<u8>),
    /// Waits.
    Pause(Duration),
    /// Breaks the connection without a farewell.
    Reset,
}

/// The head of a stream of events.
pub(crate) fn stream_head() -> Act {
    let headers = [("content-type", "text/event-stream; charset=utf-8"), ("request-id", "req_1")];
    Act::Head(200, headers.map(|(name, value)| (name, value.to_owned())).to_vec())
}

/// A whole stream of events in one piece.
pub(crate) fn stream(text: impl AsRef<[u8]>) -> Vec<Act> {
    vec![stream_head(), Act::Chunk(text.as_ref().to_vec()), Act::End]
}

/// A response that is no stream.
pub(crate) fn refusal(status: u16, headers: &[(&'static str, &str)], body: &str) -> Vec<Act> {
    let mut all = vec![("content-type", "application/json".to_owned())];
    all.extend(headers.iter().map(|(name, value)| (*name, (*value).to_owned())));
    vec![Act::Head(status, all), Act::Chunk(body.as_bytes().to_vec()), Act::End]
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Came {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

/// A server that answers one request after another as its script says, and the requests behind the last as the last.
pub(crate) struct Server {
    address: SocketAddr,
    came: Arc<Mutex<Vec<Came>>>,
    /// How many connections were closed from the other side before their response was whole.
    given_up: Arc<Mutex<usize>>,
    task: tokio::task::JoinHandle<()>,
}

impl Server {
    pub(crate) async fn new(script: impl IntoIterator<Item = Vec<Act>>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("the loopback has a port");
        let address = listener.local_addr().expect("it is bound");
        let came = Arc::new(Mutex::default());
        let given_up = Arc::new(Mutex::default());
        let script: Arc<Mutex<VecDeque<Vec<Act>>>> = Arc::new(Mutex::new(script.into_iter().collect()));
        let (seen, left) = (Arc::clone(&came), Arc::clone(&given_up));
        let task = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let (script, seen, left) = (Arc::clone(&script), Arc::clone(&seen), Arc::clone(&left));
                tokio::spawn(async move { serve(connection, &script, &seen, &left).await });
            }
        });
        Server { address, came, given_up, task }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn came(&self) -> Vec<Came> {
        lock(&self.came).clone()
    }

    pub(crate) fn given_up(&self) -> usize {
        *lock(&self.given_up)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn next(script: &Mutex<VecDeque<Vec<Act>>>) -> Vec<Act> {
    let mut script = lock(script);
    if script.len() > 1 {
        script.pop_front().unwrap_or_default()
    } else {
        script.front().cloned().unwrap_or_default()
    }
}

async fn serve(
    mut connection: TcpStream,
    script: &Mutex<VecDeque<Vec<Act>>>,
    came: &Mutex<Vec<Came>>,
    given_up: &Mutex<usize>,
) {
    drop(connection.set_nodelay(true));
    while let Some(request) = read_request(&mut connection).await {
        lock(came).push(request);
        for act in next(script) {
            if !play(&mut connection, &act).await {
                return;
            }
            if matches!(act, Act::Pause(_)) && is_closed(&mut connection).await {
                *lock(given_up) += 1;
                return;
            }
        }
    }
}

async fn is_closed(connection: &mut TcpStream) -> bool {
    let mut byte = [0];
    match tokio::time::timeout(Duration::from_millis(1), connection.peek(&mut byte)).await {
        Ok(Ok(0) | Err(_)) => true,
        Ok(Ok(_)) | Err(_) => false,
    }
}

/// Whether the connection still stands.
async fn play(connection: &mut TcpStream, act: &Act) -> bool {
    let bytes = match act {
        Act::Head(status, headers) => {
            let mut head = format!("HTTP/1.1 {status} Status\r\ntransfer-encoding: chunked\r\n");
            headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
            (head + "\r\n").into_bytes()
        }
        Act::Chunk(bytes) if bytes.is_empty() => return true,
        Act::Chunk(bytes) => [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat(),
        Act::End => b"0\r\n\r\n".to_vec(),
        Act::Raw(bytes) => bytes.clone(),
        Act::Pause(wait) => {
            tokio::time::sleep(*wait).await;
            return true;
        }
        Act::Reset => {
            // Without lingering, the system answers with a reset in place of a farewell.
            drop(connection.set_zero_linger());
            return false;
        }
    };
    connection.write_all(&bytes).await.is_ok() && connection.flush().await.is_ok()
}

async fn read_request(connection: &mut TcpStream) -> Option<Came> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        // The first byte of a greeting of TLS, which this server does not speak.
        if connection.read_buf(&mut bytes).await.ok()? == 0 || bytes.first() == Some(&0x16) {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"))?.trim().parse().ok()?;
    let mut body = bytes.split_off(end);
    while body.len() < length {
        if connection.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(Came { head, body })
}

/// Plays pieces without a network: for every cut, and for virtual time.
pub(crate) struct Played {
    answers: Mutex<VecDeque<Answer>>,
    /// When each request came.
    pub(crate) posts: Arc<Mutex<Vec<Post>>>,
}

/// One response of [`Played`].
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) pieces: Vec<Result<Vec<u8>, TransportError>>,
}

impl Answer {
    /// A stream of events in these pieces.
    pub(crate) fn stream(pieces: &[&[u8]]) -> Answer {
        Answer {
            status: 200,
            headers: vec![("content-type".to_owned(), "text/event-stream".to_owned())],
            pieces: pieces.iter().map(|piece| Ok(piece.to_vec())).collect(),
        }
    }

    /// A response that is no stream.
    pub(crate) fn refusal(status: u16, headers: &[(&str, &str)], body: &str) -> Answer {
        Answer {
            status,
            headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            pieces: vec![Ok(body.as_bytes().to_vec())],
        }
    }
}

impl Played {
    pub(crate) fn new(answers: impl IntoIterator<Item = Answer>) -> Played {
        Played { answers: Mutex::new(answers.into_iter().collect()), posts: Arc::default() }
    }
}

#[async_trait]
impl Transport for Played {
    async fn post(&self, request: Post) -> Result<Response, TransportError> {
        lock(&self.posts).push(request);
        let answer = lock(&self.answers).pop_front();
        let answer = answer.ok_or_else(|| TransportError("nobody is there".to_owned()))?;
        let body = Box::pin(stream::iter(answer.pieces));
        Ok(Response { status: answer.status, headers: answer.headers, body })
    }
}

/// All events of an answer, and the error that ended it.
pub(crate) async fn events(model: &dyn Model, request: Request) -> (Vec<ModelEvent>, Option<ModelError>) {
    let mut answer = model.respond(request);
    let mut events = Vec::new();
    while let Some(event) = answer.next().await {
        match event {
            Ok(event) => events.push(event),
            Err(error) => {
                assert!(answer.next().await.is_none(), "an error is the last thing");
                return (events, Some(error));
            }
        }
    }
    (events, None)
}

/// The blocks among events.
pub(crate) fn blocks(events: &[ModelEvent]) -> Vec<Block> {
    let block = |event: &ModelEvent| match event {
        ModelEvent::Block { block, .. } => Some(block.clone()),
        _other => None,
    };
    events.iter().filter_map(block).collect()
}

/// A request that says `go`.
pub(crate) fn go() -> Request {
    Request { messages: Arc::new(vec![Message::user("go")]), ..Request::default() }
}
