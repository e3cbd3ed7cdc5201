//! `spawn`: a plan becomes a run that outlives whoever asked for it.
//!
//! Owns choosing the id, the values that a run gives its template, and the report, whose shape is a
//! contract. Everything that can be known is checked before a supervisor is started (T21).

use std::path::PathBuf;

use materia_model::actor;
use materia_model::name::RunId;
use materia_model::run::{Cast, OnSessionEnd, Origin, RetireWhen, Start, Status};
use materia_model::template::Plan;
use materia_model::template::plan::{Body, Controls, Failure, Stdin};
use materia_model::template::wire::{self, Wire};
use materia_model::text;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::clock::Clock;
use crate::recipe::prepare::Prepared;
use crate::run::{Error, Order, Place, Root, start as start_run};

/// How many ids of ours are tried before one is free.
const TRIES: usize = 8;
/// The value that keeps what the driver of a cast was told.
pub const DRIVER: &str = "driver";
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
    /// What tells the time.
    pub clock: Clock,
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
    /// The draft of a recipe that was kept of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft: Option<String>,
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
        let order = order(root, wanted, id, prepared);
        match start_run(&order, &wanted.clock) {
            Ok(started) => return Ok(report(&place, started.generation, warnings)),
            Err(Error::Taken(_)) if wanted.id.is_none() => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Error::Taken("run".to_owned()).into())
}

/// Spawns a run that drives a cast which has begun (A12); `words` are what its driver is told
/// besides. The run is called like the cast where nothing else is said.
pub fn spawn_cast(
    root: &Root,
    wanted: &Wanted,
    cast: Cast,
    words: Vec<String>,
) -> Result<Spawned, Error> {
    drive_cast(root, wanted, cast, "resume", None, words)
}

/// Spawns a run that takes a cast up again, as a verb of ours would: `words` are what its driver is
/// told besides, and are kept with the run for the next time.
pub fn drive_cast(
    root: &Root,
    wanted: &Wanted,
    cast: Cast,
    verb: &str,
    said: Option<&str>,
    words: Vec<String>,
) -> Result<Spawned, Error> {
    // The running program itself, also when its file was replaced meanwhile.
    let argv = ["/proc/self/exe".to_owned(), verb.to_owned()];
    let argv = argv.into_iter().chain(words.iter().cloned());
    let given = ["--".to_owned(), cast.dir.clone()]
        .into_iter()
        .chain(said.map(str::to_owned));
    let argv = argv.chain(given).collect();
    let mut values = Map::new();
    if !words.is_empty() {
        values.insert(DRIVER.to_owned(), words.into());
    }
    let plan = Plan {
        body: Body::Command {
            argv,
            stdin: Stdin::None,
            part: None,
        },
        controls: Controls::plain(Failure::Continue),
    };
    for number in 1..=TRIES {
        let named = if number == 1 {
            cast.id.clone()
        } else {
            format!("{}-{number}", cast.id)
        };
        let id = wanted
            .id
            .clone()
            .or_else(|| named.parse().ok())
            .unwrap_or_else(fresh_id);
        let place = root.place(&id);
        let start = Start {
            cast: Some(cast.clone()),
            values: values.clone(),
            ..begins(wanted, &id)
        };
        let order = Order {
            plan: wire::pack(plan.clone()),
            ..ordered(root, wanted, id, start)
        };
        match start_run(&order, &wanted.clock) {
            Ok(started) => return Ok(report(&place, started.generation, Vec::new())),
            Err(Error::Taken(_)) if wanted.id.is_none() => {}
            Err(error) => return Err(error),
        }
    }
    Err(Error::Taken(cast.id))
}

/// Spawns a run that is an agent (A12): the running program plays it, as its journal says.
pub fn spawn_agent(root: &Root, wanted: &Wanted, order: &actor::Order) -> Result<Spawned, Error> {
    let words = ["agent", "act"].map(str::to_owned).to_vec();
    let order = serde_json::to_value(order).ok();
    let mut spawned = spawn_own(root, wanted, words, order.as_ref())?;
    let address = &spawned.address;
    spawned.next = vec![
        format!("materia message {address} chat.message \"…\""),
        format!("materia inspect {address} --view transcript"),
        format!("materia inspect {address} --view tail --follow"),
        format!("materia message {address} control.kill"),
    ];
    Ok(spawned)
}

/// Spawns a run of this program with other words.
pub fn spawn_own(
    root: &Root,
    wanted: &Wanted,
    words: Vec<String>,
    agent: Option<&Value>,
) -> Result<Spawned, Error> {
    // The running program itself, also when its file was replaced meanwhile.
    let argv = std::iter::once("/proc/self/exe".to_owned())
        .chain(words)
        .collect();
    let plan = Plan {
        body: Body::Command {
            argv,
            stdin: Stdin::None,
            part: None,
        },
        controls: Controls::plain(Failure::Continue),
    };
    for _ in 0..TRIES {
        let id = wanted.id.clone().unwrap_or_else(fresh_id);
        let place = root.place(&id);
        let start = Start {
            agent: agent.cloned(),
            ..begins(wanted, &id)
        };
        let order = Order {
            plan: wire::pack(plan.clone()),
            ..ordered(root, wanted, id, start)
        };
        match start_run(&order, &wanted.clock) {
            Ok(started) => return Ok(report(&place, started.generation, Vec::new())),
            Err(Error::Taken(_)) if wanted.id.is_none() => {}
            Err(error) => return Err(error),
        }
    }
    Err(Error::Taken("run".to_owned()))
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
        draft: None,
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

fn order(root: &Root, wanted: &Wanted, id: RunId, prepared: Prepared) -> Order {
    let recipe = prepared.recipe.unwrap_or_default();
    let begins = begins(wanted, &id);
    let start = Start {
        template: Some(
            text::bounded(prepared.template.source().text(), LONGEST_TEMPLATE).into_owned(),
        ),
        artifacts: recipe.artifacts,
        values: prepared.values,
        recipe: begins
            .recipe
            .or_else(|| Some(recipe.name).filter(|name| !name.is_empty())),
        recipe_file: begins
            .recipe_file
            .or_else(|| recipe.file.map(|file| file.to_string_lossy().into_owned())),
        mailbox: begins.mailbox.or(recipe.mailbox),
        retire_when: begins.retire_when.or(recipe.retire_when),
        ..begins
    };
    let plan = wire::pack(prepared.plan);
    let context = recipe.context.iter().map(ToString::to_string).collect();
    let secret = recipe.secrets;
    Order {
        secret,
        context,
        plan,
        ..ordered(root, wanted, id, start)
    }
}

/// How a generation begins, as far as it does not depend on what runs.
fn begins(wanted: &Wanted, id: &RunId) -> Start {
    let (recipe, recipe_file) = wanted.recipe.clone().unzip();
    Start {
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
        mailbox: wanted.mailbox.clone(),
        retire_when: wanted.retire_when,
        on_session_end: wanted.on_session_end,
        ..Start::default()
    }
}

/// An order without a plan.
fn ordered(root: &Root, wanted: &Wanted, id: RunId, start: Start) -> Order {
    Order {
        root: root.path().to_owned(),
        run: id,
        fresh: wanted.id.is_none(),
        start,
        secret: Vec::new(),
        context: Vec::new(),
        plan: Wire::default(),
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
