//! Imports of other tools' recipes, and the notes about the rest.

use serde_json::json;

use super::*;
use crate::finding::Source;

fn just(text: &str, shell: ShellLines) -> ImportResult {
    justfile(&Source::new("justfile", text), shell).unwrap()
}

fn named<'i>(imported: &'i ImportResult, name: &str) -> &'i Value {
    &imported
        .recipes
        .iter()
        .find(|one| one.name == name)
        .unwrap_or_else(|| panic!("{name}: {imported:#?}"))
        .recipe
}

#[test]
fn a_justfile_becomes_recipes_with_arguments_and_imports() {
    let imported = just(
        "target := 'release'\nout := \"dist/\" + target\n\n# Build it\nbuild profile=target *flags: (clean out) lint\n    \
         cargo build --profile {{profile}} {{flags}}\n    -strip {{out}}/app\n\nclean dir:\n    @rm -r {{dir}}\n\nlint:\n    cargo clippy\n\nalias b := build\n",
        ShellLines::AsWritten,
    );
    let build = named(&imported, "build");
    assert_eq!(build["description"], "Build it");
    assert_eq!(build["args"], json!(["profile", "flags", "out", "target"]));
    assert_eq!(
        build["defaults"],
        json!({"profile": "{target}", "flags": "", "out": "dist/{target}", "target": "release"})
    );
    assert_eq!(
        build["imports"],
        json!({"clean": "./clean.json", "lint": "./lint.json"})
    );
    assert_eq!(build["template"][0]["values"], json!({"dir": "{out}"}));
    assert_eq!(
        build["template"][2]["template"],
        "cargo build --profile {profile} {flags}"
    );
    assert_eq!(build["template"][3]["failure"], "continue");
    assert_eq!(
        named(&imported, "b")["imports"],
        json!({"build": "./build.json"})
    );
    assert_eq!(imported.notes.len(), 1, "{:#?}", imported.notes);
    assert!(
        imported.notes[0]
            .message
            .contains("`flags` took several words")
    );
}

#[test]
fn a_line_that_needs_a_shell_is_told_and_its_recipe_left_out() {
    let text = "all: count\n    echo done\n\ncount:\n    ls | wc -l\n\nfine:\n    echo '$5 | $6'\n";
    let imported = just(text, ShellLines::AsWritten);
    assert_eq!(
        imported
            .recipes
            .iter()
            .map(|one| one.name.as_str())
            .collect::<Vec<_>>(),
        ["fine"]
    );
    let said: Vec<&str> = imported
        .notes
        .iter()
        .map(|note| note.message.as_str())
        .collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said.iter()
            .any(|said| said.contains("`ls | wc -l` needs a shell")),
        "{said:?}"
    );
    assert!(
        said.iter()
            .any(|said| said.contains("because it needs `count`")),
        "{said:?}"
    );
    assert_eq!(imported.notes[1].place.as_ref().unwrap().line, 5);
    let allowed = just(text, ShellLines::Allowed);
    assert_eq!(
        named(&allowed, "count")["template"][0]["template"],
        "sh -cu \"ls | wc -l\""
    );
    let said_so = just(
        &format!("set shell := ['bash', '-uc']\n{text}"),
        ShellLines::AsWritten,
    );
    assert_eq!(
        named(&said_so, "count")["template"][0]["template"],
        "bash -uc \"ls | wc -l\""
    );
}

#[test]
fn scripts_name_their_interpreter_and_odd_values_have_to_be_given() {
    let imported = just(
        "sha := `git rev-parse HEAD`\nhome := env('HOME', '/root-less')\n\nscript name:\n    #!/usr/bin/env python3\n    if 1:\n        print(\"{{name}}\", '\\n')\n\n\
         show:\n    echo {{sha}} {{home}}\n\nodd:\n    #!/usr/bin/awk\n    BEGIN\n",
        ShellLines::AsWritten,
    );
    assert_eq!(
        named(&imported, "script")["template"][0]["template"],
        "python3 -c \"if 1:\n    print(\\\"{name}\\\", '\\\\n')\""
    );
    assert_eq!(named(&imported, "show")["args"], json!(["home", "sha"]));
    assert_eq!(
        named(&imported, "show")["defaults"],
        json!({"home": "/root-less"})
    );
    assert!(imported.recipes.iter().all(|one| one.name != "odd"));
}

#[test]
fn hostile_justfiles_are_read_to_their_end() {
    for text in [
        "x:\n",
        "x: (\n",
        "x y='\n    {{\n",
        ":\n:=\n[\n@x:\n    @-\n",
        "x +: \n   \\\n",
        "a:\n    {{ if x == 'y' { 'z' } else { 'q' } }}\n",
    ] {
        let _read = justfile(&Source::new("justfile", text), ShellLines::Allowed);
    }
}

const GOOSE: &str = "version: 1.0.0\ntitle: Review a File\ndescription: Looks at one file\ninstructions: You review. Use \\{ with care.\n\
prompt: |\n  Review {{ file_path }} for {{ focus }}.\n  {% if deep %}Deeply.{% endif %}\nparameters:\n  - key: file_path\n    input_type: file\n    requirement: required\n    description: what\n  \
- key: focus\n    input_type: select\n    requirement: optional\n    default: bugs\n    options: [bugs, style]\nextensions:\n  - type: builtin\n    name: developer\n  - type: stdio\n    name: github\n    cmd: npx\n\
settings:\n  goose_provider: anthropic\n  goose_model: sonnet\n  temperature: 0.2\nsub_recipes:\n  - name: map-it\n    path: ./sub/map.yaml\n    values:\n      scope: \"{{ focus }}\"\n\
retry:\n  max_retries: 2\n  checks:\n    - type: shell\n      command: test -s report.md\n  on_failure: rm -f report.md\nodd: 1\n";

#[test]
fn a_goose_recipe_becomes_one_prompt_with_its_parameters_checks_and_sub_recipes() {
    let imported = goose(&Source::new("review.yaml", GOOSE), "review").unwrap();
    let recipe = named(&imported, "review-a-file");
    assert_eq!(
        recipe["args"],
        json!([
            "file_path:path",
            "focus:enum(bugs,style)",
            "agent:string",
            "model:string"
        ])
    );
    assert_eq!(
        recipe["defaults"],
        json!({"focus": "bugs", "model": "anthropic/sonnet", "agent": ""})
    );
    assert_eq!(recipe["imports"], json!({"map_it": "./map.json"}));
    assert_eq!(
        recipe["template"][0],
        json!({"name": "map_it", "values": {"scope": "{focus}"}})
    );
    let tried = &recipe["template"][1];
    assert_eq!(
        (&tried["retry"], &tried["recover"]["template"]),
        (&json!(3), &json!("sh -c \"rm -f report.md\""))
    );
    let asked = &tried["template"][0];
    let input = asked["input"].as_str().unwrap();
    assert!(
        input.contains("Review (the attached file {file_path}) for {focus}."),
        "{input}"
    );
    assert!(input.contains("\\{% if deep %\\}"), "{input}");
    let command = asked["template"].as_str().unwrap();
    assert!(
        command.contains("--tools coding --attach {file_path} --attach {stages.map_it}"),
        "{command}"
    );
    assert_eq!(imported.needs, ["./sub/map.yaml"]);
    let said: Vec<&str> = imported
        .notes
        .iter()
        .map(|note| note.message.as_str())
        .collect();
    for part in [
        "{% if deep %}",
        "`github` (npx) is an MCP server",
        "`temperature`",
        "runs first",
        "`odd` is not known",
    ] {
        assert!(
            said.iter().any(|said| said.contains(part)),
            "{part}: {said:#?}"
        );
    }
    assert!(goose(&Source::new("x.yaml", "title: x"), "x").is_err());
    assert!(goose(&Source::new("x.yaml", ": : {"), "x").is_err());
}
