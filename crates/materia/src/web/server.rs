//! The server itself: binds, prints its address, serves, and ends on Ctrl-C.
//!
//! Owns the runtime, which lives on this one thread. Ending the server ends no cast: casts have
//! processes of their own.

use std::net::{IpAddr, SocketAddr};

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use materia_engine::api::{ApiError, Caller, ErrorKind};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use super::auth::{Door, Herald, guard};
use super::state::{Facts, State, Topics};
use super::{api, assets};
use crate::door::{Mount, WebOptions};
use crate::view::{Agents, Serving};
use crate::world::World;

/// The default port.
const USUAL_PORT: u16 = 7717;

/// Serves browsers until it is interrupted. Returns the exit code.
pub fn run(world: &World, wish: &WebOptions, agents: Mount) -> u8 {
    match open(world, wish, agents) {
        Ok(()) => 0,
        Err(failure) => {
            wish.screen.failure(&failure, wish.format);
            failure.kind.exit_code()
        }
    }
}

fn open(world: &World, wish: &WebOptions, agents: Mount) -> Result<(), ApiError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(16)
        .build()
        .map_err(|error| ApiError::from_error(ErrorKind::Internal, "no_runtime", &error))?;
    let served = runtime.block_on(serve(world, wish, agents));
    // Open event streams are dropped on shutdown.
    runtime.shutdown_background();
    served
}

async fn serve(world: &World, wish: &WebOptions, agents: Mount) -> Result<(), ApiError> {
    // Before the address is printed: the user may press Ctrl-C as soon as it is.
    let interrupted = interrupts();
    let listener = bind(wish).await?;
    let at = listener
        .local_addr()
        .map_err(|error| unbound(&wish.host, wish.port, &error))?;
    let state = state(world, wish, at)?;
    let address = address(&wish.host, at);
    let url = state.door.url();
    let reachable = !at.ip().is_loopback();
    let agents = agents(world)?;
    let mcp = Agents {
        url: format!("{address}mcp"),
        token_file: state.door.token_file().to_owned(),
    };
    wish.screen.report(
        &Serving {
            ok: true,
            url: url.clone(),
            address,
            reachable,
            mcp,
        },
        wish.format,
    );
    if wish.open {
        // If no browser opens, the user still has the printed address.
        let _opened = world.engine().open_browser(&url);
    }
    let router = Router::new()
        .nest("/api", api::routes())
        .nest_service("/mcp", agents.routes)
        .fallback(get(assets::serve))
        .layer(from_fn_with_state(state.clone(), guard))
        .with_state(state);
    let served = tokio::select! {
        served = axum::serve(listener, router) => {
            served.map_err(|error| ApiError::from_error(ErrorKind::Failed, "not_served", &error))
        }
        () = interrupted => Ok(()),
    };
    (agents.end)();
    served
}

fn state(world: &World, wish: &WebOptions, at: SocketAddr) -> Result<State, ApiError> {
    // The user of the page is the operator, regardless of how the server was started.
    let engine = world.engine().on_behalf_of(Caller::default());
    let access = engine.web_access()?;
    let herald = Herald {
        address: address(&wish.host, at),
        screen: wish.screen,
    };
    let door = Door::new(&wish.host, at.port(), access, herald);
    Ok(State::new(Facts {
        engine,
        door,
        topics: Topics::default(),
    }))
}

/// Binds the requested port; without one, the default port, or any free port if that fails.
async fn bind(wish: &WebOptions) -> Result<TcpListener, ApiError> {
    let host = wish.host.trim_matches(['[', ']']);
    let failed = |error: std::io::Error| unbound(host, wish.port, &error);
    match wish.port {
        Some(port) => TcpListener::bind((host, port)).await.map_err(failed),
        None => match TcpListener::bind((host, USUAL_PORT)).await {
            Ok(listener) => Ok(listener),
            Err(_) => TcpListener::bind((host, 0)).await.map_err(failed),
        },
    }
}

fn unbound(host: &str, port: Option<u16>, error: &std::io::Error) -> ApiError {
    let place = port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    let message = format!(
        "cannot listen on {}: {error}",
        materia_model::text::quoted(&place)
    );
    ApiError::new(ErrorKind::Conflict, "not_bound", message)
        .hint("choose another port with --port, or any without it")
}

/// The address that the user opens.
fn address(host: &str, at: SocketAddr) -> String {
    let name = match host.parse::<IpAddr>() {
        Ok(ip) if ip.is_unspecified() => "localhost".to_owned(),
        Ok(IpAddr::V6(ip)) => format!("[{ip}]"),
        _ => host.to_owned(),
    };
    format!("http://{name}:{}/", at.port())
}

/// Catches interrupts from now on. The future completes on the first one.
fn interrupts() -> impl Future<Output = ()> {
    let caught = (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
    );
    async {
        let (Ok(mut interrupt), Ok(mut terminate)) = caught else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    }
}
