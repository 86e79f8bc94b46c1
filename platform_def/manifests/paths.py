"""Paths into an object, written as kubectl prints them: `spec.containers[0].image`, `data["app.conf"]`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from platform_def.crds.schema import Manifest

Path = tuple[str | int, ...]

_PLAIN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")
_CRD = "CustomResourceDefinition"
"""Large, and without pods."""
_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")


def dotted(path: Iterable[str | int]) -> str:
    """The path as text; keys with other than letters, digits, `_`, `$` and `-` stand in brackets."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f'["{step}"]'
    return text


_STEP = re.compile(r'\["(.*?)"\]|\[(\d+)\]|([^.\[]+)')


def steps(text: str) -> Path:
    """The path that `dotted` made a text of."""
    return tuple(int(index) if index else name or plain for name, index, plain in _STEP.findall(text))


def strings(value: Any) -> Iterator[tuple[Path, str]]:
    """Every string value below `value` with its path."""
    found: list[tuple[Path, str]] = []
    _gather_strings(value, (), found)
    return iter(found)


def _gather_strings(value: Any, path: Path, found: list[tuple[Path, str]]) -> None:
    """Without generators, which cost a step for each level above a string."""
    if isinstance(value, str):
        found.append((path, value))
    elif isinstance(value, dict):
        for key, item in value.items():
            _gather_strings(item, (*path, key), found)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _gather_strings(item, (*path, index), found)


class HeldPods:
    """The pods of the object that rules are asked about one after another, of which half look for them.

    Within `with HeldPods(manifest, found)` `pods` of this very object are the ones that were found in it.
    """

    manifest: Manifest | None = None
    pods: Sequence[tuple[Path, Manifest]] = ()

    def __init__(self, manifest: Manifest, found: Sequence[tuple[Path, Manifest]]) -> None:
        self._held = manifest, found

    def __enter__(self) -> None:
        HeldPods.manifest, HeldPods.pods = self._held

    def __exit__(self, *_: object) -> None:
        HeldPods.manifest, HeldPods.pods = None, ()


def pods(manifest: Manifest) -> Iterator[tuple[Path, Manifest]]:
    """Every pod specification in an object: a map with a list of containers."""
    if manifest is HeldPods.manifest:
        return iter(HeldPods.pods)
    found: list[tuple[Path, Manifest]] = []
    if manifest.get("kind") != _CRD:
        _gather(manifest, (), found)
    return iter(found)


def _gather(value: dict[str, Any], path: Path, found: list[tuple[Path, Manifest]]) -> None:
    """Without generators, for half of the rules ask for every object's."""
    if isinstance(value.get("containers"), list):
        found.append((path, value))
    for key, item in value.items():
        if isinstance(item, dict):
            _gather(item, (*path, key), found)
        elif isinstance(item, list):
            _gather_listed(item, (*path, key), found)


def _gather_listed(value: list[Any], path: Path, found: list[tuple[Path, Manifest]]) -> None:
    for index, item in enumerate(value):
        if isinstance(item, dict):
            _gather(item, (*path, index), found)
        elif isinstance(item, list):
            _gather_listed(item, (*path, index), found)


def containers(manifest: Manifest) -> Iterator[tuple[Path, Manifest]]:
    """Every container of every pod specification in the object, init and ephemeral ones included."""
    for path, pod in pods(manifest):
        for group in _CONTAINERS:
            listed = pod.get(group)
            for index, container in enumerate(listed if isinstance(listed, list) else ()):
                if isinstance(container, dict):
                    yield (*path, group, index), container
