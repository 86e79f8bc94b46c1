"""Kinds of storage: what components and jobs ask for, and which entry of a stack's `storage:` they get.

A kind says what matters to who asks, never whose product it is, so that one component fits every cluster.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from platform_def.config.storage.entries import AccessMode, AnyStorage
from platform_def.config.written.watch import names_of
from platform_def.errors import ConfigError, nearest

StorageKind = Literal["shared", "fast", "bulk"]
"""`shared`: many nodes at once, ReadWriteMany. `fast`: low latency for one pod, such as a database. `bulk`: much data
that is read in order, such as checkpoints and archives."""
KINDS: tuple[StorageKind, ...] = get_args(StorageKind)


@dataclass(frozen=True)
class ChosenStorage:
    """An entry of the stack that serves a claim."""

    key: str
    entry: AnyStorage

    @property
    def class_name(self) -> str:
        """Name of its StorageClass."""
        return self.entry.class_name or self.key


def choose(
    storage: Mapping[str, AnyStorage],
    kinds: Mapping[StorageKind, str],
    wanted: str,
    *,
    mode: AccessMode,
    who: str,
) -> ChosenStorage | None:
    """The entry for `wanted`, the key of an entry or a kind, that a claim of `mode` can be made from.

    A kind is served by the entry that `kinds` names, else by the one called so. `shared` without a named entry is
    served by the only entry that many nodes can mount; of the others None says that the cluster's default class does.
    Raises ConfigError, which begins with `who`, where nothing in the stack can serve it.
    """
    key = kinds.get(wanted, wanted) if wanted in KINDS else wanted
    if key in storage:
        return _fitting(ChosenStorage(key, storage[key]), mode, who)
    if wanted not in KINDS:
        hint = nearest(wanted, names_of(storage)) or "entries: there is none"
        raise ConfigError(f"{who}: storage '{wanted}' is not in the stack", hint=hint)
    if wanted != "shared":
        return None
    many = [name for name, entry in sorted(storage.items()) if {mode, "ReadWriteMany"} <= {*entry.modes}]
    if len(many) == 1:
        return ChosenStorage(many[0], storage[many[0]])
    if many:
        hint = f"say which: `storageKinds: {{shared: {many[0]}}}`"
        raise ConfigError(f"{who} needs shared storage, and {' and '.join(many)} are", hint=hint)
    there = "; ".join(f"{name} can be {', '.join(entry.modes)}" for name, entry in sorted(storage.items()))
    hint = "add one under storage, such as `shared: {driver: cephfs, …}`" + (f" ({there})" if there else "")
    raise ConfigError(f"{who} needs storage that many nodes can mount ({mode}), and the stack has none", hint=hint)


def _fitting(chosen: ChosenStorage, mode: AccessMode, who: str) -> ChosenStorage:
    modes = chosen.entry.modes
    if mode in modes:
        return chosen
    text = f"{who} is {mode}, which storage '{chosen.key}' cannot be"
    raise ConfigError(text, hint=f"it can be {', '.join(modes)}")
