//! Responses: one JSON document each, never cached, with errors mapped by the one table.
//!
//! Owns the form of every response, and running blocking work outside the server's thread.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use materia_engine::api::{ApiError, ErrorKind};

/// The result of an API handler.
pub(super) type Reply = Result<Response, ErrorReply>;

/// An error as an HTTP response: the table gives its status, its report is the body.
#[derive(Debug)]
pub(super) struct ErrorReply(ApiError);

impl<E: Into<ApiError>> From<E> for ErrorReply {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

/// A response with one JSON document.
pub(super) fn json<T: Serialize>(status: StatusCode, document: &T) -> Response {
    match serde_json::to_vec(document) {
        Ok(bytes) => {
            let mut response = Response::new(Body::from(bytes));
            *response.status_mut() = status;
            let kind = HeaderValue::from_static("application/json; charset=utf-8");
            response.headers_mut().insert(header::CONTENT_TYPE, kind);
            response
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// A successful response with one JSON document.
pub(super) fn ok<T: Serialize>(document: &T) -> Reply {
    Ok(json(StatusCode::OK, document))
}

impl IntoResponse for ErrorReply {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.kind.codes().http);
        json(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), &self.0)
    }
}

/// Runs blocking work (files, processes) on another thread.
pub(super) async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| {
            let said = error.try_into_panic().ok();
            Err(match said {
                Some(panic) => ApiError::panicked(panic.as_ref()),
                None => ApiError::new(
                    ErrorKind::Interrupted,
                    "stopped",
                    "the server is being stopped",
                ),
            })
        })
}
