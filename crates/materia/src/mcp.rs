//! The front end for agents: the Model Context Protocol on stdin and stdout or over HTTP, with
//! extensions for hosts that can be woken.
//!
//! Owns the translation of tool calls into calls of the engine, and of reports into short texts. It
//! decides nothing, so that agents, people and scripts get the same answers. Calls run on a bounded
//! pool of threads: a call that is cancelled or panics does not affect the others. The types of the
//! protocol are `rmcp`'s and stay in this module.

mod arguments;
mod brief;
mod call;
mod connection;
mod http;
mod listing;
mod news;
mod pool;
mod prompts;
mod relay;
mod resources;
mod server;
mod tasks;
mod tool_call;
mod transport;
mod turns;

pub use http::mount;
pub use relay::turn;

use std::sync::Arc;
use std::time::Duration;

use materia_engine::api::{ApiError, Caller, Engine, ErrorKind};
use materia_model::name::SessionId;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::sync::oneshot;

use crate::door::{Listener, McpOptions};
use crate::view::style::Role;
use crate::view::{OutputFormat, Screen};
use crate::world::World;

use connection::{Common, Host, Server, Whose};
use news::NewsFeed;
use pool::{CallPool, PoolSharing};
use transport::Transport;
use turns::Turns;

/// How long cancelled calls may take to return when the server ends.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// Serves until the client closes the connection.
pub fn run(world: &World, wish: &McpOptions) -> u8 {
    if world.terminals.stdin {
        let said = "waiting for an agent on stdin and stdout; there is nothing to type here";
        wish.screen.talk(Role::Strong, "mcp", said);
        let hint = "name `materia mcp` where your agent lists its MCP servers; Ctrl-D ends it";
        wish.screen.talk(Role::Good, "  hint", hint);
    }
    let done = serve(world, wish);
    done.map_or_else(
        |failure| {
            wish.screen.failure(&failure, OutputFormat::Human);
            failure.kind.exit_code()
        },
        |()| 0,
    )
}

fn serve(world: &World, wish: &McpOptions) -> Result<(), ApiError> {
    let engine = world.engine();
    let named = engine.session(wish.session.as_deref())?;
    // A client cannot come back to a session that was not named: it ends with the connection.
    let ends_with_us = named.is_none();
    let session = named.map_or_else(|| fresh_session(engine), Ok)?;
    let host_socket = engine.host_socket(&session)?;
    let host = (wish.listener == Listener::Host).then(|| Host {
        news: NewsFeed::new(observer(engine, &session, wish)),
        turns: Turns::new(host_socket),
    });
    let pool = Arc::new(CallPool::new(PoolSharing::OneSession));
    let common = Common::new(Arc::clone(&pool), engine.clone());
    let server = Server::new(common, Whose::Named(session.clone()), host);
    // One thread for the protocol; calls have threads of their own.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()
        .map_err(|error| unavailable(&error))?;
    let interrupt = interrupt(engine.clone());
    let screen = wish.screen;
    let ended = runtime.block_on(async {
        tokio::select! {
            ended = talk(server, screen) => ended,
            Ok(()) = interrupt => Err(interrupted()),
        }
    });
    pool.close();
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    if ends_with_us {
        // The next cleanup finds runs that cannot be ended now; no client is left to notify.
        let _runs_continue = engine.end_session(&session);
    }
    ended
}

/// Answers until the client closes the connection.
async fn talk(server: Server, screen: Screen) -> Result<(), ApiError> {
    let broken = |error: String| {
        ApiError::new(
            ErrorKind::Failed,
            "connection",
            format!("the connection broke: {error}"),
        )
        .hint("start it again; runs go on by themselves")
    };
    match server.serve(Transport::open(screen)).await {
        Ok(serving) => serving
            .waiting()
            .await
            .map(|_| ())
            .map_err(|error| broken(error.to_string())),
        // EOF before `initialize` is a normal exit.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(broken(error.to_string())),
    }
}

fn interrupted() -> ApiError {
    ApiError::new(
        ErrorKind::Interrupted,
        "interrupted",
        "the server was asked to stop",
    )
    .hint("runs that it started go on; see `materia inspect session:all`")
}

/// Completes when a signal asks this process to stop.
fn interrupt(engine: Engine) -> oneshot::Receiver<()> {
    let (sender, receiver) = oneshot::channel();
    // The thread sleeps in the kernel and ends with the process.
    std::thread::spawn(move || {
        engine.wait_for_interrupt();
        let _ended = sender.send(());
    });
    receiver
}

/// The engine that watches for news of the session. If the session was not named, it watches as the
/// run that this process belongs to.
fn observer(engine: &Engine, session: &SessionId, wish: &McpOptions) -> Engine {
    let caller = engine.for_session(session).current_caller();
    engine.on_behalf_of(Caller {
        run: caller.run.filter(|_| wish.session.is_none()),
        ..caller
    })
}

/// A session for a client that named none.
fn fresh_session(engine: &Engine) -> Result<SessionId, ApiError> {
    engine.fresh_session("mcp")
}

fn unavailable(error: &std::io::Error) -> ApiError {
    ApiError::from_error(ErrorKind::Failed, "no_server", error).hint("see `materia doctor`")
}
