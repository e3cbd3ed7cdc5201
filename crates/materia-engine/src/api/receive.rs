//! `receive`: a program takes its next message, and settles it.

use std::time::Duration;

use materia_model::message::{Address, AddressError};

use super::{ApiError, Engine, ErrorKind};
use crate::post::{MessageSettlement, MessageWait};
use crate::routing::receive::{self, ReceiveContext};

pub use crate::post::ClaimedMessage;
pub use crate::routing::receive::{ReceiveObserver, ReceiveReport, SettleReport};

/// Which message to take.
#[derive(Debug, Clone, Default)]
pub struct ReceiveRequest {
    /// Whose messages: `run:ID` or `branch:RUN/NAME`; inside a run, that run.
    pub address: Option<String>,
    /// How long to wait at most.
    pub timeout: Option<Duration>,
    /// The process that deals with the message, instead of the one that called this one.
    pub holder: Option<i32>,
    /// The session that asks.
    pub session: Option<String>,
}

/// What became of a message.
#[derive(Debug, Clone, Default)]
pub struct SettleRequest {
    /// The message.
    pub message: String,
    /// Why it could not be dealt with; none where it was.
    pub error: Option<String>,
    /// Whose message it is, as in [`ReceiveRequest`].
    pub address: Option<String>,
    /// The process that dealt with it, instead of the one that called this one.
    pub holder: Option<i32>,
    /// The session that asks.
    pub session: Option<String>,
}

impl Engine {
    /// Takes the next message, waiting for one. The observer passes it on to the caller; only when
    /// it has is the message the caller's to deal with.
    pub fn receive(
        &self,
        request: &ReceiveRequest,
        observer: &mut dyn ReceiveObserver,
    ) -> Result<ReceiveReport, ApiError> {
        let wait = request
            .timeout
            .map_or(MessageWait::Forever, MessageWait::For);
        let (address, holder) = (request.address.as_deref(), request.holder);
        self.receiver(address, holder, request.session.as_deref(), |context| {
            receive::receive(context, wait, &self.interrupts(), observer)
        })
    }

    /// Records what became of a message. Recording the same twice changes nothing.
    pub fn settle(&self, request: &SettleRequest) -> Result<SettleReport, ApiError> {
        let ending = match &request.error {
            None => MessageSettlement::Handled,
            Some(error) => MessageSettlement::Failed(error.clone()),
        };
        let (address, holder) = (request.address.as_deref(), request.holder);
        self.receiver(address, holder, request.session.as_deref(), |context| {
            receive::settle(context, &request.message, &ending)
        })
    }

    fn receiver<T>(
        &self,
        address: Option<&str>,
        holder: Option<i32>,
        session: Option<&str>,
        call: impl FnOnce(&ReceiveContext<'_>) -> Result<T, receive::Error>,
    ) -> Result<T, ApiError> {
        let root = self.runs()?;
        let caller = self.caller(session)?;
        let context = ReceiveContext {
            root: &root,
            address: &self.queue_address(address)?,
            session: caller.session.as_deref(),
            within: caller.run.as_ref(),
            holder,
            clock: self.clock(),
        };
        Ok(call(&context)?)
    }

    fn queue_address(&self, named: Option<&str>) -> Result<Address, ApiError> {
        let inherited = || self.variable("MATERIA_ADDRESS")?.to_str();
        let Some(named) = named.or_else(inherited) else {
            let message = "nobody says whose messages to receive";
            return Err(ApiError::new(ErrorKind::Invalid, "usage", message)
                .hint("give --address run:ID, or call it inside a run"));
        };
        named.parse().map_err(|error: AddressError| {
            ApiError::from_error(ErrorKind::Invalid, "invalid_address", &error).hint(error.hint())
        })
    }
}
