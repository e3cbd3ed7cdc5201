//! Following a cast while it goes on.

use super::{ApiError, Engine};

pub use crate::cast::follow::{ActivityReport, CastFollower, CastStateReport, CastUpdate};

/// Which cast to follow, and what the caller has of it already.
#[derive(Debug, Clone, Default)]
pub struct FollowCastRequest {
    /// Its id, the beginning of its id, or its directory. Without one it is the newest that runs, or
    /// else the newest.
    pub cast: Option<String>,
    /// The number of the last event that the caller has.
    pub after: u64,
    /// The activity that the caller has, and up to which position.
    pub activity: Option<(String, u64)>,
}

impl Engine {
    /// Follows a cast: its events, what its agent does, and its state.
    pub fn follow_cast(&self, request: FollowCastRequest) -> Result<CastFollower, ApiError> {
        let folder = self.find_cast(request.cast.as_deref(), None)?;
        Ok(CastFollower::open(folder, request.after, request.activity)?)
    }
}
