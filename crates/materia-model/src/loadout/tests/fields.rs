//! The readers of configs accept exactly the fields that the schema offers.

use super::*;
use crate::document::{path_index, path_member};
use crate::loadout::schema;

/// Every name that is a field somewhere, and one that is none.
fn names(schema: &Value) -> Vec<String> {
    fn collect(schema: &Value, names: &mut Vec<String>) {
        if let Some(fields) = schema.get("properties").and_then(Value::as_object) {
            names.extend(fields.keys().cloned());
        }
        match schema {
            Value::Object(members) => members.values().for_each(|value| collect(value, names)),
            Value::Array(items) => items.iter().for_each(|value| collect(value, names)),
            _ => {}
        }
    }
    let mut names = vec!["zzz".to_owned()];
    collect(schema, &mut names);
    names.sort_unstable();
    names.dedup();
    names
}

/// Whether the object at `place`, a path of member names, may have a field `name` besides `others`.
fn accepts(place: &[&str], others: &Value, name: &str) -> bool {
    let mut object = others.clone();
    object[name] = "x".into();
    let nest = |inner: Value, step: &&str| match *step {
        "0" => json!([inner]),
        step => json!({ step: inner }),
    };
    let config = place.iter().rev().fold(object, nest);
    let path = place.iter().copied().chain([name]);
    let path = path.fold(String::new(), |path, step| match step {
        "0" => path_index(&path, 0),
        step => path_member(&path, step),
    });
    let foreign = ["unknown-field", "obsolete-field", "misplaced-field"];
    let findings = Config::load(&[layer(ConfigScope::Flag, &config)]).check();
    !findings
        .iter()
        .any(|finding| finding.path.as_deref() == Some(&path) && foreign.contains(&finding.code))
}

#[test]
fn the_readers_accept_what_the_schema_offers_and_nothing_else() {
    let schema = schema();
    let names = names(&schema);
    let socket = ["loadouts", "L", "sockets", "s"];
    let region = ["loadouts", "L", "loops", "l"];
    let tables: [(&str, &[&str]); 16] = [
        ("", &[]),
        ("/properties/budget", &["budget"]),
        ("/properties/limits", &["limits"]),
        ("/properties/compaction", &["compaction"]),
        ("/properties/agents/additionalProperties", &["agents", "a"]),
        ("/$defs/loadout", &["loadouts", "L"]),
        ("/$defs/socket", &socket),
        (
            "/$defs/socket/properties/limits",
            &[&socket[..], &["limits"]].concat(),
        ),
        ("/$defs/edge", &[&socket[..], &["edges", "0"]].concat()),
        ("/$defs/foreach", &[&socket[..], &["foreach"]].concat()),
        ("/$defs/foreach", &[&region[..], &["iterator"]].concat()),
        ("/$defs/advance", &[&socket[..], &["advance"]].concat()),
        ("/$defs/loop", &region),
        (
            "/$defs/loop/properties/consumes",
            &[&region[..], &["consumes"]].concat(),
        ),
        (
            "/$defs/loop/properties/exit",
            &[&region[..], &["exit"]].concat(),
        ),
        (
            "/$defs/loop/properties/exits/items",
            &[&region[..], &["exits", "0"]].concat(),
        ),
    ];
    for (pointer, place) in tables {
        let offered = &schema.pointer(pointer).unwrap()["properties"];
        for name in &names {
            let known = offered.get(name).is_some();
            let accepted = accepts(place, &json!({}), name);
            assert_eq!(accepted, known, "`{name}` of {place:?}");
        }
    }
    let offered = &schema["$defs"]["materia"]["properties"];
    for name in &names {
        let kinds = ["agent", "utility"].map(|kind| json!({ "type": kind }));
        let accepted = kinds
            .iter()
            .any(|kind| accepts(&["materia", "M"], kind, name));
        assert_eq!(
            accepted,
            offered.get(name).is_some(),
            "`{name}` of a materia"
        );
    }
}
