//! A caching HTTP proxy that knows delayed hits, on [Pingora](https://docs.rs/pingora-proxy).
//!
//! [`Running`] is the central type: a proxy that a [`Config`] describes. Its cache is that of
//! [`forebay_pingora`]; this crate adds HTTP's rules of caching (RFC 9111, with 5861 and 9211),
//! sockets and limits, caches that could be instead, metrics and a trace of requests. What the
//! thesis and the RFCs leave open, and what is chosen, stands in `docs/proxy.md` and at the head of
//! each module.
//!
//! ```
//! use forebay_proxy::{Config, OriginProgram, Running};
//! use std::time::Duration;
//! use tokio::io::{AsyncReadExt, AsyncWriteExt};
//!
//! # let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
//! # runtime.block_on(async {
//! let origin = OriginProgram { delay: Duration::from_millis(5), size: 3, ttl: 60 };
//! let (address, serve) = origin.listen("127.0.0.1:0".parse()?).await?;
//! tokio::spawn(serve);
//!
//! let text = format!("listen = \"127.0.0.1:0\"\n[[origin]]\nurl = \"http://{address}\"\n");
//! let proxy = Running::start(Config::parse(&text, ".".as_ref())?).await?;
//! for said in ["fwd=uri-miss; fwd-status=200; stored", "hit"] {
//!     let mut client = tokio::net::TcpStream::connect(proxy.addresses()[0]).await?;
//!     client.write_all(b"GET / HTTP/1.1\r\nHost: example\r\nConnection: close\r\n\r\n").await?;
//!     let mut answer = String::new();
//!     client.read_to_string(&mut answer).await?;
//!     assert!(answer.contains(&format!("forebay; {said}; ttl=")), "{answer}");
//! }
//! assert_eq!(proxy.cache().stats().hits, 1);
//! proxy.shutdown().await?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod access_log;
mod admin;
mod answers;
mod config;
mod context;
mod door;
mod error;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod http2;
mod load;
mod messages;
mod metrics;
mod origin;
mod own;
mod plain;
mod ranges;
mod routes;
mod rules;
mod server;
mod service;
mod shared;
mod signals;
mod state;
mod status;
mod stream;
mod what_if;

pub use admin::{Page, PageFile};
#[cfg(feature = "schema")]
pub use config::schema;
pub use config::{
    CacheConfig, Config, ConfigError, Limits, OriginConfig, Tls, Waiters, WhatIfConfig,
};
pub use error::ProxyError;
pub use load::{Answered, LoadProgram, Planned, Served};
pub use origin::{OriginProgram, run_origin};
pub use server::{Running, check, run};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
