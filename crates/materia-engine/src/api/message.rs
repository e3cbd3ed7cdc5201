//! `message`: something is said to a run, a branch, a room, a session or a tool.

use materia_model::message::{Address, read_body};

use super::{ApiError, Audience, Caller, Engine};
use crate::execute::RunObserver;
use crate::recipe::tool::{self, NotCalled, ToolCallReport};
use crate::recipe::{InputSource, NotResolved};
use crate::routing::{self, Sender};
use crate::run::RunRoot;

pub use crate::routing::{MessageProblem, MessageReport};
pub use materia_model::message::MessageDraft;

/// A message to send.
#[derive(Debug, Default)]
pub struct MessageRequest {
    /// What is said to whom.
    pub draft: MessageDraft,
    /// Where the body is read from, if the draft has none: JSON when it parses, else text.
    pub body: Option<InputSource>,
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
        tool_observer: Option<&mut dyn RunObserver>,
    ) -> Result<MessageReport, ApiError> {
        let root = self.runs()?;
        let caller = self.caller(request.session.as_deref())?;
        let mut draft = request.draft;
        if let Some(body) = request.body {
            draft.body = Some(read_body(body.text(&self.source_context())?)?);
        }
        draft.to = self.whole_address(&root, &caller, &draft.to, request.audience)?;
        let sender = sender(self, &root, &caller);
        let envelope = sender.check(draft)?;
        let (Address::Tool(name), Some(observer)) = (&envelope.to, tool_observer) else {
            return Ok(routing::send(&sender, envelope)?);
        };
        let called = self.call_tool_for(name.as_ref(), envelope.body.clone(), observer)?;
        Ok(routing::tool_report(&sender, envelope, &called))
    }

    fn call_tool_for(
        &self,
        name: &str,
        body: Option<serde_json::Value>,
        observer: &mut dyn RunObserver,
    ) -> Result<ToolCallReport, ApiError> {
        let called = self.call_tool(name, routing::tool_arguments(body), &[], observer)?;
        called.map_err(|error| match error {
            NotCalled::NoTool(_) | NotCalled::Recipe(NotResolved::NotFound(_)) => {
                let error = ApiError::from(routing::Error::NoTool(name.to_owned()));
                match self.library() {
                    Ok(library) => error.hint(tool::hint_for_missing(&library, name)),
                    Err(_) => error,
                }
            }
            other => other.into(),
        })
    }
}

/// The caller as one who sends messages.
pub(super) fn sender<'a>(engine: &'a Engine, root: &'a RunRoot, caller: &'a Caller) -> Sender<'a> {
    Sender {
        root,
        session: caller.session.as_deref(),
        within: caller.run.as_ref(),
        clock: engine.clock(),
    }
}
