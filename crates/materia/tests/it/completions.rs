//! Completions: proposals are what there is now, and a real shell gets them.

use crate::house::House;

fn proposed(house: &House, words: &[&str]) -> Vec<String> {
    let outcome = house
        .materia(&[&["complete", "--"], words].concat())
        .run()
        .ok();
    outcome
        .stdout
        .lines()
        .map(|line| line.split('\t').next().unwrap().to_owned())
        .collect()
}

#[test]
fn commands_options_and_words_come_from_the_grammar() {
    let house = House::new();
    assert_eq!(proposed(&house, &["cast-"]), ["cast-show"]);
    assert!(proposed(&house, &[""]).contains(&"top".to_owned()));
    assert!(!proposed(&house, &[""]).contains(&"complete".to_owned()));
    assert_eq!(proposed(&house, &["recipe", "sh"]), ["show"]);
    assert_eq!(proposed(&house, &["cast", "--agent-s"]), ["--agent-script"]);
    assert_eq!(proposed(&house, &["grid", "--format", "m"]), ["mermaid"]);
    assert_eq!(proposed(&house, &["grid", "--format=d"]), ["--format=dot"]);
    assert_eq!(proposed(&house, &["nonsense", "x"]), [""; 0]);
}

#[test]
fn ids_and_names_are_those_that_there_are() {
    let house = crate::casts::house();
    house.spawn("tests", "true", &[]);
    house.wait("tests");
    assert_eq!(proposed(&house, &["inspect", "run:t"]), ["run:tests"]);
    assert_eq!(
        proposed(&house, &["wait", "run:tests", "run:"]),
        ["run:tests"]
    );
    assert_eq!(proposed(&house, &["message", "room"]), ["room:tests"]);
    assert_eq!(
        proposed(&house, &["run", "utility-git-l"]),
        ["utility-git-log"]
    );
    assert_eq!(
        proposed(&house, &["recipe", "show", "utility-git-l"]),
        ["utility-git-log"]
    );
    assert_eq!(
        proposed(&house, &["cast", "--loadout", "Full"]),
        ["Full-Auto"]
    );
    assert_eq!(
        proposed(&house, &["-C", ".", "grid", "Plan"]),
        ["Planning-Consult"]
    );
    house
        .materia(&[
            "cast",
            "--config",
            "flow.json",
            "--agent-script",
            "script.json",
            "work",
        ])
        .run()
        .ok();
    let id = "2026-01-01T00-00-00-000Z";
    assert_eq!(proposed(&house, &["cast-show", "2026"]), [id]);
    assert_eq!(proposed(&house, &["fork", id, "--at", "plan"]), ["plan:1"]);
    house.materia(&["quest", "add", "mend the door"]).run().ok();
    assert_eq!(proposed(&house, &["quest", "show", ""]).len(), 1);
}

#[test]
fn bash_completes_addresses_with_their_colons() {
    let house = House::new();
    house.spawn("tests", "true", &[]);
    house.wait("tests");
    let asks = |line: &str| {
        let script = format!(
            "source <(materia completions bash); COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; \
             COMP_WORDBREAKS=$' \\t\\n\"\\'><=;|&(:'; _materia; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        house.write("ask.sh", script);
        house.shell("bash ask.sh").run().ok().stdout
    };
    assert_eq!(asks("materia inspect run:te"), "tests\n");
    assert_eq!(asks("materia inspect ru"), "run:tests\n");
    assert_eq!(asks("materia docto"), "doctor\n");
    for (shell, line) in [
        ("zsh", "compdef _materia materia"),
        ("fish", "complete -c materia"),
    ] {
        let script = house.materia(&["completions", shell]).run().ok().stdout;
        assert!(
            script.contains(line) && script.contains("materia complete -- "),
            "{script}"
        );
    }
}

#[test]
fn the_manual_is_made_from_the_same_grammar() {
    let house = House::new();
    let all = house.materia(&["man"]).run().ok().stdout;
    assert!(
        all.contains(".TH") && all.contains("materia\\-cast(1)"),
        "{all}"
    );
    let one = house.materia(&["man", "cast"]).run().ok().stdout;
    assert!(
        one.contains("agent\\-script") && one.contains("say hello"),
        "{one}"
    );
    let wrong = house.materia(&["man", "csat", "--json"]).run();
    assert_eq!(
        (wrong.code(), &wrong.json()["error"]["hint"]),
        (3, &"did you mean `cast`?".into())
    );
}
