use forebay_units::{Bytes, Duration};
use proptest::prelude::*;

use super::schema::{Attribute, BoolList, GlobalMetadata, Value};
use super::*;
use crate::Plan;
use crate::job::{Collective, Operation, Processor};

/// A trace as Chakra's tools write it.
fn trace(nodes: &[schema::Node]) -> Vec<u8> {
    let mut bytes = GlobalMetadata { version: "0.0.4".to_owned() }.encode_length_delimited_to_vec();
    nodes.iter().for_each(|node| bytes.extend(node.encode_length_delimited_to_vec()));
    bytes
}

fn node(id: u64, kind: i32, attributes: &[(&str, Value)]) -> schema::Node {
    let attr = |(name, value): &(&str, Value)| Attribute {
        name: (*name).to_owned(),
        value: Some(value.clone()),
    };
    let attr = attributes.iter().map(attr).collect();
    schema::Node { id, name: format!("op{id}"), kind, attr, ..schema::Node::default() }
}

fn job(traces: &[Vec<u8>], config: &ChakraConfig) -> Result<Job, ChakraError> {
    let mut read = Traces::new(config);
    traces.iter().try_for_each(|trace| read.add(trace))?;
    Ok(read.finish())
}

fn refused(one: schema::Node) -> String {
    job(&[trace(&[one])], &ChakraConfig::default()).unwrap_err().to_string()
}

fn message(kind: i32, other: (&str, u32), tag: u32) -> schema::Node {
    let size = ("comm_size", Value::Uint64(1000));
    let tag = ("comm_tag", Value::Uint32(tag));
    node(1, kind, &[(other.0, Value::Uint32(other.1)), size, tag])
}

#[test]
fn bytes_written_by_hand_are_read() {
    // What protoc's encoding rules give: metadata, version "0.0.4"; a computation with id 1, name
    // "mul", type 4, data dependency on 0 (packed), 250 µs, attribute is_cpu_op = true.
    let first = b"\x07\x0a\x050.0.4";
    let zero = b"\x02\x18\x01";
    let one =
        b"\x08\x01\x12\x03mul\x18\x04\x2a\x01\x00\x38\xfa\x01\x52\x0e\x0a\x09is_cpu_op\xd8\x01\x01";
    let mut bytes = first.to_vec();
    bytes.extend(zero);
    bytes.push(one.len() as u8);
    bytes.extend(one);
    let job = job(&[bytes], &ChakraConfig::default()).unwrap();
    let [metadata, mul] = &job.ranks[0][..] else { panic!("two nodes") };
    assert_eq!(
        metadata.operation,
        Operation::Compute { time: Duration::ZERO, on: Processor::Host }
    );
    assert_eq!((mul.id, &*mul.name, &mul.after[..]), (1, "mul", &[0][..]));
    let time = Duration::from_us(250);
    assert_eq!(mul.operation, Operation::Compute { time, on: Processor::Host });
}

#[test]
fn nodes_are_what_the_schema_says() {
    let all = ("comm_type", Value::Int64(0));
    let size = ("comm_size", Value::Int64(64));
    let mut computes = node(5, 4, &[("num_ops", Value::Int64(3_000))]);
    computes.ctrl_deps = vec![4, 3];
    computes.data_deps = vec![3];
    let mut loads = node(3, 2, &[]);
    loads.duration_micros = 7;
    let dims = ("involved_dim", Value::BoolList(BoolList { values: vec![true, true] }));
    let nodes = [
        computes,
        loads,
        node(4, 7, &[all.clone(), size.clone(), dims]),
        node(6, 7, &[("comm_type", Value::Int64(9)), ("pg_name", Value::String("7".to_owned()))]),
    ];
    let groups = [("7".to_owned(), vec![0])].into();
    let config = ChakraConfig { ops_per_second: Some(1_000_000_000), groups };
    let job = job(&[trace(&nodes)], &config).unwrap();
    let of: Vec<_> = job.ranks[0].iter().map(|node| (node.id, node.operation)).collect();
    let compute = |time| Operation::Compute { time, on: Processor::Accelerator };
    let collective =
        |kind, group, bytes| Operation::Collective { kind, group, bytes: Bytes::new(bytes) };
    assert_eq!(
        of,
        [
            (3, compute(Duration::from_us(7))),
            (4, collective(Collective::AllReduce, 0, 64)),
            (5, compute(Duration::from_us(3))),
            (6, collective(Collective::Barrier, 1, 0)),
        ]
    );
    assert_eq!(job.ranks[0][2].after, [3, 4]);
    assert_eq!((&job.groups[0].ranks, &job.groups[1].ranks), (&vec![0], &vec![0]));
    assert!(Plan::new(job).is_ok());
}

#[test]
fn two_ranks_from_files_send_each_other_messages() {
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().join("two");
    assert!(!exists(&prefix));
    std::fs::write(folder.path().join("two.0.et"), trace(&[message(5, ("comm_dst", 1), 4)]))
        .unwrap();
    std::fs::write(folder.path().join("two.1.et"), trace(&[message(6, ("comm_src", 0), 4)]))
        .unwrap();
    assert!(exists(&prefix));
    let job = read(&prefix, &ChakraConfig::default()).unwrap();
    assert_eq!(job.ranks.len(), 2);
    assert!(Plan::new(job).is_ok());
    let error = read(&folder.path().join("none"), &ChakraConfig::default()).unwrap_err();
    assert!(error.to_string().contains("none.0.et: "), "{error}");
}

#[test]
fn what_is_not_understood_is_refused_by_rank_node_and_name() {
    let type_of = |kind| ("comm_type", Value::Int64(kind));
    let size = ("comm_size", Value::Int64(64));
    for kind in [0, 8, 11, -1] {
        assert!(
            refused(node(3, kind, &[])).starts_with(&format!(
                "rank 0, node 3 (op3): a node of type {kind} has no meaning"
            ))
        );
    }
    for kind in [1, 3, 4, 5, 10] {
        let error = refused(node(3, 7, &[type_of(kind), size.clone()]));
        assert!(
            error.contains(&format!("(op3): a collective of comm_type {kind} is not")),
            "{error}"
        );
    }
    for (one, said) in [
        (node(3, 7, std::slice::from_ref(&size)), "it has no attribute comm_type"),
        (node(3, 7, &[type_of(0)]), "it has no attribute comm_size"),
        (node(3, 7, &[type_of(0), ("comm_size", Value::Int64(-1))]), "comm_size is not a whole"),
        (
            node(3, 7, &[type_of(0), size.clone(), ("pg_name", Value::String("tp".to_owned()))]),
            "the ranks of its group tp are not known",
        ),
        (
            node(
                3,
                7,
                &[
                    type_of(0),
                    size.clone(),
                    ("involved_dim", Value::BoolList(BoolList { values: vec![true, false] })),
                ],
            ),
            "it is for some dimensions",
        ),
        (node(3, 5, std::slice::from_ref(&size)), "it has no attribute comm_dst"),
        (node(3, 5, &[size.clone(), ("comm_dst", Value::Uint64(1 << 40))]), "the number of a rank"),
        (node(3, 5, &[size.clone(), ("comm_src", Value::Uint32(2))]), "its comm_src is rank 2"),
        (node(3, 6, &[size, ("is_cpu_op", Value::Bool(true))]), "it communicates on a CPU"),
        (node(3, 4, &[("num_ops", Value::Uint64(1))]), "it has num_ops and no duration"),
        (node(3, 4, &[("num_ops", Value::String("1".to_owned()))]), "num_ops is not a whole"),
    ] {
        let error = refused(one);
        assert!(error.contains("rank 0, node 3 (op3): ") && error.contains(said), "{error}");
    }
    let twice = [node(3, 1, &[]), node(3, 1, &[])];
    let error = job(&[trace(&[]), trace(&twice)], &ChakraConfig::default()).unwrap_err();
    assert!(error.to_string().starts_with("rank 1, node 3 (op3): two nodes have this id"));
}

#[test]
fn hostile_lengths_and_cuts_are_refused_where_they_are() {
    let refused =
        |bytes: &[u8]| job(&[bytes.to_vec()], &ChakraConfig::default()).unwrap_err().to_string();
    assert!(refused(b"").starts_with("rank 0, byte 0: the trace is empty"));
    let mut long = trace(&[]);
    long.extend(b"\xff\xff\xff\xff\x0f");
    assert!(refused(&long).starts_with("rank 0, byte 8: a message of 4294967295 bytes is longer"));
    long.extend([0xff; 20]);
    long[8..].fill(0xff);
    assert!(refused(&long).starts_with("rank 0, byte 8: no message of Chakra's schema"));
    let whole = trace(&[node(1, 4, &[]), node(2, 4, &[("num_ops", Value::Uint64(0))])]);
    for end in 0..whole.len() {
        if let Ok(job) = job(&[whole[..end].to_vec()], &ChakraConfig::default()) {
            assert!(job.ranks[0].len() < 2, "cut at {end}");
        }
    }
    assert!(refused(b"\x02\x08").contains("a message of 2 bytes has 1"));
    assert!(refused(b"garbage, no trace at all").contains("rank 0, byte 0: "));
}

#[test]
fn circles_and_a_million_dependencies_are_no_danger() {
    let mut waits = node(1, 4, &[]);
    waits.data_deps = vec![0; 1_000_000];
    let bytes = trace(&[node(0, 4, &[]), waits]);
    let read = job(&[bytes], &ChakraConfig::default()).unwrap();
    assert_eq!(read.ranks[0][1].after, [0]);
    let mut circle = [node(0, 4, &[]), node(1, 4, &[])];
    circle[0].ctrl_deps = vec![1];
    circle[1].data_deps = vec![0];
    let read = job(&[trace(&circle)], &ChakraConfig::default()).unwrap();
    let error = Plan::new(read).unwrap_err().to_string();
    assert!(error.contains("it waits, in the end, for itself"), "{error}");
    let mut absent = node(0, 4, &[]);
    absent.ctrl_deps = (1..1_000_000).collect();
    let read = job(&[trace(&[absent])], &ChakraConfig::default()).unwrap();
    let error = Plan::new(read).unwrap_err().to_string();
    assert!(error.starts_with("rank 0, node 0 (op0): it waits for node 1, which"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Any bytes are a job or an error with a sentence.
    #[test]
    fn any_bytes_are_a_job_or_an_error(
        bytes in proptest::collection::vec(any::<u8>(), 0..200), flips in 0usize..60,
    ) {
        let mut valid = trace(&[message(5, ("comm_dst", 1), 4), node(2, 4, &[])]);
        for (at, byte) in bytes.iter().take(flips).enumerate() {
            let place = at * 7 % valid.len();
            valid[place] ^= byte;
        }
        for given in [bytes, valid] {
            match job(&[given], &ChakraConfig::default()) {
                Ok(job) => drop(Plan::new(job)),
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }
}
