"""ns-3 on a flow file: TCP NewReno between the hosts of a drop-tail star, FCT by flow size.

Usage: ns3_star.py FLOWS HOSTS RATE DELAY BUFFER [no-sack], as in `ns3_star.py flows.txt 8 10Gbps 1us 250000B`.
`star_seeds.py`, beside this, runs it and us on the same flows, seed after seed. A flow is `src dst bytes start_ns`,
as `forebay net flows` writes it. Prints one line of JSON: per size class the number of flows and the mean and 99th
percentile of the FCT in microseconds; the wall time of the event loop. Needs the `ns` package (pip install ns3).
The choices are those of `forebay net run`: segments of 1448 bytes, an initial window of 10, SACK, timestamps, no
delayed acknowledgements, timeouts of at least 5 ms. ns-3 has a handshake, so give `net run` the option --handshake.
A flow ends when its last byte is given to the application.
"""

import json
import sys
import time

import cppyy
from ns import ns

CLASSES = [10_000, 100_000, 1_000_000, 10_000_000]
FIRST_PORT = 1024


def default(name, value):
    ns.Config.SetDefault("ns3::" + name, value)


def set_defaults(sack):
    """TCP as `forebay net run` has it."""
    default("TcpSocketBase::Sack", ns.BooleanValue(sack))
    default("TcpL4Protocol::SocketType", ns.StringValue("ns3::TcpNewReno"))
    default("TcpL4Protocol::RecoveryType", ns.StringValue("ns3::TcpClassicRecovery"))
    default("TcpSocket::SegmentSize", ns.UintegerValue(1448))
    default("TcpSocket::InitialCwnd", ns.UintegerValue(10))
    default("TcpSocket::DelAckCount", ns.UintegerValue(1))
    default("TcpSocket::ConnTimeout", ns.StringValue("5ms"))
    default("TcpSocket::SndBufSize", ns.UintegerValue(1 << 27))
    default("TcpSocket::RcvBufSize", ns.UintegerValue(1 << 27))
    default("TcpSocketBase::MinRto", ns.StringValue("5ms"))
    default("TcpSocketBase::ClockGranularity", ns.StringValue("1us"))
    default("RttEstimator::InitialEstimation", ns.StringValue("1ms"))


def star(hosts, rate, delay, buffer):
    """Hosts around a router whose ports have drop-tail queues. Gives nodes and addresses."""
    nodes = ns.NodeContainer()
    nodes.Create(hosts + 1)
    ns.InternetStackHelper().Install(nodes)
    router, addresses = nodes.Get(hosts), []
    for host in range(hosts):
        helper = ns.PointToPointHelper()
        helper.SetDeviceAttribute("DataRate", ns.StringValue(rate))
        helper.SetChannelAttribute("Delay", ns.StringValue(delay))
        devices = helper.Install(nodes.Get(host), router)
        for index, size in ((0, "1000000000B"), (1, buffer)):
            queue = ns.CreateObject["DropTailQueue<Packet>"]()
            queue.SetMaxSize(ns.QueueSize(size))
            devices.Get(index).SetQueue(queue)
        network = ns.Ipv4AddressHelper(ns.Ipv4Address(f"10.1.{host}.0"), ns.Ipv4Mask("255.255.255.0"))
        interfaces = network.Assign(devices)
        ns.TrafficControlHelper().Uninstall(devices)
        addresses.append(interfaces.GetAddress(0))
    ns.Ipv4GlobalRoutingHelper.PopulateRoutingTables()
    return nodes, addresses


def define_completions():
    """Notes, in C++, when each flow's last bytes were received, and how many."""
    cppyy.cppdef("""
    namespace completions {
    struct Flow { uint64_t bytes = 0; int64_t last_ns = 0; };
    std::vector<Flow> flows;
    void Rx(size_t flow, ns3::Ptr<const ns3::Packet> packet, const ns3::Address&) {
      flows[flow].bytes += packet->GetSize();
      flows[flow].last_ns = ns3::Simulator::Now().GetNanoSeconds();
    }
    void Watch(ns3::Ptr<ns3::Application> sink, size_t flow) {
      flows.resize(std::max(flows.size(), flow + 1));
      sink->TraceConnectWithoutContext("Rx", ns3::MakeBoundCallback(&Rx, flow));
    }
    }
    """)


def add_flow(nodes, addresses, index, flow):
    src, dst, size, start_ns = flow
    port = FIRST_PORT + index
    sink = ns.PacketSinkHelper(
        "ns3::TcpSocketFactory", ns.InetSocketAddress(ns.Ipv4Address.GetAny(), port).ConvertTo()
    )
    sinks = sink.Install(nodes.Get(dst))
    sinks.Start(ns.NanoSeconds(0))
    source = ns.BulkSendHelper(
        "ns3::TcpSocketFactory", ns.InetSocketAddress(addresses[dst], port).ConvertTo()
    )
    source.SetAttribute("MaxBytes", ns.UintegerValue(size))
    source.SetAttribute("SendSize", ns.UintegerValue(1448))
    source.Install(nodes.Get(src)).Start(ns.NanoSeconds(int(start_ns)))
    cppyy.gbl.completions.Watch(sinks.Get(0), index)


def completion_times(flows):
    """Microseconds from each complete flow's start to its last byte."""
    seen = cppyy.gbl.completions.flows
    return {
        index: (seen[index].last_ns - flow[3]) / 1e3
        for index, flow in enumerate(flows)
        if seen[index].bytes == flow[2]
    }


def summary(flows, times):
    rows = []
    edges = [0, *CLASSES, 1 << 62]
    for low, high in zip(edges, edges[1:]):
        found = sorted(times[i] for i, flow in enumerate(flows) if i in times and low <= flow[2] < high)
        if found:
            p99 = found[-(-99 * len(found) // 100) - 1]
            rows.append({"from": low, "flows": len(found), "mean_us": sum(found) / len(found), "p99_us": p99})
    return rows


def main():
    path, hosts, rate, delay, buffer = sys.argv[1:6]
    with open(path) as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    flows = [(int(s), int(d), int(size), float(start)) for s, d, size, start in lines]
    set_defaults(sack=sys.argv[6:] != ["no-sack"])
    nodes, addresses = star(int(hosts), rate, delay, buffer)
    define_completions()
    for index, flow in enumerate(flows):
        add_flow(nodes, addresses, index, flow)
    ns.Simulator.Stop(ns.Seconds(5))
    begin = time.perf_counter()
    ns.Simulator.Run()
    wall = time.perf_counter() - begin
    print(json.dumps({"classes": summary(flows, completion_times(flows)), "wall_s": wall}))


if __name__ == "__main__":
    main()
