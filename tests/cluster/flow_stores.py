"""Images of what workflows keep things in, and of the Jobs that make buckets, users and Secrets there."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.cluster.kubelet.image import Image
from tests.cluster.machines import PROGRAMS


def python() -> dict[str, Image]:
    """The image of the Jobs that make Secrets, buckets and users."""
    return {"docker.io/library/python:": Image((str(Path(sys.executable).parent),))}


def seaweedfs(programs: Mapping[str, Path]) -> dict[str, Image]:
    """The image of SeaweedFS, whose entry point puts words of its own before those of the container."""
    before = "weed -logtostderr=true server -dir=/data -volume.max=0 -master.volumeSizeLimitMB=1024"
    entry = ("sh", "-c", f'[ "$1" = server ] && shift && exec {before} "$@"', "sh")
    return {"ghcr.io/chrislusf/seaweedfs:": Image((str(programs["weed"].parent),), entrypoint=entry)}


def postgres_folder() -> Path | None:
    """Where the programs of Debian's PostgreSQL are; None where it is not installed."""
    return next((each.parent for each in sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))), None)


def postgresql() -> dict[str, Image]:
    """The image of PostgreSQL, with the users that it has; none where there is no PostgreSQL."""
    files = {"/etc/passwd": str(PROGRAMS / "postgres" / "passwd"), "/programs": str(PROGRAMS)}
    command = ("sh", "/programs/postgres/entry.sh")
    found = postgres_folder()
    return {"docker.io/library/postgres:": Image((str(found),), {}, files, command, command)} if found else {}


def has_mariadb() -> bool:
    """Whether Debian's MariaDB is installed."""
    return shutil.which("mariadbd") is not None


def mysql() -> dict[str, Image]:
    """The image of MySQL, whose programs are here those of Debian's MariaDB."""
    files = {"/etc/passwd": str(PROGRAMS / "mysql" / "passwd"), "/programs": str(PROGRAMS)}
    return {"docker.io/library/mysql:": Image((), {}, files, entrypoint=("sh", "/programs/mysql/entry.sh"))}
