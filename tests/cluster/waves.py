"""In which order the objects of a stack go to an API server that nothing else works on, and what came of it.

What defines comes before what uses it, and what may refuse others (webhooks without a backend, policies) comes last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from tests.cluster.client import Api, Applied, Key, Manifest
from tests.cluster.control_plane import until

ESTABLISH_SECONDS = 420.0

NAMESPACES, DEFINITIONS, CLASSES, OBJECTS, PODS, CUSTOM, ADMISSION = range(7)

_WAVE_OF_KIND = {
    "Namespace": NAMESPACES,
    "CustomResourceDefinition": DEFINITIONS,
    # Admission of pods, claims and routes looks these up.
    "PriorityClass": CLASSES,
    "RuntimeClass": CLASSES,
    "StorageClass": CLASSES,
    "IngressClass": CLASSES,
    "ServiceAccount": CLASSES,
    "LimitRange": CLASSES,
    "Pod": PODS,
    "MutatingWebhookConfiguration": ADMISSION,
    "ValidatingWebhookConfiguration": ADMISSION,
    "MutatingAdmissionPolicy": ADMISSION,
    "MutatingAdmissionPolicyBinding": ADMISSION,
    "ValidatingAdmissionPolicy": ADMISSION,
    "ValidatingAdmissionPolicyBinding": ADMISSION,
    # An API without a backend makes its whole group fail in discovery.
    "APIService": ADMISSION,
}


def wave(manifest: Manifest) -> int:
    """The wave of an object; groups outside of Kubernetes' own come after all built-in kinds."""
    group = manifest["apiVersion"].rpartition("/")[0]
    if is_built_in(group):
        return _WAVE_OF_KIND.get(manifest["kind"], OBJECTS)
    return CUSTOM


def is_built_in(group: str) -> bool:
    """Whether kube-apiserver itself serves a group; other projects also use names under k8s.io."""
    return "." not in group or group in _BUILT_IN_GROUPS


_BUILT_IN_GROUPS = frozenset(
    f"{name}.k8s.io"
    for name in (
        "admissionregistration", "apiextensions", "apiregistration", "authentication", "authorization", "certificates",
        "coordination", "discovery", "events", "networking", "node", "rbac.authorization", "resource", "scheduling",
        "storage",
    )
)  # fmt: skip


def in_waves(manifests: Iterable[Manifest]) -> list[list[Manifest]]:
    """The objects by wave, in order, without empty waves."""
    waves: list[list[Manifest]] = [[] for _ in range(ADMISSION + 1)]
    for manifest in manifests:
        waves[wave(manifest)].append(manifest)
    return [found for found in waves if found]


def apply_in_waves(api: Api, manifests: Sequence[Manifest], *, force: bool = True) -> list[Applied]:
    """Apply all objects, waiting for definitions to be served before their objects; refusals are in the results.

    Without `force` a field that somebody else has meanwhile is such a refusal.
    """
    results: list[Applied] = []
    definitions: list[Manifest] = []
    for objects in in_waves(manifests):
        if wave(objects[0]) == CUSTOM:
            wait_until_served(api, definitions)
        applied = api.apply_all(objects, force=force)
        if wave(objects[0]) == DEFINITIONS:
            definitions = [found.stored for found in applied if found.stored]
        results += applied
    return results


def refusals(results: Iterable[Applied]) -> list[str]:
    """What was refused and why, sorted."""
    return sorted(str(result) for result in results if result.refusal)


def wait_until_served(api: Api, definitions: Iterable[Manifest]) -> None:
    """Wait for the kinds of stored CRDs: established is not yet served. Those with a name conflict never are: left out."""
    awaited = {kind: definition for definition in definitions for kind in kinds_of(definition)}

    def served() -> bool:
        absent = sorted(awaited.keys() - api.discover().keys())
        if absent and condition(api.read(awaited[absent[0]]).body, "NamesAccepted") == "False":
            del awaited[absent.pop(0)]
        return not absent

    if awaited:
        until(served, seconds=ESTABLISH_SECONDS, every=0.2, what=f"all of {len(awaited)} custom kinds are served")


def kinds_of(definition: Manifest) -> list[tuple[str, str]]:
    """API version and kind for each served version of a CRD."""
    spec = definition["spec"]
    return [
        (f"{spec['group']}/{version['name']}", spec["names"]["kind"])
        for version in spec["versions"]
        if version["served"]
    ]


def condition(manifest: Manifest, kind: str) -> str | None:
    """The status of a condition (`True`, `False`, `Unknown`); None before it is written. Volcano's have no type."""
    found = (manifest.get("status") or {}).get("conditions") or []
    return next((str(item["status"]) for item in found if item.get("type") == kind), None)


def as_stored_now(api: Api, results: Iterable[Applied]) -> list[Applied]:
    """The results with the objects read anew: the server itself goes on writing some, such as a CRD's status."""
    return [replace(result, stored=api.read(result.sent).body) if result.stored else result for result in results]


def changed(first: Iterable[Applied], again: Iterable[Applied], *, apply: Callable[[Manifest], Applied]) -> list[Key]:
    """The objects that a second apply changed, or that change with every apply.

    A new resourceVersion alone is forgiven once: the server stores the defaults of a status with the second apply.
    """
    before = {result.key: result for result in first}
    suspects = [result for result in again if before[result.key].resource_version != result.resource_version]
    return sorted(
        result.key
        for result in suspects
        if _content(result) != _content(before[result.key])
        or apply(result.sent).resource_version != result.resource_version
    )


def _content(result: Applied) -> Manifest:
    """What an object says, without the server's own notes about it."""
    notes = ("resourceVersion", "managedFields")
    stored = result.stored or {}
    metadata = {key: value for key, value in stored.get("metadata", {}).items() if key not in notes}
    return {**stored, "metadata": metadata, "status": None}
