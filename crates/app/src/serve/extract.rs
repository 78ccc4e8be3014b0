//! What requests carry, with refusals in our own form.

use axum::extract::{FromRequest, FromRequestParts};

use super::refusal::Refusal;

/// A body of JSON.
#[derive(FromRequest)]
#[from_request(via(axum::Json), rejection(Refusal))]
pub struct Body<T>(pub T);

/// What stands behind the question mark.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(Refusal))]
pub struct Asked<T>(pub T);

/// A part of the path.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(Refusal))]
pub struct Named<T>(pub T);
