//! Files that go with a prompt: what earlier steps found out, each under a heading.
//!
//! Owns how they are read, bounded (S5), and how they look in the prompt. An empty file says that
//! it is empty: whoever reads the prompt must not take a step that failed for one that had nothing
//! to say.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use materia_model::text;

use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind};

/// How much of one file is attached: its beginning and its end.
const MOST_BYTES: u64 = 256 * 1024;
/// How many files are attached.
const MOST_FILES: usize = 64;

/// The prompt with these files behind it. A word may name several, one on each line.
pub(super) fn attached(prompt: &str, files: &[String], world: &World) -> Result<String, ApiError> {
    let names: Vec<&str> = files
        .iter()
        .flat_map(|word| word.lines())
        .filter(|name| !name.is_empty())
        .collect();
    if names.len() > MOST_FILES {
        let message = format!(
            "{} files are attached, at most {MOST_FILES} are",
            names.len()
        );
        return Err(
            ApiError::new(ErrorKind::Invalid, "usage", message).hint("put them together first")
        );
    }
    let mut whole = prompt.trim_end().to_owned();
    for name in names {
        let path = world.path(Path::new(name));
        let (content, left_out) = read(&path).map_err(|error| {
            let message = format!("{} cannot be attached: {error}", text::quoted(name));
            let missing = error.kind() == std::io::ErrorKind::NotFound;
            let kind = if missing {
                ErrorKind::NotFound
            } else {
                ErrorKind::Invalid
            };
            ApiError::new(kind, "unreadable", message)
                .hint("name files that exist and that you may read")
        })?;
        let title = path
            .file_name()
            .unwrap_or(path.as_os_str())
            .to_string_lossy()
            .into_owned();
        let _ = write!(whole, "\n\n## Attached: {}\n\n", heading(&title));
        match content.trim() {
            "" => whole.push_str("(empty: that step failed, was skipped, or wrote nothing)"),
            content => whole.push_str(content),
        }
        if left_out > 0 {
            let _ = write!(
                whole,
                "\n\n({left_out} bytes from the middle were left out; all of it is in {name})"
            );
        }
    }
    whole.push('\n');
    Ok(whole)
}

/// Files of stages are numbered; their names say what they are.
fn heading(title: &str) -> &str {
    match title.split_once('-') {
        Some((number, name))
            if number.len() == 3 && number.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            name
        }
        _ => title,
    }
}

/// A file's text, without its middle where it is large, and how many bytes that was.
fn read(path: &Path) -> std::io::Result<(String, u64)> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut bytes = Vec::new();
    if size <= MOST_BYTES {
        file.take(MOST_BYTES).read_to_end(&mut bytes)?;
        return Ok((String::from_utf8_lossy(&bytes).into_owned(), 0));
    }
    let half = MOST_BYTES / 2;
    (&mut file).take(half).read_to_end(&mut bytes)?;
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    file.seek(SeekFrom::Start(size - half))?;
    bytes.clear();
    file.take(half).read_to_end(&mut bytes)?;
    text.push_str("\n[…]\n");
    text.push_str(&String::from_utf8_lossy(&bytes));
    Ok((text, size - 2 * half))
}
