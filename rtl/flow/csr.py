"""Register banks from one description: `csr.toml` of a core makes the bank in SystemVerilog behind
AXI4-Lite, its addresses as a package, a C header and a page of the documentation.

What is made lies in the repository; `rtl/flow/test/test_csr.py` compares.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from .cores import RTL, Core

MADE = "Made of `rtl/{core}/csr.toml` by `python -m flow csr {core}`; change that file and run it again."


@dataclass(frozen=True)
class Register:
    """A register of at most 32 bits, at a byte offset that is a multiple of 4."""

    name: str
    offset: int
    bits: int
    access: str
    text: str
    reset: int | str = 0

    @property
    def reset_value(self) -> int:
        """What it holds after reset, if software writes it."""
        return 2**self.bits - 1 if self.reset == "ones" else int(self.reset)


@dataclass(frozen=True)
class Bank:
    """The registers of a core, and its counters of packets and bytes for each port."""

    core: str
    title: str
    address_bits: int
    registers: list[Register]
    counters: list[tuple[str, str]]
    offset: int
    port_stride: int
    stride: int


def load(path: Path) -> Bank:
    """Reads a description; raises ValueError if it cannot be."""
    text = tomllib.loads(path.read_text())
    registers = [Register(**register) for register in text["register"]]
    counters = text["counters"]
    bank = Bank(text["core"], text["title"], text["address_bits"], registers,
                [(counter["name"], counter["text"]) for counter in counters["counter"]],
                counters["offset"], counters["port_stride"], counters["stride"])
    check(bank, path)
    return bank


def check(bank: Bank, path: Path) -> None:
    """Raises ValueError, with the place and the fix, if two things are at one address or do not fit."""
    taken: dict[int, str] = {}
    for register in bank.registers:
        if register.access not in ("ro", "rw"):
            raise ValueError(f"{path}: register {register.name}: access is '{register.access}', but must be ro or rw")
        if not 1 <= register.bits <= 32:
            raise ValueError(f"{path}: register {register.name}: bits = {register.bits}, but must be from 1 to 32")
        if register.offset % 4 or not 0 <= register.offset < bank.offset:
            raise ValueError(f"{path}: register {register.name}: offset = {register.offset:#x}, but must be a multiple "
                             f"of 4 below the counters' {bank.offset:#x}")
        if register.offset in taken:
            raise ValueError(f"{path}: registers {taken[register.offset]} and {register.name} are both at "
                             f"{register.offset:#x}; move one")
        taken[register.offset] = register.name
    if len(bank.counters) * bank.stride > bank.port_stride:
        raise ValueError(f"{path}: {len(bank.counters)} counters do not fit in {bank.port_stride:#x}; "
                         "give a larger port_stride")


def package(bank: Bank) -> str:
    """The addresses and the counters' numbers, as a package."""
    lines = [f"// {MADE.format(core=bank.core)}", f"package {bank.core}_csr_pkg;"]
    lines.append("  // Byte offsets.")
    lines += [f"  parameter int unsigned {_camel(register.name)} = 'h{register.offset:03X};" for register in bank.registers]
    lines += [f"  parameter int unsigned Counters = 'h{bank.offset:03X};",
              f"  parameter int unsigned PortStride = 'h{bank.port_stride:02X};",
              f"  parameter int unsigned CounterStride = 'h{bank.stride:02X};", "",
              "  /// The counters of a port, in the order of their addresses.", "  typedef enum int unsigned {"]
    names = [f"    Count{_camel(name)} = {number}" for number, (name, _) in enumerate(bank.counters)]
    lines += [",\n".join(names), "  } counter_e;", "endpackage"]
    return "\n".join(lines) + "\n"


def module(bank: Bank) -> str:
    """The bank behind AXI4-Lite."""
    count_bits = max(1, (len(bank.counters) - 1).bit_length())
    package_name = f"{bank.core}_csr_pkg"
    ports = []
    for register in bank.registers:
        side, end = ("input  logic", "i") if register.access == "ro" else ("output logic", "o")
        width = f"[{register.bits - 1}:0] " if register.bits > 1 else ""
        ports.append(f"  {side} {width}{register.name}_{end}")
    written = [register for register in bank.registers if register.access == "rw"]
    lines = [
        f"// {MADE.format(core=bank.core)}", "//",
        f"// The registers of {bank.title} behind AXI4-Lite, of 32 bits. A write takes its address and its data in the same",
        "// cycle and is answered in the next; a read is answered in the next. An address without a register, and a write to one",
        "// that is only read, are answered with SLVERR and change nothing.", "//",
        "// Reading the low word of a counter of bytes keeps its high word, which is read next.",
        f"module {bank.core}_csr #(", "  /// Ports that have counters.", "  parameter int unsigned Ports = 4,",
        "  localparam int unsigned PortW = parameter_pkg::index_width(Ports)", ") (",
        "  input  logic clk_i,", "  input  logic rst_i,",
        f"  input  logic [{bank.address_bits - 1}:0] awaddr_i,", "  input  logic awvalid_i,", "  output logic awready_o,",
        "  input  logic [31:0] wdata_i,", "  input  logic [3:0] wstrb_i,", "  input  logic wvalid_i,", "  output logic wready_o,",
        "  output logic [1:0] bresp_o,", "  output logic bvalid_o,", "  input  logic bready_i,",
        f"  input  logic [{bank.address_bits - 1}:0] araddr_i,", "  input  logic arvalid_i,", "  output logic arready_o,",
        "  output logic [31:0] rdata_o,", "  output logic [1:0] rresp_o,", "  output logic rvalid_o,",
        "  input  logic rready_i,",
        "  // A counter that is read, and what it is in the same cycle.",
        "  output logic [PortW-1:0] count_port_o,", f"  output logic [{count_bits - 1}:0] count_number_o,",
        "  input  logic [31:0] count_packets_i,", "  input  logic [47:0] count_bytes_i,",
        ",\n".join(ports), ");",
        "  localparam logic [1:0] Okay = 2'b00;", "  localparam logic [1:0] SlvErr = 2'b10;",
        "  logic writes, reads, known;", "  logic [31:0] shown;", "  logic [15:0] high_q;", "",
        "  // ---- Writes -----------------------------------------------------------------------------------------------",
        "  assign writes    = awvalid_i && wvalid_i && !bvalid_o;", "  assign awready_o = writes;",
        "  assign wready_o  = writes;", "", "  always_ff @(posedge clk_i) begin",
        "    if (bready_i) bvalid_o <= 1'b0;", "    if (writes) begin", "      bvalid_o <= 1'b1;", "      bresp_o  <= Okay;",
        f"      case (32'({{awaddr_i[{bank.address_bits - 1}:2], 2'b00}}))",
    ]
    for register in written:
        lines.append(f"        {package_name}::{_camel(register.name)}: begin")
        for byte in range((register.bits + 7) // 8):
            high = min(8 * byte + 8, register.bits) - 1
            part = f"[{high}:{8 * byte}]" if high > 8 * byte else f"[{8 * byte}]"
            target = f"{register.name}_o" if register.bits == 1 else f"{register.name}_o{part}"
            lines.append(f"          if (wstrb_i[{byte}]) {target} <= wdata_i{part};")
        lines.append("        end")
    lines += ["        default: bresp_o <= SlvErr;", "      endcase", "    end", "    if (rst_i) begin",
              "      bvalid_o <= 1'b0;"]
    lines += [f"      {register.name}_o <= {register.bits}'h{register.reset_value:X};" for register in written]
    lines += [
        "    end", "  end", "",
        "  // ---- Reads ------------------------------------------------------------------------------------------------",
        "  logic counts;", "  logic [31:0] behind, port;", "  logic [1:0] word;",
        "  assign arready_o      = !rvalid_o;", "  assign reads          = arvalid_i && arready_o;",
        f"  assign behind         = 32'(araddr_i) - {package_name}::Counters;",
        f"  assign port           = behind / {package_name}::PortStride;",
        "  assign word           = araddr_i[3:2];", "  assign count_port_o   = PortW'(port);",
        f"  assign count_number_o = {count_bits}'(behind % {package_name}::PortStride / {package_name}::CounterStride);",
        f"  assign counts         = 32'(araddr_i) >= {package_name}::Counters && port < Ports",
        f"                          && 32'(count_number_o) < {len(bank.counters)} && word != 2'd3;", "", "  always_comb begin", "    known = 1'b1;", "    shown = '0;",
        f"    case (32'({{araddr_i[{bank.address_bits - 1}:2], 2'b00}}))",
    ]
    for register in bank.registers:
        end = "i" if register.access == "ro" else "o"
        lines.append(f"      {package_name}::{_camel(register.name)}: shown = 32'({register.name}_{end});")
    lines += [
        "      default: known = 1'b0;", "    endcase", "    if (counts) begin", "      known = 1'b1;", "      case (word)",
        "        2'd0: shown = count_packets_i;", "        2'd1: shown = count_bytes_i[31:0];",
        "        default: shown = 32'(high_q);", "      endcase", "    end", "  end", "", "  always_ff @(posedge clk_i) begin",
        "    if (rready_i) rvalid_o <= 1'b0;", "    if (reads) begin", "      rvalid_o <= 1'b1;",
        "      rresp_o  <= known ? Okay : SlvErr;", "      rdata_o  <= shown;",
        "      if (counts && word == 2'd1) high_q <= count_bytes_i[47:32];", "    end",
        "    if (rst_i) rvalid_o <= 1'b0;", "  end", "",
        "  // Addresses are of bytes, registers of words, not all of which have 32 bits.", "  logic unused;",
        "  assign unused = ^{awaddr_i[1:0], araddr_i[1:0], wdata_i, wstrb_i};", "endmodule",
    ]
    return "\n".join(lines) + "\n"


def header(bank: Bank) -> str:
    """The offsets, for software in C."""
    prefix = bank.core.upper()
    lines = [f"/* {MADE.format(core=bank.core)} */", f"#ifndef FOREBAY_{prefix}_CSR_H", f"#define FOREBAY_{prefix}_CSR_H", ""]
    lines += [f"#define {prefix}_{register.name.upper()} 0x{register.offset:03X}u" for register in bank.registers]
    lines += ["", "/* Packets; the bytes' low word is 4 behind it, the high word 8. */",
              f"#define {prefix}_COUNTER(port, number) (0x{bank.offset:03X}u + 0x{bank.port_stride:X}u * (port) + "
              f"0x{bank.stride:X}u * (number))"]
    lines += [f"#define {prefix}_COUNT_{name.upper()} {number}u" for number, (name, _) in enumerate(bank.counters)]
    return "\n".join([*lines, "", "#endif"]) + "\n"


def page(bank: Bank) -> str:
    """The registers as a page of the documentation."""
    lines = [f"# Registers of {bank.title}", "",
             "AXI4-Lite, words of 32 bits. An address without a register, and a write to one that is only read,",
             "are answered with SLVERR and change nothing.", "",
             "| offset | register | bits | access | after reset | |", "|---|---|---|---|---|---|"]
    for register in bank.registers:
        reset = f"`0x{register.reset_value:X}`" if register.access == "rw" else ""
        lines.append(f"| `0x{register.offset:03X}` | `{register.name}` | {register.bits} | {register.access} | {reset} | "
                     f"{register.text} |")
    lines += ["", "## Counters", "",
              f"Counter c of port p is at `0x{bank.offset:03X} + 0x{bank.port_stride:X} p + 0x{bank.stride:X} c`: its packets "
              "(32 bits), 4 bytes",
              "behind it the low word of its bytes, 8 bytes behind it the high word (16 bits). Reading the low",
              "word keeps the high word, which is read next. All are zero after reset, and start over at the end.",
              "", "| c | counter | |", "|---|---|---|"]
    lines += [f"| {number} | `{name}` | {text} |" for number, (name, text) in enumerate(bank.counters)]
    return "\n".join([*lines, "", f"{MADE.format(core=bank.core)}"]) + "\n"


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def outputs(core: Core) -> dict[Path, str]:
    """What is made for a core with a `csr.toml`, by path; nothing for one without."""
    description = core.folder / "csr.toml"
    if not description.exists():
        return {}
    bank = load(description)
    return {
        core.folder / f"{core.name}_csr_pkg.sv": package(bank),
        core.folder / f"{core.name}_csr.sv": module(bank),
        core.folder / f"{core.name}_csr.h": header(bank),
        RTL.parent / "docs" / f"rtl-{core.name.replace('_', '-')}-registers.md": page(bank),
    }


def csr(cores: list[Core]) -> None:
    """Writes the register banks of the chosen cores."""
    for core in cores:
        for path, text in outputs(core).items():
            path.write_text(text)
            print(f"csr: {path.relative_to(RTL.parent)}")
