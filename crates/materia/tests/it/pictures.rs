//! The pictures of the terminal in the documents, drawn from the program on a real terminal.
//!
//! `MATERIA_WRITE_PICTURES=1` writes them to `docs/images`. Without it they are compared: what
//! moves is compared by where it ends. Nothing in them tells the time, and nothing depends on it.

mod svg;

use std::path::Path;

use serde_json::json;
use svg::{Frame, picture, row};

use crate::test_env::TestEnv;
use crate::test_env::terminal::run_on_terminal;

const COLUMNS: u16 = 100;

/// How long the pictures of a recording are shown, in hundredths of a second.
const TYPED: u32 = 140;
const WALKED: u32 = 70;
const ENDED: u32 = 600;

#[test]
fn a_cast_walks_its_graph() {
    let env = TestEnv::new();
    let drawn = run_on_terminal(
        &env,
        usize::from(COLUMNS),
        "echo \"$ materia demo\"\nmateria demo --dir visitors",
    );
    let drawn = env.redact(&drawn).replace("[ROOT]/project", "~");
    let mut screen = vt100::Parser::new(24, COLUMNS, 0);
    let (mut frames, mut walked, mut told) = (Vec::new(), None, false);
    for line in drawn.split_inclusive('\n') {
        screen.process(timeless(line).as_bytes());
        let frame = || Frame::of(screen.screen());
        if frames.is_empty() {
            frames.push((TYPED, frame()));
        }
        told |= line.contains("done   ") || line.contains("rework ");
        if line.contains("Ctrl-C stops") {
            // Of each visit, the last picture before its end is told.
            let shown = screen.screen().contents();
            let at = shown
                .lines()
                .rev()
                .find(|line| line.starts_with('▶'))
                .map(str::to_owned);
            let same = walked.is_some() && walked == at;
            if same && !told {
                frames.pop();
            }
            if !same || !told {
                frames.push((WALKED, frame()));
                (walked, told) = (at, false);
            }
        }
        if line.starts_with("next: ") {
            frames.push((ENDED, frame()));
            break;
        }
    }
    assert!(frames.len() > 10, "the walk has {} pictures", frames.len());
    let last = frames.last().unwrap().1.clone();
    check("cast.svg", &picture("a cast, walked", &frames), |kept| {
        last.rows().all(|one| kept.contains(&row(one)))
    });
}

/// A line without how long something took so far.
fn timeless(line: &str) -> String {
    let mut kept = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(" s") {
        let (before, after) = rest.split_at(at);
        let digits = before.len()
            - before
                .trim_end_matches(|one: char| one.is_ascii_digit() || one == '.')
                .len();
        let ends = after[2..]
            .chars()
            .next()
            .is_none_or(|one| !one.is_alphanumeric());
        if digits < 3 || !ends {
            kept.push_str(&rest[..at + 2]);
            rest = &rest[at + 2..];
            continue;
        }
        kept.push_str(before[..before.len() - digits].trim_end_matches(' '));
        rest = after[2..].strip_prefix(" · ").unwrap_or(&after[2..]);
    }
    kept + rest
}

#[test]
fn a_loadout_is_drawn() {
    let env = TestEnv::new();
    let lines = "echo '$ materia grid Full-Auto'\nmateria grid Full-Auto";
    let drawn = run_on_terminal(&env, usize::from(COLUMNS), lines);
    let rows = u16::try_from(drawn.lines().count()).unwrap();
    let mut screen = vt100::Parser::new(rows, COLUMNS, 0);
    screen.process(drawn.trim_end().as_bytes());
    check_still("grid.svg", "a loadout", Frame::of(screen.screen()));
}

#[test]
fn everything_that_runs_is_shown() {
    let env = TestEnv::new();
    let at = |minute: &str| format!("2026-01-01T{minute}.000Z");
    let spawn = |clock: &str, id: &str, template: &str| {
        let (template, id) = (["--template", template], ["--as", id]);
        let args = [&["spawn"][..], &template, &id].concat();
        env.materia(&args)
            .env("MATERIA_TEST_CLOCK", at(clock))
            .run()
            .ok();
    };
    spawn("08:02:00", "run:lint", "sh -c 'exit 3'");
    env.wait("lint");
    spawn("09:21:00", "run:nightly-report", "true");
    env.wait("nightly-report");
    let config = json!({"activeLoadout": "Plan-With-Me",
        "loadouts": {"Plan-With-Me": {"entry": "plan", "sockets": {"plan": {"materia": "Plan"}}}},
        "materia": {"Plan": {"tools": "none", "prompt": "plan", "multiTurn": true}}});
    env.write("flow.json", config.to_string());
    env.write(
        "script.json",
        json!({"replies": [{"text": "Shall the flag be --json or --format json?"}]}).to_string(),
    );
    let args = [
        "cast",
        "--config",
        "flow.json",
        "--agent-script",
        "script.json",
        "add a flag for JSON",
    ];
    env.materia(&args)
        .env("MATERIA_TEST_CLOCK", at("09:46:30"))
        .run()
        .ok();
    let watcher = "i=0; for file in auth cart mail search users; do i=$((i+1)); \
        echo \"$i/12  tests/$file.rs  ok\"; done; echo '6/12  tests/web.rs  2 failed, asking for help'; sleep 600";
    env.write("watch.sh", watcher);
    spawn("09:48:48", "run:watch-tests", "sh watch.sh");
    env.wait_for_file_text(env.run_dir("watch-tests").stdout(), "asking");
    let line = format!("MATERIA_TEST_CLOCK={} materia top", at("09:52:00"));
    let mut session = env.start_on_terminal(COLUMNS, 18, &line);
    session.wait_for_screen_text("asking for help");
    let frame = Frame::of(session.vt());
    session.send_keys("q");
    session.wait();
    env.kill("watch-tests");
    check_still("top.svg", "materia top", frame);
}

fn check_still(name: &str, title: &str, frame: Frame) {
    let drawn = picture(title, &[(ENDED, frame)]);
    check(name, &drawn, |kept| kept == drawn);
}

/// Compares a picture with what the program shows; `MATERIA_WRITE_PICTURES=1` writes it.
fn check(name: &str, drawn: &str, same: impl Fn(&str) -> bool) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/images")
        .join(name);
    if std::env::var_os("MATERIA_WRITE_PICTURES").is_some() {
        std::fs::write(&path, drawn).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        same(&kept),
        "docs/images/{name} is stale; run the tests with MATERIA_WRITE_PICTURES=1"
    );
}
