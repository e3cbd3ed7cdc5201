//! Runs calls of the engine on threads beside the protocol's thread.
//!
//! Owns the bounds: how many calls run at a time, how many of them one session may have if several
//! share the server, and how many may wait. A call that its client abandons is cancelled; a call
//! that panics is answered with an internal error. Never looks into a report.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use materia_engine::api::{ApiError, Cancellation, ErrorKind};
use materia_model::name::SessionId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

/// Maximum number of concurrent calls; more wait.
const MAX_CALLS: usize = 128;
/// Maximum number of concurrent calls of one session if several share the pool.
const MAX_CALLS_PER_SESSION: usize = 32;
/// Maximum number of waiting calls; more are rejected at once.
const MAX_WAITING: usize = 1024;

/// Whether several sessions share the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PoolSharing {
    /// One session may use the whole pool.
    OneSession,
    /// Sessions share the pool fairly.
    ManySessions,
}

/// Runs calls.
#[derive(Debug)]
pub(super) struct CallPool {
    calls: Semaphore,
    /// The permits of each session; `None` if one session has the pool for itself.
    sessions: Option<Mutex<HashMap<SessionId, Arc<Semaphore>>>>,
    waiting: AtomicUsize,
    running: Mutex<Vec<Cancellation>>,
}

impl CallPool {
    pub(super) fn new(sharing: PoolSharing) -> Self {
        Self {
            calls: Semaphore::new(MAX_CALLS),
            sessions: (sharing == PoolSharing::ManySessions).then(Mutex::default),
            waiting: AtomicUsize::new(0),
            running: Mutex::default(),
        }
    }

    /// Performs a call when a permit is free. Dropping the future cancels the call.
    pub(super) async fn call<T: Send + 'static>(
        &self,
        session: &SessionId,
        call: impl FnOnce(Cancellation) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let _permit = self.turn(session).await?;
        let running = RunningCall::begin(self)?;
        let cancellation = running.cancellation.clone();
        match tokio::task::spawn_blocking(move || call(cancellation)).await {
            Ok(answer) => answer,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => Err(ApiError::panicked(panic.as_ref())),
                Err(_) => Err(closed()),
            },
        }
    }

    /// Waits for a permit of the session, then for one of the pool.
    async fn turn(&self, session: &SessionId) -> Result<CallPermit<'_>, ApiError> {
        let _waiting = Waiting::begin(&self.waiting)?;
        let own = match &self.sessions {
            None => None,
            Some(sessions) => {
                let own = {
                    let mut sessions = sessions.lock().unwrap_or_else(PoisonError::into_inner);
                    // Remove sessions without a call, so that their number stays bounded.
                    sessions.retain(|_, turns| Arc::strong_count(turns) > 1);
                    let new = || Arc::new(Semaphore::new(MAX_CALLS_PER_SESSION));
                    Arc::clone(sessions.entry(session.clone()).or_insert_with(new))
                };
                Some(own.acquire_owned().await.map_err(|_| closed())?)
            }
        };
        let all = self.calls.acquire().await.map_err(|_| closed())?;
        Ok((own, all))
    }

    /// Rejects further calls and cancels running ones.
    pub(super) fn close(&self) {
        self.calls.close();
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.iter().for_each(Cancellation::cancel);
    }
}

/// The permits that a call holds while it runs: of its session, and of the pool.
type CallPermit<'p> = (Option<OwnedSemaphorePermit>, SemaphorePermit<'p>);

/// A call that waits for a permit.
struct Waiting<'p>(&'p AtomicUsize);

impl<'p> Waiting<'p> {
    fn begin(count: &'p AtomicUsize) -> Result<Self, ApiError> {
        let waiting = Self(count);
        if count.fetch_add(1, Ordering::Relaxed) < MAX_WAITING {
            Ok(waiting)
        } else {
            let message = "too many requests wait; ask again later";
            Err(ApiError::new(ErrorKind::Internal, "busy", message))
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A running call; dropping it before the call has returned cancels it.
struct RunningCall<'p> {
    pool: &'p CallPool,
    cancellation: Cancellation,
}

impl<'p> RunningCall<'p> {
    fn begin(pool: &'p CallPool) -> Result<Self, ApiError> {
        let cancellation = Cancellation::new().map_err(|error| {
            ApiError::from_error(ErrorKind::Internal, "internal", &error)
                .hint("see `materia doctor`")
        })?;
        let mut running = pool.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.push(cancellation.clone());
        Ok(Self { pool, cancellation })
    }
}

impl Drop for RunningCall<'_> {
    fn drop(&mut self) {
        self.cancellation.cancel();
        let mut running = self
            .pool
            .running
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        running.retain(|one| !one.is_cancelled());
    }
}

fn closed() -> ApiError {
    ApiError::new(ErrorKind::Internal, "closed", "the server is shutting down")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
    }

    fn session() -> SessionId {
        "s".parse().unwrap()
    }

    #[test]
    fn a_panic_is_an_internal_error_and_the_next_call_works() {
        let pool = CallPool::new(PoolSharing::ManySessions);
        runtime().block_on(async {
            let failed = pool.call::<()>(&session(), |_| panic!("broken")).await;
            let error = failed.unwrap_err();
            assert_eq!(error.kind, ErrorKind::Internal);
            assert!(error.message.contains("broken"), "{}", error.message);
            assert_eq!(pool.call(&session(), |_| Ok(1)).await.unwrap(), 1);
        });
        assert_eq!(pool.waiting.load(Ordering::Relaxed), 0);
        assert!(pool.running.lock().unwrap().is_empty());
    }

    #[test]
    fn dropping_a_call_cancels_it() {
        let pool = CallPool::new(PoolSharing::OneSession);
        let (begun, begins) = std::sync::mpsc::channel();
        let (ended, ends) = std::sync::mpsc::channel();
        let session = session();
        runtime().block_on(async {
            let call = pool.call(&session, move |cancellation| {
                begun.send(cancellation.clone()).unwrap();
                while !cancellation.is_cancelled() {
                    std::thread::yield_now();
                }
                ended.send(()).unwrap();
                Ok(())
            });
            // After the first poll, the call runs on its own thread.
            tokio::select! {
                biased;
                _ = call => panic!("nothing ended the call"),
                () = std::future::ready(()) => {}
            }
        });
        begins.recv().unwrap();
        ends.recv().unwrap();
    }

    #[test]
    fn a_closed_pool_refuses_calls() {
        let pool = CallPool::new(PoolSharing::OneSession);
        pool.close();
        let refused = runtime().block_on(pool.call(&session(), |_| Ok(())));
        assert_eq!(refused.unwrap_err().code, "closed");
    }
}
