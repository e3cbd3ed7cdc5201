//! `message`: something is said to a run, a branch, a room, a session or a tool.

use super::{ApiError, Audience, Caller, Engine, ErrorKind};
use crate::execute::Observer;
use crate::process::Nursery;
use crate::recipe::NotResolved;
use crate::recipe::tool::{self, Call, Called, NotCalled};
use crate::routing::{self, Sender};
use crate::run::Root;

pub use crate::routing::{MessageProblem, MessageReport};
pub use materia_model::message::Draft;

/// A message to send.
#[derive(Debug, Clone, Default)]
pub struct MessageRequest {
    /// What is said to whom.
    pub draft: Draft,
    /// The session that sends it.
    pub session: Option<String>,
    /// Who typed the address: a person may abbreviate it.
    pub audience: Audience,
}

impl Engine {
    /// Sends a message and reports what became of it; it is durable by then. A message to a tool
    /// calls that tool in this process where there is an observer for it, and is refused otherwise.
    pub fn message(
        &self,
        request: MessageRequest,
        tool_observer: Option<&mut dyn Observer>,
    ) -> Result<MessageReport, ApiError> {
        let root = self.runs()?;
        let caller = self.caller(request.session.as_deref())?;
        let mut draft = request.draft;
        draft.to = self.whole_address(&root, &caller, &draft.to, request.audience)?;
        let sender = sender(self, &root, &caller);
        let envelope = sender.check(draft)?;
        let (materia_model::message::Address::Tool(name), Some(observer)) =
            (&envelope.to, tool_observer)
        else {
            return Ok(routing::send(&sender, envelope)?);
        };
        let called = self.call_tool_for(name.as_ref(), envelope.body.clone(), observer)?;
        Ok(routing::tool_report(&sender, envelope, &called))
    }

    fn call_tool_for(
        &self,
        name: &str,
        body: Option<serde_json::Value>,
        observer: &mut dyn Observer,
    ) -> Result<Called, ApiError> {
        let internal = |error: std::io::Error| {
            ApiError::from_error(ErrorKind::Internal, "internal", &error)
                .hint("see `materia doctor`")
        };
        let library = self.library()?;
        let mut nursery = Nursery::adopting().map_err(internal)?;
        nursery.catch_interrupts().map_err(internal)?;
        let call = Call {
            library: &library,
            home: &self.home()?,
            cwd: self.cwd_or_root(),
            home_dir: self.user_home(),
            name,
            values: routing::tool_arguments(body),
            words: &[],
            clock: self.clock(),
        };
        tool::call(call, &mut nursery, observer).map_err(|error| match error {
            NotCalled::NoTool(_) | NotCalled::Recipe(NotResolved::NotFound(_)) => {
                ApiError::from(routing::Error::NoTool(name.to_owned()))
                    .hint(tool::hint_for_missing(&library, name))
            }
            other => other.into(),
        })
    }
}

/// The caller as one who sends messages.
pub(super) fn sender<'a>(engine: &'a Engine, root: &'a Root, caller: &'a Caller) -> Sender<'a> {
    Sender {
        root,
        session: caller.session.as_deref(),
        within: caller.run.as_ref(),
        clock: engine.clock(),
    }
}
