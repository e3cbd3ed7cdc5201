//! `materia top` on a real terminal: what it shows, and what its keys do.

use serde_json::json;

use crate::test_env::TestEnv;

#[test]
fn a_run_is_listed_messaged_and_killed() {
    let env = TestEnv::new();
    env.spawn("worker", "sh -c 'echo ready to work; sleep 600'", &[]);
    env.wait_for_file_text(env.run_dir("worker").stdout(), "ready to work");
    let mut session = env.start_on_terminal(100, 24, "materia top");
    session.wait_for_screen_text("ready to work");
    assert!(
        session.is_full_screen() && session.screen().contains("running     run:worker"),
        "{}",
        session.screen()
    );
    session.send_keys("5");
    session.wait_for_screen_text("sleep 600");
    session.send_keys("2m");
    session.wait_for_screen_text("to run:worker:");
    session.send_keys("task.run fast\r");
    session.wait_for_screen_text("task.run to run:worker: ");
    session.wait_for_screen_text("→ task.run");
    // Changes by other processes appear without a key press.
    env.spawn("other", "true", &[]);
    session.wait_for_screen_text("run:other");
    session.send_keys("xy");
    session.wait_for_screen_text("killed      run:worker");
    session.send_keys("q");
    let (screen, code) = session.wait();
    assert_eq!(code, 0, "{screen}");
    assert!(
        !screen.contains("run:worker"),
        "the screen was not restored: {screen}"
    );
    env.wait("other");
}

/// Starts a cast that waits for the user after its first turn. `agent` is the script of its agent.
fn start_conversation(env: &TestEnv, agent: &str) {
    let config = json!({"activeLoadout": "T",
        "loadouts": {"T": {"entry": "talk", "sockets": {"talk": {"materia": "Talk"}}}},
        "materia": {"Talk": {"tools": "none", "prompt": "talk", "multiTurn": true}},
        "agents": {"ours": {"command": ["sh", "agent.sh"]}}});
    env.write("agent.sh", agent);
    env.write("flow.json", config.to_string());
    env.materia(&["cast", "--config", "flow.json", "--agent", "ours", "a door"])
        .run()
        .ok();
}

#[test]
fn a_paused_cast_is_continued_with_text_and_completes() {
    let env = TestEnv::new();
    // `top` names no agent, so the cast keeps the one it was started with.
    start_conversation(
        &env,
        "case \"$(cat)\" in *'make it blue'*) echo blue then;; *) echo which colour;; esac",
    );
    let mut session = env.start_on_terminal(100, 24, "materia top");
    session.wait_for_screen_text("1 waiting for you");
    session.send_keys("c");
    session.wait_for_screen_text("continue with: ▏  Enter lets it finish");
    session.send_keys("make it blue\r");
    session.wait_for_screen_text(" goes on as run:");
    session.wait_until(|screen| screen.contains("2 turns") && screen.contains("1 waiting for you"));
    session.send_keys("c\r");
    session.wait_for_screen_text("complete    cast 2026");
    session.send_keys("q");
    assert_eq!(session.wait().1, 0);
    let shown = env.materia(&["cast-show", "--json"]).run().ok().json();
    assert_eq!(shown["status"], "complete");
    assert_eq!(shown["steps"][0]["outcome"], "done");
    let dir = shown["runDir"]
        .as_str()
        .unwrap()
        .replace("[ROOT]/project/", "");
    let files = std::fs::read_dir(env.work_dir().join(dir).join("sockets/talk")).unwrap();
    let answers = files
        .flatten()
        .filter(|file| file.path().to_string_lossy().ends_with("output.md"));
    let answers: Vec<String> = answers
        .map(|file| std::fs::read_to_string(file.path()).unwrap())
        .collect();
    assert!(
        answers.iter().any(|answer| answer.contains("blue then")),
        "{answers:?}"
    );
}

#[test]
fn an_agent_script_continues_a_cast_and_errors_are_shown() {
    let env = TestEnv::new();
    start_conversation(&env, "cat >/dev/null; echo which colour");
    env.write(
        "script.json",
        json!({"replies": [{"text": "a red one"}]}).to_string(),
    );
    std::fs::remove_file(env.work_dir().join("agent.sh")).unwrap();
    let mut session = env.start_on_terminal(120, 24, "materia top --agent nobody");
    session.wait_for_screen_text("1 waiting for you");
    session.send_keys("c\r");
    session.wait_for_screen_text("there is no agent `nobody`");
    session.send_keys("q");
    session.wait();
    let mut session = env.start_on_terminal(120, 24, "materia top --agent-script script.json");
    session.wait_for_screen_text("1 waiting for you");
    session.send_keys("mred\r");
    session.wait_for_screen_text("2 turns");
    session.send_keys("q");
    session.wait();
}

#[test]
fn a_paused_cast_is_aborted_after_confirmation() {
    let env = TestEnv::new();
    start_conversation(&env, "cat >/dev/null; echo which colour");
    let mut session = env.start_on_terminal(80, 24, "materia top");
    session.wait_for_screen_text("1 waiting for you");
    session.send_keys("x");
    session.wait_for_screen_text("abort cast 2026");
    session.send_keys("n");
    session.wait_for_screen_text("left as it is");
    session.send_keys("xy");
    session.wait_for_screen_text("aborted     cast 2026");
    session.send_keys("c");
    session.wait_for_screen_text("goes on as run:");
    session.send_keys("\u{3}");
    assert_eq!(session.wait().1, 0);
}

#[test]
fn views_filter_scrolling_resize_and_mouse_work() {
    let env = TestEnv::new();
    env.spawn(
        "first",
        "sh -c 'seq 100; sleep 600'",
        &["--artifact", "list=made.txt"],
    );
    env.wait_for_file_text(env.run_dir("first").stdout(), "100");
    env.spawn("second", "sh -c 'echo I am second; sleep 600'", &[]);
    env.wait_for_file_text(env.run_dir("second").stdout(), "I am second");
    let mut session = env.start_on_terminal(100, 24, "materia top");
    session.wait_for_screen_text("run:second");
    session.send_keys("/first\r");
    session.wait_for_screen_text("filter: first (1)");
    session.wait_until(|screen| !screen.contains("run:second") && screen.contains("\n100"));
    for (key, shown) in [
        ("2", "nothing was said"),
        ("3", "nobody said anything"),
        ("4", "made.txt"),
        ("5", "sleep 600"),
    ] {
        session.send_keys(key);
        session.wait_for_screen_text(shown);
    }
    session.send_keys("1");
    session.wait_until(|screen| screen.contains("\n100") && screen.contains("follows"));
    session.send_keys("f");
    session.wait_for_screen_text("stays");
    session.send_keys("\u{1b}[5~");
    session.wait_until(|screen| !screen.contains("\n100"));
    session.send_keys("f");
    session.wait_until(|screen| screen.contains("\n100") && screen.contains("follows"));
    session.resize(40, 10);
    session.wait_until(|screen| {
        screen.lines().count() <= 10 && screen.contains("\n100") && screen.contains("running")
    });
    assert!(
        session
            .screen()
            .lines()
            .all(|line| line.chars().count() <= 40),
        "{}",
        session.screen()
    );
    session.resize(100, 24);
    session.send_keys("\u{1b}");
    session.wait_for_screen_text("run:second");
    let row = |screen: &str| {
        screen
            .lines()
            .position(|line| line.contains("run:second"))
            .unwrap()
            + 1
    };
    let second = row(&session.screen());
    session.send_keys(&format!("\u{1b}[<0;5;{second}M\u{1b}[<0;5;{second}m"));
    session.wait_for_screen_text("I am second");
    session.send_keys("?");
    session.wait_for_screen_text("any key closes this");
    session.send_keys("q\u{3}");
    assert_eq!(session.wait().1, 0);
    env.kill("first");
    env.kill("second");
}

#[test]
fn without_runs_it_shows_how_to_start_one() {
    let env = TestEnv::new();
    let mut session = env.start_on_terminal(80, 10, "materia top");
    session.wait_for_screen_text("nothing runs here");
    assert!(
        session.screen().contains("materia spawn") && session.screen().contains("materia demo"),
        "{}",
        session.screen()
    );
    // The keys for message, continue and kill have no target.
    session.send_keys("mcxq");
    assert_eq!(session.wait().1, 0);
}

#[test]
fn without_a_terminal_it_prints_one_list() {
    let env = TestEnv::new();
    let nothing = env.materia(&["top"]).run().ok();
    assert!(
        nothing.stdout.starts_with("nothing runs here"),
        "{}",
        nothing.stdout
    );
    env.spawn("a", "true", &[]);
    env.wait("a");
    let list = env.materia(&["top", "--once"]).run().ok().stdout;
    assert!(list.starts_with("done  run:a"), "{list}");
    let json = env.materia(&["top", "--json"]).run().ok().json();
    assert_eq!(json["ok"], true);
    assert_eq!(json["runs"][0]["run"], "a");
}
