use super::*;
use alloc::string::ToString;
use proptest::prelude::*;

fn config() -> IncastConfig {
    IncastConfig::new(8, 5, Bytes::new(100_003), 1000.0, Duration::from_ms(50))
}

#[test]
fn queries_come_at_their_rate() {
    for arrivals in [Arrivals::Poisson, Arrivals::Periodic] {
        let config = IncastConfig { arrivals, per_second: 20_000.0, ..config() };
        let workload = incast(&config).unwrap();
        let expected: f64 = 8.0 * 20_000.0 * 0.05;
        let count = workload.queries().len() as f64;
        let allowed = if arrivals == Arrivals::Poisson { 4.0 * expected.sqrt() } else { 8.0 };
        assert!((count - expected).abs() <= allowed, "{arrivals:?}: {count}");
        assert!(workload.queries().is_sorted_by_key(|query| (query.start, query.client)));
    }
}

#[test]
fn servers_are_asked_alike() {
    let config = IncastConfig { servers_per_host: 3, per_second: 10_000.0, ..config() };
    let workload = incast(&config).unwrap();
    let mut asked = [0u32; 8];
    workload.flows().iter().for_each(|flow| asked[flow.src as usize] += 1);
    let mean = workload.flows().len() as f64 / 8.0;
    assert!(asked.iter().all(|&n| (f64::from(n) - mean).abs() < 5.0 * mean.sqrt()), "{asked:?}");
}

#[test]
fn another_rate_stretches_the_same_queries() {
    let at = |per_second| incast(&IncastConfig { per_second, ..config() }).unwrap();
    let (slow, fast) = (at(100.0), at(200.0));
    let of = |workload: &Workload, client| -> Vec<(u64, Vec<u32>)> {
        let own = workload.queries().iter().filter(|query| query.client == client);
        own.map(|query| {
            let flows = query.responses.clone();
            let flows = &workload.flows()[flows.start as usize..flows.end as usize];
            (query.start.as_ps(), flows.iter().map(|flow| flow.src).collect())
        })
        .collect()
    };
    for client in 0..8 {
        for (a, b) in of(&slow, client).into_iter().zip(of(&fast, client)) {
            assert!(a.0.abs_diff(2 * b.0) <= 2);
            assert_eq!(a.1, b.1);
        }
    }
}

proptest! {
    /// Against shuffling a list of all servers.
    #[test]
    fn servers_are_drawn_as_from_a_list(
        (hosts, each, degree) in (2u32..9, 1u32..4, 1u32..8),
        (client, first, rack, seed) in (0u32..9, 0u32..4, 1u32..5, any::<u64>()),
    ) {
        let servers = first.min(hosts - 2)..hosts;
        let config =
            IncastConfig { servers: servers.clone(), servers_per_host: each, degree, rack, ..config() };
        let others = servers.filter(|&host| host / rack != client / rack);
        let mut all: Vec<u32> =
            others.flat_map(|host| core::iter::repeat_n(host, each as usize)).collect();
        let rng = || -> ChaCha8Rng { stream(seed, "t", 0) };
        let (mut one, mut two) = (rng(), rng());
        let mut drawn = Servers::of(&config, client);
        for _ in 0..5 {
            let count = (degree as usize).min(all.len());
            for place in 0..count {
                let rest = (all.len() - place) as f64;
                all.swap(place, place + (uniform(&mut one) * rest) as usize);
            }
            prop_assert_eq!(&drawn.draw(degree, &mut two)[..], &all[..count]);
        }
    }
}

/// A million hosts, of which one asks: nothing is listed.
#[test]
fn few_queries_among_many_hosts_are_quick() {
    let wide = IncastConfig { hosts: 1 << 20, servers: 0..1 << 20, clients: 7..8, ..config() };
    let workload = incast(&wide).unwrap();
    assert!(!workload.queries().is_empty());
    assert_eq!(workload.check(1 << 20), Ok(()));
}

#[test]
fn impossible_numbers_are_named() {
    let message = |change: fn(&mut IncastConfig)| {
        let mut config = config();
        change(&mut config);
        incast(&config).unwrap_err().to_string()
    };
    let text = message(|c| c.hosts = 4_000_000_000);
    assert_eq!(text, "4,000,000,000 hosts are too many: a topology has at most 1,048,576");
    let text = message(|c| c.degree = 8);
    assert!(text.starts_with("degree is 8, but a client can ask 7 servers"), "{text}");
    let text = message(|c| (c.degree, c.rack) = (5, 4));
    assert!(text.starts_with("degree is 5, but a client can ask 4 servers"), "{text}");
    // Hosts 6 and 7 are a rack by themselves, but no clients.
    let text = message(|c| (c.degree, c.rack, c.clients) = (5, 6, 0..6));
    assert!(text.starts_with("degree is 5, but a client can ask 2 servers"), "{text}");
    let text = message(|c| (c.degree, c.servers_per_host) = (16, 2));
    assert!(text.starts_with("degree is 16, but a client can ask 14 servers"), "{text}");
    assert!(message(|c| c.degree = 0).starts_with("degree is 0"));
    let text = message(|c| c.clients = 4..9);
    assert!(text.starts_with("clients are hosts 4 to 9 (exclusive): name"), "{text}");
    assert!(message(|c| c.servers = 3..3).starts_with("servers are hosts 3 to 3"));
    let text = message(|c| c.query = Bytes::new(4));
    assert!(text.starts_with("query is 4: give 5 to"), "{text}");
    assert!(message(|c| c.request = Some(Bytes::ZERO)).starts_with("request is 0: give 1"));
    assert!(message(|c| c.per_second = f64::NAN).starts_with("NaN queries per second"));
    assert!(message(|c| c.per_second = 1e12).starts_with("more than"));
}

proptest! {
    /// Every query is its size, from different servers, none of them the client.
    #[test]
    fn queries_are_whole(
        hosts in 3u32..20,
        each in 1u32..4,
        degree in 1u32..30,
        bytes in 1u64..1_000_000,
        asks in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let (hosts_and_one, query) = (0..hosts, Bytes::new(bytes));
        let config = IncastConfig {
            clients: 0..2,
            servers: hosts_and_one,
            servers_per_host: each,
            request: asks.then_some(Bytes::new(64)),
            seed,
            ..IncastConfig::new(hosts, degree, query, 1000.0, Duration::from_ms(10))
        };
        let Ok(workload) = incast(&config) else {
            prop_assert!(degree > (hosts - 1) * each || bytes < degree.into());
            return Ok(());
        };
        prop_assert_eq!(workload.check(hosts), Ok(()));
        prop_assert_eq!(&workload, &incast(&config).unwrap());
        for query in workload.queries() {
            let of = |range: &Range<u32>| &workload.flows()[range.start as usize..range.end as usize];
            let (requests, responses) = (of(&query.requests), of(&query.responses));
            prop_assert_eq!(responses.len(), degree as usize);
            prop_assert_eq!(responses.iter().map(|flow| flow.bytes).sum::<Bytes>(), config.query);
            prop_assert!(responses.iter().all(|flow| flow.dst == query.client));
            let mut servers: Vec<u32> = responses.iter().map(|flow| flow.src).collect();
            if asks {
                let asked: Vec<u32> = requests.iter().map(|flow| flow.dst).collect();
                prop_assert_eq!(&asked, &servers);
            } else {
                prop_assert!(requests.is_empty());
            }
            servers.sort_unstable();
            prop_assert!(servers.chunk_by(|a, b| a == b).all(|same| same.len() <= each as usize));
        }
    }
}
