//! Derived arguments, the schema, call shapes and words.

use serde_json::json;

use super::*;
use crate::finding::Source;
use crate::template::parse;

fn args(text: &str) -> Value {
    serde_json::to_value(parse(&Source::new("t", text)).unwrap().args()).unwrap()
}

/// `name:type`, `!` if it is required, `=default` if it has one.
fn spelled(text: &str) -> String {
    let spell = |arg: &TemplateArg| {
        let required = if arg.required { "!" } else { "" };
        let default = arg
            .default
            .as_ref()
            .map_or(String::new(), |default| format!("={default}"));
        format!("{}:{}{required}{default}", arg.name, arg.ty)
    };
    parse(&Source::new("t", text))
        .unwrap()
        .args()
        .iter()
        .map(spell)
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn arguments_come_from_declarations_and_uses() {
    for (text, expected) in [
        (
            "t {a} {b=1} {c:int} {d:int=5} {e??x} {f?y:n} {g[0]} {h+1} {index} {_(index+1)} {i:enum(a,b)=a}",
            "a:string! b:string=\"1\" c:int! d:int=5 e:string f:bool g:array! h:int! i:enum(a,b)=\"a\"",
        ),
        (
            "{\"when\": \"flag\", \"timeout\": \"{tm}\", \"template\": \"t\"}",
            "flag:bool tm:int!",
        ),
        (
            "{\"repeat\": \"{xs.length}\", \"template\": \"t {xs[index]} {xs[n]} {index-off} {my-name}\"}",
            "xs:array! n:int! off:int! my-name:string!",
        ),
        (
            "{\"args\": [\"b:int=2\", \"a\"], \"defaults\": {\"a\": [1]}, \"template\": \"t {z}\"}",
            "b:int=2 a:string=[1] z:string!",
        ),
        (
            "{\"defaults\": {\"p\": \"{ps[index]}\"}, \"repeat\": \"{ps.length}\", \"template\": \"t {p}\"}",
            "ps:array! p:string=\"{ps[index]}\"",
        ),
        (
            "[\"t {f?a:b} {f}\", {\"defaults\": {\"f\": \"d\"}, \"template\": \"u {f}\"}]",
            "f:string!=\"d\"",
        ),
        (
            "{\"values\": {\"a\": \"[{b}]\"}, \"template\": \"t {a}\"}",
            "b:string!",
        ),
        (
            "{\"args\": [\"o:path\"], \"output\": \"o\", \"label\": \"{l}\", \"template\": \"t\"}",
            "o:path! l:string!",
        ),
        (
            "{\"retry\": 2, \"recover\": \"r {x}\", \"template\": \"t\"}",
            "x:string!",
        ),
        (
            "{\"args\": [\"unused\", \"spare=1\"], \"template\": \"t\"}",
            "unused:string! spare:string=\"1\"",
        ),
    ] {
        assert_eq!(spelled(text), expected, "{text}");
    }
    assert_eq!(
        args("t {a}"),
        json!([{"name": "a", "type": "string", "required": true, "default": null}])
    );
}

#[test]
fn the_schema_says_the_same_in_json_schema() {
    let template = parse(&Source::new(
        "t",
        "t {a} {n:int=5} {x:number} {p:path} {b:bool} {l:array} {m:enum(u,v)=u}",
    ));
    let schema = schema(template.unwrap().args());
    assert_eq!(schema["required"], json!(["a", "x", "p", "b", "l"]));
    assert_eq!(schema["additionalProperties"], json!(false));
    assert_eq!(
        schema["properties"]["n"],
        json!({"type": "integer", "default": 5})
    );
    assert_eq!(
        schema["properties"]["m"],
        json!({"type": "string", "enum": ["u", "v"], "default": "u"})
    );
    assert_eq!(
        schema["properties"]["l"],
        json!({"type": "array", "items": {}})
    );
}

#[test]
fn t6_undeclared_values_are_warned_about_with_the_likely_name() {
    let template = parse(&Source::new(
        "t",
        "{\"repeat\": 1, \"template\": \"t {target} {n=1}\"}",
    ))
    .unwrap();
    let values = json!({"targte": 1, "index": 2, "n": 3})
        .as_object()
        .unwrap()
        .clone();
    let found: Vec<_> = template
        .interface()
        .undeclared(&values)
        .into_iter()
        .map(|f| (f.code, f.hint.unwrap()))
        .collect();
    assert_eq!(
        found[0],
        ("undeclared-value", "did you mean `target`?".to_owned())
    );
    assert_eq!(found[1].0, "reserved-name");
    assert_eq!(found.len(), 2);
}

#[test]
fn words_are_typed_by_the_template() {
    let template = parse(&Source::new("t", "t {a} {xs[0]}")).unwrap();
    let args = template.args();
    let mut values = Map::new();
    for word in ["a=k=[v]", "xs=[\"p\", 1]", "other=[1]"] {
        add_word(&mut values, word, args).unwrap();
    }
    assert_eq!(
        Value::Object(values.clone()),
        json!({"a": "k=[v]", "xs": ["p", 1], "other": "[1]"})
    );
    for bad in ["a", "=x", "1a=x", "--x=1"] {
        let found = add_word(&mut values, bad, args).unwrap_err();
        assert_eq!(
            found[0].hint.as_deref(),
            Some("expected: a=TEXT xs='[\"…\"]'"),
            "{bad}"
        );
    }
}
