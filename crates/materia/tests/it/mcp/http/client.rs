//! A client of the MCP server over HTTP: the server process, raw requests, and connections.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::test_env::{TestEnv, TestProcess};

/// `materia ui` in a env.
pub struct Served<'a> {
    server: Option<TestProcess<'a>>,
    /// The port it listens on.
    pub port: u16,
    /// What agents say.
    pub token: String,
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Everything before the body, in small letters.
    pub head: String,
    /// The body.
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let line = self
            .head
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        line.map(str::trim)
    }

    /// The messages in the body: one document, or one in each event.
    pub fn messages(&self) -> Vec<Value> {
        if !self.head.contains("text/event-stream") {
            return vec![
                serde_json::from_str(&self.body)
                    .unwrap_or_else(|error| panic!("{error}: {self:?}")),
            ];
        }
        let data = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data:"));
        data.filter_map(|data| serde_json::from_str(data.trim()).ok())
            .collect()
    }
}

impl<'a> Served<'a> {
    /// Starts it.
    pub fn new(env: &'a TestEnv) -> Self {
        Self::with(env, &[])
    }

    /// Starts it with variables.
    pub fn with(env: &'a TestEnv, variables: &[(&str, &str)]) -> Self {
        let call = env.materia(&["ui", "--port", "0", "--no-open", "--json"]);
        let call = variables
            .iter()
            .fold(call, |call, (name, value)| call.env(name, *value));
        let mut server = call.start();
        let told: Value = serde_json::from_str(&server.read_line()).unwrap();
        let url = told["mcp"]["url"].as_str().unwrap();
        let port = url
            .strip_suffix("/mcp")
            .unwrap()
            .rsplit(':')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        let token = std::fs::read_to_string(told["mcp"]["tokenFile"].as_str().unwrap()).unwrap();
        Self {
            server: Some(server),
            port,
            token,
        }
    }

    /// The headers of an agent that behaves.
    pub fn headers(&self) -> Vec<(&'static str, String)> {
        vec![
            ("host", format!("127.0.0.1:{}", self.port)),
            ("authorization", format!("Bearer {}", self.token)),
            ("accept", "application/json, text/event-stream".to_owned()),
            ("content-type", "application/json".to_owned()),
        ]
    }

    /// Sends a request and reads its head.
    pub fn begin(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, String)],
        body: &str,
    ) -> (String, BufReader<TcpStream>) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream
            .set_read_timeout(Some(std::time::Duration::from_secs(60)))
            .unwrap();
        let mut text = format!(
            "{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        // Who is refused early may not read all of it.
        let _cut = stream.write_all(format!("{text}\r\n{body}").as_bytes());
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while reader.read_line(&mut head).unwrap() > 2 {}
        (head.to_lowercase(), reader)
    }

    /// Sends a request and reads everything.
    pub fn raw(&self, method: &str, path: &str, headers: &[(&str, String)], body: &str) -> Answer {
        let (head, mut reader) = self.begin(method, path, headers, body);
        let mut bytes = Vec::new();
        if head.contains("transfer-encoding: chunked") {
            while let Some(chunk) = chunk(&mut reader) {
                bytes.extend(chunk);
            }
        } else {
            let _cut = reader.read_to_end(&mut bytes);
        }
        let status = head
            .split(' ')
            .nth(1)
            .unwrap_or_else(|| panic!("no answer: {head:?}"))
            .parse()
            .unwrap();
        Answer {
            status,
            head,
            body: String::from_utf8_lossy(&bytes).into_owned(),
        }
    }

    /// Asks the server to stop.
    pub fn end(mut self) -> i32 {
        let server = self.server.take().unwrap();
        server.signal(rustix::process::Signal::TERM);
        server.wait().code()
    }
}

impl Drop for Served<'_> {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            server.signal(rustix::process::Signal::TERM);
            let _ended = server.wait();
        }
    }
}

/// The next chunk of a body; none at its end.
pub fn chunk(reader: &mut BufReader<TcpStream>) -> Option<Vec<u8>> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let length = usize::from_str_radix(line.trim(), 16)
        .ok()
        .filter(|length| *length > 0)?;
    let mut bytes = vec![0; length + 2];
    reader.read_exact(&mut bytes).ok()?;
    bytes.truncate(length);
    Some(bytes)
}

/// One connection of an agent.
pub struct Http<'a> {
    served: &'a Served<'a>,
    path: String,
    connection: Option<String>,
    number: i64,
}

impl<'a> Http<'a> {
    /// A connection that has shaken hands.
    pub fn open(served: &'a Served<'a>, path: &str) -> Self {
        let mut http = Self {
            served,
            path: path.to_owned(),
            connection: None,
            number: 0,
        };
        let client = json!({"name": "test", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let answer = http
            .post(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}));
        assert_eq!(answer.status, 200, "{answer:?}");
        http.connection = answer.header("mcp-session-id").map(str::to_owned);
        assert!(http.connection.is_some(), "{answer:?}");
        let ready = http.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        assert_eq!(ready.status, 202, "{ready:?}");
        http
    }

    /// The headers of a request in this connection.
    pub fn headers(&self) -> Vec<(&'static str, String)> {
        let mut headers = self.served.headers();
        headers.extend(
            self.connection
                .iter()
                .map(|id| ("mcp-session-id", id.clone())),
        );
        headers.push(("mcp-protocol-version", "2025-11-25".to_owned()));
        headers
    }

    /// Sends a message.
    pub fn post(&self, message: &Value) -> Answer {
        self.served
            .raw("POST", &self.path, &self.headers(), &message.to_string())
    }

    /// Asks, and gives the answer whole.
    pub fn answer(&mut self, method: &str, params: &Value) -> Value {
        self.number += 1;
        let number = self.number;
        let answer =
            self.post(&json!({"jsonrpc": "2.0", "id": number, "method": method, "params": params}));
        let messages = answer.messages();
        let found = messages.into_iter().find(|message| message["id"] == number);
        found.unwrap_or_else(|| panic!("{method}: {answer:?}"))
    }

    /// Asks, and gives the result.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a table of calls reads better without references"
    )]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer(method, &params);
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Calls a tool.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a table of calls reads better without references"
    )]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Hangs up.
    pub fn close(&self) -> Answer {
        self.served.raw("DELETE", &self.path, &self.headers(), "")
    }
}
