//! A provider on the loopback, which plays a conversation in the Messages format.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

/// A part of an answer.
pub(super) enum Part {
    Events(String),
    /// Waits until the test says so, or has ended.
    Wait(Receiver<()>),
}

pub(super) type Answer = Vec<Part>;

/// A place where an answer waits.
pub(super) fn gate() -> (Sender<()>, Part) {
    let (open, wait) = channel();
    (open, Part::Wait(wait))
}

/// Answers one request after another; whoever asks more often hears nothing.
pub(super) struct Provider {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Provider {
    pub(super) fn new(answers: impl IntoIterator<Item = Answer>) -> Provider {
        let listener = TcpListener::bind("127.0.0.1:0").expect("the loopback has a port");
        let address = listener.local_addr().expect("it is bound");
        let asked: Arc<Mutex<Vec<Value>>> = Arc::default();
        let (seen, answers) = (Arc::clone(&asked), answers.into_iter().collect::<Vec<_>>());
        std::thread::spawn(move || {
            let mut answers = answers.into_iter();
            for connection in listener.incoming().flatten() {
                let mut reader = BufReader::new(connection);
                let Some(body) = request(&mut reader) else { continue };
                seen.lock().unwrap_or_else(PoisonError::into_inner).push(body);
                let Some(answer) = answers.next() else { continue };
                std::thread::spawn(move || play(reader.into_inner(), answer));
            }
        });
        Provider { address, asked }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The bodies of the requests that came.
    pub(super) fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn request(reader: &mut BufReader<TcpStream>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(told) = line.to_lowercase().strip_prefix("content-length:") {
            length = told.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

/// The end of the connection is the end of the body.
fn play(mut connection: TcpStream, answer: Answer) {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let mut send = |text: &str| drop(connection.write_all(text.as_bytes()).and_then(|()| connection.flush()));
    send(head);
    for part in answer {
        match part {
            Part::Events(text) => send(&text),
            Part::Wait(gate) => drop(gate.recv()),
        }
    }
}

fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().expect("events have types"))
}

pub(super) fn begin(id: &str) -> Part {
    let usage = json!({"input_tokens": 10, "output_tokens": 1});
    let message = json!({"id": id, "type": "message", "role": "assistant", "model": "m-1", "content": [], "usage": usage});
    Part::Events(event(&json!({"type": "message_start", "message": message})))
}

pub(super) fn text(index: usize, text: &str) -> Part {
    let delta = json!({"type": "text_delta", "text": text});
    block(index, &json!({"type": "text", "text": ""}), &delta)
}

pub(super) fn call(index: usize, id: &str, tool: &str, input: &Value) -> Part {
    let delta = json!({"type": "input_json_delta", "partial_json": input.to_string()});
    block(index, &json!({"type": "tool_use", "id": id, "name": tool, "input": {}}), &delta)
}

fn block(index: usize, start: &Value, delta: &Value) -> Part {
    let events = [
        json!({"type": "content_block_start", "index": index, "content_block": start}),
        json!({"type": "content_block_delta", "index": index, "delta": delta}),
        json!({"type": "content_block_stop", "index": index}),
    ];
    Part::Events(events.iter().map(event).collect())
}

pub(super) fn end(reason: &str) -> Part {
    let delta = json!({"stop_reason": reason, "stop_sequence": null});
    let events = [
        json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7}}),
        json!({"type": "message_stop"}),
    ];
    Part::Events(events.iter().map(event).collect())
}

/// A whole message that makes these calls.
pub(super) fn calls(id: &str, made: &[(&str, &str, Value)]) -> Answer {
    let blocks = made.iter().enumerate().map(|(index, (id, tool, input))| call(index, id, tool, input));
    std::iter::once(begin(id)).chain(blocks).chain([end("tool_use")]).collect()
}

/// A whole message that says something.
pub(super) fn says(id: &str, words: &str) -> Answer {
    vec![begin(id), text(0, words), end("end_turn")]
}
