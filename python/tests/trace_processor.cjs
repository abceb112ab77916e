// Perfetto's trace processor, the WebAssembly one of its web page, served on a Unix socket in the protocol that its
// Python client speaks. The page's own script (engine_bundle.js) runs as in a browser's worker: it is given what it
// uses of one, and its message port is the socket.
//
// node trace_processor.cjs ENGINE_BUNDLE SOCKET; says "ready" when it listens.
const { readFileSync } = require("node:fs");
const { createServer } = require("node:net");
const { basename, dirname, join } = require("node:path");
const vm = require("node:vm");

const [bundle, socket] = process.argv.slice(2);

/** Synchronous, as workers may: the script reads its module beside it so. */
class FileRequest {
  open(_method, name) {
    this.name = basename(name);
  }
  send() {
    this.response = new Uint8Array(readFileSync(join(dirname(bundle), this.name))).buffer;
  }
}

const quiet = () => {};
const worker = vm.createContext({
  URL, TextDecoder, TextEncoder, performance, crypto, setTimeout, clearTimeout, queueMicrotask,
  XMLHttpRequest: FileRequest,
  WorkerGlobalScope: class {},
  location: { href: "http://localhost/engine_bundle.js" },
  console: { log: quiet, info: quiet, debug: quiet, warn: quiet, error: console.error },
});
worker.self = worker;
vm.runInContext(readFileSync(bundle, "utf8"), worker, { filename: basename(bundle) });

let client = null;
const port = { postMessage: (bytes) => client?.write(bytes) };
worker.onmessage({ data: port });

// The script checks for arrays of its own realm.
const Bytes = vm.runInContext("Uint8Array", worker);
const server = createServer((connection) => {
  client = connection;
  connection.on("data", (bytes) => port.onmessage({ data: Bytes.from(bytes) }));
  connection.on("error", quiet);
});
// By then the module has been made, which settles a promise.
setImmediate(() => server.listen(socket, () => console.log("ready")));
