"""The stubs name what there is, with the same parameters, and nothing else."""

import ast
import inspect
from pathlib import Path

import forebay
from forebay import _forebay

STUB = ast.parse((Path(forebay.__file__).parent / "_forebay.pyi").read_text())
CLASSES = {
    node.name: node for node in STUB.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
}


def parameters_in_stub(function):
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    if not any(getattr(decorator, "id", "") == "staticmethod" for decorator in function.decorator_list):
        positional = positional[1:]
    rest = [argument for argument in [arguments.kwarg] if argument is not None]
    return [argument.arg for argument in [*positional, *arguments.kwonlyargs, *rest]]


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
                signature = inspect.signature(owner).parameters
                assert [p for p in signature if p != "self"] == parameters_in_stub(function), (name, member)


def test_everything_is_documented():
    for name in CLASSES:
        built = getattr(_forebay, name)
        assert built.__doc__, name
        for member, value in vars(built).items():
            if not member.startswith("_"):
                assert value.__doc__, (name, member)


def test_the_module_lists_every_queue():
    queues = {name for name, node in CLASSES.items() if getattr(_forebay, name).__module__ == "forebay.queues"}
    assert queues == set(forebay.queues.__all__)
