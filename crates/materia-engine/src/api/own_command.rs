//! A command of this program that a server runs for a client, in a process of its own.

use materia_model::text;

use super::{ApiError, Engine, ErrorKind};
use crate::launch::own_command::{self, OwnCommand};

/// The most that is reported of its stderr, in bytes.
const MAX_STDERR: usize = 2000;

/// A command of this program.
#[derive(Debug, Clone, Default)]
pub struct OwnCommandRequest {
    /// Its arguments, the subcommand first.
    pub arguments: Vec<String>,
    /// What it reads.
    pub stdin: Option<String>,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct OwnCommandReport {
    /// Its exit code.
    pub code: i32,
    /// Its whole stdout.
    pub stdout: Vec<u8>,
    /// The beginning of its stderr.
    pub stderr: String,
}

impl Engine {
    /// Runs a command of this program on behalf of the caller. A cancelled call ends it and
    /// everything that it started.
    pub fn own_command(&self, request: OwnCommandRequest) -> Result<OwnCommandReport, ApiError> {
        let command = OwnCommand {
            arguments: request.arguments,
            stdin: request.stdin,
            cwd: self.project().ok().map(Into::into),
            session: self.caller(None)?.session,
            keeps_trust: self.variable("MATERIA_TRUST").is_some(),
        };
        let ended = own_command::run(command, &self.interrupts()).map_err(|error| {
            ApiError::from_error(ErrorKind::Failed, "not_run", &error).hint("see `materia doctor`")
        })?;
        if !ended.stdout.is_whole() {
            let message = "the report is larger than a message may be";
            return Err(ApiError::new(ErrorKind::Internal, "too_large", message));
        }
        let stderr = String::from_utf8_lossy(&ended.stderr.bytes);
        Ok(OwnCommandReport {
            code: ended.code(),
            stderr: text::bounded(stderr.trim(), MAX_STDERR).into_owned(),
            stdout: ended.stdout.bytes,
        })
    }
}
