//! The page, embedded in the binary.

use axum::{
    http::{HeaderMap, StatusCode, Uri, header},
    response::{Html, IntoResponse, Response},
};
use rust_embed::RustEmbed;

use super::refusal::Refusal;

/// What `npm run build` has made; nothing when Node was not at hand.
#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Built;

/// Any file of the page. Everything else is the page itself, which reads its own address.
pub async fn file(uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    if path.starts_with("api/") {
        let error = format!("there is no '/{path}'; /api/openapi.json says what there is");
        return Refusal::not_found(error).into_response();
    }
    let path = if path.is_empty() { "index.html" } else { path };
    let Some(file) = Built::get(path) else {
        return if Built::get("index.html").is_none() {
            Html(include_str!("not_built.html")).into_response()
        } else {
            Refusal::not_found(format!("there is no page '/{path}'")).into_response()
        };
    };
    let tag = file.metadata.sha256_hash()[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect::<String>();
    let tag = format!("\"{tag}\"");
    // The browser asks every time and is told when nothing has changed.
    let cache = [
        (header::ETAG, tag.clone()),
        (header::CACHE_CONTROL, "no-cache".to_owned()),
    ];
    let known = headers.get(header::IF_NONE_MATCH);
    if known.is_some_and(|known| known.to_str().is_ok_and(|known| known.contains(&tag))) {
        return (StatusCode::NOT_MODIFIED, cache).into_response();
    }
    let kind = [(header::CONTENT_TYPE, kind(path))];
    (cache, kind, file.data).into_response()
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
