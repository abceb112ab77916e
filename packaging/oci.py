"""Writes a folder as an OCI image of one layer, in an archive; equal input makes equal bytes.

The format is https://github.com/opencontainers/image-spec (v1.1): a layer, its configuration, a
manifest, an index, each under its digest.
"""

import argparse
import datetime
import gzip
import hashlib
import io
import json
import os
import tarfile
from pathlib import Path


def tarred(tree: Path, epoch: int) -> bytes:
    """The folder as a tar archive, in order, of root, with one date."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(tree.rglob("*")):
            member = archive.gettarinfo(path, str(path.relative_to(tree)))
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            member.mtime = epoch
            if member.isreg():
                with path.open("rb") as file:
                    archive.addfile(member, file)
            else:
                archive.addfile(member)
    return written.getvalue()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("tree", "version", "out"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--epoch", type=int, required=True)
    asked = parser.parse_args()
    blobs: dict[str, bytes] = {}

    def kept(content: bytes, kind: str) -> dict:
        digest = hashlib.sha256(content).hexdigest()
        blobs[f"blobs/sha256/{digest}"] = content
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(content)}

    def written(content: object) -> bytes:
        return json.dumps(content, indent=1, sort_keys=True).encode()

    layer = tarred(Path(asked.tree), asked.epoch)
    created = datetime.datetime.fromtimestamp(asked.epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    labels = {
        "org.opencontainers.image.title": "forebay",
        "org.opencontainers.image.version": asked.version,
        "org.opencontainers.image.source": "https://github.com/forebay/forebay",
        "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
    }
    configuration = {
        "architecture": "amd64",
        "os": "linux",
        "created": created,
        "config": {
            "Entrypoint": ["/bin/forebay"],
            "Cmd": ["help"],
            "Env": ["PATH=/bin"],
            "WorkingDir": "/work",
            "Labels": labels,
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
        "history": [{"created": created, "created_by": "packaging/image"}],
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": kept(written(configuration), "config.v1+json"),
        "layers": [kept(gzip.compress(layer, mtime=0), "layer.v1.tar+gzip")],
        "annotations": labels,
    }
    named = kept(written(manifest), "manifest.v1+json")
    named["annotations"] = {"org.opencontainers.image.ref.name": f"forebay:{asked.version}"}
    index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [named]}
    files = {"oci-layout": written({"imageLayoutVersion": "1.0.0"}), "index.json": written(index), **blobs}
    with tarfile.open(asked.out, "w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.mode = len(content), asked.epoch, 0o644
            archive.addfile(member, io.BytesIO(content))
    print(f"image: {os.path.getsize(asked.out)} bytes, {len(layer)} unpacked", flush=True)


if __name__ == "__main__":
    main()
