"""What a cluster holds at a moment: every object of every kind, so that two moments can be compared."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from tests.cluster.client import Api, Key, Manifest

# Written by programs as they run, not by whoever applies.
RUNNING = frozenset(
    [
        "Pod",
        "ReplicaSet",
        "ControllerRevision",
        "Event",
        "Lease",
        "EndpointSlice",
        "Endpoints",
        "Node",
        "PodMetrics",
        "ComponentStatus",
    ]
)


# What an engine and its user write into the engine's own objects: requests, operations.
ENGINE = frozenset(["Application", "Kustomization", "GitRepository"])


def objects(api: Api) -> Mapping[Key, Manifest]:
    """Everything that can be listed, but what runs."""
    found: dict[Key, Manifest] = {}
    for (version, kind), served in api.discover().items():
        if kind in RUNNING or "/" in served.plural:
            continue
        root = "apis" if "/" in version else "api"
        for each in api.get(f"/{root}/{version}/{served.plural}").body.get("items") or ():
            metadata = each["metadata"]
            found[Key(version, kind, metadata.get("namespace") or "", metadata["name"])] = each
    return found


def changed(before: Mapping[Key, Manifest], after: Mapping[Key, Manifest]) -> set[Key]:
    """The objects of both moments that somebody asked to be otherwise: status, and notes about it, do not count."""
    both = {key for key in after if key in before and key.kind not in ENGINE}
    return {key for key in both if _content(after[key]) != _content(before[key])}


def differing(before: Iterable[Manifest], after: Iterable[Manifest]) -> set[Key]:
    """The objects of both sets that are not the same."""
    known = {Key.of(each): each for each in before}
    return {Key.of(each) for each in after if Key.of(each) in known and known[Key.of(each)] != each}


def names(keys: Collection[Key]) -> list[str]:
    """For messages and comparisons: `Deployment training/operator`, once however many versions its API has."""
    return sorted({f"{key.kind} {key.namespace + '/' if key.namespace else ''}{key.name}" for key in keys})


def _content(manifest: Manifest) -> Manifest:
    notes = ("resourceVersion", "managedFields", "generation")
    metadata = {name: value for name, value in manifest["metadata"].items() if name not in notes}
    return {**manifest, "metadata": metadata, "status": None}
