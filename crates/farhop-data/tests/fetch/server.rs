//! A server on this machine that says what a test wants it to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A request as the server saw it.
#[derive(Debug, Clone)]
pub struct Request {
    pub path: String,
    pub range: Option<String>,
    pub if_range: Option<String>,
}

impl Request {
    pub fn start(&self) -> usize {
        let text = self.range.as_deref().and_then(|range| range.strip_prefix("bytes="));
        text.and_then(|range| range.strip_suffix('-')).map_or(0, |start| start.parse().unwrap())
    }
}

/// A server on this machine; `answer` writes the whole response to request number `n`.
pub struct Server {
    pub address: String,
    pub seen: Arc<Mutex<Vec<Request>>>,
}

pub fn serve(answer: impl Fn(usize, &Request, &mut TcpStream) + Send + 'static) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let Some(request) = read_request(&stream) else { continue };
            let number = {
                let mut log = log.lock().unwrap();
                log.push(request.clone());
                log.len() - 1
            };
            answer(number, &request, &mut stream);
            // What the client has not read yet must not be lost to a reset.
            let _ = stream.flush();
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let _ = stream.read(&mut [0; 64]);
        }
    });
    Server { address, seen }
}

fn read_request(stream: &TcpStream) -> Option<Request> {
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    let path = lines.next()?.ok()?.split(' ').nth(1)?.to_string();
    let mut request = Request { path, range: None, if_range: None };
    for line in lines {
        let line = line.ok()?;
        let Some((name, value)) = line.split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "range" => request.range = Some(value.trim().to_string()),
            "if-range" => request.if_range = Some(value.trim().to_string()),
            _ => {}
        }
    }
    Some(request)
}

/// Everything from where the request wants it, `cut` bytes at most, and the headers of an honest server.
pub fn honest(content: &[u8], request: &Request, stream: &mut TcpStream, cut: usize, headers: &str) {
    let start = request.start().min(content.len());
    let rest = &content[start..];
    let status = match request.range {
        Some(_) => {
            format!("206 Partial Content\r\nContent-Range: bytes {start}-{}/{}", content.len() - 1, content.len())
        }
        None => "200 OK".to_string(),
    };
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n", rest.len());
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(&rest[..cut.min(rest.len())]);
}

pub fn status(stream: &mut TcpStream, line: &str) {
    let _ = stream.write_all(format!("HTTP/1.1 {line}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").as_bytes());
}
