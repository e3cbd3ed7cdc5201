//! A file of a repository and everything it would run, by hash.
//!
//! Owns the digest that trust is pinned to, and the summary that the user reads before they agree.
//! The digest covers names and bytes, each with its length, so that no byte can be moved from one
//! to the other.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};

/// A file of a repository and everything it would run.
#[derive(Debug, Clone)]
pub struct Closure {
    root: PathBuf,
    base: PathBuf,
    files: BTreeMap<String, String>,
    acts: Vec<TrustedAct>,
}

/// One thing that would run, as a person is shown it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct TrustedAct {
    /// What has it run.
    pub name: String,
    /// What it is: `command`, `template`, `recipe`, `utility` or `agent`.
    pub kind: &'static str,
    /// The commands, as argv.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub commands: Vec<Vec<String>>,
    /// What it is told in a few words: the tools of an agent, the name of a recipe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl Closure {
    /// The closure of a file in a repository. Names are relative to `base`, the repository's
    /// directory.
    pub fn new(root: PathBuf, base: PathBuf) -> Self {
        Self {
            root,
            base,
            files: BTreeMap::new(),
            acts: Vec::new(),
        }
    }

    /// Its root file.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The repository's directory.
    pub fn base(&self) -> &Path {
        &self.base
    }

    /// Adds a file by the bytes that will be used.
    pub fn add(&mut self, path: &Path, bytes: &[u8]) {
        self.add_hash(path, spelled(&Sha256::digest(bytes)));
    }

    /// Adds a file whose bytes were hashed while they were read.
    pub fn add_hash(&mut self, path: &Path, hash: String) {
        self.files
            .insert(named(path.strip_prefix(&self.base).unwrap_or(path)), hash);
    }

    /// Adds something that would run.
    pub fn add_act(&mut self, act: TrustedAct) {
        self.acts.push(act);
    }

    /// The files and their hashes.
    pub fn files(&self) -> &BTreeMap<String, String> {
        &self.files
    }

    /// What would run.
    pub fn acts(&self) -> &[TrustedAct] {
        &self.acts
    }

    /// Its key in the user's ledger.
    pub fn name(&self) -> String {
        named(&self.root)
    }

    /// The digest that trust is pinned to.
    pub fn digest(&self) -> String {
        let mut digest = Sha256::new();
        for part in self.files.iter().flat_map(|(name, hash)| [name, hash]) {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part.as_bytes());
        }
        spelled(&digest.finalize())
    }
}

/// A path as a text that is unique to it.
pub(super) fn named(path: &Path) -> String {
    match path.to_str() {
        Some(text) => text.to_owned(),
        None => path
            .as_os_str()
            .as_encoded_bytes()
            .escape_ascii()
            .to_string(),
    }
}

/// The hash of a file of any size.
pub fn hash_file(path: &Path) -> io::Result<String> {
    let (mut file, mut digest, mut buffer) = (File::open(path)?, Sha256::new(), vec![0; 64 * 1024]);
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(spelled(&digest.finalize())),
            Ok(count) => digest.update(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

pub(super) fn spelled(hash: &[u8]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}
