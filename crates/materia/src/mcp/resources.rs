//! What can be read by its address: runs, casts, recipes and loadouts.
//!
//! Owns the addresses. What is behind them is a report of the command line, as ever.

use rmcp::model::{Resource, ResourceTemplate};

use super::request::Request;

const SCHEME: &str = "materia://";

/// The lists there are.
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

/// The addresses of single things.
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

/// The request for what is behind an address.
pub(super) fn request(uri: &str) -> Option<Request> {
    let path = uri.strip_prefix(SCHEME)?;
    let (kind, name) = path
        .split_once('/')
        .map_or((path, None), |(kind, name)| (kind, Some(name)));
    let name = name.map(decoded);
    let name = name.as_deref();
    Some(match (kind, name) {
        ("runs", None) => Request::report(["inspect", "--", "coordinator"]),
        ("runs", Some(run)) => Request::report(["inspect", "--", &format!("run:{run}")]),
        ("casts", None) => Request::report(["casts"]),
        ("casts", Some(cast)) => Request::report(["cast-show", "--", cast]),
        ("recipes", None) => Request::report(["recipe", "list"]),
        ("recipes", Some(recipe)) => Request::report(["recipe", "show", "--", recipe]),
        ("loadouts", None) => Request::report(["loadout", "list"]),
        ("loadouts", Some(loadout)) => Request::report(["grid", "--format=json", "--", loadout]),
        _ => return None,
    })
}

/// Names may have spaces, which addresses have not.
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
        let words = |uri| request(uri).map(|request| request.words.join(" "));
        assert_eq!(words("materia://runs/a").unwrap(), "inspect -- run:a");
        assert_eq!(
            words("materia://loadouts/Hello%20World").unwrap(),
            "grid --format=json -- Hello World"
        );
        assert_eq!(
            words("materia://loadouts/100%").unwrap(),
            "grid --format=json -- 100%"
        );
        assert_eq!(words("materia://secrets"), None);
        assert_eq!(words("file:///etc/passwd"), None);
    }
}
