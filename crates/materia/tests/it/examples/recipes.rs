//! Examples that are recipes: run or spawned with a fake agent, in real repositories.

use serde_json::{Value, json};

use super::{ExampleRepo, file};

/// The types and bodies of the messages from a run to its coordinator.
fn sent_messages(repo: &ExampleRepo, run: &str) -> Vec<(String, Value)> {
    let shown = repo
        .materia(&[
            "inspect", run, "--view", "messages", "--lines", "100", "--json",
        ])
        .run()
        .ok()
        .json();
    let all = shown["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["type"] != "command.done");
    all.map(|one| {
        (
            one["type"].as_str().unwrap().to_owned(),
            one["body"].clone(),
        )
    })
    .collect()
}

fn types(messages: &[(String, Value)]) -> Vec<&str> {
    messages.iter().map(|(kind, _)| kind.as_str()).collect()
}

#[test]
fn review_pr_asks_three_models_and_a_judge() {
    let repo = ExampleRepo::new(&[("a.txt", "old\n")]);
    repo.sh("git switch -qc feature && echo new > a.txt && git commit -qam 'feat: newer'");
    let recipe = file("review-pr", "review-pr.json");
    let outcome = repo.run(
        &recipe,
        &[
            "models=[\"one\",\"two\",\"three\"]",
            "judge=best",
            "report=review.md",
        ],
    );
    assert_eq!(outcome.json()["status"], "ok", "{}", outcome.transcript());
    let prompts = repo.prompts();
    let (reviews, judges): (Vec<&String>, Vec<&String>) = prompts
        .iter()
        .partition(|one| one.starts_with("Review one scope"));
    assert_eq!((reviews.len(), judges.len()), (3, 1));
    assert!(
        reviews
            .iter()
            .all(|one| one.contains("+new") && one.contains("feat: newer")),
        "{reviews:#?}"
    );
    for part in ["+new", "ANSWER one TO", "ANSWER two TO", "ANSWER three TO"] {
        assert!(judges[0].contains(part), "{part}: {}", judges[0]);
    }
    assert!(
        repo.env
            .read("review.md")
            .starts_with("ANSWER best TO Judge"),
        "{}",
        repo.env.read("review.md")
    );
}

#[test]
fn nightly_health_reports_facts_although_one_fails() {
    let repo = ExampleRepo::new(&[
        ("code.c", "int x; /* HACK: later */\n"),
        ("Makefile", "check:\n\t@echo all good\n"),
    ]);
    repo.sh(
        "git switch -qc side && git commit -q --allow-empty -m 'feat: aside' && git switch -q main",
    );
    let recipe = file("nightly-health", "nightly-health.json");
    let outcome = repo.run(&recipe, &["report=health/today.md"]);
    assert_eq!(outcome.code(), 0, "{}", outcome.transcript());
    let prompts = repo.prompts();
    assert_eq!(prompts.len(), 1);
    for fact in ["chore: begin", "side", "HACK: later", "all good"] {
        assert!(prompts[0].contains(fact), "{fact}: {}", prompts[0]);
    }
    assert!(repo.env.read("health/today.md").starts_with("ANSWER"));
}

#[test]
fn watcher_reports_changes_of_what_it_watches() {
    let repo = ExampleRepo::new(&[("watched.txt", "one\n")]);
    repo.materia(&[
        "spawn",
        &file("watcher", "watcher.json"),
        "--as",
        "run:eyes",
        "every=3600",
    ])
    .run()
    .ok();
    let send = |kind: &str, body: Value| {
        repo.materia(&["message", "run:eyes", kind, &body.to_string()])
            .run()
            .ok();
    };
    let wait_for = |kind: &str| {
        let args = ["inspect", "run:eyes", "--view", "messages", "--json"];
        for _ in 0..600 {
            if repo
                .materia(&args)
                .run()
                .ok()
                .stdout
                .contains(&format!("\"{kind}\""))
            {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        panic!("timed out waiting for {kind}");
    };
    send(
        "watch.add",
        json!({"name": "file", "command": ["cat", "watched.txt"]}),
    );
    send("watch.add", json!({"nonsense": true}));
    send("watch.list", json!({}));
    wait_for("watch.list");
    repo.env.write("watched.txt", "two\n");
    send("watch.now", json!({}));
    send("control.stop", json!({}));
    repo.materia(&["wait", "run:eyes"]).run().ok();
    let messages = sent_messages(&repo, "run:eyes");
    assert_eq!(
        types(&messages),
        [
            "watch.started",
            "watch.error",
            "watch.list",
            "watch.changed",
            "watch.stopped"
        ]
    );
    assert_eq!(messages[2].1, json!({"file": ["cat", "watched.txt"]}));
    assert_has!(messages[3].1, {"before": {"output": "one\n"}, "now": {"output": "two\n"}});
}

#[test]
fn research_asks_each_question_separately_and_maps_contradictions() {
    let repo = ExampleRepo::new(&[]);
    let recipe = file("research", "research.json");
    let outcome = repo.run(
        &recipe,
        &["topic=retries", "questions=[\"where?\",\"why?\"]"],
    );
    assert_eq!(outcome.json()["status"], "ok", "{}", outcome.transcript());
    let prompts = repo.prompts();
    assert_eq!(prompts.len(), 4, "{prompts:#?}");
    assert!(
        prompts[..2]
            .iter()
            .any(|one| one.contains("this one question: where?"))
    );
    assert!(
        prompts[2].starts_with("Map the contradictions")
            && prompts[3].starts_with("Merge these inputs")
    );
    assert!(repo.env.read("research.md").starts_with("ANSWER"));
}

#[test]
fn flaky_tests_distinguishes_flaky_from_failing_tests() {
    let test = "import os, sys\nfails = ['test_always']\n\
        try:\n    os.mkdir('taken')\n    fails.append('test_sometimes')\nexcept FileExistsError:\n    pass\n\
        print('\\n'.join('FAIL: ' + name for name in fails))\nsys.exit(len(fails) - 1)\n";
    let repo = ExampleRepo::new(&[("check.py", test)]);
    let recipe = file("flaky-tests", "flaky-tests.json");
    let outcome = repo.run(&recipe, &["command=python3 check.py", "runs=4", "jobs=2"]);
    let output = outcome.json()["output"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert_eq!(outcome.code(), 1, "{}", outcome.transcript());
    assert!(
        output.contains("4 runs, 1 red") && output.contains("test_sometimes flaky: failed 1 of 4"),
        "{output}"
    );
    let steady = repo.run(&recipe, &["command=true", "runs=2"]);
    assert_eq!(
        steady.json()["output"],
        "2 runs, 0 red\n",
        "{}",
        steady.transcript()
    );
}

#[test]
fn changelog_gives_the_history_since_a_tag_to_one_agent() {
    let repo = ExampleRepo::new(&[]);
    repo.sh("git tag v1 && git commit -q --allow-empty -m 'feat: newer'");
    let recipe = file("changelog", "changelog.md");
    repo.run(&recipe, &["since=v1"]).ok();
    repo.run(&recipe, &[]).ok();
    let prompts = repo.prompts();
    assert!(
        prompts[0].contains("feat: newer") && !prompts[0].contains("chore: begin"),
        "{}",
        prompts[0]
    );
    assert!(
        prompts[1].contains("chore: begin") && prompts[1].contains("### Added"),
        "{}",
        prompts[1]
    );
}

#[test]
fn deploy_runs_one_at_a_time_and_releases_its_lock() {
    let repo = ExampleRepo::new(&[]);
    repo.materia(&["spawn", "locker", "--as", "run:locks"])
        .run()
        .ok();
    let recipe = file("deploy", "deploy.json");
    let deploy = |run: &str, command: &str| {
        repo.materia(&["spawn", &recipe, "--as", run, &format!("command={command}")])
            .run()
            .ok();
    };
    repo.sh("mkfifo gate");
    deploy(
        "run:first",
        "sh -c 'echo begun > begun; cat gate; echo first >> deployed'",
    );
    repo.sh("until [ -s begun ]; do :; done");
    deploy("run:second", "sh -c 'echo second >> deployed'");
    assert_eq!(repo.materia(&["wait", "run:second"]).run().code(), 1);
    repo.sh("echo go > gate");
    repo.materia(&["wait", "run:first"]).run().ok();
    deploy("run:third", "sh -c 'echo third >> deployed; exit 3'");
    assert_eq!(repo.materia(&["wait", "run:third"]).run().code(), 1);
    deploy("run:fourth", "sh -c 'echo fourth >> deployed'");
    repo.materia(&["wait", "run:fourth"]).run().ok();
    assert_eq!(repo.env.read("deployed"), "first\nthird\nfourth\n");
    assert_eq!(types(&sent_messages(&repo, "run:first")), ["deploy.done"]);
    let refused = sent_messages(&repo, "run:second");
    assert_eq!(types(&refused), vec!["deploy.refused"]);
    assert_eq!(refused[0].1["holder"], "run:first");
    assert_eq!(types(&sent_messages(&repo, "run:third")), ["deploy.failed"]);
    repo.materia(&["message", "run:locks", "control.stop"])
        .run()
        .ok();
    repo.materia(&["wait", "run:locks"]).run().ok();
}
