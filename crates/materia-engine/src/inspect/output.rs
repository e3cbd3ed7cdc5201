//! `run:X --view tail`: the end of what a run's commands wrote.
//!
//! Owns how much of it is shown: lines, and bytes, since one line can be a whole file.

use materia_model::run::{RunState, RunStatus};
use serde::Serialize;

use super::LINES;
use crate::run::{self, Error, OutputTail, RunDir};

/// How many bytes of a stream are shown, unless more lines than usual were asked for.
const USUAL: usize = 64 << 10;
/// How many are read at all.
const MOST: usize = 1 << 20;

/// The end of a run's output.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TailReport {
    /// Always true.
    pub ok: bool,
    /// The run.
    pub run: String,
    /// How it stands.
    pub status: RunStatus,
    /// The last lines.
    #[serde(flatten)]
    pub tail: OutputTail,
    /// Whether they wrote more than is shown; what it begins with need not be a whole line.
    pub incomplete: bool,
    /// Whether a person is told that: whoever asked for fewer lines knows.
    #[serde(skip)]
    pub is_surprising: bool,
    /// The file with all that it wrote to stdout.
    pub stdout_file: String,
    /// The file with all that it wrote to stderr.
    pub stderr_file: String,
}

/// The last lines of what a run wrote.
pub fn tail(place: &RunDir, state: &RunState, lines: usize) -> Result<TailReport, Error> {
    let mut tail = run::tail(place, lines)?;
    let most = if lines > LINES { MOST } else { USUAL };
    let stdout = cut(&mut tail.stdout, tail.stdout_bytes, most);
    let stderr = cut(&mut tail.stderr, tail.stderr_bytes, most);
    Ok(TailReport {
        ok: true,
        run: place.id().to_string(),
        status: state.status,
        incomplete: stdout || stderr || tail.has_earlier,
        is_surprising: stdout || stderr || (tail.has_earlier && lines == LINES),
        tail,
        stdout_file: place.stdout().to_string_lossy().into_owned(),
        stderr_file: place.stderr().to_string_lossy().into_owned(),
    })
}

/// Keeps the last so many bytes of a text that is the end of a file; whether its first line is not
/// whole now.
fn cut(text: &mut String, total: u64, most: usize) -> bool {
    let is_cut = text.len() >= most && total > most as u64;
    let begin = text.len().saturating_sub(most);
    text.drain(..text.ceil_char_boundary(begin));
    is_cut
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn the_end_is_kept_and_characters_stay_whole() {
        let cut = |text: &str, total, most| {
            let mut text = text.to_owned();
            (cut(&mut text, total, most), text)
        };
        assert_eq!(cut("abcdef", 6, 10), (false, "abcdef".into()));
        assert_eq!(cut("abcdef", 6, 6), (false, "abcdef".into()));
        assert_eq!(
            cut("abcdef", 60, 6),
            (true, "abcdef".into()),
            "the reader saw no more"
        );
        assert_eq!(cut("abcdef", 6, 2), (true, "ef".into()));
        assert_eq!(cut("aäöü", 7, 3), (true, "ü".into()));
    }
}
