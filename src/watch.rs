//! How a long computation says how far it is and learns that it should stop.

use std::future::Future;

use crate::protocol::Progress;

/// The computation was asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("The computation was stopped.")]
pub struct Cancelled;

/// Hears of progress. Computations call it between units of work (a tensor, a layer, a step), so that one
/// that shares its thread with an event loop can serve it in between.
pub trait Watch {
    /// Takes note of `progress`.
    ///
    /// # Errors
    /// [`Cancelled`] where the computation should end now.
    fn report(&self, progress: Progress) -> impl Future<Output = Result<(), Cancelled>>;
}

/// Watches nothing and stops nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    async fn report(&self, _: Progress) -> Result<(), Cancelled> {
        Ok(())
    }
}
