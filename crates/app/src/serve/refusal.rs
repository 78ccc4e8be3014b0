//! Why a request is not answered. The error is the response.

use std::fmt::Display;

use axum::{
    Json,
    extract::rejection::{JsonRejection, PathRejection, QueryRejection},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::Serialize;
use utoipa::ToSchema;

/// A request refused, in words.
#[derive(Debug, Serialize, ToSchema)]
pub struct Refusal {
    #[serde(skip)]
    status: StatusCode,
    /// What is wrong, and what to do about it.
    pub error: String,
}

/// What a handler returns.
pub type Answer<T> = Result<T, Refusal>;

impl Refusal {
    fn new(status: StatusCode, error: impl Display) -> Refusal {
        Refusal {
            status,
            error: error.to_string(),
        }
    }

    /// The request makes no sense.
    pub fn bad(error: impl Display) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, error)
    }

    /// It makes sense, but not to the one who is asked.
    pub fn beyond(error: impl Display) -> Refusal {
        Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, error)
    }

    /// It comes from a page of somebody else.
    pub fn forbidden(error: impl Display) -> Refusal {
        Refusal::new(StatusCode::FORBIDDEN, error)
    }

    /// There is nothing of this name.
    pub fn not_found(error: impl Display) -> Refusal {
        Refusal::new(StatusCode::NOT_FOUND, error)
    }

    /// It contradicts what is there already.
    pub fn conflict(error: impl Display) -> Refusal {
        Refusal::new(StatusCode::CONFLICT, error)
    }

    /// It did not arrive in time.
    pub fn late(error: impl Display) -> Refusal {
        Refusal::new(StatusCode::REQUEST_TIMEOUT, error)
    }

    /// There is too much to do already.
    pub fn busy(error: impl Display) -> Refusal {
        Refusal::new(StatusCode::TOO_MANY_REQUESTS, error)
    }

    /// Our own fault, or that of the machine.
    pub fn broken(error: impl Display) -> Refusal {
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(self)).into_response()
    }
}

impl From<JsonRejection> for Refusal {
    fn from(rejection: JsonRejection) -> Refusal {
        Refusal::new(rejection.status(), rejection.body_text())
    }
}

impl From<QueryRejection> for Refusal {
    fn from(rejection: QueryRejection) -> Refusal {
        Refusal::new(rejection.status(), rejection.body_text())
    }
}

impl From<PathRejection> for Refusal {
    fn from(rejection: PathRejection) -> Refusal {
        Refusal::new(rejection.status(), rejection.body_text())
    }
}
