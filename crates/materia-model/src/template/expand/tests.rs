//! Expansion: tables per decision, hostile input, and a naive interpreter that must agree.

mod naive;
mod input;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::finding::Source;
use crate::template::{explain, parse};

fn try_expand(text: &str, values: &Value) -> Result<Expansion, Vec<Finding>> {
    let facts = HostFacts {
        home: Some("/h"),
        cwd: Some("/w"),
        has_stdin: false,
        ..HostFacts::default()
    };
    let template = parse(&Source::new("t", text))?;
    expand(&template, values.as_object().unwrap(), facts)
}

/// The argv of every command that would run.
fn argv(text: &str, values: &Value) -> Vec<Vec<String>> {
    fn leaves(plan: &Plan, found: &mut Vec<Vec<String>>) {
        match &plan.body {
            PlanBody::Command { argv, .. } => found.push(argv.clone()),
            PlanBody::Sequence(steps) => steps.iter().for_each(|step| leaves(step, found)),
            PlanBody::Parallel { branches, .. } => {
                branches.iter().for_each(|branch| leaves(branch, found));
            }
            PlanBody::Nested(inner) => leaves(inner, found),
            PlanBody::Skipped(_) => {}
        }
    }
    let mut found = Vec::new();
    leaves(
        &try_expand(text, values)
            .unwrap_or_else(|f| panic!("{text}: {f:?}"))
            .plan,
        &mut found,
    );
    found
}

fn spelled(text: &str, values: &Value) -> String {
    argv(text, values)
        .iter()
        .map(|argv| argv.join(" "))
        .collect::<Vec<_>>()
        .join(" ; ")
}

fn refused(text: &str, values: &Value) -> Vec<&'static str> {
    try_expand(text, values)
        .expect_err(text)
        .iter()
        .map(|finding| finding.code)
        .collect()
}

fn tree(text: &str, values: &Value) -> Value {
    serde_json::to_value(explain(&try_expand(text, values).unwrap().plan)).unwrap()
}

#[test]
fn t2_unquoted_words_vanish_when_empty_and_quoted_ones_stay() {
    for (text, values, expected) in [
        (
            "echo {a} {b}",
            json!({"a": "", "b": "x"}),
            vec!["echo", "x"],
        ),
        (
            "echo \"{a}\" {b}",
            json!({"a": "", "b": "x"}),
            vec!["echo", "", "x"],
        ),
        ("echo '' x", json!({}), vec!["echo", "", "x"]),
        (
            "echo --f={a} {n}",
            json!({"a": "", "n": null}),
            vec!["echo", "--f="],
        ),
        ("{sudo?sudo:} ls {all?--all:}", json!({}), vec!["/w/x/ls"]),
    ] {
        let text = text.replace("ls", "x/ls");
        let text = if text.starts_with('{') {
            Value::from(text).to_string()
        } else {
            text
        };
        assert_eq!(argv(&text, &values), [expected], "{text}");
    }
    assert_eq!(refused("\"{a}\"", &json!({"a": ""})), ["empty-command"]);
    assert_eq!(refused("'' x", &json!({})), ["empty-command"]);
}

#[test]
fn t3_defaults_refer_to_each_other_and_caller_data_never_does() {
    let chain = |names: usize| {
        let links: Map<String, Value> = (1..names)
            .map(|n| (format!("n{n}"), format!("{{n{}}}", n + 1).into()))
            .collect();
        let mut links = links;
        links.insert(format!("n{names}"), "end".into());
        json!({"defaults": links, "template": "t {n1}"}).to_string()
    };
    assert_eq!(spelled(&chain(6), &json!({})), "t end");
    assert_eq!(refused(&chain(7), &json!({})), ["cyclic-default"]);
    for (text, values, expected) in [
        (
            r#"{"defaults": {"d": "{r}/{e}", "r": "/r", "e": "d"}, "template": "t {d}"}"#,
            json!({}),
            "t /r/d",
        ),
        (
            r#"{"defaults": {"d": "{r}/{e}", "r": "/r"}, "template": "t {d}"}"#,
            json!({"e": "{r}"}),
            "t /r/{r}",
        ),
        (
            r#"{"defaults": {"j": "{\"k\": 1}"}, "template": "t {j}"}"#,
            json!({}),
            "t {\"k\": 1}",
        ),
        (
            r#"{"defaults": {"j": "\\{a\\}"}, "template": "t {j}"}"#,
            json!({"a": 1}),
            "t {a}",
        ),
        (
            r#"{"defaults": {"b": "{b}"}, "template": "t {b}"}"#,
            json!({"b": "z"}),
            "t z",
        ),
        (
            r#"{"defaults": {"m": "P"}, "template": {"defaults": {"m": "{m}!"}, "template": "t {m}"}}"#,
            json!({}),
            "t P!",
        ),
        (
            r#"{"defaults": {"m": "P"}, "template": {"defaults": {"m": "{m}!"}, "template": "t {m}"}}"#,
            json!({"m": "R"}),
            "t R",
        ),
        (
            r#"{"defaults": {"a": "{b}", "b": 1}, "template": {"defaults": {"b": 2}, "template": "t {a}"}}"#,
            json!({}),
            "t 2",
        ),
    ] {
        assert_eq!(spelled(text, &values), expected, "{text}");
    }
    for cyclic in [
        r#"{"a": "{b}", "b": "{a}"}"#,
        r#"{"a": "{a}"}"#,
        r#"{"a": "x{b}", "b": "{c}", "c": "y{a}"}"#,
    ] {
        let text = format!("{{\"defaults\": {cyclic}, \"template\": \"t {{a}}\"}}");
        assert_eq!(refused(&text, &json!({})), ["cyclic-default"], "{text}");
    }
    assert_eq!(
        refused(
            r#"{"defaults": {"b": "{a}"}, "template": "t {b}"}"#,
            &json!({})
        ),
        ["missing-value"]
    );
}

#[test]
fn t6_types_hold_for_caller_values_and_resolved_defaults() {
    for (text, values, expected) in [
        ("t {n:int}", json!({"n": " 5 "}), "t 5"),
        ("t {b:bool=yes} {b}", json!({"b": 0}), ""),
        ("t {b:bool=yes}", json!({}), "t true"),
        (
            r#"{"args": ["xs:array"], "template": "t {xs[1]} {xs.length}"}"#,
            json!({"xs": "[1,2]"}),
            "t 2 2",
        ),
        (
            r#"{"args": ["xs:array"], "defaults": {"xs": "[7]"}, "template": "t {xs[0]}"}"#,
            json!({}),
            "t 7",
        ),
        (
            r#"{"args": ["n:int"], "defaults": {"n": "{m}"}, "template": "t {n}"}"#,
            json!({"m": "x"}),
            "",
        ),
        (
            r#"{"args": ["p:path"], "defaults": {"p": "~/x"}, "template": "t {p}"}"#,
            json!({}),
            "t /h/x",
        ),
        (
            r#"{"args": ["p:path"], "template": "t {p} {q:path=~/y}"}"#,
            json!({"p": "~/x"}),
            "t ~/x /h/y",
        ),
        (
            r#"{"args": ["a=1"], "defaults": {"a": 2}, "template": "t {a=3}"}"#,
            json!({}),
            "t 2",
        ),
        (
            r#"{"args": ["a=1"], "template": ["t {a=3}", {"args": ["b"], "template": "u {a=3} {b}"}]}"#,
            json!({"b": 0}),
            "t 1 ; u 3 0",
        ),
    ] {
        if expected.is_empty() {
            assert_eq!(refused(text, &values), ["invalid-value"], "{text}");
        } else {
            assert_eq!(spelled(text, &values), expected, "{text}");
        }
    }
    let found = try_expand("t {a} {c:int} {b=1} {d}", &json!({"a": 1})).unwrap_err();
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(
        found[0].hint.as_deref(),
        Some("pass c=…; expected: a=TEXT c=1 d=TEXT [b=1]")
    );
    assert_eq!(found[0].place.as_ref().unwrap().column, 7);
    assert_eq!(
        refused(
            r#"{"args": ["a", "b"], "template": "t {a}"}"#,
            &json!({"a": 1})
        ),
        ["missing-value"]
    );
}

#[test]
fn t8_t12_repeat_gives_copies_with_their_numbers() {
    for (text, values, expected) in [
        (
            r#"{"repeat": 2, "template": "t {index} {_index} {prev} {next} {repeat} {index-1}"}"#,
            json!({}),
            "t 0 00 1 1 2 -1 ; t 1 01 0 0 2 0",
        ),
        (
            r#"{"repeat": "{n*2}", "template": "t {__(index+1)}"}"#,
            json!({"n": 1}),
            "t 001 ; t 002",
        ),
        (
            r#"{"repeat": "xs.length", "template": "t {xs[index]}"}"#,
            json!({"xs": ["p", "q"]}),
            "t p ; t q",
        ),
        (
            r#"{"repeat": 2, "template": {"repeat": 2, "template": "t {index}"}}"#,
            json!({}),
            "t 0 ; t 1 ; t 0 ; t 1",
        ),
        (
            r#"{"repeat": 2, "template": ["a {index}", "b {index}"], "parallel": true}"#,
            json!({"index": 9}),
            "a 0 ; b 0 ; a 1 ; b 1",
        ),
        (
            r#"{"repeat": 3, "when": "{index}", "template": "t {index}"}"#,
            json!({}),
            "t 1 ; t 2",
        ),
        (r#"{"repeat": 0, "template": "t {missing}"}"#, json!({}), ""),
        (
            r#"{"when": "xs", "repeat": "{xs.length}", "template": "t {xs[index]}"}"#,
            json!({}),
            "",
        ),
        (
            r#"{"defaults": {"p": "{xs[index]}", "xs": ["a", "b"]}, "template": [{"repeat": "{xs.length}", "template": "t {p}"}]}"#,
            json!({}),
            "t a ; t b",
        ),
        ("t {a-b}", json!({"a": 5, "b": "2"}), "t 3"),
        ("t {a-b}", json!({"a": 5, "b": 2, "a-b": "x"}), "t x"),
        ("t {index+1}", json!({"index": 3}), "t 4"),
    ] {
        assert_eq!(spelled(text, &values), expected, "{text}");
    }
    for (text, code) in [
        (
            r#"{"repeat": 2, "template": "t {1/index}"}"#,
            "division-by-zero",
        ),
        ("t {9223372036854775807+1}", "overflow"),
        ("t {index}", "missing-value"),
        ("t {n+1}", "missing-value"),
        (
            r#"{"repeat": "{n}", "defaults": {"n": "x"}, "template": "t"}"#,
            "invalid-value",
        ),
        (
            r#"{"repeat": "{xs.length}", "template": "t"}"#,
            "missing-value",
        ),
        (
            r#"{"defaults": {"xs": "ab"}, "template": "t {xs[0]}"}"#,
            "invalid-value",
        ),
        (
            r#"{"defaults": {"xs": ["ab"]}, "template": "t {xs[1]}"}"#,
            "index-out-of-range",
        ),
    ] {
        assert_eq!(refused(text, &json!({})), [code], "{text}");
    }
}

#[test]
fn t10_t12_fields_belong_to_the_copy_or_the_join() {
    let text = r#"{"parallel": true, "repeat": 2, "label": "lane {index+1}", "delay": 5, "failure": "branch",
        "concurrency": 1, "min_successful": "{q}", "template": ["a", {"when": "{index}", "template": "b"}]}"#;
    let lane = |n: usize, second: Value| {
        json!({"kind": "sequence", "label": format!("lane {n}"), "delay": 5, "failure": "branch",
            "children": [{"kind": "command", "argv": ["a"], "stdin": "none"}, second]})
    };
    let expected = json!({"kind": "parallel", "failure": "branch", "concurrency": 1, "min_successful": 2, "children": [
        lane(1, json!({"kind": "command", "skipped": true})),
        lane(2, json!({"kind": "command", "argv": ["b"], "stdin": "previous"}))]});
    assert_eq!(tree(text, &json!({"q": 2})), expected);
    let skipped = tree(
        r#"{"parallel": true, "repeat": 2, "when": false, "template": "t"}"#,
        &json!({}),
    );
    assert_eq!(skipped, json!({"kind": "parallel", "skipped": true}));
}

#[test]
fn t10_skipped_nodes_keep_the_flow_of_stdin() {
    let stdins = |text: &str, has_stdin: bool| {
        let template = parse(&Source::new("t", text)).unwrap();
        let plan = expand(
            &template,
            &Map::new(),
            HostFacts {
                has_stdin,
                ..HostFacts::default()
            },
        )
        .unwrap()
        .plan;
        let json = serde_json::to_string(&explain(&plan)).unwrap();
        let found: Vec<_> = json
            .match_indices("\"stdin\":\"")
            .map(|(at, m)| json[at + m.len()..][..1].to_owned())
            .collect();
        found.concat()
    };
    for (text, none, given) in [
        ("\"a\"", "n", "p"),
        (
            r#"["a", "b", {"parallel": true, "template": ["c", ["d", "e"]]}]"#,
            "",
            "",
        ),
        (
            r#"["a", {"parallel": true, "template": ["c", {"template": ["d", "e"]}]}, "f"]"#,
            "nsspp",
            "psspp",
        ),
        (
            r#"[{"when": false, "template": "x"}, "a", {"when": false, "template": "y"}, "b"]"#,
            "np",
            "pp",
        ),
        (r#"{"parallel": true, "template": ["a", "b"]}"#, "nn", "ss"),
        (r#"{"repeat": 2, "template": ["a", "b"]}"#, "nppp", "pppp"),
    ] {
        if !none.is_empty() {
            assert_eq!(
                (stdins(text, false), stdins(text, true)),
                (none.into(), given.into()),
                "{text}"
            );
        }
    }
}

#[test]
fn t11_recovery_is_fail_closed_and_wrappers_keep_their_controls() {
    let text = r#"{"retry": 2, "recover": ["a", {"template": ["b"]}, {"failure": "continue", "template": "c"}],
        "template": {"timeout": "{t}", "template": "x"}}"#;
    let plan = try_expand(text, &json!({"t": "1.5"})).unwrap().plan;
    let recover = plan.controls.recover.as_deref().unwrap();
    let PlanBody::Sequence(steps) = &recover.body else {
        panic!("{recover:?}")
    };
    let failures: Vec<_> = steps.iter().map(|step| step.controls.failure).collect();
    assert_eq!(recover.controls.failure, FailurePolicy::Branch);
    assert_eq!(
        failures,
        [
            FailurePolicy::Branch,
            FailurePolicy::Branch,
            FailurePolicy::Continue
        ]
    );
    let PlanBody::Nested(inner) = &plan.body else {
        panic!("{plan:?}")
    };
    assert_eq!((inner.controls.timeout, plan.controls.retry), (Some(2), 2));
    let merged = try_expand(
        r#"{"retry": 2, "template": {"template": {"template": "x"}}}"#,
        &json!({}),
    )
    .unwrap()
    .plan;
    assert!(matches!(merged.body, PlanBody::Command { .. }) && merged.controls.retry == 2);
}

#[test]
fn t18_bound_values_win_inside_and_see_only_the_outside() {
    for (text, values, expected) in [
        (
            r#"{"values": {"a": "in"}, "defaults": {"a": "d"}, "template": "t {a}"}"#,
            json!({"a": "caller"}),
            "t in",
        ),
        (
            r#"[{"values": {"a": "[{a}]"}, "template": "t {a}"}, "u {a}"]"#,
            json!({"a": "x"}),
            "t [x] ; u x",
        ),
        (
            r#"{"values": {"a": "{a}"}, "template": {"defaults": {"a": "inner"}, "template": "t {a}"}}"#,
            json!({}),
            "t inner",
        ),
        (
            r#"{"repeat": 2, "values": {"n": "{index+1}"}, "template": {"repeat": 1, "template": "t {n}"}}"#,
            json!({}),
            "t 1 ; t 2",
        ),
    ] {
        assert_eq!(spelled(text, &values), expected, "{text}");
    }
}

#[test]
fn skipped_nodes_ask_for_nothing_and_quorums_out_of_reach_are_named() {
    let text = r#"{"when": "go", "label": "{l}", "timeout": "{t}", "output": "o", "template": "t {needs}"}"#;
    assert_eq!(
        tree(text, &json!({})),
        json!({"kind": "command", "skipped": true})
    );
    let text = r#"{"parallel": true, "min_successful": 3, "template": ["a", "b"]}"#;
    let warnings = try_expand(text, &json!({})).unwrap().warnings;
    assert_eq!(
        warnings[0].message,
        "`min_successful` is 3, and there are only 2 branches"
    );
}

#[test]
fn the_deepest_tree_that_can_be_read_can_be_expanded() {
    let deep = |n: usize| {
        format!(
            "{}\"t\"{}",
            "{\"retry\": 2, \"template\":".repeat(n),
            "}".repeat(n)
        )
    };
    let plan = try_expand(&deep(crate::document::MAX_DEPTH), &json!({}))
        .unwrap()
        .plan;
    assert!(serde_json::to_string(&explain(&plan)).unwrap().len() > 1_000);
    assert_eq!(plan.commands(), 1);
    assert_eq!(
        refused(&deep(crate::document::MAX_DEPTH + 1), &json!({}))[0],
        "too-deep"
    );
}

#[test]
fn t15_output_is_stdout_or_a_value() {
    use super::super::plan::OutputChannel;
    let output = |text: &str| {
        try_expand(text, &json!({"o": "/x", "d": "e"}))
            .unwrap()
            .plan
            .controls
            .output
    };
    let value = |text: &str, must_exist| OutputChannel::Value {
        text: text.into(),
        must_exist,
    };
    assert_eq!(
        output(r#"{"output": "stdout", "template": ["t"]}"#),
        OutputChannel::Stdout
    );
    assert_eq!(
        output(r#"{"args": ["o:path"], "output": "o", "template": ["t"]}"#),
        value("/x", true)
    );
    assert_eq!(
        output(r#"{"output": "{o}", "template": ["t"]}"#),
        value("/x", false)
    );
    assert_eq!(
        output(r#"{"output": "{d:path}/f", "template": ["t"]}"#),
        value("e/f", true)
    );
    assert_eq!(
        refused(r#"{"output": "gone", "template": ["t"]}"#, &json!({})),
        ["missing-value"]
    );
}

#[test]
fn commands_are_found_from_home_and_directory() {
    for (text, expected) in [
        ("./t ~ ~/x ./y", "/w/t ~ ~/x ./y"),
        ("~/bin/t", "/h/bin/t"),
        ("~", "/h"),
        ("~user/bin", "/w/~user/bin"),
        ("../a/./b", "/a/b"),
        ("t", "t"),
        ("/abs/../t", "/abs/../t"),
    ] {
        assert_eq!(spelled(text, &json!({})), expected);
    }
}

#[test]
fn hostile_templates_get_an_error_and_no_hang() {
    assert_eq!(
        argv(r#"{"repeat": 100000, "template": "t {index}"}"#, &json!({})).len(),
        MAX_COPIES
    );
    for text in [
        r#"{"repeat": 100001, "template": "t"}"#,
        r#"{"repeat": 1e300, "template": "t"}"#,
        r#"{"repeat": 400, "template": {"repeat": 400, "template": "t"}}"#,
        r#"{"repeat": 100000, "template": {"repeat": 2, "when": false, "template": "t"}}"#,
    ] {
        assert_eq!(refused(text, &json!({})), ["too-many-copies"], "{text}");
    }
    let wide = json!({"repeat": 10_000, "template": vec!["t"; 100]}).to_string();
    assert_eq!(refused(&wide, &json!({})), ["too-large"]);
    assert_eq!(
        refused(
            r#"{"repeat": 100000, "template": "t {a}"}"#,
            &json!({"a": "x".repeat(100_000)})
        ),
        ["too-large"]
    );
    let laughs = |n: usize| format!("{{n{n}}}").repeat(300);
    let laughs = json!({"defaults": {"n0": laughs(1), "n1": laughs(2), "n2": laughs(3), "n3": laughs(4), "n4": ""}, "template": "t {n0}"});
    assert_eq!(refused(&laughs.to_string(), &json!({})), ["too-large"]);
    assert_eq!(refused("t {a}", &json!({"a": "x\0y"})), ["nul-byte"]);
    assert_eq!(refused("t \0", &json!({})), ["nul-byte"]);
    assert_eq!(
        refused(&format!("t {}", "{a}".repeat(100_000)), &json!({})),
        ["missing-value"]
    );
    let many: String = (0..1_000).map(|n| format!(" {{n{n}}}")).collect();
    assert_eq!(refused(&format!("t{many}"), &json!({})).len(), MAX_FINDINGS);
}

proptest! {
    #[test]
    fn t3_a_caller_value_reaches_argv_byte_for_byte(value in "[^\\x00]{0,40}", syntax in "[{}a?:=\\\\'\"~ !]{0,20}") {
        for value in [value, syntax] {
            let found = argv("t '{a}' --x={a}", &json!({"a": value}));
            prop_assert_eq!(&found[0][1], &value);
            prop_assert_eq!(&found[0][2], &format!("--x={value}"));
        }
    }

    #[test]
    fn arbitrary_commands_and_values_never_panic(
        text in "t [a-c{}'\"\\\\ =?:!.\\[\\]()+*/%0-9_-]{0,60}",
        values in "(\\{\"a\":\"[{}a-c0-9]{0,8}\",\"b\":(-?[1-9][0-9]{0,19}|\\[1,\"x\"\\]|null)\\})",
    ) {
        let values: Value = serde_json::from_str(&values).unwrap();
        if let Err(found) = try_expand(&text, &values) {
            prop_assert!(!found.is_empty());
        }
    }

    #[test]
    fn t10_t12_trees_agree_with_a_naive_interpreter(tree in naive::tree(), flag: bool) {
        let values = json!({"on": flag, "xs": ["p", "q"]});
        let expected = naive::run(&tree, &values);
        prop_assert_eq!(argv(&tree.to_string(), &values), expected);
    }
}
