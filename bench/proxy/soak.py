#!/usr/bin/env python3
"""Soaks `forebay proxy` with all that goes wrong, and checks every byte that clients get.

    bench/proxy/soak.py [--forebay PATH] [--seconds N] [--clients N] [--kill SECONDS] [--disk FOLDER] [--in-memory]

The origin dies for two seconds out of thirty, is slow, cuts bodies short, says more or fewer bytes than it sends,
sends what looks like another answer behind a body, breaks chunks, and changes its objects while they are fetched.
Clients vanish before or within an answer, read slowly, ask for ranges, ask again with the ETag they know, and change
objects (POST). The cache is on disk and too small for all objects; every `--kill` seconds the proxy is killed (-9) and
started again. Every body says of which object and version it is, and so does its ETag: an answer that ends as its frame
says must be whole, of one version, and that of its ETag. In the end memory must be within its bound.
"""

import argparse
import asyncio
import collections
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

OBJECTS = 1500
FAULTS = ("cut", "long", "short", "split", "chunk-cut", "slow", "stall", "reset", "error")
POISON = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nETag: \"0-0\"\r\nCache-Control: max-age=60\r\n\r\npoison"


def body(number, version):
    """A body of which every part of 16 bytes says where it is from."""
    size = 200 + (number * 7919 + version * 104_729) % 60_000 if number % 10 else 400_000 + version % 1000
    part = b"%06d.%08d\n" % (number, version)
    return (part * (size // len(part) + 1))[:size]


class Origin:
    """The origin, with its faults."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.versions = collections.Counter()
        self.faults = collections.Counter()
        self.answers = 0
        self.writers = set()
        self.server = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    async def start(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", self.port, backlog=1024)

    async def live_and_die(self):
        while True:
            await self.start()
            await asyncio.sleep(28)
            self.server.close()
            for writer in list(self.writers):
                writer.transport.abort()
            self.faults["dead"] += 1
            await asyncio.sleep(2)

    async def serve(self, reader, writer):
        self.writers.add(writer)
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
                if length:
                    await reader.readexactly(int(length[1]))
                if not await self.answer(head, writer):
                    break
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
            pass
        finally:
            self.writers.discard(writer)
            writer.close()

    async def answer(self, head, writer):
        """Answers a request; whether the connection goes on."""
        draw = self.draw
        self.answers += 1
        method, path = head.split(b" ", 2)[:2]
        number = int(path[1:])
        if method == b"POST" or draw.random() < 0.02:
            self.versions[number] += 1
        version = self.versions[number]
        tag = b'"%d-%d"' % (number, version)
        fault = draw.choice(FAULTS) if draw.random() < 0.15 else None
        self.faults[fault or "none"] += 1
        await asyncio.sleep(draw.uniform(0.5, 3) if fault == "slow" else draw.uniform(0.005, 0.15))
        ages = draw.choice([b"max-age=3", b"max-age=30", b"max-age=600", b"max-age=2, stale-while-revalidate=20",
                            b"max-age=2, stale-if-error=60", b"no-store"])
        fields = b"ETag: %s\r\nCache-Control: %s\r\n" % (tag, ages)
        if fault == "error":
            writer.write(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 3\r\n\r\nno\n")
            return True
        if fault == "reset":
            writer.transport.abort()
            return False
        known = re.search(rb"(?i)\r\nif-none-match: *([^\r]+)", head)
        if method != b"POST" and known and tag in known[1]:
            writer.write(b"HTTP/1.1 304 Not Modified\r\n" + fields + b"\r\n")
            return True
        data = body(number, version)
        if method == b"HEAD":
            writer.write(b"HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n" % (fields, len(data)))
            return True
        half = draw.randrange(len(data))
        if fault == "chunk-cut" or fault is None and draw.random() < 0.3:
            writer.write(b"HTTP/1.1 200 OK\r\n%sTransfer-Encoding: chunked\r\n\r\n" % fields)
            writer.write(b"%x\r\n%s\r\n" % (half, data[:half]) if half else b"")
            await writer.drain()
            if fault:
                return False
            writer.write(b"%x\r\n%s\r\n0\r\n\r\n" % (len(data) - half, data[half:]))
            return True
        # Whoever says fewer bytes than he sends has sent that many, and then something else.
        said = len(data) + (draw.randrange(1, 5000) if fault == "long" else 0)
        writer.write(b"HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n" % (fields, said))
        if fault == "stall":
            writer.write(data[:half])
            await writer.drain()
            await asyncio.sleep(draw.uniform(0.5, 4))
            writer.write(data[half:])
            return True
        if fault == "cut":
            writer.write(data[:half])
            await writer.drain()
            return False
        writer.write(data)
        if fault == "short":
            writer.write(data[:1000])
        if fault == "split":
            writer.write(POISON)
        return fault not in ("long", "short")


class Clients:
    """Clients, good and bad."""

    def __init__(self, address, seed):
        self.address, self.draw = address, random.Random(seed)
        self.count, self.wrong, self.tags = collections.Counter(), [], {}
        self.hits = 0
        self.slowest = 0
        self.weights = [1 / (rank + 1) ** 0.8 for rank in range(OBJECTS)]
        self.end = False

    async def live(self, rate):
        while not self.end:
            await asyncio.sleep(self.draw.expovariate(rate))
            number = self.draw.choices(range(OBJECTS), self.weights)[0]
            began = time.monotonic()
            try:
                what = await asyncio.wait_for(self.ask(number), 90)
            except (OSError, asyncio.IncompleteReadError):
                what = "cut off"
            except asyncio.TimeoutError:
                what = "never answered"
                self.wrong.append(f"{number}: no answer in 90 s")
            self.count[what] += 1
            self.slowest = max(self.slowest, time.monotonic() - began)

    async def ask(self, number):
        draw = self.draw
        kind = draw.choices(["plain", "vanish", "slow", "range", "known", "post", "head"], [70, 8, 4, 8, 6, 2, 2])[0]
        reader, writer = await asyncio.open_connection(*self.address, limit=1 << 20)
        try:
            method = {"post": "POST", "head": "HEAD"}.get(kind, "GET")
            more = ""
            if kind == "range":
                first = draw.randrange(200)
                more = f"Range: bytes={first}-{first + draw.randrange(1, 3000)}\r\n"
            if kind == "known" and number in self.tags:
                more = f"If-None-Match: {self.tags[number]}\r\n"
            if kind == "post":
                more = "Content-Length: 5\r\n"
            # Without, what is cached in memory is answered the short way.
            last = "Connection: close\r\n" if draw.random() < 0.5 else ""
            writer.write(f"{method} /{number} HTTP/1.1\r\nHost: soak\r\n{last}{more}\r\n"
                         f"{'hello' if kind == 'post' else ''}".encode())
            await writer.drain()
            if kind == "vanish" and draw.random() < 0.5:
                await asyncio.sleep(draw.uniform(0, 0.1))
                return "vanished"
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            status = int(head.split(" ", 2)[1])
            field = lambda name: (re.search(rf"(?i)\r\n{name}: *([^\r]*)", head) or [None, None])[1]
            self.hits += "; hit" in (field("cache-status") or "")
            data = b"" if method == "HEAD" or status == 304 else await self.read(reader, field, kind)
            if data is None:
                return "vanished"
            if status not in (200, 206, 304, 502, 503, 504):
                self.wrong.append(f"{number}: status {status}")
            if status in (200, 206):
                self.check(number, status, data, field, method)
            return str(status)
        finally:
            writer.transport.abort()

    async def read(self, reader, field, kind):
        """The body; None if the client does not want the rest."""
        chunked = "chunked" in (field("transfer-encoding") or "")
        length = field("content-length")
        data = bytearray()

        async def take(count):
            left = count
            while left:
                part = await reader.read(min(left, 2000 if kind == "slow" else 1 << 16))
                if not part:
                    raise asyncio.IncompleteReadError(bytes(data), count)
                data.extend(part)
                left -= len(part)
                if kind == "slow":
                    await asyncio.sleep(0.03)

        if kind == "vanish":
            await reader.read(self.draw.randrange(1, 10_000))
            return None
        if chunked:
            while True:
                size = int((await reader.readuntil(b"\r\n")).split(b";")[0], 16)
                await take(size)
                if await reader.readexactly(2) != b"\r\n":
                    raise OSError("a chunk of another length")
                if not size:
                    return bytes(data)
        if length is None:
            raise OSError("no frame")
        await take(int(length))
        return bytes(data)

    def check(self, number, status, data, field, method):
        tag = field("etag") or ""
        found = re.fullmatch(r'(?:W/)?"(\d+)-(\d+)"', tag)
        if not found or int(found[1]) != number:
            self.wrong.append(f"{number}: etag {tag}")
            return
        self.tags[number] = tag
        whole = body(number, int(found[2]))
        if method == "HEAD":
            return
        if status == 206:
            said = re.match(r"bytes (\d+)-(\d+)/", field("content-range") or "bytes 0-0/")
            first, last = map(int, said.groups())
            whole = whole[first:last + 1]
        if data != whole:
            same = next((at for at, (a, b) in enumerate(zip(data, whole)) if a != b), min(len(data), len(whole)))
            self.wrong.append(f"{number} {tag} {status}: {len(data)} bytes for {len(whole)}, differing from {same} on: "
                              f"{data[same:same + 40]!r}; {field('cache-status')}")


class Proxy:
    def __init__(self, options, folder, origin):
        ports = []
        for _ in range(2):
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                ports.append(free.getsockname()[1])
        self.address, self.admin = ("127.0.0.1", ports[0]), ports[1]
        self.log = os.path.join(folder, "log")
        self.config = os.path.join(folder, "proxy.toml")
        store = "" if options.in_memory else f'folder = "{folder}/cache"'
        with open(self.config, "w", encoding="ascii") as file:
            file.write(f"""
listen = "127.0.0.1:{ports[0]}"
admin = "127.0.0.1:{ports[1]}"
access_log = "{folder}/requests.csv"
[cache]
size = "12 MB"
{store}
leader_timeout = "2 s"
[limits]
arriving = "64 MB"
client_timeout = "20 s"
[[origin]]
url = "http://127.0.0.1:{origin.port}"
timeout = "5 s"
connect_timeout = "1 s"
""")
        self.forebay, self.most, self.early, self.late, self.starts = options.forebay, 0, 0, 0, []
        self.start()

    def start(self):
        began = time.monotonic()
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([self.forebay, "proxy", self.config], stdout=log, stderr=log)
        while time.monotonic() < began + 20:
            try:
                socket.create_connection(self.address, 1).close()
                self.starts.append(time.monotonic() - began)
                return
            except OSError:
                time.sleep(0.01)
        sys.exit("the proxy does not start")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.start()

    def memory(self):
        """Resident, in MB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            now = int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) / 1024
        self.most = max(self.most, now)
        return now


async def soak(options):
    folder = tempfile.mkdtemp(dir=options.disk, prefix="soak-")
    origin = Origin(options.seed)
    life = asyncio.create_task(origin.live_and_die())
    await asyncio.sleep(0.2)
    proxy = Proxy(options, folder, origin)
    clients = Clients(proxy.address, options.seed)
    each = options.rate / options.clients
    tasks = [asyncio.create_task(clients.live(each)) for _ in range(options.clients)]
    began, killed, kills, said = time.monotonic(), time.monotonic(), 0, 0
    try:
        while time.monotonic() < began + options.seconds and not clients.wrong:
            await asyncio.sleep(1)
            if proxy.process.poll() is not None:
                clients.wrong.append(f"the proxy has ended: {proxy.process.returncode}")
                break
            now = proxy.memory()
            passed = time.monotonic() - began
            if passed > said + 60:
                said = passed
                print(f"{passed:.0f} s: {sum(clients.count.values())} requests, {now:.0f} MB, {len(clients.wrong)} wrong",
                      flush=True)
            if options.kill and time.monotonic() > killed + options.kill:
                killed, kills = time.monotonic(), kills + 1
                proxy.kill()
    finally:
        seconds = time.monotonic() - began
        clients.end = True
        await asyncio.wait(tasks, timeout=100)
        life.cancel()
        proxy.process.terminate()
        try:
            proxy.process.wait(40)
        except subprocess.TimeoutExpired:
            clients.wrong.append("the proxy does not stop")
            proxy.process.kill()
        with open(proxy.log, encoding="utf-8", errors="replace") as file:
            panics = [line for line in file if "panicked" in line]
        shutil.rmtree(folder)
    if proxy.most > options.memory:
        clients.wrong.append(f"memory grew to {proxy.most:.0f} MB, more than {options.memory}")
    clients.wrong += panics
    count = ", ".join(f"{what} {number}" for what, number in clients.count.most_common())
    faults = ", ".join(f"{what} {number}" for what, number in origin.faults.most_common())
    print(f"{seconds:.0f} s, {sum(clients.count.values())} requests ({count}), {clients.hits} of them hits; "
          f"{origin.answers} asked of the origin ({faults}); {kills} times killed, up again after "
          f"{max(proxy.starts):.2f} s at most; memory at most {proxy.most:.0f} MB; longest answer {clients.slowest:.0f} s; "
          f"{len(clients.wrong)} wrong")
    for wrong in clients.wrong[:20]:
        print(f"wrong: {wrong}")
    return 1 if clients.wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forebay", default="target/release/forebay")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--rate", type=float, default=150, help="requests a second, of all clients")
    parser.add_argument("--clients", type=int, default=60)
    parser.add_argument("--kill", type=float, default=97, help="seconds between two kills of the proxy; 0: none")
    parser.add_argument("--memory", type=float, default=150, help="MB that the proxy may take")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--in-memory", action="store_true", help="a cache in memory")
    parser.add_argument("--disk", help="where the cache is; the system's folder of temporary files")
    sys.exit(asyncio.run(soak(parser.parse_args())))


if __name__ == "__main__":
    main()
