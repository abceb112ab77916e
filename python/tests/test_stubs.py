"""The stubs name what there is, with the same parameters and defaults, and nothing else; the
package's own types hold together."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import forebay
from conftest import EXPERIMENTS
from forebay import _forebay, _parameters, queues
from test_queues import EXACT, LOGICAL

STUB = ast.parse((Path(forebay.__file__).parent / "_forebay.pyi").read_text())
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}

Kind = inspect.Parameter
#: Where the stub is right: PyO3 names its parameters only when it is called; and names for sets of
#: words, which stubtest expects to be something else when run.
KNOWN = "forebay._forebay.Expression.__call__\nforebay._types.(Advance|Below|Beyond|Tier)\n"


def parameters_in_stub(function, bound):
    """Name, kind and default of each parameter; `bound`: the first is the class or the object."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    kinds = [Kind.POSITIONAL_ONLY] * len(arguments.posonlyargs) + [Kind.POSITIONAL_OR_KEYWORD] * len(arguments.args)
    defaults = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
    found = [(each.arg, kind, default) for each, kind, default in zip(positional, kinds, defaults, strict=True)]
    found = found[1:] if bound else found
    if arguments.vararg:
        found.append((arguments.vararg.arg, Kind.VAR_POSITIONAL, None))
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found.append((each.arg, Kind.KEYWORD_ONLY, default))
    if arguments.kwarg:
        found.append((arguments.kwarg.arg, Kind.VAR_KEYWORD, None))
    return [(name, kind, Kind.empty if default is None else ast.literal_eval(default)) for name, kind, default in found]


def is_static(function):
    return any(getattr(decorator, "id", "") == "staticmethod" for decorator in function.decorator_list)


def compare(place, built, function, bound):
    """That the signature of `built` is that of the stub."""
    signature = [each for each in inspect.signature(built).parameters.values() if each.name != "self"]
    expected = parameters_in_stub(function, bound)
    assert [each.name for each in signature] == [name for name, _, _ in expected], place
    for each, (name, kind, default) in zip(signature, expected, strict=True):
        assert each.kind == kind, (place, name)
        if default is not ...:  # a default that is no literal in Rust
            assert (each.default, type(each.default)) == (default, type(default)), (place, name)


def test_classes():
    built = {name for name, value in vars(_forebay).items() if inspect.isclass(value)}
    assert built == set(CLASSES)


def test_members():
    for name, node in CLASSES.items():
        built = getattr(_forebay, name)
        functions = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
        own = {member for member in vars(built) if not member.startswith("_")}
        assert own == {member for member in functions if not member.startswith("_")}, name
        for member, function in functions.items():
            value = vars(built).get(member)
            if member == "__new__" or callable(value) and not member.startswith("__"):
                owner = built if member == "__new__" else value
                compare((name, member), owner, function, not is_static(function))


def test_functions():
    built = {name for name, value in vars(_forebay).items() if inspect.isbuiltin(value)}
    assert built == set(FUNCTIONS)
    for name, function in FUNCTIONS.items():
        compare(name, getattr(_forebay, name), function, False)


#: What is built in, before other tests add to it.
BUILT_IN = [
    ("SwitchParameters", forebay.Switch, forebay.Switch.names()),
    ("SchedulerParameters", forebay.Scheduler, forebay.Scheduler.names()),
    ("BufferParameters", forebay.Buffer, forebay.Buffer.names()),
]


def test_types_of_keyword_arguments_have_every_parameter():
    for dictionary, takes, names in BUILT_IN:
        known = set(getattr(_parameters, dictionary).__annotations__)
        for name, _ in names:
            # A parameter of the rank function comes with `rank`.
            own = {each for each in takes.parameters(name) if not each.startswith("rank.")}
            assert own - {"rank"} <= known, name
    assert set(forebay.Hbm.parameters()) <= set(_parameters.HbmParameters.__annotations__)
    assert {"mss", "alpha", "hbm"} <= set(_parameters.NetRunParameters.__annotations__)


def test_everything_is_documented():
    for name in CLASSES:
        built = getattr(_forebay, name)
        assert built.__doc__, name
        for member, value in vars(built).items():
            if not member.startswith("_"):
                assert value.__doc__, (name, member)


def test_the_package_is_documented():
    for module in (forebay, forebay.net):
        for name in module.__all__:
            value = getattr(module, name)
            if callable(value) and not name.startswith("_"):
                assert value.__doc__, name


SHOWN = [
    *(make() for make in (*EXACT.values(), *LOGICAL.values())),
    queues.Pieo(8, 8),
    queues.TieredBuckets(8),
    queues.TieredExact(),
    queues.ThemisCore(),
    queues.IndexedExact(),
    queues.Pipelined(8, 8),
    queues.LatencyFree(8, 8),
    queues.SpPifo(2, 4),
    queues.Aifo(8),
    queues.DropTailQueue(8),
    queues.HandleQueue(8).insert(1),
    *queues.ClubHeap(2, 8).levels,
    forebay.Switch("themis", ["10G"]),
    forebay.Scheduler("drr"),
    forebay.Scheduler(rank=" + ".join(["size"] * 200)),
    forebay.PortScheduler("drr", 2),
    forebay.JobScheduler(),
    forebay.Buffer("dt"),
    forebay.OccamyPipeline(),
    forebay.AdmissionPipeline("abm"),
    forebay.ThemisManager(),
    forebay.GearboxCore(),
    forebay.WsjfCore(),
    forebay.Cache("lru", 8, fetch=1),
    forebay.Hbm(),
    forebay.SramPort("1 ns"),
    forebay.Expression(" + ".join(["size"] * 200), ["size"]),
    forebay.net.permutation(hosts=4, bytes="1 KB"),
    forebay.Experiment.load(EXPERIMENTS / "self-check" / "single-server.toml"),
]


@pytest.mark.parametrize("thing", SHOWN, ids=lambda thing: type(thing).__name__)
def test_everything_shows_itself_in_a_line(thing):
    shown = repr(thing)
    assert type(thing).__name__ in shown and len(shown) < 200 and "\n" not in shown
    assert " at 0x" not in shown
    if hasattr(thing, "capacity") and hasattr(thing, "__len__"):
        assert f"{len(thing)} of {thing.capacity}" in shown


def test_every_class_shows_itself():
    for name in CLASSES:
        assert getattr(_forebay, name).__repr__ is not object.__repr__, name


def test_the_module_lists_every_queue():
    queues = {name for name, node in CLASSES.items() if getattr(_forebay, name).__module__ == "forebay.queues"}
    assert queues == set(forebay.queues.__all__)


def check_types(*command, folder):
    """What mypy's tools complain about."""
    run = subprocess.run(
        [sys.executable, "-m", *command], capture_output=True, text=True, cwd=folder, env={"MYPY_CACHE_DIR": str(folder)}
    )
    assert not run.stderr, run.stderr
    return run.stdout.splitlines()


def test_the_types_hold_together(tmp_path):
    pytest.importorskip("mypy")
    (said,) = check_types("mypy", "--strict", "-p", "forebay", folder=tmp_path)
    assert said.startswith("Success: no issues found in"), said


def test_stubtest_finds_nothing(tmp_path):
    pytest.importorskip("mypy")
    known = tmp_path / "known"
    known.write_text(KNOWN)
    # Whether others may derive from two of the classes at once is no question: they are final, or
    # bases of ours.
    options = ["--concise", "--ignore-disjoint-bases", "--allowlist", str(known)]
    assert check_types("mypy.stubtest", *options, "forebay", folder=tmp_path) == []
