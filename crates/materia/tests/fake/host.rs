//! `host` starts child processes as a JSON script on stdin says, and prints a JSON report.
//!
//! It is a process of its own, so that a test never becomes a subreaper. The script is an object:
//! `plain` (not a subreaper), `interrupts` (catch them), `parallel` (start all at once), `repeat`
//! (run each this often), `sweep_ms` (sweep at the end with this grace), `pids` (a file of
//! identities), and `commands`, each with `argv`, `cwd`, `env`, `clear_env`, `stdin` (text,
//! `{"bytes": N}`, `{"file": PATH}`, `"held"` with `send`), `memory`, `limit`, `spill`,
//! `deadline_ms`, `grace_ms`, and `stop_on`/`kill_on`/`raise_on`: a text on stdout at which the
//! command is stopped or killed, or at which this process interrupts itself. `left` in the report
//! lists the processes that ran when the last command was reported as ended. The process set exists
//! until later, so its drop has not cleaned up.

use std::time::Duration;

use materia_engine::clock;
use materia_engine::process::{
    Capture, Captured, Cause, ChildId, Command, Event, ProcessEnd, ProcessIdentity, ProcessSet,
    Spill, Status, Stdin, StopReason, Stream, StreamSink, SweepReport,
};
use serde_json::{Value, json};

pub(crate) fn run() {
    let script: Value = serde_json::from_reader(std::io::stdin()).expect("a script on stdin");
    let plain = script["plain"] == true;
    let before = resources();
    let mut host = Host {
        processes: if plain {
            ProcessSet::new()
        } else {
            ProcessSet::adopting().expect("cannot become a subreaper")
        },
        second_refused: plain || ProcessSet::adopting().is_err(),
        ended: Vec::new(),
        interrupts: Vec::new(),
    };
    if script["interrupts"] == true {
        host.processes
            .catch_interrupts()
            .expect("cannot catch interrupts");
    }
    let commands = script["commands"].as_array().cloned().unwrap_or_default();
    if script["parallel"] == true {
        let running = commands
            .iter()
            .map(|spec| (host.start(spec), spec))
            .collect();
        host.supervise(running);
    } else if let Some(times) = script["repeat"].as_u64() {
        for spec in (0..times).flat_map(|_| &commands) {
            let ended = host.processes.run(command(spec));
            host.ended = vec![ended];
        }
    } else {
        for spec in &commands {
            let leaf = host.start(spec);
            host.supervise(vec![(leaf, spec)]);
        }
    }
    let left = live_pids(script["pids"].as_str());
    let swept = script["sweep_ms"]
        .as_u64()
        .map(|grace| host.processes.sweep(Duration::from_millis(grace)));
    let mut report = json!({
        "left": left,
        "children": resources()["children"],
        "ended": host.ended.iter().map(report).collect::<Vec<_>>(),
        "interrupts": host.interrupts,
        "second_refused": host.second_refused,
        "swept": swept.map(|SweepReport { ended, survivors }| json!({ "ended": ended, "survivors": survivors.len() })),
    });
    drop(host);
    report["before"] = before;
    report["after"] = resources();
    println!("{report}");
}

struct Host {
    processes: ProcessSet,
    second_refused: bool,
    ended: Vec<ProcessEnd>,
    interrupts: Vec<i32>,
}

impl Host {
    fn start(&mut self, spec: &Value) -> ChildId {
        let leaf = self.processes.spawn(command(spec));
        if let Some(text) = spec["send"].as_str() {
            self.processes
                .send(leaf, text.as_bytes())
                .expect("cannot write to stdin");
            self.processes.close_stdin(leaf);
        }
        leaf
    }

    fn supervise(&mut self, mut running: Vec<(ChildId, &Value)>) {
        let mut output: Vec<Vec<u8>> = vec![Vec::new(); running.len()];
        while !running.is_empty() {
            match self
                .processes
                .next(clock::deadline_in(Duration::from_secs(60)))
                .expect("no event within 60 s")
            {
                Event::Output {
                    leaf,
                    stream: Stream::Stdout,
                    bytes,
                } => {
                    let index = running
                        .iter()
                        .position(|(id, _)| *id == leaf)
                        .expect("an unknown child");
                    output[index].extend(bytes);
                    let spec = running[index].1;
                    let has_printed = |key: &str| {
                        spec[key]
                            .as_str()
                            .is_some_and(|text| contains(&output[index], text))
                    };
                    if has_printed("stop_on") {
                        self.processes.stop(leaf, StopReason::Cancelled);
                    }
                    if has_printed("kill_on") {
                        self.processes.kill(leaf);
                    }
                    if has_printed("raise_on") {
                        signal_hook::low_level::raise(signal_hook::consts::SIGINT)
                            .expect("a signal");
                    }
                }
                Event::Ended(ended) => {
                    let index = running
                        .iter()
                        .position(|(id, _)| *id == ended.leaf)
                        .expect("an unknown child");
                    running.remove(index);
                    output.remove(index);
                    self.ended.push(*ended);
                }
                Event::Interrupt(signal) => {
                    self.interrupts.push(signal.as_raw());
                    running
                        .iter()
                        .for_each(|(leaf, _)| self.processes.stop(*leaf, StopReason::Cancelled));
                }
                Event::Output { .. } | Event::Readable(_) | Event::Woken => {}
            }
        }
    }
}

fn contains(output: &[u8], text: &str) -> bool {
    output
        .windows(text.len())
        .any(|window| window == text.as_bytes())
}

fn command(spec: &Value) -> Command {
    let argv = spec["argv"].as_array().expect("an argv").iter();
    let mut command = Command::new(argv.map(|word| word.as_str().expect("a word").to_owned()));
    command.cwd = spec["cwd"].as_str().map(Into::into);
    if spec["clear_env"] == true {
        command.env.clear();
    }
    for (name, value) in spec["env"].as_object().into_iter().flatten() {
        command.env.set(name, value.as_str().expect("a value"));
    }
    command.stdin = match &spec["stdin"] {
        Value::Null => Stdin::Null,
        Value::String(text) if text == "held" => Stdin::Held,
        Value::String(text) => Stdin::Bytes(text.clone().into_bytes()),
        other => match (other["bytes"].as_u64(), other["file"].as_str()) {
            (Some(count), _) => Stdin::Bytes((0..count).map(|index| (index % 251) as u8).collect()),
            (None, Some(path)) => Stdin::File(std::fs::File::open(path).expect("a file")),
            (None, None) => panic!("{other} is not a stdin"),
        },
    };
    let live = ["stop_on", "kill_on", "raise_on"]
        .iter()
        .any(|key| !spec[key].is_null());
    let capture = |suffix: &str| {
        let mut capture = Capture {
            live,
            ..Capture::default()
        };
        capture.memory = spec["memory"]
            .as_u64()
            .map_or(capture.memory, |bytes| bytes as usize);
        capture.limit = spec["limit"].as_u64().unwrap_or(capture.limit);
        let named = |path: &str| Spill::Named(format!("{path}.{suffix}").into());
        capture.spill = spec["spill"].as_str().map_or(Spill::Nowhere, named);
        StreamSink::Capture(capture)
    };
    command.stdout = capture("stdout");
    command.stderr = capture("stderr");
    command.deadline = spec["deadline_ms"].as_u64().map(Duration::from_millis);
    command.grace = spec["grace_ms"]
        .as_u64()
        .map_or(command.grace, Duration::from_millis);
    command
}

fn report(ended: &ProcessEnd) -> Value {
    let (cause, detail) = match &ended.cause {
        Cause::Finished(status) => ("finished", status_text(*status)),
        Cause::TimedOut(status) => ("timed-out", status_text(*status)),
        Cause::Cancelled(status) => ("cancelled", status_text(*status)),
        Cause::NotStarted(error) => ("not-started", error.to_string()),
    };
    let hint = if let Cause::NotStarted(error) = &ended.cause {
        error.hint()
    } else {
        None
    };
    json!({
        "cause": cause,
        "detail": detail,
        "hint": hint,
        "code": ended.code(),
        "elapsed_ms": ended.elapsed.as_millis() as u64,
        "stdin_refused": ended.stdin_refused,
        "survivors": ended.survivors.len(),
        "stdout": captured(&ended.stdout),
        "stderr": captured(&ended.stderr),
    })
}

fn status_text(status: Status) -> String {
    match status {
        Status::Exited(code) => format!("exited {code}"),
        Status::Signalled { signal, .. } => format!("signal {signal}"),
        Status::Unknown => "unknown".into(),
    }
}

fn captured(captured: &Captured) -> Value {
    json!({
        "text": String::from_utf8_lossy(&captured.bytes[..captured.bytes.len().min(4096)]),
        "bytes": captured.bytes.iter().take(1024).collect::<Vec<_>>(),
        "kept": captured.bytes.len(),
        "total": captured.total,
        "truncated": captured.truncated,
        "file": captured.file,
        "error": captured.spill_error,
    })
}

/// The live processes with the marker of the test environment, and those in the pid file.
fn live_pids(pids: Option<&str>) -> Vec<i32> {
    let marker = std::env::var("MATERIA_TEST_ENV")
        .map(|marker| format!("MATERIA_TEST_ENV={marker}"))
        .unwrap_or_default();
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    let all = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let own_pid = std::process::id().cast_signed();
    let mut left: Vec<i32> = all
        .filter(|pid| *pid != own_pid)
        .filter(|pid| {
            let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environ
                .split(|byte| *byte == 0)
                .any(|variable| variable == marker.as_bytes())
        })
        .collect();
    let recorded = pids
        .and_then(|path| std::fs::read_to_string(path).ok())
        .unwrap_or_default();
    let recorded = recorded
        .lines()
        .map(|line| serde_json::from_str::<ProcessIdentity>(line).expect("an identity"));
    left.extend(
        recorded
            .filter(ProcessIdentity::is_alive)
            .map(|identity| identity.pid),
    );
    left
}

/// The open descriptors, threads and children of this process, to find leaks.
fn resources() -> Value {
    let count = |path: &str| std::fs::read_dir(path).map_or(0, Iterator::count);
    let own_pid = std::process::id();
    let children = std::fs::read_to_string(format!("/proc/self/task/{own_pid}/children"));
    json!({ "fds": count("/proc/self/fd"), "threads": count("/proc/self/task"), "children": children.ok() })
}
