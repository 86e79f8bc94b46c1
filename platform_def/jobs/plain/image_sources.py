"""Where a build finds base images and packages: the stack's mirror and package indexes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from platform_def.config.platform import Platform

HOSTS = ("docker.io", "gcr.io", "ghcr.io", "mcr.microsoft.com", "nvcr.io", "quay.io", "registry.k8s.io")
"""Registries that base images come from."""
_INDEXES: Mapping[str, str] = {"pip": "PIP_INDEX_URL", "npm": "NPM_CONFIG_REGISTRY", "goproxy": "GOPROXY"}
_ANY = "any/image:1"
_FROM = re.compile(r"^(FROM[ \t]+(?:--platform=\S+[ \t]+)?)(\S+)(?:[ \t]+AS[ \t]+(\S+))?", re.IGNORECASE | re.MULTILINE)


def mirrors_file(platform: Platform) -> dict[str, str]:
    """BuildKit's configuration by file name, where the stack has a mirror: who builds writes `FROM` as ever."""
    blocks = []
    for host in HOSTS:
        there = platform.image(f"{host}/{_ANY}").removesuffix(f"/{_ANY}")
        if there != host:
            blocks.append(f'[registry."{host}"]\n  mirrors = ["{there}"]\n')
    return {"buildkitd.toml": "".join(blocks)} if blocks else {}


def build_arguments(said: Mapping[str, str], platform: Platform) -> Iterator[tuple[str, str]]:
    """Arguments of the Dockerfile: those of the job, and the package indexes, which count where it declares them."""
    indexes = {_INDEXES[kind]: url for kind, url in platform.package_indexes.items() if kind in _INDEXES}
    yield from sorted({**indexes, **said}.items())


def mirrored(dockerfile: str, image: Callable[[str], str]) -> str:
    """A Dockerfile's text whose base images are as the cluster pulls them; stages and variables stay."""
    stages = {"scratch", *(found[3].lower() for found in _FROM.finditer(dockerfile) if found[3])}

    def replaced(found: re.Match[str]) -> str:
        base = found[2]
        kept = base.lower() in stages or "$" in base
        return found[0] if kept else found[0].replace(base, image(base), 1)

    return _FROM.sub(replaced, dockerfile)
