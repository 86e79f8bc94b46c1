"""What people and groups lose by a change: roles in namespaces, and requests that reach the pods there.

Read from role bindings and policies of the mesh, as they were and as they are now. A right that another binding gives
in the same namespace is not lost.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from platform_def.errors import PlatformError
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.pipeline.output.index import digest
from platform_def.yaml import load

Access = tuple[str, str]
"""Who, and what they may do where."""
_FILES = ("rolebinding.", "clusterrolebinding.", "authorizationpolicy.")
_CONDITIONS = ("request.headers[", "request.auth.claims[")


def lost_access(
    former: Mapping[str, str],
    read: Callable[[Collection[str]], Mapping[str, bytes]],
    files: Mapping[str, bytes],
) -> tuple[str, ...]:
    """A line for each person and group that loses something; `former` has digests of files, `read` their contents."""
    differing = [path for path, known in former.items() if _counts(path) and known != _digest(files.get(path))]
    if not differing:
        return ()
    before = {each for content in read(differing).values() for each in _given(content)}
    after = {each for path, content in files.items() if _counts(path) for each in _given(content)}
    lost: defaultdict[str, list[str]] = defaultdict(list)
    for who, what in sorted(before - after):
        lost[who].append(what)
    return tuple(f"{who}: {', '.join(what)}" for who, what in sorted(lost.items()))


def _counts(path: str) -> bool:
    return path.rpartition("/")[2].startswith(_FILES)


def _digest(content: bytes | None) -> str:
    return "" if content is None else digest(content)


@lru_cache(maxsize=256)
def _given(content: bytes) -> tuple[Access, ...]:
    """What an object gives to whom; the stacks of a fleet have most of them alike."""
    return tuple(_read(content))


def _read(content: bytes) -> Iterator[Access]:
    try:
        manifest = mapping(load(content))
    except PlatformError:
        return  # edited by hand: comparing dist/ reports that
    home = text(at(manifest, "metadata.namespace"))
    if manifest.get("kind") == "AuthorizationPolicy":
        yield from ((who, f"requests to pods in {home}") for who in _let_in(manifest))
        return
    role = text(at(manifest, "roleRef.name"))
    for subject in map(mapping, items(manifest.get("subjects"))):
        if subject.get("kind") in ("User", "Group"):
            who = f"group {text(subject.get('name'))}" if subject["kind"] == "Group" else text(subject.get("name"))
            yield who, f"role {role} in {home}" if home else f"role {role} in the whole cluster"


def _let_in(policy: Mapping[str, Any]) -> Iterable[str]:
    """Whom a policy of the mesh lets in by name or group."""
    if text(at(policy, "spec.action")) not in ("", "ALLOW"):
        return
    for rule in map(mapping, items(at(policy, "spec.rules"))):
        for condition in map(mapping, items(rule.get("when"))):
            key = text(condition.get("key"))
            if key.startswith(_CONDITIONS):
                group = "group " if key.startswith(_CONDITIONS[1]) else ""
                yield from (f"{group}{text(value)}" for value in items(condition.get("values")))
