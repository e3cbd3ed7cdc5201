//! A seal on our documents in directories that others can write to, such as the definition of a
//! cast in a project.
//!
//! Owns the key, 0600 in the profile, and the seal: an HMAC-SHA-256 with it. A document without
//! this user's seal came with the repository, whatever it looks like. Never decides what a sealed
//! document may do.

use std::fs::File;
use std::io::Read;

use sha2::{Digest, Sha256};

use super::closure::spelled;
use super::refusal::Error;
use crate::clock::Clock;
use crate::home::Home;
use crate::store::{atomic, dir};

/// Minimum length of a key.
const SHORTEST: usize = 32;
const BLOCK: usize = 64;

/// The seal of a document. Creates the key if there is none.
pub fn seal(home: &Home, document: &str, clock: &Clock) -> Result<String, Error> {
    if let Some(key) = key(home) {
        return Ok(sealed(&key, document));
    }
    dir::create_private(home.profile())?;
    let fresh = format!("{}{}", clock.fresh_id(), clock.fresh_id());
    atomic::write(&home.seal_key(), fresh.as_bytes())?;
    // If two processes create a key at once, both use the last one written.
    Ok(sealed(&key(home).unwrap_or(fresh.into_bytes()), document))
}

/// Whether a document carries this user's seal.
pub fn is_sealed(home: &Home, document: &str, seal: &str) -> bool {
    key(home).is_some_and(|key| sealed(&key, document) == seal)
}

fn key(home: &Home) -> Option<Vec<u8>> {
    let mut key = Vec::new();
    File::open(home.seal_key())
        .ok()?
        .take(4096)
        .read_to_end(&mut key)
        .ok()?;
    (key.len() >= SHORTEST).then_some(key)
}

fn sealed(key: &[u8], document: &str) -> String {
    let mut block = [0; BLOCK];
    let short = if key.len() > BLOCK {
        Sha256::digest(key).to_vec()
    } else {
        key.to_vec()
    };
    block[..short.len()].copy_from_slice(&short);
    let inner = Sha256::new()
        .chain_update(block.map(|byte| byte ^ 0x36))
        .chain_update(document)
        .finalize();
    spelled(
        &Sha256::new()
            .chain_update(block.map(|byte| byte ^ 0x5c))
            .chain_update(inner)
            .finalize(),
    )
}
