//! What is asked of a running link or lab, from any thread, while it sleeps.
//!
//! Whoever passes frames only answers: it never waits for whoever asked, and what is asked for in
//! vain is forgotten.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use forebay_switch::AnySwitch;
use forebay_units::Time;
use rustix::event::{EventfdFlags, eventfd};

use super::error::LiveError;
use super::lab::LabReport;
use super::look::Look;
use crate::link::NewPolicy;

pub(super) enum Request {
    /// Of a lab.
    Report(Sender<LabReport>),
    Look(Sender<Look>),
    Change(Change, Sender<Changed>),
    Stop,
}

/// Other policies for devices of a lab, or for the directions of a link.
pub(super) struct Change {
    pub(super) policies: Vec<(u32, NewPolicy)>,
    /// What was said of them, for a recording.
    pub(super) set: Vec<(String, String)>,
}

/// When a policy was changed, and what it was: whoever asked frees the old switches.
pub(super) struct Changed {
    pub(super) at: Time,
    #[allow(dead_code)] // it is there to be dropped
    pub(super) old: Vec<AnySwitch>,
}

/// Asks a running link or lab; can be cloned.
#[derive(Clone, Debug)]
pub struct Control {
    event: Arc<OwnedFd>,
    sender: Sender<Request>,
}

/// What was asked, for the link or the lab itself.
#[derive(Debug)]
pub struct Requests {
    event: Arc<OwnedFd>,
    receiver: Receiver<Request>,
    /// Whether what passes is counted for those who look.
    pub(super) is_metered: bool,
}

impl Control {
    /// For a link or a lab that is to run. If someone may [look](Control::look), what passes is
    /// counted for them.
    ///
    /// # Errors
    /// The process has too many files open.
    pub fn new(may_look: bool) -> Result<(Self, Requests), LiveError> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
            .map_err(|error| LiveError::at("make an event")(error.into()))?;
        let (event, (sender, receiver)) = (Arc::new(event), channel());
        let requests = Requests { event: Arc::clone(&event), receiver, is_metered: may_look };
        Ok((Control { event, sender }, requests))
    }

    /// Ends the link or the lab.
    pub fn stop(&self) {
        self.ask(Request::Stop);
    }

    /// What has passed through a lab so far; `None` of a link, and once the lab has ended.
    #[must_use]
    pub fn report(&self) -> Option<LabReport> {
        self.answer(Request::Report)
    }

    /// What there is to see at this moment, and what has passed since the last look; `None` once
    /// all has ended.
    #[must_use]
    pub fn look(&self) -> Option<Look> {
        self.answer(Request::Look)
    }

    /// Puts other policies in the place of those of some devices, or of a link's directions: the
    /// instant from which on they decide, `None` once all has ended. `set` is what was said of
    /// them, for a recording.
    #[must_use]
    pub fn change(
        &self,
        policies: Vec<(u32, NewPolicy)>,
        set: Vec<(String, String)>,
    ) -> Option<Time> {
        let change = Change { policies, set };
        self.answer(|to| Request::Change(change, to)).map(|changed| changed.at)
    }

    fn answer<T>(&self, request: impl FnOnce(Sender<T>) -> Request) -> Option<T> {
        let (sender, receiver) = channel();
        self.ask(request(sender));
        receiver.recv().ok()
    }

    /// What has ended hears nothing.
    fn ask(&self, request: Request) {
        if self.sender.send(request).is_ok() {
            let _ = rustix::io::write(&*self.event, &1u64.to_ne_bytes());
        }
    }
}

impl Requests {
    /// All that was asked so far. The event is cleared before: what is asked meanwhile raises it
    /// again, and nothing else does.
    pub(super) fn all(&self) -> impl Iterator<Item = Request> {
        let _ = rustix::io::read(&*self.event, &mut [0; 8]);
        self.receiver.try_iter()
    }
}

impl AsFd for Requests {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }
}
