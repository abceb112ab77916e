use alloc::string::{String, ToString};
use alloc::vec;

use forebay_units::{Bytes, Rate};

use super::*;

fn gbps(rate: u64) -> Rate {
    Rate::from_gbps(rate)
}

/// root (wfq) over a, b; a over a1, a2.
fn good() -> TreeConfig {
    let mut config = TreeConfig::new(gbps(10));
    let leaf = |parent, name, class| NodeConfig {
        rules: vec![Rule::class(class)],
        ..NodeConfig::below(parent, name)
    };
    config.nodes = vec![
        NodeConfig::root("root"),
        NodeConfig::below("root", "a"),
        leaf("root", "b", 0),
        leaf("a", "a1", 1),
        leaf("a", "a2", 2),
    ];
    config
}

/// What is wrong after `spoil`.
fn problem(spoil: impl FnOnce(&mut TreeConfig)) -> String {
    let mut config = good();
    spoil(&mut config);
    config.check().unwrap_err().to_string()
}

fn shaper(rate: Rate, burst: u64) -> Option<Shaper> {
    Some(Shaper { rate, burst: Bytes::new(burst) })
}

#[test]
fn mistakes_of_shape_are_named_with_their_fix() {
    assert_eq!(good().check(), Ok(()));
    let cases = [
        (problem(|c| c.nodes.clear()), "scheduling tree: it has no nodes; add a root and a leaf"),
        (
            problem(|c| c.nodes[2].parent = None),
            "node \"b\": neither it nor \"root\" has a parent; give one of them a parent",
        ),
        (
            problem(|c| c.nodes[3].parent = Some("x".into())),
            "node \"a1\": there is no node \"x\" to be its parent; add it, or correct the name",
        ),
        (
            problem(|c| c.nodes[1].parent = Some("a1".into())),
            "node \"a1\": it is its own ancestor; give one node of the circle another parent",
        ),
        (
            problem(|c| c.nodes[0].parent = Some("a2".into())),
            "node \"a\": it is its own ancestor; give one node of the circle another parent",
        ),
        (
            problem(|c| c.nodes[4].name = "b".into()),
            "node \"b\": another node has this name; rename one of them",
        ),
        (
            problem(|c| c.nodes[2].rules.clear()),
            "node \"b\": no packet can reach this leaf; give it a `match` rule",
        ),
        (
            problem(|c| c.nodes[1].rules.push(Rule::any())),
            "node \"a\": a node with children has no `match`; move it to a leaf below",
        ),
        (
            problem(|c| c.nodes[2].scheduler = Some("sp".into())),
            "node \"b\": a leaf has no `scheduler`; remove it, or give the node children",
        ),
        (
            problem(|c| c.nodes[2].order = Some("token-bucket".into())),
            "node \"b\": the order \"token-bucket\" delays packets; give the node a shaper instead",
        ),
        (
            problem(|c| c.nodes[2].rules[0].class = Some(RangeInclusive::new(3, 1))),
            "node \"b\": the range of `class` ends before it begins; swap its ends",
        ),
        (
            problem(|c| c.nodes[2].limit = Some(0)),
            "node \"b\": its limit is 0 packets; give at least 1",
        ),
        (
            problem(|c| c.nodes[3].rules = vec![Rule::any()]),
            "node \"a2\": no packet can reach this leaf, since \"a1\" comes first and takes all of \
             them; give that one narrower rules, or put it later",
        ),
        (
            problem(|c| c.nodes[4].priority = 1),
            "node \"a2\": it has a priority, but \"a\" goes by weight; remove it, or make that one \
             sp",
        ),
        (problem(|c| c.capacity = 0), "scheduling tree: `capacity` is 0; give at least 1"),
    ];
    for (problem, expected) in cases {
        assert_eq!(problem, expected);
    }
    // What follows is the nearest name or a list, as the feature of another crate has it.
    let unknown = problem(|c| c.nodes[2].order = Some("x".into()));
    assert!(unknown.starts_with("node \"b\": there is no rank function `x`; "), "{unknown}");
    let unknown = problem(|c| c.nodes[0].scheduler = Some("fq".into()));
    assert!(unknown.starts_with("node \"root\": there is no tree discipline `fq`; "), "{unknown}");
}

#[test]
fn mistakes_of_rates_are_named_with_their_fix() {
    let guarantee = |c: &mut TreeConfig, rates: [u64; 2]| {
        c.nodes[1].guaranteed = Some(gbps(rates[0]));
        c.nodes[2].guaranteed = Some(gbps(rates[1]));
    };
    let cases = [
        (problem(|c| c.nodes[3].weight = Some(0)), "node \"a1\": its weight is 0; give at least 1"),
        (
            problem(|c| c.nodes[1].shaper = shaper(gbps(11), 10_000)),
            "node \"a\": its shaper's 11 Gb/s is above the port's 10 Gb/s; lower it, or remove it",
        ),
        (
            problem(|c| {
                c.nodes[0].shaper = shaper(gbps(4), 10_000);
                c.nodes[3].shaper = shaper(gbps(5), 10_000);
            }),
            "node \"a1\": its shaper's 5 Gb/s is above the 4 Gb/s of \"root\"; lower it, or remove \
             it",
        ),
        (
            problem(|c| c.nodes[1].shaper = shaper(gbps(1), 1_500)),
            "node \"a\": its burst of 1.5 KB does not hold the largest packet of 9 KiB; raise it, \
             or lower `mtu`",
        ),
        (
            problem(|c| c.nodes[1].shaper = shaper(Rate::from_bps(0), 10_000)),
            "node \"a\": its shaper rate is 0; give a rate, or remove it",
        ),
        (
            problem(|c| guarantee(c, [6, 5])),
            "node \"root\": its children are guaranteed 11 Gb/s together, but it has 10 Gb/s; \
             lower theirs",
        ),
        (
            problem(|c| c.nodes[1].guaranteed = Some(gbps(1))),
            "node \"a\": it has a guaranteed rate and its sibling \"b\" has none; give all of them \
             one, or none",
        ),
        (
            problem(|c| {
                guarantee(c, [1, 1]);
                c.nodes[0].scheduler = Some("sp".into());
            }),
            "node \"a\": it has a guaranteed rate, but \"root\" goes by priority; make that one \
             wfq or drr",
        ),
        (
            problem(|c| {
                c.nodes[3].guaranteed = Some(gbps(1));
                c.nodes[4].guaranteed = Some(gbps(1));
            }),
            "node \"a1\": it has a guaranteed rate, but \"a\" has none to pass on; give that one a \
             rate",
        ),
        (
            problem(|c| {
                guarantee(c, [5, 5]);
                c.nodes[2].weight = Some(3);
            }),
            "node \"b\": it has a weight and a guaranteed rate; remove one of them",
        ),
        (
            problem(|c| {
                guarantee(c, [5, 5]);
                c.nodes[2].shaper = shaper(gbps(4), 10_000);
            }),
            "node \"b\": its guaranteed 5 Gb/s is above its shaper's 4 Gb/s; lower it, or raise \
             the shaper",
        ),
    ];
    for (problem, expected) in cases {
        assert_eq!(problem, expected);
    }
}

#[test]
fn guaranteed_rates_become_weights() {
    let weights = |rates: [u64; 2]| {
        let mut config = good();
        config.rate = Rate::from_bps(u64::MAX);
        config.nodes[1].guaranteed = Some(Rate::from_bps(rates[0]));
        config.nodes[2].guaranteed = Some(Rate::from_bps(rates[1]));
        let plan = config.plan().unwrap();
        [1, 2].map(|node: usize| plan.nodes[node].share.weight)
    };
    assert_eq!(weights([40_000_000_000, 10_000_000_000]), [4, 1]);
    assert_eq!(weights([1, u64::MAX - 1]), [1, 1 << 31]);
}

/// A leaf is reported only if all of its rules are taken, whichever earlier rules take them.
#[test]
fn a_leaf_that_something_reaches_is_not_shadowed() {
    let rule =
        |flow: RangeInclusive<u32>, class: u8| Rule { flow: Some(flow), ..Rule::class(class) };
    let with = |last: Vec<Rule>| {
        let mut config = good();
        config.nodes[3].rules = vec![Rule::class(1), rule(0..=9, 2)];
        config.nodes[4].rules = last;
        config.check().is_ok()
    };
    assert!(with(vec![rule(0..=10, 2)]) && with(vec![Rule::flows(3..=4)]));
    assert!(with(vec![rule(3..=4, 2), Rule::class(7)]));
    assert!(
        !with(vec![rule(3..=4, 2)]) && !with(vec![rule(3..=4, 2), rule(8..=8, 1), Rule::class(0)])
    );
}

#[test]
fn levels_are_counted_from_the_root_in_any_order() {
    let mut config = good();
    config.nodes.reverse();
    let plan = config.plan().unwrap();
    assert_eq!((plan.root, plan.widths), (4, vec![1, 2, 2]));
    let mut deep = TreeConfig::new(gbps(1));
    deep.nodes.push(NodeConfig::root("0"));
    for level in 1..=16 {
        deep.nodes.push(NodeConfig::below(&(level - 1).to_string(), &level.to_string()));
    }
    let error = deep.check().unwrap_err().to_string();
    assert_eq!(error, "node \"16\": there are too many levels; use at most 16");
}

#[cfg(feature = "serde")]
#[test]
fn files_say_where_they_are_wrong() {
    let read = |text: &str| TreeConfig::from_toml(text).map_err(|error| error.to_string());
    let leaf = "rate = \"1 Gb/s\"\n[[node]]\nname = \"x\"\n";
    let config = read(&alloc::format!("{leaf}match = [{{ flow = [3, 7], class = 1 }}]")).unwrap();
    let expected = Rule { flow: Some(3..=7), class: Some(1..=1), input: None };
    assert_eq!(config.nodes[0].rules, [expected]);
    for (text, expected) in [
        ("rate = \"1 GB/s\"", "line 1"),
        (
            &alloc::format!("{leaf}wieght = 3"),
            "line 4, column 1: there is no key `wieght`; did you mean `weight`?",
        ),
        (&alloc::format!("{leaf}match = [{{ class = 300 }}]"), "the first and the last"),
        (leaf, "node \"x\": no packet can reach this leaf"),
        ("rate = \"1 Gb/s\"", "the file has no `node`; add node = …"),
        ("rate = \"1 Gb/s\"\nnode = []\nranks = { weights = [0] }", "weight of flow 0 is 0"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_discipline_of_the_caller_s_own_is_taken() {
    use crate::scheduler::PacketScheduler;
    use crate::tree::{DisciplineInfo, FairQueueing, SchedulingTree, Share};
    let own = DisciplineInfo {
        name: "equal",
        about: "equal shares, whatever the weights",
        weighted: false,
        prioritized: false,
        build: |shares, _| {
            alloc::boxed::Box::new(FairQueueing::new(&vec![
                Share { weight: 1, priority: 0 };
                shares.len()
            ]))
        },
    };
    let mut config = TreeConfig::by_class();
    config.nodes[0].scheduler = Some("equal".into());
    config.nodes[2].priority = 0;
    assert!(config.check().unwrap_err().to_string().contains("`equal`"));
    config.disciplines = config.disciplines.with(own).unwrap();
    let mut tree: SchedulingTree = SchedulingTree::new(&config).unwrap();
    assert_eq!(
        tree.enqueue(forebay_units::Time::ZERO, crate::Packet { size: 1, ..Default::default() }),
        Ok(())
    );
}

#[cfg(feature = "serde")]
#[test]
fn what_a_file_does_not_say_of_orders_is_the_caller_s() {
    let weights = crate::scheduler::Weights::new(1, vec![5]).unwrap();
    let budgets = vec![forebay_units::Duration::from_us(7)];
    let over = RankConfig { weights: weights.clone(), budgets, ..RankConfig::default() };
    let read = |ranks: &str| {
        let text =
            alloc::format!("rate = \"1 Gb/s\"\n{ranks}\n[[node]]\nname = \"x\"\nmatch = [{{}}]\n");
        let over = TreeConfig { ranks: over.clone(), ..TreeConfig::by_class() };
        TreeConfig::from_toml_over(&text, &over).unwrap().ranks
    };
    assert_eq!(read(""), RankConfig { rate: gbps(1), ..over.clone() });
    let own = read("ranks = { budgets = [\"1 s\"] }");
    assert_eq!((own.weights, own.budgets.len()), (weights, 1));
    assert_ne!(own.budgets, over.budgets);
    assert_eq!(read("ranks = { default_weight = 2 }").weights.of(0), 2);
}

#[cfg(feature = "serde")]
#[test]
fn the_file_in_the_documentation_is_read() {
    let page = include_str!("../../../../../docs/scheduling-trees.md");
    let (_, rest) = page.split_once("```toml").unwrap();
    let (file, _) = rest.split_once("```").unwrap();
    let config = TreeConfig::from_toml(file).unwrap();
    assert_eq!((config.nodes.len(), config.mtu, config.capacity), (5, Bytes::new(1500), 20_000));
    // Its two examples of mistakes, word for word.
    let mistake = |spoil: &dyn Fn(&mut TreeConfig)| {
        let mut config = config.clone();
        spoil(&mut config);
        config.check().unwrap_err().to_string()
    };
    let above = mistake(&|config| config.nodes[3].shaper = shaper(gbps(120), 10_000));
    let sum = mistake(&|config| {
        config.nodes[1].parent = Some("tenants".into());
        config.nodes[0].scheduler = None;
        for (node, rate) in [(1, 10), (2, 100), (3, 60), (4, 40)] {
            config.nodes[node].weight = None;
            config.nodes[node].priority = 0;
            config.nodes[node].shaper = None;
            config.nodes[node].guaranteed = Some(gbps(rate));
        }
    });
    assert!(page.contains(&above), "{above}");
    assert!(page.contains(&sum), "{sum}");
}
