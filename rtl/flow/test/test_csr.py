"""What is made of `csr.toml` is what lies in the repository, and a description that cannot be is refused with its place."""

import dataclasses

import pytest
from flow import csr
from flow.cores import RTL, load

DESCRIPTION = RTL / "tm" / "csr.toml"


@pytest.mark.parametrize("name", [name for name, core in load().items() if (core.folder / "csr.toml").exists()])
def test_what_is_made_is_what_is_there(name):
    made = csr.outputs(load()[name])
    assert len(made) == 4
    for path, text in made.items():
        assert path.read_text() == text, f"{path} is not what csr.toml makes: run `python -m flow csr {name}` in rtl/"


@pytest.mark.parametrize(("register", "change", "message"), [
    (1, {"offset": 0}, "registers id and ports are both at 0x0; move one"),
    (1, {"offset": 2}, "ports: offset = 0x2, but must be a multiple of 4 below the counters' 0x400"),
    (1, {"offset": 0x400}, "offset = 0x400, but must be"),
    (1, {"bits": 33}, "ports: bits = 33, but must be from 1 to 32"),
    (1, {"access": "wo"}, "access is 'wo', but must be ro or rw"),
])
def test_what_cannot_be_is_refused_with_its_place(register, change, message):
    bank = csr.load(DESCRIPTION)
    registers = list(bank.registers)
    registers[register] = dataclasses.replace(registers[register], **change)
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        csr.check(dataclasses.replace(bank, registers=registers), DESCRIPTION)


def test_counters_that_overlap_are_refused():
    bank = csr.load(DESCRIPTION)
    with pytest.raises(ValueError, match="give a larger port_stride"):
        csr.check(dataclasses.replace(bank, port_stride=0x20), DESCRIPTION)
