//! What requests carry, with refusals in our own form.

use axum::{
    Json,
    extract::{FromRequest, FromRequestParts, Request, rejection::JsonRejection},
};

use super::{listen::Patience, refusal::Refusal};

/// A body of JSON, if it arrives in time.
pub struct Body<T>(pub T);

impl<S: Send + Sync, T> FromRequest<S> for Body<T>
where
    Json<T>: FromRequest<S, Rejection = JsonRejection>,
{
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Body<T>, Refusal> {
        let patience = request.extensions().get::<Patience>().copied();
        let read = Json::<T>::from_request(request, state);
        let Json(body) = match patience {
            Some(Patience(time)) => tokio::time::timeout(time, read)
                .await
                .map_err(|_| Refusal::late("the request took too long to arrive"))?,
            None => read.await,
        }?;
        Ok(Body(body))
    }
}

/// What stands behind the question mark.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(Refusal))]
pub struct Asked<T>(pub T);

/// A part of the path.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(Refusal))]
pub struct Named<T>(pub T);
