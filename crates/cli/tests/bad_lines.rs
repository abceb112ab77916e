//! Command lines that are wrong, over all commands: each ends with exit code 2 and one error, which
//! names what was given wrongly, and shows nothing of the program's insides.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::{Command, Stdio};

/// A command line, without `forebay`, and what its error has to name. Words that have spaces stand
/// in `'…'`; `{file}`s are those of [`Files`].
const LINES: &[(&str, &str)] = &[
    // The command itself.
    ("bogus", "'bogus'"),
    ("run", "<FILE|FOLDER>"),
    ("run {exp} --bogus", "'--bogus'"),
    // Experiments.
    ("run absent.toml", "absent.toml"),
    ("run /dev/zero", "/dev/zero"),
    ("run {exp} --set", "--set has no value: give --set <KEY=VALUE>"),
    ("run {exp} --seed", "--seed has no value: give --seed <"),
    ("run {exp} --seed -1", "--seed"),
    ("net flows --hosts 4000000000 --pattern permutation --bytes 1MB", "4,000,000,000 hosts"),
    (
        "net run --topology star:2,1G,1us --flows {pcap} --rank 'size + 9223372036854775808'",
        "9,223,372,036,854,775,807",
    ),
    ("run {exp} --set load", "--set: write it as key=value"),
    ("run {exp} --set =1", "--set =1"),
    ("run {exp} --set nope=1", "`nope`"),
    ("run {exp} --set load=2", "--set load=2"),
    ("run {exp} --set load=x", "--set load=x"),
    ("run {exp} --set load=NaN", "--set load=NaN"),
    ("run {exp} --set load=[]", "--set load=[]"),
    ("run {exp} --set span=5", "--set span=5"),
    ("run {exp} --set span='5 B'", "--set span=5 B"),
    ("run {exp} --set hbm.t_ccd_s=9", "--set hbm.t_ccd_s=9"),
    ("run {exp} --set t_ccd_s=9", "--set t_ccd_s=9"),
    ("run {exp} --set t_ccd_l=1", "--set t_ccd_l=1"),
    ("run {exp} --set t_rc=1", "--set t_rc=1"),
    ("run {exp} --set burst=9", "--set burst=9"),
    ("run {exp} --set policy.swap_out_watermark=0.4", "--set policy.swap_out_watermark=0.4"),
    ("run {exp} --set swap_out_watermark=0.4", "--set swap_out_watermark=0.4"),
    ("run {exp} --set swap_in_watermark=0.9", "--set swap_in_watermark=0.9"),
    ("run {exp} --set hbm.rows=0", "--set hbm.rows=0"),
    ("run {exp} --set capacity='1 B'", "--set capacity=1 B"),
    // What was set is named, and not what does not fit it.
    ("run {exp} --set hbm.row_bytes='1 B'", "--set hbm.row_bytes=1 B: workload.packet_bytes"),
    ("run {exp} --set hbm.pseudo_channels=1", "--set hbm.pseudo_channels=1: workload.packet_bytes"),
    ("run {exp} --set pseudo_channels=1 --set row_bytes='64 B'", "workload.packet_bytes = 1500"),
    ("run {exp} --set packet_bytes=640 --set burst=9", "--set burst=9: hbm.t_ccd_s"),
    ("run {exp} --set policy.watermark_gap=1", "--set policy.watermark_gap=1: the swap-in"),
    ("run {link} --set link.packet='1 B'", "--set link.packet=1 B: run.span"),
    ("run {link} --set span='1000 s'", "--set span=1000 s: 1,666"),
    ("run {link} --set scheduler.queues=1", "between 2 and"),
    ("run {chip} --set burst_rate='1 b/s'", "--set burst_rate=1 b/s: run.span"),
    ("run {chip} --set burst_start='10 s'", "--set burst_start=10 s: run.span"),
    ("run {departures} --set largest_packet=1", "--set largest_packet=1: workload.smallest_packet"),
    ("run {network} --set span='1 ps'", "--set span=1 ps: run.scale"),
    ("run {two} --set background_control=same", "--set background_control=same: with it `workload"),
    // So it is in a file: the place is that of what was set.
    ("run {narrow}", "narrow.toml:5:13"),
    ("run {narrow} --set packet_bytes=64", "--set packet_bytes=64"),
    // Values are repeated as they were given, choices are listed once.
    ("run {exp} --set load=123456789123456789", ": 123456789123456789 is not a number"),
    ("run {exp} --set hbm.scheduling=x", "\"x\" is not one of in-order, fr-fcfs"),
    ("run {exp} --policy dt-hybrid --set dt_alpha=0", "between 1/65536 and 65535"),
    ("run {exp} --seed x", "--seed: \"x\""),
    ("run {exp} --seed 0", "--seed: \"0\""),
    ("run {exp} --seed 9223372036854775808", "--seed"),
    ("run {exp} --jobs x", "--jobs: \"x\""),
    ("run {exp} --jobs 0", "--jobs: \"0\""),
    ("run {exp} --jobs 4097", "--jobs: \"4097\""),
    ("run {exp} --policy nope", "`nope`"),
    ("run {exp} --shard 3", "--shard"),
    ("run {exp} --shard 3/2", "--shard"),
    ("run {exp} --trace-window x", "--trace-window"),
    ("run {exp} --trace-sample x", "--trace-sample"),
    ("run {exp} --trace-sample 0", "--trace-sample"),
    ("reproduce --jobs x", "--jobs: \"x\""),
    ("reproduce --jobs 0", "--jobs: \"0\""),
    ("reproduce absent", "absent"),
    ("list absent", "`absent`"),
    ("show", "<FILE|SCENARIO>"),
    ("show absent", "absent"),
    ("show absent.toml", "absent.toml"),
    ("show /dev/zero", "/dev/zero"),
    ("show {exp} --set nope=1", "`nope`"),
    ("show {exp} --set load=7", "--set load=7"),
    ("report absent", "absent"),
    // Hardware queues.
    ("queues --elements x", "--elements: \"x\""),
    ("queues --elements 0", "elements = 0"),
    ("queues --rank-bits x", "--rank-bits: \"x\""),
    ("queues --rank-bits 65", "rank bits = 65"),
    ("queues --item-bits 1.5", "--item-bits: \"1.5\""),
    ("queues --partitions x", "--partitions: \"x\""),
    ("queues --cluster 2,x", "--cluster: \"x\""),
    ("queues --ways x", "--ways: \"x\""),
    ("queues --bitmap-width x", "--bitmap-width: \"x\""),
    ("queues --structure heap", "`heap`"),
    ("queues fig3 --cluster x", "--cluster: \"x\""),
    ("queues fig3 --partitions x", "--partitions: \"x\""),
    ("queues fig3 --size 99", "--size: \"99\""),
    ("queues fig3 --size x", "--size: \"x\""),
    ("queues fragmentation --elements x", "--elements: \"x\""),
    ("queues fragmentation --partitions x", "--partitions: \"x\""),
    ("queues mesh --ports 0", "--ports: \"0\""),
    ("queues mesh --ports x", "--ports: \"x\""),
    ("queues mesh --packet-rate x --clock 1G --structure bbq", "--packet-rate x"),
    ("queues mesh --packet-rate 1G --clock x --structure bbq", "--clock x"),
    ("queues mesh --packet-rate 1G --clock 1G --structure heap", "`heap`"),
    ("queues mesh --packet-rate 1G", "--clock"),
    // Trees.
    ("sched check absent", "absent"),
    ("sched check /dev/null", "/dev/null"),
    ("sched check /dev/zero", "/dev/zero"),
    // Configurations of switches.
    ("buffer explain absent", "absent"),
    ("buffer explain /dev/null", "/dev/null"),
    ("buffer explain /dev/zero", "/dev/zero"),
    ("buffer explain README.md", "README.md"),
    ("buffer compare {db}", "--incast"),
    ("buffer compare {db} --incast 0", "--incast: \"0\""),
    ("buffer compare {db} --incast x", "--incast: \"x\""),
    ("buffer compare {db} --incast 8 --packet 3", "--packet: \"3\""),
    ("buffer compare {db} --incast 8 --packet abc", "--packet: \"abc\""),
    ("buffer compare {db} --incast 8 --packet '1 MB'", "--packet: \"1 MB\""),
    ("buffer compare {db} --incast 8 --cell abc", "--cell: \"abc\""),
    ("buffer compare {db} --incast 8 --cell 0B", "--cell: \"0B\" is not a size from 1 B"),
    ("buffer compare {db} --incast 8 --bytes abc", "--bytes"),
    ("buffer compare {db} --incast 8 --bytes 1B", "--bytes"),
    ("buffer compare {db} --incast 8 --queue x", "--queue: \"x\""),
    ("buffer compare {db} --incast 8 --queue 256", "--queue: \"256\""),
    ("buffer compare {db} --incast 8 --burst x", "--burst: \"x\""),
    ("buffer compare {db} --incast 8 --lossless-queue x", "--lossless-queue: \"x\""),
    ("buffer compare {db} --incast 8 --response x", "--response: \"x\""),
    (
        "buffer compare {db} --incast 8 --response '2 s'",
        "--response: \"2 s\" is more than a second",
    ),
    ("buffer compare {db} --incast 8 --cable 300001", "--cable: \"300001\""),
    ("buffer compare {db} --incast 8 --port nope", "nope"),
    ("buffer compare {db} --incast 8 --busy x", "--busy: \"x\""),
    ("buffer compare {db} --incast 8 --busy 513", "--busy: \"513\""),
    ("buffer compare {db} --incast 8 --sender-rate x", "--sender-rate"),
    ("buffer compare {db} --incast 8 --occamy-alpha x", "--occamy-alpha x"),
    ("buffer compare {db} --incast 8 --occamy-alpha 2000", "--occamy-alpha 2000"),
    // Caches.
    ("cache simulate absent.csv --objects 9", "absent.csv"),
    ("cache simulate /dev/null --objects 9", "no requests"),
    ("cache simulate --objects x", "--objects: \"x\""),
    ("cache simulate --objects 0", "--objects: \"0\""),
    ("cache simulate --bytes '0 B'", "--bytes"),
    ("cache simulate --objects 9 --latency '0 s'", "--latency"),
    ("cache simulate --bytes x", "--bytes: \"x\""),
    ("cache simulate --bytes 10", "--bytes: \"10\""),
    ("cache simulate {requests} --bytes '1 KB'", "--bytes: no column is known that has the"),
    ("cache simulate {requests} --set cache.bytes='1 KB'", "--set cache.bytes=1 KB: no column"),
    ("cache simulate {steps} --bytes '1 KB'", "--bytes: the objects of this kind of trace have no"),
    ("cache simulate --set trace.kind=zipf-bursts --bytes '1 KB'", "--bytes: the objects"),
    ("cache simulate --objects 9 --z x", "--z: \"x\""),
    ("cache simulate --objects 9 --z 1.5", "--z: \"1.5\""),
    ("cache simulate --objects 9 --latency x", "--latency: \"x\""),
    ("cache simulate --objects 9 --set latency=abc", "--set latency=abc"),
    ("cache simulate --objects 9 --set store.latency=abc", "--set store.latency=abc"),
    ("cache simulate --objects 9 --set z=x", "--set z=x"),
    ("cache simulate --objects 9 --set nope=x", "`nope`"),
    ("cache simulate --objects 9 --set nope", "--set nope"),
    ("cache simulate --objects 9 --seed 0", "--seed: \"0\""),
    ("cache simulate --objects 9 --policies lur", "--policies"),
    ("cache simulate --objects 9 --policies lru,", "--policies"),
    ("cache compare --policies lru,nope", "`nope`"),
    ("cache compare --objects x", "--objects: \"x\""),
    ("cache bound --gap x", "--gap: \"x\""),
    ("cache bound --gap NaN", "--gap: \"NaN\""),
    ("cache bound --rounds x", "--rounds: \"x\""),
    ("cache bound --threads 0", "--threads: \"0\""),
    // Networks.
    ("net run --flows {flows}", "--topology"),
    ("net run --topology star:4,10G,1us", "--flows"),
    ("net train --topology star:8,10G,1us", "<JOB>"),
    ("net train data", "--topology"),
    ("net train ring --topology star:8,10G,1us", "ring: there is no generator ring"),
    ("net train data:rank=4 --topology star:8,10G,1us", "`rank`"),
    ("net train data:ranks=0 --topology star:8,10G,1us", "data:ranks=0: ranks"),
    ("net train data:ranks=9 --topology star:8,10G,1us", "9 ranks"),
    ("net train data --topology bogus:4", "--topology"),
    ("net train data --topology star:8,10G,1us --all-reduce best", "--all-reduce"),
    ("net train data --topology star:8,10G,1us --group 0=1", "--group"),
    ("net train data --topology star:8,10G,1us --set nope=1", "--set nope=1"),
    ("net run --topology star:4,10G,1us --flows {long}", "give 1 to 2^50"),
    ("net run --topology star:4,10G,1us --flows {pcap}", "it is not text (UTF-8)"),
    ("net run --topology star:4,10G,1us --flows {flows} --seed 7", "--seed"),
    ("net run --topology bogus:4 --flows {flows}", "--topology"),
    ("net run --topology star:4,10G --flows {flows}", "--topology"),
    ("net run --topology star:4,10X,1us --flows {flows}", "--topology"),
    ("net run --topology star:4,10G,1us --flows absent", "--flows"),
    ("net run {net} --switch nope", "--switch"),
    ("net run {net} --control nope", "--control"),
    ("net run {net} --nic nope", "--nic"),
    ("net run {net} --mss 0", "--mss: \"0\""),
    ("net run {net} --mss 0B", "--mss"),
    ("net run {net} --initial-window x", "--initial-window: \"x\""),
    ("net run {net} --initial-window 0", "--initial-window"),
    ("net run {net} --min-rto 5", "--min-rto: \"5\""),
    ("net run {net} --initial-rto x", "--initial-rto: \"x\""),
    ("net run {net} --receive-window x", "--receive-window: \"x\""),
    ("net run {net} --delayed-ack x", "--delayed-ack: \"x\""),
    ("net run {net} --buffer abc", "--buffer: \"abc\""),
    ("net run {net} --buffer 0B", "--buffer"),
    ("net run {net} --mark x", "--mark: \"x\""),
    ("net run {net} --tree {flows}", "--tree"),
    ("net run {net} --switch tree --tree absent", "--tree: cannot read absent"),
    ("net run {net} --switch tree --tree /dev/null", "--tree: /dev/null"),
    ("net run {net} --switch pifo --rank nope", "--rank"),
    ("net run {net} --switch pifo --rank 'size +'", "--rank"),
    ("net run {net} --threads 0", "--threads: \"0\""),
    ("net run {net} --threads 65", "--threads: \"65\""),
    ("net run {net} --seed x", "--seed: \"x\""),
    ("net run {net} --give-up x", "--give-up: \"x\""),
    ("net run {net} --warm-up x", "--warm-up: \"x\""),
    ("net run {net} --max-timeouts 0", "--max-timeouts: \"0\""),
    ("net run {net} --fail x", "--fail"),
    ("net run {net} --fail 99@1ms", "--fail"),
    ("net run {net} --size-classes 1,2", "--size-classes: \"1\""),
    ("net run {net} --classes 1KB,2KB", "give --size-classes 1KB,2KB"),
    ("net run {net} --switch dt --set alpha", "--set alpha: write it as key=value"),
    ("net run {net} --switch dt --set alpha=x", "--set alpha=x"),
    ("net run {net} --switch dt --set alpah=2", "did you mean `alpha`?"),
    ("net run {net} --switch dt --set pool='1 MB' --buffer 1MB", "--set pool=1 MB: it is given as"),
    ("net run {net} --switch dt --set largest_packet='9 KB'", "--set largest_packet=9 KB: it is"),
    ("net run {net} --switch themis --set hbm.rows=0", "--set hbm.rows=0"),
    ("net run {net} --top x", "--top: \"x\""),
    ("net run {net} --progress x", "--progress: \"x\""),
    ("net run {net} --out {flows}", "--out"),
    ("net flows --hosts x", "--hosts: \"x\""),
    ("net flows --hosts 0 --load 0.5 --rate 1G --span 1ms", "--hosts"),
    ("net flows --hosts 4 --load x", "--load: \"x\""),
    ("net flows --hosts 4 --load 0 --rate 1G --span 1ms", "--load"),
    ("net flows --hosts 4 --load 0.5 --rate 1 --span 1ms", "--rate: \"1\""),
    ("net flows --hosts 4 --load 0.5 --span 1ms", "--rate"),
    ("net flows --hosts 4 --load 0.5 --rate 1G --span x", "--span: \"x\""),
    ("net flows --hosts 4 --load 0.5 --rate 1G --span 1ms --sizes nope", "--sizes"),
    ("net flows --hosts 4 --load 0.5 --rate 1G --span 1ms --sizes {pcap}", "it is not text"),
    ("net flows --hosts 4 --pattern nope", "--pattern"),
    ("net flows --hosts 4 --pattern incast --degree x", "--degree: \"x\""),
    ("net flows --hosts 4 --pattern incast --per-second x", "--per-second: \"x\""),
    ("net flows --hosts 4 --pattern incast --query x", "--query: \"x\""),
    ("net flows --hosts 4 --pattern permutation --bytes x", "--bytes: \"x\""),
    ("net flows --hosts 4 --seed x", "--seed: \"x\""),
    // Captures.
    ("replay {pcap}", "--rate"),
    ("replay absent.pcap --rate 1G", "absent.pcap"),
    ("replay /dev/null --rate 1G", "/dev/null"),
    ("replay {pcap} --rate 0", "--rate: \"0\""),
    ("replay {pcap} --rate 1G,x", "--rate: \"x\""),
    ("replay {pcap} --rate 0G", "--rate"),
    ("replay {pcap} --rate 1G,2G --ports 3", "--rate"),
    ("replay {pcap} --rate 1G --ports 0", "--ports: \"0\""),
    ("replay {pcap} --rate 1G --ports 65536", "--ports: \"65536\""),
    ("replay {pcap} --rate 1G --route x", "--route"),
    ("replay {pcap} --rate 1G --route 10.0.0.0/8=9", "--route"),
    ("replay {pcap} --rate 1G --speed x", "--speed: \"x\""),
    ("replay {pcap} --rate 1G --speed 0", "--speed"),
    ("replay {pcap} --rate 1G --load 0", "--load"),
    ("replay {pcap} --rate 1G --load 1e308", "--load: a load of 1e308 is no fraction of what"),
    ("replay {pcap} --rate 1G --load 90", "--load: a load of 90 is no fraction of what the ports"),
    ("replay {pcap} --rate 1G --speed 1e13", "--speed: time cannot be scaled by 1e13"),
    ("replay {pcap} --rate 1G --load NaN", "--load: \"NaN\""),
    ("replay {pcap} --rate 1G --load 0.5 --speed 2", "--speed"),
    ("replay {pcap} --rate 1G --switch nope", "--switch"),
    ("replay {pcap} --rate 1G --switch pifo --rank nope", "--rank"),
    ("replay {pcap} --rate 1G --switch dt --class 'x +'", "--class"),
    ("replay {pcap} --rate 1G --switch dt --classes 0", "--classes: \"0\""),
    ("replay {pcap} --rate 1G --switch dt --set classes=2 --classes 2", "--set classes=2: it is"),
    ("replay {pcap} --rate 1G --switch dt --set alpha=0", "--set alpha=0"),
    ("replay {pcap} --rate 1G --buffer 10B", "--buffer"),
    ("replay {pcap} --rate 1G --switch dt --buffer 10B", "--buffer"),
    ("replay {pcap} --rate 1G --mark x", "--mark: \"x\""),
    ("replay {pcap} --rate 1G --switch tree --tree absent", "--tree: cannot read absent"),
    ("replay {pcap} --rate 1G --max-packets 0", "--max-packets: \"0\""),
    ("replay {pcap} --rate 1G --out {pcap}", "--out"),
    ("replay {pcap} --rate 1G --trace-window x --trace t", "--trace-window"),
    ("cache simulate {second} --objects 3 --z 5", "4,000,000,000 units below a second, where less"),
    ("cache bound {second} --objects 3 --z 5", "keep its first record (editcap -r)"),
    // Processors under attack.
    ("surge df --set traffic.file={jobs}", "give at most 3,600,000,000,000"),
    ("surge df --policies nope", "--policies"),
    ("surge df --policies fcfs,", "--policies"),
    ("surge df --rates 0", "--rates: \"0\""),
    ("surge df --rates x", "--rates: \"x\""),
    ("surge df --rates '1 B'", "--rates: \"1 B\""),
    ("surge df --set nope=1", "`nope`"),
    ("surge df --set traffic.rate=x", "--set traffic.rate=x"),
    ("surge df --seed 0", "--seed: \"0\""),
    ("surge attack --policy nope", "--policy"),
    ("surge attack --set attack.rate=x", "--set attack.rate=x"),
    ("surge attack --random 0", "--random: \"0\""),
    ("surge attack --rounds x", "--rounds: \"x\""),
    ("surge attack --population x", "--population: \"x\""),
    ("surge attack --least-estimate x", "--least-estimate: \"x\""),
    ("surge attack --most-estimate x", "--most-estimate: \"x\""),
    ("surge measure nope {pcap}", "nope"),
    ("surge measure reassemble absent", "absent"),
    ("surge measure reassemble {pcap} --window x", "--window: \"x\""),
    ("surge measure reassemble {pcap} --window '2 MiB'", "--window: \"2 MiB\""),
    ("surge measure reassemble {pcap} --store nope", "--store"),
    ("surge measure match {pcap} --rules absent", "absent"),
    ("surge measure match {pcap} --backtracks 0", "--backtracks: \"0\""),
    ("surge reassemble {pcap} --overlap x", "--overlap"),
    ("surge reassemble {pcap} --policies nope", "--policies"),
    ("surge reassemble {pcap} --load x", "--load: \"x\""),
    ("surge reassemble {pcap} --attack 0", "--attack"),
    ("surge reassemble {pcap} --segments 0", "--segments: \"0\""),
    ("surge reassemble {pcap} --span 0s", "--span"),
    ("surge reassemble {pcap} --warm-up x", "--warm-up: \"x\""),
    ("surge reassemble {pcap} --capacity x", "--capacity: \"x\""),
    ("surge reassemble {pcap} --capacity 0", "capacity"),
    ("surge reassemble {pcap} --drop nope", "--drop"),
    ("surge match {pcap} --half-life x", "--half-life: \"x\""),
    ("surge live absent", "absent"),
    ("surge live {requests}", ".csv is not a capture"),
    ("surge live /dev/zero", "/dev/zero is not a capture"),
    ("surge live {pcap} --policy nope", "--policy"),
    ("surge live {pcap} --every x", "--every: \"x\""),
    // The proxy.
    ("proxy", "give a file, forebay proxy <CONFIG>, or --origin <URL>"),
    ("proxy --origin http://127.0.0.1:9 --admin 127.0.0.1:8080 --check", "--admin: 127.0.0.1:8080"),
    ("proxy absent.toml", "absent.toml"),
    ("proxy /dev/zero", "/dev/zero"),
    ("proxy {exp}", "there is no key `title`"),
    ("proxy {exp} --origin http://127.0.0.1:9", "--origin"),
    ("proxy --origin ftp://a", "--origin ftp://a"),
    ("proxy --origin http://127.0.0.1:9/path", "--origin http://127.0.0.1:9/path"),
    ("proxy --origin http://127.0.0.1:9 --listen x", "--listen: \"x\""),
    ("proxy --origin http://127.0.0.1:9 --admin 0.0.0.0:1 --check", "--admin"),
    ("proxy --origin http://127.0.0.1:9 --size x --check", "--size"),
    ("proxy --origin http://127.0.0.1:9 --size '0 B' --check", "--size"),
    ("proxy --origin http://127.0.0.1:9 --policy lru-nad --check", "`lru-nad`"),
    ("proxy --origin http://127.0.0.1:9 --policy belady --check", "belady"),
    ("proxy origin --delay x", "--delay"),
    ("proxy origin --listen x", "--listen: \"x\""),
];

/// As [`LINES`], of the command that there is on Linux alone. None gets as far as to need
/// privileges.
#[cfg(target_os = "linux")]
const LINK: &[(&str, &str)] = &[
    ("link", "<COMMAND>"),
    ("link 20X,25ms -- true", "20X,25ms"),
    ("link 20M,25 -- true", "20M,25"),
    ("link 0M,25ms -- true", "0M,25ms"),
    ("link 20M,25ms --up rate=0 -- true", "--up"),
    ("link 20M,25ms --down rate=x -- true", "--down"),
    ("link 20M,25ms --up nope=0 -- true", "--up"),
    ("link 20M,25ms --set rate=abc -- true", "--set"),
    ("link 20M,25ms --set loss=2 -- true", "--set"),
    ("link 20M,25ms --set mtu=1 -- true", "--set"),
    ("link 20M,25ms --set nope -- true", "--set nope"),
    ("link 20M,25ms --set memory='1 B' -- true", "--set memory=1 B: no full frame fits"),
    ("link 20M,25ms --set trace={pcap} -- true", "made-web.pcap: it cannot be read: it is not"),
    ("link 20M,25ms --buffer 10B -- true", "--buffer"),
    ("link 20M,25ms --buffer 10B --switch dt -- true", "--buffer"),
    ("link 20M,25ms --buffer x -- true", "--buffer: \"x\""),
    ("link 20M,25ms --mark x -- true", "--mark: \"x\""),
    ("link 20M,25ms --switch nope -- true", "--switch"),
    ("link 20M,25ms --switch tree --tree absent -- true", "--tree: cannot read absent"),
    ("link 20M,25ms --switch pifo --rank nope -- true", "--rank"),
    ("link 20M,25ms --switch dt --classes 0 -- true", "--classes: \"0\""),
    ("link 20M,25ms --tolerance abc -- true", "--tolerance: \"abc\""),
];

/// Words that no message has: what a compiler or a debugger shows, and what another library says of
/// a number.
const INSIDES: [&str; 8] =
    ["Some(", "None", "Err(", "{ ", "invalid digit", "panicked", "::", "not in 1.."];

/// A network whose background has a congestion control, and so a class, of its own.
const TWO_CONTROLS: &str = "title = \"t\"\nscenario = \"network\"\npolicies = [\"drop-tail\"]\n\
    [transport]\nbackground_control = \"cubic\"\n[workload]\nbackground_class = 1\n";

/// Rows of the HBM in which no packet fits, whatever its size.
const NARROW_ROWS: &str = "title = \"t\"\nscenario = \"single-point\"\npolicies = [\"themis\"]\n\
    [hbm]\nrow_bytes = \"1 B\"\naccess_bytes = \"1 B\"\n";

/// A job of three years.
const LONG_JOB: &str = "class,flow,bytes,estimate_ns,work_ns\ninnocent,0,64,9,99999999999999999\n";

/// A capture whose second packet comes 4·10⁹ us after a full second.
fn over_a_second() -> Vec<u8> {
    let capture = concat!(env!("CARGO_MANIFEST_DIR"), "/../surge-processors/data/made-web.pcap");
    let mut file = std::fs::read(capture).unwrap();
    let second = 24 + 16 + u32::from_le_bytes(file[32..36].try_into().unwrap()) as usize;
    file[second + 4..second + 8].copy_from_slice(&4_000_000_000_u32.to_le_bytes());
    file
}

/// The words of a line, with these files in it.
fn words(line: &str, files: &[(&str, String)]) -> Vec<String> {
    let mut line = line.to_owned();
    for (name, path) in files {
        line = line.replace(name, path);
    }
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for letter in line.chars() {
        match letter {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            _ => words.last_mut().unwrap().push(letter),
        }
    }
    words
}

/// The longest run of digits.
fn longest_number(text: &str) -> usize {
    text.split(|letter: char| !letter.is_ascii_digit()).map(str::len).max().unwrap_or(0)
}

/// What is wrong with how a line is refused.
fn fault(line: &str, named: &str, files: &[(&str, String)]) -> Option<String> {
    let arguments = words(line, files);
    let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = command.args(&arguments).current_dir(root).stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("error: ")).collect();
    let fault = if output.status.code() != Some(2) {
        format!("exit code {:?}", output.status.code())
    } else if !output.stdout.is_empty() {
        "it prints results".to_owned()
    } else if errors.is_empty() || errors.len() > 1 && !line.starts_with("buffer explain") {
        format!("{} errors", errors.len())
    } else if !said.contains(named) {
        format!("it does not name {named}")
    } else if let Some(word) =
        INSIDES.iter().find(|word| errors.iter().any(|error| error.contains(*word)))
    {
        format!("it says `{word}`")
    } else if longest_number(&said) >= 10 && longest_number(line) < 10 {
        "it has a number without separators".to_owned()
    } else {
        return None;
    };
    Some(format!("{line}\n  {fault}:\n{said}"))
}

/// The faults of all lines.
fn faults(lines: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let flows = folder.path().join("flows.txt");
    std::fs::write(&flows, "0 1 10000 0\n").unwrap();
    let requests = folder.path().join("requests.csv");
    std::fs::write(&requests, "time,object,size\n1,2,300\n2,3,400\n").unwrap();
    let steps = folder.path().join("steps.txt");
    std::fs::write(&steps, "2\n3\n\n2\n").unwrap();
    let long = folder.path().join("long.txt");
    std::fs::write(&long, "0 1 9999999999999999 0\n").unwrap();
    let flows = flows.display().to_string();
    let jobs = folder.path().join("jobs.csv");
    std::fs::write(&jobs, LONG_JOB).unwrap();
    let second = folder.path().join("second.pcap");
    std::fs::write(&second, over_a_second()).unwrap();
    let two = folder.path().join("two.toml");
    std::fs::write(&two, TWO_CONTROLS).unwrap();
    let narrow = folder.path().join("narrow.toml");
    std::fs::write(&narrow, NARROW_ROWS).unwrap();
    let files = [
        ("{requests}", requests.display().to_string()),
        ("{steps}", steps.display().to_string()),
        ("{jobs}", jobs.display().to_string()),
        ("{second}", second.display().to_string()),
        ("{long}", long.display().to_string()),
        ("{narrow}", narrow.display().to_string()),
        ("{link}", "experiments/gearbox/dtd.toml".to_owned()),
        ("{chip}", "experiments/occamy/fig03-dynamic-behaviour.toml".to_owned()),
        ("{departures}", "experiments/themis/fig09-departures.toml".to_owned()),
        ("{network}", "experiments/gearbox/fig08-throughput.toml".to_owned()),
        ("{two}", two.display().to_string()),
        ("{exp}", "experiments/themis/fig10-single-point.toml".to_owned()),
        ("{db}", "crates/sonic/tests/data/leaf.json".to_owned()),
        ("{pcap}", "crates/surge-processors/data/made-web.pcap".to_owned()),
        ("{net}", format!("--topology star:4,10G,1us --flows {flows}")),
        ("{flows}", flows),
    ];
    lines.iter().filter_map(|(line, named)| fault(line, named, &files)).collect()
}

#[test]
fn every_error_names_what_was_given() {
    let faults = faults(LINES);
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), LINES.len(), faults.join("\n"));
}

#[cfg(target_os = "linux")]
#[test]
fn every_error_of_a_link_names_what_was_given() {
    let faults = faults(LINK);
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), LINK.len(), faults.join("\n"));
}
