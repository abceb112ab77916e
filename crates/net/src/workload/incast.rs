//! Incast: a client asks several servers at once, and their responses meet at its link (Occamy
//! §6.2, §6.4).
//!
//! From the paper: every host is a client that sends queries by a Poisson process; a query goes to
//! `degree` servers on other hosts, of which each host runs several (§6.2: 16 servers, 2 per host;
//! §3.1: 8 flows per sender); the query size is the sum of the responses; "upon receiving the
//! query" a server responds.
//!
//! What it leaves open, and our choices: the servers are drawn anew for each query, without
//! repetition, so that a host may serve a query as often as it runs servers; they may be in the
//! client's own rack, or in others only ([`IncastConfig::rack`]); responses are equal
//! parts, the first ones a byte larger if the query does not divide evenly; the request's size is a
//! parameter, and without one the responses begin when the client asks. §6.2's 16 servers need 8
//! other hosts, where its testbed has 7: such a degree is refused, not filled from the client
//! itself.
//!
//! Gaps and servers come from two substreams per client, and gaps stretch with the rate as for
//! Poisson flows. O(queries · degree · log); 32 bytes per query besides its flows.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;

use forebay_switch::FlowId;
use forebay_units::{Bytes, Duration, Time};
use forebay_workload::random::{ChaCha8Rng, exponential, stream, uniform};

use super::{Gate, GateId, Query, Workload, WorkloadError, check_size, room};
use crate::flow::Flow;
use crate::topology::MAX_NODES;

/// When a client asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// By a Poisson process.
    Poisson,
    /// At equal intervals, from a random instant on.
    Periodic,
}

/// The parameters of [`incast`].
#[derive(Clone, Debug, PartialEq)]
pub struct IncastConfig {
    /// The number of hosts in the topology.
    pub hosts: u32,
    /// The hosts that ask.
    pub clients: Range<u32>,
    /// The hosts that answer; a client among them does not ask itself.
    pub servers: Range<u32>,
    /// The number of neighbouring hosts, counted from host 0, that make a rack; a client asks
    /// nobody in its own. With 1, it may ask every host but itself.
    pub rack: u32,
    /// The number of servers that each of them runs.
    pub servers_per_host: u32,
    /// The number of responses to a query.
    pub degree: u32,
    /// The total bytes of a query's responses.
    pub query: Bytes,
    /// The bytes of the request to each server; if none, the responses begin when the client asks.
    pub request: Option<Bytes>,
    /// When clients ask.
    pub arrivals: Arrivals,
    /// Queries of each client per second, on average. For a load, [`Load::bytes_per_second`] over
    /// the query's bytes.
    ///
    /// [`Load::bytes_per_second`]: super::Load::bytes_per_second
    pub per_second: f64,
    /// No client asks at this time or later.
    pub span: Duration,
    /// What all draws come from: the same seed gives the same queries.
    pub seed: u64,
}

/// When who asks which servers.
type Asked = (Time, u32, Vec<u32>);

/// What an allocation takes besides its bytes.
const PER_ALLOCATION: usize = 32;

impl IncastConfig {
    /// Every host is a client and a server, one server per host, by Poisson processes, without
    /// requests.
    #[must_use]
    pub fn new(hosts: u32, degree: u32, query: Bytes, per_second: f64, span: Duration) -> Self {
        IncastConfig {
            hosts,
            clients: 0..hosts,
            servers: 0..hosts,
            rack: 1,
            servers_per_host: 1,
            degree,
            query,
            request: None,
            arrivals: Arrivals::Poisson,
            per_second,
            span,
            seed: 1,
        }
    }

    fn check(&self) -> Result<(), WorkloadError> {
        if self.hosts > MAX_NODES {
            return Err(WorkloadError::TooManyHosts(self.hosts));
        }
        for (field, range) in [("clients", &self.clients), ("servers", &self.servers)] {
            if range.is_empty() || range.end > self.hosts {
                let (start, end, hosts) = (range.start, range.end, self.hosts);
                return Err(WorkloadError::HostRange { field, start, end, hosts });
            }
        }
        // The client that can ask the fewest: the first, the last, or one whose whole rack has
        // servers.
        let racks = self.clients.clone().step_by(self.rack.max(1) as usize);
        let last = self.clients.end - 1;
        let own = |client| self.own_rack(client).len();
        let own = racks.chain([last]).map(own).max().unwrap_or(0);
        let others = self.servers.len() - own;
        let servers = others as u64 * u64::from(self.servers_per_host);
        if self.degree == 0 || u64::from(self.degree) > servers {
            return Err(WorkloadError::Degree { degree: self.degree, servers });
        }
        check_size("query", self.query, self.degree.into())?;
        if let Some(request) = self.request {
            check_size("request", request, 1)?;
        }
        if !(self.per_second > 0.0 && self.per_second.is_finite()) {
            return Err(WorkloadError::PerSecond(self.per_second));
        }
        room::check_expected(self.expected() * self.flows_each() as f64, self.memory_of_flow())
    }

    /// How many queries there are, about.
    fn expected(&self) -> f64 {
        self.per_second * self.span.as_secs_f64() * self.clients.len() as f64
    }

    /// The flows of a query.
    fn flows_each(&self) -> usize {
        self.degree as usize * if self.request.is_some() { 2 } else { 1 }
    }

    /// What each flow takes while queries are drawn, sorted and added, with its share of the query.
    fn memory_of_flow(&self) -> usize {
        let query = 2 * size_of::<Asked>() + size_of::<Query>() + PER_ALLOCATION;
        let waits = 2 * (size_of::<Gate>() + 2 * size_of::<(FlowId, GateId)>());
        let gates = if self.request.is_some() { waits } else { 0 };
        size_of::<Flow>() + size_of::<u32>() + gates + query.div_ceil(self.flows_each())
    }

    /// The servers in a client's rack, itself included, which it does not ask.
    fn own_rack(&self, client: u32) -> Range<u32> {
        let first = client - client % self.rack.max(1);
        let all = &self.servers;
        let start = first.clamp(all.start, all.end);
        start..first.saturating_add(self.rack.max(1)).clamp(start, all.end)
    }

    /// When a client asks.
    fn times(&self, client: u32) -> Vec<Time> {
        let mut rng: ChaCha8Rng = stream(self.seed, "query gaps", client.into());
        let gap_ps = 1e12 / self.per_second;
        let mut elapsed = match self.arrivals {
            Arrivals::Poisson => exponential(&mut rng),
            Arrivals::Periodic => uniform(&mut rng),
        };
        let mut times = Vec::new();
        loop {
            let at = Time::from_ps((elapsed * gap_ps) as u64);
            if at.since(Time::ZERO) >= self.span {
                return times;
            }
            times.push(at);
            elapsed += match self.arrivals {
                Arrivals::Poisson => exponential(&mut rng),
                Arrivals::Periodic => 1.0,
            };
        }
    }

    /// The bytes of the response number `index`.
    fn part(&self, index: u64) -> Bytes {
        let (degree, query) = (u64::from(self.degree), self.query.get());
        Bytes::new(query / degree + u64::from(index < query % degree))
    }
}

/// Queries, ordered by their starts (then by clients), with the flows of each next to each other.
///
/// ```
/// use forebay_net::workload::{IncastConfig, incast};
/// use forebay_units::{Bytes, Duration};
///
/// // Occamy §6.4: 128 hosts, 200 queries a second each.
/// let (query, span) = (Bytes::new(1 << 20), Duration::from_ms(100));
/// let workload = incast(&IncastConfig::new(128, 16, query, 200.0, span))?;
/// assert!((2400..2700).contains(&workload.queries().len()));
/// let responses = workload.queries()[0].responses.clone();
/// let first = &workload.flows()[responses.start as usize..responses.end as usize];
/// assert_eq!(first.iter().map(|flow| flow.bytes).sum::<Bytes>(), query);
/// # Ok::<(), forebay_net::workload::WorkloadError>(())
/// ```
///
/// # Errors
/// [`WorkloadError`] if the parameters are impossible.
pub fn incast(config: &IncastConfig) -> Result<Workload, WorkloadError> {
    config.check()?;
    // Each query with its servers, which are drawn in the order of the client's queries.
    let mut queries: Vec<Asked> = Vec::with_capacity(room::at_most(config.expected()));
    for client in config.clients.clone() {
        let mut rng: ChaCha8Rng = stream(config.seed, "query servers", client.into());
        let mut servers = Servers::of(config, client);
        for at in config.times(client) {
            queries.push((at, client, servers.draw(config.degree, &mut rng)));
        }
    }
    queries.sort_by_key(|(at, client, _)| (*at, *client));
    let mut workload = Workload::default();
    workload.flows.reserve_exact(queries.len() * config.flows_each());
    workload.queries.reserve_exact(queries.len());
    for (start, client, servers) in queries {
        add_query(config, &mut workload, start, client, &servers);
    }
    Ok(workload)
}

/// The servers that a client can ask, in an order that every query shuffles further. Only those
/// that have changed their place are stored: clients are many, and ask few.
struct Servers {
    first: u32,
    /// Hosts that it does not ask.
    without: Range<u32>,
    each: u64,
    count: u64,
    moved: BTreeMap<u64, u64>,
}

impl Servers {
    fn of(config: &IncastConfig, client: u32) -> Self {
        let (without, each) = (config.own_rack(client), u64::from(config.servers_per_host));
        let others = (config.servers.len() - without.len()) as u64;
        let first = config.servers.start;
        Servers { first, without, each, count: others * each, moved: BTreeMap::new() }
    }

    /// The hosts of `degree` distinct servers.
    fn draw(&mut self, degree: u32, rng: &mut ChaCha8Rng) -> Vec<u32> {
        let places = 0..u64::from(degree).min(self.count);
        let draw = |place| {
            let rest = (self.count - place) as f64;
            let other = place + (uniform(rng) * rest) as u64;
            let (here, there) = (self.at(place), self.at(other));
            self.moved.insert(other, here);
            self.moved.insert(place, there);
            self.host(there)
        };
        places.map(draw).collect()
    }

    fn at(&self, place: u64) -> u64 {
        self.moved.get(&place).copied().unwrap_or(place)
    }

    /// The host of a server: they are numbered host by host, without those that are not asked.
    fn host(&self, server: u64) -> u32 {
        let host = self.first + (server / self.each.max(1)) as u32;
        if host < self.without.start { host } else { host + self.without.len() as u32 }
    }
}

fn add_query(
    config: &IncastConfig,
    workload: &mut Workload,
    start: Time,
    client: u32,
    servers: &[u32],
) {
    let first = workload.flows().len() as u32;
    for &server in servers.iter().filter(|_| config.request.is_some()) {
        let bytes = config.request.unwrap_or_default();
        workload.add(Flow::new(client, server, bytes, start));
    }
    let requests = first..workload.flows().len() as u32;
    for (index, &server) in (0..).zip(servers) {
        workload.add(Flow::new(server, client, config.part(index), start));
    }
    let responses = requests.end..workload.flows().len() as u32;
    for (request, response) in requests.clone().zip(responses.clone()) {
        let server = workload.flows()[request as usize].dst;
        let gate = workload.add_gate(Gate::at(server));
        workload.count(request, gate);
        workload.begin_at(response, gate);
    }
    workload.add_query(Query { client, start, requests, responses });
}

#[cfg(test)]
mod tests;
