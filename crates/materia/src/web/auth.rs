//! Access control (S4): one code per browser, then a cookie, and no requests from other sites;
//! agents send a token.
//!
//! Owns the checks before every route: host, origin, cookie, token. The engine owns the secrets
//! ([`WebAccess`]). A code works once, for one browser; when it is used, the next one is printed. A
//! session is a secret in an HttpOnly cookie. Never logs codes or secrets.

use std::net::IpAddr;
use std::path::Path;

use axum::extract::{Request, State as Given};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use materia_engine::api::{ApiError, ErrorKind, WebAccess};

use super::reply::ErrorReply;
use super::state::State;
use crate::view::Screen;
use crate::view::style::Role;

/// The content security policy: nothing from other sites, no frames, no inline scripts.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Checks the access of requests.
#[derive(Debug)]
pub(super) struct Door {
    port: u16,
    hosts: Vec<String>,
    access: WebAccess,
    herald: Herald,
}

/// Prints the address for the next browser.
#[derive(Debug)]
pub(super) struct Herald {
    /// The address without a code.
    pub(super) address: String,
    pub(super) screen: Screen,
}

impl Herald {
    /// The address with a code, which works once.
    pub(super) fn url(&self, code: &str) -> String {
        format!("{}?code={code}", self.address)
    }

    fn tell(&self, code: &str) {
        self.screen
            .talk(Role::Quiet, "another browser", &self.url(code));
    }
}

impl Door {
    /// Access control for a server at this address.
    pub(super) fn new(host: &str, port: u16, access: WebAccess, herald: Herald) -> Self {
        let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "[::1]"]
            .map(str::to_owned)
            .to_vec();
        match host.parse::<IpAddr>() {
            Ok(IpAddr::V6(address)) => hosts.push(format!("[{address}]")),
            // A server that listens on all addresses is reached under names that we cannot know.
            Ok(address) if !address.is_unspecified() => hosts.push(address.to_string()),
            Ok(_) => {}
            Err(_) => hosts.push(host.to_lowercase()),
        }
        Self {
            port,
            hosts,
            access,
            herald,
        }
    }

    /// The address for the next browser.
    pub(super) fn url(&self) -> String {
        self.herald.url(&self.access.code())
    }

    /// The file with the token that agents send.
    pub(super) fn token_file(&self) -> &Path {
        self.access.token_file()
    }

    /// The name of the cookie. Cookies are shared between ports, so it contains the port.
    fn cookie(&self) -> String {
        format!("materia_{}", self.port)
    }

    /// Whether this is one of the server's names. Any other name may be a DNS rebinding attack.
    fn knows(&self, authority: &str) -> bool {
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port.parse::<u16>().ok()),
            _ => (authority, Some(80)),
        };
        port == Some(self.port)
            && self
                .hosts
                .iter()
                .any(|known| known.eq_ignore_ascii_case(host))
    }

    /// Exchanges a code for a session; a code works once.
    fn hand_over(&self, given: &str) -> Option<String> {
        let secret = self.access.redeem(given)?;
        self.herald.tell(&self.access.code());
        Some(secret)
    }

    fn is_open_for(&self, headers: &HeaderMap) -> bool {
        let name = format!("{}=", self.cookie());
        let cookies = headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok());
        let given = cookies
            .flat_map(|line| line.split(';'))
            .find_map(|one| one.trim().strip_prefix(&name));
        given.is_some_and(|secret| self.access.knows_browser(secret))
    }

    /// Whether an agent sends the right token.
    fn is_open_for_agent(&self, headers: &HeaderMap) -> bool {
        let said = headers
            .get(header::AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let (scheme, word) = said.split_once(' ').unwrap_or_default();
        scheme.eq_ignore_ascii_case("bearer") && self.access.knows_agent(word.trim())
    }

    /// The reason to reject a request by its host or origin, if there is one.
    fn refusal(&self, who: Who, method: &Method, headers: &HeaderMap) -> Option<ApiError> {
        let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        if !text(header::HOST).is_some_and(|host| self.knows(host)) {
            return Some(refused(
                "wrong_host",
                "this server is not known under that name",
            ));
        }
        let origin = text(header::ORIGIN);
        let ours = |origin: &str| {
            origin
                .strip_prefix("http://")
                .is_some_and(|authority| self.knows(authority))
        };
        let changes = !matches!(*method, Method::GET | Method::HEAD);
        if origin.is_some_and(|origin| !ours(origin))
            || (changes && origin.is_none() && who == Who::Browser)
        {
            return Some(refused(
                "wrong_origin",
                "the request comes from another site",
            ));
        }
        let site = text(HeaderName::from_static("sec-fetch-site"));
        if changes && site.is_some_and(|site| site != "same-origin") {
            return Some(refused(
                "wrong_origin",
                "the request comes from another site",
            ));
        }
        None
    }
}

/// The kind of client that an address is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    /// A user's browser.
    Browser,
    /// An agent's program; it need not send an `Origin`.
    Agent,
}

impl Who {
    fn of(uri: &Uri) -> Self {
        let path = uri.path();
        if path == "/mcp" || path.starts_with("/mcp/") {
            Self::Agent
        } else {
            Self::Browser
        }
    }
}

/// Checks every request before it is routed, and adds the security headers to every response.
pub(super) async fn guard(Given(state): Given<State>, request: Request, next: Next) -> Response {
    let mut response = match checked(&state, &request) {
        Some(answer) => answer,
        None => next.run(request).await,
    };
    dress(response.headers_mut());
    response
}

fn checked(state: &State, request: &Request) -> Option<Response> {
    let (door, method, headers) = (&state.door, request.method(), request.headers());
    let who = Who::of(request.uri());
    if let Some(failure) = door.refusal(who, method, headers) {
        return Some(ErrorReply::from(failure).into_response());
    }
    if who == Who::Agent {
        // Ignore cookies here: a browser sends them automatically, so they must not authenticate an
        // agent.
        return (!door.is_open_for_agent(headers)).then(unknown_agent);
    }
    if let Some(code) = handed_over(request.uri()).filter(|_| *method == Method::GET) {
        return Some(match door.hand_over(code) {
            Some(secret) => welcome(&door.cookie(), &secret),
            None if door.is_open_for(headers) => moved_in(),
            None => stranger(request.uri()),
        });
    }
    if !door.is_open_for(headers) {
        return Some(stranger(request.uri()));
    }
    let has_body = !matches!(*method, Method::GET | Method::HEAD | Method::DELETE);
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    if has_body && kind.split(';').next().map(str::trim) != Some("application/json") {
        let failure = ApiError::new(
            ErrorKind::Invalid,
            "not_json",
            "the body is not declared as application/json",
        );
        let mut response = ErrorReply::from(failure).into_response();
        *response.status_mut() = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return Some(response);
    }
    None
}

fn handed_over(uri: &Uri) -> Option<&str> {
    if uri.path() != "/" {
        return None;
    }
    uri.query()?
        .split('&')
        .find_map(|pair| pair.strip_prefix("code="))
}

/// The first response to a browser: sets the cookie and reloads without the code. The page itself
/// does the redirect, because a browser does not send a strict cookie on a navigation that another
/// program started.
fn welcome(cookie: &str, secret: &str) -> Response {
    let mut response = moved_in();
    let cookie = format!("{cookie}={secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000");
    if let Ok(value) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    response
}

fn moved_in() -> Response {
    let page = "<!doctype html><html lang=en><meta charset=utf-8><title>materia</title>\
        <meta http-equiv=refresh content=\"0;url=/\"><p>Opening materia…</p></html>";
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response()
}

fn stranger(uri: &Uri) -> Response {
    if uri.path().starts_with("/api/") {
        let failure = ApiError::new(
            ErrorKind::Refused,
            "not_signed_in",
            "this browser has not been let in",
        )
        .hint("open the address that `materia ui` printed");
        let mut response = ErrorReply::from(failure).into_response();
        *response.status_mut() = StatusCode::UNAUTHORIZED;
        return response;
    }
    let page = "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
        <meta name=color-scheme content=\"light dark\"><title>materia</title>\
        <h1>Not signed in</h1><p>Open the address that <code>materia ui</code> printed in your terminal. Each address \
        works once; a new one is printed when it was used.</p></html>";
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    (StatusCode::UNAUTHORIZED, kind, page).into_response()
}

fn unknown_agent() -> Response {
    let failure = ApiError::new(
        ErrorKind::Refused,
        "no_token",
        "the token is missing or wrong",
    )
    .hint("send `Authorization: Bearer TOKEN`; `materia ui` says in which file the token is");
    let mut response = ErrorReply::from(failure).into_response();
    *response.status_mut() = StatusCode::UNAUTHORIZED;
    response
        .headers_mut()
        .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

fn refused(code: &str, message: &str) -> ApiError {
    ApiError::new(ErrorKind::Refused, code, message)
        .hint("open the address that `materia ui` printed")
}

/// Adds the security headers.
fn dress(headers: &mut HeaderMap) {
    let fixed = [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
}
