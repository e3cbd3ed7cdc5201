//! A program with a nursery: `host` reads a JSON script on stdin, does it, and prints a JSON line
//! about it.
//!
//! So that a test never becomes a subreaper itself. The script is an object: `plain` (not
//! adopting), `interrupts` (catch them), `parallel` (start all at once), `repeat` (each so often),
//! `sweep_ms` (sweep at the end with this grace), `pids` (a file of identities), and `commands`,
//! each with `argv`, `cwd`, `env`, `clear_env`, `stdin` (text, `{"bytes": N}`, `{"file": PATH}`,
//! `"held"` with `send`), `memory`, `limit`, `spill`, `deadline_ms`, `grace_ms`, and
//! `stop_on`/`kill_on`/`raise_on`: a text on its stdout at which it is stopped or killed, or at
//! which this process interrupts itself. `left` in the report is who was still running when the
//! last leaf was said to be over: the nursery is still there then, so it is not its dropping that
//! cleans up.

use std::time::Duration;

use materia_engine::clock;
use materia_engine::process::{
    Capture, Captured, Cause, Command, Ended, Event, Identity, LeafId, Nursery, Reason, Sink,
    Spill, Status, Stdin, Stream, Swept,
};
use serde_json::{Value, json};

/// Runs it.
pub(crate) fn run() {
    let script: Value = serde_json::from_reader(std::io::stdin()).expect("a script on stdin");
    let plain = script["plain"] == true;
    let before = resources();
    let mut host = Host {
        nursery: if plain {
            Nursery::new()
        } else {
            Nursery::adopting().expect("an adopting nursery")
        },
        second_refused: plain || Nursery::adopting().is_err(),
        ended: Vec::new(),
        interrupts: Vec::new(),
    };
    if script["interrupts"] == true {
        host.nursery.catch_interrupts().expect("interrupts caught");
    }
    let commands = script["commands"].as_array().cloned().unwrap_or_default();
    if script["parallel"] == true {
        let running = commands
            .iter()
            .map(|given| (host.start(given), given))
            .collect();
        host.supervise(running);
    } else if let Some(times) = script["repeat"].as_u64() {
        for given in (0..times).flat_map(|_| &commands) {
            let ended = host.nursery.run(command(given));
            host.ended = vec![ended];
        }
    } else {
        for given in &commands {
            let leaf = host.start(given);
            host.supervise(vec![(leaf, given)]);
        }
    }
    let left = left(script["pids"].as_str());
    let swept = script["sweep_ms"]
        .as_u64()
        .map(|grace| host.nursery.sweep(Duration::from_millis(grace)));
    let mut report = json!({
        "left": left,
        "children": resources()["children"],
        "ended": host.ended.iter().map(report).collect::<Vec<_>>(),
        "interrupts": host.interrupts,
        "second_refused": host.second_refused,
        "swept": swept.map(|Swept { ended, survivors }| json!({ "ended": ended, "survivors": survivors.len() })),
    });
    drop(host);
    report["before"] = before;
    report["after"] = resources();
    println!("{report}");
}

struct Host {
    nursery: Nursery,
    second_refused: bool,
    ended: Vec<Ended>,
    interrupts: Vec<i32>,
}

impl Host {
    fn start(&mut self, given: &Value) -> LeafId {
        let leaf = self.nursery.spawn(command(given));
        if let Some(text) = given["send"].as_str() {
            self.nursery
                .send(leaf, text.as_bytes())
                .expect("something sent");
            self.nursery.close_stdin(leaf);
        }
        leaf
    }

    fn supervise(&mut self, mut running: Vec<(LeafId, &Value)>) {
        let mut heard: Vec<Vec<u8>> = vec![Vec::new(); running.len()];
        while !running.is_empty() {
            match self
                .nursery
                .next(clock::deadline_in(Duration::from_secs(60)))
                .expect("an event in time")
            {
                Event::Output {
                    leaf,
                    stream: Stream::Stdout,
                    bytes,
                } => {
                    let index = running
                        .iter()
                        .position(|(id, _)| *id == leaf)
                        .expect("a known leaf");
                    heard[index].extend(bytes);
                    let given = running[index].1;
                    let hears = |key: &str| {
                        given[key]
                            .as_str()
                            .is_some_and(|text| contains(&heard[index], text))
                    };
                    if hears("stop_on") {
                        self.nursery.stop(leaf, Reason::Cancelled);
                    }
                    if hears("kill_on") {
                        self.nursery.kill(leaf);
                    }
                    if hears("raise_on") {
                        signal_hook::low_level::raise(signal_hook::consts::SIGINT)
                            .expect("a signal");
                    }
                }
                Event::Ended(ended) => {
                    let index = running
                        .iter()
                        .position(|(id, _)| *id == ended.leaf)
                        .expect("a known leaf");
                    running.remove(index);
                    heard.remove(index);
                    self.ended.push(*ended);
                }
                Event::Interrupt(signal) => {
                    self.interrupts.push(signal.as_raw());
                    running
                        .iter()
                        .for_each(|(leaf, _)| self.nursery.stop(*leaf, Reason::Cancelled));
                }
                Event::Output { .. } | Event::Readable(_) | Event::Woken => {}
            }
        }
    }
}

fn contains(heard: &[u8], text: &str) -> bool {
    heard
        .windows(text.len())
        .any(|window| window == text.as_bytes())
}

fn command(given: &Value) -> Command {
    let words = given["argv"].as_array().expect("an argv").iter();
    let mut command = Command::new(words.map(|word| word.as_str().expect("a word").to_owned()));
    command.cwd = given["cwd"].as_str().map(Into::into);
    if given["clear_env"] == true {
        command.env.clear();
    }
    for (name, value) in given["env"].as_object().into_iter().flatten() {
        command.env.set(name, value.as_str().expect("a value"));
    }
    command.stdin = match &given["stdin"] {
        Value::Null => Stdin::Null,
        Value::String(text) if text == "held" => Stdin::Held,
        Value::String(text) => Stdin::Bytes(text.clone().into_bytes()),
        other => match (other["bytes"].as_u64(), other["file"].as_str()) {
            (Some(count), _) => Stdin::Bytes((0..count).map(|index| (index % 251) as u8).collect()),
            (None, Some(path)) => Stdin::File(std::fs::File::open(path).expect("a file")),
            (None, None) => panic!("{other} is no stdin"),
        },
    };
    let live = ["stop_on", "kill_on", "raise_on"]
        .iter()
        .any(|key| !given[key].is_null());
    let capture = |suffix: &str| {
        let mut capture = Capture {
            live,
            ..Capture::default()
        };
        capture.memory = given["memory"]
            .as_u64()
            .map_or(capture.memory, |bytes| bytes as usize);
        capture.limit = given["limit"].as_u64().unwrap_or(capture.limit);
        let named = |path: &str| Spill::Named(format!("{path}.{suffix}").into());
        capture.spill = given["spill"].as_str().map_or(Spill::Nowhere, named);
        Sink::Capture(capture)
    };
    command.stdout = capture("stdout");
    command.stderr = capture("stderr");
    command.deadline = given["deadline_ms"].as_u64().map(Duration::from_millis);
    command.grace = given["grace_ms"]
        .as_u64()
        .map_or(command.grace, Duration::from_millis);
    command
}

fn report(ended: &Ended) -> Value {
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

/// Whoever runs and has our mark, or wrote itself down.
fn left(pids: Option<&str>) -> Vec<i32> {
    let mark = std::env::var("MATERIA_TEST_ENV")
        .map(|mark| format!("MATERIA_TEST_ENV={mark}"))
        .unwrap_or_default();
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    let all = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let me = std::process::id().cast_signed();
    let mut left: Vec<i32> = all
        .filter(|pid| *pid != me)
        .filter(|pid| {
            let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environ
                .split(|byte| *byte == 0)
                .any(|variable| variable == mark.as_bytes())
        })
        .collect();
    let recorded = pids
        .and_then(|path| std::fs::read_to_string(path).ok())
        .unwrap_or_default();
    let recorded = recorded
        .lines()
        .map(|line| serde_json::from_str::<Identity>(line).expect("an identity"));
    left.extend(
        recorded
            .filter(Identity::is_alive)
            .map(|identity| identity.pid),
    );
    left
}

/// What this process has open and running, to see that nothing leaks.
fn resources() -> Value {
    let count = |path: &str| std::fs::read_dir(path).map_or(0, Iterator::count);
    let me = std::process::id();
    let children = std::fs::read_to_string(format!("/proc/self/task/{me}/children"));
    json!({ "fds": count("/proc/self/fd"), "threads": count("/proc/self/task"), "children": children.ok() })
}
