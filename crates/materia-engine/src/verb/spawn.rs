//! `spawn`: a plan becomes a run that outlives whoever asked for it.
//!
//! Owns choosing the id, the values that a run gives its template, and the report, whose shape is a contract. Everything
//! that can be known is checked before a supervisor is started (T21).

use std::collections::BTreeMap;
use std::path::PathBuf;

use materia_model::name::RunId;
use materia_model::run::{Declared, OnSessionEnd, Origin, RetireWhen, Start, Status};
use materia_model::template::wire;
use materia_model::text;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::template::Prepared;
use crate::clock::Clock;
use crate::run::{Error, Order, Place, Root, start};

/// How many ids of ours are tried before one is free.
const TRIES: usize = 8;
/// How much of a template is kept with the run.
const LONGEST_TEMPLATE: usize = 64 * 1024;

/// Which run is wanted.
#[derive(Debug, Default)]
pub struct Wanted {
    /// Its id; one of ours where nothing is said.
    pub id: Option<RunId>,
    /// Who wants it.
    pub origin: Origin,
    /// The session that owns it.
    pub session: Option<String>,
    /// The run inside which it is spawned.
    pub parent: Option<String>,
    /// Where its commands run.
    pub cwd: PathBuf,
    /// What it promises to make; paths may name values.
    pub artifacts: BTreeMap<String, Declared>,
    /// The recipe's name and file.
    pub recipe: Option<(String, PathBuf)>,
    /// The tool's name.
    pub tool: Option<String>,
    /// What it accepts and emits.
    pub mailbox: Option<Value>,
    /// When it ends by itself.
    pub retire_when: Option<RetireWhen>,
    /// What happens to it when its session ends.
    pub on_session_end: OnSessionEnd,
    /// Where what flows between commands is spooled.
    pub spool: PathBuf,
}

/// A run that runs.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Spawned {
    /// Always true; a run that did not start is a failure.
    pub ok: bool,
    /// Its id.
    pub run: String,
    /// Its address.
    pub address: String,
    /// Which start this is.
    pub generation: String,
    /// Its directory.
    pub state_dir: String,
    /// How it stands.
    pub status: Status,
    /// What one can do next.
    pub next: Vec<String>,
    /// What was noticed before it started.
    pub warnings: Vec<String>,
}

/// Spawns a run. `prepare` makes the plan from the values that a run gives its template.
pub fn spawn<E: From<Error>>(
    root: &Root,
    wanted: &Wanted,
    prepare: impl Fn(&Map<String, Value>) -> Result<Prepared, E>,
) -> Result<Spawned, E> {
    for _ in 0..TRIES {
        let id = wanted.id.clone().unwrap_or_else(fresh_id);
        let place = root.place(&id);
        let injected = injected(&place);
        let prepared = prepare(&injected)?;
        let warnings = prepared.warnings();
        let order = order(root, wanted, id, prepared, &injected);
        match start(&order) {
            Ok(started) => return Ok(report(&place, started.generation, warnings)),
            Err(Error::Taken(_)) if wanted.id.is_none() => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Error::Taken("run".to_owned()).into())
}

/// The report of a run that runs.
pub fn report(place: &Place, generation: String, warnings: Vec<String>) -> Spawned {
    let address = place.address();
    Spawned {
        ok: true,
        run: place.id().to_string(),
        generation,
        state_dir: place.dir().to_string_lossy().into_owned(),
        status: Status::Running,
        next: vec![
            format!("materia inspect {address}"),
            format!("materia inspect {address} --view tail --follow"),
            format!("materia wait {address}"),
            format!("materia message {address} control.kill"),
        ],
        address,
        warnings,
    }
}

/// The values that every run gives its template; they win over the caller's.
pub fn injected(place: &Place) -> Map<String, Value> {
    let mut values = Map::new();
    values.insert("run_id".into(), json!(place.id()));
    values.insert("state_dir".into(), json!(place.dir()));
    values.insert("actor_address".into(), json!(place.address()));
    values.insert("default_room".into(), json!(format!("room:{}", place.id())));
    values.insert("communication_file".into(), json!(place.communication()));
    values
}

fn order(
    root: &Root,
    wanted: &Wanted,
    id: RunId,
    prepared: Prepared,
    injected: &Map<String, Value>,
) -> Order {
    let artifact = |(name, declared): (&String, &Declared)| {
        let path = filled_in(&declared.path, injected, &prepared.values);
        (name.clone(), Declared { path, ..declared.clone() })
    };
    let (recipe, recipe_file) = wanted.recipe.clone().unzip();
    let start = Start {
        // Never a fixed one: two generations, and two houses, must differ.
        generation: Clock::system().fresh_id(),
        run: id.to_string(),
        session: wanted.session.clone(),
        parent: wanted.parent.clone(),
        cwd: wanted.cwd.to_string_lossy().into_owned(),
        origin: wanted.origin,
        recipe,
        recipe_file: recipe_file.map(|file| file.to_string_lossy().into_owned()),
        tool: wanted.tool.clone(),
        template: Some(text::bounded(prepared.template.source().text(), LONGEST_TEMPLATE).into_owned()),
        cast: None,
        artifacts: wanted.artifacts.iter().map(artifact).collect(),
        values: prepared.values,
        mailbox: wanted.mailbox.clone(),
        retire_when: wanted.retire_when,
        on_session_end: wanted.on_session_end,
        supervisor: Default::default(),
    };
    Order {
        root: root.path().to_owned(),
        run: id,
        fresh: wanted.id.is_none(),
        start,
        plan: wire::pack(prepared.plan),
        spool: wanted.spool.clone(),
    }
}

/// A short id that nobody used yet, as far as chance goes.
pub fn fresh_id() -> RunId {
    loop {
        let random = Clock::system().fresh_id();
        // The spelling of fresh ids is one of run ids: the first one fits.
        if let Ok(id) = format!("run-{}", &random[random.len() - 8..]).parse() {
            return id;
        }
    }
}

/// A path with the values in it that it names.
fn filled_in(path: &str, injected: &Map<String, Value>, given: &Map<String, Value>) -> String {
    let values = injected.iter().chain(given);
    values.fold(path.to_owned(), |path, (name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        path.replace(&format!("{{{name}}}"), &value)
    })
}
