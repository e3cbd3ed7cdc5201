//! The door for browsers: one page, an API of the facade's verbs, and live updates.
//!
//! Owns the server that `materia ui` starts: who may come in (`auth`), what they get (`assets`,
//! `api`, `live`) and how it is spelled (`dto`). The runtime lives on one thread and only while
//! this door is open; what takes time runs on threads beside it. Decides nothing: each route is one
//! call of the facade.

mod assets;
mod auth;
mod dto;
mod reply;
mod state;
mod play;
mod live;
mod api;
mod server;

#[cfg(feature = "test-fakes")]
pub use dto::types as client_types;
pub use server::run;
