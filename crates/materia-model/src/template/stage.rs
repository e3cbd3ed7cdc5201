//! Stages: steps whose output later steps name as a file, `{stages.review}` (R7).
//!
//! Owns which stages have ended at a point of the plan and the names of their files. A name refers
//! to the nearest earlier stage of the same document: branches do not see each other's stages, and
//! neither do documents and their imports. Never writes a file: the executor does, if a plan has
//! `keep`.

use std::collections::BTreeMap;

use super::fault::{PlaceholderFault, wrong};
use super::node::DocumentScope;
use super::plan::{Plan, PlanBody};
use crate::text;

/// The stage directory for callers that only show a plan.
const SHOWN: &str = "stages";

/// The stages of the plan expanded so far.
#[derive(Debug, Default)]
pub(crate) struct PlanStages {
    all: Vec<Stage>,
    /// The stages that have ended, latest last.
    over: Vec<usize>,
    /// Whether any was named.
    used: bool,
}

#[derive(Debug)]
struct Stage {
    name: String,
    /// The document that contains it.
    realm: *const DocumentScope,
    path: String,
    used: bool,
    /// Whether several branches have a stage of this name, so that a reference is ambiguous.
    doubtful: bool,
}

impl PlanStages {
    /// Adds a stage that ends before the next expanded step. Returns the file for its output.
    pub(crate) fn add(
        &mut self,
        name: &str,
        realm: Option<&DocumentScope>,
        dir: Option<&str>,
    ) -> String {
        let number = self.all.len() + 1;
        let path = format!(
            "{}/{number:03}-{name}",
            dir.unwrap_or(SHOWN).trim_end_matches('/')
        );
        self.over.push(self.all.len());
        let realm = realm.map_or(std::ptr::null(), std::ptr::from_ref);
        let (name, doubtful) = (name.to_owned(), false);
        self.all.push(Stage {
            name,
            realm,
            path: path.clone(),
            used: false,
            doubtful,
        });
        path
    }

    /// The file of an earlier stage.
    pub(crate) fn named(
        &mut self,
        name: &str,
        realm: Option<&DocumentScope>,
    ) -> Result<String, PlaceholderFault> {
        let realm = realm.map_or(std::ptr::null(), std::ptr::from_ref);
        let own = |stage: &Stage| std::ptr::eq(stage.realm, realm);
        let found = self.over.iter().rev().copied().find(|id| {
            self.all
                .get(*id)
                .is_some_and(|stage| own(stage) && stage.name == name)
        });
        let Some(stage) = found.and_then(|id| self.all.get_mut(id)) else {
            return Err(self.unknown(name, realm));
        };
        if stage.doubtful {
            let message = format!("{} runs in several branches", text::quoted(name));
            return Err(wrong(
                "ambiguous-stage",
                message,
                "name the parallel node around them a stage",
            ));
        }
        stage.used = true;
        self.used = true;
        Ok(stage.path.clone())
    }

    fn unknown(&self, name: &str, realm: *const DocumentScope) -> PlaceholderFault {
        let earlier = self.over.iter().filter_map(|id| self.all.get(*id));
        let mut names: Vec<&str> = earlier
            .filter(|stage| std::ptr::eq(stage.realm, realm))
            .map(|stage| stage.name.as_str())
            .collect();
        names.dedup();
        names.truncate(10);
        let hint = match text::closest(name, names.iter().copied()) {
            Some(near) => format!("did you mean {{stages.{near}}}?"),
            None if names.is_empty() => {
                format!(
                    "give an earlier step \"stage\": \"{}\"",
                    text::bounded(name, 60)
                )
            }
            None => format!("earlier stages here are {}", text::list(&names, "and")),
        };
        let message = format!(
            "{} is no stage that is over before this step",
            text::quoted(name)
        );
        wrong("unknown-stage", message, hint)
    }

    /// The number of ended stages, to mark the start of a branch.
    pub(crate) fn mark(&self) -> usize {
        self.over.len()
    }

    /// Removes the stages that ended since a mark, so that another branch does not see them.
    pub(crate) fn hide(&mut self, mark: usize) -> Vec<usize> {
        self.over.split_off(mark.min(self.over.len()))
    }

    /// Joins all branches. A stage name in several of them becomes ambiguous.
    pub(crate) fn join(&mut self, branches: Vec<Vec<usize>>) {
        let mut seen: BTreeMap<(String, *const DocumentScope), (usize, bool)> = BTreeMap::new();
        for (index, id) in branches
            .iter()
            .enumerate()
            .flat_map(|(index, ids)| ids.iter().map(move |id| (index, *id)))
        {
            let Some(stage) = self.all.get(id) else {
                continue;
            };
            let (first, twice) = seen
                .entry((stage.name.clone(), stage.realm))
                .or_insert((index, false));
            *twice |= *first != index;
        }
        for id in branches.iter().flatten() {
            let Some(stage) = self.all.get_mut(*id) else {
                continue;
            };
            let twice = seen
                .get(&(stage.name.clone(), stage.realm))
                .is_some_and(|(_, twice)| *twice);
            stage.doubtful |= twice;
        }
        self.over.extend(branches.into_iter().flatten());
    }

    /// Removes the file from every node whose output is never referenced.
    pub(crate) fn settle(&self, plan: &mut Plan) {
        let kept = |path: &String| {
            self.used
                && self
                    .all
                    .iter()
                    .any(|stage| stage.used && stage.path == *path)
        };
        plan.controls.keep = plan.controls.keep.take().filter(kept);
        plan.controls
            .recover
            .iter_mut()
            .for_each(|recover| self.settle(recover));
        match &mut plan.body {
            PlanBody::Sequence(children)
            | PlanBody::Parallel {
                branches: children, ..
            } => {
                children.iter_mut().for_each(|child| self.settle(child));
            }
            PlanBody::Nested(inner) => self.settle(inner),
            PlanBody::Command { .. } | PlanBody::Skipped(_) => {}
        }
    }
}
