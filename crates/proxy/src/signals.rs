//! What the system tells the process.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    Stop,
    Reload,
}

#[cfg(unix)]
pub(crate) struct Signals([tokio::signal::unix::Signal; 3]);

#[cfg(unix)]
impl Signals {
    pub(crate) fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let all = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let [interrupt, terminate, hangup] = all.map(signal);
        Ok(Signals([interrupt?, terminate?, hangup?]))
    }

    pub(crate) async fn next(&mut self) -> Signal {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => Signal::Stop,
            _ = terminate.recv() => Signal::Stop,
            _ = hangup.recv() => Signal::Reload,
        }
    }
}

#[cfg(not(unix))]
pub(crate) struct Signals;

#[cfg(not(unix))]
impl Signals {
    pub(crate) fn new() -> std::io::Result<Self> {
        Ok(Signals)
    }

    pub(crate) async fn next(&mut self) -> Signal {
        // Without Ctrl-C nothing but the end of the process stops it.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Signal::Stop
    }
}
