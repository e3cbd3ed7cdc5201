//! Forks: a new cast that begins with the state of another one after one of its finished steps.
//!
//! Owns copying the first part of a log, the definition and the artifacts that belong to it. The
//! new cast is built under a temporary name beside the others and renamed when it is complete, so
//! that a fork killed halfway leaves no cast. The original is only read.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use materia_model::cast::CastEventBody;
use materia_model::cast::event::CastStart;
use serde_json::Value;

use super::error::Error;
use super::folder::{Folder, UnsyncedStart};
use super::glance::replay;
use super::log::Log;
use crate::clock::Clock;
use crate::store::artifact::ArtifactRoot;
use crate::store::dir;

/// The largest artifact that is copied. Larger ones stay with the original.
const LARGEST: u64 = 64 << 20;

/// Begins a new cast with the events of another one up to this record. The first event records
/// `origin`.
pub fn fork(
    folder: &Folder,
    casts: &Path,
    last: u64,
    origin: Value,
    clock: &Clock,
) -> Result<Folder, Error> {
    let (bodies, visits) = beginning(folder, last)?;
    let (place, cast_id) = Folder::create(casts, clock)?;
    let scratch = dir::Scratch::create(casts)?;
    let made = Folder::open(scratch.path())?;
    let definition = made.write_definition(&folder.read_definition()?)?;
    copy_artifacts(folder, &made, &visits)?;
    write_log(&made, definition, bodies, &cast_id, origin, clock)?;
    dir::replace_empty(&scratch.into_path(), place.path())?;
    Folder::open(place.path())
}

/// The events of a cast up to a record, and the visits that they mention.
fn beginning(
    folder: &Folder,
    last: u64,
) -> Result<(Vec<CastEventBody>, BTreeMap<String, u64>), Error> {
    let (mut bodies, mut visits) = (Vec::new(), BTreeMap::new());
    replay(folder, |record, event, _| {
        if record.seq > last {
            return;
        }
        if let CastEventBody::SocketStart(start) = &event.body {
            visits.insert(start.place.socket.clone(), start.place.visit);
        }
        bodies.push(event.body.clone());
    })?;
    Ok((bodies, visits))
}

fn write_log(
    made: &Folder,
    definition: UnsyncedStart,
    bodies: Vec<CastEventBody>,
    cast_id: &str,
    origin: Value,
    clock: &Clock,
) -> Result<(), Error> {
    let mut bodies = bodies.into_iter();
    let Some(CastEventBody::CastStart(start)) = bodies.next() else {
        return Err(Error::NoBeginning);
    };
    let mut start = CastStart {
        cast_id: cast_id.to_owned(),
        ..start
    };
    start.more.insert("forkedFrom".to_owned(), origin);
    let (mut log, _) = Log::begin(made, clock, definition, start)?;
    for body in bodies {
        log.copy(body)?;
    }
    log.settle(made)
}

/// Copies the artifacts of the first visits of each socket.
fn copy_artifacts(from: &Folder, to: &Folder, visits: &BTreeMap<String, u64>) -> Result<(), Error> {
    let (source, target) = (
        ArtifactRoot::open(from.path())?,
        ArtifactRoot::open(to.path())?,
    );
    for (socket, last) in visits {
        let below = format!("sockets/{}", super::folder::segment(socket));
        for entry in std::fs::read_dir(from.path().join(&below))
            .into_iter()
            .flatten()
            .flatten()
        {
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if visit_of(&name).is_none_or(|visit| visit > *last) || !entry.file_type()?.is_file() {
                continue;
            }
            let path = format!("{below}/{name}");
            let mut bytes = Vec::new();
            source
                .read(&path)?
                .take(LARGEST + 1)
                .read_to_end(&mut bytes)?;
            if bytes.len() as u64 <= LARGEST {
                target.write(&path, &bytes)?;
            }
        }
    }
    Ok(())
}

/// The visit that an artifact belongs to: the number at the beginning of its name.
fn visit_of(name: &str) -> Option<u64> {
    let digits = name
        .find(|c: char| !c.is_ascii_digit())
        .map(|end| &name[..end])?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifacts_belong_to_the_visit_their_name_begins_with() {
        let visits = ["12-WI-1.a2.output.md", "3.prompt.md", "x.md", "7"].map(visit_of);
        assert_eq!(visits, [Some(12), Some(3), None, None]);
    }
}
