//! A run with real requests: an origin program, the proxy and clients, all in this process.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::Ordering;
use std::time::Duration;

use forebay_cache::policies::policies;
use forebay_lab::{RunContext, RunError};
use forebay_proxy::{
    Answered, Config as ProxyConfig, LoadProgram, OriginProgram, Planned, Running, Served,
};
use forebay_units::Duration as Span;
use tokio::runtime::{Builder, Runtime};

use super::metrics::{Kind, Measured, quantile};
use super::simulated::scale;
use super::{PrototypeConfig, PrototypePart};
use crate::delayed_hits::drive::DelayedHitsSetup;

/// How long the slowest answer may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// What is between two looks whether to stop.
const LOOK: Duration = Duration::from_millis(100);

fn failed(error: impl std::fmt::Display) -> RunError {
    RunError::Failed(error.to_string())
}

fn threads(count: usize) -> Result<Runtime, RunError> {
    Builder::new_multi_thread().worker_threads(count).enable_all().build().map_err(failed)
}

/// Any port of the loopback.
fn anywhere() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, 0).into()
}

/// What is asked for: an object of its body's length, so late from its origin.
fn target(object: u64, config: &PrototypeConfig, delay: f64) -> String {
    format!("/{object}?delay={:.0}us&size={}", delay * 1e3, config.own.body.get())
}

fn proxy_config(origin: SocketAddr, policy: &str, size: u64) -> Result<ProxyConfig, RunError> {
    let mut config = ProxyConfig::of_origin(&format!("http://{origin}")).map_err(failed)?;
    config.listen = vec![anywhere()];
    config.cache.size = size;
    config.cache.largest = Some(size);
    policy.clone_into(&mut config.cache.policy);
    config.cache.leader_timeout = PATIENCE;
    config.what_if.policies.clear();
    Ok(config)
}

/// Asks by plan, unless told to stop.
async fn ask(
    to: SocketAddr,
    plan: Vec<Planned>,
    context: &RunContext<'_>,
) -> Result<Vec<Answered>, RunError> {
    let load = LoadProgram { to, host: "prototype".to_owned(), timeout: PATIENCE };
    let mut answers = std::pin::pin!(load.run(plan));
    loop {
        tokio::select! {
            answers = &mut answers => return answers.map_err(failed),
            () = tokio::time::sleep(LOOK) => {
                if context.stop_flag().load(Ordering::Relaxed) {
                    return Err(RunError::Stopped);
                }
            }
        }
    }
}

/// Runs a point.
///
/// # Errors
/// If told to stop, or what failed.
pub(super) fn run(
    config: &PrototypeConfig,
    setup: &DelayedHitsSetup,
    policy: &str,
    context: &mut RunContext<'_>,
) -> Result<Measured, RunError> {
    if policies().get(policy).is_none() {
        let built_in = "the proxy has only the built-in ones: set proxy=simulated";
        return Err(RunError::Failed(format!(
            "the policy {policy} is one of this program's: {built_in}"
        )));
    }
    let Ok(size) = usize::try_from(config.own.body.get()) else {
        return Err(failed("prototype.body is more than this machine has: give less"));
    };
    // Each part has threads of its own, as if they were programs.
    let (of_origin, of_proxy, of_clients) = (threads(1)?, threads(2)?, threads(1)?);
    let program = OriginProgram { delay: Duration::ZERO, size, ttl: 1 << 20 };
    let (origin, serve) = of_origin.block_on(program.listen(anywhere())).map_err(failed)?;
    of_origin.spawn(serve);
    let start = |size: u64| -> Result<Running, RunError> {
        let config = proxy_config(origin, policy, size)?;
        of_proxy.block_on(Running::start(config)).map_err(failed)
    };
    let clients = |proxy: &Running, plan: Vec<Planned>, context: &RunContext<'_>| {
        let to = proxy.addresses().first().copied();
        let to = to.ok_or_else(|| failed("the proxy does not listen"))?;
        of_clients.block_on(ask(to, plan, context))
    };

    // What an answer takes in the cache, to say its size in bytes.
    let large = start(config.own.body.get() + (1 << 20))?;
    let first = Planned { at: Duration::ZERO, target: target(0, config, 0.0) };
    clients(&large, vec![first], context)?;
    let each = large.cache().stats().bytes;
    of_proxy.block_on(large.shutdown()).map_err(failed)?;
    if each == 0 {
        return Err(failed("the proxy has not kept an answer"));
    }

    let proxy = start(each * setup.capacity() + each / 2)?;
    let ms = scale(setup, &config.own);
    let from = setup.trace.requests.first().map_or(0, |request| request.at.as_ps());
    let plan = setup.trace.requests.iter().map(|request| Planned {
        at: Duration::from_secs_f64((request.at.as_ps() - from) as f64 * ms / 1e3),
        target: target(
            request.object.0,
            config,
            setup.store.mean_latency(request).as_ps() as f64 * ms,
        ),
    });
    let answers = clients(&proxy, plan.collect(), context)?;
    let stats = proxy.cache().stats();
    of_proxy.block_on(proxy.shutdown()).map_err(failed)?;

    let latency = |answer: &Answered| {
        let kind = match answer.served {
            Served::Hit => Kind::Hit,
            Served::Delayed => Kind::Delayed,
            Served::Fetched | Served::Unsaid => Kind::Miss,
        };
        (kind, answer.wait.as_secs_f64() * 1e3)
    };
    let mut late: Vec<f64> = answers.iter().map(|answer| answer.late.as_secs_f64() * 1e3).collect();
    late.sort_by(f64::total_cmp);
    let is_failed = |answer: &&Answered| answer.status != 200 || !answer.is_right;
    Ok(Measured {
        latencies: answers.iter().map(latency).collect(),
        fetch_time: stats.fetch_time.as_secs_f64() * 1e3 / stats.fetched.max(1) as f64,
        late_p99: quantile(&late, 0.99),
        failed: answers.iter().filter(is_failed).count() as u64,
    })
}

impl Measured {
    /// How much longer fetches took than the origin's delay, in the simulator's time.
    pub(super) fn overhead(&self, setup: &DelayedHitsSetup, own: &PrototypePart) -> Span {
        let ms = scale(setup, own);
        let fetched = self.latencies.iter().zip(&setup.trace.requests);
        let delays: Vec<f64> = fetched
            .filter(|((kind, _), _)| *kind == Kind::Miss)
            .map(|(_, request)| setup.store.mean_latency(request).as_ps() as f64)
            .collect();
        let mean = delays.iter().sum::<f64>() / delays.len().max(1) as f64;
        Span::from_ps((self.fetch_time / ms - mean).max(0.0) as u64)
    }
}
