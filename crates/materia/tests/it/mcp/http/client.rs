//! An MCP client over HTTP: the server process, raw requests, and connections.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::test_env::{TestEnv, TestProcess};

/// A running `materia ui`.
pub struct UiServer<'a> {
    server: Option<TestProcess<'a>>,
    pub port: u16,
    /// The token for agents.
    pub token: String,
}

/// An HTTP response.
#[derive(Debug)]
pub struct HttpResponse {
    pub status: u16,
    /// Everything before the body, in lower case.
    pub head: String,
    pub body: String,
}

impl HttpResponse {
    pub fn header(&self, name: &str) -> Option<&str> {
        let line = self
            .head
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        line.map(str::trim)
    }

    /// The JSON-RPC messages in the body: one document, or one per event.
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

impl<'a> UiServer<'a> {
    /// The files that the server has open.
    pub fn open_files(&self) -> Vec<String> {
        let Some(server) = &self.server else {
            return Vec::new();
        };
        let fds = std::fs::read_dir(format!("/proc/{}/fd", server.pid())).unwrap();
        fds.filter_map(|fd| std::fs::read_link(fd.ok()?.path()).ok())
            .map(|path| path.to_string_lossy().into_owned())
            .collect()
    }

    /// Starts the server.
    pub fn new(env: &'a TestEnv) -> Self {
        Self::with_env(env, &[])
    }

    /// Starts the server with environment variables.
    pub fn with_env(env: &'a TestEnv, variables: &[(&str, &str)]) -> Self {
        let command = env.materia(&["ui", "--port", "0", "--no-open", "--json"]);
        let command = variables
            .iter()
            .fold(command, |command, (name, value)| command.env(name, *value));
        let mut server = command.start();
        let startup: Value = serde_json::from_str(&server.read_line()).unwrap();
        let url = startup["mcp"]["url"].as_str().unwrap();
        let port = url
            .strip_suffix("/mcp")
            .unwrap()
            .rsplit(':')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        let token = std::fs::read_to_string(startup["mcp"]["tokenFile"].as_str().unwrap()).unwrap();
        Self {
            server: Some(server),
            port,
            token,
        }
    }

    /// The headers of a valid request.
    pub fn headers(&self) -> Vec<(&'static str, String)> {
        vec![
            ("host", format!("127.0.0.1:{}", self.port)),
            ("authorization", format!("Bearer {}", self.token)),
            ("accept", "application/json, text/event-stream".to_owned()),
            ("content-type", "application/json".to_owned()),
        ]
    }

    /// Sends a request and reads the head of the response.
    pub fn start_request(
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
        // A server that refuses the request may not read all of it.
        let _may_be_cut = stream.write_all(format!("{text}\r\n{body}").as_bytes());
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while reader.read_line(&mut head).unwrap() > 2 {}
        (head.to_lowercase(), reader)
    }

    /// Sends a request and reads the whole response.
    pub fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, String)],
        body: &str,
    ) -> HttpResponse {
        let (head, mut reader) = self.start_request(method, path, headers, body);
        let mut bytes = Vec::new();
        if head.contains("transfer-encoding: chunked") {
            while let Some(chunk) = read_chunk(&mut reader) {
                bytes.extend(chunk);
            }
        } else {
            let _may_be_cut = reader.read_to_end(&mut bytes);
        }
        let status = head
            .split(' ')
            .nth(1)
            .unwrap_or_else(|| panic!("no response: {head:?}"))
            .parse()
            .unwrap();
        HttpResponse {
            status,
            head,
            body: String::from_utf8_lossy(&bytes).into_owned(),
        }
    }

    /// Stops the server and returns its exit code.
    pub fn stop(mut self) -> i32 {
        let server = self.server.take().unwrap();
        server.signal(rustix::process::Signal::TERM);
        server.wait().code()
    }
}

impl Drop for UiServer<'_> {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            server.signal(rustix::process::Signal::TERM);
            let _ended = server.wait();
        }
    }
}

/// Reads the next chunk of a body; none at its end.
pub fn read_chunk(reader: &mut BufReader<TcpStream>) -> Option<Vec<u8>> {
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

/// A connection of an agent.
pub struct HttpClient<'a> {
    server: &'a UiServer<'a>,
    path: String,
    connection: Option<String>,
    last_id: i64,
}

impl<'a> HttpClient<'a> {
    /// Opens a connection and initializes it.
    pub fn open(server: &'a UiServer<'a>, path: &str) -> Self {
        let mut client = Self {
            server,
            path: path.to_owned(),
            connection: None,
            last_id: 0,
        };
        let info = json!({"name": "test", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
        let response = client
            .post(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}));
        assert_eq!(response.status, 200, "{response:?}");
        client.connection = response.header("mcp-session-id").map(str::to_owned);
        assert!(client.connection.is_some(), "{response:?}");
        let ready = client.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        assert_eq!(ready.status, 202, "{ready:?}");
        client
    }

    /// The headers of a request on this connection.
    pub fn headers(&self) -> Vec<(&'static str, String)> {
        let mut headers = self.server.headers();
        headers.extend(
            self.connection
                .iter()
                .map(|id| ("mcp-session-id", id.clone())),
        );
        headers.push(("mcp-protocol-version", "2025-11-25".to_owned()));
        headers
    }

    /// Sends a message.
    pub fn post(&self, message: &Value) -> HttpResponse {
        self.server
            .send("POST", &self.path, &self.headers(), &message.to_string())
    }

    /// Sends a request and returns the response.
    pub fn response(&mut self, method: &str, params: &Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        let response =
            self.post(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let messages = response.messages();
        let found = messages.into_iter().find(|message| message["id"] == id);
        found.unwrap_or_else(|| panic!("{method}: {response:?}"))
    }

    /// Sends a request and returns the result.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a table of calls reads better without references"
    )]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let response = self.response(method, &params);
        assert!(response["error"].is_null(), "{method}: {response}");
        response["result"].clone()
    }

    /// Calls a tool.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a table of calls reads better without references"
    )]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Closes the connection.
    pub fn close(&self) -> HttpResponse {
        self.server.send("DELETE", &self.path, &self.headers(), "")
    }
}
