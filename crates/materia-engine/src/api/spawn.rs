//! `spawn`: a template, a recipe, a cast or an agent becomes a run that outlives its caller.
//!
//! Owns [`RunOptions`], what every kind of run can be given.

use materia_model::message::Mailbox;
use materia_model::name::RunId;
use materia_model::run::{OnSessionEnd, RetireWhen, RunOrigin};
use materia_model::text;
use serde_json::Value;

use super::{ApiError, Engine, ErrorKind};
use crate::launch::artifact;
use crate::launch::spawn::{self, RunSettings, SpawnContext, SpawnTemplate};
use crate::recipe::TemplateRequest;
use crate::run::sweep_daily;

pub use crate::launch::spawn::SpawnReport;

/// What every kind of run can be given when it is spawned.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Its address, `run:ID`; a bare id is accepted. Without one an id is generated.
    pub address: Option<String>,
    /// The session that owns it; the caller's where it is absent.
    pub session: Option<String>,
    /// The contract of its mailbox, as JSON text.
    pub mailbox: Option<String>,
    /// When it ends by itself.
    pub retire_when: Option<RetireWhen>,
    /// What happens to it when its session ends.
    pub on_session_end: OnSessionEnd,
}

/// A template or a recipe that becomes a run.
#[derive(Debug)]
pub struct SpawnRequest {
    /// The template. It has no stdin.
    pub template: TemplateRequest,
    /// The artifacts of the run: `NAME=PATH`, where the path may name values, or
    /// `NAME={"path": …, "kind"?, "media_type"?, "required"?}`.
    pub artifacts: Vec<String>,
    /// The run.
    pub options: RunOptions,
}

impl Engine {
    /// Starts a run of a template. It is on disk, and its supervisor runs, when this returns.
    pub fn spawn(&self, request: SpawnRequest) -> Result<SpawnReport, ApiError> {
        if request.template.stdin.is_some() {
            let message = "a run that goes on by itself has no stdin";
            return Err(ApiError::new(ErrorKind::Invalid, "usage", message)
                .hint("give it a file by a value, or send it messages"));
        }
        let (home, library, root) = (self.home()?, self.library()?, self.runs()?);
        let settings = self.run_settings(&request.options, RunOrigin::Spawn)?;
        let artifacts = artifact::parse(&request.artifacts)?;
        let inline = request.template.source.inline();
        let linked = request.template.link(&self.source_context())?;
        let template = SpawnTemplate {
            linked: &linked,
            artifacts: &artifacts,
            inline,
        };
        let context = SpawnContext {
            home: &home,
            library: &library,
            user_home: self.user_home(),
            variables: self.variables(),
        };
        let report = spawn::spawn(&root, &settings, template, &context)?;
        // Looks at the other runs only once a day.
        sweep_daily(&root, self.clock());
        Ok(report)
    }

    /// The settings of a run with these options that the caller spawns.
    pub(crate) fn run_settings(
        &self,
        options: &RunOptions,
        origin: RunOrigin,
    ) -> Result<RunSettings, ApiError> {
        let root = self.runs()?;
        let id = options.address.as_deref().map(run_id).transpose()?;
        let caller = self.caller(options.session.as_deref())?;
        let parent = caller.run.filter(|id| root.place(id).exists());
        Ok(RunSettings {
            id,
            origin,
            session: caller.session,
            parent: parent.map(|id| id.to_string()),
            cwd: self.project()?.to_owned(),
            mailbox: options.mailbox.as_deref().map(mailbox).transpose()?,
            retire_when: options.retire_when,
            on_session_end: options.on_session_end,
            spool: self.spool(),
            clock: self.clock().clone(),
        })
    }
}

/// The id in `run:ID`; a bare id is accepted.
pub(crate) fn run_id(address: &str) -> Result<RunId, ApiError> {
    let id = address.strip_prefix("run:").unwrap_or(address);
    id.parse().map_err(|error| {
        let mut error = ApiError::from(error);
        error.message = format!(
            "expected run:ID, received {}: {}",
            text::quoted(address),
            error.message
        );
        error
    })
}

/// The contract of a mailbox, checked but not normalized.
fn mailbox(json: &str) -> Result<Value, ApiError> {
    let invalid = |why: String| {
        let message = format!("{} is no mailbox: {why}", text::quoted(json));
        ApiError::new(ErrorKind::Invalid, "invalid_mailbox", message)
            .hint("write {\"accepts\": [\"task.run\"]}")
    };
    let contract: Value = serde_json::from_str(json).map_err(|error| invalid(error.to_string()))?;
    Mailbox::read(&contract).map_err(|error| invalid(error.to_string()))?;
    Ok(contract)
}
