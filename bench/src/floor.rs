//! The floors: little C programs that do the least anybody can do, compiled when they are needed,
//! and the disk on which they do it.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A directory for a moment on the disk where state lives; the system's temporary directory may be
/// memory.
pub(crate) fn disk() -> std::io::Result<TempDir> {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
    std::fs::create_dir_all(&built)?;
    tempfile::tempdir_in(built)
}

/// Compiles a floor with the machine's own C compiler.
pub(crate) fn compile(name: &str, scratch: &Path) -> Result<PathBuf, Box<dyn std::error::Error>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("floor")
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
