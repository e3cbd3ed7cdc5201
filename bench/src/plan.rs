//! `materia run`, compared with a minimal C program and with peers that are installed.
//!
//! Every candidate is a whole program, timed from outside: start, work, report, exit.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::comparison::{Candidate, compare};
use crate::{baseline, peers};

type BoxError = Box<dyn std::error::Error>;

const BRANCHES: usize = 1000;
const STEPS: usize = 1000;
const HANDOVER_BYTES: usize = 64 << 20;

/// Runs the comparisons.
pub(crate) fn run(rounds: usize) -> Result<(), BoxError> {
    let scratch = tempfile::tempdir()?;
    let bench = Bench {
        baseline: baseline::compile("plan.c", scratch.path())?,
        materia: materia()?,
        dir: scratch.path().to_owned(),
    };
    peers::install();
    // A turn of the long comparisons takes about a second.
    let few = rounds.div_ceil(4).max(3);
    bench.wide(few)?;
    bench.steps(few)?;
    bench.handover(few)?;
    bench.oneshot(rounds * 5)
}

struct Bench {
    baseline: PathBuf,
    materia: PathBuf,
    dir: PathBuf,
}

/// A program with its arguments.
#[derive(Clone)]
struct Invocation(Vec<String>);

impl Bench {
    fn baseline(&self, args: &[&str]) -> Invocation {
        Invocation::new(&self.baseline.display().to_string(), args)
    }

    fn materia(&self, args: &[&str]) -> Invocation {
        Invocation::new(&self.materia.display().to_string(), args)
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> Result<String, BoxError> {
        let path = self.dir.join(name);
        fs::write(&path, text)?;
        Ok(path.display().to_string())
    }

    fn wide(&self, rounds: usize) -> Result<(), BoxError> {
        let n = BRANCHES.to_string();
        let plan = format!(
            r#"{{"parallel": true, "concurrency": 8, "repeat": {BRANCHES}, "template": "true"}}"#
        );
        let targets: String = (0..BRANCHES).map(|i| format!("t{i}:\n\t@true\n")).collect();
        let all: Vec<String> = (0..BRANCHES).map(|i| format!("t{i}")).collect();
        let makefile = self.file(
            "Makefile",
            format!("SHELL=/bin/sh\nall: {}\n{targets}", all.join(" ")),
        )?;
        let edges: String = (0..BRANCHES).map(|i| format!("build t{i}: t\n")).collect();
        let ninja = self.file("build.ninja", format!("rule t\n  command = true\n{edges}"))?;
        let args = self.file("words", "x\n".repeat(BRANCHES))?;
        let candidates = vec![
            (
                "C posix_spawn loop (baseline)",
                self.baseline(&["wide", &n, "8"]),
            ),
            (
                "materia run",
                self.materia(&["run", "--json", "--template", &plan]),
            ),
            (
                "make -j8 -O",
                Invocation::new("make", &["-s", "-j8", "-O", "-f", &makefile, "all"]),
            ),
            (
                "xargs -P8",
                Invocation::new("xargs", &["-a", &args, "-P8", "-n1", "true"]),
            ),
            (
                "ninja -j8",
                Invocation::new("ninja", &["-j8", "-f", &ninja]),
            ),
            (
                "GNU parallel -j8",
                Invocation::new("parallel", &["-j8", "-a", &args, "true"]),
            ),
        ];
        self.compare_programs(
            &format!("{BRANCHES} x `true`, 8 at a time, captured"),
            1.15,
            rounds,
            candidates,
        )
    }

    fn steps(&self, rounds: usize) -> Result<(), BoxError> {
        let plan = self.file(
            "steps.json",
            format!("[{}]", vec!["\"cat\""; STEPS].join(", ")),
        )?;
        let input = self.file("input", "x".repeat(1024))?;
        let candidates = vec![
            (
                "C posix_spawn loop (baseline)",
                self.baseline(&["steps", &STEPS.to_string(), "1024"]),
            ),
            (
                "materia run",
                self.materia(&["run", "--json", "--file", &plan, "--stdin", &input]),
            ),
        ];
        self.compare_programs(
            &format!("1 KiB through {STEPS} x `cat`"),
            1.1,
            rounds,
            candidates,
        )
    }

    fn handover(&self, rounds: usize) -> Result<(), BoxError> {
        let bytes = HANDOVER_BYTES.to_string();
        let plan = format!(r#"["head -c {bytes} /dev/zero", "wc -c"]"#);
        let materia = self.materia(&["run", "--json", "--template", &plan]);
        let candidates = vec![
            (
                "C, a spool file (baseline)",
                self.baseline(&["handover", &bytes]),
            ),
            ("materia run", materia.clone()),
        ];
        self.compare_programs("64 MiB from one step to the next", 1.15, rounds, candidates)?;
        println!("peak memory of materia: {} KiB", materia.peak_memory()?);
        Ok(())
    }

    fn oneshot(&self, rounds: usize) -> Result<(), BoxError> {
        let makefile = self.file("Makefile.one", "all:\n\t@echo hi\n")?;
        let justfile = self.file("justfile", "all:\n\t@echo hi\n")?;
        let candidates = vec![
            (
                "C spawn and capture (baseline)",
                self.baseline(&["oneshot"]),
            ),
            (
                "materia run",
                self.materia(&["run", "--template", "echo hi"]),
            ),
            ("make", Invocation::new("make", &["-s", "-f", &makefile])),
            ("just", Invocation::new("just", &["-f", &justfile])),
        ];
        self.compare_programs("one `echo hi`, from start to end", 1.5, rounds, candidates)
    }

    fn compare_programs(
        &self,
        title: &str,
        target: f64,
        rounds: usize,
        invocations: Vec<(&str, Invocation)>,
    ) -> Result<(), BoxError> {
        let installed = invocations.into_iter().filter(|(name, invocation)| {
            let installed = peers::find(&invocation.0[0]).is_some();
            if !installed {
                println!("({name} is not installed)");
            }
            installed
        });
        let candidates = installed.map(|(name, invocation)| {
            let dir = self.dir.clone();
            Candidate::new(name, move || invocation.timed(&dir))
        });
        compare(title, target, rounds, candidates.collect())
    }
}

impl Invocation {
    fn new(program: &str, args: &[&str]) -> Self {
        let program = peers::find(program)
            .map_or_else(|| program.to_owned(), |path| path.display().to_string());
        Self(
            std::iter::once(program)
                .chain(args.iter().map(|arg| (*arg).to_owned()))
                .collect(),
        )
    }

    fn timed(&self, dir: &Path) -> Result<Duration, BoxError> {
        let mut command = std::process::Command::new(&self.0[0]);
        command
            .args(&self.0[1..])
            .current_dir(dir)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        let start = Instant::now();
        let status = command.status()?;
        let took = start.elapsed();
        if status.success() {
            Ok(took)
        } else {
            Err(format!("{} failed: {status}", self.0[0]).into())
        }
    }

    /// The peak memory of the process without its children, in KiB.
    fn peak_memory(&self) -> Result<u64, BoxError> {
        let mut child = std::process::Command::new(&self.0[0])
            .args(&self.0[1..])
            .stdout(Stdio::null())
            .spawn()?;
        let status = format!("/proc/{}/status", child.id());
        let mut peak = 0;
        while child.try_wait()?.is_none() {
            let text = fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let current = line
                .and_then(|line| line.split_whitespace().next())
                .and_then(|kib| kib.parse().ok());
            peak = peak.max(current.unwrap_or(0));
        }
        Ok(peak)
    }
}

/// The release binary next to this program. A comparison with a debug build is meaningless.
pub(crate) fn materia() -> Result<PathBuf, BoxError> {
    let path = std::env::current_exe()?.with_file_name("materia");
    if path.exists() {
        Ok(path)
    } else {
        Err("build it first: cargo build --release --workspace".into())
    }
}
