//! The server's handlers: tools, tasks, resources, prompts, and the extensions for hosts.
//!
//! Owns the translation between the protocol and a connection. `pool` decides where calls run.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CustomNotification, CustomRequest,
    CustomResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse, GetTaskParams,
    GetTaskResult, Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ResourceContents, ServerCapabilities, ServerConfig, ServerNotification, SubscriptionFilter,
    TaskPayload, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{Peer, RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::connection::{Depth, Host, Server, Whose, failed, result, subject};
use super::tasks::{self, Subject};
use super::{listing, prompts, resources, tool_call};

/// The key in a request's `_meta` that requests the complete report; the user's tools have no such
/// parameter.
const WHOLE: &str = "materia/verbose";

impl ServerHandler for Server {
    async fn initialize(
        &self,
        params: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        if let Whose::Greeted { fresh, alone } = &self.whose {
            let engine = &self.common.engine;
            fresh.get_or_init(|| super::fresh_session(engine).unwrap_or_else(|_| alone.clone()));
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
            .enable_tasks()
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
        tools.extend(
            listing::registered(&self.common.engine)
                .iter()
                .map(listing::offered),
        );
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let whole = |value: Option<&Value>| value == Some(&Value::Bool(true));
        let verbose = whole(
            params
                .arguments
                .as_ref()
                .and_then(|given| given.get(tool_call::VERBOSE)),
        ) || whole(context.meta.get(WHOLE));
        // A client that sets a timeout expects an answer by then.
        let has_patience = params
            .arguments
            .as_ref()
            .is_some_and(|given| given.contains_key("timeout"));
        let call = match self.tool_call(params) {
            Ok(call) => call,
            Err(refused) => return Ok(refused.into()),
        };
        let kind = call.request.kind();
        let follows = follows(&context);
        if follows
            && !has_patience
            && let Some(subject) = Subject::awaited(&call.request)
        {
            return self.awaited(&subject, &context).await;
        }
        let answer = self.call(call.request, &context).await?;
        if follows && let Some(subject) = Subject::of(kind, &answer) {
            let state = self.state(&subject, &context).await?;
            return Ok(tasks::begun(state).into());
        }
        let depth = match (&self.host, verbose) {
            (Some(_), _) => Depth::Host,
            (None, true) => Depth::Whole,
            (None, false) => Depth::Model,
        };
        // A failed run is an answer to a wait, not a failure of the call.
        let failed = answer.code != 0 && answer.document["timedOut"].is_null();
        Ok(result(kind, &call.notes, answer.document, failed, depth).into())
    }

    async fn get_task(
        &self,
        params: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let subject = subject(&params.task_id)?;
        Ok(GetTaskResult::new(self.state(&subject, &context).await?))
    }

    async fn update_task(
        &self,
        params: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let subject = subject(&params.task_id)?;
        let state = self.state(&subject, &context).await?;
        let TaskPayload::InputRequired { input_requests } = &state.payload else {
            return Ok(());
        };
        // Responses to questions that are not open are ignored, as the protocol requires.
        let answers = params
            .input_responses
            .iter()
            .filter(|(key, _)| input_requests.contains_key(*key));
        for request in answers.filter_map(|(_, response)| subject.answer(response)) {
            let answer = self.call(request, &context).await?;
            if answer.code != 0 {
                return Err(failed(&answer));
            }
        }
        Ok(())
    }

    async fn cancel_task(
        &self,
        params: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let subject = subject(&params.task_id)?;
        let state = self.state(&subject, &context).await?;
        if let Some(request) = subject
            .end()
            .filter(|_| !state.payload.status().is_terminal())
        {
            // It does not matter if the run ended in the meantime.
            self.call(request, &context).await?;
        }
        Ok(())
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
        Ok(ListResourceTemplatesResult::with_all_items(
            resources::templates(),
        ))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let Some(request) = resources::call(&params.uri) else {
            return Err(ErrorData::resource_not_found(
                format!("there is nothing at {}", params.uri),
                None,
            ));
        };
        let answer = self.call(request, &context).await?;
        if answer.code != 0 {
            let message = answer.document["error"]["message"]
                .as_str()
                .unwrap_or("it cannot be read")
                .to_owned();
            return Err(ErrorData::resource_not_found(
                message,
                Some(answer.document),
            ));
        }
        let contents = ResourceContents::text(answer.document.to_string(), params.uri);
        Ok(ReadResourceResult::new(vec![contents.with_mime_type("application/json")]).into())
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list(
            self.common.engine.shipped_roles(),
        )))
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let request = params
            .arguments
            .as_ref()
            .and_then(|given| given.get("request"))
            .and_then(Value::as_str);
        let roles = self.common.engine.shipped_roles();
        let role = roles.into_iter().find(|role| role.id == params.name);
        let found = role.map(|role| prompts::get(role, request));
        let missing =
            || ErrorData::invalid_params(format!("there is no prompt {}", params.name), None);
        found.map(Into::into).ok_or_else(missing)
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
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
        let Host { news, turns } = self.host.as_ref().ok_or_else(unknown)?;
        let answer = match request.method.as_str() {
            "materia/listen" => {
                let (sender, told) = mpsc::unbounded_channel();
                news.listen(sender);
                tokio::spawn(forward(
                    "notifications/materia/news",
                    told,
                    context.peer.clone(),
                ));
                json!({"session": self.session().as_str()})
            }
            "materia/heard" => {
                let id = request
                    .params
                    .as_ref()
                    .and_then(|params| params["id"].as_str());
                if let Some(remembered) = news.heard(id.unwrap_or_default()) {
                    let lost = |_| {
                        ErrorData::internal_error(
                            "it could not be remembered; it is told again",
                            None,
                        )
                    };
                    remembered.await.map_err(lost)?;
                }
                json!({})
            }
            "materia/play" => {
                let told = turns
                    .open()
                    .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
                tokio::spawn(forward(
                    "notifications/materia/turn",
                    told,
                    context.peer.clone(),
                ));
                json!({})
            }
            "materia/turn" => {
                json!({"heard": turns.tell(request.params.as_ref().unwrap_or(&Value::Null))})
            }
            "materia/command" => self.command(request.params.as_ref(), &context).await?,
            _ => return Err(unknown()),
        };
        Ok(CustomResult::new(answer))
    }
}

/// Whether the client supports tasks: it declares so, and its revision of the protocol has them.
fn follows(context: &RequestContext<RoleServer>) -> bool {
    let newest = ProtocolVersion::V_2026_07_28;
    let newer = context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= newest.as_str());
    newer
        && context
            .client_capabilities()
            .is_some_and(|client| client.supports_tasks())
}

async fn forward(
    method: &'static str,
    mut told: mpsc::UnboundedReceiver<Value>,
    peer: Peer<RoleServer>,
) {
    while let Some(news) = told.recv().await {
        let notification = CustomNotification::new(method, Some(news));
        if peer
            .send_notification(ServerNotification::CustomNotification(notification))
            .await
            .is_err()
        {
            return;
        }
    }
}
