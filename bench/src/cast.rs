//! Casts: the time per step in a loop of work items with two utilities each, its growth with the
//! length of the cast, the delay of a resume after a kill, and the smallest cast.
//!
//! The baseline is a C program that starts the same processes and writes the same bytes. Every
//! candidate uses the same disk and syncs once per step.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use crate::comparison::{Candidate, compare};
use crate::{baseline, peers};

type BoxError = Box<dyn std::error::Error>;

const ITEMS: usize = 1000;
const FEW_ITEMS: usize = 100;
const ANSWER: &str = "{\"satisfied\":true}";

/// The steps of a long cast, compared with the baseline and peers. A turn takes seconds.
pub(crate) fn steps(rounds: usize) -> Result<(), BoxError> {
    with_bench(|bench| bench.steps(rounds.div_ceil(7).max(1)))
}

/// How the time of a step grows with the length of the cast.
pub(crate) fn growth(rounds: usize) -> Result<(), BoxError> {
    with_bench(|bench| bench.growth(rounds.div_ceil(7).max(1)))
}

/// How long a resume of a killed cast takes.
pub(crate) fn resume(rounds: usize) -> Result<(), BoxError> {
    with_bench(|bench| bench.resume(rounds.div_ceil(7).max(3)))
}

/// The smallest cast, from start to exit.
pub(crate) fn smallest(rounds: usize) -> Result<(), BoxError> {
    with_bench(|bench| bench.smallest(rounds))
}

fn with_bench(run: impl FnOnce(&Bench) -> Result<(), BoxError>) -> Result<(), BoxError> {
    let scratch = baseline::disk()?;
    let dir = scratch.path().canonicalize()?;
    run(&Bench {
        baseline: baseline::compile("cast.c", &dir)?,
        step: baseline::compile("step.c", &dir)?,
        materia: crate::plan::materia()?,
        dir,
        dir_count: 0.into(),
    })
}

struct Bench {
    baseline: PathBuf,
    step: PathBuf,
    materia: PathBuf,
    dir: PathBuf,
    dir_count: std::cell::Cell<u32>,
}

/// The average number of bytes that a step of materia reads and writes.
struct Sizes {
    input: u64,
    kept: u64,
    command: u64,
    log: u64,
}

impl Bench {
    /// Creates a new directory.
    fn new_dir(&self) -> Result<PathBuf, BoxError> {
        self.dir_count.set(self.dir_count.get() + 1);
        let dir = self.dir.join(format!("turn-{}", self.dir_count.get()));
        fs::create_dir(&dir)?;
        Ok(dir)
    }

    /// Writes a config with a loop over this many items, or with one socket for none.
    fn config(&self, items: usize) -> Result<PathBuf, BoxError> {
        let program =
            |command: Value| json!({"type": "utility", "parse": "json", "command": command});
        let step = program(json!([self.step, ANSWER]));
        let titles = (0..items)
            .map(|n| json!({"title": format!("Item {n}"), "context": format!("Finish item {n}.")}));
        let list = self.dir.join(format!("items-{items}.json"));
        fs::write(
            &list,
            json!({"workItems": titles.collect::<Vec<_>>()}).to_string(),
        )?;
        let mut lists = program(json!(["cat", list]));
        lists["generator"] = true.into();
        let loadout = match items {
            0 => json!({"entry": "one", "sockets": {"one": {"materia": "One"}}}),
            _ => json!({"entry": "list", "sockets": {
                "list": {"materia": "List", "edges": [{"to": "one"}]},
                "one": {"materia": "One", "edges": [{"to": "two"}]},
                "two": {"materia": "One", "edges": [{"to": "one"}]}},
                "loops": {"l": {"sockets": ["one", "two"], "consumes": {"from": "list", "output": "workItems"},
                    "exit": {"from": "two", "when": "satisfied", "to": "end"}}}}),
        };
        let materia = if items == 0 {
            json!({"One": step})
        } else {
            json!({"One": step, "List": lists})
        };
        let path = self.dir.join(format!("flow-{items}.json"));
        let config = json!({"activeLoadout": "T", "materia": materia, "loadouts": {"T": loadout}});
        fs::write(&path, config.to_string())?;
        Ok(path)
    }

    fn cast(&self, config: &Path, dir: &Path) -> Command {
        let mut command = Command::new(&self.materia);
        command
            .args(["cast", "--json", "go", "--config"])
            .arg(config)
            .current_dir(dir);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// The time of one step of a cast over this many items, including the start of the program.
    fn materia_step(&self, config: &Path, items: usize) -> Result<Duration, BoxError> {
        let dir = self.new_dir()?;
        let took = timed(&mut self.cast(config, &dir))? / steps_of(items);
        fs::remove_dir_all(dir)?;
        Ok(took)
    }

    fn steps(&self, rounds: usize) -> Result<(), BoxError> {
        let config = self.config(ITEMS)?;
        let sizes = self.sizes(&config)?;
        println!(
            "\na step of materia reads {} bytes and writes {} to the log and {} to four files",
            sizes.input,
            sizes.log,
            sizes.kept + sizes.command + ANSWER.len() as u64
        );
        let mut candidates = vec![
            Candidate::new("C, same processes and bytes (baseline)", || {
                self.baseline_step(&sizes)
            }),
            Candidate::new("materia cast", || self.materia_step(&config, ITEMS)),
        ];
        println!(
            "(the reference engine is not on the npm registry, and only runs inside its host)"
        );
        match peers::python("langgraph", &["langgraph", "langgraph-checkpoint-sqlite"]) {
            Some(python) => candidates.push(Candidate::new(
                "LangGraph, SQLite checkpoints, no artifacts",
                move || self.langgraph_step(&python),
            )),
            None => println!("(LangGraph cannot be installed)"),
        }
        compare(
            &format!("a step of a cast of {ITEMS} items x 2 utilities"),
            1.5,
            rounds,
            candidates,
        )
    }

    fn baseline_step(&self, sizes: &Sizes) -> Result<Duration, BoxError> {
        let dir = self.new_dir()?;
        let mut command = Command::new(&self.baseline);
        command
            .arg(dir.join("cast"))
            .arg(steps_of(ITEMS).to_string())
            .arg(&self.step)
            .arg(ANSWER);
        command
            .args([sizes.input, sizes.kept, sizes.command, sizes.log].map(|size| size.to_string()));
        let took = timed(&mut command)? / steps_of(ITEMS);
        fs::remove_dir_all(dir)?;
        Ok(took)
    }

    fn langgraph_step(&self, python: &Path) -> Result<Duration, BoxError> {
        let dir = self.new_dir()?;
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/cast.py");
        let mut command = Command::new(python);
        command
            .arg(script)
            .arg(dir.join("checkpoints.db"))
            .arg(ITEMS.to_string())
            .arg(&self.step)
            .arg(ANSWER);
        let output = command.stderr(Stdio::inherit()).output()?;
        fs::remove_dir_all(dir)?;
        let seconds: f64 = String::from_utf8(output.stdout)?.trim().parse()?;
        Ok(Duration::from_secs_f64(seconds))
    }

    /// What a cast of materia reads and writes per step, so that the baseline does the same.
    fn sizes(&self, config: &Path) -> Result<Sizes, BoxError> {
        let dir = self.new_dir()?;
        timed(&mut self.cast(config, &dir))?;
        let cast = only_entry(&dir.join(".pi/pi-materia"))?;
        let mean = |kind: &str| -> Result<u64, BoxError> {
            let files = fs::read_dir(cast.join("sockets/one"))?.flatten();
            let sizes: Vec<u64> = files
                .filter(|file| file.file_name().to_string_lossy().ends_with(kind))
                .filter_map(|file| Some(file.metadata().ok()?.len()))
                .collect();
            Ok(sizes.iter().sum::<u64>() / sizes.len().max(1) as u64)
        };
        let kept = mean(".input.json")?;
        let state = fs::metadata(cast.join("state/workItems.1.json")).map_or(0, |list| list.len());
        let log = fs::metadata(cast.join("events.jsonl"))?.len() / u64::from(steps_of(ITEMS));
        let sizes = Sizes {
            input: kept + state,
            kept,
            command: mean(".command.json")?,
            log,
        };
        fs::remove_dir_all(dir)?;
        Ok(sizes)
    }

    fn growth(&self, rounds: usize) -> Result<(), BoxError> {
        let (few, many) = (self.config(FEW_ITEMS)?, self.config(ITEMS)?);
        let (short, long) = (
            format!("a step of {FEW_ITEMS} items (baseline)"),
            format!("a step of {ITEMS} items"),
        );
        let candidates = vec![
            Candidate::new(&short, || self.materia_step(&few, FEW_ITEMS)),
            Candidate::new(&long, || self.materia_step(&many, ITEMS)),
        ];
        compare("growth with the length of a cast", 1.1, rounds, candidates)
    }

    /// Kills a cast near its end and measures the time until `resume` starts the next program.
    fn resume(&self, rounds: usize) -> Result<(), BoxError> {
        let config = self.config(ITEMS)?;
        let dir = self.new_dir()?;
        let mut child = self.cast(&config, &dir).spawn()?;
        let late_input = format!("{}-WI-{}.input.json", ITEMS * 19 / 20, ITEMS * 19 / 20);
        let casts = dir.join(".pi/pi-materia");
        while !only_entry(&casts)
            .is_ok_and(|cast| cast.join("sockets/two").join(&late_input).exists())
        {
            if child.try_wait()?.is_some() {
                return Err("the cast ended before it was killed".into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill()?;
        child.wait()?;
        let cast = only_entry(&casts)?;
        let (with, without) = (
            "resume, to the next dispatch",
            "the same without the snapshot",
        );
        println!(
            "\nresume of a killed cast of {ITEMS} items ({rounds} rounds, should be at most 100 ms)"
        );
        for (name, snapshot) in [(with, true), (without, false)] {
            let mut times = Vec::new();
            for _ in 0..rounds {
                times.push(self.resume_delay(&cast, snapshot)?);
            }
            times.sort_unstable();
            println!(
                "{name:<44} {:>9.2} ms",
                times[times.len() / 2].as_secs_f64() * 1e3
            );
        }
        Ok(())
    }

    /// The time from the start of `materia resume` to the start of the next program.
    fn resume_delay(&self, cast: &Path, snapshot: bool) -> Result<Duration, BoxError> {
        let (dir, copy) = (self.new_dir()?, self.new_dir()?);
        for name in ["config.resolved.json", "events.jsonl"]
            .into_iter()
            .chain(snapshot.then_some("state.json"))
        {
            fs::copy(cast.join(name), copy.join(name))?;
        }
        let first = dir.join("first");
        let mut command = Command::new(&self.materia);
        command
            .arg("resume")
            .arg(&copy)
            .arg("--json")
            .current_dir(&dir)
            .env("BENCH_FIRST", &first);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let start = SystemTime::now();
        timed(&mut command)?;
        let at =
            SystemTime::UNIX_EPOCH + Duration::from_nanos(fs::read_to_string(&first)?.parse()?);
        for used in [dir, copy] {
            fs::remove_dir_all(used)?;
        }
        Ok(at.duration_since(start)?)
    }

    fn smallest(&self, rounds: usize) -> Result<(), BoxError> {
        let config = self.config(0)?;
        let dir = self.new_dir()?;
        let candidates = vec![
            Candidate::new("the bare process (baseline)", || {
                timed(
                    Command::new(&self.step)
                        .arg(ANSWER)
                        .stdin(Stdio::null())
                        .stdout(Stdio::null()),
                )
            }),
            Candidate::new("materia cast of one socket", || {
                timed(&mut self.cast(&config, &dir))
            }),
        ];
        compare(
            "the smallest cast, from start to exit",
            10.0,
            rounds,
            candidates,
        )
    }
}

/// The number of steps: the list, and two steps per item.
fn steps_of(items: usize) -> u32 {
    u32::try_from(2 * items + 1).unwrap_or(u32::MAX)
}

/// The only entry of a directory.
fn only_entry(dir: &Path) -> Result<PathBuf, BoxError> {
    let entry = fs::read_dir(dir)?.next().ok_or("the directory is empty")?;
    Ok(entry?.path())
}

fn timed(command: &mut Command) -> Result<Duration, BoxError> {
    let start = Instant::now();
    let status = command.status()?;
    let took = start.elapsed();
    if status.success() {
        Ok(took)
    } else {
        Err(format!("{command:?} failed: {status}").into())
    }
}
