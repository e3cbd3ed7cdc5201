//! Resources that can be read by their URI: runs, casts, recipes and loadouts.
//!
//! Owns the URIs. The content is the report of a call.

use rmcp::model::{Resource, ResourceTemplate};

use materia_engine::api::InspectRequest;

use super::call::CallRequest;

const SCHEME: &str = "materia://";

/// The available lists.
const LISTS: [(&str, &str); 4] = [
    ("runs", "The runs of this session"),
    ("casts", "The casts of this project"),
    ("recipes", "Saved command templates"),
    ("loadouts", "Graphs of agent roles and utilities"),
];

/// The lists, as resources.
pub(super) fn lists() -> Vec<Resource> {
    let resource = |(name, description): &(&str, &str)| {
        Resource::new(format!("{SCHEME}{name}"), *name)
            .with_description(*description)
            .with_mime_type("application/json")
    };
    LISTS.iter().map(resource).collect()
}

/// The URI templates of single items.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let one = |(name, _): &(&str, &str)| {
        ResourceTemplate::new(
            format!("{SCHEME}{name}/{{name}}"),
            name.trim_end_matches('s'),
        )
        .with_mime_type("application/json")
    };
    LISTS.iter().map(one).collect()
}

/// The call that reads a resource.
pub(super) fn call(uri: &str) -> Option<CallRequest> {
    let path = uri.strip_prefix(SCHEME)?;
    let (kind, name) = path
        .split_once('/')
        .map_or((path, None), |(kind, name)| (kind, Some(name)));
    let inspect = |target: String| {
        CallRequest::Inspect(InspectRequest {
            target,
            ..InspectRequest::default()
        })
    };
    Some(match (kind, name.map(decoded)) {
        ("runs", None) => inspect("coordinator".to_owned()),
        ("runs", Some(run)) => inspect(format!("run:{run}")),
        ("casts", None) => CallRequest::CastList,
        ("casts", Some(cast)) => CallRequest::CastShow(cast),
        ("recipes", None) => CallRequest::RecipeList,
        ("recipes", Some(recipe)) => CallRequest::RecipeShow(recipe),
        ("loadouts", None) => CallRequest::LoadoutList,
        ("loadouts", Some(loadout)) => CallRequest::Grid(loadout),
        _ => return None,
    })
}

/// Decodes percent escapes: names may contain spaces, URIs may not.
fn decoded(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after
            .get(..2)
            .and_then(|code| std::str::from_utf8(code).ok());
        match code
            .and_then(|code| u8::from_str_radix(code, 16).ok())
            .filter(|_| *first == b'%')
        {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_one_thing_or_all_of_a_kind() {
        let shown = |uri| call(uri).map(|call| format!("{call:?}"));
        assert!(shown("materia://runs/a").unwrap().contains("\"run:a\""));
        assert_eq!(
            shown("materia://loadouts/Hello%20World").unwrap(),
            "Grid(\"Hello World\")"
        );
        assert_eq!(shown("materia://loadouts/100%").unwrap(), "Grid(\"100%\")");
        assert_eq!(shown("materia://loadouts").unwrap(), "LoadoutList");
        assert_eq!(shown("materia://secrets"), None);
        assert_eq!(shown("file:///etc/passwd"), None);
    }
}
