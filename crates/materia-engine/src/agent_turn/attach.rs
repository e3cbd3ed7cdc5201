//! Files attached to a prompt: the results of earlier steps, each under a heading.
//!
//! Owns reading them, bounded (S5), and their layout in the prompt. An empty file is marked as
//! empty: an agent must not mistake a failed step for one that had nothing to report.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::Error;

/// Maximum size of an attached file, in bytes. A larger one loses its middle.
const MAX_FILE_BYTES: u64 = 256 * 1024;
/// Maximum number of attached files.
pub(super) const MAX_FILES: usize = 64;

/// The prompt followed by these files; their names are relative to `cwd`. A name may have several
/// lines, with one file on each.
pub fn attach(prompt: &str, files: &[String], cwd: &Path) -> Result<String, Error> {
    let names: Vec<&str> = files
        .iter()
        .flat_map(|names| names.lines())
        .filter(|name| !name.is_empty())
        .collect();
    if names.len() > MAX_FILES {
        return Err(Error::TooManyFiles { count: names.len() });
    }
    let mut whole = prompt.trim_end().to_owned();
    for name in names {
        let path = cwd.join(name);
        let (content, left_out) = read(&path).map_err(|error| Error::Attachment {
            name: name.to_owned(),
            error,
        })?;
        let title = path.file_name().unwrap_or(path.as_os_str());
        let title = title.to_string_lossy();
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

/// The name of a stage's file without its number.
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

/// The text of a file, without its middle if it is large, and the number of bytes left out.
fn read(path: &Path) -> std::io::Result<(String, u64)> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut bytes = Vec::new();
    if size <= MAX_FILE_BYTES {
        file.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
        return Ok((String::from_utf8_lossy(&bytes).into_owned(), 0));
    }
    let half = MAX_FILE_BYTES / 2;
    (&mut file).take(half).read_to_end(&mut bytes)?;
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    file.seek(SeekFrom::Start(size - half))?;
    bytes.clear();
    file.take(half).read_to_end(&mut bytes)?;
    text.push_str("\n[…]\n");
    text.push_str(&String::from_utf8_lossy(&bytes));
    Ok((text, size - 2 * half))
}
