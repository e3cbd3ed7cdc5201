//! Examples that are recipes: run or spawned with a fake agent, in real repositories.

use serde_json::{Value, json};

use super::{ExampleRepo, file};

/// The types and bodies of what a run said to whoever started it.
fn said(repo: &ExampleRepo, run: &str) -> Vec<(String, Value)> {
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

fn kinds(said: &[(String, Value)]) -> Vec<&str> {
    said.iter().map(|(kind, _)| kind.as_str()).collect()
}

#[test]
fn review_pr_asks_three_models_and_lets_a_judge_read_the_diff_and_all_reviews() {
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
fn nightly_health_reports_facts_and_survives_one_that_fails() {
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
fn watcher_is_told_what_to_watch_and_tells_what_changed() {
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
    let tell = |kind: &str, body: Value| {
        repo.materia(&["message", "run:eyes", kind, &body.to_string()])
            .run()
            .ok();
    };
    let until = |kind: &str| {
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
        panic!("it never said {kind}");
    };
    tell(
        "watch.add",
        json!({"name": "file", "command": ["cat", "watched.txt"]}),
    );
    tell("watch.add", json!({"nonsense": true}));
    tell("watch.list", json!({}));
    until("watch.list");
    repo.env.write("watched.txt", "two\n");
    tell("watch.now", json!({}));
    tell("control.stop", json!({}));
    repo.materia(&["wait", "run:eyes"]).run().ok();
    let said = said(&repo, "run:eyes");
    assert_eq!(
        kinds(&said),
        [
            "watch.started",
            "watch.error",
            "watch.list",
            "watch.changed",
            "watch.stopped"
        ]
    );
    assert_eq!(said[2].1, json!({"file": ["cat", "watched.txt"]}));
    assert_has!(said[3].1, {"before": {"output": "one\n"}, "now": {"output": "two\n"}});
}

#[test]
fn research_asks_each_question_alone_and_keeps_contradictions() {
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
fn flaky_tests_tells_the_flaky_ones_from_those_that_always_fail() {
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
fn changelog_hands_the_history_since_a_tag_to_one_agent() {
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
fn deploy_never_runs_twice_at_once_and_gives_the_lock_back() {
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
    assert_eq!(kinds(&said(&repo, "run:first")), ["deploy.done"]);
    let refused = said(&repo, "run:second");
    assert_eq!(kinds(&refused), vec!["deploy.refused"]);
    assert_eq!(refused[0].1["holder"], "run:first");
    assert_eq!(kinds(&said(&repo, "run:third")), ["deploy.failed"]);
    repo.materia(&["message", "run:locks", "control.stop"])
        .run()
        .ok();
    repo.materia(&["wait", "run:locks"]).run().ok();
}
