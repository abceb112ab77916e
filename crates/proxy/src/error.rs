//! Why a proxy cannot run, or did not do all that it should.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use thiserror::Error;

use crate::config::ConfigError;

/// Why a proxy cannot run.
#[derive(Debug, Error)]
pub enum ProxyError {
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The cache cannot be.
    #[error(transparent)]
    Cache(#[from] forebay_pingora::BuildError),
    /// An address cannot be listened on.
    #[error("{key} = \"{address}\": {error}: give another address or port")]
    Listen {
        /// The key.
        key: &'static str,
        /// Its value.
        address: SocketAddr,
        /// Why.
        error: io::Error,
    },
    /// The access log cannot be written.
    #[error("access_log = \"{path}\": {error}")]
    Log {
        /// Where it should be.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It ran, and the access log lacks requests that could not be written.
    #[error("access_log = \"{path}\": {rows} requests are missing in it: {error}")]
    Lost {
        /// Where it is.
        path: PathBuf,
        /// How many.
        rows: u64,
        /// Why.
        error: io::Error,
    },
    /// The system gives no threads.
    #[error("no threads can be had: {0}")]
    Threads(io::Error),
}
