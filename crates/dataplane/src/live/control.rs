//! What is asked of a running lab, from any thread, while it sleeps.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use rustix::event::{EventfdFlags, eventfd};

use super::error::LiveError;
use super::lab::LabReport;

pub(super) enum Request {
    Report(Sender<LabReport>),
    Stop,
}

/// Asks a running lab; can be cloned.
#[derive(Clone, Debug)]
pub struct Control {
    event: Arc<OwnedFd>,
    sender: Sender<Request>,
}

/// What was asked, for the lab itself.
#[derive(Debug)]
pub struct Requests {
    event: Arc<OwnedFd>,
    receiver: Receiver<Request>,
}

impl Control {
    /// For a lab that is to run.
    ///
    /// # Errors
    /// The process has too many files open.
    pub fn new() -> Result<(Self, Requests), LiveError> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
            .map_err(|error| LiveError::at("make an event")(error.into()))?;
        let (event, (sender, receiver)) = (Arc::new(event), channel());
        let requests = Requests { event: Arc::clone(&event), receiver };
        Ok((Control { event, sender }, requests))
    }

    /// Ends the lab.
    pub fn stop(&self) {
        self.ask(Request::Stop);
    }

    /// What has passed so far; `None` once the lab has ended.
    #[must_use]
    pub fn report(&self) -> Option<LabReport> {
        let (sender, receiver) = channel();
        self.ask(Request::Report(sender));
        receiver.recv().ok()
    }

    /// A lab that has ended hears nothing.
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
