//! Recipes as described in the reference load and run: a set of files with every field and form.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::test_env::TestEnv;

/// A test environment with the recipes of the set as user recipes.
pub fn env_with_recipes() -> TestEnv {
    let env = TestEnv::new();
    let set = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures/recipes");
    let agent = env.home().join(".pi/agent");
    copy(&set.join("user"), &agent.join("recipes"));
    copy(&set.join("skill"), &agent.join("skills/voice"));
    env
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

#[test]
fn every_field_and_form_loads_and_runs() {
    let env = env_with_recipes();
    let ran = env
        .materia(&["run", "everything", "--json"])
        .run()
        .ok()
        .json();
    assert_has!(ran, {"status": "ok", "warnings": []});
    assert_eq!(ran["output"], "psst\ntop\n");
    let printed: Vec<&str> = ran["commands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["argv"][2].as_str().unwrap_or(""))
        .collect();
    assert_eq!(&printed[..2], ["hi hello nobody", "hi"]);
    assert!(
        printed.contains(&"a-00") && printed.contains(&"b-01"),
        "{printed:?}"
    );
    let loud = env
        .materia(&["explain", "everything", "loud=yes", "word=x", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(
        loud["tree"]["children"][2]["argv"],
        json!(["printf", "%s%s\\n", "x", "?"])
    );
    assert_eq!(loud["tree"]["children"][1]["skipped"], true);
    let shown = env
        .materia(&["recipe", "show", "everything", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(shown["recipe"]["artifacts"]["log"]["type"], "text");
    assert_eq!(shown["recipe"]["mailbox"]["accepts"][1]["ack"], "required");
    let names: Vec<&str> = shown["args"]
        .as_array()
        .unwrap()
        .iter()
        .map(|arg| arg["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["items", "word", "times", "loud", "mode", "out"]);
}

#[test]
fn the_set_is_valid_and_the_doctor_finds_nothing() {
    let env = env_with_recipes();
    let root = env.home().join(".pi/agent/recipes");
    let files = [
        "everything.json",
        "say.json",
        "literate.md",
        "parts/shout.json",
    ]
    .map(|file| root.join(file));
    let args: Vec<&str> = ["validate"]
        .into_iter()
        .chain(files.iter().map(|file| file.to_str().unwrap()))
        .collect();
    env.materia(&args).run().ok();
    env.materia(&[&["recipe"], args.as_slice()].concat())
        .run()
        .ok();
    let doctor = env
        .materia(&["recipe", "doctor", "--json"])
        .run()
        .ok()
        .json();
    assert_has!(doctor, {"ok": true, "remediations": []});
    assert_eq!(doctor["counts"]["tools"], 3);
    let by_skill = env.materia(&["run", "voice/whisper"]).run().ok();
    assert_eq!(by_skill.stdout, "psst\n");
}
