//! `run:X --view tail`: the end of the output of a run's commands.
//!
//! Owns how much of it is shown: lines, and bytes, since one line can be a whole file.

use materia_model::run::{RunState, RunStatus};
use serde::Serialize;

use super::LINES;
use crate::run::{self, Error, OutputTail, RunDir};

/// How many bytes of a stream are shown, unless more lines than the default are requested.
const USUAL: usize = 64 << 10;
/// How many bytes are read at most.
const MOST: usize = 1 << 20;

/// The end of a run's output.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TailReport {
    /// Always true.
    pub ok: bool,
    /// The run.
    pub run: String,
    /// The status of the run.
    pub status: RunStatus,
    /// The last lines.
    #[serde(flatten)]
    pub tail: OutputTail,
    /// Whether there is more output than is shown. The first line may be incomplete.
    pub incomplete: bool,
    /// Whether to show that to a user: a user who requested fewer lines knows it.
    #[serde(skip)]
    pub is_surprising: bool,
    /// The file with the whole stdout.
    pub stdout_file: String,
    /// The file with the whole stderr.
    pub stderr_file: String,
}

/// The last lines of a run's output.
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

/// Keeps the last bytes of a text that is the end of a file. Returns whether its first line is
/// incomplete now.
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
