//! The sockets: clients, TLS, limits, reload and the end.
//!
//! Pingora's own server would stop the process and cannot listen on a port that the system
//! chooses; so connections are taken here and given to its proxy one by one.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use forebay_pingora::Cache;
use pingora_core::apps::HttpServerApp;
use pingora_core::listeners::tls::Acceptor;
use pingora_core::server::configuration::ServerConf;
use pingora_proxy::HttpProxy;
use pingora_rustls::{
    ServerConfig, install_default_crypto_provider, load_certs_and_key_files, version,
};
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::JoinSet;

use crate::access_log::AccessLog;
use crate::admin::{self, Page};
use crate::config::{Config, ConfigError, Tls};
use crate::door::{Door, Proxy, Tlss};
use crate::error::ProxyError;
use crate::routes::{Routes, check_authorities, check_pem};
use crate::service::Service;
use crate::shared::{Live, Shared};
use crate::signals::{Signal, Signals};
use crate::what_if::{Fresh, Known, WhatIf};

/// A proxy that runs.
pub struct Running {
    addresses: Vec<SocketAddr>,
    admin: Option<SocketAddr>,
    shared: Arc<Shared>,
    proxy: Arc<Proxy>,
    tls: Tlss,
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

impl Running {
    /// Starts one.
    ///
    /// # Errors
    /// A [`ProxyError`] that names what is wrong.
    pub async fn start(config: Config) -> Result<Self, ProxyError> {
        Self::start_with(config, Page::default()).await
    }

    /// Starts one whose looking address serves `page` as well.
    ///
    /// # Errors
    /// A [`ProxyError`] that names what is wrong.
    pub async fn start_with(config: Config, page: Page) -> Result<Self, ProxyError> {
        Self::begin(config, page)
    }

    /// As [`start_with`](Self::start_with), within a runtime. What is `async` is compiled by each
    /// crate that awaits it, and with it all of Pingora that it starts; this once.
    fn begin(config: Config, page: Page) -> Result<Self, ProxyError> {
        let routes = Routes::new(&config.origins)?;
        let acceptor = config.tls.as_ref().map(acceptor).transpose()?;
        let authorities = config.authorities.as_deref().map(readable).transpose()?;
        let what_if = Arc::new(WhatIf::new(&config.what_if, &config.cache)?);
        let log = match &config.access_log {
            None => None,
            Some(path) => Some(Arc::new(
                AccessLog::open(path)
                    .map_err(|error| ProxyError::Log { path: path.clone(), error })?,
            )),
        };
        let listeners = listen("listen", &config.listen)?;
        let admins = listen("admin", config.admin.as_slice())?;
        let addresses = addresses(&listeners);
        let admin = addresses_first(&admins);
        let cache = build_cache(&config)?;
        let shadows = what_if.clone();
        cache.on_landed(move |landed| {
            let fresh = Fresh::until(landed.fresh_until, landed.stale_while_revalidate);
            shadows.landed(landed.primary, Known::fetched(landed.space, landed.z, fresh));
        });
        // Pingora holds what it serves from for as long as the process lives.
        let cache: &'static Cache = Box::leak(Box::new(cache));

        let limits = config.limits.clone();
        let grace = config.shutdown;
        let shared = Arc::new(Shared::new(Live { config, routes }, cache, what_if, log, page));
        let conf = ServerConf { ca_file: authorities, ..ServerConf::default() };
        let mut proxy = HttpProxy::new(Service(shared.clone()), Arc::new(conf));
        proxy.handle_init_modules();
        let proxy = Arc::new(proxy);

        let (stop, stopped) = watch::channel(false);
        let tls: Tlss = Arc::new(RwLock::new(acceptor.map(Arc::new)));
        let permits = Arc::new(Semaphore::new(limits.connections.min(Semaphore::MAX_PERMITS)));
        let needed = Arc::new(Notify::new());
        let mut tasks = JoinSet::new();
        for listener in listeners {
            let door = Door {
                needed: needed.clone(),
                proxy: proxy.clone(),
                shared: shared.clone(),
                tls: tls.clone(),
                permits: permits.clone(),
                stopped: stopped.clone(),
                grace,
            };
            tasks.spawn(door.open(listener));
        }
        for listener in admins {
            tasks.spawn(admin::serve(listener, shared.clone(), stopped.clone()));
        }
        if let Some(log) = shared.log.clone() {
            tasks.spawn(flush(log, stopped));
        }
        Ok(Running { addresses, admin, shared, proxy, tls, stop, tasks })
    }

    /// Where clients connect.
    #[must_use]
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Where it is looked at.
    #[must_use]
    pub fn admin(&self) -> Option<SocketAddr> {
        self.admin
    }

    /// The cache behind it.
    #[must_use]
    pub fn cache(&self) -> &Cache {
        self.shared.cache
    }

    /// Goes on with another configuration: new requests go by it, those under way end by the old.
    ///
    /// # Errors
    /// If it is wrong, or differs in what needs a restart; then nothing has changed.
    pub fn reload(&self, config: Config) -> Result<(), ConfigError> {
        let old = self.shared.live();
        let fixed = |config: &Config| {
            let cache = &config.cache;
            [
                ("listen", format!("{:?}", config.listen)),
                ("admin", format!("{:?}", config.admin)),
                ("threads", format!("{:?}", config.threads)),
                ("access_log", format!("{:?}", config.access_log)),
                ("authorities", format!("{:?}", config.authorities)),
                ("shutdown", format!("{:?}", config.shutdown)),
                ("tls", format!("{:?}", config.tls.is_some())),
                ("cache.size", cache.size.to_string()),
                ("cache.policy", cache.policy.clone()),
                ("cache.folder", format!("{:?}", cache.folder)),
                ("cache.largest", format!("{:?}", cache.largest)),
                ("cache.leader_timeout", format!("{:?}", cache.leader_timeout)),
                ("cache.variants", cache.variants.to_string()),
                ("limits.connections", config.limits.connections.to_string()),
                ("limits.waiting", config.limits.waiting.to_string()),
                ("limits.arriving", config.limits.arriving.to_string()),
                ("what_if", format!("{:?}", config.what_if)),
            ]
        };
        let (was, is) = (fixed(&old.config), fixed(&config));
        if let Some(((key, _), _)) = was.iter().zip(&is).find(|(was, is)| was != is) {
            return Err(ConfigError::new(format!(
                "{key} has changed, which needs a restart: stop the proxy and start it again"
            )));
        }
        let routes = Routes::new(&config.origins)?;
        if let Some(tls) = &config.tls {
            let renewed = acceptor(tls)?;
            *self.tls.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(renewed));
        }
        self.shared.renew(Live { config, routes });
        Ok(())
    }

    /// Stops: nobody new is let in, requests under way end, as long as the configuration allows.
    ///
    /// # Errors
    /// [`ProxyError::Lost`] if the access log lacks requests.
    pub async fn shutdown(mut self) -> Result<(), ProxyError> {
        self.stop.send_replace(true);
        self.proxy.http_cleanup().await;
        while self.tasks.join_next().await.is_some() {}
        let lost = self.shared.close_log();
        // Bodies that have arrived are on their way to the disk for a moment longer.
        for _ in 0..200 {
            if self.shared.cache.stats().bytes_arriving == 0 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        lost
    }
}

/// How many clients may come at once: those that find the system's queue full try again only after
/// a second.
const QUEUE: u32 = 4096;

/// Listens on `address`.
pub(crate) fn bind(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A restart need not wait for connections of the process before it.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(QUEUE)
}

fn listen(key: &'static str, addresses: &[SocketAddr]) -> Result<Vec<TcpListener>, ProxyError> {
    let mut listeners = Vec::new();
    for address in addresses.iter().copied() {
        let bound = bind(address);
        listeners.push(bound.map_err(|error| ProxyError::Listen { key, address, error })?);
    }
    Ok(listeners)
}

fn addresses(listeners: &[TcpListener]) -> Vec<SocketAddr> {
    listeners.iter().filter_map(|listener| listener.local_addr().ok()).collect()
}

fn addresses_first(listeners: &[TcpListener]) -> Option<SocketAddr> {
    addresses(listeners).first().copied()
}

fn build_cache(config: &Config) -> Result<Cache, ProxyError> {
    let cache = &config.cache;
    let mut builder = Cache::builder(cache.size)
        .policy(&cache.policy)
        .bytes_arriving(config.limits.arriving)
        .leader_timeout(cache.leader_timeout)
        .most_waiting(config.limits.waiting)
        .most_variants(cache.variants);
    if let Some(largest) = cache.largest {
        builder = builder.largest(largest);
    }
    if let Some(folder) = &cache.folder {
        builder = builder.folder(folder);
    }
    Ok(builder.build()?)
}

/// The path of a file that can be read.
fn readable(path: &Path) -> Result<String, ConfigError> {
    let shown = path.display();
    std::fs::File::open(path).map_err(|error| {
        ConfigError::of("authorities", &shown, format!("cannot be read: {error}"))
    })?;
    let Some(path) = path.to_str() else {
        return Err(ConfigError::of("authorities", shown, "give a name in UTF-8"));
    };
    let path = path.to_owned();
    check_authorities(&path)?;
    Ok(path)
}

fn acceptor(tls: &Tls) -> Result<Acceptor, ConfigError> {
    install_default_crypto_provider();
    let (certificate, key) = (tls.certificate.display().to_string(), tls.key.display().to_string());
    check_pem(&certificate, &key)?;
    let wrong = |problem: String| ConfigError::of("tls.certificate", &certificate, problem);
    let loaded = load_certs_and_key_files(&certificate, &key);
    let Ok(Some((certificates, private))) = loaded else {
        return Err(wrong(format!("it or the key {key} cannot be used: give PEM files")));
    };
    let config = ServerConfig::builder_with_protocol_versions(&[&version::TLS12, &version::TLS13])
        .with_no_client_auth()
        .with_single_cert(certificates, private)
        .map_err(|error| wrong(format!("it does not go with the key {key}: {error}")))?;
    let mut config = config;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Acceptor::from_server_config(Arc::new(config)))
}

async fn flush(log: Arc<AccessLog>, mut stopped: watch::Receiver<bool>) {
    let mut second = tokio::time::interval(Duration::from_secs(1));
    loop {
        tokio::select! {
            _ = second.tick() => log.flush(),
            _ = stopped.changed() => return log.flush(),
        }
    }
}

/// Whether a configuration can run, without listening or opening its cache.
///
/// # Errors
/// A [`ProxyError`] that names what is wrong.
pub fn check(config: &Config) -> Result<(), ProxyError> {
    Routes::new(&config.origins)?;
    config.tls.as_ref().map(acceptor).transpose()?;
    config.authorities.as_deref().map(readable).transpose()?;
    WhatIf::new(&config.what_if, &config.cache)?;
    build_memory(config).map(drop)
}

/// Its cache, without its folder.
pub(crate) fn build_memory(config: &Config) -> Result<Cache, ProxyError> {
    let mut memory = config.clone();
    memory.cache.folder = None;
    build_cache(&memory)
}

/// Runs a proxy until the process is told to stop (Ctrl-C, SIGTERM); SIGHUP reads the configuration
/// again. Its looking address serves `page`. `ready` is called once clients can connect, `said`
/// with what happens to reloads.
///
/// # Errors
/// A [`ProxyError`] that names what is wrong.
pub fn run(
    config: Config,
    page: Page,
    again: impl Fn() -> Result<Config, ConfigError>,
    ready: impl FnOnce(&Running),
    said: impl Fn(&str),
) -> Result<(), ProxyError> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if let Some(threads) = config.threads {
        builder.worker_threads(threads);
    }
    let runtime = builder.enable_all().build().map_err(ProxyError::Threads)?;
    runtime.block_on(async {
        let mut signals = Signals::new().map_err(ProxyError::Threads)?;
        let running = Running::start_with(config, page).await?;
        ready(&running);
        while signals.next().await == Signal::Reload {
            match again().and_then(|config| running.reload(config)) {
                Ok(()) => said("the configuration was read again"),
                Err(error) => said(&format!("the configuration stays as it was: {error}")),
            }
        }
        said("stopping: requests under way may end; again to stop at once");
        let shared = running.shared.clone();
        tokio::select! {
            ended = running.shutdown() => ended,
            () = async { while signals.next().await != Signal::Stop {} } => shared.close_log(),
        }
    })
}
