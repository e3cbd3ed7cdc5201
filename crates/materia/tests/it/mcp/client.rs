//! A small JSON-RPC client over stdin and stdout.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};

use serde_json::{Value, json};

use crate::test_env::{TestEnv, TestProcess};

/// A connection to a server process.
pub struct Client<'a> {
    process: TestProcess<'a>,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    last_id: i64,
    unread: Vec<Value>,
}

impl<'a> Client<'a> {
    /// Opens a connection and initializes it.
    pub fn open(env: &'a TestEnv, args: &[&str]) -> Self {
        Self::open_with(env, args, &[])
    }

    /// Like [`Self::open`], with environment variables.
    pub fn open_with(env: &'a TestEnv, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut client = Self::open_raw(env, args, variables);
        client.initialize();
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    /// Opens a connection without initializing it.
    pub fn open_raw(env: &'a TestEnv, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let command = variables
            .iter()
            .fold(env.materia(args), |command, (name, value)| {
                command.env(name, *value)
            });
        let mut process = command.start();
        let (stdin, stdout) = (process.stdin(), BufReader::new(process.stdout()));
        Self {
            process,
            stdin: Some(stdin),
            stdout,
            last_id: 0,
            unread: Vec::new(),
        }
    }

    /// Sends `initialize` and returns the result.
    pub fn initialize(&mut self) -> Value {
        let client = json!({"name": "test", "version": "1"});
        self.request(
            "initialize",
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}),
        )
    }

    /// Sends a line.
    pub fn send_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line.as_bytes()).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    /// Sends a request and returns its id, without waiting for the response.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a table of calls reads better without references"
    )]
    pub fn send_request(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        self.send(
            &json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}),
        );
        self.last_id
    }

    /// Reads the next message.
    pub fn read_message(&mut self) -> Value {
        let mut line = String::new();
        assert!(
            self.stdout.read_line(&mut line).unwrap() > 0,
            "the server closed the connection"
        );
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Waits for the response to a request.
    pub fn response(&mut self, id: i64) -> Value {
        if let Some(at) = self.unread.iter().position(|message| message["id"] == id) {
            return self.unread.remove(at);
        }
        loop {
            let message = self.read_message();
            if message["id"] == id {
                return message;
            }
            self.unread.push(message);
        }
    }

    /// Sends a request and returns the result.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params);
        let response = self.response(id);
        assert!(response["error"].is_null(), "{method}: {response}");
        response["result"].clone()
    }

    /// Sends a request and returns the error.
    pub fn request_error(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params);
        let response = self.response(id);
        assert!(response["result"].is_null(), "{method}: {response}");
        response["error"].clone()
    }

    /// Calls a tool.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a table of calls reads better without references"
    )]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Reads a resource as JSON.
    pub fn read(&mut self, uri: &str) -> Value {
        let read = self.request("resources/read", json!({"uri": uri}));
        serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap()
    }

    /// Waits for a notification and returns its parameters.
    pub fn wait_for_notification(&mut self, method: &str) -> Value {
        if let Some(at) = self
            .unread
            .iter()
            .position(|message| message["method"] == method)
        {
            return self.unread.remove(at)["params"].clone();
        }
        loop {
            let message = self.read_message();
            if message["method"] == method {
                return message["params"].clone();
            }
            self.unread.push(message);
        }
    }

    /// Closes the connection and waits until the server has exited.
    pub fn close(mut self) {
        self.stdin.take();
        drop(self.stdout);
        let outcome = self.process.wait();
        assert_eq!(outcome.code(), 0, "{}", outcome.transcript());
    }

    /// Sends SIGTERM to the server and returns its exit code.
    pub fn interrupt(self) -> i32 {
        self.process.signal(rustix::process::Signal::TERM);
        drop(self.stdout);
        self.process.wait().code()
    }

    /// Kills the server with SIGKILL.
    pub fn kill(self) {
        self.process.signal(rustix::process::Signal::KILL);
        drop(self.stdout);
        self.process.wait();
    }
}
