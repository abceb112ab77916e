"""Checks that an archive of the Python package carries every file of a folder, Forebay's licences and
those of what is linked, and nothing that is not for users.

    packaging/carried.py ARCHIVE FOLDER PLACE      PLACE is where in the archive the folder is
"""

import sys
import tarfile
import zipfile
from pathlib import Path

LICENCES = ("LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.txt")
# What is no business of users.
LEFT_OUT = ("__pycache__", ".pytest_cache", "/tests/test_", "/target/", "node_modules")


def members(archive: Path) -> set[str]:
    """The files in it; those of a source archive without the folder around all of them."""
    if archive.suffix == ".whl":
        return set(zipfile.ZipFile(archive).namelist())
    with tarfile.open(archive) as opened:
        return {one.name.partition("/")[2] for one in opened if one.isfile()}


def wrong(archive: Path, folder: Path, place: str) -> list[str]:
    """What it lacks, and what it should not have."""
    found = members(archive)
    wanted = {f"{place}/{path.relative_to(folder).as_posix()}" for path in folder.rglob("*") if path.is_file()}
    wanted |= {f"{place.rpartition('/')[0]}/licences/{name}" for name in LICENCES}
    # Sources are for whoever packages them anew, with their tests.
    left_out = LEFT_OUT if archive.suffix == ".whl" else ("__pycache__", "/target/", "node_modules")
    return ([f"{archive.name} lacks {name}" for name in sorted(wanted - found)]
            + [f"{archive.name} carries {name}" for name in sorted(found) if any(part in name for part in left_out)])


if __name__ == "__main__":
    sys.exit("\n".join(wrong(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])) or 0)
