//! The same server over HTTP: where it is mounted, and how many connections it keeps.
//!
//! Owns the connections of the Streamable HTTP transport. Each `initialize` opens a session of its
//! own; their number is bounded, and idle ones are closed. The newest revision of the protocol has
//! no connections; its requests belong to the session that the address names, or to one shared
//! default. The server that mounts this module authenticates requests first.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path as InPath, Request, State};
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::routing::any;
use materia_model::name::SessionId;
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;

use super::connection::{Common, Server, Whose};
use super::pool::{CallPool, PoolSharing};
use crate::door::Mounted;
use crate::world::World;
use materia_engine::api::{ApiError, session_id};

/// Maximum number of connections; the least recently used one is closed to accept another.
const MOST: usize = 64;
/// Idle timeout of a connection; longer than the longest call.
const IDLE: Duration = Duration::from_secs(65 * 60);
/// The session of requests that belong to no connection and name no session.
const ALONE: &str = "mcp-http";
/// The header that names the connection.
const CONNECTION: &str = "mcp-session-id";

/// State shared by all connections.
struct Agents {
    common: Common,
    alone: SessionId,
    connections: Arc<LocalSessionManager>,
    config: StreamableHttpServerConfig,
    used: Mutex<Used>,
}

/// When each connection was last used, as a request count.
#[derive(Debug, Default)]
struct Used {
    count: u64,
    last: HashMap<Arc<str>, u64>,
}

/// The service for agents, to be mounted in another server.
pub fn mount(world: &World) -> Result<Mounted, ApiError> {
    let pool = Arc::new(CallPool::new(PoolSharing::ManySessions));
    // Trust granted to the server does not extend to its clients (S2).
    let engine = world.engine().without_trust();
    let mut connections = LocalSessionManager::default();
    connections.session_config.keep_alive = Some(IDLE);
    // The server that mounts this module checks hosts and origins, and more strictly.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let agents = Arc::new(Agents {
        common: Common::new(Arc::clone(&pool), engine),
        alone: session_id(ALONE)?,
        connections: Arc::new(connections),
        config: config.clone(),
        used: Mutex::default(),
    });
    let routes = Router::new()
        .route("/", any(serve))
        .route("/{session}", any(serve_named))
        .with_state(agents);
    let end = move || {
        config.cancellation_token.cancel();
        pool.close();
    };
    Ok(Mounted {
        routes,
        end: Box::new(end),
    })
}

async fn serve(State(agents): State<Arc<Agents>>, request: Request) -> Response<Body> {
    agents.answer(None, request).await
}

async fn serve_named(
    State(agents): State<Arc<Agents>>,
    InPath(session): InPath<String>,
    request: Request,
) -> Response<Body> {
    match session_id(&session) {
        Ok(session) => agents.answer(Some(session), request).await,
        Err(failure) => refused(&failure.message),
    }
}

impl Agents {
    async fn answer(&self, session: Option<SessionId>, request: Request) -> Response<Body> {
        match request
            .headers()
            .get(CONNECTION)
            .and_then(|id| id.to_str().ok())
        {
            Some(id) => self.touch(id),
            None => self.make_place().await,
        }
        let (common, alone) = (self.common.clone(), self.alone.clone());
        let server = move || {
            let whose = match session.clone() {
                Some(session) => Whose::Named(session),
                None => Whose::Greeted {
                    alone: alone.clone(),
                    fresh: OnceLock::new(),
                },
            };
            Ok(Server::new(common.clone(), whose, None))
        };
        let service =
            StreamableHttpService::new(server, Arc::clone(&self.connections), self.config.clone());
        service.handle(request).await.map(Body::new)
    }

    /// Marks a connection as used.
    fn touch(&self, id: &str) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.count += 1;
        let now = used.count;
        // Track only existing connections; requests for others get an error.
        if let Some(last) = used.last.get_mut(id) {
            *last = now;
        }
    }

    /// Closes connections until another one fits.
    async fn make_place(&self) {
        loop {
            let known: Vec<Arc<str>> = self
                .connections
                .sessions
                .read()
                .await
                .keys()
                .cloned()
                .collect();
            let Some(oldest) = self.oldest(&known) else {
                return;
            };
            let _gone = self.connections.close_session(&oldest).await;
        }
    }

    /// The least recently used connection, if there are too many.
    fn oldest(&self, known: &[Arc<str>]) -> Option<Arc<str>> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.count += 1;
        let now = used.count;
        used.last.retain(|id, _| known.contains(id));
        for id in known {
            used.last.entry(Arc::clone(id)).or_insert(now);
        }
        if known.len() < MOST {
            return None;
        }
        known.iter().min_by_key(|id| used.last.get(*id)).cloned()
    }
}

/// The response to a request with an invalid session name.
fn refused(message: &str) -> Response<Body> {
    let error =
        json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": message}});
    let mut response = Response::new(Body::from(error.to_string()));
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    response
}
