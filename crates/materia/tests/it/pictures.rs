//! The terminal pictures in the docs, made by running the program on a real terminal.
//!
//! `MATERIA_WRITE_PICTURES=1` writes them to `docs/images`. Without it the tests compare them; of an
//! animation only the last frame. Durations are removed, so the pictures do not depend on time.

mod svg;

use std::path::Path;

use serde_json::json;
use svg::{Frame, picture, row};

use crate::test_env::TestEnv;
use crate::test_env::terminal::run_on_terminal;

const COLUMNS: u16 = 100;

/// How long the frames of an animation are shown, in hundredths of a second.
const FIRST_FRAME: u32 = 140;
const STEP_FRAME: u32 = 70;
const LAST_FRAME: u32 = 600;

#[test]
fn picture_of_a_cast() {
    let env = TestEnv::new();
    let drawn = run_on_terminal(
        &env,
        usize::from(COLUMNS),
        "echo \"$ materia demo\"\nmateria demo --dir visitors",
    );
    let drawn = env.redact(&drawn).replace("[ROOT]/project", "~");
    let mut screen = vt100::Parser::new(24, COLUMNS, 0);
    let (mut frames, mut visit, mut printed_end) = (Vec::new(), None, false);
    for line in drawn.split_inclusive('\n') {
        screen.process(remove_times(line).as_bytes());
        let frame = || Frame::of(screen.screen());
        if frames.is_empty() {
            frames.push((FIRST_FRAME, frame()));
        }
        printed_end |= line.contains("done   ") || line.contains("rework ");
        if line.contains("Ctrl-C stops") {
            // Of each visit, keep the last frame before its end is printed.
            let shown = screen.screen().contents();
            let at = shown
                .lines()
                .rev()
                .find(|line| line.starts_with('▶'))
                .map(str::to_owned);
            let same = visit.is_some() && visit == at;
            if same && !printed_end {
                frames.pop();
            }
            if !same || !printed_end {
                frames.push((STEP_FRAME, frame()));
                (visit, printed_end) = (at, false);
            }
        }
        if line.starts_with("next: ") {
            frames.push((LAST_FRAME, frame()));
            break;
        }
    }
    assert!(
        frames.len() > 10,
        "the animation has {} frames",
        frames.len()
    );
    let last = frames.last().unwrap().1.clone();
    check("cast.svg", &picture("a cast, walked", &frames), |text| {
        last.rows().all(|one| text.contains(&row(one)))
    });
}

/// Removes durations from a line.
fn remove_times(line: &str) -> String {
    let mut text = String::new();
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
            text.push_str(&rest[..at + 2]);
            rest = &rest[at + 2..];
            continue;
        }
        text.push_str(before[..before.len() - digits].trim_end_matches(' '));
        rest = after[2..].strip_prefix(" · ").unwrap_or(&after[2..]);
    }
    text + rest
}

#[test]
fn picture_of_a_loadout() {
    let env = TestEnv::new();
    let lines = "echo '$ materia grid Full-Auto'\nmateria grid Full-Auto";
    let drawn = run_on_terminal(&env, usize::from(COLUMNS), lines);
    let rows = u16::try_from(drawn.lines().count()).unwrap();
    let mut screen = vt100::Parser::new(rows, COLUMNS, 0);
    screen.process(drawn.trim_end().as_bytes());
    check_still("grid.svg", "a loadout", Frame::of(screen.screen()));
}

#[test]
fn picture_of_top() {
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
    let drawn = picture(title, &[(LAST_FRAME, frame)]);
    check(name, &drawn, |text| text == drawn);
}

/// Compares a picture with its file, or writes the file with `MATERIA_WRITE_PICTURES=1`.
fn check(name: &str, drawn: &str, same: impl Fn(&str) -> bool) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/images")
        .join(name);
    if std::env::var_os("MATERIA_WRITE_PICTURES").is_some() {
        std::fs::write(&path, drawn).unwrap();
    }
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        same(&text),
        "docs/images/{name} is stale; run the tests with MATERIA_WRITE_PICTURES=1"
    );
}
