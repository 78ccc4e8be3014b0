//! Who may ask. The server listens on this machine, but so does every page that a browser on this
//! machine has open: a request must name us as its host, and come from a page of ours.

use std::net::IpAddr;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::refusal::Refusal;

/// Lets requests through that are meant for this server and come from its own page.
pub async fn check(State(bound): State<IpAddr>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    if bound.is_loopback() && !host(headers).is_none_or(is_local) {
        return Refusal::forbidden("this server answers to localhost only").into_response();
    }
    // Browsers say where a request comes from whenever another page is behind it.
    let origin = headers
        .get(header::ORIGIN)
        .and_then(|origin| origin.to_str().ok());
    let own = |origin: &str| {
        let of = origin.split_once("://").map_or(origin, |(_, of)| of);
        headers
            .get(header::HOST)
            .is_some_and(|host| host.as_bytes() == of.as_bytes())
    };
    if origin.is_some_and(|origin| !own(origin)) {
        return Refusal::forbidden("requests from other pages are not answered").into_response();
    }
    next.run(request).await
}

/// The host that the request is meant for, without its port.
fn host(headers: &HeaderMap) -> Option<&str> {
    let host = headers.get(header::HOST)?.to_str().ok()?;
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => Some(name),
        _ => Some(host),
    }
}

fn is_local(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || address
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::is_local;

    #[test]
    fn names_of_this_machine() {
        for (host, local) in [
            ("localhost", true),
            ("127.0.0.1", true),
            ("[::1]", true),
            ("192.168.0.1", false),
            ("localhost.example.org", false),
            ("", false),
        ] {
            assert_eq!(is_local(host), local, "{host}");
        }
    }
}
