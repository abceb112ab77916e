"""What Python adds: the time of an import, of an experiment over the command's, and of batches over Rust's.

    cargo build --release && pip install ./python && python bench/python_overhead.py

Prints the best of several tries of each, beside its limit. What is compared takes turns, try by try, so that a busy
machine is as busy for both; the median of the tries' ratios says more then than the ratio of the best. Close everything
else first.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "experiments" / "self-check" / "single-server.toml"
SETTINGS = {"jobs": 100}
TRIES = 7
COUNT = 1_000_000
# In memory where there is such a folder: each run is stored durably, and a disk's time for that varies more
# than all that is measured here.
FOLDER = "/dev/shm" if Path("/dev/shm").is_dir() else None


def timed(work):
    """Seconds that it takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def best(work, tries=TRIES):
    """The shortest of several times in seconds."""
    return min(timed(work) for _ in range(tries))


def in_turns(*takes):
    """Several times in seconds of each: all take turns."""
    rounds = [[take() for take in takes] for _ in range(TRIES)]
    return list(zip(*rounds, strict=True))


def import_time():
    """A fresh interpreter's import, without its own start."""
    script = "import time; t = time.perf_counter(); import forebay; print(time.perf_counter() - t)"
    runs = [subprocess.run([sys.executable, "-c", script], capture_output=True, check=True) for _ in range(TRIES)]
    return min(float(run.stdout) for run in runs)


def experiment_times():
    """The command, and the same experiment from Python, each into a folder of its own."""
    import forebay as fb

    program = ROOT / "target" / "release" / "forebay"
    if not program.exists():
        sys.exit(f"{program} is not there; run: cargo build --release")

    def command():
        with tempfile.TemporaryDirectory(dir=FOLDER) as out:
            settings = [word for name, value in SETTINGS.items() for word in ("--set", f"{name}={value}")]
            subprocess.run(
                [program, "run", FILE, "--out", out, *settings], check=True, capture_output=True
            )

    def python():
        with tempfile.TemporaryDirectory(dir=FOLDER) as out:
            fb.Experiment.load(FILE).set(SETTINGS).run(out=out, progress=False)

    by_command, by_python = in_turns(lambda: timed(command), lambda: timed(python))
    return min(by_command), min(by_python)


def rust():
    """The example beside the queues, which does as much in Rust; each line that it is given is a try."""
    subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "forebay-pifo", "--example", "million"], cwd=ROOT, check=True)
    program = ROOT / "target" / "release" / "examples" / "million"
    return subprocess.Popen([program, str(COUNT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def batch_times():
    """A million elements through a queue, each: in Rust and by batches, try by try; and one by one, at best."""
    import numpy as np

    import forebay as fb

    ranks = np.random.default_rng(1).integers(0, 1 << 15, COUNT, dtype=np.uint64)
    queue = fb.queues.BucketQueue(1 << 15, COUNT)

    def batches():
        queue.push_many(ranks)
        queue.pop_many(COUNT)

    few = ranks[: COUNT // 100].tolist()

    def one_by_one():
        for rank in few:
            queue.push(rank, 0)
        for _ in few:
            queue.pop()

    with rust() as beside:
        def ask():
            beside.stdin.write("\n")
            beside.stdin.flush()
            return float(beside.stdout.readline())

        ask()  # each has its memory then
        batches()
        in_rust, in_batches = in_turns(ask, lambda: timed(batches))
        beside.stdin.close()
    each = [[seconds / COUNT for seconds in tries] for tries in (in_rust, in_batches)]
    return *each, best(one_by_one) / len(few)


def rule_times():
    """A packet through a scheduler whose rank is an expression, and one whose rank is a function."""
    import numpy as np

    import forebay as fb

    count = COUNT // 10
    times = np.arange(count, dtype=np.uint64) * 1_000_000
    sizes = np.full(count, 1000, dtype=np.uint64)

    def serve(rank):
        fb.Scheduler(rank=rank).serve(times, sizes, rate=10_000_000_000)

    return best(lambda: serve("size + flow"), 3) / count, best(lambda: serve(lambda p: p.size + p.flow), 3) / count


def job_times():
    """A job through a job scheduler: as stated, with its work as an expression, and as a function."""
    import numpy as np

    import forebay as fb

    count = COUNT // 10
    times = np.arange(count, dtype=np.uint64) * 1_000_000
    sizes = np.full(count, 1000, dtype=np.uint64)
    works = np.full(count, 900_000, dtype=np.uint64)

    def serve(size):
        fb.JobScheduler("wsjf", capacity=1024, size=size).serve(times, sizes, works)

    rules = [None, "size * 900", lambda j: j.size * 900]
    return [best(lambda: serve(rule), 3) / count for rule in rules]


def main():
    print(f"import: {1e3 * import_time():.0f} ms (limit 200)")
    command, python = experiment_times()
    print(f"experiment: command {1e3 * command:.0f} ms, Python {1e3 * python:.0f} ms, ", end="")
    print(f"Python adds {1e3 * (python - command):.0f} ms (limit 50)")
    in_rust, batches, single = batch_times()
    ratio, median = min(batches) / min(in_rust), statistics.median(b / r for b, r in zip(batches, in_rust, strict=True))
    print(f"push and pop: Rust {1e9 * min(in_rust):.0f} ns, batches {1e9 * min(batches):.0f} ns ({ratio:.2f} times, ", end="")
    print(f"the median of tries {median:.2f} times, limit 2), one by one {1e9 * single:.0f} ns")
    compiled, called = rule_times()
    print(f"a packet and its rank: as an expression {1e9 * compiled:.0f} ns, as a function {1e9 * called:.0f} ns")
    stated, compiled, called = job_times()
    print(f"a job: as stated {1e9 * stated:.0f} ns, its work as an expression {1e9 * compiled:.0f} ns, ", end="")
    print(f"as a function {1e9 * called:.0f} ns")


if __name__ == "__main__":
    main()
