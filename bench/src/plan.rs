//! Running plans with `materia run`, against a C program that does the least, and against peers
//! where they are installed.
//!
//! Every contender is a whole program, timed from outside: start, work, report, end.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::contest::{Contender, hold};
use crate::{floor, peers};

type Failure = Box<dyn std::error::Error>;

const WIDE: usize = 1000;
const STEPS: usize = 1000;
const HANDED: usize = 64 << 20;

/// Holds the contests.
pub(crate) fn run(rounds: usize) -> Result<(), Failure> {
    let scratch = tempfile::tempdir()?;
    let bench = Bench {
        floor: floor::compile("plan.c", scratch.path())?,
        materia: materia()?,
        dir: scratch.path().to_owned(),
    };
    peers::install();
    // A turn of the long contests takes about a second.
    let few = rounds.div_ceil(4).max(3);
    bench.wide(few)?;
    bench.steps(few)?;
    bench.handover(few)?;
    bench.oneshot(rounds * 5)
}

struct Bench {
    floor: PathBuf,
    materia: PathBuf,
    dir: PathBuf,
}

/// A program with its arguments.
#[derive(Clone)]
struct Call(Vec<String>);

impl Bench {
    fn floor(&self, words: &[&str]) -> Call {
        Call::new(&self.floor.display().to_string(), words)
    }

    fn materia(&self, words: &[&str]) -> Call {
        Call::new(&self.materia.display().to_string(), words)
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> Result<String, Failure> {
        let path = self.dir.join(name);
        fs::write(&path, text)?;
        Ok(path.display().to_string())
    }

    fn wide(&self, rounds: usize) -> Result<(), Failure> {
        let n = WIDE.to_string();
        let plan = format!(
            r#"{{"parallel": true, "concurrency": 8, "repeat": {WIDE}, "template": "true"}}"#
        );
        let targets: String = (0..WIDE).map(|i| format!("t{i}:\n\t@true\n")).collect();
        let all: Vec<String> = (0..WIDE).map(|i| format!("t{i}")).collect();
        let makefile = self.file(
            "Makefile",
            format!("SHELL=/bin/sh\nall: {}\n{targets}", all.join(" ")),
        )?;
        let edges: String = (0..WIDE).map(|i| format!("build t{i}: t\n")).collect();
        let ninja = self.file("build.ninja", format!("rule t\n  command = true\n{edges}"))?;
        let words = self.file("words", "x\n".repeat(WIDE))?;
        let contenders = vec![
            ("C posix_spawn loop (floor)", self.floor(&["wide", &n, "8"])),
            (
                "materia run",
                self.materia(&["run", "--json", "--template", &plan]),
            ),
            (
                "make -j8 -O",
                Call::new("make", &["-s", "-j8", "-O", "-f", &makefile, "all"]),
            ),
            (
                "xargs -P8",
                Call::new("xargs", &["-a", &words, "-P8", "-n1", "true"]),
            ),
            ("ninja -j8", Call::new("ninja", &["-j8", "-f", &ninja])),
            (
                "GNU parallel -j8",
                Call::new("parallel", &["-j8", "-a", &words, "true"]),
            ),
        ];
        self.contest(
            &format!("{WIDE} x `true`, 8 at a time, captured"),
            1.15,
            rounds,
            contenders,
        )
    }

    fn steps(&self, rounds: usize) -> Result<(), Failure> {
        let plan = self.file(
            "steps.json",
            format!("[{}]", vec!["\"cat\""; STEPS].join(", ")),
        )?;
        let input = self.file("input", "x".repeat(1024))?;
        let contenders = vec![
            (
                "C posix_spawn loop (floor)",
                self.floor(&["steps", &STEPS.to_string(), "1024"]),
            ),
            (
                "materia run",
                self.materia(&["run", "--json", "--file", &plan, "--stdin", &input]),
            ),
        ];
        self.contest(
            &format!("1 KiB through {STEPS} x `cat`"),
            1.1,
            rounds,
            contenders,
        )
    }

    fn handover(&self, rounds: usize) -> Result<(), Failure> {
        let bytes = HANDED.to_string();
        let plan = format!(r#"["head -c {bytes} /dev/zero", "wc -c"]"#);
        let ours = self.materia(&["run", "--json", "--template", &plan]);
        let contenders = vec![
            ("C, a spool file (floor)", self.floor(&["handover", &bytes])),
            ("materia run", ours.clone()),
        ];
        self.contest("64 MiB from one step to the next", 1.15, rounds, contenders)?;
        println!("peak memory of materia: {} KiB", ours.peak_memory()?);
        Ok(())
    }

    fn oneshot(&self, rounds: usize) -> Result<(), Failure> {
        let makefile = self.file("Makefile.one", "all:\n\t@echo hi\n")?;
        let justfile = self.file("justfile", "all:\n\t@echo hi\n")?;
        let contenders = vec![
            ("C spawn and capture (floor)", self.floor(&["oneshot"])),
            (
                "materia run",
                self.materia(&["run", "--template", "echo hi"]),
            ),
            ("make", Call::new("make", &["-s", "-f", &makefile])),
            ("just", Call::new("just", &["-f", &justfile])),
        ];
        self.contest("one `echo hi`, from start to end", 1.5, rounds, contenders)
    }

    fn contest(
        &self,
        title: &str,
        target: f64,
        rounds: usize,
        calls: Vec<(&str, Call)>,
    ) -> Result<(), Failure> {
        let there = calls.into_iter().filter(|(name, call)| {
            let there = peers::find(&call.0[0]).is_some();
            if !there {
                println!("({name} is not installed)");
            }
            there
        });
        let contenders = there.map(|(name, call)| {
            let dir = self.dir.clone();
            Contender::new(name, move || call.timed(&dir))
        });
        hold(title, target, rounds, contenders.collect())
    }
}

impl Call {
    fn new(program: &str, words: &[&str]) -> Self {
        let program = peers::find(program)
            .map_or_else(|| program.to_owned(), |path| path.display().to_string());
        Self(
            std::iter::once(program)
                .chain(words.iter().map(|word| (*word).to_owned()))
                .collect(),
        )
    }

    fn timed(&self, dir: &Path) -> Result<Duration, Failure> {
        let mut command = std::process::Command::new(&self.0[0]);
        command
            .args(&self.0[1..])
            .current_dir(dir)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        let began = Instant::now();
        let status = command.status()?;
        let took = began.elapsed();
        if status.success() {
            Ok(took)
        } else {
            Err(format!("{} failed: {status}", self.0[0]).into())
        }
    }

    /// The most memory its own process had, without its children, in KiB.
    fn peak_memory(&self) -> Result<u64, Failure> {
        let mut child = std::process::Command::new(&self.0[0])
            .args(&self.0[1..])
            .stdout(Stdio::null())
            .spawn()?;
        let status = format!("/proc/{}/status", child.id());
        let mut peak = 0;
        while child.try_wait()?.is_none() {
            let text = fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let seen = line
                .and_then(|line| line.split_whitespace().next())
                .and_then(|kib| kib.parse().ok());
            peak = peak.max(seen.unwrap_or(0));
        }
        Ok(peak)
    }
}

/// The release binary beside this program; a contest against a debug build means nothing.
pub(crate) fn materia() -> Result<PathBuf, Failure> {
    let path = std::env::current_exe()?.with_file_name("materia");
    if path.exists() {
        Ok(path)
    } else {
        Err("build it first: cargo build --release --workspace".into())
    }
}
