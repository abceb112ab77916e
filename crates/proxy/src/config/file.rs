//! The form of the file, and what must hold of it besides.

use std::fmt::Display;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use forebay_parameters::read_quantity;
use forebay_units::{Bytes, Duration as Span};
use serde::{Deserialize, Deserializer};

use crate::messages::is_host;

use super::{CacheConfig, Config, ConfigError, Limits, OriginConfig, Tls, Waiters, WhatIfConfig};

/// A value that a file gives as a text with its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transparent))]
struct Text<T>(T);

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_quantity(deserializer).map(Text)
    }
}

/// One value or several.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "give an address with its port in quotes, as \"127.0.0.1:8080\", or a list of them"
)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

/// A caching HTTP proxy: `forebay proxy FILE`.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct ConfigFile {
    /// Where clients connect, as "127.0.0.1:8080" (the default), or a list of such addresses.
    listen: Option<OneOrMore>,
    /// Where it is looked at, on this machine: /metrics, /objects, /purge, /clear; nowhere if left
    /// out.
    admin: Option<String>,
    /// How many threads serve; one for each processor if left out.
    threads: Option<usize>,
    /// Requests are written to this file, a trace for `forebay cache simulate`.
    access_log: Option<PathBuf>,
    /// Certificates (PEM) of the authorities that origins are checked against; the system's if left
    /// out.
    authorities: Option<PathBuf>,
    /// How long requests may go on after it was told to stop; 30 s if left out.
    shutdown: Option<Text<Span>>,
    /// TLS to clients; without it they are served in the clear.
    tls: Option<TlsFile>,
    /// How responses are cached.
    #[serde(default)]
    cache: CacheFile,
    /// Bounds.
    #[serde(default)]
    limits: LimitsFile,
    /// Caches that could be instead, followed in `/metrics`.
    #[serde(default)]
    what_if: WhatIfFile,
    /// Where answers come from; one at least.
    #[serde(default)]
    origin: Vec<OriginFile>,
}

/// A certificate and its key, as PEM files.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct TlsFile {
    /// The chain.
    certificate: PathBuf,
    /// The private key.
    key: PathBuf,
}

/// How responses are cached.
#[derive(Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct CacheFile {
    /// Bytes of bodies and headers; 1 GB if left out.
    size: Option<Text<Bytes>>,
    /// What is evicted first, by name; lru-mad if left out.
    policy: Option<String>,
    /// Bodies are kept in this folder, over restarts; in memory if left out.
    folder: Option<PathBuf>,
    /// The largest body that is cached; an eighth of the size, at most 64 MiB, if left out.
    largest: Option<Text<Bytes>>,
    /// How long an origin may take to begin to answer until one of those who wait asks as well; 10
    /// s if left out.
    leader_timeout: Option<Text<Span>>,
    /// How many leaders in a row may fail before those who wait are no longer kept waiting; 3 if
    /// left out.
    leader_failures: Option<usize>,
    /// What they get then: `fail` (the default) or `fetch`.
    when_leaders_fail: Option<Waiters>,
    /// How many variants of one URL are cached; 100 if left out.
    variants: Option<u32>,
    /// How long an answer is fresh that says nothing about it and has no `Last-Modified`; no time
    /// if left out.
    default_ttl: Option<Text<Span>>,
    /// Whether clients' `Cache-Control` counts (RFC 9111, 5.2.1); true if left out.
    obey_clients: Option<bool>,
}

/// Bounds.
#[derive(Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct LimitsFile {
    /// How many header fields a request or an answer may have; 100 if left out.
    headers: Option<usize>,
    /// How many bytes they may have in all; 64 KiB if left out.
    header_bytes: Option<Text<Bytes>>,
    /// The largest body of a request; 100 MB if left out.
    request_body: Option<Text<Bytes>>,
    /// How many clients may be connected; 10,000 if left out.
    connections: Option<usize>,
    /// How many requests may wait for others' fetches; 100,000 if left out.
    waiting: Option<u64>,
    /// Bytes of bodies on their way into the cache; 256 MiB if left out.
    arriving: Option<Text<Bytes>>,
    /// How long a client may take to send or take the next bytes; 60 s if left out.
    client_timeout: Option<Text<Span>>,
}

/// Caches that could be instead.
#[derive(Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct WhatIfFile {
    /// Other policies, at the cache's size; lru if left out.
    policies: Option<Vec<String>>,
    /// Other sizes, under the cache's policy; none if left out.
    sizes: Option<Vec<Text<Bytes>>>,
    /// Which part of all objects they follow, above 0 and at most 1; 0.05 if left out.
    sample: Option<f64>,
}

/// Where answers come from.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct OriginFile {
    /// http or https, host and port, as "http://127.0.0.1:9000".
    url: String,
    /// Only for requests to this host.
    host: Option<String>,
    /// Only for paths that begin with this; the longest wins. / if left out.
    path: Option<String>,
    /// The `Host` that it is asked for; the client's if left out.
    send_host: Option<String>,
    /// Whether it is asked by HTTP/2; false if left out.
    http2: Option<bool>,
    /// How long connecting may take; 5 s if left out.
    connect_timeout: Option<Text<Span>>,
    /// How long it may take for the next bytes; 60 s if left out.
    timeout: Option<Text<Span>>,
}

fn span(text: Option<Text<Span>>, key: &str, default: Duration) -> Result<Duration, ConfigError> {
    let Some(Text(span)) = text else { return Ok(default) };
    if span.as_ps() == 0 {
        return Err(ConfigError::of(key, span, "give it some time, as \"10 s\""));
    }
    Ok(Duration::from_nanos(span.as_ps().div_ceil(1000)))
}

fn address(key: &str, text: &str) -> Result<SocketAddr, ConfigError> {
    let problem = "give an address and a port, as \"127.0.0.1:8080\"";
    text.parse().map_err(|_| ConfigError::of(key, text, problem))
}

/// A host as requests name it.
fn host(key: &str, text: Option<String>) -> Result<Option<String>, ConfigError> {
    match text {
        Some(text) if text.is_empty() || !is_host(&text) => {
            let problem = "no request can name it: give a host, as \"www.example.com\"";
            Err(ConfigError::of(key, text.escape_debug(), problem))
        }
        text => Ok(text),
    }
}

/// Two cannot listen where one does; on port 0 each gets another.
fn check_apart(listen: &[SocketAddr], admin: Option<SocketAddr>) -> Result<(), ConfigError> {
    for (index, address) in listen.iter().enumerate().filter(|(_, address)| address.port() != 0) {
        if listen[..index].contains(address) {
            return Err(ConfigError::of("listen", address, "it stands there twice: give it once"));
        }
        if admin == Some(*address) {
            let problem = "clients connect there (listen): give another port";
            return Err(ConfigError::of("admin", address, problem));
        }
    }
    Ok(())
}

fn at_least_one<T: PartialEq + Default + Display>(
    value: Option<T>,
    key: &str,
    default: T,
) -> Result<T, ConfigError> {
    match value {
        Some(value) if value == T::default() => {
            Err(ConfigError::new(format!("{key} = {value}: nothing would pass; give at least 1")))
        }
        Some(value) => Ok(value),
        None => Ok(default),
    }
}

impl ConfigFile {
    /// A file that only says where answers come from.
    pub(super) fn of_origin(url: &str) -> Self {
        ConfigFile {
            listen: None,
            admin: None,
            threads: None,
            access_log: None,
            authorities: None,
            shutdown: None,
            tls: None,
            cache: CacheFile::default(),
            limits: LimitsFile::default(),
            what_if: WhatIfFile::default(),
            origin: vec![OriginFile {
                url: url.to_owned(),
                host: None,
                path: None,
                send_host: None,
                http2: None,
                connect_timeout: None,
                timeout: None,
            }],
        }
    }

    pub(super) fn check(self, folder: &Path) -> Result<Config, ConfigError> {
        let listen = match self.listen {
            None => vec!["127.0.0.1:8080".to_owned()],
            Some(OneOrMore::One(one)) => vec![one],
            Some(OneOrMore::More(more)) => more,
        };
        let listen: Vec<SocketAddr> =
            listen.iter().map(|text| address("listen", text)).collect::<Result<_, _>>()?;
        if listen.is_empty() {
            return Err(ConfigError::new("listen = []: give at least one address"));
        }
        let admin = self.admin.map(|text| address("admin", &text)).transpose()?;
        if let Some(admin) = admin.filter(|admin| !admin.ip().is_loopback()) {
            let problem = "whoever reaches it can empty the cache: give an address of this machine";
            return Err(ConfigError::of("admin", admin, problem));
        }
        check_apart(&listen, admin)?;
        if self.threads == Some(0) {
            return Err(ConfigError::new("threads = 0: give at least 1"));
        }
        if self.origin.is_empty() {
            return Err(ConfigError::new(
                "there is no [[origin]]: give one with its url, as \"http://127.0.0.1:9000\"",
            ));
        }
        let in_folder = |path: PathBuf| folder.join(path);
        let origins: Vec<OriginConfig> =
            self.origin.into_iter().map(OriginFile::check).collect::<Result<_, _>>()?;
        for (index, origin) in origins.iter().enumerate() {
            let same =
                |other: &&OriginConfig| (&other.host, &other.path) == (&origin.host, &origin.path);
            if let Some(other) = origins[..index].iter().find(same) {
                return Err(ConfigError::of(
                    "url",
                    &origin.url,
                    format!("{} has the same host and path: give one of them another", other.url),
                ));
            }
        }
        let tls = self
            .tls
            .map(|tls| Tls { certificate: in_folder(tls.certificate), key: in_folder(tls.key) });
        Ok(Config {
            listen,
            admin,
            threads: self.threads,
            access_log: self.access_log.map(in_folder),
            authorities: self.authorities.map(in_folder),
            shutdown: span(self.shutdown, "shutdown", Duration::from_secs(30))?,
            tls,
            cache: self.cache.check(folder)?,
            limits: self.limits.check()?,
            what_if: self.what_if.check()?,
            origins,
        })
    }
}

impl CacheFile {
    fn check(self, folder: &Path) -> Result<CacheConfig, ConfigError> {
        let bytes = |text: Option<Text<Bytes>>| text.map(|Text(bytes)| bytes.get());
        let ttl = self.default_ttl.map(|ttl| span(Some(ttl), "cache.default_ttl", Duration::ZERO));
        let size = at_least_one(bytes(self.size), "cache.size", 1_000_000_000)?;
        Ok(CacheConfig {
            size,
            policy: self.policy.unwrap_or_else(|| forebay_pingora::DEFAULT_POLICY.to_owned()),
            folder: self.folder.map(|path| folder.join(path)),
            largest: bytes(self.largest),
            leader_timeout: span(
                self.leader_timeout,
                "cache.leader_timeout",
                Duration::from_secs(10),
            )?,
            leader_failures: at_least_one(self.leader_failures, "cache.leader_failures", 3)?,
            when_leaders_fail: self.when_leaders_fail.unwrap_or_default(),
            variants: self.variants.unwrap_or(100),
            default_ttl: ttl.transpose()?,
            obey_clients: self.obey_clients.unwrap_or(true),
        })
    }
}

impl LimitsFile {
    fn check(self) -> Result<Limits, ConfigError> {
        let bytes = |text: Option<Text<Bytes>>| text.map(|Text(bytes)| bytes.get());
        Ok(Limits {
            headers: at_least_one(self.headers, "limits.headers", 100)?,
            header_bytes: at_least_one(bytes(self.header_bytes), "limits.header_bytes", 64 << 10)?,
            request_body: bytes(self.request_body).unwrap_or(100_000_000),
            connections: at_least_one(self.connections, "limits.connections", 10_000)?,
            waiting: self.waiting.unwrap_or(100_000),
            arriving: at_least_one(bytes(self.arriving), "limits.arriving", 256 << 20)?,
            client_timeout: span(
                self.client_timeout,
                "limits.client_timeout",
                Duration::from_secs(60),
            )?,
        })
    }
}

impl WhatIfFile {
    fn check(self) -> Result<WhatIfConfig, ConfigError> {
        let sample = self.sample.unwrap_or(0.05);
        if !(sample > 0.0 && sample <= 1.0) {
            return Err(ConfigError::new(format!(
                "what_if.sample = {sample}: give the part of objects to follow, above 0 and at most 1"
            )));
        }
        let sizes = self
            .sizes
            .unwrap_or_default()
            .into_iter()
            .map(|Text(size)| at_least_one(Some(size.get()), "what_if.sizes", 1));
        Ok(WhatIfConfig {
            policies: self.policies.unwrap_or_else(|| vec!["lru".to_owned()]),
            sizes: sizes.collect::<Result<_, _>>()?,
            sample,
        })
    }
}

/// The port that an origin's url gives, or the scheme's if it gives none.
fn port(authority: &http::uri::Authority, default: u16) -> Option<u16> {
    // An address of IPv6 has its colons in brackets.
    let after = authority.as_str().rsplit(']').next().unwrap_or_default();
    if after.contains(':') { authority.port_u16().filter(|port| *port > 0) } else { Some(default) }
}

impl OriginFile {
    fn check(self) -> Result<OriginConfig, ConfigError> {
        let wrong = |problem: &str| ConfigError::of("url", &self.url, problem);
        let example = "give scheme, host and port alone, as \"http://127.0.0.1:9000\"";
        let uri: http::Uri = self.url.parse().map_err(|_| wrong(example))?;
        let tls = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(wrong(example)),
        };
        let Some(authority) = uri.authority() else { return Err(wrong(example)) };
        if !matches!(uri.path(), "" | "/") || uri.query().is_some() {
            return Err(wrong("paths go to the origin as they come; give it no path of its own"));
        }
        if authority.as_str().contains('@') {
            return Err(wrong("names and passwords do not belong into a file: leave them out"));
        }
        let path = self.path.clone().unwrap_or_else(|| "/".to_owned());
        if !path.starts_with('/') {
            return Err(ConfigError::of("path", path, "begin it with /"));
        }
        let port = port(authority, if tls { 443 } else { 80 })
            .ok_or_else(|| wrong("its port is not from 1 to 65,535: give one that is"))?;
        let name = authority.host().trim_matches(['[', ']']).to_owned();
        Ok(OriginConfig {
            tls,
            name,
            port,
            host: host("host", self.host)?.map(|host| host.to_ascii_lowercase()),
            path,
            send_host: host("send_host", self.send_host)?,
            http2: self.http2.unwrap_or(false),
            connect_timeout: span(self.connect_timeout, "connect_timeout", Duration::from_secs(5))?,
            timeout: span(self.timeout, "timeout", Duration::from_secs(60))?,
            url: self.url,
        })
    }
}
