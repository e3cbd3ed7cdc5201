//! A env with real agent programs in it and a model server that plays a script.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal};
use serde_json::{Value, json};

use crate::test_env::{TestCommand, TestEnv};
use crate::tools;

/// A real program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// Pi that says when it has settled.
    PiNew,
    /// Pi that does not.
    PiOld,
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Claude Code behind an adapter that speaks ACP.
    Acp,
}

impl Program {
    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::PiNew | Self::PiOld => "pi",
            Self::Claude => "claude",
            Self::Codex => "codex",
            // Defined in the person's config, as an agent that is not known by name.
            Self::Acp => "adapter",
        }
    }

    /// What its shell is called, and how it is asked to run a line.
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

/// A env, its programs and its server.
pub struct AgentHarness {
    /// The env.
    pub env: TestEnv,
    server: Child,
    port: u16,
    script: Value,
    /// How many rules answer what programs ask on their own account.
    own: usize,
}

/// What the adapter lets the model do beside the turn: a title for the session, and what the person
/// might type next.
fn asides() -> Value {
    let aside = |part: &str| json!({"match": part, "reply": {"text": "aside", "usage": {"input": 0, "output": 0}}});
    json!([
        aside("Write the title in the language"),
        aside("SUGGESTION MODE")
    ])
}

impl AgentHarness {
    /// A harness with these programs, which must be installed; its model plays these rules and
    /// repeats what it hears otherwise.
    pub fn new(programs: &[Program], rules: &Value) -> Self {
        tools::agents();
        let env = TestEnv::new();
        let own = if programs.contains(&Program::Acp) {
            asides()
        } else {
            json!([])
        };
        let rules: Vec<Value> = [
            own.as_array().unwrap().clone(),
            rules.as_array().unwrap().clone(),
        ]
        .concat();
        let own = own.as_array().unwrap().len();
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
        let mut said = Vec::new();
        let stdout = server.stdout.as_mut().unwrap();
        while !said.ends_with(b"\n") {
            let mut byte = [0];
            assert!(
                stdout.read(&mut byte).unwrap() > 0,
                "the model server says nothing"
            );
            said.extend(byte);
        }
        let said: Value = serde_json::from_slice(&said).unwrap();
        let port = said["listening"]
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
            own,
        };
        harness.furnish(programs);
        harness
    }

    fn furnish(&self, programs: &[Program]) {
        let bin = self.env.home().join("bin");
        fs::create_dir_all(&bin).unwrap();
        for program in programs {
            let path = bin.join(program.name());
            // Whoever wants to write the transcripts anew gets what the program prints beside.
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

    /// A call of `materia` with the programs in its `PATH`.
    pub fn materia(&self, args: &[&str]) -> TestCommand<'_> {
        self.furnished(self.env.materia(args))
    }

    /// A line for the shell, in which the programs and `materia` are.
    pub fn shell(&self, line: &str) -> TestCommand<'_> {
        let ours = Path::new(env!("CARGO_BIN_EXE_materia")).parent().unwrap();
        let path = format!(
            "{}:{}:/usr/local/bin:/usr/bin:/bin",
            self.env.home().join("bin").display(),
            ours.display()
        );
        self.furnished(self.env.shell(line)).env("PATH", path)
    }

    fn furnished<'a>(&'a self, call: TestCommand<'a>) -> TestCommand<'a> {
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
        let call = call.env("PATH", path).env("PI_TELEMETRY", "0");
        let call = quiet
            .into_iter()
            .fold(call, |call, name| call.env(name, "1"));
        call.env(
            "ANTHROPIC_BASE_URL",
            format!("http://127.0.0.1:{}", self.port),
        )
        .env("ANTHROPIC_API_KEY", "x")
        .env("ANTHROPIC_MODEL", "scripted-1")
        .env("CODEX_HOME", home.join("codex"))
        .env("LOOP_KEY", "x")
        .without_env("MATERIA_TEST_CLOCK")
    }

    /// One turn of a program.
    pub fn ask(&self, program: Program, prompt: &str, more: &[&str]) -> TestCommand<'_> {
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

    /// With `MATERIA_WRITE_TRANSCRIPTS=1`, keeps what the program printed last for the unit tests
    /// of its protocol.
    pub fn record(&self, program: Program, name: &str) {
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
        let printed = printed.replace(&*home.parent().unwrap().to_string_lossy(), "/env");
        // A transcript names no machine.
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

    /// Lets the model play other rules from now on.
    pub fn script(&self, rules: &Value) {
        let own = self.script["rules"].as_array().unwrap()[..self.own].to_vec();
        let rules = [own, rules.as_array().unwrap().clone()].concat();
        let script = json!({"rules": rules, "echo": true}).to_string();
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let request = format!(
            "POST /_script HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{script}",
            script.len()
        );
        std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).unwrap();
        assert!(said.contains("200"), "{said}");
    }

    /// The requests that the model saw.
    pub fn requests(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.env.home().join("requests.jsonl")).unwrap_or_default();
        // The last line may still be written.
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        let all = whole
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let asked = |request: &Value| {
            let rule = request["pick"]
                .as_str()
                .map(|pick| rule_of(pick).map_or(usize::MAX, |(rule, _)| rule));
            rule.is_some_and(|rule| rule >= self.own)
        };
        all.filter(asked).collect()
    }

    /// What the model counted: input and output tokens of the calls that it answered.
    pub fn counted(&self) -> (u64, u64) {
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

    /// Waits until the model was asked so many times.
    pub fn wait_for_requests(&self, times: usize) {
        self.until(|| self.requests().len() >= times);
    }

    /// Waits until something is so; bounded, because a test that hangs says nothing.
    pub fn until(&self, so: impl Fn() -> bool) {
        for _ in 0..3600 {
            if so() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(25));
        }
        panic!("it never happened; alive: {:?}", self.env.live_processes());
    }

    /// The processes of the env whose command line has this in it.
    pub fn processes(&self, part: &str) -> Vec<i32> {
        let alive = self.env.live_processes();
        alive
            .iter()
            .filter(|one| format!("{one:?}").contains(part))
            .map(|one| one.pid)
            .collect()
    }

    /// The processes that another one started itself.
    pub fn children(&self, parent: i32) -> Vec<i32> {
        let is_child = |pid: i32| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let behind = stat.rsplit(") ").next().unwrap_or_default();
            behind.split(' ').nth(1) == Some(&parent.to_string())
        };
        self.env
            .live_processes()
            .iter()
            .map(|one| one.pid)
            .filter(|pid| is_child(*pid))
            .collect()
    }

    /// Kills one, without any warning.
    pub fn kill(&self, pid: i32) {
        rustix::process::kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    }
}

/// The rule that a request was answered by, and how often it had been.
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
