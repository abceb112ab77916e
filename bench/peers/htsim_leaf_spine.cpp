// The leaf-spine of `forebay-bench net` in htsim (https://github.com/Broadcom/csg-htsim): 9 leaves of
// 16 hosts, 4 spines, 50 and 200 Gb/s, 10 us links, 1 MB a port, drop-tail, NewReno, on a flow file
// of `forebay net flows`. Prints what `forebay-bench net` prints of itself: flows, packet-hops, wall
// time, packet-hops a second, peak memory.
//
// Build it beside htsim's sources, whose library is made by `make` in csg-htsim/sim:
//
//   SIM=csg-htsim/sim
//   g++ -O3 -std=c++17 -I $SIM bench/peers/htsim_leaf_spine.cpp $SIM/libhtsim.a -o htsim_leaf_spine
//   ./htsim_leaf_spine flows.txt > /dev/null
//
// Give the same bytes a packet as Forebay has (1448 and 52 of headers are one size to htsim: 1500).
// htsim's NewReno has no SACK and a shortest timeout of 250 ms (tcp.cpp), and opens with a SYN; a run
// to the last flow therefore takes more simulated time, but hardly more packets.

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "config.h"
#include "eventlist.h"
#include "network.h"
#include "pipe.h"
#include "queue.h"
#include "tcp.h"

namespace {

constexpr unsigned kLeaves = 9, kSpines = 4, kHostsPerLeaf = 16;
constexpr unsigned kHosts = kLeaves * kHostsPerLeaf;
constexpr mem_b kPortBytes = 1'000'000;
// A host's own queue never drops: windows bound it.
constexpr mem_b kHostBytes = 1'000'000'000;
constexpr int kPacketBytes = 1500;
constexpr unsigned kInitialWindow = 20;

uint64_t packet_hops = 0;
unsigned finished = 0;

// A queue that counts what it has sent.
class Port : public Queue {
public:
    Port(double gbps, mem_b bytes, EventList &events)
        : Queue(speedFromGbps(gbps), bytes, events, nullptr) {}

protected:
    void completeService() override {
        ++packet_hops;
        Queue::completeService();
    }
};

// A direction of a link: the transmitter's queue, and the wire.
struct Link {
    Port port;
    Pipe wire;
    Link(double gbps, mem_b bytes, EventList &events)
        : port(gbps, bytes, events), wire(timeFromUs(10.0), events) {}
    void join(Route &route) {
        route.push_back(&port);
        route.push_back(&wire);
    }
};

// A source that knows when it is done.
class Source : public TcpSrc {
public:
    explicit Source(EventList &events) : TcpSrc(nullptr, nullptr, events) {}
    void receivePacket(Packet &packet) override {
        TcpSrc::receivePacket(packet);
        if (!done_ && _last_acked >= _flow_size) {
            done_ = true;
            ++finished;
        }
    }

private:
    bool done_ = false;
};

struct Flow {
    unsigned src, dst;
    uint64_t bytes;
    double start_ns;
};

// The network: links by where they are.
class LeafSpine {
public:
    explicit LeafSpine(EventList &events) {
        for (unsigned host = 0; host < kHosts; ++host) {
            up_.push_back(std::make_unique<Link>(50, kHostBytes, events));
            down_.push_back(std::make_unique<Link>(50, kPortBytes, events));
        }
        for (unsigned pair = 0; pair < kLeaves * kSpines; ++pair) {
            to_spine_.push_back(std::make_unique<Link>(200, kPortBytes, events));
            to_leaf_.push_back(std::make_unique<Link>(200, kPortBytes, events));
        }
    }

    // The route of packets from one host to another, over a spine that the flow's number chooses.
    Route *route(unsigned src, unsigned dst, uint64_t flow) {
        auto *route = new Route();
        const unsigned from = src / kHostsPerLeaf, to = dst / kHostsPerLeaf;
        up_[src]->join(*route);
        if (from != to) {
            const unsigned spine = (flow * 0x9E3779B97F4A7C15ull >> 32) % kSpines;
            to_spine_[from * kSpines + spine]->join(*route);
            to_leaf_[to * kSpines + spine]->join(*route);
        }
        down_[dst]->join(*route);
        return route;
    }

private:
    std::vector<std::unique_ptr<Link>> up_, down_, to_spine_, to_leaf_;
};

std::vector<Flow> read(const char *path) {
    std::ifstream file(path);
    std::vector<Flow> flows;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream fields(line);
        Flow flow{};
        if (!(fields >> flow.src >> flow.dst >> flow.bytes >> flow.start_ns) || flow.src >= kHosts ||
            flow.dst >= kHosts) {
            std::cerr << path << ": this is no flow among " << kHosts << " hosts: " << line << "\n";
            std::exit(1);
        }
        flows.push_back(flow);
    }
    return flows;
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 2) {
        std::cerr << "htsim_leaf_spine: give the flow file\n";
        return 2;
    }
    const std::vector<Flow> flows = read(argv[1]);
    Packet::set_packet_size(kPacketBytes);
    EventList events;
    LeafSpine network(events);
    // Every 240 us, the shortest timeout that Forebay is given.
    TcpRtxTimerScanner timers(timeFromUs(240.0), events);
    std::vector<std::unique_ptr<Source>> sources;
    std::vector<std::unique_ptr<TcpSink>> sinks;
    for (const Flow &flow : flows) {
        const uint64_t number = sources.size();
        auto source = std::make_unique<Source>(events);
        auto sink = std::make_unique<TcpSink>();
        source->set_cwnd(kInitialWindow * kPacketBytes);
        source->set_flowsize(flow.bytes);
        Route *there = network.route(flow.src, flow.dst, number);
        Route *back = network.route(flow.dst, flow.src, number);
        there->push_back(sink.get());
        back->push_back(source.get());
        source->connect(*there, *back, *sink, timeFromNs(flow.start_ns));
        timers.registerTcp(*source);
        sources.push_back(std::move(source));
        sinks.push_back(std::move(sink));
    }

    const auto began = std::chrono::steady_clock::now();
    while (finished < sources.size() && EventList::doNextEvent()) {
    }
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - began;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::fprintf(stderr,
                 "htsim: %u flows, %.2f M packet-hops, %.2f s, %.2f M packet-hops/s, peak %ld KiB\n",
                 finished, packet_hops / 1e6, wall.count(), packet_hops / wall.count() / 1e6,
                 usage.ru_maxrss);
    return finished == sources.size() ? 0 : 1;
}
