//! `trust`: what a project brings, whether the person agreed to it, and the taking back of that.
//!
//! Owns the closure of a project's config: its text as it was read and is going to be used, the
//! recipes that its utilities name with everything these import, and the scripts that all of them
//! name. Who may agree is the door's question. Runs nothing.

mod scripts;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use materia_model::loadout::{Config, Scope};
use materia_model::materia::{Agent, Kind, Materia, Run, Tools};
use materia_model::template::plan::{Body, Plan};
use materia_model::text;
use serde::Serialize;

use crate::clock::Clock;
use crate::config::{ConfigSnapshot, Files, PROJECT_FILE};
use crate::home::Home;
use crate::library::Library;
use crate::trust::{self, Act, Change, Closure, Error, Granted};
use crate::utility::template;
use scripts::Scripts;

/// What a project brings, and how the person stands to it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TrustReport {
    /// Always true; not being trusted is no failure of the question.
    pub ok: bool,
    /// The file that brings it; nothing where the project brings nothing.
    pub file: Option<PathBuf>,
    /// How the person stands to it.
    pub standing: TrustStanding,
    /// What it would run.
    pub acts: Vec<Act>,
    /// The files and their hashes.
    pub files: BTreeMap<String, String>,
    /// What is different from what the person agreed to.
    pub changes: Vec<Change>,
    /// What trust is pinned to.
    pub digest: Option<String>,
}

/// How a person stands to what a project brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum TrustStanding {
    /// There is nothing to trust.
    Nothing,
    /// They agreed to exactly this.
    Trusted,
    /// They agreed to something else.
    Changed,
    /// They never agreed.
    Untrusted,
}

/// Everything that the person agreed to.
#[derive(Debug, Serialize)]
pub struct Listing {
    /// Always true.
    pub ok: bool,
    /// By file.
    pub trusted: BTreeMap<String, Granted>,
}

/// What the person took back.
#[derive(Debug, Serialize)]
pub struct Revoked {
    /// Always true; nothing to take back is a failure.
    pub ok: bool,
    /// The files.
    pub revoked: Vec<String>,
}

/// Says whether everything that the project brings is trusted as it is.
pub fn require(files: &Files, home: Option<&Home>) -> Result<(), Error> {
    require_snapshot(&files.snapshot(), home)
}

fn require_snapshot(snapshot: &ConfigSnapshot<'_>, home: Option<&Home>) -> Result<(), Error> {
    project(snapshot, home).map_or(Ok(()), |closure| trust::require(home, &closure))
}

/// Whether everything that the project brings is trusted as it is. A project that brings nothing
/// is.
pub(crate) fn is_trusted(snapshot: &ConfigSnapshot<'_>, home: &Home) -> Result<bool, Error> {
    match require_snapshot(snapshot, Some(home)) {
        Ok(()) => Ok(true),
        Err(Error::Refused(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Records trust in what the project brings, for files that the user wrote with our own editor (S1).
pub(crate) fn grant_own(
    snapshot: &ConfigSnapshot<'_>,
    home: &Home,
    clock: &Clock,
) -> Result<(), Error> {
    project(snapshot, Some(home)).map_or(Ok(()), |closure| trust::grant(home, &closure, clock))
}

/// Shows what the project brings.
pub fn show(files: &Files, home: Option<&Home>) -> Result<TrustReport, Error> {
    let Some(closure) = project(&files.snapshot(), home) else {
        let (standing, acts, files) = (TrustStanding::Nothing, Vec::new(), BTreeMap::new());
        return Ok(TrustReport {
            ok: true,
            file: None,
            standing,
            acts,
            files,
            changes: Vec::new(),
            digest: None,
        });
    };
    let (standing, changes) = match trust::require(home, &closure) {
        Ok(()) => (TrustStanding::Trusted, Vec::new()),
        Err(Error::Refused(refusal)) => match refusal.changes {
            Some(changes) => (TrustStanding::Changed, changes),
            None => (TrustStanding::Untrusted, Vec::new()),
        },
        Err(error) => return Err(error),
    };
    Ok(TrustReport {
        ok: true,
        file: Some(closure.root().to_owned()),
        standing,
        acts: closure.acts().to_vec(),
        files: closure.files().clone(),
        changes,
        digest: Some(closure.digest()),
    })
}

/// Writes down that the person agreed to what they were shown; refused where it is another thing by
/// now.
pub fn grant(files: &Files, home: &Home, shown: &TrustReport, clock: &Clock) -> Result<(), Error> {
    match project(&files.snapshot(), Some(home)) {
        Some(closure) if Some(closure.digest()) == shown.digest => {
            trust::grant(home, &closure, clock)
        }
        Some(closure) => trust::require(Some(home), &closure),
        None => Ok(()),
    }
}

/// Everything that the person agreed to.
pub fn list(home: &Home) -> Result<Listing, Error> {
    Ok(Listing {
        ok: true,
        trusted: trust::list(home)?,
    })
}

/// Takes back that the person agreed to a file, or to everything in a directory.
pub fn revoke(home: &Home, path: &Path) -> Result<Revoked, Error> {
    // What is gone from the disk can still be taken back by its name.
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let revoked = trust::revoke(home, &real).or_else(|error| match error {
        Error::Unknown(_) => trust::revoke(home, path),
        other => Err(other),
    })?;
    Ok(Revoked { ok: true, revoked })
}

/// The closure of the project's own config, where it has one.
fn project(snapshot: &ConfigSnapshot<'_>, home: Option<&Home>) -> Option<Closure> {
    let files = snapshot.files();
    let layer = files
        .layers()
        .iter()
        .position(|layer| layer.scope == Scope::Project)?;
    let path = files.path(layer)?;
    let base = path
        .ancestors()
        .nth(Path::new(PROJECT_FILE).components().count())?;
    let base = base.canonicalize().unwrap_or_else(|_| base.to_owned());
    let mut closure = Closure::new(base.join(PROJECT_FILE), base);
    let root = closure.root().to_owned();
    closure.add(
        &root,
        files.layers()[layer].document.source().text().as_bytes(),
    );
    // What lies above cannot take back what this one brings, so it is read as if it were the last.
    let without_upper;
    let config = if layer + 1 == files.layers().len() {
        snapshot.config()
    } else {
        without_upper = Config::load(&files.layers()[..=layer]);
        &without_upper
    };
    let mut scripts = Scripts::new(&root, closure.base());
    let library = home.map(|home| Library::new(home, home.user()));
    let below = Config::load(&files.layers()[..layer]);
    let known: BTreeMap<&str, String> = below
        .materia()
        .map(|one| (one.id.as_str(), format!("{one:?}")))
        .collect();
    let brought =
        |materia: &Materia| known.get(materia.id.as_str()) != Some(&format!("{materia:?}"));
    for materia in config.materia().filter(|materia| brought(materia)) {
        let act = act(materia, closure.base(), &mut scripts, library.as_ref());
        closure.add_act(act);
    }
    for (path, hash) in scripts.found() {
        closure.add_hash(&path, hash);
    }
    Some(closure)
}

fn act(materia: &Materia, project: &Path, scripts: &mut Scripts, library: Option<&Library>) -> Act {
    let (kind, commands, detail) = match &materia.kind {
        Kind::Agent(agent) => ("agent", Vec::new(), Some(role(agent))),
        Kind::Utility(utility) => match &utility.run {
            Run::Command(argv) => ("command", vec![argv.clone()], None),
            Run::Template(written) => {
                let place = template::Place {
                    cwd: project,
                    home: None,
                    stages: None,
                };
                let plan = template::plan(written, &utility.params, place, utility.timeout_ms);
                let mut commands = Vec::new();
                plan.iter().for_each(|plan| leaves(plan, &mut commands));
                ("template", commands, None)
            }
            Run::Recipe(recipe) => {
                scripts.look_in(&["recipe".to_owned(), recipe.clone()]);
                let commands = library
                    .map(|library| scripts.follow(recipe, library))
                    .unwrap_or_default();
                ("recipe", commands, Some(recipe.clone()))
            }
            Run::Shipped(name) => ("utility", Vec::new(), Some(name.clone())),
        },
    };
    commands.iter().for_each(|argv| scripts.look_in(argv));
    Act {
        name: materia.id.clone(),
        kind,
        commands,
        detail,
    }
}

fn role(agent: &Agent) -> String {
    let tools = match &agent.tools {
        Tools::None => "no tools".to_owned(),
        Tools::ReadOnly => "tools that read".to_owned(),
        Tools::Coding => "all tools".to_owned(),
        Tools::Custom(names) => format!("the tools {}", text::list(names, "and")),
    };
    match &agent.agent {
        Some(program) => format!("{tools}, played by {program}"),
        None => tools,
    }
}

fn leaves(plan: &Plan, into: &mut Vec<Vec<String>>) {
    match &plan.body {
        Body::Command { argv, .. } => into.push(argv.clone()),
        Body::Sequence(steps) => steps.iter().for_each(|step| leaves(step, into)),
        Body::Parallel { branches, .. } => branches.iter().for_each(|branch| leaves(branch, into)),
        Body::Nested(inner) => leaves(inner, into),
        Body::Skipped(_) => {}
    }
    if let Some(recover) = &plan.controls.recover {
        leaves(recover, into);
    }
}
