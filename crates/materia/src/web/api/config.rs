//! Loadouts and materia: showing, checking and saving them.

use std::collections::BTreeMap;

use axum::body::Bytes;
use axum::extract::State as Given;
use axum::http::StatusCode;
use materia_engine::verb::definition::{self, Edit, SaveError, Section, Target, Wish};
use materia_engine::verb::loadout::{self, Reach};
use materia_engine::verb::trust::{self, Standing};
use materia_model::finding::Finding;
use materia_model::loadout::layer::Edit as Policy;
use materia_model::loadout::{Config, Scope};

use super::super::dto;
use super::super::reply::{Reply, beside, json, ok};
use super::super::state::State;
use super::body;
use crate::failure::{Failure, Kind};

/// Everything that can be edited.
pub(super) async fn show(Given(state): Given<State>) -> Reply {
    let shown = beside(move || {
        let files = state.files()?;
        let listing = loadout::list(&files);
        let shelf = definition::shelf(&files, &state.home, state.project());
        let config = Config::load(files.layers());
        let shipped = |section: &str, name: &str| {
            let lowest = files
                .layers()
                .iter()
                .find(|layer| layer.scope == Scope::Default);
            lowest.is_some_and(|layer| layer.document.own(section, name).is_some())
        };
        let loadouts = shelf.loadouts.into_iter().map(|one| {
            let listed = listing
                .loadouts
                .iter()
                .find(|listed| listed.name == one.name);
            dto::Loadout {
                id: listed.map(|listed| listed.id.clone()).unwrap_or_default(),
                source: one.source.to_owned(),
                shipped: one.policy == Policy::Shipped,
                locked: one.policy == Policy::Locked,
                active: listed.is_some_and(|listed| listed.active),
                usable: listed.is_some_and(|listed| listed.usable),
                description: listed.and_then(|listed| listed.description.clone()),
                own: versions(one.own),
                issues: listed
                    .map(|listed| dto::issues(&listed.issues))
                    .unwrap_or_default(),
                value: one.value,
                name: one.name,
            }
        });
        let loadouts = loadouts.collect();
        let materia = shelf.materia.into_iter().map(|one| dto::Materia {
            source: one.source.to_owned(),
            shipped: shipped("materia", &one.name),
            locked: one.policy == Policy::Locked,
            issues: dto::issues(about("materia", &one.name, config.findings())),
            own: versions(one.own),
            value: one.value,
            name: one.name,
        });
        let materia = materia.collect();
        let files = shelf
            .files
            .into_iter()
            .map(|(scope, path, exists)| dto::ConfigFile {
                scope: scope.as_str().to_owned(),
                path: path.to_string_lossy().into_owned(),
                exists,
            });
        let files = files.collect();
        Ok(dto::Config {
            active: listing.active,
            loadouts,
            materia,
            files,
            issues: dto::issues(&listing.issues),
        })
    });
    ok(&shown.await?)
}

fn versions(own: Vec<(&'static str, String)>) -> BTreeMap<String, String> {
    own.into_iter()
        .map(|(scope, version)| (scope.to_owned(), version))
        .collect()
}

fn about<'a>(
    section: &str,
    name: &str,
    findings: &'a [Finding],
) -> impl Iterator<Item = &'a Finding> {
    let prefix = materia_model::document::path_member(section, name);
    findings.iter().filter(move |finding| {
        let rest = finding
            .path
            .as_deref()
            .and_then(|path| path.strip_prefix(&prefix));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    })
}

/// What would be wrong with a draft, and what the file would say.
pub(super) async fn check(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: dto::CheckRequest = body(&bytes)?;
    let judged = beside(move || {
        let target = Target::from(request.target);
        let edit = Edit {
            section: request.section.into(),
            name: request.name,
            value: Some(request.value),
        };
        let file = target.file(&state.home, state.project());
        let judged = definition::judge(state.places(), &file, target, &edit)?;
        Ok(dto::CheckAnswer {
            usable: judged.usable,
            issues: dto::issues(&judged.issues),
            grid: judged.grid,
            before: definition::text_of(&file)?,
            after: judged.text,
        })
    });
    ok(&judged.await?)
}

/// Saves definitions. Where somebody else was faster, the answer says what they wrote.
pub(super) async fn save(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: dto::SaveRequest = body(&bytes)?;
    let saved = beside(move || {
        let wishes: Vec<Wish> = request.edits.into_iter().map(Wish::from).collect();
        let target = Target::from(request.target);
        let before = standing(&state)?;
        let saved = definition::save(
            &state.home,
            state.places(),
            target,
            &wishes,
            request.even_broken,
        );
        if saved.is_ok() {
            agree_again(&state, before)?;
        }
        match saved {
            Ok(saved) => Ok(Ok(dto::SaveAnswer {
                file: saved.file.to_string_lossy().into_owned(),
                changed: saved.changed,
                versions: saved.versions,
            })),
            Err(SaveError::Conflict(conflict)) => Ok(Err(dto::ConflictAnswer {
                ok: false,
                error: dto::ErrorBody {
                    code: "changed_meanwhile".to_owned(),
                    message: format!(
                        "{} was changed by somebody else",
                        materia_model::text::quoted(&conflict.name)
                    ),
                    hint: Some(
                        "look at their version, then save yours over it or take theirs".to_owned(),
                    ),
                },
                conflict: dto::Conflict {
                    name: conflict.name,
                    current: conflict.current,
                    version: conflict.version,
                },
            })),
            Err(error) => Err(error.into()),
        }
    });
    match saved.await? {
        Ok(saved) => ok(&saved),
        Err(conflict) => Ok(json(StatusCode::CONFLICT, &conflict)),
    }
}

/// How what the project brings stood before something of it is written.
fn standing(state: &State) -> Result<Standing, Failure> {
    let shown =
        trust::show(&state.files()?, Some(&state.home)).map_err(|error| Failure::from(&error))?;
    Ok(shown.standing)
}

/// What the person saves through our own editor is trusted (S1), where everything else in the file
/// was.
fn agree_again(state: &State, before: Standing) -> Result<(), Failure> {
    if !matches!(before, Standing::Nothing | Standing::Trusted) {
        return Ok(());
    }
    let files = state.files()?;
    let failed = |error: materia_engine::trust::Error| Failure::from(&error);
    let shown = trust::show(&files, Some(&state.home)).map_err(failed)?;
    trust::grant(&files, &state.home, &shown, &state.clock).map_err(failed)
}

/// Makes a loadout the active one.
pub(super) async fn choose_active(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: dto::ActiveRequest = body(&bytes)?;
    let chosen = beside(move || {
        let before = standing(&state)?;
        let chosen =
            loadout::choose_active(&state.home, state.places(), &request.name, Reach::Here)?;
        agree_again(&state, before)?;
        Ok(dto::ActiveAnswer {
            loadout: chosen.loadout,
            file: chosen.file.to_string_lossy().into_owned(),
            warnings: dto::issues(&chosen.warnings),
        })
    });
    ok(&chosen.await?)
}

impl From<dto::SectionName> for Section {
    fn from(name: dto::SectionName) -> Self {
        match name {
            dto::SectionName::Loadouts => Self::Loadout,
            dto::SectionName::Materia => Self::Materia,
        }
    }
}

impl From<dto::TargetName> for Target {
    fn from(name: dto::TargetName) -> Self {
        match name {
            dto::TargetName::User => Self::User,
            dto::TargetName::Project => Self::Project,
        }
    }
}

impl From<dto::SaveEdit> for Wish {
    fn from(edit: dto::SaveEdit) -> Self {
        let dto::SaveEdit {
            section,
            name,
            value,
            base,
        } = edit;
        Self {
            edit: Edit {
                section: section.into(),
                name,
                value,
            },
            base,
        }
    }
}

impl From<definition::NotDrafted> for Failure {
    fn from(why: definition::NotDrafted) -> Self {
        match why {
            definition::NotDrafted::Read(error) => error.into(),
            definition::NotDrafted::Broken(findings) => Self::from_findings(findings),
        }
    }
}

impl From<SaveError> for Failure {
    fn from(error: SaveError) -> Self {
        let typed = |kind, code: &str| Self::from_error(kind, code, &error);
        match &error {
            SaveError::Shipped(_) => typed(Kind::Refused, "readonly_loadout")
                .hint("duplicate it under another name first"),
            SaveError::Locked(_) => typed(Kind::Refused, "locked").hint("unlock it first"),
            SaveError::BadName { .. } => {
                typed(Kind::Invalid, "bad_name").hint("choose another name")
            }
            SaveError::Conflict(_) => {
                typed(Kind::Conflict, "changed_meanwhile").hint("look at their version")
            }
            SaveError::Broken(findings) => Self::from_findings(findings.clone()),
            SaveError::Lock(lock) => typed(Kind::Conflict, "in_use").hint(lock.hint()),
            SaveError::Read(_) | SaveError::Dir(_) | SaveError::Write(_) => {
                typed(Kind::Failed, "not_written").hint("make room and check who may write there")
            }
        }
    }
}
