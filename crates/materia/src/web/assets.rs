//! The page and its files, built from `web/` and embedded in this program.
//!
//! Owns the list of files. File names contain no hash, so a browser revalidates each time and gets
//! "304 Not Modified" if the hash of the content is unchanged.

use std::borrow::Cow;

use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

/// One file of the client.
struct Asset {
    path: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

impl Asset {
    /// The content. A debug build reads the file, so that the client can be edited while the server
    /// runs.
    fn content(&self) -> Cow<'static, [u8]> {
        #[cfg(debug_assertions)]
        if let Ok(bytes) =
            std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/web").to_owned() + self.path)
        {
            return bytes.into();
        }
        self.bytes.into()
    }
}

macro_rules! asset {
    ($path:literal, $kind:literal) => {
        Asset {
            path: concat!("/", $path),
            kind: $kind,
            bytes: include_bytes!(concat!("../../assets/web/", $path)),
        }
    };
}

const ASSETS: &[Asset] = &[
    asset!("index.html", "text/html; charset=utf-8"),
    asset!("app.js", "text/javascript; charset=utf-8"),
    asset!("app.css", "text/css; charset=utf-8"),
    asset!("icon.svg", "image/svg+xml"),
];

/// Serves a file of the client. Any path that is not a file is a route inside the page.
pub(super) async fn serve(uri: Uri, headers: HeaderMap) -> Response {
    let found = ASSETS.iter().find(|asset| asset.path == uri.path());
    // Names inside the page may contain dots; files of the client are all at the top level.
    let looks_like_file = uri.path().contains('.') && !uri.path()[1..].contains('/');
    let asset = match found {
        Some(asset) => asset,
        None if looks_like_file => return StatusCode::NOT_FOUND.into_response(),
        None => &ASSETS[0],
    };
    let bytes = asset.content();
    let tag = tag(&bytes);
    let known = headers
        .get(header::IF_NONE_MATCH)
        .and_then(|value| value.to_str().ok());
    let mut response = if known == Some(tag.as_str()) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, asset.kind)], bytes).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(value) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, value);
    }
    response
}

/// The entity tag: a hash that changes with the content.
fn tag(bytes: &[u8]) -> String {
    let sum = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("\"{}-{sum:016x}\"", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_file_is_served() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/web");
        let mut built: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| format!("/{}", entry.unwrap().file_name().to_string_lossy()))
            .collect();
        built.sort();
        let mut served: Vec<&str> = ASSETS.iter().map(|asset| asset.path).collect();
        served.sort_unstable();
        assert_eq!(built, served);
    }
}
