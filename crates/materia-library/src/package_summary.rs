//! `package-summary`: name, version and similar fields of a package's manifest.
//!
//! Owns the list of manifests and of fields. Reads a TOML manifest line by line: these fields are
//! plain `key = "value"` pairs of its package table.

use std::path::Path;

use materia_engine::utility::step::{StepContext, StepOptions};
use materia_engine::utility::{UtilityError, UtilityReport};
use materia_model::text;
use serde_json::{Map, Value, json};

use crate::files;

const MANIFESTS: [&str; 3] = ["package.json", "Cargo.toml", "pyproject.toml"];
const FIELDS: [&str; 8] = [
    "name",
    "version",
    "description",
    "license",
    "private",
    "type",
    "edition",
    "requires-python",
];

pub(crate) fn run(
    context: &mut StepContext<'_>,
    options: &StepOptions,
) -> Result<UtilityReport, UtilityError> {
    let scope = options
        .path("scope", context)
        .unwrap_or_else(|| context.cwd.to_owned());
    let named = options.text("file").map(|file| scope.join(file));
    let file = named.or_else(|| {
        MANIFESTS
            .iter()
            .map(|name| scope.join(name))
            .find(|path| path.is_file())
    });
    let file = file.ok_or_else(|| {
        let message = format!(
            "there is no package in {}",
            text::quoted(&scope.to_string_lossy())
        );
        UtilityError::failed(
            message,
            format!(
                "name one with file=…, such as {}",
                text::list(&MANIFESTS, "or")
            ),
        )
    })?;
    let manifest = files::text(&file)?;
    let summary = if file.extension().is_some_and(|ending| ending == "toml") {
        toml(&manifest)
    } else {
        json_manifest(&manifest, &file)?
    };
    let mut document = Map::from_iter([(
        "file".to_owned(),
        file.to_string_lossy().into_owned().into(),
    )]);
    document.extend(summary);
    Ok(Value::Object(document).into())
}

fn json_manifest(manifest: &str, file: &Path) -> Result<Map<String, Value>, UtilityError> {
    let Ok(Value::Object(manifest)) = serde_json::from_str(manifest) else {
        let message = format!(
            "{} is no JSON object",
            text::quoted(&file.to_string_lossy())
        );
        return Err(UtilityError::failed(message, "see what is wrong with it"));
    };
    let mut summary: Map<String, Value> = FIELDS
        .iter()
        .filter_map(|field| Some(((*field).to_owned(), manifest.get(*field)?.clone())))
        .collect();
    for field in [
        "scripts",
        "bin",
        "dependencies",
        "devDependencies",
        "peerDependencies",
    ] {
        if let Some(Value::Object(members)) = manifest.get(field) {
            summary.insert(field.to_owned(), json!(members.keys().collect::<Vec<_>>()));
        }
    }
    Ok(summary)
}

fn toml(manifest: &str) -> Map<String, Value> {
    let mut summary = Map::new();
    let mut table = "";
    for line in manifest.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            table = name.split(']').next().unwrap_or_default().trim();
        } else if let Some((key, value)) = line.split_once('=').filter(|_| is_package(table)) {
            let value = value.trim();
            let text = value
                .strip_prefix('"')
                .and_then(|rest| rest.split('"').next());
            if let Some(text) = text.filter(|_| FIELDS.contains(&key.trim())) {
                summary.entry(key.trim()).or_insert_with(|| text.into());
            }
        }
    }
    summary
}

fn is_package(table: &str) -> bool {
    matches!(
        table,
        "package" | "workspace.package" | "project" | "tool.poetry"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toml_manifest_gives_its_package_table() {
        let manifest = "[dependencies]\nname = \"no\"\n[package]\nname = \"it\" # yes\nversion.workspace = true\n\
            edition = \"2024\"\n[package.metadata]\nlicense = \"no\"\n[workspace.package]\nversion = \"0.1.0\"\n";
        assert_eq!(
            Value::Object(toml(manifest)),
            json!({"name": "it", "edition": "2024", "version": "0.1.0"})
        );
    }
}
