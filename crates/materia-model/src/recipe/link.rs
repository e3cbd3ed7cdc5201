//! Linking: a recipe and everything it imports become one template (R2, R3).
//!
//! Owns the walk over imports, which loads each once, and its limits: cycles, depth, number. The
//! loader resolves references. Never opens a file.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::document;
use super::import::{self, ImportBinding};
use super::metadata::{self, RECIPE, RecipeMetadata};
use crate::document::JsonNode;
use crate::finding::{Finding, Severity, Source};
use crate::template::{self, Template, TemplateImport, TemplateUnit};
use crate::text;

/// The maximum depth of imports.
pub const MAX_IMPORT_DEPTH: usize = 32;
/// The maximum number of documents of one recipe.
const MAX_UNITS: usize = 1000;

/// The text of a recipe that was found.
#[derive(Debug, Clone)]
pub struct LoadedRecipe {
    /// Its unique id: its path, or its position in the library.
    pub id: String,
    pub name: String,
    pub source: Source,
    /// Names that get a value from its location, such as `recipe_dir`.
    pub place: BTreeMap<String, String>,
}

/// Why a reference cannot be resolved.
#[derive(Debug, Clone)]
pub struct RecipeLoadError {
    /// A stable kebab-case name.
    pub code: &'static str,
    pub message: String,
    pub hint: String,
}

/// A recipe with everything it imports.
#[derive(Debug, Clone)]
pub struct RecipeWithImports {
    /// Its metadata.
    pub recipe: RecipeMetadata,
    pub template: Template,
    /// Its documents: itself, then its imports in the order of the walk.
    pub composition: Vec<RecipeDocument>,
    /// Their texts, by id.
    pub texts: BTreeMap<String, Source>,
}

/// One document of a linked recipe.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct RecipeDocument {
    /// How the recipe calls it; none for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// How many imports away it is.
    pub depth: usize,
    /// The aliases that lead to it, from the recipe on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub path: Vec<String>,
    /// Its name.
    pub name: String,
    /// Its path, or its place in the library.
    pub file: String,
}

/// Links a recipe. `load` resolves the references of a recipe.
pub fn link(
    entry: LoadedRecipe,
    load: &mut dyn FnMut(&str, &LoadedRecipe) -> Result<LoadedRecipe, RecipeLoadError>,
) -> Result<RecipeWithImports, Vec<Finding>> {
    let mut linker = Linker {
        load,
        units: BTreeMap::new(),
        stack: Vec::new(),
        aliases: Vec::new(),
        composition: Vec::new(),
        findings: Vec::new(),
    };
    let unit = linker.unit(entry, None);
    let Linker {
        composition,
        mut findings,
        units,
        ..
    } = linker;
    let Some(unit) = unit.filter(|_| !has_errors(&findings)) else {
        return Err(findings);
    };
    let (mut recipe, said) = metadata::read(&unit.source, &unit.root);
    findings.extend(said);
    import::fill(&unit, &mut recipe);
    // A name that is secret in one part is secret in the whole.
    for part in units
        .values()
        .filter(|part| part.root.get("secrets").is_some())
    {
        let theirs = metadata::read(&part.source, &part.root).0.secrets;
        recipe.secrets.extend(theirs);
    }
    recipe.secrets.sort();
    recipe.secrets.dedup();
    let recipe_fields: Vec<&str> = RECIPE.names().collect();
    let template = match template::read_unit(&unit, &recipe_fields) {
        Ok(template) if !has_errors(&findings) => template,
        Ok(_) => return Err(findings),
        Err(more) => return Err(findings.into_iter().chain(more).collect()),
    };
    let template = template.noting(findings);
    let texts = units
        .into_iter()
        .map(|(id, unit)| (id, unit.source.clone()))
        .collect();
    Ok(RecipeWithImports {
        recipe,
        template,
        composition,
        texts,
    })
}

fn has_errors(findings: &[Finding]) -> bool {
    findings
        .iter()
        .any(|finding| finding.severity == Severity::Error)
}

struct Linker<'l> {
    load: &'l mut dyn FnMut(&str, &LoadedRecipe) -> Result<LoadedRecipe, RecipeLoadError>,
    units: BTreeMap<String, Arc<TemplateUnit>>,
    /// Ids and names on the current path.
    stack: Vec<(String, String)>,
    /// Aliases on the current path.
    aliases: Vec<String>,
    composition: Vec<RecipeDocument>,
    findings: Vec<Finding>,
}

impl Linker<'_> {
    /// Links a document after its imports.
    fn unit(&mut self, loaded: LoadedRecipe, alias: Option<&str>) -> Option<Arc<TemplateUnit>> {
        let above = self.aliases.iter().cloned();
        self.composition.push(RecipeDocument {
            alias: alias.map(str::to_owned),
            depth: self.stack.len(),
            path: above.chain(alias.map(str::to_owned)).collect(),
            name: loaded.name.clone(),
            file: loaded.id.clone(),
        });
        if let Some(known) = self.units.get(&loaded.id) {
            return Some(Arc::clone(known));
        }
        let root = document::parse(&loaded.source)
            .map_err(|found| self.findings.extend(found))
            .ok()?;
        self.stack.push((loaded.id.clone(), loaded.name.clone()));
        self.aliases.extend(alias.map(str::to_owned));
        let bindings = import::read(&loaded.source, &root, &mut self.findings);
        let mut imports = BTreeMap::new();
        for binding in bindings {
            if let Some(import) = self.import(&binding, &loaded) {
                imports.insert(binding.alias, import);
            }
        }
        self.stack.pop();
        if alias.is_some() {
            self.aliases.pop();
        }
        let id = loaded.id.clone();
        let mut unit = TemplateUnit {
            id,
            source: loaded.source,
            root,
            imports,
            place: loaded.place,
        };
        if !unit.imports.is_empty() {
            unit.root = import::exact(&unit, &unit.root, &mut self.findings);
        }
        let unit = Arc::new(unit);
        self.units.insert(loaded.id, Arc::clone(&unit));
        Some(unit)
    }

    fn import(
        &mut self,
        binding: &ImportBinding<'_>,
        importer: &LoadedRecipe,
    ) -> Option<TemplateImport> {
        let loaded = (self.load)(binding.from, importer)
            .map_err(|error| self.wrong(binding, importer, error.code, error.message, &error.hint))
            .ok()?;
        if self.stack.iter().any(|(id, _)| *id == loaded.id) {
            let message = format!("the import goes in a circle: {}", self.way(&loaded.name));
            self.wrong(
                binding,
                importer,
                "cyclic-import",
                message,
                "a recipe cannot be a part of itself",
            );
            return None;
        }
        if self.stack.len() >= MAX_IMPORT_DEPTH || self.composition.len() >= MAX_UNITS {
            let message = format!(
                "imports nest deeper than {MAX_IMPORT_DEPTH}, or there are more than {MAX_UNITS}: {}",
                text::bounded(&self.way(&loaded.name), 300)
            );
            self.wrong(binding, importer, "too-deep", message, "import less deeply");
            return None;
        }
        let (name, file) = (loaded.name.clone(), loaded.id.clone());
        let unit = self.unit(loaded, Some(&binding.alias))?;
        let facts = json!({
            "name": name,
            "file": file,
            "defaults": merged(unit.root.get("defaults"), binding.defaults),
            "values": merged(unit.root.get("values"), binding.values),
        });
        Some(TemplateImport {
            unit,
            defaults: binding.defaults.cloned(),
            values: binding.values.cloned(),
            facts,
        })
    }

    fn way(&self, last: &str) -> String {
        let names = self
            .stack
            .iter()
            .map(|(_, name)| name.as_str())
            .chain([last]);
        names.collect::<Vec<_>>().join(" → ")
    }

    fn wrong(
        &mut self,
        binding: &ImportBinding<'_>,
        importer: &LoadedRecipe,
        code: &'static str,
        message: String,
        hint: &str,
    ) {
        let finding = Finding::error(code, message)
            .at(&importer.source, &binding.node.span)
            .hint(hint);
        let path = crate::document::path_member("imports", &binding.alias);
        if self.findings.len() < 100 {
            self.findings.push(finding.path(path));
        }
    }
}

fn merged(own: Option<&JsonNode>, bound: Option<&JsonNode>) -> Map<String, Value> {
    let members = |node: Option<&JsonNode>| match node.map(JsonNode::to_value) {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    };
    let mut merged = members(own);
    merged.extend(members(bound));
    merged
}
