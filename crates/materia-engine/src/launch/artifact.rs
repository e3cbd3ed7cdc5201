//! The artifacts that a caller declares for a run: `NAME=PATH`, or `NAME={"path": …, …}`.

use std::collections::BTreeMap;

use materia_model::name::RunId;
use materia_model::run::DeclaredArtifact;
use materia_model::text;
use serde::Deserialize;
use serde_json::Value;

/// A declaration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DeclarationError {
    /// It has no valid name or no path.
    #[error("{} is no artifact", text::quoted(.0))]
    Malformed(String),
    /// Its object does not have the expected shape.
    #[error("{} is no artifact", text::quoted(.0))]
    Object(String),
    /// Two have the same name.
    #[error("the artifact {} is given twice", text::quoted(.0))]
    Twice(String),
}

impl DeclarationError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Malformed(_) => "write NAME=PATH; a name has letters, digits, `_`, `.` and `-`",
            Self::Object(_) => {
                "write {\"path\": \"out.md\", \"kind\": \"report\", \"media_type\": \"text/markdown\", \"required\": true}"
            }
            Self::Twice(_) => "give each artifact a name of its own",
        }
    }
}

/// Reads declarations.
pub fn parse(
    declarations: &[String],
) -> Result<BTreeMap<String, DeclaredArtifact>, DeclarationError> {
    let mut artifacts = BTreeMap::new();
    for declaration in declarations {
        let (name, content) = declaration
            .split_once('=')
            .filter(|(name, content)| name.parse::<RunId>().is_ok() && !content.is_empty())
            .ok_or_else(|| DeclarationError::Malformed(declaration.clone()))?;
        let artifact =
            artifact(content).ok_or_else(|| DeclarationError::Object(declaration.clone()))?;
        if artifacts.insert(name.to_owned(), artifact).is_some() {
            return Err(DeclarationError::Twice(name.to_owned()));
        }
    }
    Ok(artifacts)
}

/// Parses a path, or an object: `{"path": …, "kind"?, "media_type"?, "required"?}`.
fn artifact(content: &str) -> Option<DeclaredArtifact> {
    match serde_json::from_str::<Value>(content) {
        Ok(object @ Value::Object(_)) => DeclaredArtifact::deserialize(object)
            .ok()
            .filter(|artifact| !artifact.path.is_empty()),
        _ => Some(DeclaredArtifact {
            path: content.to_owned(),
            ..DeclaredArtifact::default()
        }),
    }
}
