//! Files that parameters name.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

/// Files in a folder of their own.
pub(crate) struct Files(TempDir);

const TREE: &str = r#"
rate = "10 Gb/s"
mtu = "1500 B"
node = [
    { name = "port", scheduler = "sp" },
    { name = "even", parent = "port", priority = 1, match = [{ class = 0 }] },
    { name = "odd", parent = "port", match = [{}] },
]
"#;
const LINKS: &str = "hosts 3\nswitches 1\nlink h0 s0 10Gb/s 1us\nlink h1 s0 10Gb/s 1us\n";

impl Files {
    pub(crate) fn new() -> Self {
        let files = Files(tempfile::tempdir().unwrap());
        files.write("port.tree", TREE);
        files.write("links.txt", &format!("{LINKS}link h2 s0 10Gb/s 2us\n"));
        files.write("slow.txt", &format!("{LINKS}link h2 s0 1Gb/s 2us\n"));
        files.write("flows.txt", "0 2 50000 0\n1 2 70000 1500\n");
        files.write("more.txt", "0 2 50000 0\n1 2 90000 1500\n");
        files.write("sizes.csv", "1000,0\n9000,0.8\n30000,1\n");
        files.write("large.csv", "2000,0\n9000,0.7\n60000,1\n");
        for (name, step) in [("trace", 7), ("other", 11)] {
            files.write(&format!("{name}.csv"), &requests(step));
            files.write(&format!("{name}.columns"), &columns(step));
            files.write(&format!("{name}.steps"), &objects(step));
        }
        files.write("switch.json", &switch(100_000));
        files.write("larger.json", &switch(150_000));
        let capture = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../experiments/themis/captures/mixed-programs.pcap");
        let capture = fs::read(capture).unwrap();
        fs::write(files.0.path().join("whole.pcap"), &capture).unwrap();
        fs::write(files.0.path().join("half.pcap"), &capture[..capture.len() / 50]).unwrap();
        for (name, work) in [("recorded.csv", 4), ("longer.csv", 6)] {
            files.write(name, &recording(work));
        }
        files
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    /// Files for a parameter that names one.
    pub(crate) fn others(&self, parameter: &str) -> Vec<String> {
        let names: &[&str] = match parameter {
            "scheduler.tree" => &["port.tree"],
            "topology.file" => &["slow.txt"],
            "workload.flow_file" => &["more.txt"],
            "workload.size_file" | "workload.flow_size_file" => &["sizes.csv", "large.csv"],
            "trace.file" => &["other.csv", "other.columns", "other.steps"],
            "workload.capture" => &["half.pcap"],
            "traffic.file" => &["longer.csv"],
            "switch.config" => &["larger.json"],
            _ => &[],
        };
        names.iter().map(|name| self.path(name)).collect()
    }
}

/// A SONiC configuration of eight ports, with two queues of each kind, whose lossy egress pool has
/// so many bytes; the ingress pool has more, so that schemes have something to decide.
fn switch(pool: u64) -> String {
    let ingress = 3 * pool;
    let ports: Vec<String> = (0..8).map(|port| format!("Ethernet{port}")).collect();
    let table = |name: &str, entry: &dyn Fn(&str) -> String| {
        let entries: Vec<String> = ports.iter().map(|port| entry(port)).collect();
        format!("\"{name}\": {{{}}}", entries.join(","))
    };
    let of = |port: &str, index: u8, profile: &str| {
        format!("\"{port}|{index}\": {{\"profile\": \"{profile}\"}}")
    };
    let pools = format!(
        r#""BUFFER_POOL": {{
            "in": {{"type": "ingress", "mode": "dynamic", "size": "{ingress}", "xoff": "60000"}},
            "out": {{"type": "egress", "mode": "dynamic", "size": "{pool}"}},
            "out_lossless": {{"type": "egress", "mode": "static", "size": "200000"}}}}"#
    );
    let profiles = r#""BUFFER_PROFILE": {
        "pg": {"pool": "in", "size": "0", "xon": "2000", "xoff": "20000", "dynamic_th": "-4"},
        "pg_lossy": {"pool": "in", "size": "0", "static_th": "300000"},
        "q0": {"pool": "out", "size": "1500", "dynamic_th": "0"},
        "q1": {"pool": "out", "size": "0", "dynamic_th": "-2"},
        "q3": {"pool": "out_lossless", "size": "0", "static_th": "200000"},
        "q4": {"pool": "out_lossless", "size": "0", "static_th": "3000"}}"#;
    let speed = |port: &str| if port == "Ethernet1" { 25_000 } else { 10_000 };
    let tables = [
        pools,
        profiles.to_owned(),
        table("PORT", &|port| format!("\"{port}\": {{\"speed\": \"{}\"}}", speed(port))),
        table("BUFFER_PG", &|port| {
            [of(port, 0, "pg_lossy"), of(port, 3, "pg"), of(port, 4, "pg")].join(",")
        }),
        table("BUFFER_QUEUE", &|port| {
            [of(port, 0, "q0"), of(port, 1, "q1"), of(port, 3, "q3"), of(port, 4, "q4")].join(",")
        }),
        table("PORT_QOS_MAP", &|port| format!("\"{port}\": {{\"pfc_enable\": \"3,4\"}}")),
    ];
    format!("{{{}}}", tables.join(","))
}

/// Requests of some objects, with two times, a size and an origin each.
fn requests(step: u64) -> String {
    let mut text = String::from("object,time,later,size,origin\n");
    for n in 0..400u64 {
        let object = n * step % 37 % (5 + n % 13);
        text += &format!(
            "{object},{},{},{},{}\n",
            n * n / 9,
            n * n * n / 99,
            1 + object % 3,
            object % 2
        );
    }
    text
}

/// Requests without a header, whose columns depend on what separates them. The first is like no
/// other: a header that is repeated is refused.
fn columns(step: u64) -> String {
    let line = |n| format!("{};{},{}\n", n % 5, n * step % 37 % (3 + n % 7), n % 3);
    let first = "4;40,4\n".to_owned();
    std::iter::once(first).chain((1..400u64).map(line)).collect()
}

/// A line for each time step, some of them empty.
fn objects(step: u64) -> String {
    (0..400u64)
        .map(|n| if n % 5 == 0 { "\n".to_owned() } else { format!("{}\n", n * step % 37) })
        .collect()
}

/// Job sizes as measured: those of the attack grow by so many nanoseconds.
fn recording(work: u64) -> String {
    let mut text = String::from("class,flow,bytes,estimate_ns,work_ns\n");
    for n in 0..100 {
        text += &format!("innocent,{},{},{},{}\n", n % 9, 1000 + n, 150 + n, 100 + n);
    }
    for n in 1..=200 {
        text += &format!("attack,0,64,{},{}\n", 3 * work * n, 2 * work * n);
    }
    text
}
