//! The agents' door: the Model Context Protocol on stdin and stdout or over HTTP, and the same for
//! hosts that can be woken.
//!
//! Owns the translation of tool calls into words of the command line and of reports into short
//! texts. It decides nothing: every request is one short process of this very program, so that
//! agents, people and scripts get the same answers, and a request that is cancelled or crashes
//! takes nothing else with it. The words that are spoken on the wire are `rmcp`'s business and stay
//! in this room.

mod brief;
mod connection;
mod desk;
mod given;
mod http;
mod listing;
mod news;
mod pool;
mod prompts;
mod relay;
mod request;
mod resources;
mod server;
mod tasks;
mod transport;
mod turns;
mod words;

pub use http::mount;
pub use relay::turn;

use std::path::Path;
use std::sync::Arc;

use materia_engine::clock::Clock;
use materia_engine::library::Library;
use materia_engine::run::{self, Root};
use materia_model::name::SessionId;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;

use crate::door::{Listener, Mcp};
use crate::view::style::Role;
use crate::view::{Screen, Voice};
use crate::world::World;
use materia_engine::api::{ApiError, Caller, ErrorKind};

use connection::{Common, Host, Server, Whose};
use desk::{Desk, Place};
use news::NewsFeed;
use transport::Transport;
use turns::Turns;

/// Serves until the other end hangs up.
pub fn run(world: &World, wish: &Mcp) -> u8 {
    if world.terminals.stdin {
        let said = "waiting for an agent on stdin and stdout; there is nothing to type here";
        wish.screen.talk(Role::Strong, "mcp", said);
        let hint = "name `materia mcp` where your agent lists its MCP servers; Ctrl-D ends it";
        wish.screen.talk(Role::Good, "  hint", hint);
    }
    let done = serve(world, wish);
    done.map_or_else(
        |failure| {
            wish.screen.failure(&failure, Voice::Human);
            failure.kind.exit_code()
        },
        |()| 0,
    )
}

fn serve(world: &World, wish: &Mcp) -> Result<(), ApiError> {
    let home = world.home()?;
    let session = session(world, wish.session.as_deref())?;
    let within = world.within().filter(|_| wish.session.is_none());
    // A session that nobody named cannot be come back to: it is over with the connection.
    let ours = world
        .session(wish.session.as_deref())
        .is_none()
        .then(|| session.to_string());
    let library = Library::new(&home, world.variable("HOME").map(Path::new));
    let cwd = world.cwd.as_ref().ok().cloned();
    let desk = Arc::new(Desk::open(Place::Own, cwd).map_err(|error| unavailable(&error))?);
    let host_socket = world.engine().host_socket(&session)?;
    let host = (wish.listener == Listener::Host).then(|| Host {
        news: NewsFeed::new(world.engine().on_behalf_of(Caller {
            session: Some(session.to_string()),
            run: within,
        })),
        turns: Turns::new(host_socket),
    });
    let server = Server::new(
        Common::new(Arc::clone(&desk), library),
        Whose::Named(session),
        host,
    );
    // One thread: whatever takes time is a process or a thread of its own.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build();
    let runtime = runtime.map_err(|error| unavailable(&error))?;
    let screen = wish.screen;
    let ended = runtime.block_on(async {
        tokio::select! {
            ended = talk(server, screen) => ended,
            () = desk.interrupted() => Err(interrupted()),
        }
    });
    desk.close();
    if let Some(session) = ours {
        // What cannot be ended is found by whoever looks next; nobody is there any more to be told.
        let _runs_go_on = run::end_session(&Root::new(home.runs()), &session, &world.clock());
    }
    ended
}

/// Answers until the other end hangs up.
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
        // Somebody who hangs up before saying anything wanted nothing.
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

/// The session of this connection: what was said, what the run around us belongs to, or a fresh one
/// (A9).
fn session(world: &World, said: Option<&str>) -> Result<SessionId, ApiError> {
    world
        .session(said)
        .map_or_else(|| Ok(fresh_session()), |session| named(&session))
}

/// A session that nobody has yet.
fn fresh_session() -> SessionId {
    let random = Clock::system().fresh_id();
    let fresh = format!("mcp-{}", &random[random.len().saturating_sub(12)..]);
    fresh
        .parse()
        .unwrap_or_else(|_| unreachable!("letters, digits and a hyphen"))
}

/// The session of this name.
fn named(session: &str) -> Result<SessionId, ApiError> {
    session
        .parse()
        .map_err(|error: materia_model::name::NameError| {
            let mut failure = ApiError::from(error);
            failure.code = "invalid_session".to_owned();
            failure
        })
}

fn unavailable(error: &std::io::Error) -> ApiError {
    ApiError::from_error(ErrorKind::Failed, "no_server", error).hint("see `materia doctor`")
}
