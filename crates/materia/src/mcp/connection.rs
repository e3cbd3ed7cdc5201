//! One connection: its session, and how it makes calls.
//!
//! Owns the state of a connection and its calls: sends progress notifications while a call runs and
//! cancels it when the client does. `server` decides what goes into the protocol.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use materia_engine::api::Engine;
use materia_model::name::SessionId;
use materia_model::text;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, DetailedTask, ErrorData,
    ProgressNotificationParam,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::call::{Answer, Call, CallKind, CallRequest};
use super::news::NewsFeed;
use super::pool::CallPool;
use super::tasks::{self, Asks, Subject};
use super::turns::Turns;
use super::{brief, listing, tool_call};

/// Interval of progress notifications during a long call.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// Maximum time that a watcher sleeps before it checks without a notification.
const RECONCILE: Duration = Duration::from_secs(30);
/// Maximum number of words of a slash command.
const MOST_WORDS: usize = 200;

/// State shared by all connections of a process.
#[derive(Debug, Clone)]
pub(super) struct Common {
    pub(super) pool: Arc<CallPool>,
    pub(super) engine: Engine,
    /// Counts the changes of the tools.
    pub(super) changes: watch::Receiver<u64>,
}

impl Common {
    /// Starts to watch the user's tools.
    pub(super) fn new(pool: Arc<CallPool>, engine: Engine) -> Self {
        let changes = changes(&engine);
        Self {
            pool,
            engine,
            changes,
        }
    }
}

/// The session that a connection belongs to.
#[derive(Debug)]
pub(super) enum Whose {
    /// A session given by the caller.
    Named(SessionId),
    /// A new session for each connection that sends `initialize`. Requests of protocol revisions
    /// without connections use `alone`.
    Greeted {
        /// The session of requests without a connection.
        alone: SessionId,
        /// The session of a connection.
        fresh: OnceLock<SessionId>,
    },
}

/// Extensions for hosts.
#[derive(Debug)]
pub(super) struct Host {
    /// Messages and ends of runs.
    pub(super) news: NewsFeed,
    /// The turns of casts that the host plays in its own conversation.
    pub(super) turns: Turns,
}

/// One connection.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) common: Common,
    pub(super) whose: Whose,
    pub(super) host: Option<Host>,
    /// Dropped with the server; its tasks see the channel close and end.
    pub(super) here: watch::Sender<()>,
}

impl Server {
    /// A server for a session, with extensions if the client is a host.
    pub(super) fn new(common: Common, whose: Whose, host: Option<Host>) -> Self {
        Self {
            common,
            whose,
            host,
            here: watch::Sender::new(()),
        }
    }

    pub(super) fn session(&self) -> &SessionId {
        match &self.whose {
            Whose::Named(session) => session,
            Whose::Greeted { alone, fresh } => fresh.get().unwrap_or(alone),
        }
    }

    /// Performs a call, and sends progress notifications while it runs.
    pub(super) async fn call(
        &self,
        request: CallRequest,
        context: &RequestContext<RoleServer>,
    ) -> Result<Answer, ErrorData> {
        let engine = self.common.engine.for_session(self.session());
        let made = self.common.pool.call(self.session(), move |cancellation| {
            Ok(request.perform(&engine.cancelled_by(cancellation)))
        });
        let mut made = std::pin::pin!(made);
        let token = context.meta.get_progress_token();
        let mut beats = 0u32;
        loop {
            let ended = tokio::time::timeout(HEARTBEAT, async {
                tokio::select! {
                    answer = &mut made => Ok(answer.unwrap_or_else(|error| Answer::error(&error))),
                    () = context.ct.cancelled() => {
                        Err(ErrorData::internal_error("the request was cancelled", None))
                    }
                }
            });
            if let Ok(ended) = ended.await {
                return ended;
            }
            beats += 1;
            if let Some(token) = token.clone() {
                let progress = ProgressNotificationParam::new(token, beats.into());
                let _unheard = context.peer.notify_progress(progress).await;
            }
        }
    }

    /// Translates a tool call into a call, or returns the result that rejects it.
    pub(super) fn tool_call(&self, params: CallToolRequestParams) -> Result<Call, CallToolResult> {
        let arguments = params.arguments.unwrap_or_default();
        if let Some(call) = tool_call::own_tool(&params.name, arguments.clone()) {
            return call.map_err(|error| refused("invalid_arguments", &error.message, &error.hint));
        }
        match listing::registered(&self.common.engine)
            .iter()
            .find(|tool| tool.name == params.name)
        {
            Some(tool) => Ok(tool_call::registered_tool(
                &tool.name,
                tool.detached,
                arguments,
            )),
            None => {
                let message = format!("there is no tool {}", text::quoted(&params.name));
                Err(refused("tool_not_found", &message, "list the tools again"))
            }
        }
    }

    /// The state of a task.
    pub(super) async fn state(
        &self,
        subject: &Subject,
        context: &RequestContext<RoleServer>,
    ) -> Result<DetailedTask, ErrorData> {
        let answer = self.call(subject.question(), context).await?;
        if answer.document["runs"][0].is_null() {
            return Err(failed(&answer));
        }
        let asks = context
            .client_capabilities()
            .is_some_and(|client| client.elicitation.is_some());
        Ok(subject.state(&answer.document, if asks { Asks::Yes } else { Asks::No }))
    }

    /// Waits for runs. If they have not ended yet, the client gets a task.
    pub(super) async fn awaited(
        &self,
        subject: &Subject,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answer = self.call(subject.question(), context).await?;
        if answer.document["timedOut"] == true {
            return Ok(tasks::begun(subject.state(&answer.document, Asks::No)).into());
        }
        let failed = answer.document["timedOut"].is_null();
        Ok(result(CallKind::Wait, &[], answer.document, failed, Depth::Model).into())
    }

    /// Runs the words of a host's slash command as a command line. The answer is the text that a
    /// terminal would show.
    pub(super) async fn command(
        &self,
        params: Option<&Value>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Value, ErrorData> {
        let words = params
            .and_then(|params| params["words"].as_array())
            .cloned()
            .unwrap_or_default();
        let words: Option<Vec<String>> = words
            .iter()
            .map(|word| word.as_str().map(str::to_owned))
            .collect();
        let Some(words) = words.filter(|words| !words.is_empty() && words.len() <= MOST_WORDS)
        else {
            return Err(ErrorData::invalid_params(
                "`words` must be a list of texts",
                None,
            ));
        };
        let answer = self.call(CallRequest::CommandLine(words), context).await?;
        Ok(json!({"ok": answer.code == 0, "code": answer.code, "text": answer.document}))
    }
}

/// Parses the id of a task.
pub(super) fn subject(id: &str) -> Result<Subject, ErrorData> {
    let unknown =
        || ErrorData::invalid_params(format!("there is no task {}", text::quoted(id)), None);
    Subject::read(id).ok_or_else(unknown)
}

/// A failed answer as an error of the protocol.
pub(super) fn failed(answer: &Answer) -> ErrorData {
    let message = answer.document["error"]["message"]
        .as_str()
        .unwrap_or("it cannot be asked for")
        .to_owned();
    ErrorData::invalid_params(message, Some(answer.document.clone()))
}

/// The result that rejects a tool call.
fn refused(code: &str, message: &str, hint: &str) -> CallToolResult {
    let error = json!({"code": code, "message": message, "hint": hint});
    let document = json!({"ok": false, "error": error});
    result(CallKind::Other, &[], document, true, Depth::Whole)
}

/// The result of a call: a short text, and the report, complete or compacted for a model.
pub(super) fn result(
    kind: CallKind,
    notes: &[String],
    document: Value,
    failed: bool,
    depth: Depth,
) -> CallToolResult {
    let woken = depth == Depth::Host;
    let content = vec![ContentBlock::text(brief::text(
        kind, notes, &document, woken,
    ))];
    let mut result = if failed {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    };
    result.structured_content = Some(if depth == Depth::Model {
        brief::compact(&document)
    } else {
        document
    });
    result
}

/// The reader of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// Most likely a model: many clients send it everything.
    Model,
    /// A client that requested the complete report.
    Whole,
    /// A host, which gives the text to its model.
    Host,
}

/// Counts the changes of the user's tools, as the kernel reports them.
fn changes(engine: &Engine) -> watch::Receiver<u64> {
    let (sender, receiver) = watch::channel(0);
    // Start before the first answer, so that every later registration counts as a change, however
    // slow the thread is.
    let Ok(mut watcher) = engine.watch_tools() else {
        return receiver;
    };
    std::thread::spawn(move || {
        while !sender.is_closed() {
            match watcher.wait(RECONCILE) {
                Ok(changes) if !changes.is_empty() => sender.send_modify(|count| *count += 1),
                Ok(_) => {}
                Err(_) => return,
            }
        }
    });
    receiver
}
