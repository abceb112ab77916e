//! What a proxy is told: a TOML file, strict. What is unknown is refused, and an error names the
//! key, its value and what to do.

mod file;

use std::fmt::Display;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use forebay_parameters::{FormError, in_lines, in_one_line, read_toml};
use serde::Deserialize;
use thiserror::Error;

use file::ConfigFile;

/// Why a configuration is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", self.line())]
pub struct ConfigError(Problem);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Problem {
    /// What a file says cannot be; what to do, unless the message says it.
    Said { message: String, fix: Option<&'static str> },
    /// A file is not as it should be.
    Form(FormError),
}

impl ConfigError {
    /// With this message.
    pub fn new(message: impl Into<String>) -> Self {
        ConfigError(Problem::Said { message: message.into(), fix: None })
    }

    /// A file cannot be read.
    pub fn unread(name: impl Display, error: &std::io::Error) -> Self {
        let message = format!("cannot read {name}: {error}");
        let fix = Some("give the path of a proxy's configuration, a TOML file");
        ConfigError(Problem::Said { message, fix })
    }

    /// The same, of the file with this name.
    #[must_use]
    pub fn of_file(self, name: &str) -> Self {
        ConfigError(match self.0 {
            Problem::Said { message, fix } => {
                Problem::Said { message: format!("{name}: {message}"), fix }
            }
            Problem::Form(error) => Problem::Form(error.of_file(name)),
        })
    }

    /// What is wrong, on several lines for a terminal: with the place in the file where its form is
    /// wrong, and what to do.
    #[must_use]
    pub fn render(&self) -> String {
        match &self.0 {
            Problem::Said { message, fix } => in_lines(message, None, *fix),
            Problem::Form(error) => error.render(),
        }
    }

    fn line(&self) -> String {
        match &self.0 {
            Problem::Said { message, fix } => in_one_line(message, None, *fix),
            Problem::Form(error) => error.to_string(),
        }
    }

    /// `key` is `value`, which cannot be.
    pub(crate) fn of(key: &str, value: impl Display, problem: impl Display) -> Self {
        ConfigError::new(format!("{key} = \"{value}\": {problem}"))
    }
}

/// What becomes of requests whose leaders have failed one after another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Waiters {
    /// They are answered 502, so that a failing origin is not stormed.
    #[default]
    Fail,
    /// They fetch for themselves, all at once.
    Fetch,
}

/// The form of a configuration, as JSON Schema (draft 7). Which policies there are is for the
/// caller to add; what else must hold, [`Config::parse`] checks.
#[cfg(feature = "schema")]
#[must_use]
pub fn schema() -> schemars::Schema {
    let draft7 = schemars::generate::SchemaSettings::draft07();
    draft7.into_generator().into_root_schema_for::<ConfigFile>()
}

/// A certificate and its key, as PEM files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tls {
    /// The chain.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// How responses are cached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheConfig {
    /// Bytes of bodies and headers.
    pub size: u64,
    /// A policy by name.
    pub policy: String,
    /// Where bodies are kept as files; in memory if nowhere.
    pub folder: Option<PathBuf>,
    /// The largest body that is cached.
    pub largest: Option<u64>,
    /// How long an origin may take to begin to answer until one of those who wait asks as well.
    pub leader_timeout: Duration,
    /// How many leaders in a row may fail before those who wait are no longer kept waiting.
    pub leader_failures: usize,
    /// What they get then.
    pub when_leaders_fail: Waiters,
    /// How many variants of one URL are cached.
    pub variants: u32,
    /// How long an answer is fresh that says nothing about it and has no `Last-Modified`.
    pub default_ttl: Option<Duration>,
    /// Whether clients' `Cache-Control` counts (RFC 9111, 5.2.1).
    pub obey_clients: bool,
}

/// Bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many header fields a request or an answer may have.
    pub headers: usize,
    /// How many bytes they may have in all.
    pub header_bytes: u64,
    /// The largest body of a request.
    pub request_body: u64,
    /// How many clients may be connected.
    pub connections: usize,
    /// How many requests may wait for others' fetches.
    pub waiting: u64,
    /// Bytes of bodies on their way into the cache.
    pub arriving: u64,
    /// How long a client may take to send or take the next bytes.
    pub client_timeout: Duration,
}

/// Caches that could be instead.
#[derive(Clone, Debug, PartialEq)]
pub struct WhatIfConfig {
    /// Other policies, at the cache's size.
    pub policies: Vec<String>,
    /// Other sizes, under the cache's policy.
    pub sizes: Vec<u64>,
    /// Which part of all objects they follow.
    pub sample: f64,
}

/// Where answers come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginConfig {
    /// `http` or `https`, host and port.
    pub url: String,
    /// Whether it is reached by TLS.
    pub tls: bool,
    /// Its host.
    pub name: String,
    /// Its port.
    pub port: u16,
    /// Only for requests to this host.
    pub host: Option<String>,
    /// Only for paths that begin with this.
    pub path: String,
    /// The `Host` that it is asked for; the client's by default.
    pub send_host: Option<String>,
    /// Whether it is asked by HTTP/2.
    pub http2: bool,
    /// How long connecting may take.
    pub connect_timeout: Duration,
    /// How long it may take for the next bytes.
    pub timeout: Duration,
}

/// What a proxy is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Where clients connect.
    pub listen: Vec<SocketAddr>,
    /// Where it is looked at: `/metrics`.
    pub admin: Option<SocketAddr>,
    /// How many threads serve; one for each processor by default.
    pub threads: Option<usize>,
    /// Requests, as a trace for `forebay cache simulate`.
    pub access_log: Option<PathBuf>,
    /// Certificates of the authorities that origins are checked against; the system's by default.
    pub authorities: Option<PathBuf>,
    /// How long requests may go on after it was told to stop.
    pub shutdown: Duration,
    /// TLS to clients.
    pub tls: Option<Tls>,
    /// How responses are cached.
    pub cache: CacheConfig,
    /// Bounds.
    pub limits: Limits,
    /// Caches that could be instead.
    pub what_if: WhatIfConfig,
    /// Where answers come from.
    pub origins: Vec<OriginConfig>,
}

impl Config {
    /// One origin, and the rest as it is by default: on loopback, 1 GB in memory.
    ///
    /// # Errors
    /// If `url` is none.
    pub fn of_origin(url: &str) -> Result<Self, ConfigError> {
        ConfigFile::of_origin(url).check(Path::new(""))
    }

    /// Reads a configuration; files that it names lie in `folder`, unless they have a full path.
    ///
    /// ```
    /// use forebay_proxy::Config;
    ///
    /// let text = "[[origin]]\nurl = \"http://127.0.0.1:9000\"\n";
    /// let config = Config::parse(text, ".".as_ref())?;
    /// assert_eq!(config.listen[0].to_string(), "127.0.0.1:8080");
    ///
    /// let wrong = Config::parse("[cache]\nsise = \"1 GB\"\n", ".".as_ref()).unwrap_err();
    /// assert!(wrong.to_string().ends_with("no key `sise`; did you mean `size`?"));
    /// # Ok::<(), forebay_proxy::ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// A [`ConfigError`] that names the key, its value and the fix.
    pub fn parse(text: &str, folder: &Path) -> Result<Self, ConfigError> {
        let form = |error| ConfigError(Problem::Form(error));
        let file: ConfigFile = read_toml(text).map_err(form)?;
        file.check(folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let origin = "[[origin]]\nurl = \"http://127.0.0.1:1\"\n";
        Config::parse(&format!("{text}\n{origin}"), Path::new("/etc")).unwrap_err().to_string()
    }

    #[test]
    fn each_mistake_is_said_of_its_key_with_the_fix() {
        for (text, said) in [
            ("lisen = \"127.0.0.1:1\"", "there is no key `lisen`; did you mean `listen`?"),
            (
                "listen = 3",
                "line 1, column 10: listen = 3: give an address with its port in quotes",
            ),
            ("threads = \"2\"", "`threads` is the text \"2\", not a whole number"),
            ("[cache]\nsize = 7", "size = 7: give it in quotes"),
            ("[what_if]\npolicies = 3", "write policies = [ … ]"),
            ("listen = \"localhost\"", "listen = \"localhost\": give an address and a port"),
            ("listen = []", "listen = []: give at least one"),
            ("admin = \"0.0.0.0:80\"", "admin = \"0.0.0.0:80\": whoever reaches it"),
            ("threads = 0", "threads = 0"),
            ("[cache]\nsize = 7", "in quotes, with its unit"),
            ("[cache]\nsize = \"0 B\"", "cache.size = 0"),
            ("[cache]\nleader_timeout = \"0 s\"", "cache.leader_timeout"),
            (
                "[cache]\nwhen_leaders_fail = \"wait\"",
                "`when_leaders_fail` cannot be \"wait\"; write one of \"fail\", \"fetch\"",
            ),
            ("[limits]\nheaders = 0", "limits.headers = 0"),
            ("[what_if]\nsample = 0.0", "what_if.sample = 0"),
            ("[what_if]\nsample = 1.5", "what_if.sample = 1.5"),
            ("[[origin]]\nurl = \"ftp://a\"", "url = \"ftp://a\": give scheme"),
            ("[[origin]]\nurl = \"http://a/b\"", "no path of its own"),
            ("[[origin]]\nurl = \"http://u:p@a\"", "passwords"),
            ("[[origin]]\nurl = \"http://a:8x\"", "url = \"http://a:8x\": "),
            ("[[origin]]\nurl = \"http://a:99999\"", "its port is not from 1 to 65,535"),
            ("[[origin]]\nurl = \"https://[::1]:0\"", "its port is not from 1 to 65,535"),
            ("[[origin]]\nurl = \"http://a:\"", "its port is not from 1 to 65,535"),
            ("[[origin]]\nurl = \"http://a:-1\"", "url = \"http://a:-1\": "),
            ("[[origin]]\nurl = \"http://a\"\npath = \"b\"", "path = \"b\": begin it with /"),
            ("listen = [\"127.0.0.1:1\", \"127.0.0.1:1\"]", "it stands there twice"),
            (
                "listen = \"127.0.0.1:1\"\nadmin = \"127.0.0.1:1\"",
                "admin = \"127.0.0.1:1\": clients",
            ),
            ("[what_if]\nsizes = [\"1 MB\", \"0 B\"]", "what_if.sizes = 0"),
            ("[[origin]]\nurl = \"http://a\"\nhost = \"a b\"", "host = \"a b\": no request"),
            ("[[origin]]\nurl = \"http://a\"\nhost = \"\"", "host = \"\": no request"),
            (
                "[[origin]]\nurl = \"http://a\"\nsend_host = \"a\\r\\nb: c\"",
                "send_host = \"a\\r\\nb: c\"",
            ),
            ("[[origin]]\nurl = \"http://a\"", "has the same host and path"),
        ] {
            let found = refused(text);
            assert!(found.contains(said), "{text}: {found}");
        }
        let none = Config::parse("", Path::new("")).unwrap_err().to_string();
        assert!(none.contains("there is no [[origin]]"), "{none}");
    }

    #[test]
    fn files_lie_beside_the_configuration() -> Result<(), ConfigError> {
        let text =
            "[tls]\ncertificate = \"a.pem\"\nkey = \"/b.pem\"\n[[origin]]\nurl = \"https://[::1]\"";
        let config = Config::parse(text, Path::new("/etc/forebay"))?;
        let tls = config.tls.unwrap();
        assert_eq!(tls.certificate, Path::new("/etc/forebay/a.pem"));
        assert_eq!(tls.key, Path::new("/b.pem"));
        let origin = &config.origins[0];
        assert_eq!((origin.name.as_str(), origin.port, origin.tls), ("::1", 443, true));
        Ok(())
    }
}
