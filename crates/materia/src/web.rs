//! The front end for browsers: one page, an API over the engine's facade, and live updates.
//!
//! Owns the server that `materia ui` starts: access control (`auth`), content (`assets`, `api`,
//! `live`) and the client's types (`types`), which are derived from the reports. The runtime lives
//! on one thread and only while the server runs; blocking work runs on other threads. Decides
//! nothing: each route is one call of the facade.

mod assets;
mod auth;
mod reply;
mod state;
#[cfg(feature = "typescript")]
mod types;
mod live;
mod api;
mod server;

pub use server::run;

/// The text of `web/src/types.ts`: the TypeScript of everything that goes over the wire.
#[cfg(feature = "typescript")]
pub fn client_types() -> Result<String, types::NameClash> {
    let mut types = types::Types::default();
    types.add::<materia_engine::api::ErrorReport<'static>>();
    api::declare(&mut types);
    live::declare(&mut types);
    types.text()
}
