//! Linking and both formats, as tables of small files.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{LoadedRecipe, RecipeLoadError, RecipeWithImports, link, parse};
use crate::document::path_member;
use crate::finding::{Finding, Severity, Source};
use crate::message::{self, MailboxError};
use crate::template::{self, HostFacts};

/// Files by name; a reference is a name.
type Files<'a> = &'a [(&'a str, &'a str)];

fn loaded(files: Files<'_>, name: &str) -> Option<LoadedRecipe> {
    let (file, text) = files
        .iter()
        .find(|(file, _)| *file == name || file.split('.').next() == Some(name))?;
    let place = BTreeMap::from([("recipe_dir".to_owned(), format!("/r/{}", file.len()))]);
    let name = file.split('.').next().unwrap_or(file).to_owned();
    Some(LoadedRecipe {
        id: (*file).to_owned(),
        name,
        source: Source::new(file, text),
        place,
    })
}

fn linked(files: Files<'_>) -> Result<RecipeWithImports, Vec<Finding>> {
    link(loaded(files, files[0].0).unwrap(), &mut |reference, _| {
        loaded(files, reference).ok_or_else(|| RecipeLoadError {
            code: "recipe-not-found",
            message: format!("there is no recipe `{reference}`"),
            hint: "write it".to_owned(),
        })
    })
}

fn codes(files: Files<'_>) -> Vec<String> {
    let findings = linked(files).unwrap_err();
    let errors = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    errors
        .map(|finding| {
            let place = finding
                .place
                .as_ref()
                .map_or(String::new(), ToString::to_string);
            format!("{place} {}", finding.code)
        })
        .collect()
}

fn tree(files: Files<'_>, values: &Value) -> Value {
    let linked = linked(files).unwrap();
    let facts = HostFacts {
        stages: Some("/s"),
        ..HostFacts::default()
    };
    let plan = template::expand(&linked.template, values.as_object().unwrap(), facts)
        .unwrap()
        .plan;
    serde_json::to_value(template::explain(&plan)).unwrap()
}

fn argv(files: Files<'_>, values: &Value) -> Value {
    let mut found = Vec::new();
    fn walk(tree: &Value, found: &mut Vec<Value>) {
        found.extend(tree.get("argv").cloned());
        tree["children"]
            .as_array()
            .into_iter()
            .flatten()
            .for_each(|child| walk(child, found));
    }
    walk(&tree(files, values), &mut found);
    Value::Array(found)
}

const CHILD: (&str, &str) = (
    "child.json",
    r#"{"args": ["word", "suffix"], "defaults": {"suffix": "!", "n": 3}, "values": {"empty": ""}, "template": "printf {word}{suffix}"}"#,
);

#[test]
fn an_import_node_is_the_imported_recipe_with_its_defaults_and_bindings() {
    let parent = r#"{"imports": {"c": {"from": "child", "values": {"word": "hello"}}}, "template": [{"name": "c"}, "wc -c"]}"#;
    assert_eq!(
        argv(&[("p.json", parent), CHILD], &json!({})),
        json!([["printf", "hello!"], ["wc", "-c"]])
    );
}

#[test]
fn t18_what_is_bound_wins_inside_and_node_values_beat_node_defaults() {
    let parent = r#"{"defaults": {"word": "outer"}, "imports": {"c": {"from": "child", "defaults": {"suffix": "."}, "values": {"word": "declared"}}}, "template": [
        {"name": "c"},
        {"name": "c", "values": {"word": "node"}, "defaults": {"word": "default"}},
        {"name": "c", "defaults": {"word": "default", "suffix": "?"}},
        {"name": "c", "values": {"word": "<{word}>"}}
    ]}"#;
    let files = [("p.json", parent), CHILD];
    assert_eq!(
        argv(&files, &json!({})),
        json!([
            ["printf", "declared."],
            ["printf", "node."],
            ["printf", "default?"],
            ["printf", "<outer>."]
        ])
    );
    // A caller's value overrides every default, but not a bound value.
    assert_eq!(
        argv(&files, &json!({"word": "caller", "suffix": "#"})),
        json!([
            ["printf", "declared#"],
            ["printf", "node#"],
            ["printf", "caller#"],
            ["printf", "<caller>#"]
        ])
    );
}

#[test]
fn names_are_handed_on_through_any_number_of_imports() {
    let files: Vec<(String, String)> = (0..20)
        .map(|index| {
            let next = format!(r#"{{"imports": {{"n": {{"from": "r{}", "values": {{"model": "{{model}}"}}}}}}, "template": {{"name": "n"}}}}"#, index + 1);
            (format!("r{index}.json"), if index == 19 { r#"{"defaults": {"model": "last"}, "template": "m {model}"}"#.to_owned() } else { next })
        })
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    assert_eq!(argv(&files, &json!({})), json!([["m", "last"]]));
    assert_eq!(
        argv(&files, &json!({"model": "mine"})),
        json!([["m", "mine"]])
    );
}

#[test]
fn types_belong_to_the_recipe_that_declares_them() {
    let child = (
        "child.json",
        r#"{"args": ["mode:enum(a,b)=a"], "template": "c {mode}"}"#,
    );
    let parent = r#"{"args": ["mode:enum(x,y)=x"], "imports": {"c": "child"}, "template": ["p {mode}", {"name": "c", "values": {"mode": "b"}}]}"#;
    assert_eq!(
        argv(&[("p.json", parent), child], &json!({"mode": "y"})),
        json!([["p", "y"], ["c", "b"]])
    );
    let wrong =
        r#"{"imports": {"c": "child"}, "template": {"name": "c", "values": {"mode": "z"}}}"#;
    assert_eq!(
        codes(&[("p.json", wrong), child]),
        ["p.json:1:75 invalid-default"]
    );
    let linked = linked(&[
        (
            "p.json",
            r#"{"imports": {"c": "child"}, "template": {"name": "c"}}"#,
        ),
        child,
    ])
    .unwrap();
    let values = json!({"mode": "z"});
    let findings = template::expand(
        &linked.template,
        values.as_object().unwrap(),
        HostFacts::default(),
    )
    .unwrap_err();
    assert_eq!(findings[0].code, "invalid-value");
}

#[test]
fn imports_stand_everywhere_and_controls_on_the_node_replace_theirs() {
    let child = (
        "child.json",
        r#"{"timeout": 5, "label": "theirs", "template": ["a", "b"]}"#,
    );
    let parent = r#"{"imports": {"c": "child"}, "template": [
        {"name": "c", "timeout": 9, "parallel": true},
        {"retry": 2, "recover": {"name": "c"}, "template": "x"},
        {"name": "c", "parallel": true, "repeat": 2, "label": "lane {index}"}
    ]}"#;
    let tree = tree(&[("p.json", parent), child], &json!({}));
    let (first, second, third) = (
        &tree["children"][0],
        &tree["children"][1],
        &tree["children"][2],
    );
    let inner = &first["children"][0];
    assert_eq!(
        (&first["timeout"], &inner["timeout"]),
        (&json!(9), &Value::Null)
    );
    assert_eq!(
        (&inner["kind"], &inner["label"]),
        (&json!("parallel"), &json!("theirs"))
    );
    assert_eq!(second["recover"]["children"][0]["argv"], json!(["a"]));
    assert_eq!(third["children"][1]["label"], "lane 1");
}

#[test]
fn references_read_what_an_import_says() {
    let parent = r#"{"imports": {"b": "child"}, "repeat": "{b.defaults.n}", "defaults": {"k": "{b.defaults.n}"}, "template":
        "e {b.name} {b.defaults.missing=two} {b.values.empty?y:n} {b.defaults.missing='q q'} x{b.defaults.suffix} {k+1} {other.length??}"}"#;
    let said = codes(&[("p.json", parent), CHILD]);
    assert_eq!(said, ["p.json:2:121 unknown-placeholder"], "{said:?}");
    let parent = parent.replace(" {other.length??}", "");
    let files = [("p.json", parent.as_str()), CHILD];
    let tree = tree(&files, &json!({}));
    assert_eq!(tree["children"].as_array().unwrap().len(), 3);
    assert_eq!(
        tree["children"][0]["argv"],
        json!(["e", "child", "two", "n", "q q", "x!", "4"])
    );
    let missing = r#"{"imports": {"b": "child"}, "template": "e {b.defaults.nothing}"}"#;
    assert_eq!(
        codes(&[("p.json", missing), CHILD]),
        ["p.json:1:44 unknown-reference"]
    );
    let spaces = (
        "s.json",
        r#"{"defaults": {"text": "two words {topic}"}, "template": "t"}"#,
    );
    let parent = r#"{"imports": {"s": "s"}, "template": "e <{s.defaults.text}>"}"#;
    assert_eq!(
        argv(&[("p.json", parent), spaces], &json!({"topic": "x"})),
        json!([["e", "<two words x>"]])
    );
}

#[test]
fn broken_imports_are_named_with_their_place() {
    let one = |imports: &str| {
        codes(&[
            (
                "p.json",
                &format!(r#"{{"imports": {imports}, "template": {{"name": "c"}}}}"#),
            ),
            CHILD,
        ])
    };
    assert_eq!(one(r#"{"c": "nowhere"}"#), ["p.json:1:19 recipe-not-found"]);
    assert_eq!(one(r#"{"c c": "child"}"#)[0], "p.json:1:14 invalid-import");
    assert_eq!(
        one(r#"{"c": {"values": {}}}"#)[0],
        "p.json:1:19 invalid-import"
    );
    assert_eq!(one(r#"{"c": 5}"#)[0], "p.json:1:19 invalid-import");
    assert_eq!(one(r#"{"d": "child"}"#)[0], "p.json:1:41 unknown-import");
    let a = (
        "a.json",
        r#"{"imports": {"b": "b"}, "template": {"name": "b"}}"#,
    );
    let b = (
        "b.json",
        r#"{"imports": {"a": "a"}, "template": {"name": "a"}}"#,
    );
    assert_eq!(codes(&[a, b]), ["b.json:1:19 cyclic-import"]);
    let broken = ("child.json", "{\"template\": \"a 'b\"}");
    assert_eq!(
        codes(&[
            (
                "p.json",
                r#"{"imports": {"c": "child"}, "template": {"name": "c"}}"#
            ),
            broken
        ])[0],
        "child.json:1:17 unterminated-quote"
    );
}

#[test]
fn depth_and_number_are_limited_and_laughs_do_not_multiply() {
    let chain: Vec<(String, String)> = (0..40)
        .map(|index| {
            (
                format!("r{index}.json"),
                format!(
                    r#"{{"imports": {{"n": "r{}"}}, "template": [{{"name": "n"}}, {{"name": "n"}}]}}"#,
                    (index + 1).min(39)
                ),
            )
        })
        .collect();
    let mut files: Vec<(&str, &str)> = chain
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    assert!(codes(&files).iter().any(|code| code.ends_with("too-deep")));
    files[20] = ("r20.json", r#"{"template": "echo ha"}"#);
    assert!(
        codes(&files[..21])
            .iter()
            .any(|code| code.ends_with("too-large"))
    );
    let large = format!("{{\"template\": \"{}\"}}", "x".repeat(super::MAX_BYTES));
    assert_eq!(codes(&[("l.json", &large)]), ["l.json:1:1 too-large"]);
}

#[test]
fn every_field_of_a_recipe_is_read() {
    let text = r#"{"name": "x", "kind": "utility", "description": "about {b.name}", "disabled": true, "async": true, "state_dir": "{state_dir}",
        "imports": {"b": "child"}, "retire_when": "children_terminal", "actor_context": "off", "secrets": ["API_KEY"], "usage": {"calls": 3},
        "artifacts": {"report": "{state_dir}/r.md", "data": {"path": "d.json", "type": "json"}},
        "mailbox": {"accepts": ["control.kill", {"type": "task.add", "ack": true}], "emits": ["task.done"], "deliver": "stdin"},
        "values": {"low": 1}, "template": "echo {low}"}"#;
    let linked = linked(&[("p.json", text), CHILD]).unwrap();
    let recipe = serde_json::to_value(&linked.recipe).unwrap();
    let expected = json!({"description": "about child", "kind": "utility", "disabled": true, "async": true, "state_dir": "{state_dir}",
        "artifacts": {"data": {"path": "d.json", "type": "json"}, "report": {"path": "{state_dir}/r.md"}},
        "mailbox": {"accepts": [{"type": "control.kill"}, {"type": "task.add", "ack": true}], "emits": [{"type": "task.done"}], "deliver": "stdin"},
        "retire_when": "children_terminal", "actor_context": false, "secrets": ["API_KEY"]});
    assert_eq!(recipe, expected);
    assert!(
        linked.template.warnings().is_empty(),
        "{:?}",
        linked.template.warnings()
    );
    assert_eq!(
        linked
            .composition
            .iter()
            .map(|one| (one.depth, one.name.as_str()))
            .collect::<Vec<_>>(),
        [(0, "p"), (1, "child")]
    );
    let strange =
        super::tests::linked(&[("p.json", r#"{"descriptio": "x", "template": "echo"}"#)]).unwrap();
    assert_eq!(
        strange.template.warnings()[0].hint.as_deref(),
        Some("did you mean `description`?")
    );
    assert_eq!(
        codes(&[(
            "p.json",
            r#"{"async": "yes", "retire_when": "never", "artifacts": {"a": 5}, "template": "echo"}"#
        )])
        .len(),
        3
    );
}

#[test]
fn markdown_is_the_same_recipe() {
    let of = |text: &str| {
        linked(&[("r.md", text), CHILD]).map(|linked| {
            (
                linked.recipe.description.clone(),
                linked.template.args().to_vec(),
            )
        })
    };
    let front = "---\ndescription: Greets\nargs: name:string, mode:enum(a,b)=a\ndefaults:\n  - name: you\n---\n\nProse.\n\n";
    let (about, args) = of(&format!(
        "{front}```template\necho {{name}}\n  {{mode}}\n```\n"
    ))
    .unwrap();
    assert_eq!(
        (about.as_deref(), args.len(), args[0].required),
        (Some("Greets"), 2, false)
    );
    for (fence, expected) in [
        (
            "```sh\nnot this\n```\n```json\n[\"echo {name}\", \"cat\"]\n```",
            json!([["echo", "you"], ["cat"]]),
        ),
        (
            "~~~ recipe\n{\"defaults\": {\"name\": \"me\"}, \"template\": \"echo {name}\"}\n~~~",
            json!([["echo", "me"]]),
        ),
        (
            "````command\necho '```' {name}\n````",
            json!([["echo", "```", "you"]]),
        ),
    ] {
        assert_eq!(
            argv(&[("r.md", &format!("{front}{fence}\n"))], &json!({})),
            expected,
            "{fence}"
        );
    }
    let block = "---\nimports:\n  c:\n    from: child\n    values: {word: hi}\ntemplate:\n  - name: c\n  - wc -c\n---\n";
    assert_eq!(
        argv(&[("r.md", block), CHILD], &json!({})),
        json!([["printf", "hi!"], ["wc", "-c"]])
    );
}

#[test]
fn broken_markdown_says_where() {
    let one = |text: &str| codes(&[("r.md", text)])[0].clone();
    assert_eq!(one("# No front\n"), "r.md:1:1 invalid-markdown");
    assert_eq!(one("---\na: 1\n"), "r.md:1:1 invalid-markdown");
    assert_eq!(one("---\na: 1\n---\nprose\n"), "r.md:5:1 invalid-markdown");
    assert_eq!(
        one("---\na: 1\n---\n```template\necho\n"),
        "r.md:4:1 invalid-markdown"
    );
    assert_eq!(
        one("---\na: 1\n---\n```json\n{\"template\": \"a\", \"template\": \"b\"}\n```\n"),
        "r.md:5:19 duplicate-key"
    );
    assert_eq!(
        one("---\na: 1\n---\nx\n\n```template\necho {a.b}\n```\n"),
        "r.md:7:6 unknown-placeholder"
    );
    assert_eq!(one("---\na: [1\n---\n"), "r.md:3:1 invalid-yaml");
    assert_eq!(one("---\na: &x 1\nb: *x\n---\n"), "r.md:2:4 invalid-yaml");
    assert_eq!(
        one("---\ntemplate: 'echo {a.b}'\n---\n"),
        "r.md:2:17 unknown-placeholder"
    );
}

#[test]
fn r7_a_step_names_earlier_stages_as_files() {
    let files = [
        (
            "p.json",
            r#"{"imports": {"verify": "child2"}, "template": [
        {"stage": "review", "template": "r"},
        {"name": "verify", "values": {"evidence": "{stages.review}"}},
        {"parallel": true, "stage": "all", "template": ["a {stages.review}", {"label": "b", "template": "b"}]},
        "m {stages.verify} {stages.all} {stages.b}"
    ]}"#,
        ),
        (
            "child2.json",
            r#"{"template": [{"stage": "review", "template": "inner"}, "v {evidence} {stages.review}"]}"#,
        ),
    ];
    let tree = tree(&files, &json!({}));
    let review = tree["children"][0]["keep"].as_str().unwrap();
    assert!(
        review.starts_with("/s/") && review.ends_with("-review"),
        "{review}"
    );
    let inner = &tree["children"][1]["children"];
    assert_eq!(inner[1]["argv"], json!(["v", review, inner[0]["keep"]]));
    assert_ne!(inner[0]["keep"], review);
    let last = tree["children"][3]["argv"].as_array().unwrap();
    assert_eq!(
        (&last[1], &last[2]),
        (&tree["children"][1]["keep"], &tree["children"][2]["keep"])
    );
    let none = |template: &str| {
        let linked = linked(&[("p.json", &format!("{{\"template\": {template}}}"))]).unwrap();
        let findings =
            template::expand(&linked.template, &Map::new(), HostFacts::default()).unwrap_err();
        format!(
            "{}: {}",
            findings[0].code,
            findings[0].hint.as_deref().unwrap_or("")
        )
    };
    assert_eq!(
        none(r#"["a {stages.x}"]"#),
        "unknown-stage: give an earlier step \"stage\": \"x\""
    );
    assert_eq!(
        none(r#"[{"stage": "rev", "template": "a"}, "b {stages.reb}"]"#),
        "unknown-stage: did you mean {stages.rev}?"
    );
    assert!(
        none(
            r#"{"parallel": true, "template": [{"stage": "x", "template": "a"}, "b {stages.x}"]}"#
        )
        .starts_with("unknown-stage")
    );
    assert!(none(r#"[{"parallel": true, "repeat": 2, "template": [{"stage": "x", "template": "a"}, "b {stages.x}"]}, "c {stages.x}"]"#).starts_with("ambiguous-stage"));
}

#[test]
fn without_args_an_imports_arguments_are_public_and_with_args_its_defaults_are_its_own() {
    let names = |text: &str| {
        let args = linked(&[("p.json", text), CHILD])
            .unwrap()
            .template
            .args()
            .to_vec();
        args.into_iter()
            .map(|arg| format!("{}{}", arg.name, if arg.required { "!" } else { "" }))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names(r#"{"imports": {"c": "child"}, "template": {"name": "c"}}"#),
        ["word!", "suffix"]
    );
    assert_eq!(
        names(
            r#"{"args": ["x"], "imports": {"c": "child"}, "template": ["e {x}", {"name": "c"}]}"#
        ),
        ["x!", "word!"]
    );
    assert_eq!(
        names(r#"{"template": "e {recipe_dir} {state_dir}"}"#),
        Vec::<String>::new()
    );
    assert_eq!(
        argv(
            &[("p.json", r#"{"template": "e {recipe_dir}"}"#)],
            &json!({})
        ),
        json!([["e", "/r/6"]])
    );
}

proptest! {
    #[test]
    fn arbitrary_markdown_never_panics(text in "(---\n)?[-a-z: \n{}\\[\\]\"'`~#&*!|>0-9é]{0,120}(\n---\n)?[`a-z \n{}\"]{0,60}") {
        if let Err(findings) = parse(&Source::new("r.md", &text)) {
            prop_assert!(!findings.is_empty() && findings.iter().all(|f| f.place.is_some() && f.hint.is_some()));
        }
    }

    #[test]
    fn arbitrary_json_recipes_never_panic(inner in "[\\[\\]{}\",:0-9a-z. =?]{0,100}") {
        let text = format!("{{\"imports\": {{\"c\": \"child\"}}, \"template\": {inner}}}");
        let _either = linked(&[("p.json", &text), CHILD]);
        let text = format!("{{\"imports\": {{\"c\": \"child\"}}, \"template\": {}}}", Value::from(inner));
        let _either = linked(&[("p.json", &text), CHILD]);
    }
}

#[test]
fn the_readers_accept_what_the_schema_offers_and_nothing_else() {
    let schema = super::schema();
    let offered = |pointer: &str| {
        let fields = schema.pointer(pointer).and_then(Value::as_object);
        fields.unwrap().keys().cloned().collect::<Vec<_>>()
    };
    let (root, node) = (offered("/properties"), offered("/$defs/object/properties"));
    let mailbox = offered("/properties/mailbox/properties");
    let import = offered("/properties/imports/additionalProperties/anyOf/1/properties");
    let names = [&root[..], &node, &mailbox, &import, &["zzz".to_owned()]].concat();
    let accepts = |recipe: Value, path: &str| {
        let unit = recipe.to_string();
        let found = match linked(&[("r.json", &unit), ("o.json", r#"{"template": "true"}"#)]) {
            Ok(linked) => linked.template.warnings().to_vec(),
            Err(findings) => findings,
        };
        !found
            .iter()
            .any(|one| one.code == "unknown-field" && one.path.as_deref() == Some(path))
    };
    let with = |mut object: Value, name: &str| {
        object[name] = "x".into();
        object
    };
    for name in names {
        let at = |path: &str| path_member(path, &name);
        let recipe = with(json!({"template": "true"}), &name);
        assert_eq!(
            accepts(recipe, &at("")),
            root.contains(&name),
            "`{name}` of a recipe"
        );
        let [inner, import_node] = [json!({"template": "true"}), json!({"name": "o"})]
            .map(|object| json!({"imports": {"o": "o"}, "template": [with(object, &name)]}));
        let path = at("template[0]");
        let accepted = accepts(inner, &path) || accepts(import_node, &path);
        assert_eq!(accepted, node.contains(&name), "`{name}` of a node");
        let recipe =
            json!({"template": "true", "imports": {"o": with(json!({"from": "o"}), &name)}});
        let known = import.contains(&name);
        assert_eq!(
            accepts(recipe, &at("imports.o")),
            known,
            "`{name}` of an import"
        );
        let recipe = json!({"template": "true", "mailbox": with(json!({}), &name)});
        let known = mailbox.contains(&name);
        assert_eq!(
            accepts(recipe, &at("mailbox")),
            known,
            "`{name}` of a mailbox"
        );
        // The mailbox of a run is read again, from the values of its recipe.
        let run = message::Mailbox::read(&with(json!({}), &name));
        let unknown = matches!(run, Err(MailboxError::Unknown(_)));
        assert_eq!(!unknown, known, "`{name}` of a run's mailbox");
    }
}
