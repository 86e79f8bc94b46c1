"""Rights, classes, configuration and what else has a field that is fixed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.manifests.loose import items, mapping
from platform_def.manifests.updates.change import Change, Refused, Row
from platform_def.manifests.updates.comparing import Default, Defaults, fixed, refused, together
from platform_def.manifests.updates.comparing import differences as compared

_SAYS = "the API server does not let it change"
_NEW_NAME = "give it a new name, and let others name that"
_READ_AGAIN = "for a moment it is not there; pods that start just then fail and are tried again"


def _binding(kind: str) -> Row:
    return Row(
        id=f"{kind.lower()}-role",
        kinds=(f"{kind}.rbac.authorization.k8s.io",),
        find=fixed("roleRef", _SAYS, defaults={"roleRef": {"apiGroup": "rbac.authorization.k8s.io"}}),
        way="bind the other role by a binding with a new name",
        loses="for a moment its subjects do not have these rights",
    )


def _frozen(*fields: str) -> Row:
    """`immutable: true` freezes these fields, and itself."""
    kind = "Secret" if "stringData" in fields else "ConfigMap"
    return Row(
        id=f"immutable-{kind.lower()}",
        kinds=(kind,),
        find=lambda change: _thawed(change, fields),
        way=f"give the {kind} a new name, and let pods name that",
        loses=_READ_AGAIN,
    )


def _thawed(change: Change, fields: tuple[str, ...]) -> Iterator[Refused]:
    old, new = change.both("immutable")
    if old is not True:
        return
    if new is not True:
        yield Refused("immutable", "is removed; the API server does not let what is immutable change again")
    for field in fields if "sops" not in change.new else ():  # the same content is encrypted in other words each time
        before, after = (mapping(value) for value in change.both(field))
        keys = sorted(str(key) for key in {*before, *after} if before.get(key) != after.get(key))
        if keys:  # never what they hold
            yield Refused(
                field, f"changes in {', '.join(keys)}; the API server lets nothing of it change: it is immutable"
            )


def _scopes(change: Change) -> Iterator[Refused]:
    old, new = (sorted(map(str, items(value))) for value in change.both("spec.scopes"))
    yield from refused(compared(old, new, "spec.scopes", {}), _SAYS)


def _service_range(change: Change) -> Iterator[Refused]:
    old, new = (items(value) for value in change.both("spec.cidrs"))
    if list(new[: len(old)]) != list(old):
        yield from refused(compared(list(old), list(new), "spec.cidrs", {}), f"{_SAYS}; a second range may be added")


def _row(
    name: str, kind: str, field: str, *, loses: str, way: str = _NEW_NAME, defaults: Defaults | None = None
) -> Row:
    return Row(id=name, kinds=(kind,), find=fixed(field, _SAYS, defaults=defaults), way=way, loses=loses)


def _allocation(said: Mapping[str, Any]) -> object:
    """Filled in next to the class of devices, wherever the API's version has that."""
    return "ExactCount" if said.get("deviceClassName") else None


def _count(said: Mapping[str, Any]) -> object:
    return 1 if _allocation(said) and said.get("allocationMode") in (None, "ExactCount") else None


_ASKED: Mapping[str, Default] = {"allocationMode": _allocation, "count": _count}
_DEVICES: Defaults = {
    "requests": _ASKED,
    "exactly": _ASKED,
    "firstAvailable": _ASKED,
    "tolerations": {"operator": "Equal"},
}


_RANGE_GOES = "it waits until no address of it is in use"

OTHERS = (
    _binding("RoleBinding"),
    _binding("ClusterRoleBinding"),
    Row(
        id="priorityclass-fields",
        kinds=("PriorityClass.scheduling.k8s.io",),
        find=together(
            fixed("value", _SAYS),
            fixed("preemptionPolicy", _SAYS, default="PreemptLowerPriority"),
        ),
        way="make a class with a new name, and let pods name that",
        loses="pods that run keep the old priority; for a moment pods that name it are refused",
    ),
    _frozen("data", "binaryData"),
    _frozen("data", "stringData"),
    Row(
        id="secret-type",
        kinds=("Secret",),
        find=fixed("type", _SAYS, default="Opaque"),
        way="give the Secret a new name, and let pods name that",
        loses=_READ_AGAIN,
    ),
    _row(
        "ingressclass-controller",
        "IngressClass.networking.k8s.io",
        "spec.controller",
        loses="for a moment no controller serves the Ingresses that name it",
        way="make a class with a new name, and let Ingresses name that",
    ),
    _row(
        "runtimeclass-handler",
        "RuntimeClass.node.k8s.io",
        "handler",
        loses="pods that run go on; for a moment pods that name it are refused",
        way="make a class with a new name, and let pods name that",
    ),
    Row(
        id="resourcequota-scopes",
        kinds=("ResourceQuota",),
        find=_scopes,
        way="make a quota with a new name",
        loses="for a moment nothing is limited; what is used then is counted again",
    ),
    _row(
        "endpointslice-type",
        "EndpointSlice.discovery.k8s.io",
        "addressType",
        loses="for a moment the Service does not lead there",
    ),
    _row(
        "resourceclaim-spec",
        "ResourceClaim.resource.k8s.io",
        "spec",
        loses="it waits until no pod uses it; pods may then get other devices",
        defaults=_DEVICES,
    ),
    _row(
        "resourceclaimtemplate-spec",
        "ResourceClaimTemplate.resource.k8s.io",
        "spec",
        loses="pods that run keep their claims; for a moment pods that name it do not start",
        defaults=_DEVICES,
    ),
    _row("ipaddress-parent", "IPAddress.networking.k8s.io", "spec.parentRef", loses="the address is free for a moment"),
    Row(
        id="servicecidr-ranges",
        kinds=("ServiceCIDR.networking.k8s.io",),
        find=_service_range,
        way="add another one with a new name",
        loses=_RANGE_GOES,
    ),
)
