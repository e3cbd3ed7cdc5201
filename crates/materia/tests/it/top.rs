//! `materia top` on a real terminal: what it shows is what there is, and what is pressed is done.

use serde_json::json;

use crate::house::House;

#[test]
fn a_run_is_seen_told_something_and_killed() {
    let house = House::new();
    house.spawn("worker", "sh -c 'echo ready to work; sleep 600'", &[]);
    house.until_file_has(house.run_place("worker").stdout(), "ready to work");
    let mut seat = house.seat(100, 24, "materia top");
    seat.until_shown("ready to work");
    assert!(
        seat.is_full() && seat.screen().contains("running     run:worker"),
        "{}",
        seat.screen()
    );
    seat.press("5");
    seat.until_shown("sleep 600");
    seat.press("2m");
    seat.until_shown("to run:worker:");
    seat.press("task.run fast\r");
    seat.until_shown("task.run to run:worker: ");
    seat.until_shown("→ task.run");
    // Something that others do is seen without a key.
    house.spawn("other", "true", &[]);
    seat.until_shown("run:other");
    seat.press("xy");
    seat.until_shown("killed      run:worker");
    seat.press("q");
    let (left, code) = seat.end();
    assert_eq!(code, 0, "{left}");
    assert!(
        !left.contains("run:worker"),
        "the screen is as it was: {left}"
    );
    house.wait("other");
}

/// A house with a conversation in it, of which an agent that answers like this has said its first
/// words.
fn with_conversation(house: &House, agent: &str) {
    let config = json!({"activeLoadout": "T",
        "loadouts": {"T": {"entry": "talk", "sockets": {"talk": {"materia": "Talk"}}}},
        "materia": {"Talk": {"tools": "none", "prompt": "talk", "multiTurn": true}},
        "agents": {"ours": {"command": ["sh", "agent.sh"]}}});
    house.write("agent.sh", agent);
    house.write("flow.json", config.to_string());
    house
        .materia(&["cast", "--config", "flow.json", "--agent", "ours", "a door"])
        .run()
        .ok();
}

#[test]
fn a_paused_cast_is_told_something_and_then_finishes() {
    let house = House::new();
    // The agent that was named when the cast began plays on, also where nobody names it again.
    with_conversation(
        &house,
        "case \"$(cat)\" in *'make it blue'*) echo blue then;; *) echo which colour;; esac",
    );
    let mut seat = house.seat(100, 24, "materia top");
    seat.until_shown("1 waiting for you");
    seat.press("c");
    seat.until_shown("continue with: ▏  Enter lets it finish");
    seat.press("make it blue\r");
    seat.until_shown(" goes on as run:");
    seat.until(|screen| screen.contains("2 turns") && screen.contains("1 waiting for you"));
    seat.press("c\r");
    seat.until_shown("complete    cast 2026");
    seat.press("q");
    assert_eq!(seat.end().1, 0);
    let shown = house.materia(&["cast-show", "--json"]).run().ok().json();
    assert_eq!(
        (&shown["status"], &shown["steps"][0]["outcome"]),
        (&json!("complete"), &json!("done"))
    );
    let dir = shown["runDir"]
        .as_str()
        .unwrap()
        .replace("[HOUSE]/project/", "");
    let said = std::fs::read_dir(house.work().join(dir).join("sockets/talk")).unwrap();
    let answers = said
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
fn a_script_goes_on_with_a_cast_and_what_fails_is_said_below() {
    let house = House::new();
    with_conversation(&house, "cat >/dev/null; echo which colour");
    house.write(
        "script.json",
        json!({"replies": [{"text": "a red one"}]}).to_string(),
    );
    std::fs::remove_file(house.work().join("agent.sh")).unwrap();
    let mut seat = house.seat(120, 24, "materia top --agent nobody");
    seat.until_shown("1 waiting for you");
    seat.press("c\r");
    seat.until_shown("there is no agent `nobody`");
    seat.press("q");
    seat.end();
    let mut seat = house.seat(120, 24, "materia top --agent-script script.json");
    seat.until_shown("1 waiting for you");
    seat.press("mred\r");
    seat.until_shown("2 turns");
    seat.press("q");
    seat.end();
}

#[test]
fn a_paused_cast_is_aborted_after_a_yes() {
    let house = House::new();
    with_conversation(&house, "cat >/dev/null; echo which colour");
    let mut seat = house.seat(80, 24, "materia top");
    seat.until_shown("1 waiting for you");
    seat.press("x");
    seat.until_shown("abort cast 2026");
    seat.press("n");
    seat.until_shown("left as it is");
    seat.press("xy");
    seat.until_shown("aborted     cast 2026");
    seat.press("c");
    seat.until_shown("goes on as run:");
    seat.press("\u{3}");
    assert_eq!(seat.end().1, 0);
}

#[test]
fn every_side_is_shown_in_any_size_and_the_mouse_points() {
    let house = House::new();
    house.spawn(
        "first",
        "sh -c 'seq 100; sleep 600'",
        &["--artifact", "list=made.txt"],
    );
    house.until_file_has(house.run_place("first").stdout(), "100");
    house.spawn("second", "sh -c 'echo I am second; sleep 600'", &[]);
    house.until_file_has(house.run_place("second").stdout(), "I am second");
    let mut seat = house.seat(100, 24, "materia top");
    seat.until_shown("run:second");
    // The mouse: press the button on the row of the first one, which stands below the second.
    seat.press("/first\r");
    seat.until_shown("filter: first (1)");
    seat.until(|screen| !screen.contains("run:second") && screen.contains("\n100"));
    for (key, shown) in [
        ("2", "nothing was said"),
        ("3", "nobody said anything"),
        ("4", "made.txt"),
        ("5", "sleep 600"),
    ] {
        seat.press(key);
        seat.until_shown(shown);
    }
    seat.press("1");
    seat.until(|screen| screen.contains("\n100") && screen.contains("follows"));
    seat.press("f");
    seat.until_shown("stays");
    seat.press("\u{1b}[5~");
    seat.until(|screen| !screen.contains("\n100"));
    seat.press("f");
    seat.until(|screen| screen.contains("\n100") && screen.contains("follows"));
    seat.resize(40, 10);
    seat.until(|screen| {
        screen.lines().count() <= 10 && screen.contains("\n100") && screen.contains("running")
    });
    assert!(
        seat.screen().lines().all(|line| line.chars().count() <= 40),
        "{}",
        seat.screen()
    );
    seat.resize(100, 24);
    seat.press("\u{1b}");
    seat.until_shown("run:second");
    let row = |screen: &str| {
        screen
            .lines()
            .position(|line| line.contains("run:second"))
            .unwrap()
            + 1
    };
    let second = row(&seat.screen());
    seat.press(&format!("\u{1b}[<0;5;{second}M\u{1b}[<0;5;{second}m"));
    seat.until_shown("I am second");
    seat.press("?");
    seat.until_shown("any key closes this");
    seat.press("q\u{3}");
    assert_eq!(seat.end().1, 0);
    house.kill("first");
    house.kill("second");
}

#[test]
fn an_empty_house_says_what_to_do() {
    let house = House::new();
    let mut seat = house.seat(80, 10, "materia top");
    seat.until_shown("nothing runs here");
    assert!(
        seat.screen().contains("materia spawn") && seat.screen().contains("materia demo"),
        "{}",
        seat.screen()
    );
    // Nothing is there to be told, continued or killed.
    seat.press("mcxq");
    assert_eq!(seat.end().1, 0);
}

#[test]
fn without_a_terminal_it_is_one_look() {
    let house = House::new();
    let nothing = house.materia(&["top"]).run().ok();
    assert!(
        nothing.stdout.starts_with("nothing runs here"),
        "{}",
        nothing.stdout
    );
    house.spawn("a", "true", &[]);
    house.wait("a");
    let list = house.materia(&["top", "--once"]).run().ok().stdout;
    assert!(list.starts_with("done  run:a"), "{list}");
    let json = house.materia(&["top", "--json"]).run().ok().json();
    assert_eq!(
        (&json["ok"], &json["runs"][0]["run"]),
        (&json!(true), &json!("a"))
    );
}
