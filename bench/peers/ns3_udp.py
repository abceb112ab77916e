"""ns-3's part of the engine race: 32 UDP senders into one drop-tail port.

Prints one line of JSON: {"packets": sent by the senders, "received": at the sink, "wall_s": seconds of
the event loop alone}. Needs the `ns` package (pip install ns3). Usage: ns3_udp.py [MILLISECONDS]
"""

import json
import sys
import time

from ns import ns

SENDERS = 32
SENDER_RATE = "5Gbps"
PORT_RATE = "100Gbps"
PORT_QUEUE = "5MB"
# 1500 bytes on the wire of an IP network: 20 of IP and 8 of UDP header.
PAYLOAD = 1472
# One packet every 12,000 bits of 5 Gb/s.
GAP_PS = 2_400_000


def link(rate, queue):
    """A point-to-point link without delay whose devices queue `queue` in a drop-tail queue."""
    helper = ns.PointToPointHelper()
    helper.SetDeviceAttribute("DataRate", ns.StringValue(rate))
    helper.SetChannelAttribute("Delay", ns.StringValue("0ns"))
    helper.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", ns.QueueSizeValue(ns.QueueSize(queue)))
    return helper


def connect(helper, first, second, network):
    """Links two nodes in a subnet of their own, without queue disciplines above the devices."""
    devices = helper.Install(first, second)
    addresses = ns.Ipv4AddressHelper(ns.Ipv4Address(network), ns.Ipv4Mask("255.255.255.0"))
    interfaces = addresses.Assign(devices)
    ns.TrafficControlHelper().Uninstall(devices)
    return interfaces


def run(milliseconds):
    """Builds the network and runs it for `milliseconds` of simulated time."""
    end = ns.MilliSeconds(milliseconds)
    nodes = ns.NodeContainer()
    nodes.Create(SENDERS + 2)
    switch, sink = nodes.Get(SENDERS), nodes.Get(SENDERS + 1)
    ns.InternetStackHelper().Install(nodes)
    port = connect(link(PORT_RATE, PORT_QUEUE), switch, sink, "10.2.0.0")
    for sender in range(SENDERS):
        connect(link(SENDER_RATE, "100p"), nodes.Get(sender), switch, f"10.1.{sender}.0")
    ns.Ipv4GlobalRoutingHelper.PopulateRoutingTables()

    servers = ns.UdpServerHelper(9).Install(sink)
    clients = []
    for sender in range(SENDERS):
        helper = ns.UdpClientHelper(ns.InetSocketAddress(port.GetAddress(1), 9).ConvertTo())
        helper.SetAttribute("MaxPackets", ns.UintegerValue(1 << 31))
        helper.SetAttribute("Interval", ns.TimeValue(ns.PicoSeconds(GAP_PS)))
        helper.SetAttribute("PacketSize", ns.UintegerValue(PAYLOAD))
        installed = helper.Install(nodes.Get(sender))
        # Senders begin one after the other, so that the aggregate is evenly spaced.
        installed.Start(ns.PicoSeconds(sender * GAP_PS // SENDERS))
        clients.append(installed.Get(0))

    ns.Simulator.Stop(end)
    begin = time.perf_counter()
    ns.Simulator.Run()
    wall = time.perf_counter() - begin
    result = {
        "packets": sum(client.GetTotalTx() for client in clients) // PAYLOAD,
        "received": servers.Get(0).GetReceived(),
        "wall_s": wall,
    }
    ns.Simulator.Destroy()
    return result


if __name__ == "__main__":
    print(json.dumps(run(int(sys.argv[1]) if len(sys.argv) > 1 else 10)))
