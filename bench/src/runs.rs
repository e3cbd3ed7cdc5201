//! Runs, compared with other job queues: spawning one, waiting for its end, many runs, idle runs, and
//! listing ended runs.
//!
//! Every candidate is a whole program, timed from outside. Peers guarantee less: none of them syncs an
//! accepted job.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::comparison::{Candidate, compare};
use crate::peers;

/// The first argument that turns this program into the command which records its end.
pub(crate) const STAMP: &str = "__stamp";

/// Waits for data in a pipe, writes the time to a file and exits.
pub(crate) fn stamp(args: &[String]) -> Result<(), BoxError> {
    let [fifo, stamp] = args else {
        return Err("a pipe and a file are needed".into());
    };
    let mut file = std::fs::File::create(stamp)?;
    std::fs::read_to_string(fifo)?;
    write!(
        file,
        "{}",
        SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos()
    )?;
    Ok(())
}

/// A round of [`Bench::wait`]: the time until the output of the waiting program, and until its exit.
type Round<'a> = &'a mut dyn FnMut() -> Result<[Duration; 2], BoxError>;

/// Prints the medians of all rounds, in milliseconds.
fn print_medians(name: &str, rounds: usize, round: Round<'_>) -> Result<(), BoxError> {
    let times = (0..rounds)
        .map(|_| round())
        .collect::<Result<Vec<_>, _>>()?;
    let median = |which: usize| {
        let mut times: Vec<Duration> = times.iter().map(|time| time[which]).collect();
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1e3
    };
    println!("{name:<44} {:>9.2} ms {:>9.2} ms", median(0), median(1));
    Ok(())
}

type BoxError = Box<dyn std::error::Error>;

const RUNS: usize = 1000;
const CONCURRENT: usize = 8;
const IDLE_RUNS: usize = 200;

/// From the start of `spawn` to the id of a running run.
pub(crate) fn spawn(rounds: usize) -> Result<(), BoxError> {
    with_bench(|bench| bench.spawn(rounds * 5))
}

/// From the end of a command to the output of a program that waits for it.
pub(crate) fn wait(rounds: usize) -> Result<(), BoxError> {
    with_bench(|bench| bench.wait(rounds * 2))
}

/// Many short runs.
pub(crate) fn many(rounds: usize) -> Result<(), BoxError> {
    with_bench(|bench| bench.many(rounds.div_ceil(10).max(2)))
}

/// The memory of an idle run.
pub(crate) fn idle(_rounds: usize) -> Result<(), BoxError> {
    with_bench(Bench::idle)
}

/// Listing ended runs.
pub(crate) fn list(_rounds: usize) -> Result<(), BoxError> {
    with_bench(Bench::list)
}

/// Runs a benchmark with its own home directory.
fn with_bench(benchmark: impl FnOnce(&Bench) -> Result<(), BoxError>) -> Result<(), BoxError> {
    let scratch = tempfile::tempdir()?;
    let bench = Bench {
        materia: materia()?,
        dir: scratch.path().to_owned(),
    };
    peers::install_queues();
    let outcome = benchmark(&bench);
    bench.quit();
    outcome
}

struct Bench {
    materia: PathBuf,
    dir: PathBuf,
}

impl Bench {
    /// A command with its own home directory.
    fn command(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(&self.dir)
            .env("HOME", &self.dir)
            .env("TMPDIR", &self.dir);
        command
            .env("TS_SOCKET", self.dir.join("tsp"))
            .env("NQDIR", self.dir.join("nq"));
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    fn timed(&self, program: &Path, args: &[&str]) -> Result<Duration, BoxError> {
        let start = Instant::now();
        let status = self.command(program, args).status()?;
        let took = start.elapsed();
        if status.success() {
            Ok(took)
        } else {
            Err(format!("{args:?}: {status}").into())
        }
    }

    /// From the start of `spawn` to the id of a running run.
    fn spawn(&self, rounds: usize) -> Result<(), BoxError> {
        let Some(tsp) = peers::find("tsp") else {
            return self.missing("task-spooler");
        };
        let nq = peers::find("nq");
        let mut candidates = vec![
            Candidate::new("task-spooler", || self.timed(&tsp, &["-n", "true"])),
            Candidate::new("materia spawn (durable)", || {
                self.timed(&self.materia, &["spawn", "--template", "true"])
            }),
        ];
        if let Some(nq) = &nq {
            candidates.push(Candidate::new("nq", || self.timed(nq, &["true"])));
        }
        compare("spawn `true` and get its id", 2.0, rounds, candidates)
    }

    /// From the end of the command to the output of a program that waits for it. The command records
    /// the time as its last action.
    fn wait(&self, rounds: usize) -> Result<(), BoxError> {
        let (fifo, stamp) = (self.dir.join("fifo"), self.dir.join("stamp"));
        self.command(Path::new("mkfifo"), &["fifo"]).status()?;
        let me = std::env::current_exe()?;
        let template = format!(
            "{} {STAMP} {} {}",
            me.display(),
            fifo.display(),
            stamp.display()
        );
        let mut round = 0;
        let mut materia_round = || {
            round += 1;
            let address = format!("run:wait-{round}");
            self.timed(
                &self.materia,
                &["spawn", "--template", &template, "--as", &address],
            )?;
            self.wait_delay(&self.materia, &["wait", &address], (&fifo, &stamp))
        };
        println!(
            "\nfrom the end of a command to the output of the waiting program ({rounds} rounds, materia at most 1 ms), and to its exit"
        );
        print_medians(
            "materia wait (exits when durable)",
            rounds,
            &mut materia_round,
        )?;
        if let Some(tsp) = peers::find("tsp") {
            let args: Vec<&str> = std::iter::once("-n").chain(template.split(' ')).collect();
            let mut tsp_round = || {
                self.timed(&tsp, &args)?;
                self.wait_delay(&tsp, &["-w"], (&fifo, &stamp))
            };
            print_medians("task-spooler, tsp -w", rounds, &mut tsp_round)?;
        }
        std::fs::remove_file(&fifo)?;
        Ok(())
    }

    /// Starts a waiting program, ends the command, and measures the time until the output and the exit
    /// of the waiting program.
    fn wait_delay(
        &self,
        program: &Path,
        args: &[&str],
        (fifo, stamp): (&Path, &Path),
    ) -> Result<[Duration; 2], BoxError> {
        let mut waiting = self.command(program, args).stdout(Stdio::piped()).spawn()?;
        // Nothing reports when a program has started to wait.
        std::thread::sleep(Duration::from_millis(30));
        std::fs::write(fifo, "go\n")?;
        let mut arg = [0];
        let _output_or_eof = waiting
            .stdout
            .as_mut()
            .ok_or("it has no stdout")?
            .read(&mut arg)?;
        let output_at = SystemTime::now().duration_since(UNIX_EPOCH)?;
        waiting.wait()?;
        let exit_at = SystemTime::now().duration_since(UNIX_EPOCH)?;
        let ended = Duration::from_nanos(std::fs::read_to_string(stamp)?.trim().parse()?);
        Ok([output_at, exit_at].map(|at| at.saturating_sub(ended)))
    }

    fn many(&self, rounds: usize) -> Result<(), BoxError> {
        let Some(tsp) = peers::find("tsp") else {
            return self.missing("task-spooler");
        };
        let at_once = CONCURRENT.to_string();
        self.command(&tsp, &["-S", &at_once]).status()?;
        let per_run = |took: Duration| took / u32::try_from(RUNS).unwrap_or(1);
        let mut round = 0;
        // `nq` is not compared: it runs its commands one after another and returns before the first
        // one has started.
        let candidates = vec![
            Candidate::new("task-spooler", || {
                self.run_many(&tsp, &["-nf", "true"]).map(per_run)
            }),
            Candidate::new("materia spawn + wait (durable)", move || {
                round += 1;
                self.spawn_and_wait(round).map(per_run)
            }),
        ];
        compare(
            &format!("{RUNS} x `true`, {CONCURRENT} at a time, per run (300/s are 3.3 ms)"),
            1.4,
            rounds,
            candidates,
        )
    }

    /// Runs a command [`RUNS`] times, a few at a time.
    fn run_many(&self, program: &Path, args: &[&str]) -> Result<Duration, BoxError> {
        let start = Instant::now();
        let mut running: Vec<Child> = Vec::new();
        for _ in 0..RUNS {
            if running.len() == CONCURRENT {
                running.remove(0).wait()?;
            }
            running.push(self.command(program, args).spawn()?);
        }
        for mut child in running {
            child.wait()?;
        }
        Ok(start.elapsed())
    }

    /// Spawns runs a few at a time and waits for all of them at the end. Every round has a new home:
    /// on some file systems, creating files is slower after many were removed.
    fn spawn_and_wait(&self, round: usize) -> Result<Duration, BoxError> {
        let bench = Bench {
            materia: self.materia.clone(),
            dir: self.dir.join(format!("home-{round}")),
        };
        std::fs::create_dir(&bench.dir)?;
        let root = bench.dir.join(".pi/agent/tmp/pi-actors/runs");
        let start = Instant::now();
        bench.run_many(&self.materia, &["spawn", "--template", "true"])?;
        let ids: Vec<String> = std::fs::read_dir(&root)?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| name.starts_with("run-"))
            .map(|name| format!("run:{name}"))
            .collect();
        let args: Vec<&str> = std::iter::once("wait")
            .chain(ids.iter().map(String::as_str))
            .collect();
        bench.timed(&self.materia, &args)?;
        Ok(start.elapsed())
    }

    /// The memory of an idle run.
    fn idle(&self) -> Result<(), BoxError> {
        for index in 0..IDLE_RUNS {
            let address = format!("run:idle{index}");
            self.timed(
                &self.materia,
                &["spawn", "--template", "sleep 600", "--as", &address],
            )?;
        }
        let supervisors = supervisors(&self.dir);
        let pss: u64 = supervisors.iter().filter_map(|pid| pss(*pid)).sum();
        println!(
            "\n{} idle runs: {} KiB PSS each (at most 220)",
            supervisors.len(),
            pss / supervisors.len().max(1) as u64
        );
        for pid in &supervisors {
            // SIGTERM to a supervisor ends its run.
            self.command(Path::new("kill"), &["-TERM", &pid.to_string()])
                .status()?;
        }
        let ids: Vec<String> = (0..IDLE_RUNS)
            .map(|index| format!("run:idle{index}"))
            .collect();
        let args: Vec<&str> = std::iter::once("wait")
            .chain(ids.iter().map(String::as_str))
            .collect();
        self.command(&self.materia, &args).status()?;
        Ok(())
    }

    /// Listing ended runs, whose journals are copies of one.
    fn list(&self) -> Result<(), BoxError> {
        for count in [1000, 10_000] {
            let root = self.dir.join(".pi/agent/tmp/pi-actors/runs");
            let _none_yet = std::fs::remove_dir_all(&root);
            self.timed(
                &self.materia,
                &["spawn", "--template", "true", "--as", "run:r0"],
            )?;
            self.timed(&self.materia, &["wait", "run:r0"])?;
            let journal = std::fs::read(root.join("r0/journal.jsonl"))?;
            for index in 1..count {
                let dir = root.join(format!("r{index}"));
                std::fs::create_dir(&dir)?;
                std::fs::write(dir.join("journal.jsonl"), &journal)?;
            }
            let list = ["inspect", "session:all", "--json"];
            let cold = self.cpu_time(&list, 1)?;
            let warm = self.cpu_time(&list, 20)?;
            let limit = if count == 1000 { 15 } else { 150 };
            println!(
                "\nlisting {count} runs: {warm:.1} ms of CPU (at most {limit}), {cold:.0} ms without the index"
            );
        }
        Ok(())
    }

    /// The average CPU time of a call in milliseconds, as the kernel counts it.
    fn cpu_time(&self, args: &[&str], calls: u32) -> Result<f64, BoxError> {
        let before = children_time()?;
        for _ in 0..calls {
            self.timed(&self.materia, args)?;
        }
        Ok((children_time()? - before) as f64 / 1e6 / f64::from(calls))
    }

    fn missing(&self, peer: &str) -> Result<(), BoxError> {
        println!("\n{peer} cannot be installed; its benchmark is skipped");
        Ok(())
    }

    fn quit(&self) {
        if let Some(tsp) = peers::find("tsp") {
            let _gone = self.command(&tsp, &["-K"]).status();
        }
    }
}

/// The CPU time of all reaped children, in nanoseconds.
fn children_time() -> Result<u64, BoxError> {
    let usage = std::fs::read_to_string("/proc/self/stat")?;
    let fields = usage.rsplit_once(") ").ok_or("no numbers")?.1.split(' ');
    let ticks: u64 = fields
        .skip(13)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    // A tick is ten milliseconds, so callers add up many calls.
    Ok(ticks * 10_000_000)
}

/// The supervisors whose home is this directory.
fn supervisors(home: &Path) -> Vec<u32> {
    let variable = format!("HOME={}", home.display());
    let pids = std::fs::read_dir("/proc").into_iter().flatten();
    pids.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| {
            let read =
                |name: &str| std::fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
            let has = |bytes: Vec<u8>, arg: &str| {
                bytes
                    .split(|byte| *byte == 0)
                    .any(|part| part == arg.as_bytes())
            };
            has(read("cmdline"), "__supervise") && has(read("environ"), &variable)
        })
        .collect()
}

/// The proportional set size of a process in KiB: its private memory and its share of shared memory.
fn pss(pid: u32) -> Option<u64> {
    let rollup = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = rollup.lines().find(|line| line.starts_with("Pss:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The `materia` next to this program.
pub(crate) fn materia() -> Result<PathBuf, BoxError> {
    let path = std::env::current_exe()?.with_file_name("materia");
    if path.exists() {
        Ok(path)
    } else {
        Err("build it first: cargo build --release --workspace".into())
    }
}
