//! A small JSON-RPC client, over lines.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};

use serde_json::{Value, json};

use crate::test_env::{TestEnv, TestProcess};

/// A connection.
pub struct Client<'a> {
    running: TestProcess<'a>,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    number: i64,
    told: Vec<Value>,
}

impl<'a> Client<'a> {
    /// A connection that has shaken hands.
    pub fn open(env: &'a TestEnv, args: &[&str]) -> Self {
        Self::open_with(env, args, &[])
    }

    /// The same with variables.
    pub fn open_with(env: &'a TestEnv, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut client = Self::silent(env, args, variables);
        client.initialize();
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    /// A connection that has said nothing yet.
    pub fn silent(env: &'a TestEnv, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let call = variables
            .iter()
            .fold(env.materia(args), |call, (name, value)| {
                call.env(name, *value)
            });
        let mut running = call.start();
        let (stdin, stdout) = (running.stdin(), BufReader::new(running.stdout()));
        Self {
            running,
            stdin: Some(stdin),
            stdout,
            number: 0,
            told: Vec::new(),
        }
    }

    /// Shakes hands.
    pub fn initialize(&mut self) -> Value {
        let client = json!({"name": "test", "version": "1"});
        self.request(
            "initialize",
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}),
        )
    }

    /// Sends a line.
    pub fn line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line.as_bytes()).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        self.line(&message.to_string());
    }

    /// Asks without waiting; the number of the request.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a table of calls reads better without references"
    )]
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.number += 1;
        self.send(
            &json!({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}),
        );
        self.number
    }

    /// The next message.
    pub fn next(&mut self) -> Value {
        let mut line = String::new();
        assert!(
            self.stdout.read_line(&mut line).unwrap() > 0,
            "the server hung up"
        );
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// The answer to a request, whole.
    pub fn answer(&mut self, number: i64) -> Value {
        if let Some(at) = self.told.iter().position(|told| told["id"] == number) {
            return self.told.remove(at);
        }
        loop {
            let message = self.next();
            if message["id"] == number {
                return message;
            }
            self.told.push(message);
        }
    }

    /// Asks, and gives the result.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let number = self.ask(method, params);
        let answer = self.answer(number);
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Asks, and gives the error.
    pub fn refused(&mut self, method: &str, params: Value) -> Value {
        let number = self.ask(method, params);
        let answer = self.answer(number);
        assert!(answer["result"].is_null(), "{method}: {answer}");
        answer["error"].clone()
    }

    /// Calls a tool.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a table of calls reads better without references"
    )]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The document behind an address.
    pub fn read(&mut self, uri: &str) -> Value {
        let read = self.request("resources/read", json!({"uri": uri}));
        serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap()
    }

    /// Waits for a notification, and gives its parameters.
    pub fn until_told(&mut self, method: &str) -> Value {
        if let Some(at) = self.told.iter().position(|told| told["method"] == method) {
            return self.told.remove(at)["params"].clone();
        }
        loop {
            let message = self.next();
            if message["method"] == method {
                return message["params"].clone();
            }
            self.told.push(message);
        }
    }

    /// Hangs up, and waits until the server has ended.
    pub fn close(mut self) {
        self.stdin.take();
        drop(self.stdout);
        let outcome = self.running.wait();
        assert_eq!(outcome.code(), 0, "{}", outcome.transcript());
    }

    /// Asks the server to stop, and gives its exit code.
    pub fn interrupt(self) -> i32 {
        self.running.signal(rustix::process::Signal::TERM);
        drop(self.stdout);
        self.running.wait().code()
    }

    /// Kills the server, without any warning.
    pub fn kill(self) {
        self.running.signal(rustix::process::Signal::KILL);
        drop(self.stdout);
        self.running.wait();
    }
}
