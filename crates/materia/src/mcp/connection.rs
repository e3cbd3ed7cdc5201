//! One connection: whose it is, and how its questions are asked.
//!
//! Owns what a connection knows, and making calls for it: with progress notifications meanwhile, and
//! cancelled when the client gives one up. `server` decides what of it goes into the protocol.

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

/// How often a client is told that a long call goes on.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// How long a watcher sleeps at most before it looks by itself.
const RECONCILE: Duration = Duration::from_secs(30);
/// The longest slash command of a person, in words.
const MOST_WORDS: usize = 200;

/// What every connection of a process shares.
#[derive(Debug, Clone)]
pub(super) struct Common {
    pub(super) pool: Arc<CallPool>,
    pub(super) engine: Engine,
    /// Counts the changes of the tools.
    pub(super) changes: watch::Receiver<u64>,
}

impl Common {
    /// Begins to watch the person's tools.
    pub(super) fn new(pool: Arc<CallPool>, engine: Engine) -> Self {
        let changes = changes(&engine);
        Self {
            pool,
            engine,
            changes,
        }
    }
}

/// Which session a connection is.
#[derive(Debug)]
pub(super) enum Whose {
    /// This one.
    Named(SessionId),
    /// A fresh one where hands are shaken; where the protocol knows no connections, this one.
    Greeted {
        /// The session of requests that stand alone.
        alone: SessionId,
        /// The session of a connection.
        fresh: OnceLock<SessionId>,
    },
}

/// What hosts have besides.
#[derive(Debug)]
pub(super) struct Host {
    /// What runs say and how they end.
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
    /// Gone with the server, which whoever works for it notices.
    pub(super) here: watch::Sender<()>,
}

impl Server {
    /// A server for a session; with more where the other end is a host.
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

    /// Makes a call, and notifies the client now and then that it still runs.
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

    /// The call that a tool call is, or the result that refuses it.
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

    /// How a task stands.
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

    /// Waits for runs: as a task, where they have not ended yet.
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

    /// What a person typed behind a host's slash: the words of a command line, answered as a person
    /// reads it.
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

/// What a task is about.
pub(super) fn subject(id: &str) -> Result<Subject, ErrorData> {
    let unknown =
        || ErrorData::invalid_params(format!("there is no task {}", text::quoted(id)), None);
    Subject::read(id).ok_or_else(unknown)
}

/// A report of a failure, as an error of the protocol.
pub(super) fn failed(answer: &Answer) -> ErrorData {
    let message = answer.document["error"]["message"]
        .as_str()
        .unwrap_or("it cannot be asked for")
        .to_owned();
    ErrorData::invalid_params(message, Some(answer.document.clone()))
}

/// The result that refuses a tool call.
fn refused(code: &str, message: &str, hint: &str) -> CallToolResult {
    let error = json!({"code": code, "message": message, "hint": hint});
    let document = json!({"ok": false, "error": error});
    result(CallKind::Other, &[], document, true, Depth::Whole)
}

/// The result of a call: the report, whole or what a model needs of it, and a few words.
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

/// Who reads a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// A model, most likely: many clients hand it everything.
    Model,
    /// Somebody who asked for all of it.
    Whole,
    /// A host, which gives its model the text.
    Host,
}

/// Counts the changes of the user's tools, as the kernel reports them.
fn changes(engine: &Engine) -> watch::Receiver<u64> {
    let (sender, receiver) = watch::channel(0);
    // Begins before the first answer: what is registered after it is a change, however slow the
    // thread is.
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
