//! What a project's config would run, and whether the user trusts exactly that.
//!
//! Owns the closure of a project's config: the exact text that will be used, the recipes that its
//! utilities name with all their imports, and the scripts that all of them name. A command computes
//! it once, as a [`ProjectTrust`]. Runs nothing and asks no user.

mod scripts;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use materia_model::loadout::{Config, ConfigScope};
use materia_model::materia::{AgentRole, AgentTools, Materia, MateriaBody, UtilityCommand};
use materia_model::template::plan::{Plan, PlanBody};
use materia_model::text;
use serde::Serialize;

use crate::clock::Clock;
use crate::config::{ConfigFiles, ConfigSnapshot, PROJECT_FILE};
use crate::home::Home;
use crate::library::Library;
use crate::trust::{self, Closure, Error, TrustChange, TrustGrant, TrustRefusal, TrustedAct};
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
    pub acts: Vec<TrustedAct>,
    /// The files and their hashes.
    pub files: BTreeMap<String, String>,
    /// What is different from what the person agreed to.
    pub changes: Vec<TrustChange>,
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

/// Everything that the user trusts.
#[derive(Debug, Serialize)]
pub struct TrustListReport {
    /// Always true.
    pub ok: bool,
    /// The grants, by file.
    pub trusted: BTreeMap<String, TrustGrant>,
}

/// What the user no longer trusts.
#[derive(Debug, Serialize)]
pub struct TrustRevokeReport {
    /// Always true; nothing to revoke is an error.
    pub ok: bool,
    /// The files.
    pub revoked: Vec<String>,
}

/// The closure of a project and whether the user trusts it, computed once per command.
#[derive(Debug)]
pub struct ProjectTrust {
    closure: Option<Closure>,
    report: TrustReport,
}

impl ProjectTrust {
    /// Computes the closure and looks it up in the ledger.
    pub fn inspect(files: &ConfigFiles, home: Option<&Home>) -> Result<Self, Error> {
        Self::inspect_snapshot(&files.snapshot(), home)
    }

    /// The same, for a config that is already merged.
    pub fn inspect_snapshot(
        snapshot: &ConfigSnapshot<'_>,
        home: Option<&Home>,
    ) -> Result<Self, Error> {
        let closure = project(snapshot, home);
        let report = report(closure.as_ref(), home)?;
        Ok(Self { closure, report })
    }

    /// The report for the user.
    pub fn report(&self) -> &TrustReport {
        &self.report
    }

    /// The same, by value.
    pub fn into_report(self) -> TrustReport {
        self.report
    }

    /// Refuses a project that the user does not trust unchanged.
    pub fn require(&self) -> Result<(), Error> {
        let changes = match self.report.standing {
            TrustStanding::Nothing | TrustStanding::Trusted => return Ok(()),
            TrustStanding::Changed => Some(self.report.changes.clone()),
            TrustStanding::Untrusted => None,
        };
        let root = self.report.file.clone().unwrap_or_default();
        Err(Error::Refused(Box::new(TrustRefusal { root, changes })))
    }

    /// Records that the user agreed to exactly this.
    pub fn grant(self, home: &Home, clock: &Clock) -> Result<TrustReport, Error> {
        let Some(closure) = &self.closure else {
            return Ok(self.report);
        };
        trust::grant(home, closure, clock)?;
        Ok(TrustReport {
            standing: TrustStanding::Trusted,
            changes: Vec::new(),
            ..self.report
        })
    }
}

/// Refuses the project's files unless the user trusts them unchanged.
pub fn require(files: &ConfigFiles, home: Option<&Home>) -> Result<(), Error> {
    ProjectTrust::inspect(files, home)?.require()
}

/// Reports the project's closure.
pub fn show(files: &ConfigFiles, home: Option<&Home>) -> Result<TrustReport, Error> {
    Ok(ProjectTrust::inspect(files, home)?.into_report())
}

/// Records that the user agreed to what they were shown. Refused if the project changed since.
pub fn grant(
    files: &ConfigFiles,
    home: &Home,
    shown: &TrustReport,
    clock: &Clock,
) -> Result<(), Error> {
    let now = ProjectTrust::inspect(files, Some(home))?;
    if now.report.digest == shown.digest {
        now.grant(home, clock).map(drop)
    } else {
        now.require()
    }
}

/// Everything that the user trusts.
pub fn list(home: &Home) -> Result<TrustListReport, Error> {
    Ok(TrustListReport {
        ok: true,
        trusted: trust::list(home)?,
    })
}

/// Revokes the trust in a file, or in everything in a directory.
pub fn revoke(home: &Home, path: &Path) -> Result<TrustRevokeReport, Error> {
    // A path that no longer exists can still be revoked by its name.
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let revoked = trust::revoke(home, &real).or_else(|error| match error {
        Error::Unknown(_) => trust::revoke(home, path),
        other => Err(other),
    })?;
    Ok(TrustRevokeReport { ok: true, revoked })
}

fn report(closure: Option<&Closure>, home: Option<&Home>) -> Result<TrustReport, Error> {
    let Some(closure) = closure else {
        return Ok(TrustReport {
            ok: true,
            file: None,
            standing: TrustStanding::Nothing,
            acts: Vec::new(),
            files: BTreeMap::new(),
            changes: Vec::new(),
            digest: None,
        });
    };
    let (standing, changes) = match trust::require(home, closure) {
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

/// The closure of the project's own config, if it has one.
fn project(snapshot: &ConfigSnapshot<'_>, home: Option<&Home>) -> Option<Closure> {
    let files = snapshot.files();
    let layer = files
        .layers()
        .iter()
        .position(|layer| layer.scope == ConfigScope::Project)?;
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
    // Higher layers cannot remove what this layer brings, so read it as if it were the last.
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

fn act(
    materia: &Materia,
    project: &Path,
    scripts: &mut Scripts,
    library: Option<&Library>,
) -> TrustedAct {
    let (kind, commands, detail) = match &materia.kind {
        MateriaBody::Agent(agent) => ("agent", Vec::new(), Some(role(agent))),
        MateriaBody::Utility(utility) => match &utility.run {
            UtilityCommand::Command(argv) => ("command", vec![argv.clone()], None),
            UtilityCommand::Template(written) => {
                let place = template::TemplateContext {
                    cwd: project,
                    home: None,
                    stages: None,
                };
                let plan = template::plan(written, &utility.params, place, utility.timeout_ms);
                let mut commands = Vec::new();
                plan.iter().for_each(|plan| leaves(plan, &mut commands));
                ("template", commands, None)
            }
            UtilityCommand::Recipe(recipe) => {
                scripts.look_in(&["recipe".to_owned(), recipe.clone()]);
                let commands = library
                    .map(|library| scripts.follow(recipe, library))
                    .unwrap_or_default();
                ("recipe", commands, Some(recipe.clone()))
            }
            UtilityCommand::Shipped(name) => ("utility", Vec::new(), Some(name.clone())),
        },
    };
    commands.iter().for_each(|argv| scripts.look_in(argv));
    TrustedAct {
        name: materia.id.clone(),
        kind,
        commands,
        detail,
    }
}

fn role(agent: &AgentRole) -> String {
    let tools = match &agent.tools {
        AgentTools::None => "no tools".to_owned(),
        AgentTools::ReadOnly => "tools that read".to_owned(),
        AgentTools::Coding => "all tools".to_owned(),
        AgentTools::Custom(names) => format!("the tools {}", text::list(names, "and")),
    };
    match &agent.agent {
        Some(program) => format!("{tools}, played by {program}"),
        None => tools,
    }
}

fn leaves(plan: &Plan, into: &mut Vec<Vec<String>>) {
    match &plan.body {
        PlanBody::Command { argv, .. } => into.push(argv.clone()),
        PlanBody::Sequence(steps) => steps.iter().for_each(|step| leaves(step, into)),
        PlanBody::Parallel { branches, .. } => {
            branches.iter().for_each(|branch| leaves(branch, into));
        }
        PlanBody::Nested(inner) => leaves(inner, into),
        PlanBody::Skipped(_) => {}
    }
    if let Some(recover) = &plan.controls.recover {
        leaves(recover, into);
    }
}
