//! Reading: shapes, fields, guards, settings, and the position of every finding.

use proptest::prelude::*;

use super::*;

fn read(text: &str) -> Result<Template, Vec<Finding>> {
    parse(&Source::new("t.json", text))
}

/// `line:column code` of every error in the text.
fn refused(text: &str) -> Vec<String> {
    let found = read(text).expect_err(text);
    let errors = found
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    errors
        .map(|finding| {
            let place = finding.place.as_ref().unwrap();
            format!("{}:{} {}", place.line, place.column, finding.code)
        })
        .collect()
}

fn warned(text: &str) -> Vec<&'static str> {
    read(text)
        .unwrap()
        .warnings()
        .iter()
        .map(|finding| finding.code)
        .collect()
}

#[test]
fn t21_broken_shapes_are_refused_at_their_place() {
    for (text, expected) in [
        ("", "1:1 empty-command"),
        ("  ", "1:1 empty-command"),
        ("a 'b", "1:3 unterminated-quote"),
        ("[]", "1:1 empty-template"),
        ("[null]", "1:2 invalid-template"),
        ("[[\"a\"]]", "1:2 invalid-template"),
        ("{\"template\": 42}", "1:14 invalid-template"),
        ("{\"template\": []}", "1:14 empty-template"),
        ("{\"label\": \"x\"}", "1:1 missing-template"),
        (
            "{\"name\": \"review\", \"values\": {}}",
            "1:1 unknown-import",
        ),
        (
            "{\"failure\": \"abort\", \"template\": \"t\"}",
            "1:13 invalid-field",
        ),
        (
            "{\"parallel\": \"true\", \"template\": [\"t\"]}",
            "1:14 invalid-field",
        ),
        (
            "{\"timeout\": -5, \"template\": \"t\"}",
            "1:13 invalid-field",
        ),
        (
            "{\"timeout\": \"5s\", \"template\": \"t\"}",
            "1:13 invalid-field",
        ),
        ("{\"retry\": 0, \"template\": \"t\"}", "1:11 invalid-field"),
        (
            "{\"retry\": 1.5, \"template\": \"t\"}",
            "1:11 invalid-field",
        ),
        (
            "{\"repeat\": -1, \"template\": \"t\"}",
            "1:12 invalid-field",
        ),
        (
            "{\"concurrency\": 0, \"parallel\": true, \"template\": [\"t\"]}",
            "1:17 invalid-field",
        ),
        ("{\"label\": 1, \"template\": \"t\"}", "1:11 invalid-field"),
        (
            "{\"defaults\": [], \"template\": \"t\"}",
            "1:14 invalid-field",
        ),
        (
            "{\"defaults\": {\"1a\": 1}, \"template\": \"t\"}",
            "1:15 invalid-name",
        ),
        (
            "{\"args\": [\"n:integer\"], \"template\": \"t\"}",
            "1:12 unknown-type",
        ),
        (
            "{\"args\": [\"a\", \"a\"], \"template\": \"t\"}",
            "1:17 duplicate-argument",
        ),
        (
            "{\"args\": [\"a:int=x\"], \"template\": \"t\"}",
            "1:12 invalid-default",
        ),
        (
            "{\"args\": [\"a:int\"], \"defaults\": {\"a\": \"x\"}, \"template\": \"t {a}\"}",
            "1:40 invalid-default",
        ),
        (
            "{\"args\": [\"a:int\"], \"template\": \"t {a:bool}\"}",
            "1:36 conflicting-types",
        ),
        ("t {a:int=x}", "1:3 invalid-default"),
        (
            "{\"template\":\n  [\"echo é '{print}' \\t '{k: 1}'\"]}",
            "2:26 unknown-placeholder",
        ),
    ] {
        assert_eq!(refused(text), [expected], "{text}");
    }
}

#[test]
fn a_document_is_checked_to_the_end() {
    let text = "{\"retry\": 0,\n \"template\": [\"a '\",\n {\"when\": \"a b\", \"template\": \"t '{x y}' '{z }'\"},\n {}]}";
    let expected = [
        "1:11 invalid-field",
        "2:18 unterminated-quote",
        "3:11 invalid-field",
        "3:34 unknown-placeholder",
        "3:42 unknown-placeholder",
        "4:2 missing-template",
    ];
    assert_eq!(refused(text), expected);
    let paths: Vec<_> = read(text)
        .unwrap_err()
        .into_iter()
        .map(|f| f.path.unwrap())
        .collect();
    assert_eq!(paths[0..3], ["retry", "template[0]", "template[1].when"]);
}

#[test]
fn t9_guards_are_one_of_five_spellings() {
    for good in [
        "true",
        "\"false\"",
        "\"go\"",
        "\"!go\"",
        "\" ! go \"",
        "\"{go??yes}\"",
        "\"!{go}\"",
        "\" { go ?y:n} \"",
    ] {
        read(&format!("{{\"when\": {good}, \"template\": \"t\"}}")).expect(good);
    }
    for bad in [
        "\"\"",
        "\"a b\"",
        "\"a&&b\"",
        "\"!!x\"",
        "\"1\"",
        "1",
        "null",
        "\"{a}{b}\"",
        "\"x{a}\"",
        "\"{a} b\"",
        "\"!\"",
    ] {
        let text = format!("{{\"when\": {bad}, \"template\": \"t\"}}");
        assert_eq!(refused(&text), ["1:10 invalid-field"], "{bad}");
    }
    assert_eq!(
        refused("{\"when\": \"{a b}\", \"template\": \"t\"}"),
        ["1:11 unknown-placeholder"]
    );
}

#[test]
fn what_has_no_effect_or_no_meaning_is_a_warning() {
    for (text, expected) in [
        (
            "{\"tiemout\": 5, \"template\": \"t\"}",
            vec!["unknown-field"],
        ),
        (
            "{\"description\": \"x\", \"$schema\": \"y\", \"template\": \"t\"}",
            vec![],
        ),
        (
            "[{\"description\": \"x\", \"template\": \"t\"}]",
            vec!["unknown-field"],
        ),
        (
            "{\"concurrency\": 2, \"template\": [\"t\"]}",
            vec!["no-effect"],
        ),
        (
            "{\"min_successful\": 2, \"parallel\": true, \"template\": \"t\"}",
            vec!["no-effect"],
        ),
        (
            "{\"min_successful\": 2, \"parallel\": true, \"repeat\": 2, \"template\": \"t\"}",
            vec![],
        ),
        (
            "{\"recover\": \"r\", \"template\": \"t\"}",
            vec!["no-effect"],
        ),
        (
            "{\"defaults\": {\"index\": 1}, \"template\": \"t\"}",
            vec!["reserved-name"],
        ),
        ("t {a={b}}", vec!["nested-braces"]),
        ("t {{a}} \\{a={b}\\}", vec![]),
    ] {
        assert_eq!(warned(text), expected, "{text}");
    }
    let hint = read("{\"tiemout\": 5, \"template\": \"t\"}")
        .unwrap()
        .warnings()[0]
        .hint
        .clone();
    assert_eq!(hint.as_deref(), Some("did you mean `timeout`?"));
}

#[test]
fn a_command_that_begins_with_a_brace_says_how_it_is_written() {
    let hint = read("{cmd} a").unwrap_err().remove(0).hint.unwrap();
    assert_eq!(
        hint,
        "a command that begins with a brace is written as a JSON string: \"{cmd} a\""
    );
    assert!(read("\"{cmd} a\"").is_ok());
}

#[test]
fn hostile_documents_are_refused_quickly() {
    assert!(read(&"[".repeat(10_000)).is_err());
    let nested = format!(
        "{}\"t\"{}",
        "{\"template\":".repeat(10_000),
        "}".repeat(10_000)
    );
    assert!(read(&nested).is_err());
    let wide = format!("[{}\"t\"]", "\"t\",".repeat(MAX_NODES));
    assert_eq!(
        refused(&wide),
        [format!("1:{} too-large", MAX_NODES * 4 + 2)]
    );
    let broken = format!("\"t{}\"", " '{ x }'".repeat(90_000));
    assert_eq!(refused(&broken).len(), MAX_FINDINGS);
    let strange: String = (0..100_000).map(|n| format!("\"f{n}\":1,")).collect();
    assert_eq!(
        warned(&format!("{{{strange}\"template\":\"t\"}}")).len(),
        MAX_FINDINGS / 2
    );
    assert!(read(&format!("\"{}\"", "x".repeat(100 << 20))).is_err());
    assert!(read(&format!("echo {}", "x".repeat(10 << 20))).is_ok());
}

proptest! {
    #[test]
    fn arbitrary_commands_never_panic_and_errors_have_a_place(text in "[a-c{}'\"\\\\ \\t=?:!.\\[\\]()+*/%0-9_é-]{0,60}") {
        if let Err(found) = read(&text) {
            prop_assert!(found.iter().all(|finding| finding.place.is_some() && finding.hint.is_some()));
        }
    }

    #[test]
    fn arbitrary_fields_never_panic(
        field in prop::sample::select(NODE.names().collect::<Vec<_>>()),
        value in "(\"[a-c{}!?:=.0-9 \\[\\]]{0,12}\"|-?[0-9]{1,3}(\\.[0-9])?|true|null|\\[\"[a-z:=(),]{0,9}\"\\]|\\{\"a\":\"[{}a-c]{0,6}\"\\})",
    ) {
        let _ = read(&format!("{{\"{field}\": {value}, \"template\": [\"t {{a=1}}\"]}}"));
        let _ = read(&format!("[{{\"{field}\": {value}, \"template\": \"t {{b}}\"}}]"));
    }
}
