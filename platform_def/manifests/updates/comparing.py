"""Compares fields as the API server does: after defaults, quantities by what they amount to, empty like absent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from platform_def.crds.quantity import amount
from platform_def.manifests.loose import at
from platform_def.manifests.paths import Path, dotted, steps
from platform_def.manifests.updates.change import Change, Refused

Default = object | Callable[[Mapping[str, Any]], object]
Defaults = Mapping[str, Mapping[str, Default]]
"""The names that lead to a map (`ports`, `volumes.secret`; empty: the value itself), and what the server fills in.

A default is a value, or a function of the rest of the map; None: nothing."""

_QUANTITIES = frozenset({"requests", "limits", "capacity", "hard", "sizeLimit", "overhead"})
_MAPS = frozenset({"labels", "annotations", "matchLabels", "nodeSelector", "parameters", "data", "binaryData"})
_MAPS_OF_QUANTITIES = frozenset({"requests", "limits"})
_FLAGS = frozenset({"hostNetwork", "hostPID", "hostIPC", "stdin", "stdinOnce", "tty", "readOnly"})
"""False and absent are one; of most other flags they are not."""
_NUMBERS = frozenset({"initialDelaySeconds", "hostPort"})
_TEXTS = frozenset({"storageClassName", "volumeAttributesClassName"})
"""Empty and absent are not one."""
_SHOWN = 60


class Difference(NamedTuple):
    """A value that changes; None where there is none."""

    path: Path
    old: Any
    new: Any

    def __str__(self) -> str:
        if self.old is None:
            return f"is set to {shown(self.new)}" if _is_scalar(self.new) else "is added"
        if self.new is None:
            return f"is removed, and was {shown(self.old)}" if _is_scalar(self.old) else "is removed"
        if _is_scalar(self.old) and _is_scalar(self.new):
            return f"changes from {shown(self.old)} to {shown(self.new)}"
        return "changes"


def shown(value: object) -> str:
    """A single value, in short."""
    text = str(value).lower() if isinstance(value, bool) else str(value) or '""'
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def fixed(
    path: str, says: str, *, default: object = None, defaults: Defaults | None = None, since: int = 0
) -> Callable[[Change], Iterator[Refused]]:
    """Finds changes at a dotted path of the object; `says`: what the server says to them.

    `default`: what the server fills in for the field; `since`: the first minor version of Kubernetes that has it.
    """

    def find(change: Change) -> Iterator[Refused]:
        if since <= change.kubernetes.minor:
            old, new = (value_at(one, path, default) for one in (change.old, change.new))
            yield from refused(differences(old, new, path, defaults or {}), says)

    return find


def together(*finds: Callable[[Change], Iterable[Refused]]) -> Callable[[Change], Iterator[Refused]]:
    """Finds what each of these finds."""

    def find(change: Change) -> Iterator[Refused]:
        for each in finds:
            yield from each(change)

    return find


def refused(found: list[Difference], says: str) -> Iterator[Refused]:
    """One finding of all these differences, at the first of them."""
    if found:
        first = found[0]
        more = f" (and {len(found) - 1} more below it)" if len(found) > 1 else ""
        yield Refused(dotted(first.path), f"{first}{more}; {says}")


def differences(old: Any, new: Any, path: str, defaults: Defaults) -> list[Difference]:
    """The single values in which two values differ, in the order of their paths."""
    names = tuple(path.split("."))[-1:] if path else ()
    return list(_differences(canonical(old, defaults, names), canonical(new, defaults, names), steps(path)))


def canonical(value: Any, defaults: Defaults, names: tuple[str, ...]) -> Any:
    """The value as the server stores it."""
    if isinstance(value, dict):
        said = {key: each for key, each in value.items() if not _is_nothing(key, each)}
        filled = {key: _made(given, said) for key, given in _defaults_at(names, defaults)} | said
        return {key: canonical(each, defaults, (*names, str(key))) for key, each in filled.items() if each is not None}
    if isinstance(value, list):
        return [canonical(each, defaults, names) for each in value] or None
    return value


def _is_nothing(key: str, value: Any) -> bool:
    empty_map = value == {} and key in _MAPS | _MAPS_OF_QUANTITIES
    no_flag = value is False and key in _FLAGS
    no_number = value == 0 and not isinstance(value, bool) and key in _NUMBERS
    return value is None or value == [] or empty_map or no_flag or no_number or (value == "" and key not in _TEXTS)


def _defaults_at(names: tuple[str, ...], defaults: Defaults) -> Iterator[tuple[str, Default]]:
    if not names:
        yield from defaults.get("", {}).items()
    for length in range(1, len(names) + 1):
        yield from defaults.get(".".join(names[-length:]), {}).items()


def _made(given: Default, said: Mapping[str, Any]) -> object:
    return given(said) if callable(given) else given


def _differences(old: Any, new: Any, path: Path) -> Iterator[Difference]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}, key=str):
            yield from _differences(old.get(key), new.get(key), (*path, key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _differences(before, after, (*path, index))
    elif not _same(old, new, path):
        yield Difference(path, old, new)


def _same(old: Any, new: Any, path: Path) -> bool:
    if _QUANTITIES.intersection(map(str, path)) and old is not None and new is not None:
        before, after = amount(old), amount(new)
        return before == after if before is not None and after is not None else str(old) == str(new)
    return bool(old == new) and isinstance(old, bool) == isinstance(new, bool)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | float)


def smaller(old: object, new: object) -> bool | None:
    """Whether a quantity is less than another; None where one of them is no quantity."""
    before, after = amount(old), amount(new)
    return after < before if before is not None and after is not None else None


def value_at(manifest: object, path: str, default: object) -> object:
    """The value at a dotted path, or what the server fills in."""
    found = at(manifest, path)
    return default if found is None or found == "" else found
