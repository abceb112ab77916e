#!/usr/bin/env python3
"""Races `forebay proxy` against nginx and Varnish: what clients wait, what origins are asked, what a core serves.

    bench/proxy/race.py [--forebay PATH] [--rounds N] [--only wait,burst,small,hits,restart] [--json FILE]

All run on loopback with two workers and the same bound on memory, in front of the same origin (`forebay proxy origin`),
in turn, in rounds. Requests come in an open loop (`forebay proxy load`): each has its instant, and its wait counts from
there. Packages: `apt-get install --no-install-recommends nginx-light varnish wrk`; a peer that is missing is left out.
Close everything else first: this measures time.

What is chosen: bodies of 15,600 bytes, so that a file of nginx with its header just fills 16 KiB. nginx looks at
`max_size` every ten seconds at most, so in the race for a small cache the room for its keys is the bound; it keeps its
files in memory (/dev/shm). Varnish keeps its defaults, and /dev/shm for its log.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

BODY = 15_600
FILE = 16_384
PLENTY = 1 << 30
SECTIONS = ("wait", "burst", "small", "hits", "restart")
FOLLOWED = "forebay, what-if of all objects"


def port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def get(address, path, timeout=10):
    with urllib.request.urlopen(f"http://{address}{path}", timeout=timeout) as answer:
        return answer.read().decode(), answer.headers


def wait_for(address, process, path="/ready?delay=0ms&control=no-store", seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            sys.exit(f"{process.args[0]} has ended: {process.returncode}")
        try:
            return get(address, path, 1)
        except OSError:
            time.sleep(0.002)
    sys.exit(f"{process.args[0]} does not answer at {address}")


class Server:
    """A program that listens, until the end of `with`."""

    def __init__(self, folder):
        self.folder = tempfile.mkdtemp(dir=folder)
        self.address = f"127.0.0.1:{port()}"

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(text)
        return self.path(name)

    def start(self, *command):
        with open(self.path("log"), "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        wait_for(self.address, self.process)
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def seconds(self):
        """Processor time of it and its children."""
        ticks = 0
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/stat", encoding="ascii", errors="replace") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if self.process.pid in (int(number), int(fields[1]), int(fields[2])):
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")


class Origin(Server):
    name = "the origin itself"

    def __init__(self, folder, forebay):
        super().__init__(folder)
        self.start(forebay, "proxy", "origin", "--listen", self.address, "--delay", "0 ms", "--size", f"{BODY} B")

    def fetches(self):
        """How many answers it has given, this question among them."""
        return int(get(self.address, "/count?delay=0ms&size=100")[0].split()[2])


class Forebay(Server):
    def __init__(self, folder, forebay, origin, size, objects, policy="lru-mad", name="forebay", store=None, sample=0.05,
                 address=None):
        super().__init__(folder)
        self.address = address or self.address
        self.name, self.admin = name, f"127.0.0.1:{port()}"
        store = f'folder = "{store}"' if store else ""
        self.write("proxy.toml", f"""
listen = "{self.address}"
admin = "{self.admin}"
threads = 2
[cache]
size = "{size} B"
policy = "{policy}"
leader_timeout = "60 s"
{store}
[what_if]
policies = ["lru", "lru-mad", "gdsf-mad"]
sample = {sample}
[[origin]]
url = "http://{origin.address}"
""")
        self.start(forebay, "proxy", self.path("proxy.toml"))

    def metrics(self):
        return get(self.admin, "/metrics")[0]

    def objects(self):
        return int(float(re.search(r"^forebay_cache_objects (\S+)", self.metrics(), re.M)[1]))

    def what_if(self):
        """Mean waits of the policies that it could have, in seconds."""
        found = re.findall(r'^forebay_what_if_wait_seconds_mean\{policy="([^"]+)"[^}]*\} (\S+)', self.metrics(), re.M)
        return {policy: float(wait) for policy, wait in found}

    def what_if_part(self):
        """The part of the processor time of the server that following other caches took."""
        took = float(re.search(r"^forebay_what_if_seconds_total (\S+)", self.metrics(), re.M)[1])
        return took / self.seconds()


class Nginx(Server):
    def __init__(self, folder, origin, size, objects, lock=True):
        super().__init__(folder)
        self.name = "nginx" if lock else "nginx, no lock"
        # 31 keys fill a page, and four pages are nginx's own; it takes no fewer than eight in all.
        zone = f"{max(8, round(objects / 31) + 4) * 4}k" if objects else "64m"
        wait = "proxy_cache_lock on; proxy_cache_lock_timeout 60s; proxy_cache_lock_age 60s;" if lock else ""
        self.write("nginx.conf", f"""
daemon off; pid {self.path("pid")}; error_log {self.path("error")} error;
worker_processes 2; worker_rlimit_nofile 65536; user root;
events {{ worker_connections 16384; }}
http {{
  access_log off; keepalive_requests 100000000; tcp_nodelay on; sendfile on;
  client_body_temp_path {self.path("a")}; proxy_temp_path {self.path("b")}; fastcgi_temp_path {self.path("c")};
  uwsgi_temp_path {self.path("d")}; scgi_temp_path {self.path("e")};
  proxy_cache_path {self.path("cache")} levels=1:2 keys_zone=all:{zone} max_size={size} inactive=1d use_temp_path=off;
  upstream origin {{ server {origin.address}; keepalive 2048; keepalive_requests 100000000; }}
  server {{
    listen {self.address} backlog=4096;
    location / {{
      proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_cache all; proxy_cache_key $request_uri; {wait}
    }}
  }}
}}
""")
        self.start("nginx", "-c", self.path("nginx.conf"))

    def objects(self):
        return sum(len(files) for _, _, files in os.walk(self.path("cache")))


class Varnish(Server):
    name = "varnish"

    def __init__(self, folder, origin, size, objects):
        super().__init__(folder)
        self.write("default.vcl", f"""
vcl 4.1;
backend default {{ .host = "127.0.0.1"; .port = "{origin.address.split(":")[1]}"; }}
""")
        settings = ["thread_pools=2", "thread_pool_min=100", "thread_pool_max=3000", "listen_depth=4096"]
        settings = [word for setting in settings for word in ("-p", setting)]
        self.start("varnishd", "-F", "-j", "none", "-n", self.path("work"), "-a", self.address, "-f",
                   self.path("default.vcl"), "-s", f"malloc,{size}", *settings)

    def objects(self):
        said = subprocess.run(["varnishstat", "-n", self.path("work"), "-1", "-f", "MAIN.n_object"],
                              capture_output=True, text=True, check=True).stdout
        return int(said.split()[1])


def bursts(seed, seconds, rate, objects, exponent=0.9, mean=8, within=0.05):
    """Requests as (time, object): bursts of a popular object (Zipf), `mean` requests each in about `within` seconds."""
    draw = random.Random(seed)
    ranks = list(range(1, objects + 1))
    draw.shuffle(ranks)
    weights = [rank ** -exponent for rank in ranks]
    count = int(seconds * rate / mean)
    requests = []
    for object_ in draw.choices(range(objects), weights, k=count):
        at = draw.uniform(0, seconds)
        for _ in range(1 + int(draw.expovariate(1 / (mean - 0.5)))):
            requests.append((at, object_))
            at += draw.expovariate(mean / within)
    return sorted(requests)


def least(requests, delay):
    """The mean wait of a cache that keeps all, whose every wait is for one fetch of `delay(object)` seconds."""
    ends, total = {}, 0
    for at, object_ in requests:
        end = ends.setdefault(object_, at + delay(object_))
        total += max(0, end - at)
    return total / len(requests)


def delay_of(object_):
    """In ms, by the object."""
    return (50, 100, 150, 200)[object_ % 4]


class Race:
    def __init__(self, options):
        self.options, self.forebay = options, os.path.abspath(options.forebay)
        self.folder = tempfile.mkdtemp(dir="/dev/shm", prefix="race-")
        self.results = {}
        self.peers = [name for name in ("nginx", "varnishd") if shutil.which(name)]
        for name in {"nginx", "varnishd"} - set(self.peers):
            print(f"{name} is not there, and left out")

    def servers(self, origin, size=PLENTY, objects=0, plain=True, lru=False, followed=False):
        """Makers of the servers that take part."""
        mine = lambda **more: Forebay(self.folder, self.forebay, origin, size, objects, **more)
        makers = {"forebay": mine}
        if lru:
            makers["forebay, gdsf-mad"] = lambda: mine(policy="gdsf-mad", name="forebay, gdsf-mad")
            makers["forebay, lru"] = lambda: mine(policy="lru", name="forebay, lru", sample=1)
        if followed:
            makers[FOLLOWED] = lambda: mine(name=FOLLOWED, sample=1)
        if "varnishd" in self.peers:
            makers["varnish"] = lambda: Varnish(self.folder, origin, size, objects)
        if "nginx" in self.peers:
            makers["nginx"] = lambda: Nginx(self.folder, origin, size, objects)
            if plain:
                makers["nginx, no lock"] = lambda: Nginx(self.folder, origin, size, objects, lock=False)
        return makers

    def load(self, server, requests, timeout="60 s", each=None):
        """Makes requests, as (time, target); returns what `forebay proxy load` says."""
        trace = os.path.join(self.folder, "trace.csv")
        with open(trace, "w", encoding="ascii") as file:
            file.write("time,target\n" + "".join(f"{at:.6f},{target}\n" for at, target in requests))
        command = [self.forebay, "proxy", "load", trace, "--to", server.address, "--target", "{target}", "--json",
                   "--timeout", timeout] + (["--each", each] if each else [])
        return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)

    def table(self, title, columns, rows):
        print(f"\n{title}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
        for row in rows:
            print(f"| {' | '.join(row)} |")
        sys.stdout.flush()

    def wait(self):
        """Mean and p99 of the wait in a cache that holds everything."""
        found, bounds = {}, {}
        seconds = self.options.seconds
        for millis in (50, 100, 200):
            for round_ in range(self.options.rounds):
                trace = bursts(round_, seconds, 400, 2000)
                bounds.setdefault(millis, []).append(least(trace, lambda _: millis / 1000))
                requests = [(at, f"/o/{object_}?delay={millis}ms") for at, object_ in trace]
                with Origin(self.folder, self.forebay) as origin:
                    for name, make in self.servers(origin).items():
                        with make() as server:
                            before = origin.fetches()
                            said = self.load(server, requests)
                            said["fetches"] = origin.fetches() - before - 1
                        said["objects"] = len({target for _, target in requests})
                        found.setdefault((millis, name), []).append(said)
        mean = lambda key, kind: statistics.mean(said["wait"][kind] for said in found[key]) * 1000
        rows = []
        for millis, name in found:
            all_ = found[millis, name]
            ratio = [said["wait"]["mean"] / other["wait"]["mean"]
                     for said, other in zip(all_, found.get((millis, "varnish"), all_))]
            rows.append([f"{millis} ms", name, f"{mean((millis, name), 'mean'):.1f}", f"{mean((millis, name), 'p99'):.1f}",
                         f"{statistics.mean(ratio):.3f}", str(sum(said["fetches"] for said in all_)),
                         str(sum(said["objects"] for said in all_)), f"{max(said['late']['p99'] for said in all_) * 1e3:.1f}",
                         str(sum(said["failed"] + said["wrong"] for said in all_))])
        self.table(f"Waits, cold cache that holds everything, bursts of Zipf objects at 400 requests/s for {seconds} s; "
                   f"least possible mean: {', '.join(f'{statistics.mean(bounds[key]) * 1e3:.1f}' for key in bounds)} ms",
                   ["origin", "server", "mean, ms", "p99, ms", "mean / varnish", "fetches", "objects", "late p99, ms",
                    "failed"], rows)
        self.results["wait"] = {f"{millis} {name}": all_ for (millis, name), all_ in found.items()}

    def burst(self):
        """A thousand ask for one object at once."""
        rows, results = [], {}
        for title, query in (("cacheable", "delay=300ms"), ("no-store", "delay=300ms&control=no-store"),
                             ("no-store, again", "delay=300ms&control=no-store")):
            results[title] = {}
        for round_ in range(self.options.rounds):
            with Origin(self.folder, self.forebay) as origin:
                for name, make in self.servers(origin).items():
                    with make() as server:
                        for title in results:
                            control = "&control=no-store" if "store" in title else ""
                            target = f"/{'u' if control else 'c'}?delay=300ms{control}"
                            before = origin.fetches()
                            each = os.path.join(self.folder, "each.csv")
                            said = self.load(server, [(0.1 * number / 1000, target) for number in range(1000)], each=each)
                            said["fetches"] = origin.fetches() - before - 1
                            with open(each, encoding="ascii") as file:
                                waits = [float(line.split(",")[1]) for line in file.readlines()[1:]]
                            said["serial"] = sum(wait > 0.95 for wait in waits)
                            results[title].setdefault(name, []).append(said)
        for title, servers in results.items():
            for name, all_ in servers.items():
                joined = lambda key: ", ".join(str(said[key]) for said in all_)
                ms = lambda kind: f"{statistics.mean(said['wait'][kind] for said in all_) * 1000:.0f}"
                rows.append([title, name, joined("fetches"), joined("serial"), ms("mean"), ms("max"), joined("failed")])
        self.table("1,000 requests within 0.1 s for one object, origin 300 ms (waited three times as long: serialized)",
                   ["answers", "server", "fetches", "serialized", "mean, ms", "longest, ms", "failed"], rows)
        self.results["burst"] = results

    def small(self):
        """A cache of 5 % of the objects, origins of 50 to 200 ms."""
        objects, rate, seconds, found = 2500, 2000, self.options.seconds * 4, {}
        kept = objects // 20
        what_if = []
        for round_ in range(self.options.rounds):
            trace = bursts(round_, seconds, rate, objects, mean=2)
            requests = [(at, f"/o/{object_}?delay={delay_of(object_)}ms") for at, object_ in trace]
            with Origin(self.folder, self.forebay) as origin:
                for name, make in self.servers(origin, kept * FILE, kept, lru=True).items():
                    with make() as server:
                        before = origin.fetches()
                        said = self.load(server, requests)
                        said["fetches"], said["kept"] = origin.fetches() - before - 1, server.objects()
                        if name == "forebay, lru":
                            what_if.append({**server.what_if(), "part": server.what_if_part()})
                    found.setdefault(name, []).append(said)
        rows = []
        for name, all_ in found.items():
            mean = statistics.mean(said["wait"]["mean"] for said in all_) * 1000
            less = [1 - said["wait"]["mean"] / other["wait"]["mean"]
                    for said, other in zip(found["forebay"], all_)]
            rows.append([name, f"{mean:.1f}", f"{statistics.mean(said['wait']['p99'] for said in all_) * 1000:.0f}",
                         f"{statistics.mean(less) * 100:.1f} %", str(sum(said["fetches"] for said in all_)),
                         ", ".join(str(said["kept"]) for said in all_),
                         f"{max(said['late']['p99'] for said in all_) * 1e3:.1f}",
                         str(sum(said["failed"] + said["wrong"] for said in all_))])
        said = {policy: [1 - one[policy] / one["lru"] for one in what_if] for policy in ("lru-mad", "gdsf-mad")}
        said = "; ".join(f"of {policy} {statistics.mean(less) * 100:.1f} % less ({', '.join(f'{one * 100:.1f}' for one in less)})"
                         for policy, less in said.items())
        self.table(f"Waits, cache of {kept * FILE} bytes (5 % of {objects} objects), origins of 50 to 200 ms, {rate} requests/s "
                   f"for {seconds} s. Under lru, what-if said {said}, and took "
                   f"{max(one['part'] for one in what_if) * 100:.1f} % of the processor time at most",
                   ["server", "mean, ms", "p99, ms", "forebay waits less by", "fetches", "objects kept", "late p99, ms",
                    "failed"], rows)
        self.results["small"] = {"servers": found, "what_if": what_if}

    def hits(self):
        """How many hits a second."""
        if not shutil.which("wrk"):
            return print("\nwrk is not there: no throughput")
        found, parts = {}, []
        with Origin(self.folder, self.forebay) as origin:
            for _ in range(self.options.rounds):
                for size in (1000, 100_000):
                    for name, make in self.servers(origin, plain=False, followed=True).items():
                        with make() as server:
                            target = f"/hit?size={size}"
                            get(server.address, target)
                            command = ["wrk", "-t", "2", "-c", "64", "-d", "1s", f"http://{server.address}{target}"]
                            subprocess.run(command, capture_output=True, check=True)
                            command[6] = f"{self.options.hit_seconds}s"
                            used = server.seconds()
                            said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
                            used = server.seconds() - used
                            if name == FOLLOWED:
                                parts.append(server.what_if_part())
                        if "Non-2xx" in said or "Socket errors" in said:
                            print(f"{name}: {said}")
                        count = int(re.search(r"(\d+) requests in", said)[1])
                        rate = float(re.search(r"Requests/sec:\s+(\S+)", said)[1])
                        found.setdefault((size, name), []).append({"rate": rate, "per_second": count / used})
        rows = []
        for size, name in found:
            value = lambda key, of: statistics.median(one[of] for one in found[key])
            over = lambda other, of: (f"{value((size, name), of) / value((size, other), of) * 100:.0f} %"
                                      if (size, other) in found else "-")
            rows.append([f"{size} B", name, f"{value((size, name), 'rate'):.0f}", over("varnish", "rate"),
                         over("nginx", "rate"), f"{value((size, name), 'per_second'):.0f}", over("varnish", "per_second"),
                         over("nginx", "per_second")])
        self.table("Hits of one object, 64 connections (wrk, on the same cores): a second, and per second of the server's "
                   f"processor time, of which what-if of all objects took {max(parts) * 100:.1f} % at most", ["body", "server", "hits/s", "/ varnish", "/ nginx", "hits per core second",
                                      "/ varnish", "/ nginx"], rows)
        self.results["hits"] = {f"{size} {name}": all_ for (size, name), all_ in found.items()}

    def restart(self):
        """A start with 100,000 objects on disk, after kill -9."""
        count = self.options.objects
        store = tempfile.mkdtemp(dir=self.options.disk, prefix="race-disk-")
        with Origin(self.folder, self.forebay) as origin:
            # A key has its host, and so its port.
            make = lambda: Forebay(self.folder, self.forebay, origin, 1 << 31, 0, store=store, address=address)
            address = f"127.0.0.1:{port()}"
            with make() as server:
                requests = [(number / 2000, f"/o/{number}?size=1000") for number in range(count)]
                filled = self.load(server, requests)
                end = time.monotonic() + 60
                while server.objects() < count - filled["failed"] and time.monotonic() < end:
                    time.sleep(0.2)
                kept = server.objects()
                os.kill(server.process.pid, signal.SIGKILL)
                server.process.wait()
            before, began = origin.fetches(), time.monotonic()
            with make() as server:
                ready = time.monotonic() - began
                found = server.objects()
                draw = random.Random(1)
                sample = [(number / 1000, f"/o/{draw.randrange(count)}?size=1000") for number in range(3000)]
                said = self.load(server, sample)
                fetches = origin.fetches() - before - 2
        shutil.rmtree(store, ignore_errors=True)
        self.table("A start with a cache on disk, after kill -9", ["objects", "found again", "serves after, s", "read",
                                                                  "fetched again", "wrong or failed"],
                   [[str(kept), str(found), f"{ready:.2f}", str(len(sample)), str(fetches),
                     str(said["wrong"] + said["failed"])]])
        self.results["restart"] = {"kept": kept, "found": found, "seconds": ready, "fetches": fetches, "read": said}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forebay", default="target/release/forebay")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5, help="of each race of waits")
    parser.add_argument("--hit-seconds", type=int, default=4, help="of each race of hits")
    parser.add_argument("--objects", type=int, default=100_000, help="on disk, at a restart")
    parser.add_argument("--disk", help="where the cache on disk is; the system's folder of temporary files")
    parser.add_argument("--only", default=",".join(SECTIONS))
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    race = Race(options)
    try:
        for section in options.only.split(","):
            getattr(race, section)()
    finally:
        shutil.rmtree(race.folder, ignore_errors=True)
    if options.json:
        with open(options.json, "w", encoding="ascii") as file:
            json.dump(race.results, file, indent=1)


if __name__ == "__main__":
    main()
