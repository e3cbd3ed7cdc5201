//! The join: the outputs of branches in order, each under a header.
//!
//! Owns its text and the report of one branch. Small outputs are buffered and written together;
//! large ones are copied inside the kernel.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use materia_model::template::Plan;

use super::fan::{BranchOutput, BranchState, Finished};
use super::flow::{Flow, Spool};
use super::report::{Branch, BranchStatus};
use super::task::End;
use crate::store::spool;

/// Maximum number of buffered bytes before a write.
const GATHERED: usize = 64 * 1024;

/// The report of one branch.
pub(super) fn report((index, (plan, place)): (usize, (&Plan, &BranchState))) -> Branch {
    let label = plan
        .controls
        .label
        .clone()
        .unwrap_or_else(|| format!("branch {}", index + 1));
    let BranchState::Ended(Finished {
        end, code, stderr, ..
    }) = place
    else {
        return Branch {
            label,
            status: BranchStatus::Cancelled,
            code: 130,
            stderr: String::new(),
        };
    };
    let status = match end {
        End::Ok => BranchStatus::Done,
        End::Skipped => BranchStatus::Skipped,
        End::Failed => BranchStatus::Failed,
        End::TimedOut => BranchStatus::Timeout,
        End::Cancelled => BranchStatus::Cancelled,
    };
    let stderr = if end.is_failure() {
        stderr.clone()
    } else {
        String::new()
    };
    Branch {
        label,
        status,
        code: *code,
        stderr,
    }
}

/// Builds the whole text.
pub(super) fn text(spool: &Spool, reports: &[Branch], places: &[BranchState]) -> io::Result<Flow> {
    let mut joined = Joined {
        spool,
        file: None,
        written: 0,
        gathered: Vec::new(),
    };
    for (index, (branch, place)) in reports.iter().zip(places).enumerate() {
        let separator = if index == 0 { "" } else { "\n" };
        let Branch {
            label,
            status,
            code,
            stderr,
        } = branch;
        joined.text(&format!(
            "{separator}--- branch: {label} status: {} ---\n",
            status.word()
        ))?;
        match (status, place) {
            (BranchStatus::Done, BranchState::Ended(Finished { kept, .. })) => joined.kept(kept)?,
            (BranchStatus::Done | BranchStatus::Skipped, _) => {}
            (BranchStatus::Failed | BranchStatus::Timeout | BranchStatus::Cancelled, _) => {
                joined.text(&format!("exit: {code}"))?;
                if !stderr.is_empty() {
                    joined.text(&format!("\nstderr: {stderr}"))?;
                }
            }
        }
    }
    joined.finish()
}

/// A join that is being written.
struct Joined<'s> {
    spool: &'s Spool,
    file: Option<Arc<File>>,
    written: u64,
    gathered: Vec<u8>,
}

impl Joined<'_> {
    fn text(&mut self, text: &str) -> io::Result<()> {
        self.gathered.extend_from_slice(text.as_bytes());
        if self.gathered.len() >= GATHERED {
            self.write_gathered()
        } else {
            Ok(())
        }
    }

    fn kept(&mut self, kept: &BranchOutput) -> io::Result<()> {
        let (file, start, len) = match kept {
            BranchOutput::Nothing | BranchOutput::Flow(Flow::None) => return Ok(()),
            BranchOutput::Flow(Flow::Bytes(bytes)) => {
                self.gathered.extend_from_slice(bytes);
                return if self.gathered.len() >= GATHERED {
                    self.write_gathered()
                } else {
                    Ok(())
                };
            }
            BranchOutput::Flow(Flow::File(file)) => (file, 0, file.metadata()?.len()),
            BranchOutput::Part { file, start, len } => (file, *start, *len),
        };
        if len >= GATHERED as u64 {
            self.write_gathered()?;
            spool::copy_range(file, start..start + len, &*self.file()?, self.written)?;
            self.written += len;
            return Ok(());
        }
        let before = self.gathered.len();
        self.gathered
            .resize(before + usize::try_from(len).unwrap_or(GATHERED), 0);
        file.read_exact_at(&mut self.gathered[before..], start)?;
        if self.gathered.len() >= GATHERED {
            self.write_gathered()
        } else {
            Ok(())
        }
    }

    fn write_gathered(&mut self) -> io::Result<()> {
        spool::write_at(&*self.file()?, &self.gathered, self.written)?;
        self.written += self.gathered.len() as u64;
        self.gathered.clear();
        Ok(())
    }

    /// The file, created at the first write.
    fn file(&mut self) -> io::Result<Arc<File>> {
        match &self.file {
            Some(file) => Ok(Arc::clone(file)),
            None => Ok(Arc::clone(self.file.insert(Arc::new(self.spool.file()?)))),
        }
    }

    /// Returns the text. A short one stays in memory.
    fn finish(mut self) -> io::Result<Flow> {
        if self.file.is_none() {
            return Ok(Flow::bytes(&self.gathered));
        }
        self.write_gathered()?;
        Ok(self.file.map_or(Flow::None, Flow::File))
    }
}
