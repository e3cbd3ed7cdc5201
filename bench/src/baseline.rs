//! Baselines: small C programs that do the least possible work, compiled on demand, and the disk they
//! use.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A temporary directory on the disk of the checkout, because the system's temporary directory may be
/// in memory.
pub(crate) fn disk() -> std::io::Result<TempDir> {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
    std::fs::create_dir_all(&built)?;
    tempfile::tempdir_in(built)
}

/// Compiles a baseline with the system's C compiler.
pub(crate) fn compile(name: &str, scratch: &Path) -> Result<PathBuf, Box<dyn std::error::Error>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("baseline")
        .join(name);
    let program = scratch.join(name.trim_end_matches(".c"));
    let built = std::process::Command::new("cc")
        .arg("-O2")
        .arg("-o")
        .arg(&program)
        .arg(&source)
        .status()?;
    if built.success() {
        Ok(program)
    } else {
        Err(format!("cc failed on {}", source.display()).into())
    }
}
