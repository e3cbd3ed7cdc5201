//! Import nodes: `{"name": "alias"}` instead of a node, also in `recover` (R3).
//!
//! Owns how an imported document becomes a node of the importing one: it keeps its own types and
//! defaults, the importer's bindings override them (T18), and controls of the import node replace
//! those of the imported root. Never loads anything: the caller passes linked imports.

use super::super::node::{DocumentScope, NodeBody, TemplateNode, ValueSetting, ValueSettings};
use super::super::origin::TextOrigin;
use super::super::unit::TemplateImport;
use super::field::NodeField;
use super::{MAX_NODES, TemplateReader};
use crate::document::{self, path_member};
use crate::template::node::SettingContent;
use crate::text;

/// The maximum nesting depth of nodes over all documents of a template.
const MAX_DEPTH: usize = 200;

impl<'a> TemplateReader<'a> {
    /// The node that an import node stands for. Reports what is wrong with it.
    pub(super) fn import(
        &mut self,
        node: &document::JsonNode,
        path: &str,
        read: &mut TemplateNode,
    ) -> Option<NodeBody> {
        let Some(alias) = node.get("name").and_then(document::JsonNode::as_str) else {
            let hint = "add \"template\": a command, a list or an object";
            self.error(
                node,
                path,
                "missing-template",
                "the node has no `template`",
                hint,
            );
            return None;
        };
        let Some(import) = self.unit.and_then(|unit| unit.imports.get(alias)) else {
            self.unknown_import(node, path, alias);
            return None;
        };
        let mut inner = self.imported(node, path, import)?;
        self.bind(import, alias, read, &mut inner);
        hand_over(node, read, &mut inner);
        if read.stage.is_none() && read.label.is_none() {
            read.stage = super::super::syntax::is_name(alias).then(|| alias.to_owned());
        }
        Some(NodeBody::Nested(inner))
    }

    fn unknown_import(&mut self, node: &document::JsonNode, path: &str, alias: &str) {
        let known = self
            .unit
            .into_iter()
            .flat_map(|unit| unit.imports.keys().map(String::as_str));
        let known: Vec<&str> = known.collect();
        let (message, hint) = match (
            self.unit.is_some(),
            text::closest(alias, known.iter().copied()),
        ) {
            (false, _) => (
                format!(
                    "{} names a recipe, and nothing is imported here",
                    text::quoted(alias)
                ),
                "write its `template` here; imports belong to recipe files".to_owned(),
            ),
            (true, Some(near)) => (
                format!("{} is not imported", text::quoted(alias)),
                format!("did you mean `{near}`?"),
            ),
            (true, None) => (
                format!("{} is not imported", text::quoted(alias)),
                format!(
                    "add \"imports\": {{{}: \"recipe\"}}",
                    serde_json::Value::from(text::bounded(alias, 60).as_ref())
                ),
            ),
        };
        self.error(node, path, "unknown-import", message, hint);
    }

    /// Reads the root of an imported document with its own types.
    fn imported(
        &mut self,
        node: &document::JsonNode,
        path: &str,
        import: &'a TemplateImport,
    ) -> Option<Box<TemplateNode>> {
        if self.depth > MAX_DEPTH {
            let message = format!("nodes nest deeper than {MAX_DEPTH} over all imports");
            self.error(node, path, "too-deep", message, "import less deeply");
            return None;
        }
        if self.nodes > MAX_NODES {
            return None;
        }
        let mut inner = TemplateReader::of_unit(&import.unit, self.root_fields);
        (inner.nodes, inner.depth) = (self.nodes, self.depth);
        let root = inner.template(&import.unit.root, "");
        let mut root = root.filter(|_| inner.errors == 0);
        if let Some(root) = &mut root {
            inner.fit_settings(root);
        }
        self.nodes = inner.nodes;
        self.uses_stages |= inner.uses_stages;
        let failed = inner.errors > 0;
        let part = Some(import.unit.id.as_str().into());
        let realm = DocumentScope {
            types: std::mem::take(&mut inner.types),
            place: inner.place(),
            part,
        };
        for finding in inner.findings {
            if !self.findings.contains(&finding) {
                self.push(finding, "");
            }
        }
        let mut root = Box::new(root.filter(|_| !failed)?);
        // The root of a document is not a stage of its importer: the import node is.
        root.stage = None;
        root.realm = Some(Box::new(realm));
        Some(root)
    }

    /// The importer's settings: its declaration first, then the node. Values override defaults.
    fn bind(
        &mut self,
        import: &'a TemplateImport,
        alias: &str,
        read: &mut TemplateNode,
        inner: &mut TemplateNode,
    ) {
        let declaration = path_member("imports", alias);
        let of = |reader: &mut Self, node: &Option<document::JsonNode>, name: &str| {
            node.as_ref().map_or_else(ValueSettings::new, |value| {
                let path = &path_member(&declaration, name);
                reader.settings(NodeField {
                    name,
                    value,
                    path,
                    on_root: false,
                })
            })
        };
        let mut given = of(self, &import.defaults, "defaults");
        let declared = of(self, &import.values, "values");
        let own = std::mem::take(&mut read.defaults);
        for (name, setting) in declared {
            if !own.contains_key(&name) {
                read.values.entry(name).or_insert(setting);
            }
        }
        given.extend(own);
        let types = inner
            .realm
            .as_ref()
            .map(|realm| realm.types.clone())
            .unwrap_or_default();
        for (name, setting) in given.iter_mut().chain(&mut read.values) {
            self.fit_setting_to(name, setting, types.get(name).map(|declared| &declared.ty));
        }
        inner.given = given;
    }

    /// The values from the document's location, as settings with the lowest precedence.
    pub(super) fn place(&self) -> ValueSettings {
        let Some(unit) = self.unit else {
            return ValueSettings::new();
        };
        let origin = TextOrigin::json(&unit.source, &unit.root.span, "");
        let setting = |text: &String| ValueSetting {
            content: SettingContent::Plain(text.as_str().into()),
            origin: origin.clone(),
        };
        unit.place
            .iter()
            .map(|(name, text)| (name.clone(), setting(text)))
            .collect()
    }

    /// Moves a flag on the root of a document to the list that the root holds, also one node
    /// further in.
    pub(super) fn hoist(&mut self, root: &document::JsonNode, read: &mut TemplateNode) {
        let inner = root
            .get("template")
            .is_some_and(|template| template.get("parallel").is_none());
        let alone = inner && read.repeat.is_none() && read.parallel;
        if self.unit.is_none() || !alone {
            return;
        }
        if let NodeBody::Nested(inner) = &mut read.body {
            let mut node = inner;
            while let NodeBody::Nested(deeper) = &mut node.body {
                node = deeper;
            }
            node.parallel = true;
            if node.concurrency.is_none() {
                node.concurrency = read.concurrency.take();
            }
            if node.min_successful.is_none() {
                node.min_successful = read.min_successful.take();
            }
            read.parallel = false;
        }
    }
}

/// Replaces controls of the imported root by those of the import node. Fields that make copies stay
/// on the import node.
fn hand_over(node: &document::JsonNode, read: &mut TemplateNode, inner: &mut TemplateNode) {
    if read.args.is_some() {
        inner.args = read.args.take();
    }
    if read.repeat.is_none() {
        if node.get("parallel").is_some() {
            inner.parallel = std::mem::take(&mut read.parallel);
        }
        inner.concurrency = read.concurrency.take().or(inner.concurrency.take());
        inner.min_successful = read.min_successful.take().or(inner.min_successful.take());
    }
    if read.retry.is_none() && inner.retry.is_some() && read.recover.is_some() {
        inner.recover = read.recover.take();
    }
    macro_rules! replaced {
        ($($field:ident),*) => { $(if read.$field.is_some() { inner.$field = None; })* };
    }
    replaced!(
        label, when, timeout, delay, retry, recover, failure, output, input
    );
}
