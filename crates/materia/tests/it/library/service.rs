//! Services: runs that handle messages until a stop message.

use serde_json::{Value, json};

use super::LibraryHarness;

/// The types and bodies of the messages from a run to its coordinator.
fn sent_messages(harness: &LibraryHarness, run: &str) -> Vec<(String, Value)> {
    let run = format!("run:{run}");
    let shown = harness
        .materia(&[
            "inspect", &run, "--view", "messages", "--lines", "200", "--json",
        ])
        .run()
        .ok()
        .json();
    let all = shown["messages"].as_array().unwrap().iter();
    all.filter(|one| one["type"] != "command.done")
        .map(|one| {
            (
                one["type"].as_str().unwrap().to_owned(),
                one["body"].clone(),
            )
        })
        .collect()
}

/// The messages in the room of a run.
fn room_messages(harness: &LibraryHarness, run: &str) -> Vec<Value> {
    let room = format!("room:{run}");
    let shown = harness
        .materia(&[
            "inspect", &room, "--view", "messages", "--lines", "500", "--json",
        ])
        .run()
        .ok()
        .json();
    shown["messages"].as_array().unwrap().clone()
}

fn types(messages: &[Value]) -> Vec<&str> {
    messages
        .iter()
        .map(|one| one["type"].as_str().unwrap())
        .collect()
}

fn send(harness: &LibraryHarness, args: &[&str]) {
    harness.materia(&[&["message"], args].concat()).run().ok();
}

#[test]
fn a_lock_service_assigns_work_and_checks_owners() {
    let harness = LibraryHarness::new();
    for (recipe, prefix) in [("locker", "lock"), ("coordinator-locker", "coord")] {
        let run = format!("run:{recipe}");
        harness.materia(&["spawn", recipe, "--as", &run]).run().ok();
        for (verb, body) in [
            (
                "enqueue",
                json!({"id": "a", "task": "paint", "resources": ["wall"]}),
            ),
            (
                "enqueue",
                json!({"id": "b", "task": "plaster", "resources": ["wall"]}),
            ),
            ("claim", json!({"owner": "ann"})),
            ("claim", json!({"owner": "bob"})),
            ("release", json!({"owner": "bob", "resource": "wall"})),
            ("complete", json!({"owner": "ann", "id": "a"})),
            ("claim", json!({"owner": "bob"})),
            ("acquire", json!({"owner": "ann", "resource": "roof"})),
            ("dance", json!({})),
        ] {
            send(
                &harness,
                &[&run, &format!("{prefix}.{verb}"), &body.to_string()],
            );
        }
        send(&harness, &[&run, "control.stop"]);
        harness.materia(&["wait", &run]).run().ok();
        let sent = sent_messages(&harness, recipe);
        let types: Vec<String> = sent.iter().map(|(kind, _)| kind.clone()).collect();
        let expected = [
            "started", "enqueued", "enqueued", "assigned", "empty", "denied", "complete",
            "assigned", "granted", "unknown", "stopped",
        ];
        assert_eq!(types, expected.map(|word| format!("{prefix}.{word}")));
        assert_eq!(sent[3].1["id"], "a");
        assert_eq!(sent[7].1["id"], "b");
        let snapshot = harness.run(
            "utility-coordinator-lock-snapshot",
            &[&format!("locker_run={recipe}")],
        );
        let snapshot: Value = serde_json::from_str(&snapshot).unwrap();
        assert_eq!(snapshot["queue"], json!([]));
        assert_eq!(snapshot["journal"].as_array().unwrap().len(), 9);
    }
}

#[test]
fn a_lock_service_answers_to_the_run_of_the_sender() {
    let harness = LibraryHarness::new();
    harness
        .materia(&["spawn", "locker", "--as", "run:locks"])
        .run()
        .ok();
    let script = "materia message run:locks lock.acquire '{\"resource\": \"x\"}' > /dev/null && materia receive --json\n";
    harness.env.write("ask.sh", script);
    harness
        .materia(&["spawn", "--template", "sh ask.sh", "--as", "run:asker"])
        .run()
        .ok();
    harness.materia(&["wait", "run:asker"]).run().ok();
    let output = harness
        .materia(&["inspect", "run:asker", "--view", "tail"])
        .run()
        .ok()
        .stdout;
    assert!(
        output.contains("lock.granted") && output.contains("run:asker"),
        "{output}"
    );
    send(&harness, &["run:locks", "control.stop"]);
    harness.materia(&["wait", "run:locks"]).run().ok();
}

#[test]
fn a_worker_handles_the_messages_of_its_branch_in_order() {
    let harness = LibraryHarness::new();
    harness
        .materia(&["spawn", "actor-worker", "max_messages=2", "--as", "run:w"])
        .run()
        .ok();
    for body in ["first task", "second task"] {
        send(
            &harness,
            &["branch:w/worker", "task.run", body, "--from", "run:w"],
        );
    }
    harness.materia(&["wait", "run:w"]).run().ok();
    let room = room_messages(&harness, "w");
    assert_eq!(
        types(&room),
        [
            "actor.join",
            "awaiting_assignment",
            "task.claim",
            "task.result",
            "awaiting_assignment",
            "task.claim",
            "task.result",
            "actor.leave"
        ]
    );
    let artifact = room[3]["body"]["artifact"].as_str().unwrap().to_owned();
    assert_eq!(harness.read(&artifact), "first task");
    assert_eq!(room[6]["body"]["result"], "second task");
}

#[test]
fn a_worker_reports_the_result_of_its_command_and_can_be_stopped() {
    let harness = LibraryHarness::new();
    let command = r#"command=sh -c "read x; echo done: $x; test $x != bad""#;
    harness
        .materia(&[
            "spawn",
            "actor-worker",
            "branch=b1",
            command,
            "--as",
            "run:w",
        ])
        .run()
        .ok();
    for body in ["good", "bad"] {
        send(
            &harness,
            &["branch:w/b1", "task.run", body, "--from", "run:w"],
        );
    }
    send(
        &harness,
        &["branch:w/b1", "control.stop", "--from", "run:w"],
    );
    harness.materia(&["wait", "run:w"]).run().ok();
    let room = room_messages(&harness, "w");
    let result = room
        .iter()
        .find(|one| one["type"] == "task.result")
        .unwrap();
    assert_eq!(result["body"]["result"], "done: good\n");
    let failed = room
        .iter()
        .find(|one| one["type"] == "task.failed")
        .unwrap();
    assert!(
        failed["body"]["error"]
            .as_str()
            .unwrap()
            .contains("exit code 1"),
        "{failed}"
    );
}

#[test]
fn a_swarm_works_in_every_mode() {
    let harness = LibraryHarness::new();
    for (mode, turns) in [
        ("consensus", 7),
        ("pipeline", 4),
        ("fanout", 4),
        ("pool", 3),
    ] {
        harness.clear_prompts();
        let (run, mode_word) = (format!("run:{mode}"), format!("mode={mode}"));
        let args = [
            "mission=build a shed",
            "rounds=2",
            "delay=0",
            &mode_word,
            "--as",
            &run,
        ];
        harness
            .materia(&[&["spawn", "pipeline-room-swarm"][..], &args].concat())
            .run()
            .ok();
        harness.materia(&["wait", &run]).run().ok();
        let prompts = harness.prompts();
        assert_eq!(prompts.len(), turns, "{mode}: {prompts:#?}");
        assert!(
            prompts.iter().all(|prompt| prompt.contains("build a shed")),
            "{prompts:#?}"
        );
        let last = prompts.last().unwrap();
        assert!(
            last.contains("Write what came of it") && last.contains("**builder**: ANSWER"),
            "{last}"
        );
        let sent = sent_messages(&harness, mode);
        assert_eq!(sent.last().unwrap().0, "swarm.done");
        let artifact = sent.last().unwrap().1["artifact"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(harness.read(&artifact).contains("`writer`"));
        let room = room_messages(&harness, mode);
        let kinds = types(&room);
        assert_eq!(
            kinds.iter().filter(|kind| **kind == "actor.leave").count(),
            3,
            "{kinds:?}"
        );
    }
    let second = harness
        .materia(&["inspect", "room:consensus", "--view", "roster", "--json"])
        .run()
        .ok()
        .stdout;
    assert!(second.contains("branch:consensus/skeptic"), "{second}");
}

#[test]
fn a_swarm_fails_if_all_its_agents_fail() {
    let harness = LibraryHarness::new();
    let broken = json!({"agents": {"fake": {"command": ["false"]}}, "agent": "fake"});
    std::fs::write(harness.env.home().join("config.json"), broken.to_string()).unwrap();
    let args = [
        "spawn",
        "pipeline-room-swarm",
        "mission=x",
        "mode=fanout",
        "roles=a,b",
        "--as",
        "run:s",
    ];
    harness.materia(&args).run().ok();
    assert_eq!(harness.materia(&["wait", "run:s"]).run().code(), 1);
    assert_eq!(
        sent_messages(&harness, "s").last().unwrap().0,
        "swarm.failed"
    );
}

#[test]
fn the_music_player_plays_skips_and_stops() {
    let harness = LibraryHarness::new();
    let env = &harness.env;
    for track in ["a.mp3", "b.mp3"] {
        env.write(&format!("music/{track}"), "");
    }
    let mute = env.work_dir().join("mute");
    std::fs::create_dir_all(&mute).unwrap();
    let silent = harness
        .materia(&["run", "music-player", "source=music"])
        .env("PATH", &mute)
        .run();
    assert!(
        silent.code() != 0 && silent.stderr.contains("no program that plays music"),
        "{}",
        silent.transcript()
    );
    let player = env.write(
        "bin/mpv",
        "#!/bin/sh\nfor last; do :; done\necho \"$last\" >> played\ncase $HOLD in yes) sleep 600;; esac\n",
    );
    std::fs::set_permissions(player, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", env.work_dir().join("bin").display());
    let spawn = |run: &str, hold: &str| {
        let args = [
            "spawn",
            "music-player",
            "source=music",
            "loop=false",
            "player=mpv",
            "--as",
            run,
        ];
        harness
            .materia(&args)
            .env("PATH", &path)
            .env("HOLD", hold)
            .run()
            .ok();
    };
    spawn("run:short", "no");
    harness.materia(&["wait", "run:short"]).run().ok();
    let played = env.read("played");
    assert!(
        played.lines().count() == 2 && played.ends_with("b.mp3\n"),
        "{played}"
    );
    spawn("run:long", "yes");
    send(&harness, &["run:long", "music.next"]);
    send(&harness, &["run:long", "music.stop"]);
    harness.materia(&["wait", "run:long"]).run().ok();
    let kinds: Vec<String> = sent_messages(&harness, "long")
        .into_iter()
        .map(|(kind, _)| kind)
        .collect();
    assert_eq!(
        kinds,
        [
            "music.playing",
            "music.playing",
            "music.status",
            "music.stopped"
        ]
    );
}
