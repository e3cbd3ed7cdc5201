//! Casting a loop of work items with two utilities each, against a C program that starts the same
//! processes and writes the same bytes with one sync per step, and against peers; how it grows; how
//! soon it goes on after a kill; how long the smallest one takes.
//!
//! Every contender does its work on the same disk and syncs once per step.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use crate::contest::{Contender, hold};
use crate::{floor, peers};

type Failure = Box<dyn std::error::Error>;

const ITEMS: usize = 1000;
const FEW: usize = 100;
const ANSWER: &str = "{\"satisfied\":true}";

/// The steps of a long cast, beside the floor and peers. A turn takes seconds.
pub(crate) fn steps(rounds: usize) -> Result<(), Failure> {
    held(|bench| bench.steps(rounds.div_ceil(7).max(1)))
}

/// How a step grows with the length of the cast.
pub(crate) fn growth(rounds: usize) -> Result<(), Failure> {
    held(|bench| bench.growth(rounds.div_ceil(7).max(1)))
}

/// How soon a killed cast goes on.
pub(crate) fn resume(rounds: usize) -> Result<(), Failure> {
    held(|bench| bench.resume(rounds.div_ceil(7).max(3)))
}

/// The smallest cast, from start to exit.
pub(crate) fn smallest(rounds: usize) -> Result<(), Failure> {
    held(|bench| bench.smallest(rounds))
}

fn held(contest: impl FnOnce(&Bench) -> Result<(), Failure>) -> Result<(), Failure> {
    let scratch = floor::disk()?;
    let dir = scratch.path().canonicalize()?;
    contest(&Bench {
        floor: floor::compile("cast.c", &dir)?,
        step: floor::compile("step.c", &dir)?,
        materia: crate::plan::materia()?,
        dir,
        turns: 0.into(),
    })
}

struct Bench {
    floor: PathBuf,
    step: PathBuf,
    materia: PathBuf,
    dir: PathBuf,
    turns: std::cell::Cell<u32>,
}

/// How many bytes a step of ours reads and writes, on average.
struct Sizes {
    input: u64,
    kept: u64,
    command: u64,
    log: u64,
}

impl Bench {
    /// A new directory.
    fn fresh(&self) -> Result<PathBuf, Failure> {
        self.turns.set(self.turns.get() + 1);
        let dir = self.dir.join(format!("turn-{}", self.turns.get()));
        fs::create_dir(&dir)?;
        Ok(dir)
    }

    /// The config of a loop over so many items; of one socket for none.
    fn config(&self, items: usize) -> Result<PathBuf, Failure> {
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

    /// How long one step of a cast over so many items takes, the start of the program included.
    fn ours(&self, config: &Path, items: usize) -> Result<Duration, Failure> {
        let dir = self.fresh()?;
        let took = timed(&mut self.cast(config, &dir))? / steps_of(items);
        fs::remove_dir_all(dir)?;
        Ok(took)
    }

    fn steps(&self, rounds: usize) -> Result<(), Failure> {
        let config = self.config(ITEMS)?;
        let sizes = self.sizes(&config)?;
        println!(
            "\na step of ours reads {} bytes and writes {} to the log and {} to four files",
            sizes.input,
            sizes.log,
            sizes.kept + sizes.command + ANSWER.len() as u64
        );
        let mut contenders = vec![
            Contender::new("C, same processes and bytes (floor)", || self.bare(&sizes)),
            Contender::new("materia cast", || self.ours(&config, ITEMS)),
        ];
        println!(
            "(the reference engine is not on the npm registry, and only runs inside its host)"
        );
        match peers::python("langgraph", &["langgraph", "langgraph-checkpoint-sqlite"]) {
            Some(python) => contenders.push(Contender::new(
                "LangGraph, SQLite checkpoints, no artifacts",
                move || self.langgraph(&python),
            )),
            None => println!("(LangGraph cannot be installed)"),
        }
        hold(
            &format!("a step of a cast of {ITEMS} items x 2 utilities"),
            1.5,
            rounds,
            contenders,
        )
    }

    fn bare(&self, sizes: &Sizes) -> Result<Duration, Failure> {
        let dir = self.fresh()?;
        let mut command = Command::new(&self.floor);
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

    fn langgraph(&self, python: &Path) -> Result<Duration, Failure> {
        let dir = self.fresh()?;
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

    /// What our own cast reads and writes per step, so that the floor does the same.
    fn sizes(&self, config: &Path) -> Result<Sizes, Failure> {
        let dir = self.fresh()?;
        timed(&mut self.cast(config, &dir))?;
        let cast = only(&dir.join(".pi/pi-materia"))?;
        let mean = |kind: &str| -> Result<u64, Failure> {
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

    fn growth(&self, rounds: usize) -> Result<(), Failure> {
        let (few, many) = (self.config(FEW)?, self.config(ITEMS)?);
        let (short, long) = (
            format!("a step of {FEW} items (floor)"),
            format!("a step of {ITEMS} items"),
        );
        let contenders = vec![
            Contender::new(&short, || self.ours(&few, FEW)),
            Contender::new(&long, || self.ours(&many, ITEMS)),
        ];
        hold("growth with the length of a cast", 1.1, rounds, contenders)
    }

    /// A cast of so many items is killed near its end; then how long it takes until the next
    /// program is started.
    fn resume(&self, rounds: usize) -> Result<(), Failure> {
        let config = self.config(ITEMS)?;
        let dir = self.fresh()?;
        let mut child = self.cast(&config, &dir).spawn()?;
        let nearly = format!("{}-WI-{}.input.json", ITEMS * 19 / 20, ITEMS * 19 / 20);
        let casts = dir.join(".pi/pi-materia");
        while !only(&casts).is_ok_and(|cast| cast.join("sockets/two").join(&nearly).exists()) {
            if child.try_wait()?.is_some() {
                return Err("the cast ended before it was killed".into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill()?;
        child.wait()?;
        let cast = only(&casts)?;
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
                times.push(self.taken_up(&cast, snapshot)?);
            }
            times.sort_unstable();
            println!(
                "{name:<44} {:>9.2} ms",
                times[times.len() / 2].as_secs_f64() * 1e3
            );
        }
        Ok(())
    }

    /// How long it takes from the start of `materia resume` to the start of the next program.
    fn taken_up(&self, cast: &Path, snapshot: bool) -> Result<Duration, Failure> {
        let (dir, copy) = (self.fresh()?, self.fresh()?);
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
        let began = SystemTime::now();
        timed(&mut command)?;
        let at =
            SystemTime::UNIX_EPOCH + Duration::from_nanos(fs::read_to_string(&first)?.parse()?);
        for used in [dir, copy] {
            fs::remove_dir_all(used)?;
        }
        Ok(at.duration_since(began)?)
    }

    fn smallest(&self, rounds: usize) -> Result<(), Failure> {
        let config = self.config(0)?;
        let dir = self.fresh()?;
        let contenders = vec![
            Contender::new("the bare process (floor)", || {
                timed(
                    Command::new(&self.step)
                        .arg(ANSWER)
                        .stdin(Stdio::null())
                        .stdout(Stdio::null()),
                )
            }),
            Contender::new("materia cast of one socket", || {
                timed(&mut self.cast(&config, &dir))
            }),
        ];
        hold(
            "the smallest cast, from start to exit",
            10.0,
            rounds,
            contenders,
        )
    }
}

/// The list, and two steps for each item; one socket where there are none.
fn steps_of(items: usize) -> u32 {
    u32::try_from(2 * items + 1).unwrap_or(u32::MAX)
}

/// The only entry of a directory.
fn only(dir: &Path) -> Result<PathBuf, Failure> {
    let entry = fs::read_dir(dir)?.next().ok_or("the directory is empty")?;
    Ok(entry?.path())
}

fn timed(command: &mut Command) -> Result<Duration, Failure> {
    let began = Instant::now();
    let status = command.status()?;
    let took = began.elapsed();
    if status.success() {
        Ok(took)
    } else {
        Err(format!("{command:?} failed: {status}").into())
    }
}
