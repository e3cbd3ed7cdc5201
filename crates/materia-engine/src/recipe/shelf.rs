//! `recipe list`, `recipe show`, `recipe doctor`: which recipes exist, what one consists of, and
//! what needs repair.
//!
//! Owns the reports. Changes nothing and starts nothing.

use std::collections::BTreeMap;
use std::path::Path;

use materia_model::finding::Finding;
use materia_model::recipe::{RecipeDocument, RecipeMetadata};
use materia_model::template::{self, TemplateArg, risk};
use serde::Serialize;
use serde_json::Value;

use super::NotResolved;
use crate::home::Home;
use crate::library::{Library, Located, RecipeSource};
use crate::registry::{
    CapturedRecipe, RecipeState, RegistryEntry, Remedy, RemedyKind, Survey, Usage, drafts,
    remedies, survey, usage,
};

/// The answer to `recipe list`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RecipeListReport {
    /// Always true.
    pub ok: bool,
    /// The person's root.
    pub root: String,
    /// All recipes that count, by kind and name.
    pub recipes: Vec<RegistryEntry>,
    /// What is wrong with the root.
    pub issues: Vec<Finding>,
}

/// Lists the recipes that are not shadowed.
pub fn list(library: &Library) -> RecipeListReport {
    listing(survey(library))
}

/// Lists the recipes of an existing survey that are not shadowed.
pub(crate) fn listing(survey: Survey) -> RecipeListReport {
    let Survey {
        root,
        entries,
        issues,
    } = survey;
    let mut recipes: Vec<RegistryEntry> = entries
        .into_iter()
        .filter(|entry| entry.state != RecipeState::Shadowed)
        .collect();
    recipes.sort_by(|one, other| (&one.kind, &one.id).cmp(&(&other.kind, &other.id)));
    RecipeListReport {
        ok: true,
        root,
        recipes,
        issues,
    }
}

/// All imports.
#[derive(Debug, Serialize)]
pub struct Imports {
    /// Always true.
    pub ok: bool,
    /// Every direct import of a recipe that is not shadowed.
    pub imports: Vec<Imported>,
}

/// One import.
#[derive(Debug, Serialize)]
pub struct Imported {
    /// The importing recipe.
    pub recipe: String,
    /// The alias under which it imports.
    pub alias: String,
    /// The name of the imported recipe.
    pub from: String,
    /// The file of the imported recipe.
    pub file: String,
}

/// Lists all imports.
pub fn imports(library: &Library) -> Imports {
    let entries = survey(library)
        .entries
        .into_iter()
        .filter(|entry| entry.state != RecipeState::Shadowed);
    let imports = entries.flat_map(|RegistryEntry { id, links, .. }| {
        links.into_iter().map(move |link| Imported {
            recipe: id.clone(),
            alias: link.alias.unwrap_or_default(),
            from: link.name,
            file: link.file,
        })
    });
    Imports {
        ok: true,
        imports: imports.collect(),
    }
}

/// The answer to `recipe show`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct RecipeReport {
    /// Always true.
    pub ok: bool,
    /// Its name.
    pub name: String,
    /// Its file, or `packaged:NAME`.
    pub path: String,
    /// Where it was found.
    pub source: RecipeSource,
    /// What it says about itself.
    pub recipe: RecipeMetadata,
    /// Its arguments.
    pub args: Vec<TemplateArg>,
    /// The documents it consists of.
    pub composition: Vec<RecipeDocument>,
    /// What it runs, as a picture in text.
    pub picture: String,
    /// What it touches.
    pub risks: Vec<&'static str>,
    /// How often it was launched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What was noticed.
    pub warnings: Vec<Finding>,
}

/// Shows one recipe: its metadata, arguments, documents and plan. Disabled recipes can be shown,
/// too.
pub fn show(
    library: &Library,
    home: &Home,
    name: &str,
    cwd: &Path,
) -> Result<RecipeReport, NotResolved> {
    let located = library.find(name, cwd).map_err(NotResolved::NotFound)?;
    show_located(library, home, &located)
}

/// Shows a recipe that was found.
pub(super) fn show_located(
    library: &Library,
    home: &Home,
    located: &Located,
) -> Result<RecipeReport, NotResolved> {
    let linked = library.link(located).map_err(NotResolved::Invalid)?;
    let path = located.file.as_ref().map_or_else(
        || located.id().to_owned(),
        |file| file.to_string_lossy().into_owned(),
    );
    Ok(RecipeReport {
        ok: true,
        usage: usage(home)
            .remove(&located.name)
            .filter(|_| located.found == RecipeSource::User),
        name: located.name.clone(),
        path,
        source: located.found,
        args: linked.template.args().to_vec(),
        picture: linked.template.picture(),
        risks: risk::labels(&linked.template)
            .into_iter()
            .map(risk::RiskLabel::as_str)
            .collect(),
        warnings: linked.template.warnings().to_vec(),
        composition: linked.composition,
        recipe: linked.recipe,
    })
}

/// The JSON Schema of a recipe's arguments. A disabled recipe has one, too.
pub fn schema(library: &Library, name: &str, cwd: &Path) -> Result<Value, NotResolved> {
    let located = library.find(name, cwd).map_err(NotResolved::NotFound)?;
    let linked = library.link(&located).map_err(NotResolved::Invalid)?;
    Ok(template::schema(linked.template.args()))
}

/// The answer to `recipe doctor`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RecipeDoctorReport {
    /// Whether nothing is broken.
    pub ok: bool,
    /// The person's root.
    pub root: String,
    /// How many there are of each state.
    pub counts: BTreeMap<&'static str, usize>,
    /// What is used.
    pub active: Vec<RecipeBrief>,
    /// What is hidden.
    pub shadowed: Vec<RecipeBrief>,
    /// What is broken.
    pub invalid: Vec<RecipeBrief>,
    /// What is not to be used.
    pub disabled: Vec<RecipeBrief>,
    /// What keeps one that works from being used.
    pub blocking: Vec<String>,
    /// Which recipes touch what.
    pub risks: BTreeMap<&'static str, Vec<String>>,
    /// The first thing to do.
    #[serde(rename = "topAction")]
    pub top_action: Option<String>,
    /// Everything to do, the most pressing first.
    pub remediations: Vec<Remedy>,
    /// What is wrong with the root.
    pub issues: Vec<Finding>,
    /// The digest of every recipe.
    #[serde(rename = "integrityManifest")]
    pub manifest: Vec<IntegrityEntry>,
    /// Captured recipes that are no tools.
    pub drafts: Vec<CapturedRecipe>,
}

/// A recipe in few words.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct RecipeBrief {
    /// Its name.
    pub id: String,
    /// Where it lies.
    pub path: String,
    /// Whether it can be called as a tool.
    pub tool: bool,
    /// How often it was launched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
}

/// A line of the integrity manifest.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct IntegrityEntry {
    id: String,
    path: String,
    sha256: String,
    size: usize,
    state: RecipeState,
    tool: bool,
}

/// Examines all recipes and recommends actions.
pub fn doctor(library: &Library, home: &Home) -> RecipeDoctorReport {
    diagnose(&survey(library), library, home)
}

/// Examines the recipes of an existing survey.
pub(super) fn diagnose(survey: &Survey, library: &Library, home: &Home) -> RecipeDoctorReport {
    let usage = usage(home);
    let of = |state: RecipeState| -> Vec<RecipeBrief> {
        let entries = survey.entries.iter().filter(|entry| entry.state == state);
        entries.map(|entry| brief(entry, &usage)).collect()
    };
    let remediations = remedies(survey);
    let blocks = |remedy: &&Remedy| {
        matches!(
            remedy.kind,
            RemedyKind::BlockingInvalid | RemedyKind::BlockingDisabled
        )
    };
    let blocking: Vec<String> = remediations
        .iter()
        .filter(blocks)
        .map(|remedy| remedy.id.clone())
        .collect();
    let (active, shadowed) = (of(RecipeState::Active), of(RecipeState::Shadowed));
    let (invalid, disabled) = (of(RecipeState::Invalid), of(RecipeState::Disabled));
    let risky = remediations
        .iter()
        .filter(|remedy| remedy.kind == RemedyKind::RiskyShellBoundary)
        .count();
    let counts = BTreeMap::from([
        ("active", active.len()),
        ("shadowed", shadowed.len()),
        ("invalid", invalid.len()),
        ("disabled", disabled.len()),
        ("blocking", blocking.len()),
        ("risky", risky),
        (
            "tools",
            survey.entries.iter().filter(|entry| entry.tool).count(),
        ),
    ]);
    RecipeDoctorReport {
        ok: invalid.is_empty(),
        counts,
        active,
        shadowed,
        invalid,
        disabled,
        blocking,
        risks: risks(survey),
        top_action: remediations.first().map(|remedy| remedy.action.clone()),
        remediations,
        manifest: survey.entries.iter().map(fixed).collect(),
        drafts: drafts(library),
        root: survey.root.clone(),
        issues: survey.issues.clone(),
    }
}

fn brief(entry: &RegistryEntry, usage: &BTreeMap<String, Usage>) -> RecipeBrief {
    let calls = usage
        .get(&entry.id)
        .filter(|_| entry.source == RecipeSource::User)
        .map(|usage| usage.calls);
    RecipeBrief {
        id: entry.id.clone(),
        path: entry.path.clone(),
        tool: entry.tool,
        calls,
    }
}

fn risks(survey: &Survey) -> BTreeMap<&'static str, Vec<String>> {
    let mut risks: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for entry in survey
        .entries
        .iter()
        .filter(|entry| entry.state == RecipeState::Active)
    {
        for risk in &entry.risks {
            risks.entry(risk).or_default().push(entry.id.clone());
        }
    }
    risks
}

fn fixed(entry: &RegistryEntry) -> IntegrityEntry {
    IntegrityEntry {
        id: entry.id.clone(),
        path: entry.path.clone(),
        sha256: entry.sha256.clone(),
        size: entry.size,
        state: entry.state,
        tool: entry.tool,
    }
}
