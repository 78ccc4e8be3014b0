//! Connections: how many, and how long a request may take to arrive. Somebody who sends half a
//! request and waits must not keep a place for ever.

use std::{sync::Arc, time::Duration};

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{net::TcpListener, sync::Semaphore};

/// Connections that may be open at a time.
const CONNECTIONS: usize = 4096;
/// Before another attempt, when the system has no room for a connection.
const PAUSE: Duration = Duration::from_millis(100);

/// How long the head of a request may take to arrive, and its body after that.
#[derive(Clone, Copy)]
pub struct Patience(pub Duration);

/// Answers connections, as long as the program runs.
pub async fn answer(listener: TcpListener, app: Router, patience: Patience) {
    let app = app.layer(Extension(patience));
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let Ok(place) = places.clone().try_acquire_owned() else {
            continue; // hangs up
        };
        let service = TowerToHyperService::new(app.clone());
        tokio::spawn(async move {
            let _place = place;
            let served = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(patience.0)
                .serve_connection(TokioIo::new(stream), service);
            // Whatever is wrong with a connection, there is nobody left to tell.
            let _ = served.await;
        });
    }
}
