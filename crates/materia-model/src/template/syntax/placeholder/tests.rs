//! Tables of placeholder forms, and arbitrary text in braces.

use proptest::prelude::*;

use super::*;
use crate::template::syntax::word;

fn parse(text: &str) -> Result<TemplateText, TextProblem> {
    let mut words = word::split(text)?;
    let word = words.pop().unwrap_or_default();
    TemplateText::parse(&word, text, None)
}

/// A compact text form of the parsed placeholder.
fn spelled(text: &str) -> String {
    let parsed = match parse(text) {
        Ok(parsed) => parsed,
        Err(problem) => return format!("✗ {}", problem.hint),
    };
    let pieces = parsed.pieces.iter().map(|piece| match piece {
        TextPiece::Literal(text) => text.clone(),
        TextPiece::Placeholder(placeholder) => match &placeholder.form {
            PlaceholderForm::Value {
                name,
                declared,
                default,
                difference,
            } => {
                let ty = declared
                    .as_ref()
                    .map_or(String::new(), |ty| format!(":{ty}"));
                let default = default
                    .as_ref()
                    .map_or(String::new(), |default| format!("={default}"));
                let minus = if difference.is_some() {
                    " or minus"
                } else {
                    ""
                };
                format!("<{name}{ty}{default}{minus}>")
            }
            PlaceholderForm::Fallback { name, otherwise } => format!("<{name} else {otherwise}>"),
            PlaceholderForm::Choice {
                name,
                negated,
                yes,
                no,
            } => {
                format!(
                    "<if {}{name} then {yes} else {no}>",
                    if *negated { "not " } else { "" }
                )
            }
            PlaceholderForm::Item {
                name,
                index: ItemIndex::Literal(index),
            } => format!("<{name} at {index}>"),
            PlaceholderForm::Item {
                name,
                index: ItemIndex::Name(index),
            } => format!("<{name} at {index}>"),
            PlaceholderForm::Length { name } => format!("<length of {name}>"),
            PlaceholderForm::Expression { source, width, .. } => format!("<{source} wide {width}>"),
            PlaceholderForm::Stage { name } => format!("<stage {name}>"),
        },
    });
    pieces.collect()
}

#[test]
fn every_form_is_understood() {
    for (text, expected) in [
        ("{a}", "<a>"),
        ("pre{a}{b}post", "pre<a><b>post"),
        ("{a=d}", "<a=d>"),
        ("{a=}", "<a=>"),
        ("{a=b=c:d}", "<a=b=c:d>"),
        ("{a=x?y:z}", "<a=x?y:z>"),
        ("{a=x??y}", "<a=x??y>"),
        ("{a:int=5}", "<a:int=5>"),
        ("{m:enum(check,fix)=check}", "<m:enum(check,fix)=check>"),
        ("{a:string=x?y:z}", "<a:string=x?y:z>"),
        ("{a??d}", "<a else d>"),
        ("{a??b??c}", "<a else b??c>"),
        ("{a??x:y}", "<a else x:y>"),
        ("{a??}", "<a else >"),
        ("{a?y:n}", "<if a then y else n>"),
        ("{!a?y:n}", "<if not a then y else n>"),
        ("'{ a ?y:n}'", "<if a then y else n>"),
        ("{a?y:n:m}", "<if a then y else n:m>"),
        ("{a?y?z:n}", "<if a then y?z else n>"),
        ("{all?--all:}", "<if all then --all else >"),
        ("{i[0]}{i[n]}", "<i at 0><i at n>"),
        ("{xs.length}", "<length of xs>"),
        ("{my-name}", "<my-name or minus>"),
        ("{index-1}", "<index-1 or minus>"),
        ("{a-1b}", "<a-1b>"),
        ("{index+1}", "<index+1 wide 0>"),
        ("{_(index+1)}", "<(index+1) wide 2>"),
        ("{______(index)}", "<(index) wide 7>"),
        ("{_index}", "<_index>"),
        ("{(1)}", "<(1) wide 0>"),
        ("{-7/2}", "<-7/2 wide 0>"),
        ("${name}", "$<name>"),
    ] {
        assert_eq!(spelled(text), expected, "{text}");
    }
}

#[test]
fn t5_only_innermost_pairs_with_content_are_placeholders() {
    for (text, expected) in [
        ("{}", "{}"),
        ("{", "{"),
        ("a}b{", "a}b{"),
        ("{{a}}", "{<a>}"),
        ("{a={b}}", "{a=<b>}"),
        ("{a?{b}:c}", "{a?<b>:c}"),
        ("\\{a\\}", "{a}"),
        ("'\\{a\\} {a}'", "{a} <a>"),
        ("{a=\\}x}", "<a=}x>"),
        ("{{}}", "{{}}"),
    ] {
        assert_eq!(spelled(text), expected, "{text}");
    }
}

#[test]
fn t5_unknown_braces_name_the_word_the_column_and_the_fix() {
    let problem = parse("awk '{print $1}'").unwrap_err();
    assert_eq!(
        problem.message,
        "`{print $1}` at column 6 (word 2: `{print $1}`) is no placeholder"
    );
    assert_eq!(problem.hint, "write \\{ for a literal brace");
    for bad in [
        "'{ a }'",
        "'{a ?? d}'",
        "{a:int??5}",
        "{a:foo=5}",
        "{a?y}",
        "{1}",
        "{1,3}",
        "'{k: .v}'",
        "{i[index+1]}",
        "{i[]}",
        "{i[-1]}",
        "{1+}",
        "{2**3}",
        "{file%.md}",
        "{a.b}",
        "{_______(index)}",
        "{a&&b?c:d}",
        "{é}",
    ] {
        let problem = parse(bad).unwrap_err();
        assert_eq!(problem.code, "unknown-placeholder", "{bad}");
        assert!(
            problem.hint.contains("\\{ for a literal brace"),
            "{bad}: {}",
            problem.hint
        );
    }
    assert!(
        parse("{a:boool}")
            .unwrap_err()
            .hint
            .starts_with("did you mean `bool`?")
    );
    assert!(
        parse("'{ a }'")
            .unwrap_err()
            .hint
            .starts_with("write {a} without the spaces")
    );
}

proptest! {
    #[test]
    fn arbitrary_braces_never_panic(text in "[{}a-c_!?:=\\[\\]().+*/%0-9 -]{0,40}") {
        let word = CommandWord::whole(&text);
        if let Err(problem) = TemplateText::parse(&word, &text, None) {
            prop_assert_eq!(text.as_bytes()[problem.at], b'{');
        }
    }

    #[test]
    fn any_default_text_is_kept(default in "[^{}\\\\]{0,30}") {
        let text = format!("{{name={default}}}");
        let parsed = TemplateText::parse(&CommandWord::whole(&text), &text, None).unwrap();
        let expected = PlaceholderForm::Value { name: "name".into(), declared: None, default: Some(default), difference: None };
        prop_assert_eq!(&parsed.single().unwrap().form, &expected);
    }
}
