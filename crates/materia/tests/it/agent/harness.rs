//! A test environment with real agent programs and a model server that answers by a script.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal};
use serde_json::{Value, json};

use crate::test_env::{TestCommand, TestEnv};
use crate::tools;

/// A real agent program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// A Pi that reports when it has settled.
    PiNew,
    /// A Pi that does not report it.
    PiOld,
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Claude Code through an ACP adapter.
    Acp,
}

impl Program {
    /// The name of the agent in configs and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::PiNew | Self::PiOld => "pi",
            Self::Claude => "claude",
            Self::Codex => "codex",
            // Defined in the user's config, as an agent without built-in support.
            Self::Acp => "adapter",
        }
    }

    /// The tool call that makes the program run a shell command line.
    pub fn shell(self, line: &str) -> Value {
        match self {
            Self::PiNew | Self::PiOld => json!({"name": "bash", "arguments": {"command": line}}),
            Self::Claude | Self::Acp => {
                json!({"name": "Bash", "arguments": {"command": line, "description": "a line"}})
            }
            Self::Codex => json!({"name": "exec_command", "arguments": {"cmd": line}}),
        }
    }

    fn command(self) -> String {
        let cache = tools::agents();
        let at = |path: &str| cache.join(path).display().to_string();
        let node = at("node-22.23.3/bin/node");
        match self {
            Self::PiNew => format!("'{node}' '{}'", at("pi-1.5.0/dist/bundle/cli.js")),
            Self::PiOld => {
                let main = "pi-0.73.1/node_modules/@mariozechner/pi-coding-agent/dist/cli.js";
                format!("'{node}' '{}'", at(main))
            }
            Self::Claude => format!("'{}'", at("claude-2.1.197/claude")),
            Self::Acp => {
                let main = "claude-agent-acp-0.99.1/node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js";
                format!(
                    "env CLAUDE_CODE_EXECUTABLE='{}' '{node}' '{}'",
                    at("claude-2.1.197/claude"),
                    at(main)
                )
            }
            Self::Codex => {
                let vendor = fs::read_dir(cache.join("codex-0.166.0/vendor"))
                    .unwrap()
                    .next()
                    .unwrap();
                format!("'{}'", vendor.unwrap().path().join("bin/codex").display())
            }
        }
    }
}

fn is_recording() -> bool {
    std::env::var_os("MATERIA_WRITE_TRANSCRIPTS").is_some()
}

fn server() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/scripted_model.py")
}

/// A test environment with agent programs and a model server.
pub struct AgentHarness {
    pub env: TestEnv,
    server: Child,
    port: u16,
    script: Value,
    /// The number of rules at the front that answer requests which are not part of a turn.
    side_rules: usize,
}

/// Rules for what the ACP adapter asks the model in addition to the turn: a title for the session, and a
/// suggestion for the next prompt.
fn side_rules() -> Value {
    let rule = |part: &str| json!({"match": part, "reply": {"text": "aside", "usage": {"input": 0, "output": 0}}});
    json!([
        rule("Write the title in the language"),
        rule("SUGGESTION MODE")
    ])
}

impl AgentHarness {
    /// Creates a harness with these programs, which must be installed. The model answers by these
    /// rules and otherwise repeats the prompt.
    pub fn new(programs: &[Program], rules: &Value) -> Self {
        tools::agents();
        let env = TestEnv::new();
        let side_rules = if programs.contains(&Program::Acp) {
            side_rules()
        } else {
            json!([])
        };
        let rules: Vec<Value> = [
            side_rules.as_array().unwrap().clone(),
            rules.as_array().unwrap().clone(),
        ]
        .concat();
        let side_rules = side_rules.as_array().unwrap().len();
        let script = json!({"rules": rules, "echo": true});
        let path = |name: &str| env.home().join(name);
        fs::write(path("model.json"), script.to_string()).unwrap();
        let mut server = Command::new("python3")
            .arg(server())
            .arg("--script")
            .arg(path("model.json"))
            .arg("--log")
            .arg(path("requests.jsonl"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("the scripted model needs python3; `./test` installs it");
        let mut line = Vec::new();
        let stdout = server.stdout.as_mut().unwrap();
        while !line.ends_with(b"\n") {
            let mut byte = [0];
            assert!(
                stdout.read(&mut byte).unwrap() > 0,
                "the model server printed nothing"
            );
            line.extend(byte);
        }
        let line: Value = serde_json::from_slice(&line).unwrap();
        let port = line["listening"]
            .as_str()
            .unwrap()
            .rsplit(':')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        let harness = Self {
            env,
            server,
            port,
            script,
            side_rules,
        };
        harness.write_config(programs);
        harness
    }

    fn write_config(&self, programs: &[Program]) {
        let bin = self.env.home().join("bin");
        fs::create_dir_all(&bin).unwrap();
        for program in programs {
            let path = bin.join(program.name());
            // To record transcripts, keep a copy of what the program prints.
            let record = self.env.home().join("printed.jsonl");
            let line = match is_recording() {
                true => format!("{} \"$@\" | tee '{}'", program.command(), record.display()),
                false => format!("exec {} \"$@\"", program.command()),
            };
            fs::write(&path, format!("#!/bin/sh\n{line}\n")).unwrap();
            fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        if programs.contains(&Program::Acp) {
            let profile = self.env.home().join(".config/pi/pi-materia");
            fs::create_dir_all(&profile).unwrap();
            let agents = json!({"adapter": {"kind": "acp", "command": ["adapter"]}});
            fs::write(
                profile.join("materia.json"),
                json!({"agents": agents}).to_string(),
            )
            .unwrap();
        }
        let agent = self.env.home().join(".pi/agent");
        fs::create_dir_all(&agent).unwrap();
        let url = format!("http://127.0.0.1:{}", self.port);
        let model = json!({"id": "scripted-1", "reasoning": false, "input": ["text"], "contextWindow": 128_000,
            "maxTokens": 8192, "cost": {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 0}});
        let provider = json!({"baseUrl": format!("{url}/v1"), "api": "openai-completions", "apiKey": "none",
            "compat": {"supportsDeveloperRole": false, "supportsReasoningEffort": false}, "models": [model]});
        fs::write(
            agent.join("models.json"),
            json!({"providers": {"loop": provider}}).to_string(),
        )
        .unwrap();
        let retry = json!({"enabled": true, "maxRetries": 2, "baseDelayMs": 20});
        let settings = json!({"defaultProvider": "loop", "defaultModel": "scripted-1", "quietStartup": true, "retry": retry});
        fs::write(agent.join("settings.json"), settings.to_string()).unwrap();
        let codex = self.env.home().join("codex");
        fs::create_dir_all(&codex).unwrap();
        let config = format!(
            "model = \"scripted-1\"\nmodel_provider = \"loop\"\n[model_providers.loop]\nname = \"loop\"\n\
             base_url = \"{url}/v1\"\nwire_api = \"responses\"\nenv_key = \"LOOP_KEY\"\n\
             request_max_retries = 2\nstream_max_retries = 2\n"
        );
        fs::write(codex.join("config.toml"), config).unwrap();
    }

    /// `materia` with the programs in its `PATH`.
    pub fn materia(&self, args: &[&str]) -> TestCommand<'_> {
        self.with_agents(self.env.materia(args))
    }

    /// A shell command line with the programs and `materia` in its `PATH`.
    pub fn shell(&self, line: &str) -> TestCommand<'_> {
        let bin_dir = Path::new(env!("CARGO_BIN_EXE_materia")).parent().unwrap();
        let path = format!(
            "{}:{}:/usr/local/bin:/usr/bin:/bin",
            self.env.home().join("bin").display(),
            bin_dir.display()
        );
        self.with_agents(self.env.shell(line)).env("PATH", path)
    }

    fn with_agents<'a>(&'a self, command: TestCommand<'a>) -> TestCommand<'a> {
        let home = self.env.home();
        let path = format!(
            "{}:/usr/local/bin:/usr/bin:/bin",
            home.join("bin").display()
        );
        let quiet = [
            "PI_OFFLINE",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
            "DISABLE_TELEMETRY",
            "DISABLE_AUTOUPDATER",
        ];
        let command = command.env("PATH", path).env("PI_TELEMETRY", "0");
        let command = quiet
            .into_iter()
            .fold(command, |command, name| command.env(name, "1"));
        command
            .env(
                "ANTHROPIC_BASE_URL",
                format!("http://127.0.0.1:{}", self.port),
            )
            .env("ANTHROPIC_API_KEY", "x")
            .env("ANTHROPIC_MODEL", "scripted-1")
            .env("CODEX_HOME", home.join("codex"))
            .env("LOOP_KEY", "x")
            .without_env("MATERIA_TEST_CLOCK")
    }

    /// `materia agent run`: one turn of a program.
    pub fn turn(&self, program: Program, prompt: &str, more: &[&str]) -> TestCommand<'_> {
        self.env.write("prompt.md", prompt);
        let args = [
            "agent",
            "run",
            "--json",
            "--prompt-file",
            "prompt.md",
            "--agent",
            program.name(),
        ];
        self.materia(&[&args[..], more].concat())
    }

    /// With `MATERIA_WRITE_TRANSCRIPTS=1`, saves what the program printed last for the unit tests
    /// of its protocol.
    pub fn save_transcript(&self, program: Program, name: &str) {
        if !is_recording() {
            return;
        }
        let (folder, name) = match program {
            Program::PiNew => ("pi", format!("new-{name}")),
            Program::PiOld => ("pi", format!("old-{name}")),
            Program::Claude => ("claude", name.to_owned()),
            Program::Codex => ("codex", name.to_owned()),
            Program::Acp => ("acp", format!("adapter-{name}")),
        };
        let home = self.env.home();
        let printed = fs::read_to_string(home.join("printed.jsonl")).unwrap();
        let printed = printed.replace(&*home.parent().unwrap().to_string_lossy(), "/test");
        // A transcript must not contain paths of this machine.
        let printed = printed.replace(&*tools::agents().to_string_lossy(), "/agents");
        let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("../materia-engine/src/agent");
        fs::write(
            engine
                .join(folder)
                .join("transcripts")
                .join(format!("{name}.jsonl")),
            printed,
        )
        .unwrap();
    }

    /// Replaces the rules of the model.
    pub fn set_rules(&self, rules: &Value) {
        let side_rules = self.script["rules"].as_array().unwrap()[..self.side_rules].to_vec();
        let rules = [side_rules, rules.as_array().unwrap().clone()].concat();
        let script = json!({"rules": rules, "echo": true}).to_string();
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let request = format!(
            "POST /_script HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{script}",
            script.len()
        );
        std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
        let mut line = String::new();
        stream.read_to_string(&mut line).unwrap();
        assert!(line.contains("200"), "{line}");
    }

    /// The requests to the model that are part of a turn.
    pub fn requests(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.env.home().join("requests.jsonl")).unwrap_or_default();
        // The last line may be incomplete while the server writes it.
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        let all = whole
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let is_part_of_turn = |request: &Value| {
            let rule = request["pick"]
                .as_str()
                .map(|pick| rule_of(pick).map_or(usize::MAX, |(rule, _)| rule));
            rule.is_some_and(|rule| rule >= self.side_rules)
        };
        all.filter(is_part_of_turn).collect()
    }

    /// The input and output tokens of all answered requests, as the model counted them.
    pub fn token_counts(&self) -> (u64, u64) {
        let mut sum = (0, 0);
        for request in self.requests() {
            let pick = request["pick"].as_str().unwrap();
            let reply = match rule_of(pick) {
                Some((rule, hit)) => {
                    let rule = &self.script["rules"][rule];
                    let replies = rule["replies"]
                        .as_array()
                        .cloned()
                        .unwrap_or(vec![rule["reply"].clone()]);
                    replies[hit.min(replies.len() - 1)].clone()
                }
                None => json!({}),
            };
            if reply["fault"].is_null() {
                sum.0 += reply["usage"]["input"].as_u64().unwrap_or(100);
                sum.1 += reply["usage"]["output"].as_u64().unwrap_or(20);
            }
        }
        sum
    }

    /// Waits until the model has got this many requests.
    pub fn wait_for_requests(&self, times: usize) {
        self.wait_until(|| self.requests().len() >= times);
    }

    /// Waits until the condition holds. After 90 seconds it panics with the processes that are alive,
    /// because the timeout of the test runner would not show them.
    pub fn wait_until(&self, condition: impl Fn() -> bool) {
        for _ in 0..3600 {
            if condition() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(25));
        }
        panic!("timed out; alive: {:?}", self.env.live_processes());
    }

    /// The pids of live processes whose command line contains this.
    pub fn processes(&self, part: &str) -> Vec<i32> {
        let processes = self.env.live_processes();
        processes
            .iter()
            .filter(|process| format!("{process:?}").contains(part))
            .map(|process| process.pid)
            .collect()
    }

    /// The pids of the live children of a process.
    pub fn children(&self, parent: i32) -> Vec<i32> {
        let is_child = |pid: i32| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let after_name = stat.rsplit(") ").next().unwrap_or_default();
            after_name.split(' ').nth(1) == Some(&parent.to_string())
        };
        self.env
            .live_processes()
            .iter()
            .map(|process| process.pid)
            .filter(|pid| is_child(*pid))
            .collect()
    }

    /// Kills a process with SIGKILL.
    pub fn kill(&self, pid: i32) {
        rustix::process::kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    }
}

/// The index of the rule that answered a request, and how often it had answered before.
fn rule_of(pick: &str) -> Option<(usize, usize)> {
    let (rule, hit) = pick.strip_prefix("rule[")?.split_once("]#")?;
    Some((rule.parse().ok()?, hit.parse().ok()?))
}

impl Drop for AgentHarness {
    fn drop(&mut self) {
        let _gone = self.server.kill();
        let _gone = self.server.wait();
    }
}
