"""What an operator that does not run would write into the status of its objects, by what their types say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from platform_def.crds.catalogue import api_of
from platform_def.crds.health import AnyHealth, FinalizerHealth, HealthConditions, StateHealth
from platform_def.crds.model import Api
from tests.cluster.client import Manifest

LATE = "2026-01-01T00:00:00Z"
READY = {"type": "Ready", "status": "True", "reason": "Ready", "message": "", "lastTransitionTime": LATE}
READY_VALUE = "ready"
"""Of a state that says so in words, where that is one of its values."""
GATEWAYS = "gateway.networking.k8s.io"
ENGINES = ("argoproj.io", "kustomize.toolkit.fluxcd.io", "source.toolkit.fluxcd.io")
"""Groups of kinds that a real program judges here."""


def judged(objects: Iterable[Manifest]) -> Iterator[Api[Any]]:
    """The kinds among some objects whose types say when one is ready, and which no other stand-in makes so."""
    kinds = {(each["apiVersion"], each["kind"]) for each in objects}
    for version, kind in sorted(kinds):
        group, _, name = version.rpartition("/")
        api = api_of(group, kind, name) if group else None
        if api and api.health and group not in ENGINES and kind != "Certificate":
            yield api


def attachable(objects: Iterable[Manifest]) -> Iterator[Api[Any]]:
    """The kinds of the Gateway API among some objects, of which a gateway's controller says whether it takes them."""
    for version, kind in sorted({(each["apiVersion"], each["kind"]) for each in objects}):
        group, _, name = version.rpartition("/")
        api = api_of(group, kind, name) if group == GATEWAYS else None
        if api and (kind.endswith("Route") or kind in ("Gateway", "GatewayClass", "BackendTLSPolicy")):
            yield api


def attached(found: Manifest) -> Manifest:
    """What a controller writes of a Gateway, a class, a route or a policy that it takes; empty where that stands there.

    Whose a policy is, a controller says by the Gateway in front of its Services; here the Services stand for it.
    """
    generation, status = found["metadata"]["generation"], found.get("status") or {}

    def said(*types: str) -> list[Manifest]:
        return [READY | {"type": name, "reason": "Accepted", "observedGeneration": generation} for name in types]

    taken = {"controllerName": "platform-def.test/gateways", "conditions": said("Accepted", "ResolvedRefs")}
    wanted: Manifest
    if found["kind"].endswith("Route"):
        wanted = {"parents": [{"parentRef": each, **taken} for each in found["spec"].get("parentRefs") or ()]}
    elif found["kind"].endswith("Policy"):
        wanted = {"ancestors": [{"ancestorRef": each, **taken} for each in found["spec"]["targetRefs"]]}
    else:
        wanted = {"conditions": said("Accepted", *(["Programmed"] if found["kind"] == "Gateway" else []))}
    return {} if all(status.get(field) == value for field, value in wanted.items()) else wanted


def finalizers(health: AnyHealth | None, found: Manifest) -> list[str]:
    """The finalizers of an object that is ready, where one is what it lacks; else empty."""
    there = found["metadata"].get("finalizers") or []
    if not isinstance(health, FinalizerHealth) or health.name in there:
        return []
    return [*there, health.name]


def becoming(health: HealthConditions | StateHealth, found: Manifest) -> Manifest:
    """What the status lacks of an object that is ready; empty when it is."""
    if isinstance(health, StateHealth):
        *_, field = health.path.split(".")
        assert health.path == f"status.{field}", f"{health.path} is deeper than one field"
        return {} if (found.get("status") or {}).get(field) in health.ready else {field: health.ready[0]}
    status = found.get("status") or {}
    true = {each["type"] for each in status.get("conditions") or () if each["status"] == "True"}
    seen = {"observedGeneration": found["metadata"]["generation"]} if health.generation else {}
    if {*health.ready} <= true and all(status.get(key) == value for key, value in seen.items()):
        return {}
    return {"conditions": [READY | {"type": name} for name in health.ready], **seen}


def required(definition: Manifest, version: str) -> Manifest:
    """What a status of the kind cannot be without, beside what says that the object is ready."""
    (schema,) = (
        each["schema"]["openAPIV3Schema"] for each in definition["spec"]["versions"] if each["name"] == version
    )
    status = schema["properties"].get("status") or {}
    fields = {name: status["properties"][name] for name in status.get("required") or ()}
    return {name: _least(field) for name, field in fields.items() if _least(field) is not None}


def _least(field: Manifest) -> object:
    """A value that a field may have; None for what is made of fields itself."""
    values = field.get("enum") or ()
    return READY_VALUE if READY_VALUE in values else next(iter(values), {"string": "", "integer": 0}.get(field["type"]))
