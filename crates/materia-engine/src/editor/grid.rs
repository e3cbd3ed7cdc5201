//! `grid`: a loadout as a picture or a document.
//!
//! Owns finding the loadout and refusing a broken one. The pictures are drawn by
//! `materia_model::picture`.

use std::collections::BTreeMap;

use materia_model::finding::Finding;
use materia_model::loadout::{Config, Graph};
use materia_model::picture;
use serde_json::{Value, json};

use crate::config::Files;
use crate::editor::loadout::{NotUsable, choose, refuse_broken_files};

/// How a loadout is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Drawn in text.
    Text,
    /// A Mermaid flowchart.
    Mermaid,
    /// The DOT language.
    Dot,
    /// A picture for browsers and documents.
    Svg,
    /// One JSON document.
    Json,
}

/// A loadout that can be shown.
#[derive(Debug)]
pub struct Grid {
    graph: Graph,
    /// What is strange about it.
    pub warnings: Vec<Finding>,
}

impl Grid {
    /// The picture, ending in a newline.
    pub fn text(&self, format: Format) -> String {
        match format {
            Format::Text => picture::text(&self.graph),
            Format::Mermaid => picture::mermaid(&self.graph),
            Format::Dot => picture::dot(&self.graph),
            Format::Svg => picture::svg(&self.graph, &BTreeMap::new()),
            Format::Json => format!("{}\n", self.document()),
        }
    }

    /// The picture in text, in so many columns where that can be done.
    pub fn drawn_within(&self, columns: usize) -> String {
        picture::text_within(&self.graph, columns)
    }

    /// The graph as one document.
    pub fn document(&self) -> Value {
        let mut document = json!({"ok": true});
        if let (Value::Object(all), Value::Object(graph)) =
            (&mut document, picture::json(&self.graph))
        {
            all.extend(graph);
        }
        document
    }
}

/// The loadout of this name or id, or the active one.
pub fn grid(files: &Files, named: Option<&str>) -> Result<Grid, NotUsable> {
    let config = Config::load(files.layers());
    refuse_broken_files(files.layers())?;
    let name = choose(&config, named)?;
    let compiled = config
        .compile(name)
        .ok_or_else(|| NotUsable::Unknown(Box::new(config.unknown(name))))?;
    match compiled.graph {
        Some(graph) => Ok(Grid {
            graph,
            warnings: compiled.findings,
        }),
        None => Err(NotUsable::Broken(compiled.findings)),
    }
}
