//! The input of a utility as an artifact.
//!
//! Owns how an input that grew with the state is stored. A utility reads the whole input every
//! time. The artifact of a visit refers to large parts of the state, which are stored once and
//! again only when they changed. So each step writes the same few bytes, however long the list is
//! that the cast works on.

use std::borrow::Cow;
use std::collections::BTreeMap;

use materia_model::utility::UtilityInput;
use serde_json::{Map, Value, json};

use super::error::Error;
use super::folder::Folder;

/// Maximum size of an input that is stored as it is, in bytes.
const PLAIN: usize = 16 << 10;
/// Maximum size of a part of the state that every input repeats, in bytes.
const SMALL: usize = 2 << 10;

/// The large parts of the state that are stored, by name, with their artifacts.
#[derive(Debug, Default)]
pub(super) struct Inputs(BTreeMap<String, (Value, String)>);

impl Inputs {
    /// The stored form of the input that serializes to this line.
    pub(super) fn kept<'a>(
        &mut self,
        input: &UtilityInput<'_>,
        line: &'a str,
        folder: &Folder,
    ) -> Result<Cow<'a, [u8]>, Error> {
        if line.len() <= PLAIN {
            return Ok(Cow::Borrowed(line.as_bytes()));
        }
        let mut state = Map::new();
        for (name, value) in input.state {
            let shown = match room(value, SMALL) {
                Some(_) => value.clone(),
                None => json!({"$artifact": self.keep(name, value, folder)?}),
            };
            state.insert(name.clone(), shown);
        }
        Ok(Cow::Owned(
            UtilityInput {
                state: &state,
                ..input.clone()
            }
            .line()?
            .into_bytes(),
        ))
    }

    fn keep(&mut self, name: &str, value: &Value, folder: &Folder) -> Result<&str, Error> {
        if self
            .0
            .get(name)
            .is_none_or(|(kept, _)| !is_spelled_alike(kept, value))
        {
            let artifact = folder.keep_value(name, &serde_json::to_vec(value)?)?;
            self.0.insert(name.to_owned(), (value.clone(), artifact));
        }
        Ok(self.0.get(name).map_or("", |(_, artifact)| artifact))
    }
}

/// Whether two values serialize to the same bytes. Unlike equality, this depends on the order of
/// members and so needs no lookups.
fn is_spelled_alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| is_spelled_alike(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let mut pairs = one.iter().zip(other);
            one.len() == other.len()
                && pairs.all(|(one, other)| one.0 == other.0 && is_spelled_alike(one.1, other.1))
        }
        _ => one == other,
    }
}

/// Roughly how many of `bytes` remain after writing a value; `None` if it does not fit.
fn room(value: &Value, bytes: usize) -> Option<usize> {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => bytes.checked_sub(5),
        Value::String(text) => bytes.checked_sub(text.len() + 2),
        Value::Array(items) => items
            .iter()
            .try_fold(bytes, |left, item| room(item, left.checked_sub(1)?)),
        Value::Object(members) => members.iter().try_fold(bytes, |left, (name, member)| {
            room(member, left.checked_sub(name.len() + 4)?)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(state: &Map<String, Value>) -> UtilityInput<'_> {
        UtilityInput {
            cwd: "/p",
            run_dir: "/p/run",
            request: "do",
            cast_id: "c",
            socket_id: "s",
            materia_id: "M",
            materia_label: "M",
            params: state,
            state,
            item: None,
            item_key: None,
            item_label: None,
            cursor: None,
            cursors: BTreeMap::new(),
        }
    }

    #[test]
    fn a_short_input_is_kept_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        let state = Map::from_iter([("a".to_owned(), json!("x".repeat(SMALL)))]);
        let line = input(&state).line().unwrap();
        let kept = Inputs::default()
            .kept(&input(&state), &line, &folder)
            .unwrap();
        assert_eq!(kept, line.as_bytes());
        assert!(!dir.path().join("state").exists());
    }

    #[test]
    fn large_parts_are_kept_once_and_again_when_they_changed() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        let (mut inputs, none) = (Inputs::default(), Map::new());
        let mut list: Vec<Value> = (0..2000).map(|number| json!({"title": number})).collect();
        let mut named = Vec::new();
        for round in 0..4 {
            if round > 1 {
                list[0] = json!(round);
            }
            let state = Map::from_iter([
                ("list".to_owned(), json!(list)),
                ("n".to_owned(), json!(round)),
            ]);
            let whole = UtilityInput {
                params: &none,
                ..input(&state)
            };
            let line = whole.line().unwrap();
            let kept = inputs.kept(&whole, &line, &folder).unwrap();
            let document: Value = serde_json::from_slice(&kept).unwrap();
            assert_eq!(document["state"]["n"], round);
            let artifact = document["state"]["list"]["$artifact"]
                .as_str()
                .unwrap()
                .to_owned();
            let bytes = std::fs::read(dir.path().join(&artifact)).unwrap();
            assert_eq!(
                serde_json::from_slice::<Value>(&bytes).unwrap(),
                json!(list)
            );
            named.push(artifact);
        }
        assert_eq!(
            named,
            [
                "state/list.1.json",
                "state/list.1.json",
                "state/list.2.json",
                "state/list.3.json"
            ]
        );
    }
}
