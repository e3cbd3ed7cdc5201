//! One connection: whose it is, and how its questions are asked.
//!
//! Owns what a connection knows and the asking of the desk with it: with signs of life meanwhile,
//! and given up when nobody wants the answer any more. What of it the protocol is told, the server
//! says.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use materia_engine::library::Library;
use materia_engine::registry::Watcher;
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

use super::desk::{Answer, Desk};
use super::news::NewsFeed;
use super::request::{Form, Request};
use super::tasks::{self, Asks, Subject};
use super::turns::Turns;
use super::{brief, listing, words};

/// How often a client is told that a long call goes on.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// How long a watcher sleeps at most before it looks by itself.
const RECONCILE: Duration = Duration::from_secs(30);
/// The longest slash command of a person, in words.
const MOST_WORDS: usize = 200;

/// What every connection of a process shares.
#[derive(Debug, Clone)]
pub(super) struct Common {
    pub(super) desk: Arc<Desk>,
    pub(super) library: Library,
    /// Counts the changes of the tools.
    pub(super) changes: watch::Receiver<u64>,
}

impl Common {
    /// Begins to watch the person's tools.
    pub(super) fn new(desk: Arc<Desk>, library: Library) -> Self {
        let changes = changes(&library);
        Self {
            desk,
            library,
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

    /// Asks, and tells the client now and then that it goes on.
    pub(super) async fn ask(
        &self,
        request: Request,
        context: &RequestContext<RoleServer>,
    ) -> Result<Answer, ErrorData> {
        let mut pending = self.common.desk.ask(self.session(), request);
        let token = context.meta.get_progress_token();
        let mut beats = 0u32;
        let mut heart = tokio::time::interval(HEARTBEAT);
        // Its first beat comes at once.
        heart.tick().await;
        loop {
            tokio::select! {
                answer = pending.answer() => return Ok(answer),
                () = context.ct.cancelled() => {
                    return Err(ErrorData::internal_error("the request was cancelled", None));
                }
                _ = heart.tick(), if token.is_some() => {
                    beats += 1;
                    if let Some(token) = token.clone() {
                        let progress = ProgressNotificationParam::new(token, beats.into());
                        let _unheard = context.peer.notify_progress(progress).await;
                    }
                }
            }
        }
    }

    pub(super) fn request(&self, params: CallToolRequestParams) -> Result<Request, CallToolResult> {
        let arguments = params.arguments.unwrap_or_default();
        if let Some(made) = words::request(&params.name, arguments.clone()) {
            return made.map_err(|misfit| {
                let error =
                    json!({"code": "invalid_arguments", "message": misfit.message, "hint": misfit.hint});
                told(
                    &Request::report([params.name.as_ref()]),
                    json!({"ok": false, "error": error}),
                    true,
                    Depth::Whole,
                )
            });
        }
        match listing::registered(&self.common.library)
            .iter()
            .find(|tool| tool.name == params.name)
        {
            Some(tool) => Ok(words::tool(&tool.name, tool.detached, arguments)),
            None => {
                let message = format!("there is no tool {}", text::quoted(&params.name));
                let error = json!({"code": "tool_not_found", "message": message, "hint": "list the tools again"});
                Err(told(
                    &Request::report(["tool"]),
                    json!({"ok": false, "error": error}),
                    true,
                    Depth::Whole,
                ))
            }
        }
    }

    /// How a task stands.
    pub(super) async fn state(
        &self,
        subject: &Subject,
        context: &RequestContext<RoleServer>,
    ) -> Result<DetailedTask, ErrorData> {
        let answer = self.ask(subject.question(), context).await?;
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
        let question = subject.question();
        let answer = self.ask(question.clone(), context).await?;
        if answer.document["timedOut"] == true {
            return Ok(tasks::begun(subject.state(&answer.document, Asks::No)).into());
        }
        let failed = answer.document["timedOut"].is_null();
        Ok(told(&question, answer.document, failed, Depth::Model).into())
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
        let request = Request {
            form: Form::Text,
            ..Request::report(words)
        };
        let answer = self.ask(request, context).await?;
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

/// The result of a call: the report, whole or what a model needs of it, and a few words.
pub(super) fn told(
    request: &Request,
    document: Value,
    failed: bool,
    depth: Depth,
) -> CallToolResult {
    let woken = depth == Depth::Host;
    let content = vec![ContentBlock::text(brief::text(request, &document, woken))];
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

/// Counts the changes of the person's tools, as the kernel tells them.
fn changes(library: &Library) -> watch::Receiver<u64> {
    let (sender, receiver) = watch::channel(0);
    // Begun before anybody is answered: what is registered after the first answer is a change,
    // however slow the thread is.
    let Ok(mut watcher) = Watcher::new(library) else {
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
