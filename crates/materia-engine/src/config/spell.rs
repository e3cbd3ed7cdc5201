//! Formats a definition for a config file, with short values on one line.
//!
//! Owns the layout of definitions that an editor saves, so that changing one edge changes one line.
//! Never reads files.

use serde_json::Value;

/// Maximum width of a line, in columns.
const WIDTH: usize = 110;

/// Maximum nesting of a value on one line: a socket with its edges.
const FLAT: usize = 3;

/// A value as text whose lines after the first are indented by `indent` columns.
pub(super) fn spelled(value: &Value, indent: usize) -> String {
    let mut text = String::new();
    write(&mut text, value, indent, indent);
    text
}

/// `used` is the number of columns already taken on the line.
fn write(text: &mut String, value: &Value, indent: usize, used: usize) {
    let flat = inline(value);
    if flat.chars().count() + used <= WIDTH && depth(value) <= FLAT {
        text.push_str(&flat);
        return;
    }
    let (open, close, parts): (char, char, Vec<(String, &Value)>) = match value {
        Value::Object(members) => {
            let named = members
                .iter()
                .map(|(name, value)| (format!("{}: ", quoted(name)), value));
            ('{', '}', named.collect())
        }
        Value::Array(items) => (
            '[',
            ']',
            items.iter().map(|item| (String::new(), item)).collect(),
        ),
        _ => return text.push_str(&flat),
    };
    let inner = indent + 2;
    text.push(open);
    for (number, (name, value)) in parts.iter().enumerate() {
        text.push_str(if number > 0 { ",\n" } else { "\n" });
        text.push_str(&" ".repeat(inner));
        text.push_str(name);
        write(text, value, inner, inner + name.chars().count());
    }
    text.push('\n');
    text.push_str(&" ".repeat(indent));
    text.push(close);
}

/// The nesting depth of a value.
fn depth(value: &Value) -> usize {
    match value {
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn inline(value: &Value) -> String {
    match value {
        Value::Object(members) if members.is_empty() => "{}".to_owned(),
        Value::Object(members) => {
            let parts: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{}: {}", quoted(name), inline(value)))
                .collect();
            format!("{{ {} }}", parts.join(", "))
        }
        Value::Array(items) => format!(
            "[{}]",
            items.iter().map(inline).collect::<Vec<_>>().join(", ")
        ),
        other => other.to_string(),
    }
}

pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn short_things_stay_on_one_line_and_every_value_survives() {
        let socket = json!({"materia": "Build", "edges": [{"when": "always", "to": "Socket-5"}]});
        let loadout = json!({"entry": "Socket-4", "sockets": {"Socket-4": socket}, "x": [1, "a\"b", null, {}]});
        let text = spelled(&loadout, 4);
        assert!(text.contains(
            "\n        \"Socket-4\": { \"materia\": \"Build\", \"edges\": [{ \"when\": \"always\", \"to\": \"Socket-5\" }] }"
        ), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), loadout);
    }
}
