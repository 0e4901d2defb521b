//! A browser that is told what a person does: keys and the wheel, as the browser itself would hear of them.
//!
//! It is spoken to in its DevTools protocol: JSON in the frames of a WebSocket on the loopback.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::cli::Folder;
use super::browser::browser;

/// How long anything may take that the browser is asked for.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long to wait between two looks.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Held down together with a key or while the wheel turns.
pub(super) const NOTHING: u8 = 0;
pub(super) const CTRL: u8 = 2;
pub(super) const SHIFT: u8 = 8;

/// A page in a browser that goes on until this is dropped.
pub(super) struct Watched {
    browser: Child,
    socket: Option<Socket>,
    asked: u64,
}

impl Watched {
    /// Opens a page, and waits until its script has run. Nothing where there is no browser.
    pub(super) fn open(folder: &Folder, page: &Path) -> Option<Watched> {
        let program = browser()?;
        let profile = folder.0.join("watched");
        let browser = Command::new(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .args(["--window-size=1400,900", "--remote-debugging-port=0"])
            .arg(format!("file://{}", page.display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser can be started");
        let mut watched = Watched { browser, socket: None, asked: 0 };
        let port = soon("the browser says its port", || port_in(&profile));
        let address = soon("the page is there", || address_of_page(port));
        watched.socket = Some(Socket::connect(port, &address));
        watched.until("the page is drawn", "document.documentElement?.dataset.drawn", &json!("yes"));
        Some(watched)
    }

    /// What an expression comes to in the page.
    pub(super) fn value(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "returnByValue": true});
        let answer = self.ask("Runtime.evaluate", &asked);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Waits until an expression comes to this.
    pub(super) fn until(&mut self, what: &str, expression: &str, wanted: &Value) {
        let began = Instant::now();
        loop {
            let value = self.value(expression);
            if value == *wanted {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "{what}: `{expression}` is {value}, and not {wanted}");
            std::thread::sleep(BETWEEN_LOOKS);
        }
    }

    /// Presses a key and lets it go. Keys that write are given by what they write.
    pub(super) fn press(&mut self, key: &str, held: u8) {
        let (code, number) = code_of(key);
        let mut down = json!({
            "type": "keyDown", "key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": held,
        });
        if key.len() == 1 {
            down["text"] = json!(key);
        }
        self.ask("Input.dispatchKeyEvent", &down);
        let up = json!({
            "type": "keyUp", "key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": held,
        });
        self.ask("Input.dispatchKeyEvent", &up);
    }

    /// Turns the wheel over the middle of the first element that this selects; down is above zero.
    pub(super) fn wheel(&mut self, over: &str, by: f64, held: u8) {
        let middle = format!(
            "(() => {{ const box = document.querySelector({}).getBoundingClientRect(); \
             return [box.left + box.width / 2, box.top + box.height / 2]; }})()",
            json!(over)
        );
        let middle = self.value(&middle);
        let turned = json!({
            "type": "mouseWheel", "x": middle[0], "y": middle[1], "deltaX": 0, "deltaY": by, "modifiers": held,
        });
        self.ask("Input.dispatchMouseEvent", &turned);
    }

    fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.asked += 1;
        let (id, socket) = (self.asked, self.socket.as_mut().expect("it is connected"));
        socket.send(&json!({"id": id, "method": method, "params": parameters}).to_string());
        loop {
            let answer: Value = serde_json::from_str(&socket.receive()).expect("a browser speaks JSON");
            // Between the answers it tells of what happens.
            if answer["id"] == json!(id) {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // It ends its own helpers when it is told to close; what cannot be told is killed.
        if let Some(socket) = &mut self.socket {
            socket.try_send(&json!({"id": 0, "method": "Browser.close"}).to_string());
        }
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(5) {
            if matches!(self.browser.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
        drop(self.browser.kill());
        drop(self.browser.wait());
    }
}

/// Where a key is, and its number.
fn code_of(key: &str) -> (&'static str, u32) {
    match key {
        "ArrowLeft" => ("ArrowLeft", 37),
        "ArrowUp" => ("ArrowUp", 38),
        "ArrowRight" => ("ArrowRight", 39),
        "ArrowDown" => ("ArrowDown", 40),
        "Home" => ("Home", 36),
        "End" => ("End", 35),
        "Escape" => ("Escape", 27),
        "+" => ("Equal", 187),
        "-" => ("Minus", 189),
        "0" => ("Digit0", 48),
        "/" | "?" => ("Slash", 191),
        "a" => ("KeyA", 65),
        "d" => ("KeyD", 68),
        "p" => ("KeyP", 80),
        other => panic!("no test presses `{other}` yet: add where it is"),
    }
}

/// Looks until there is something.
fn soon<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        std::thread::sleep(BETWEEN_LOOKS);
    }
}

fn port_in(profile: &Path) -> Option<u16> {
    let said: PathBuf = profile.join("DevToolsActivePort");
    std::fs::read_to_string(said).ok()?.lines().next()?.parse().ok()
}

/// The path at which the page is spoken to.
fn address_of_page(port: u16) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    write!(stream, "GET /json/list HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n").ok()?;
    let mut reader = BufReader::new(stream);
    let length = header(&mut reader, "content-length")?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let pages: Value = serde_json::from_slice(&body).ok()?;
    let page = pages.as_array()?.iter().find(|page| page["type"] == "page" && is_file(page))?;
    let address = page["webSocketDebuggerUrl"].as_str()?;
    Some(address.split_once("//")?.1.split_once('/')?.1.to_owned())
}

fn is_file(page: &Value) -> bool {
    page["url"].as_str().is_some_and(|address| address.starts_with("file:"))
}

/// Reads to the end of the headers; gives one of them.
fn header(reader: &mut impl BufRead, name: &str) -> Option<String> {
    let mut found = None;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim_end();
        if line.is_empty() {
            return found;
        }
        if let Some((key, value)) = line.split_once(':')
            && key.eq_ignore_ascii_case(name)
        {
            found = Some(value.trim().to_owned());
        }
    }
}

/// One WebSocket, from the side of who connects (RFC 6455).
struct Socket(BufReader<TcpStream>);

const FIN: u8 = 0x80;
const TEXT: u8 = 1;
const MASKED: u8 = 0x80;

impl Socket {
    fn connect(port: u16, path: &str) -> Socket {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the browser listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout can be set");
        let asked = format!(
            "GET /{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        stream.write_all(asked.as_bytes()).expect("the browser reads");
        let mut reader = BufReader::new(stream);
        let accepted = header(&mut reader, "sec-websocket-accept");
        assert!(accepted.is_some(), "the browser takes the connection");
        Socket(reader)
    }

    fn send(&mut self, text: &str) {
        assert!(self.try_send(text), "the browser reads");
    }

    /// A mask of zeros changes nothing, and is one that the protocol takes.
    fn try_send(&mut self, text: &str) -> bool {
        let mut frame = vec![FIN | TEXT];
        match u16::try_from(text.len()) {
            Ok(length) if length < 126 => frame.push(MASKED | u8::try_from(length).expect("below 126")),
            Ok(length) => {
                frame.push(MASKED | 126);
                frame.extend(length.to_be_bytes());
            }
            Err(_longer) => panic!("no test sends so much"),
        }
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        self.0.get_mut().write_all(&frame).is_ok()
    }

    /// The next text, which may come in several frames.
    fn receive(&mut self) -> String {
        let mut text = Vec::new();
        loop {
            let [first, second] = self.bytes();
            let length = match second {
                126 => u64::from(u16::from_be_bytes(self.bytes())),
                127 => u64::from_be_bytes(self.bytes()),
                short => u64::from(short),
            };
            let mut part = vec![0; usize::try_from(length).expect("it fits into memory")];
            self.0.read_exact(&mut part).expect("the frame comes whole");
            // A text, or more of it; what else comes, such as a ping, is not for us.
            if first & 0x0f <= TEXT {
                text.extend(part);
                if first & FIN != 0 {
                    return String::from_utf8(text).expect("a text is UTF-8");
                }
            }
        }
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes).expect("the browser goes on speaking");
        bytes
    }
}
