//! A caching HTTP proxy that knows delayed hits, on [Pingora](https://docs.rs/pingora-proxy).
#![forbid(unsafe_code)]

mod access_log;
mod admin;
mod config;
mod metrics;
mod origin;
mod routes;
mod rules;
mod server;
mod service;
mod signals;
mod status;
mod what_if;

pub use config::{
    CacheConfig, Config, ConfigError, Limits, OriginConfig, Tls, Waiters, WhatIfConfig,
};
pub use origin::{OriginProgram, run_origin};
pub use server::{ProxyError, Running, check, run};
