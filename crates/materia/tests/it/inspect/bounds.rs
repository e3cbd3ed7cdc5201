//! Text output is bounded and names what it omits. JSON is complete unless a limit is given.

use crate::test_env::TestEnv;

#[test]
fn a_list_of_runs_is_bounded_and_has_the_total() {
    let env = TestEnv::in_memory();
    let runs: Vec<String> = (0..44).map(|number| format!("run:r{number:02}")).collect();
    for run in &runs {
        env.spawn(&run[4..], "true", &[]);
    }
    env.spawn("zz", "sleep 600", &[]);
    let all: Vec<&str> = ["wait"]
        .into_iter()
        .chain(runs.iter().map(String::as_str))
        .collect();
    env.materia(&all).run().ok();
    let list = |args: &[&str]| env.materia(&[&["inspect"], args].concat()).run().ok();
    let text = list(&[]).stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        (lines[0], lines[1]),
        ("session=all runs=45 active=1", "run:zz running"),
        "{text}"
    );
    assert_eq!(
        lines.iter().filter(|line| line.starts_with("run:")).count(),
        40
    );
    assert_eq!(
        lines[41],
        "… 5 more: --lines 45 or --status active|failed|…"
    );
    assert!(
        lines[42].starts_with("runs: [ROOT]/") && lines[43] == "next: materia inspect run:zz",
        "{text}"
    );
    let few = list(&["--lines", "3"]).stdout;
    assert_eq!(
        few.lines().filter(|line| line.starts_with("run:")).count(),
        3
    );
    let all = list(&["--json"]).json();
    assert_eq!(all["runs"].as_array().unwrap().len(), 45);
    assert_eq!(all["incomplete"], false);
    let few = list(&["--json", "--lines", "2"]).json();
    assert_eq!(few["runs"].as_array().unwrap().len(), 2);
    assert_eq!(few["total"], 45);
    assert_eq!(few["runs"][0]["run"], "zz");
    assert_eq!(few["incomplete"], true);
    env.kill("zz");
}

#[test]
fn a_tail_of_one_long_line_is_its_end_with_the_file_name() {
    let env = TestEnv::new();
    env.spawn(
        "a",
        "sh -c 'head -c 3000000 /dev/zero | tr \"\\\\0\" x; echo end'",
        &[],
    );
    env.wait("a");
    let tail = |args: &[&str]| {
        env.materia(&[&["inspect", "run:a", "--view", "tail"], args].concat())
            .run()
            .ok()
    };
    let text = tail(&[]).stdout;
    assert!(
        text.len() < 66_000 && text.ends_with("xend\n"),
        "{} bytes",
        text.len()
    );
    let first_line = text.lines().next().unwrap();
    assert!(
        first_line.starts_with("(the last 65536 of 3000004 bytes; all of them: [ROOT]/"),
        "{first_line}"
    );
    assert!(first_line.ends_with("/runs/a/stdout.log)"), "{first_line}");
    let json = tail(&["--json"]).json();
    assert_eq!(json["stdout"].as_str().unwrap().len(), 65_536);
    assert_eq!(json["incomplete"], true);
    assert_eq!(json["stdoutBytes"], 3_000_004);
    let more = tail(&["--json", "--lines", "1000"]).json();
    assert_eq!(more["stdout"].as_str().unwrap().len(), 1 << 20);
    assert_eq!(more["incomplete"], true);
}

#[test]
fn a_tail_reports_that_lines_are_omitted() {
    let env = TestEnv::new();
    env.spawn("a", "seq 1000", &[]);
    env.wait("a");
    let tail = |args: &[&str]| {
        env.materia(&[&["inspect", "run:a", "--view", "tail", "--json"], args].concat())
            .run()
            .ok()
            .json()
    };
    assert_eq!(tail(&[])["incomplete"], true);
    assert_eq!(tail(&["--lines", "999"])["incomplete"], true);
    assert_eq!(tail(&["--lines", "1000"])["incomplete"], false);
    let text = env
        .materia(&["inspect", "run:a", "--view", "tail"])
        .run()
        .ok()
        .stdout;
    assert!(
        text.starts_with("(the last 161 of 3893 bytes; all of them: [ROOT]/"),
        "{text}"
    );
}

#[test]
fn recipes_are_counted_by_default_and_listed_on_request() {
    let env = TestEnv::new();
    env.materia(&["tool", "register", "greet", "--template", "echo hello"])
        .run()
        .ok();
    let show = |args: &[&str]| {
        env.materia(&[&["inspect", "recipes"], args].concat())
            .run()
            .ok()
    };
    for view in ["status", "summary"] {
        let text = show(&["--view", view]).stdout;
        assert!(
            text.len() < 1000 && text.starts_with("recipes active="),
            "{text}"
        );
        assert!(
            text.contains(" tools=1 drafts=0 shadowed=0 invalid=0 "),
            "{text}"
        );
        assert_eq!(
            text.lines().last(),
            Some("next: materia inspect recipes --view list")
        );
    }
    assert!(show(&["--view", "list"]).stdout.contains("* greet"));
    let whole = show(&["--json"]).json();
    assert_eq!(whole["counts"]["tools"], 1);
    assert!(
        whole["recipes"].as_array().unwrap().len() > 50,
        "JSON must be complete"
    );
}

#[test]
fn a_session_sees_its_runs_that_cannot_be_read() {
    let env = TestEnv::new();
    for (id, session) in [("ours", "s"), ("theirs", "t"), ("nobodys", "s")] {
        env.spawn(id, "true", &["--session", session]);
        env.wait(id);
    }
    let damage = |id: &str, line: usize| {
        let path = env.run_dir(id).journal();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let line = if line == usize::MAX {
            lines.len() - 2
        } else {
            line
        };
        lines[line] = "{\"broken\": true}".to_owned();
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    };
    damage("ours", usize::MAX);
    damage("theirs", usize::MAX);
    damage("nobodys", 1);
    let inspect = |args: &[&str]| env.materia(&[&["inspect"], args].concat()).run().ok();
    for args in [["coordinator", "--session", "s"].as_slice(), &["session:s"]] {
        let text = inspect(args).stdout;
        assert!(
            text.contains("broken run:ours: ") && !text.contains("theirs"),
            "{text}"
        );
        assert!(
            text.contains("1 run of unknown owner cannot be read: "),
            "{text}"
        );
        let json = inspect(&[args, &["--json"]].concat()).json();
        assert!(
            json["broken"]["ours"].is_string() && json["unreadable"] == 1,
            "{json}"
        );
        assert_eq!(json["broken"].as_object().unwrap().len(), 1);
    }
    let all = inspect(&["--json"]).json();
    assert_eq!(all["broken"].as_object().unwrap().len(), 3);
    assert_eq!(all["unreadable"], 0);
}

#[test]
fn messages_and_members_are_bounded_as_text_only() {
    let env = TestEnv::in_memory();
    env.spawn("a", "sleep 600", &[]);
    for number in 0..43 {
        env.send_ok(&["run:a", "task.run", &number.to_string()]);
        let from = format!("branch:a/b{number}");
        env.send_ok(&["room:a", "hello", "x", "--from", &from]);
    }
    for (target, view, list, count) in [
        ("run:a", "mailbox", "messages", 43),
        ("room:a", "messages", "messages", 43),
        ("room:a", "previews", "messages", 43),
        ("room:a", "roster", "members", 44),
        ("room:a", "contacts", "contacts", 43),
    ] {
        let show = |args: &[&str]| {
            env.materia(&[&["inspect", target, "--view", view], args].concat())
                .run()
                .ok()
        };
        let all = show(&["--json"]).json();
        assert_eq!(all[list].as_array().unwrap().len(), count, "{view}");
        assert_has!(all, {"total": count, "incomplete": false}, "{view}");
        let few = show(&["--json", "--lines", "2"]).json();
        assert_eq!(few[list].as_array().unwrap().len(), 2, "{view}");
        assert_has!(few, {"total": count, "incomplete": true}, "{view}");
        let text = show(&[]).stdout;
        let last_line = text.lines().last().unwrap();
        assert!(
            last_line.starts_with(&format!("({} of {count} are ", count - 40)),
            "{view}: {last_line}"
        );
    }
    env.kill("a");
}
