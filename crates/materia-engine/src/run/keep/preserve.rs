//! Copies of the artifacts of a run, kept when the run is pruned.
//!
//! Owns their path: `RUN-GENERATION/ARTIFACT/…`, so that no copy replaces another. Copies are made
//! under a hidden name, and renamed when all of them are complete and durable. The pruning process
//! holds the run's lock meanwhile. Removes no file of the run.

use std::path::{Path, PathBuf};

use materia_model::name::RunId;
use materia_model::run::{DeclaredArtifact, RunStart, RunState};

use crate::clock::Clock;
use crate::run::{Error, RunDir, RunRoot};
use crate::store::{copy, dir, tree};

/// Copies the artifacts of a run that is over, and returns the paths. `place` is the original
/// directory of the run, `now` its current one.
pub(super) fn preserve(
    root: &RunRoot,
    place: &RunDir,
    now: &Path,
    state: &RunState,
) -> Result<Vec<PathBuf>, Error> {
    let Some(start) = &state.start else {
        return Ok(Vec::new());
    };
    let kept = root.preserved().join(name(start));
    let artifacts = artifacts(start, place, now);
    // If a process was killed after this point, all copies exist already.
    if !kept.is_dir() && artifacts.iter().any(Artifact::may_be_there) {
        let hidden = hidden(root, start);
        clear(&hidden)?;
        let made = copy_all(start, &artifacts, &hidden)
            .and_then(|()| tree::rename(&hidden, &kept).map(drop).map_err(Error::from));
        if let Err(error) = made {
            // Incomplete copies are useless, and may be what fills the disk.
            let _next_time = clear(&hidden);
            return Err(error);
        }
    }
    let there = artifacts
        .iter()
        .map(|artifact| kept.join(&artifact.to))
        .filter(|copy| copy.exists());
    Ok(there.collect())
}

/// Removes the incomplete copies of a killed process. The caller holds the run's lock.
pub(super) fn forget(root: &RunRoot, state: &RunState) {
    if let Some(start) = &state.start {
        let _stays = clear(&hidden(root, start));
    }
}

/// An artifact: its path, and the path of its copy below the common directory.
struct Artifact<'a> {
    name: &'a str,
    from: PathBuf,
    to: PathBuf,
}

impl Artifact<'_> {
    /// Whether it may exist. An artifact that cannot be examined counts as existing, so that it is
    /// not lost silently.
    fn may_be_there(&self) -> bool {
        !matches!(self.from.try_exists(), Ok(false))
    }
}

fn artifacts<'a>(start: &'a RunStart, place: &RunDir, now: &Path) -> Vec<Artifact<'a>> {
    let one = |(number, (name, declared)): (usize, (&'a String, &DeclaredArtifact))| {
        let path = Path::new(&start.cwd).join(&declared.path);
        // Files in the run's directory were moved with it.
        let from = path
            .strip_prefix(place.dir())
            .map_or_else(|_| path.clone(), |rest| now.join(rest));
        let base = path
            .file_name()
            .or_else(|| place.dir().file_name())
            .unwrap_or_default();
        // A recipe may give an artifact any name. `_N` is unique: no id begins with an underscore.
        let folder = name
            .parse::<RunId>()
            .map_or_else(|_| format!("_{number}"), |name| name.to_string());
        Artifact {
            name,
            from,
            to: Path::new(&folder).join(base),
        }
    };
    start.artifacts.iter().enumerate().map(one).collect()
}

fn copy_all(start: &RunStart, artifacts: &[Artifact<'_>], to: &Path) -> Result<(), Error> {
    for artifact in artifacts.iter().filter(|artifact| artifact.may_be_there()) {
        let to = to.join(&artifact.to);
        dir::create_private(dir::parent_of(&to))?;
        copy::whole(&artifact.from, &to).map_err(|source| Error::Unkept {
            run: start.run.clone(),
            artifact: artifact.name.to_owned(),
            source,
        })?;
        dir::sync(dir::parent_of(&to))?;
    }
    Ok(dir::sync(to)?)
}

fn clear(hidden: &Path) -> Result<(), Error> {
    if hidden.is_dir() {
        tree::discard(hidden, &Clock::system().fresh_id())?;
    }
    Ok(())
}

fn hidden(root: &RunRoot, start: &RunStart) -> PathBuf {
    root.preserved().join(format!(".{}", name(start)))
}

/// The name of the directory of copies. The generation makes it unique.
fn name(start: &RunStart) -> String {
    format!("{}-{}", start.run, start.generation)
}
