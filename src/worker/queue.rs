//! Which request is served. Only the newest one goes on; between units of work the event loop gets its turn, so
//! that newer requests and cancellations are heard.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use gloo_timers::future::TimeoutFuture;

use super::post;
use crate::{
    protocol::{Progress, Response},
    watch::{Cancelled, Watch},
};

/// Longest stretch of work, in milliseconds, before the event loop gets its turn.
const STRETCH: f64 = 30.0;

/// The newest request and the cancelled ones.
#[derive(Debug, Default)]
pub(super) struct Queue {
    newest: Cell<u64>,
    cancelled: RefCell<Vec<u64>>,
}

impl Queue {
    /// The request `id` takes the place of the one before.
    pub(super) fn enter(self: &Rc<Self>, id: u64) -> Place {
        self.newest.set(id);
        // Requests older than this one can no longer be served, so nobody will ask for them again.
        self.cancelled.borrow_mut().retain(|&old| old >= id);
        Place { queue: Rc::clone(self), id, last_turn: Cell::new(js_sys::Date::now()) }
    }

    pub(super) fn cancel(&self, id: u64) {
        self.cancelled.borrow_mut().push(id);
    }

    pub(super) fn was_cancelled(&self, id: u64) -> bool {
        self.cancelled.borrow().contains(&id)
    }
}

/// A request's place in the queue; also its [`Watch`].
#[derive(Debug)]
pub(super) struct Place {
    queue: Rc<Queue>,
    id: u64,
    last_turn: Cell<f64>,
}

impl Place {
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// False once the request was cancelled or replaced.
    pub(super) fn is_current(&self) -> bool {
        self.queue.newest.get() == self.id && !self.queue.was_cancelled(self.id)
    }
}

impl Watch for Place {
    async fn report(&self, progress: Progress) -> Result<(), Cancelled> {
        if js_sys::Date::now() - self.last_turn.get() >= STRETCH {
            post(&Response::Progress { id: self.id, progress });
            TimeoutFuture::new(0).await;
            self.last_turn.set(js_sys::Date::now());
        }
        if self.is_current() { Ok(()) } else { Err(Cancelled) }
    }
}
