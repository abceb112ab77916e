//! The thread that looks, and what is asked of it.
//!
//! It looks [`PERIOD`] after the last time, as long as somebody watches, and puts what it saw where
//! every client takes it from: the latest picture, and no queue of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use forebay_dataplane::live::Control;
use forebay_units::Time;
use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};

use super::Policies;
use super::shown::Shown;

/// How often there is a new picture.
const PERIOD: Duration = Duration::from_millis(200);
/// How many of the last changes a picture tells.
const CHANGES: usize = 20;

/// A picture as a text of JSON; empty before the first.
pub(super) type Picture = Arc<str>;
/// What is answered: an object, or what is wrong in one sentence.
pub(super) type Answer = Result<Value, String>;

enum Request {
    /// Somebody begins to watch.
    Watched,
    About(oneshot::Sender<Answer>),
    Describe(u32, Option<String>, oneshot::Sender<Answer>),
    Change(Vec<u32>, Vec<(String, String)>, oneshot::Sender<Answer>),
    Stop,
}

/// Asks the thread; can be cloned.
#[derive(Clone)]
pub(super) struct Watch {
    requests: Sender<Request>,
    watchers: Arc<AtomicUsize>,
    pictures: watch::Receiver<Picture>,
}

/// Somebody who watches, until this is dropped.
pub(super) struct Watcher {
    watchers: Arc<AtomicUsize>,
    /// The latest picture.
    pub(super) pictures: watch::Receiver<Picture>,
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.watchers.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Watch {
    pub(super) fn new(control: Control, policies: Box<dyn Policies>) -> (Self, Watching) {
        let (requests, asked) = channel();
        let (picture, pictures) = watch::channel(Picture::from(""));
        let watchers = Arc::new(AtomicUsize::new(0));
        let watching = Watching {
            control,
            policies,
            asked,
            watchers: Arc::clone(&watchers),
            picture,
            shown: Shown::default(),
            changes: Vec::new(),
        };
        (Watch { requests, watchers, pictures }, watching)
    }

    /// One more watches, unless there are `most` already.
    pub(super) fn watcher(&self, most: usize) -> Option<Watcher> {
        let add = |watchers| (watchers < most).then_some(watchers + 1);
        self.watchers.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).ok()?;
        let mut pictures = self.pictures.clone();
        // The one that there is may be old.
        pictures.mark_unchanged();
        let _ = self.requests.send(Request::Watched);
        Some(Watcher { watchers: Arc::clone(&self.watchers), pictures })
    }

    pub(super) async fn about(&self) -> Answer {
        self.answer(Request::About).await
    }

    pub(super) async fn describe(&self, device: u32, switch: Option<String>) -> Answer {
        self.answer(|to| Request::Describe(device, switch, to)).await
    }

    pub(super) async fn change(&self, devices: Vec<u32>, set: Vec<(String, String)>) -> Answer {
        self.answer(|to| Request::Change(devices, set, to)).await
    }

    pub(super) fn stop(&self) {
        let _ = self.requests.send(Request::Stop);
    }

    async fn answer(&self, request: impl FnOnce(oneshot::Sender<Answer>) -> Request) -> Answer {
        let (to, answer) = oneshot::channel();
        let _ = self.requests.send(request(to));
        answer.await.unwrap_or_else(|_| Err("it has ended".to_owned()))
    }
}

/// The thread's own.
pub(super) struct Watching {
    control: Control,
    policies: Box<dyn Policies>,
    asked: Receiver<Request>,
    watchers: Arc<AtomicUsize>,
    picture: watch::Sender<Picture>,
    shown: Shown,
    /// The last changes: when, of which devices, and what was said.
    changes: Vec<Value>,
}

impl Watching {
    /// Looks and answers until asked to stop, or until all has ended.
    pub(super) fn run(mut self) {
        let mut next = Instant::now();
        loop {
            let asked = match self.watchers.load(Ordering::Relaxed) {
                0 => {
                    self.shown = Shown::default();
                    self.asked.recv().map_err(|_| RecvTimeoutError::Disconnected)
                }
                _ => self.asked.recv_timeout(next.saturating_duration_since(Instant::now())),
            };
            match asked {
                Ok(Request::Watched) => {}
                // Nobody may wait for it any more.
                Ok(Request::About(to)) => drop(to.send(Ok(self.policies.about()))),
                Ok(Request::Describe(device, switch, to)) => {
                    let described = self.policies.describe(device, switch.as_deref());
                    let _ = to.send(described.map_err(|failure| plain(&failure.message)));
                }
                Ok(Request::Change(devices, set, to)) => {
                    let _ = to.send(self.change(&devices, &set));
                }
                Ok(Request::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.watchers.load(Ordering::Relaxed) > 0 && Instant::now() >= next {
                let Some(look) = self.control.look() else { return };
                if let Some(picture) = self.shown.picture(look, &self.changes) {
                    self.picture.send_replace(picture.to_string().into());
                }
                next = Instant::now() + PERIOD;
            }
        }
    }

    fn change(&mut self, devices: &[u32], set: &[(String, String)]) -> Answer {
        let policies = self.policies.change(devices, set);
        let policies = policies.map_err(|failure| plain(&failure.message))?;
        let ended = || "it has ended".to_owned();
        let at = self.control.change(policies, set.to_vec()).ok_or_else(ended)?;
        let seconds = at.since(Time::ZERO).as_secs_f64();
        let change = json!({ "at": seconds, "devices": devices, "set": set });
        if self.changes.len() == CHANGES {
            self.changes.remove(0);
        }
        self.changes.push(change.clone());
        Ok(change)
    }
}

/// A message of the command line as a sentence of a page.
fn plain(message: &str) -> String {
    let message = message.strip_prefix("error: ").unwrap_or(message);
    message.strip_prefix("--set ").unwrap_or(message).to_owned()
}
