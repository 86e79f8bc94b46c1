"""Which version and which release comes first."""

from __future__ import annotations

import re

_VERSION = re.compile(r"v([0-9]+)(?:(alpha|beta)([0-9]+))?")
_RELEASE = re.compile(r"[0-9]+(\.[0-9]+)*(?![0-9a-z])")


def preference(version: str) -> tuple[int, int, int]:
    """Sorts `v1` above `v2beta1` above `v2alpha1`: the order in which an API server offers versions."""
    match = _VERSION.fullmatch(version)
    if not match:
        return (0, 0, 0)
    stage = {None: 3, "beta": 2, "alpha": 1}[match[2]]
    return (stage, int(match[1]), int(match[3] or 0))


_RENUMBERED = {"nvidia-dra-driver": 20}
"""Projects that restarted their numbering when they moved: releases from this number on are older than all below it."""


def age(release: str, component: str = "") -> tuple[int, list[int], bool]:
    """Sorts newer releases above older ones, and `1.6.1`, which is what most have, above `1.6.1-experimental`."""
    number = _RELEASE.match(release)
    if number is None:
        return 0, [], False
    parts = [int(part) for part in number[0].split(".")]
    earlier = component in _RENUMBERED and parts[0] >= _RENUMBERED[component]
    return -1 if earlier else 0, parts, number[0] == release
