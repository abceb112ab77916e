"""The digest of a row changes with the hardware and with nothing else."""

import dataclasses

from flow import results
from flow.cores import RTL, load
from flow.hardware import hardware


def test_comments_and_simulation_only_blocks_are_left_out():
    text = """// head
module m;  /* two
lines */ wire a;

`ifndef SYNTHESIS
  assert property (a);
`ifdef FORMAL
  wire c;
`endif
`else
  wire b;  // kept
`endif
`ifdef FORMAL
  wire d;
`elsif SYNTHESIS
  wire e = "// no comment";
`else
  wire f;
`endif
endmodule
"""
    assert hardware(text).splitlines() == [
        "module m; wire a;", "wire b;", 'wire e = "// no comment";', "endmodule"]


def test_every_source_keeps_its_module_and_loses_its_coverage():
    for core in load().values():
        for source in core.sources:
            text = hardware((RTL / source).read_text())
            assert text.count("endmodule") + text.count("endpackage") == 1, source
            assert "cover property" not in text and "//" not in text, source


def test_a_digest_changes_with_sources_and_parameters():
    core = load()["bbq"]
    other = dataclasses.replace(core, sources=core.sources[:-1])
    digests = {results.digest(core, {"Levels": 2}), results.digest(core, {"Levels": 3}), results.digest(other, {"Levels": 2})}
    assert len(digests) == 3
