//! `materia init`: the created files work, and existing files are not changed.

use insta::assert_snapshot;
use serde_json::json;

use crate::test_env::TestEnv;

#[test]
fn the_created_files_work() {
    let env = TestEnv::new();
    assert_snapshot!(env.materia(&["init"]).run().ok().transcript());
    env.materia(&["validate", ".pi/pi-materia.json", ".pi/recipes/facts.json"])
        .run()
        .ok();
    env.materia(&["grid"]).run().ok();
    let cast = env.materia(&[
        "cast",
        "--agent-script",
        ".pi/starter-replies.json",
        "--json",
        "say hello",
    ]);
    let cast = cast.run().ok().json();
    assert_has!(cast, {"status": "complete", "visits": {"work": 2}});
    env.materia(&["run", "--file", ".pi/recipes/facts.json"])
        .run()
        .ok();
    env.materia(&["explain", "--file", ".pi/recipes/facts.json"])
        .run()
        .ok();
}

#[test]
fn existing_files_are_kept_and_not_trusted() {
    let env = TestEnv::new();
    let existing = json!({"loadouts": {}, "materia": {"X": {"command": ["true"]}}}).to_string();
    env.write(".pi/pi-materia.json", &existing);
    let report = env.materia(&["init", "--json"]).run().ok().json();
    assert_eq!(env.read(".pi/pi-materia.json"), existing);
    assert_eq!(report["trusted"], false);
    assert_eq!(report["files"][0]["action"], "kept");
    let again = env.materia(&["init"]).run().ok();
    assert!(
        again.stdout.contains("what was there is kept as it was"),
        "{}",
        again.stdout
    );
    assert!(
        again.stdout.contains("say `materia trust`"),
        "{}",
        again.stdout
    );
}

#[test]
fn an_agent_cannot_trust_a_project_with_init() {
    let env = TestEnv::new();
    let report = env
        .materia(&["init", "--json"])
        .env("MATERIA_SESSION", "s")
        .run()
        .ok()
        .json();
    assert_eq!(report["trusted"], json!(false));
    env.write(
        ".pi/pi-materia.json",
        env.read(".pi/pi-materia.json").replace("strict", "kind"),
    );
    let cast = env
        .materia(&[
            "cast",
            "--agent-script",
            ".pi/starter-replies.json",
            "hi",
            "--json",
        ])
        .run();
    assert_eq!(cast.code(), 4, "{}", cast.transcript());
}
