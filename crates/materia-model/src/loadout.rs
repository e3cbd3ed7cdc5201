//! Loadouts: graphs of sockets, from authored documents to a compiled graph.
//!
//! Owns config documents and their layers, sockets, edges, loops, their findings, and the compiled
//! [`Graph`]. Never opens a file: the caller passes the texts, and every finding has a position in
//! them. Never decides what a running cast does next: `cast` walks the graph.
//!
//! ```
//! use materia_model::finding::Source;
//! use materia_model::loadout::{Config, ConfigDocument, ConfigLayer, ConfigScope};
//! use materia_model::picture;
//!
//! let text = r#"{
//!     "activeLoadout": "Hello",
//!     "loadouts": {"Hello": {"sockets": {"hello": {"materia": "Greet"}}}},
//!     "materia": {"Greet": {"command": ["echo", "hi"]}}
//! }"#;
//! let document = ConfigDocument::parse(Source::new("hello.json", text));
//! let layers = [ConfigLayer { scope: ConfigScope::Project, document }];
//! let config = Config::load(&layers);
//! let graph = config.compile(config.active().unwrap()).unwrap().graph.unwrap();
//! assert!(picture::text(&graph).contains("hello · Greet"));
//! ```

pub mod settings;
pub mod graph;
pub mod document;
mod draft;
mod read;
mod edge;
mod socket;
mod loops;
mod contract;
mod neighbours;
mod region;
mod cursor;
mod check;
mod compile;
pub mod layer;
pub mod fanout;
pub mod schema;

pub use document::ConfigDocument;
pub use graph::Graph;
pub use layer::{CompiledLoadout, Config, ConfigLayer, ConfigScope};
pub use schema::schema;
pub use settings::ConfigSettings;

#[cfg(test)]
pub(crate) mod tests;
