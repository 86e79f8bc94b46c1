"""Parameters that NVIDIA's DRA driver refuses: the API server takes any map, and the pod then never starts.

Facts: NVIDIA's DRA driver 0.4 (strict decoding; sharing needs its strategy's feature gate, off by default).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from platform_def.apis.nvidia.device_parameters_v1beta1 import (
    API_VERSION,
    DRIVERS,
    GATES,
    MPS,
    PARAMETERS,
    TIME_SLICING,
)
from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rules.operators.refusals.shapes import mismatches
from platform_def.errors import nearest
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import containers
from platform_def.manifests.rendered import Manifest, RenderedObject

_GATES = "FEATURE_GATES"
_PLACES = {"ResourceClaim": "spec.devices", "ResourceClaimTemplate": "spec.spec.devices", "DeviceClass": "spec"}
_FIELD = {TIME_SLICING: "timeSlicingConfig", MPS: "mpsConfig"}
_REFUSED = "the driver refuses it, and the pod never starts"


def reads(context: Context, _: RenderedObject) -> Hashable:
    """Feature gates of the driver that are on; None where the driver is not among the objects."""
    return context.once(_gates_on)


def _gates_on(context: Context) -> frozenset[str] | None:
    found: frozenset[str] | None = None
    for item in context.index.by_kind.get(("apps", "DaemonSet"), ()):
        if "dra-driver" not in item.name:
            continue
        found = found or frozenset()
        for _, container in containers(item.manifest):
            for each in map(mapping, items(container.get("env"))):
                said = text(each.get("value")) if each.get("name") == _GATES else ""
                found |= {one.strip().removesuffix("=true") for one in said.split(",") if one.strip().endswith("=true")}
    return found


def of_claim(manifest: Manifest, gates: Hashable) -> Iterator[Fault]:
    """A claim, a template of claims, or a class of devices."""
    where = _PLACES[str(manifest.get("kind"))]
    for index, config in enumerate(items(at(manifest, f"{where}.config"))):
        opaque = mapping(mapping(config).get("opaque"))
        parameters = opaque.get("parameters")
        if opaque.get("driver") in DRIVERS and isinstance(parameters, dict):
            path = f"{where}.config[{index}].opaque.parameters"
            yield from _parameters(path, parameters, gates if isinstance(gates, frozenset) else None)


def _parameters(path: str, given: Mapping[str, Any], gates: frozenset[str] | None) -> Iterator[Fault]:
    kind = text(given.get("kind"))
    if given.get("apiVersion") != API_VERSION:
        said = f"'{str(given.get('apiVersion'))[:60]}' is not {API_VERSION}: {_REFUSED}"
        yield Fault(f"{path}.apiVersion", said, f"write apiVersion: {API_VERSION}")
    if kind not in PARAMETERS:
        yield Fault(f"{path}.kind", f"the driver knows no kind '{kind[:60]}': {_REFUSED}", nearest(kind, PARAMETERS))
        return
    for where, said, hint in mismatches(PARAMETERS[kind], dict(given)):
        yield Fault(f"{path}.{where}", f"{said}: {_REFUSED}", hint)
    sharing = mapping(given.get("sharing"))
    strategy = text(sharing.get("strategy"))
    other = _FIELD.get({TIME_SLICING: MPS, MPS: TIME_SLICING}.get(strategy, ""), "")
    if other in sharing and kind == "GpuConfig":
        said = f"cannot be combined with strategy {strategy}: {_REFUSED}"
        yield Fault(f"{path}.sharing.{other}", said, f"write {_FIELD[strategy]}, or leave it out")
    gate = GATES.get(strategy)
    if gate and gate not in (gates or ()):
        off = "off by default" if gates is None else "off"
        said = f"{strategy} needs the driver's feature gate {gate}, which is {off}"
        hint = f"turn it on (`nvidia-dra-driver: {{featureGates: {{{gate}: true}}}}`), or leave `sharing` out"
        yield Fault(f"{path}.sharing.strategy", f"{said}: {_REFUSED}", hint, "warning" if gates is None else "error")
