//! `grid`: a loadout as a picture or a document.
//!
//! Owns the report and its formats. `materia_model::picture` draws the pictures.

use std::collections::BTreeMap;

use materia_model::finding::Finding;
use materia_model::loadout::{Config, Graph};
use materia_model::picture;
use serde_json::{Value, json};

use crate::editor::loadout::{LoadoutError, compiled};

/// The output format of a loadout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GridFormat {
    /// Drawn in text.
    Text,
    /// A Mermaid flowchart.
    Mermaid,
    /// The DOT language.
    Dot,
    /// An SVG picture.
    Svg,
    /// One JSON document.
    Json,
}

/// A loadout to show.
#[derive(Debug)]
pub struct GridReport {
    graph: Graph,
    /// Warnings about it.
    pub warnings: Vec<Finding>,
}

impl GridReport {
    /// The picture, ending in a newline.
    pub fn text(&self, format: GridFormat) -> String {
        match format {
            GridFormat::Text => picture::text(&self.graph),
            GridFormat::Mermaid => picture::mermaid(&self.graph),
            GridFormat::Dot => picture::dot(&self.graph),
            GridFormat::Svg => picture::svg(&self.graph, &BTreeMap::new()),
            GridFormat::Json => format!("{}\n", self.document()),
        }
    }

    /// The picture in text, fitted to this many columns if possible.
    pub fn drawn_within(&self, columns: usize) -> String {
        picture::text_within(&self.graph, columns)
    }

    /// The graph as a JSON document.
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
pub fn grid(config: &Config<'_>, named: Option<&str>) -> Result<GridReport, LoadoutError> {
    let (graph, warnings) = compiled(config, named)?;
    Ok(GridReport { graph, warnings })
}
