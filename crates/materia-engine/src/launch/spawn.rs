//! `spawn`: a plan becomes a run that outlives its caller.
//!
//! Owns choosing the id, the values that a run gives its template, and the report, whose shape is a
//! contract. Everything that can be checked is checked before a supervisor is started (T21).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use materia_model::actor;
use materia_model::finding::Finding;
use materia_model::name::RunId;
use materia_model::run::{
    DeclaredArtifact, DrivenCast, OnSessionEnd, RetireWhen, RunOrigin, RunStart, RunStatus,
};
use materia_model::secret::SecretGuard;
use materia_model::template::plan::{FailurePolicy, PlanBody, PlanControls, PlanStdin};
use materia_model::template::wire::{self, PackedPlan};
use materia_model::template::{HostFacts, Plan};
use materia_model::text;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::clock::Clock;
use crate::home::Home;
use crate::library::Library;
use crate::recipe::LinkedTemplate;
use crate::registry::{self, Inline, LaunchKind};
use crate::run::{Error, RunDir, RunRoot, SupervisorOrder, start as start_run};

/// Maximum number of ids that are tried until one is free.
const MAX_ID_ATTEMPTS: usize = 8;
/// The key of a run's value that holds the options of its cast's driver.
pub const DRIVER: &str = "driver";
/// Maximum size of a template that is kept with the run, in bytes.
const MAX_KEPT_TEMPLATE: usize = 64 * 1024;

/// How a run is started, apart from what it executes.
#[derive(Debug, Default)]
pub struct RunSettings {
    /// Its id; without one an id is generated.
    pub id: Option<RunId>,
    /// The kind of request that it comes from.
    pub origin: RunOrigin,
    /// The session that owns it.
    pub session: Option<String>,
    /// The run inside which it is spawned.
    pub parent: Option<String>,
    /// The working directory of its commands.
    pub cwd: PathBuf,
    /// What it accepts and emits.
    pub mailbox: Option<Value>,
    /// When it ends by itself.
    pub retire_when: Option<RetireWhen>,
    /// What happens to it when its session ends.
    pub on_session_end: OnSessionEnd,
    /// Where output between commands is spooled.
    pub spool: PathBuf,
    /// The clock.
    pub clock: Clock,
}

/// A run that was started.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SpawnReport {
    /// Always true; a run that did not start is an error.
    pub ok: bool,
    /// Its id.
    pub run: String,
    /// Its address.
    pub address: String,
    /// The generation of this start.
    pub generation: String,
    /// Its directory.
    pub state_dir: String,
    /// Its status.
    pub status: RunStatus,
    /// Suggested next commands.
    pub next: Vec<String>,
    /// Warnings from before it started.
    pub warnings: Vec<String>,
    /// The draft of a recipe that was captured from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft: Option<String>,
    /// Why the launch of a recipe could not be counted.
    #[serde(skip)]
    pub not_counted: Option<String>,
}

/// What a run executes, and what its journal records about that.
#[derive(Debug, Default)]
struct Workload {
    plan: PackedPlan,
    start: RunStart,
    secrets: Vec<String>,
    context: Vec<String>,
    warnings: Vec<String>,
}

/// A template that becomes a run.
#[derive(Debug)]
pub struct SpawnTemplate<'a> {
    /// The template.
    pub linked: &'a LinkedTemplate,
    /// The artifacts that the caller declares; their paths may name values.
    pub artifacts: &'a BTreeMap<String, DeclaredArtifact>,
    /// The template's document where the caller wrote it inline; it is captured as a draft.
    pub inline: Option<Value>,
}

/// The context of a template that becomes a run.
#[derive(Debug)]
pub struct SpawnContext<'a> {
    /// Where the usage ledger is.
    pub home: &'a Home,
    /// Where drafts are captured.
    pub library: &'a Library,
    /// What `~` means.
    pub user_home: Option<&'a Path>,
    /// The environment, whose secret values a draft must not contain.
    pub variables: &'a BTreeMap<OsString, OsString>,
}

/// Why a template did not become a run.
#[derive(Debug, thiserror::Error)]
pub enum RunSpawnError {
    /// The template or its values are wrong.
    #[error("{}", .0.first().map_or("the template is invalid", |finding| &finding.message))]
    Invalid(Vec<Finding>),
    /// The run could not be started.
    #[error(transparent)]
    Run(#[from] Error),
}

/// Spawns a run of a template, captures an inline one as a draft, and counts the launch of a
/// recipe.
pub fn spawn(
    root: &RunRoot,
    settings: &RunSettings,
    template: SpawnTemplate<'_>,
    context: &SpawnContext<'_>,
) -> Result<SpawnReport, RunSpawnError> {
    let mut report = start(root, settings, None, |place| {
        workload(&template, settings, context, place).map_err(RunSpawnError::Invalid)
    })?;
    if let Some((name, fingerprint)) = template.linked.ledger_entry() {
        let now = settings.clock.now();
        let counted = registry::record(context.home, name, &fingerprint, LaunchKind::Spawn, now);
        report.not_counted = counted.err();
    }
    report.draft = capture(settings, template, context);
    Ok(report)
}

/// Captures an inline template as a draft. The run does not fail if that is impossible.
fn capture(
    settings: &RunSettings,
    template: SpawnTemplate<'_>,
    context: &SpawnContext<'_>,
) -> Option<String> {
    let variables = context.variables.iter();
    let texts = variables.filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
    let inline = Inline {
        run: settings.id.as_ref(),
        template: template.inline?,
        artifacts: serde_json::to_value(template.artifacts).ok()?,
        mailbox: settings.mailbox.clone(),
        guard: SecretGuard::new(texts, &[]),
    };
    let file = registry::capture(context.library, inline)?;
    Some(file.to_string_lossy().into_owned())
}

/// Spawns a run that drives a cast which has begun (A12). `options` are further options of its
/// driver. The run has the name of the cast where `settings` have no id.
pub fn spawn_cast(
    root: &RunRoot,
    settings: &RunSettings,
    cast: DrivenCast,
    options: Vec<String>,
) -> Result<SpawnReport, Error> {
    drive_cast(root, settings, cast, "resume", None, options)
}

/// Spawns a run that continues a cast with the command `verb` of this program. `options` are kept
/// with the run, for the next time it is continued.
pub fn drive_cast(
    root: &RunRoot,
    settings: &RunSettings,
    cast: DrivenCast,
    verb: &str,
    text: Option<&str>,
    options: Vec<String>,
) -> Result<SpawnReport, Error> {
    let mut values = Map::new();
    if !options.is_empty() {
        values.insert(DRIVER.to_owned(), options.clone().into());
    }
    let mut words = vec![verb.to_owned()];
    words.extend(options);
    words.extend(["--".to_owned(), cast.dir.clone()]);
    words.extend(text.map(str::to_owned));
    let name = cast.id.clone();
    let begin = RunStart {
        cast: Some(cast),
        values,
        ..RunStart::default()
    };
    start(root, settings, Some(&name), |_| {
        Ok(Workload {
            plan: own_command(&words),
            start: begin.clone(),
            ..Workload::default()
        })
    })
}

/// Spawns a run that is an agent (A12): this program plays it, according to its journal.
pub fn spawn_agent(
    root: &RunRoot,
    settings: &RunSettings,
    order: &actor::ActorSettings,
) -> Result<SpawnReport, Error> {
    let words = ["agent", "act"].map(str::to_owned);
    let order = serde_json::to_value(order).ok();
    let mut report = spawn_own(root, settings, &words, order.as_ref())?;
    let address = &report.address;
    report.next = vec![
        format!("materia message {address} chat.message \"…\""),
        format!("materia inspect {address} --view transcript"),
        format!("materia inspect {address} --view tail --follow"),
        format!("materia message {address} control.kill"),
    ];
    Ok(report)
}

/// Spawns a run of this program with other arguments.
pub fn spawn_own(
    root: &RunRoot,
    settings: &RunSettings,
    words: &[String],
    agent: Option<&Value>,
) -> Result<SpawnReport, Error> {
    start(root, settings, None, |_| {
        Ok(Workload {
            plan: own_command(words),
            start: RunStart {
                agent: agent.cloned(),
                ..RunStart::default()
            },
            ..Workload::default()
        })
    })
}

/// Starts a run under the id of its settings, or else under the first free one: `name`, `name-2`
/// and so on if there is a name, otherwise a generated one.
fn start<E: From<Error>>(
    root: &RunRoot,
    settings: &RunSettings,
    name: Option<&str>,
    workload: impl Fn(&RunDir) -> Result<Workload, E>,
) -> Result<SpawnReport, E> {
    for attempt in 1..=MAX_ID_ATTEMPTS {
        let named = name.map(|name| match attempt {
            1 => name.to_owned(),
            _ => format!("{name}-{attempt}"),
        });
        let id = settings.id.clone();
        let id = id
            .or_else(|| named.and_then(|name| name.parse().ok()))
            .unwrap_or_else(fresh_id);
        let place = root.place(&id);
        let workload = workload(&place)?;
        let order = SupervisorOrder {
            root: root.path().to_owned(),
            fresh: settings.id.is_none(),
            start: begin(settings, &id, workload.start),
            run: id,
            secret: workload.secrets,
            context: workload.context,
            plan: workload.plan,
            spool: settings.spool.clone(),
        };
        match start_run(&order, &settings.clock) {
            Ok(started) => return Ok(report(&place, started.generation, workload.warnings)),
            Err(Error::Taken(_)) if settings.id.is_none() => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Error::Taken(name.unwrap_or("run").to_owned()).into())
}

/// Builds the start record of a generation. The settings override what the workload declares.
fn begin(settings: &RunSettings, id: &RunId, workload: RunStart) -> RunStart {
    RunStart {
        // Never from the settings' clock, which may be fixed: two generations must differ.
        generation: Clock::system().fresh_id(),
        run: id.to_string(),
        session: settings.session.clone(),
        parent: settings.parent.clone(),
        cwd: settings.cwd.to_string_lossy().into_owned(),
        origin: settings.origin,
        mailbox: settings.mailbox.clone().or(workload.mailbox),
        retire_when: settings.retire_when.or(workload.retire_when),
        on_session_end: settings.on_session_end,
        ..workload
    }
}

/// A plan that runs this program. It runs the same binary even if its file was replaced meanwhile.
fn own_command(words: &[String]) -> PackedPlan {
    let program = "/proc/self/exe".to_owned();
    wire::pack(Plan {
        body: PlanBody::Command {
            argv: std::iter::once(program)
                .chain(words.iter().cloned())
                .collect(),
            stdin: PlanStdin::None,
            part: None,
        },
        controls: PlanControls::plain(FailurePolicy::Continue),
    })
}

/// The report of a run that was started.
fn report(place: &RunDir, generation: String, warnings: Vec<String>) -> SpawnReport {
    let address = place.address();
    SpawnReport {
        ok: true,
        run: place.id().to_string(),
        generation,
        state_dir: place.dir().to_string_lossy().into_owned(),
        status: RunStatus::Running,
        next: vec![
            format!("materia inspect {address}"),
            format!("materia inspect {address} --view tail --follow"),
            format!("materia wait {address}"),
            format!("materia message {address} control.kill"),
        ],
        address,
        warnings,
        draft: None,
        not_counted: None,
    }
}

/// The values that every run gives its template; they override the caller's.
fn injected(place: &RunDir) -> Map<String, Value> {
    let mut values = Map::new();
    values.insert("run_id".into(), json!(place.id()));
    values.insert("state_dir".into(), json!(place.dir()));
    values.insert("actor_address".into(), json!(place.address()));
    values.insert("default_room".into(), json!(format!("room:{}", place.id())));
    values.insert("communication_file".into(), json!(place.communication()));
    values
}

/// What a run of a template executes in its run directory.
fn workload(
    template: &SpawnTemplate<'_>,
    settings: &RunSettings,
    context: &SpawnContext<'_>,
    place: &RunDir,
) -> Result<Workload, Vec<Finding>> {
    let (linked, host) = (template.linked, injected(place));
    let stages = place.dir().join("stages");
    let facts = HostFacts {
        home: context.user_home.and_then(Path::to_str),
        cwd: settings.cwd.to_str(),
        stages: stages.to_str(),
        ..HostFacts::default()
    };
    let mut prepared = linked.prepare_run(facts, &host)?;
    let facts = HostFacts {
        host: Some(&host),
        ..HostFacts::default()
    };
    for (name, artifact) in template.artifacts {
        prepared.declare(name, artifact.clone(), facts)?;
    }
    let warnings = prepared.messages();
    let declared = prepared.declarations;
    let recipe = linked.recipe.as_ref();
    let text = linked.template.source().text();
    Ok(Workload {
        start: RunStart {
            template: Some(text::bounded(text, MAX_KEPT_TEMPLATE).into_owned()),
            artifacts: declared.artifacts,
            values: linked.values.clone(),
            recipe: recipe.map(|recipe| recipe.name.clone()),
            recipe_file: recipe
                .and_then(|recipe| recipe.file.as_ref())
                .map(|file| file.to_string_lossy().into_owned()),
            mailbox: declared.mailbox,
            retire_when: declared.retire_when,
            ..RunStart::default()
        },
        plan: wire::pack(prepared.plan),
        secrets: declared.secrets,
        context: declared.context.iter().map(ToString::to_string).collect(),
        warnings,
    })
}

/// A short random id.
fn fresh_id() -> RunId {
    loop {
        let random = Clock::system().fresh_id();
        // Every such text is a valid run id, so the loop ends with the first one.
        if let Ok(id) = format!("run-{}", &random[random.len() - 8..]).parse() {
            return id;
        }
    }
}
