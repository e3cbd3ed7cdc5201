//! The floors: little C programs that do the least anybody can do, compiled when they are needed.

use std::path::{Path, PathBuf};

/// Compiles a floor with the machine's own C compiler.
pub(crate) fn compile(name: &str, scratch: &Path) -> Result<PathBuf, Box<dyn std::error::Error>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("floor").join(name);
    let program = scratch.join(name.trim_end_matches(".c"));
    let built = std::process::Command::new("cc").arg("-O2").arg("-o").arg(&program).arg(&source).status()?;
    if built.success() { Ok(program) } else { Err(format!("cc failed on {}", source.display()).into()) }
}
