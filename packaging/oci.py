"""Writes a folder as an OCI image of one layer, in an archive, and unpacks such an archive; equal
input makes equal bytes.

    packaging/oci.py pack --tree FOLDER --version V --epoch SECONDS --out ARCHIVE
    packaging/oci.py unpack ARCHIVE FOLDER

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


def pack(tree: Path, version: str, epoch: int, out: Path) -> None:
    """Writes the folder as the image of that version."""
    blobs: dict[str, bytes] = {}

    def kept(content: bytes, kind: str) -> dict:
        digest = hashlib.sha256(content).hexdigest()
        blobs[f"blobs/sha256/{digest}"] = content
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(content)}

    def written(content: object) -> bytes:
        return json.dumps(content, indent=1, sort_keys=True).encode()

    layer = tarred(tree, epoch)
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    labels = {
        "org.opencontainers.image.title": "forebay",
        "org.opencontainers.image.version": version,
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
    named["annotations"] = {"org.opencontainers.image.ref.name": f"forebay:{version}"}
    index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [named]}
    files = {"oci-layout": written({"imageLayoutVersion": "1.0.0"}), "index.json": written(index), **blobs}
    with tarfile.open(out, "w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.mode = len(content), epoch, 0o644
            archive.addfile(member, io.BytesIO(content))


def unpack(archive: Path, folder: Path) -> dict:
    """Writes the image's files into the folder, as whoever runs it would; its configuration."""
    with tarfile.open(archive) as opened:
        files = {one.name: opened.extractfile(one).read() for one in opened if one.isfile()}

    def blob(named: dict) -> bytes:
        content = files[f"blobs/{named['digest'].replace(':', '/')}"]
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        if (digest, len(content)) != (named["digest"], named["size"]):
            raise SystemExit(f"oci: {named['digest']} of {archive} is another content: {digest}")
        return content

    (first,) = json.loads(files["index.json"])["manifests"]
    manifest = json.loads(blob(first))
    configuration = json.loads(blob(manifest["config"]))
    folder.mkdir(parents=True, exist_ok=True)
    for named, content in zip(manifest["layers"], configuration["rootfs"]["diff_ids"], strict=True):
        layer = gzip.decompress(blob(named))
        if content != f"sha256:{hashlib.sha256(layer).hexdigest()}":
            raise SystemExit(f"oci: a layer of {archive} is not what its configuration says")
        with tarfile.open(fileobj=io.BytesIO(layer)) as opened:
            opened.extractall(folder, filter="fully_trusted")
    return configuration


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    does = parser.add_subparsers(dest="does", required=True)
    packing, unpacking = does.add_parser("pack"), does.add_parser("unpack")
    for name in ("tree", "version", "out"):
        packing.add_argument(f"--{name}", required=True)
    packing.add_argument("--epoch", type=int, required=True)
    for name in ("archive", "folder"):
        unpacking.add_argument(name, type=Path)
    asked = parser.parse_args()
    if asked.does == "unpack":
        unpack(asked.archive, asked.folder)
        return
    pack(Path(asked.tree), asked.version, asked.epoch, Path(asked.out))
    print(f"image: {asked.out} has {os.path.getsize(asked.out)} bytes", flush=True)


if __name__ == "__main__":
    main()
