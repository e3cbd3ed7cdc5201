//! What the server answers: tools, resources, prompts, and what hosts ask besides.
//!
//! Owns the connection's answers. Which process does the work is the desk's business.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use materia_engine::library::Library;
use materia_engine::registry::Watcher;
use materia_model::name::SessionId;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomNotification, CustomRequest,
    CustomResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse, Implementation,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceContents,
    ServerCapabilities, ServerConfig, ServerNotification, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{Peer, RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};

use super::desk::{Answer, Desk};
use super::news::News;
use super::request::{Form, Request};
use super::{brief, listing, prompts, resources, words};

/// How often a client is told that a long call goes on.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// How long a watcher sleeps at most before it looks by itself.
const RECONCILE: Duration = Duration::from_secs(30);
/// What in a request's `_meta` asks for the whole report; tools of a person have no such parameter.
const WHOLE: &str = "materia/verbose";
/// The longest slash command of a person, in words.
const MOST_WORDS: usize = 200;

/// What every connection of a process shares.
#[derive(Debug, Clone)]
pub(super) struct Common {
    pub(super) desk: Arc<Desk>,
    pub(super) library: Library,
    /// Counts the changes of the tools.
    changes: watch::Receiver<u64>,
}

impl Common {
    /// Begins to watch the person's tools.
    pub(super) fn new(desk: Arc<Desk>, library: Library) -> Self {
        let changes = changes(library.clone());
        Self { desk, library, changes }
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

/// One connection.
#[derive(Debug)]
pub(super) struct Server {
    common: Common,
    whose: Whose,
    news: Option<Arc<News>>,
    /// Gone with the server, which whoever works for it notices.
    here: watch::Sender<()>,
}

impl Server {
    /// A server for a session; with news where the other end is a host.
    pub(super) fn new(common: Common, whose: Whose, news: Option<Arc<News>>) -> Self {
        Self { common, whose, news, here: watch::Sender::new(()) }
    }

    fn session(&self) -> &SessionId {
        match &self.whose {
            Whose::Named(session) => session,
            Whose::Greeted { alone, fresh } => fresh.get().unwrap_or(alone),
        }
    }

    /// Asks, and tells the client now and then that it goes on.
    async fn ask(&self, request: Request, context: &RequestContext<RoleServer>) -> Result<Answer, ErrorData> {
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

    fn request(&self, params: CallToolRequestParams) -> Result<Request, CallToolResult> {
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
        match listing::registered(&self.common.library).iter().find(|tool| tool.name == params.name) {
            Some(tool) => Ok(words::tool(&tool.name, tool.detached, arguments)),
            None => {
                let message = format!("there is no tool {}", materia_model::text::quoted(&params.name));
                let error =
                    json!({"code": "tool_not_found", "message": message, "hint": "list the tools again"});
                Err(told(
                    &Request::report(["tool"]),
                    json!({"ok": false, "error": error}),
                    true,
                    Depth::Whole,
                ))
            }
        }
    }

    /// What a person typed behind a host's slash: the words of a command line, answered as a person reads it.
    async fn command(
        &self,
        params: Option<&Value>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Value, ErrorData> {
        let words = params.and_then(|params| params["words"].as_array()).cloned().unwrap_or_default();
        let words: Option<Vec<String>> = words.iter().map(|word| word.as_str().map(str::to_owned)).collect();
        let Some(words) = words.filter(|words| !words.is_empty() && words.len() <= MOST_WORDS) else {
            return Err(ErrorData::invalid_params("`words` must be a list of texts", None));
        };
        let request = Request { form: Form::Text, ..Request::report(words) };
        let answer = self.ask(request, context).await?;
        Ok(json!({"ok": answer.code == 0, "code": answer.code, "text": answer.document}))
    }
}

/// The result of a call: the report, whole or what a model needs of it, and a few words.
fn told(request: &Request, document: Value, failed: bool, depth: Depth) -> CallToolResult {
    let woken = depth == Depth::Host;
    let content = vec![ContentBlock::text(brief::text(request, &document, woken))];
    let mut result = if failed { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content =
        Some(if depth == Depth::Model { brief::compact(&document) } else { document });
    result
}

/// Who reads a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// A model, most likely: many clients hand it everything.
    Model,
    /// Somebody who asked for all of it.
    Whole,
    /// A host, which gives its model the text.
    Host,
}

impl ServerHandler for Server {
    async fn initialize(
        &self,
        params: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        if let Whose::Greeted { fresh, .. } = &self.whose {
            fresh.get_or_init(super::fresh_session);
        }
        context.peer.set_peer_info(params.clone());
        self.negotiate_initialize(&params)
    }

    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_prompts()
            .build();
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new("materia", env!("CARGO_PKG_VERSION"));
        info.with_instructions(listing::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools = listing::own();
        tools.extend(listing::registered(&self.common.library).iter().map(listing::offered));
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let whole = |value: Option<&Value>| value == Some(&Value::Bool(true));
        let verbose = whole(params.arguments.as_ref().and_then(|given| given.get(words::VERBOSE)))
            || whole(context.meta.get(WHOLE));
        let request = match self.request(params) {
            Ok(request) => request,
            Err(refused) => return Ok(refused.into()),
        };
        let answer = self.ask(request.clone(), &context).await?;
        let depth = match (&self.news, verbose) {
            (Some(_), _) => Depth::Host,
            (None, true) => Depth::Whole,
            (None, false) => Depth::Model,
        };
        // A run that was waited for and failed is an answer, and no failure of the call.
        let failed = answer.code != 0 && answer.document["timedOut"].is_null();
        Ok(told(&request, answer.document, failed, depth).into())
    }

    async fn list_resources(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::lists()))
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let Some(request) = resources::request(&params.uri) else {
            return Err(ErrorData::resource_not_found(format!("there is nothing at {}", params.uri), None));
        };
        let answer = self.ask(request, &context).await?;
        if answer.code != 0 {
            let message =
                answer.document["error"]["message"].as_str().unwrap_or("it cannot be read").to_owned();
            return Err(ErrorData::resource_not_found(message, Some(answer.document)));
        }
        let contents = ResourceContents::text(answer.document.to_string(), params.uri);
        Ok(ReadResourceResult::new(vec![contents.with_mime_type("application/json")]).into())
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let request =
            params.arguments.as_ref().and_then(|given| given.get("request")).and_then(Value::as_str);
        let found = prompts::get(&params.name, request);
        let missing = || ErrorData::invalid_params(format!("there is no prompt {}", params.name), None);
        found.map(Into::into).ok_or_else(missing)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::new();
        accepted.tools_list_changed = requested.tools_list_changed;
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.common.changes.clone();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = changes.changed() => {
                    if changed.is_err() {
                        return Ok(());
                    }
                    let _unheard = context.sink().notify_tool_list_changed().await;
                }
            }
        }
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let mut changes = self.common.changes.clone();
        let mut here = self.here.subscribe();
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = here.changed() => return,
                    changed = changes.changed() => {
                        if changed.is_err() || context.peer.notify_tool_list_changed().await.is_err() {
                            return;
                        }
                    }
                }
            }
        });
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let unknown = || ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method.clone(), None);
        let news = self.news.as_ref().ok_or_else(unknown)?;
        let answer = match request.method.as_str() {
            "materia/listen" => {
                let (sender, told) = mpsc::unbounded_channel();
                news.listen(sender);
                tokio::spawn(forward(told, context.peer.clone()));
                json!({"session": self.session().as_str()})
            }
            "materia/heard" => {
                news.heard(
                    request.params.as_ref().and_then(|params| params["id"].as_str()).unwrap_or_default(),
                );
                json!({})
            }
            "materia/command" => self.command(request.params.as_ref(), &context).await?,
            _ => return Err(unknown()),
        };
        Ok(CustomResult::new(answer))
    }
}

async fn forward(mut told: mpsc::UnboundedReceiver<Value>, peer: Peer<RoleServer>) {
    while let Some(news) = told.recv().await {
        let notification = CustomNotification::new("notifications/materia/news", Some(news));
        if peer.send_notification(ServerNotification::CustomNotification(notification)).await.is_err() {
            return;
        }
    }
}

/// Counts the changes of the person's tools, as the kernel tells them.
fn changes(library: Library) -> watch::Receiver<u64> {
    let (sender, receiver) = watch::channel(0);
    std::thread::spawn(move || {
        let Ok(mut watcher) = Watcher::new(&library) else { return };
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
