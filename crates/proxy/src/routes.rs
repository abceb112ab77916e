//! Which origin a request goes to: the one with its host, if any, and of those the longest path.

use std::net::ToSocketAddrs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pingora_core::protocols::ALPN;
use pingora_core::upstreams::peer::HttpPeer;
use pingora_error::Error;
use pingora_rustls::{
    RootCertStore, load_ca_file_into_store, load_pem_file_ca, load_pem_file_private_key,
};

use crate::config::{ConfigError, OriginConfig};

/// An origin, found.
pub(crate) struct Origin {
    pub(crate) config: OriginConfig,
    /// Its place in the configuration.
    pub(crate) number: usize,
    pub(crate) peer: HttpPeer,
}

/// How often an origin was asked for one request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tries {
    failed: u32,
    /// Whether the next is by a new connection.
    anew: bool,
}

/// A connection that was idle may have been left when the request came, and a protocol may be
/// refused; what fails once more does so for another reason.
const MOST_AGAIN: u32 = 2;

impl Tries {
    /// Where to ask next.
    pub(crate) fn peer(&self, peer: &HttpPeer) -> HttpPeer {
        let mut peer = peer.clone();
        if self.anew {
            // A group of its own, in which no connection is idle, nor stays so.
            static GROUPS: AtomicU64 = AtomicU64::new(1);
            peer.group_key = GROUPS.fetch_add(1, Ordering::Relaxed);
            peer.options.idle_timeout = Some(std::time::Duration::from_millis(1));
        }
        peer
    }

    /// One has failed with `error`, which says afterwards whether there is another. `may`: whether
    /// the request can be asked again at all (RFC 9110, 9.2.2). `reused`: whether its connection
    /// had been idle.
    pub(crate) fn failed(&mut self, error: &mut Error, may: bool, reused: bool) {
        self.failed += 1;
        self.anew |= reused;
        if may && self.failed <= MOST_AGAIN {
            error.retry.decide_reuse(reused);
        } else {
            error.set_retry(false);
        }
    }
}

/// All origins.
pub(crate) struct Routes(Vec<Arc<Origin>>);

impl Routes {
    /// Looks up the origins' addresses.
    pub(crate) fn new(origins: &[OriginConfig]) -> Result<Self, ConfigError> {
        let mut found: Vec<_> = origins.iter().enumerate().map(find).collect::<Result<_, _>>()?;
        // The first that fits is the one that says most.
        found.sort_by_key(|origin| {
            std::cmp::Reverse((origin.config.host.is_some(), origin.config.path.len()))
        });
        Ok(Routes(found))
    }

    /// The origin for `path` at `host`, which is in lower case and may have a port.
    pub(crate) fn find(&self, host: &str, path: &str) -> Option<&Arc<Origin>> {
        let name = name_of(host);
        self.0.iter().find(|origin| {
            let OriginConfig { host: wanted, path: prefix, .. } = &origin.config;
            wanted.as_deref().is_none_or(|wanted| wanted == host || wanted == name)
                && begins(path, prefix)
        })
    }
}

/// Whether `path` lies below `prefix`: `/a` has `/a`, `/a/b` and `/a?b`, not `/ab`.
fn begins(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix).is_some_and(|rest| {
        prefix.ends_with('/') || rest.is_empty() || rest.starts_with(['/', '?'])
    })
}

/// A host without its port.
fn name_of(host: &str) -> &str {
    match host.rfind(':') {
        Some(colon) if !host[colon..].contains(']') => &host[..colon],
        _ => host,
    }
}

fn find((number, config): (usize, &OriginConfig)) -> Result<Arc<Origin>, ConfigError> {
    let wrong = |problem: String| ConfigError::of("url", &config.url, problem);
    let mut addresses = (config.name.as_str(), config.port)
        .to_socket_addrs()
        .map_err(|error| wrong(format!("its host is not found: {error}")))?;
    let Some(address) = addresses.next() else {
        return Err(wrong("its host has no address".to_owned()));
    };
    let mut peer = HttpPeer::new(address, config.tls, config.name.clone());
    let options = &mut peer.options;
    options.connection_timeout = Some(config.connect_timeout);
    options.total_connection_timeout = Some(config.connect_timeout);
    options.read_timeout = Some(config.timeout);
    options.write_timeout = Some(config.timeout);
    options.idle_timeout = Some(std::time::Duration::from_secs(60));
    if config.http2 {
        options.alpn = if config.tls { ALPN::H2H1 } else { ALPN::H2 };
    }
    Ok(Arc::new(Origin { config: config.clone(), number, peer }))
}

/// Checks that a certificate and its key can be read.
pub(crate) fn check_pem(certificate: &str, key: &str) -> Result<(), ConfigError> {
    let read =
        |name: &str, path: &str, found: pingora_error::Result<Vec<u8>>, what: &str| match found {
            Ok(bytes) if !bytes.is_empty() => Ok(()),
            Ok(_) => {
                Err(ConfigError::of(name, path, format!("the file has no {what}: give a PEM file")))
            }
            Err(_) => Err(ConfigError::of(name, path, "the file cannot be read")),
        };
    read("tls.certificate", certificate, load_pem_file_ca(&certificate.to_owned()), "certificate")?;
    read("tls.key", key, load_pem_file_private_key(&key.to_owned()), "private key")
}

/// Checks that a file has certificates of authorities.
pub(crate) fn check_authorities(path: &str) -> Result<(), ConfigError> {
    let mut store = RootCertStore::empty();
    match load_ca_file_into_store(path, &mut store) {
        Ok(()) if !store.is_empty() => Ok(()),
        Ok(()) | Err(_) => {
            let problem =
                "the file has no certificates, or more than that: give a PEM file of them";
            Err(ConfigError::of("authorities", path, problem))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use std::path::Path;

    #[test]
    fn the_origin_that_says_most_is_taken() -> Result<(), ConfigError> {
        let origins = [("", "/"), ("", "/a"), ("b.example", "/"), ("b.example", "/a/c")];
        let text: String = origins
            .iter()
            .enumerate()
            .map(|(port, (host, path))| {
                let host =
                    if host.is_empty() { String::new() } else { format!("host = \"{host}\"\n") };
                format!(
                    "[[origin]]\nurl = \"http://127.0.0.1:{}\"\n{host}path = \"{path}\"\n",
                    port + 1
                )
            })
            .collect();
        let routes = Routes::new(&Config::parse(&text, Path::new(""))?.origins)?;
        let port = |host: &str, path: &str| routes.find(host, path).map(|o| o.config.port);
        assert_eq!(port("x", "/"), Some(1));
        assert_eq!(port("x", "/a/b"), Some(2));
        assert_eq!(port("x", "/ab"), Some(1));
        assert_eq!(port("x", "/a?b"), Some(2));
        assert_eq!(port("b.example:80", "/a"), Some(3));
        assert_eq!(port("b.example", "/a/c/d"), Some(4));
        assert_eq!(port("[::1]:80", "/a"), Some(2));
        Ok(())
    }
}
