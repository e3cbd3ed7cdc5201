//! The launchers of the shipped utilities in the profile: small scripts for users and other
//! programs (C18).
//!
//! Owns their text, the manifest of hashes beside them, and the update rule: a launcher that the
//! user changed stays, and the current version is written beside it under a name with its hash.
//! Casts do not need launchers, because they run utilities inside this program. So nothing here is
//! synced to disk, and an empty file counts as missing.

mod manifest;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::SHIPPED;
use crate::home::Home;
use crate::store::atomic::{self, Copied, WriteError};
use crate::store::dir::{self, DirError};
use manifest::{LauncherEntry, LauncherManifest};

/// The manifest, under the name that existing profiles use.
pub const MANIFEST: &str = ".pi-materia-shipped-utilities.json";

/// Maximum size of a launcher of this or an older version, in bytes.
const LONGEST: u64 = 64 * 1024;

/// Why launchers were not updated.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// The directory cannot be created.
    #[error(transparent)]
    Dir(#[from] DirError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Updates the launchers in the profile. Writes nothing if nothing changed.
pub fn sync(home: &Home) -> Result<(), SyncError> {
    let folder = home.utilities();
    let before = manifest::read(&folder.join(MANIFEST));
    let mut now = before.clone().unwrap_or_default();
    for shipped in SHIPPED.iter().filter(|shipped| shipped.materia.is_some()) {
        sync_one(
            &folder,
            shipped.name,
            &text(shipped.name, shipped.about),
            &mut now,
        )?;
    }
    if before.as_ref() != Some(&now) {
        atomic::put(&folder.join(MANIFEST), now.text().as_bytes(), Copied::Text)?;
    }
    Ok(())
}

/// Updates one launcher: missing, current, an old version of ours, or changed by the user.
fn sync_one(
    folder: &Path,
    name: &str,
    source: &str,
    manifest: &mut LauncherManifest,
) -> Result<(), SyncError> {
    let known = manifest.get(name);
    let target = known
        .as_ref()
        .map_or(name, |entry| &entry.profile_file)
        .to_owned();
    let found = found(&folder.join(&target), source);
    let ours = |hash: &str| {
        known
            .as_ref()
            .is_some_and(|entry| entry.source_hash == hash)
    };
    let mut entry = LauncherEntry {
        source_hash: hash(source.as_bytes()),
        profile_file: target.clone(),
        conflict: known.as_ref().and_then(|entry| entry.conflict.clone()),
    };
    match found {
        Found::Current => {}
        Found::Missing => write(folder, &target, source)?,
        Found::Other(hash) if ours(&hash) => write(folder, &target, source)?,
        Found::Other(_) | Found::Foreign => {
            let beside = beside(folder, name, &entry.source_hash, source)?;
            entry.conflict = Some(std::mem::replace(&mut entry.profile_file, beside));
        }
    }
    manifest.set(name, &entry);
    Ok(())
}

/// Writes the launcher beside one that the user changed, under the first free name with its hash.
fn beside(folder: &Path, name: &str, hash: &str, source: &str) -> Result<String, SyncError> {
    for digits in (12..=hash.len()).step_by(4) {
        let candidate = format!("{name}.{}", &hash[..digits]);
        match found(&folder.join(&candidate), source) {
            Found::Current => return Ok(candidate),
            Found::Missing => return write(folder, &candidate, source).map(|()| candidate),
            Found::Other(_) | Found::Foreign => {}
        }
    }
    // The user changed a file under every candidate name: report the last one and keep them all.
    Ok(format!("{name}.{hash}"))
}

fn write(folder: &Path, name: &str, source: &str) -> Result<(), SyncError> {
    dir::create_private(folder)?;
    Ok(atomic::put(
        &folder.join(name),
        source.as_bytes(),
        Copied::Program,
    )?)
}

/// The file in place of a launcher.
enum Found {
    Missing,
    Current,
    /// Another file, with its hash.
    Other(String),
    /// A file that no version of ours wrote.
    Foreign,
}

fn found(path: &Path, source: &str) -> Found {
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Found::Missing,
        Ok(found) if found.is_file() && found.len() <= LONGEST => {}
        _ => return Found::Foreign,
    }
    let mut bytes = Vec::new();
    match File::open(path).and_then(|file| file.take(LONGEST).read_to_end(&mut bytes)) {
        Err(_) => Found::Foreign,
        Ok(_) if bytes.is_empty() => Found::Missing,
        Ok(_) if bytes == source.as_bytes() => Found::Current,
        Ok(_) => Found::Other(hash(&bytes)),
    }
}

fn text(name: &str, about: &str) -> String {
    format!(
        "#!/bin/sh\n# {name}: {about}.\n# Reads the input document of a utility on stdin and writes its result on stdout.\n\
        # Change it as you like: your copy stays, and the next version of it lands beside it.\n\
        exec materia utility {name}\n"
    )
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests;
