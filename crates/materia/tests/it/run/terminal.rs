//! Live progress on a pseudo-terminal.

use super::*;
use crate::test_env::terminal::{Terminal, run_on_terminal};

#[test]
fn each_running_command_has_a_line_until_it_ends() {
    let env = TestEnv::new();
    let until_seen = "until test -e seen; do sleep 0.01; done";
    let template = json!({"parallel": true, "template": [
        {"label": "first", "template": format!("sh -c 'echo step one of many, told at length; {until_seen}'")},
        {"label": "third", "template": format!("sh -c 'echo a complaint >&2; {until_seen}'")},
        {"label": "a name that is longer than the terminal is wide", "template": format!("sh -c '{until_seen}; exit 3'")},
    ]});
    env.write("template.json", template.to_string());
    let mut session = env.start_on_terminal(40, 10, "materia run --file template.json");
    let shown = ["running first", "step one", "a complaint", "running a name"];
    session.wait_until(|screen| shown.iter().all(|text| screen.contains(text)));
    env.write("seen", "");
    let drawn = session.wait_for_output();
    let terminal = Terminal::after(&drawn);
    assert!(
        drawn.contains("\u{1b}[36mfirst") && drawn.contains("\u{1b}[35mthird"),
        "each label must have its own colour"
    );
    terminal.assert_fits(40);
    let screen = terminal.lines.join("\n");
    assert!(!screen.contains("running"), "{screen}");
    assert!(
        screen.contains("done    first (") && screen.contains("failed  a name that"),
        "{screen}"
    );
    assert!(
        screen.contains("error: a name that")
            && screen.contains("degraded: 1 failed, 3 commands ran"),
        "{screen}"
    );
    assert!(
        screen.contains("--- branch: first status: done ---\nstep one of many, told at length"),
        "{screen}"
    );
}

#[test]
fn commands_that_do_not_fit_the_terminal_are_counted() {
    let env = TestEnv::new();
    let template = json!({"parallel": true, "repeat": 30, "label": "n{index}", "template": "sh -c 'until test -e seen; do sleep 0.05; done'"});
    env.write("template.json", template.to_string());
    let mut session = env.start_on_terminal(
        30,
        10,
        "materia run --jobs 30 --file template.json >/dev/null",
    );
    session.wait_for_screen_text("and 23 more");
    env.write("seen", "");
    let drawn = session.wait_for_output();
    let terminal = Terminal::after(&drawn);
    terminal.assert_fits(30);
    let screen = terminal.lines.join("\n");
    assert_eq!(
        (
            screen.matches("done    n").count(),
            screen.contains("running"),
            screen.contains("more")
        ),
        (30, false, false),
        "{screen}"
    );
}

#[test]
fn an_interrupt_on_a_terminal_is_reported() {
    let env = TestEnv::new();
    let command = r#"sh -c "trap 'exit 0' TERM; touch ready; while :; do sleep 0.01; done""#;
    env.write("template.json", json!(command).to_string());
    let line = "materia run --file template.json & run=$!; until test -e ready; do sleep 0.01; done; kill -TERM $run; wait $run; echo exit $?";
    let terminal = Terminal::after(&run_on_terminal(&env, 60, line));
    let screen = terminal.lines.join("\n");
    assert!(
        screen.contains("interrupted: nothing of it is left running")
            && screen.contains("exit 130"),
        "{screen}"
    );
    assert!(!screen.contains("running sh"), "{screen}");
}

#[test]
fn a_dumb_terminal_gets_plain_lines() {
    let env = TestEnv::new();
    env.write("line.sh", "TERM=dumb materia run --template 'echo hi'\n");
    let outcome = env.shell("script -qec 'sh line.sh' /dev/null").run();
    assert_eq!(outcome.stdout, "hi\r\n");
}

#[test]
fn without_a_terminal_stderr_lines_have_labels() {
    let env = TestEnv::new();
    let branch = |name: &str| json!({"label": name, "template": format!("sh -c 'touch {name}; until test -e one -a -e two; do sleep 0.01; done; echo from {name} >&2; printf end >&2'")});
    let template = json!({"parallel": true, "template": [branch("one"), branch("two")]});
    let outcome = env
        .materia(&["run", "--template", &template.to_string()])
        .run()
        .ok();
    let mut lines: Vec<&str> = outcome.stderr.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        ["one | end", "one | from one", "two | end", "two | from two"]
    );
    let alone = env
        .materia(&["run", "--template", "sh -c 'echo plain >&2'"])
        .run()
        .ok();
    assert_eq!(alone.stderr, "plain\n");
}
