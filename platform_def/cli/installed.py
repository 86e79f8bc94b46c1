"""Where this tool was installed from, so that a new repository's CI installs the very same one.

No package index is asked for the tool by its name: the owner of that name there may not be this project.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

PACKAGE = "platform-def"
FILE = "tool.txt"
FOLDER = "tool"
"""Where the wheel lies in the new repository."""

_UNKNOWN = f"""\
# Where the tool comes from is not known here: write one of these lines in, and CI installs it.
# A tag or commit of its repository:
#   {PACKAGE} @ git+https://git.example.com/{PACKAGE}.git@<commit>
# A wheel that lies in this repository, with its hash (pip hash FILE):
#   ./{FOLDER}/platform_def-<version>-py3-none-any.whl --hash=sha256:<hash>
"""


@dataclass(frozen=True)
class Installed:
    """What `tool.txt` says, and the wheel that it names, where there is one to copy."""

    text: str
    wheel: Path | None = None

    @property
    def known(self) -> bool:
        """Whether the same tool can be installed elsewhere."""
        return self.text != _UNKNOWN


def installed() -> Installed:
    """Where the tool that runs came from, as pip has written it down."""
    try:
        written = metadata.distribution(PACKAGE).read_text("direct_url.json")
        return of_direct_url(json.loads(written or "{}"))
    except (metadata.PackageNotFoundError, ValueError):
        return Installed(_UNKNOWN)


def of_direct_url(found: dict[str, Any]) -> Installed:
    """The same from what pip writes: a commit of a repository, or a wheel file that is still there."""
    from platform_def.config.cluster import holds_credentials  # loads models, which most commands do without

    url, vcs, archive = str(found.get("url", "")), found.get("vcs_info"), found.get("archive_info")
    if holds_credentials(url):
        return Installed(_UNKNOWN)
    here = urlsplit(url).scheme == "file"
    commit = str(vcs.get("commit_id")) if isinstance(vcs, dict) and vcs.get("vcs") == "git" else ""
    if re.fullmatch("[0-9a-f]{40,64}", commit) and not here:
        return Installed(f"{PACKAGE} @ git+{url}@{commit}\n")
    if isinstance(archive, dict):
        return _of_wheel(url, archive)
    return Installed(_UNKNOWN)


def _of_wheel(url: str, archive: dict[str, Any]) -> Installed:
    hashes = archive.get("hashes")
    digest = hashes.get("sha256") if isinstance(hashes, dict) else None
    parts = urlsplit(url)
    path = Path(unquote(parts.path))
    if not digest or path.suffix != ".whl":
        return Installed(_UNKNOWN)
    if parts.scheme == "file":
        if not path.is_file():
            return Installed(_UNKNOWN)
        return Installed(f"./{FOLDER}/{path.name} --hash=sha256:{digest}\n", path)
    return Installed(f"{PACKAGE} @ {url} --hash=sha256:{digest}\n")
