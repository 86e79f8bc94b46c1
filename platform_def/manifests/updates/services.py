"""Services: what is allocated once stays, and leaving a field out does not give it back."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.manifests.loose import at, items, text
from platform_def.manifests.updates.change import Change, Refused, Row
from platform_def.manifests.updates.comparing import differences, fixed, refused, shown, together, value_at

_IP, _EXTERNAL, _NONE = "spec.clusterIP", "ExternalName", "None"
_ONCE = "the API server does not let it change once it is set"
_BY_PORT = frozenset({"NodePort", "LoadBalancer"})


def _types(change: Change) -> tuple[str, str]:
    old, new = (value_at(one, "spec.type", "ClusterIP") for one in (change.old, change.new))
    return str(old), str(new)


def _cluster_ip(change: Change) -> Iterator[Refused]:
    old, new = (text(value) for value in change.both(_IP))
    types = _types(change)
    if _EXTERNAL in types:
        return
    if old == _NONE and types[1] in _BY_PORT:
        says = f"the API server refuses a {types[1]} Service without an address, and the Service keeps clusterIP: None"
        yield Refused("spec.type", f"changes from {types[0]} to {types[1]}; {says}")
    elif old == new:
        return
    elif old and new:
        yield Refused(_IP, f"changes from {old} to {new}; {_ONCE}")
    elif old:
        kept = "stays without an address" if old == _NONE else "keeps its address"
        way = "write it again, or give the Service a new name"
        yield Refused(
            _IP,
            f"is removed, and was {old}; the API server accepts this without effect: the Service {kept}",
            way,
            "warning",
        )
    elif new == _NONE:
        yield Refused(_IP, f"is set to None; {_ONCE}, and the Service has been given an address")
    else:
        yield _allocated(change, _IP, new)


def _health_port(change: Change) -> Iterator[Refused]:
    path = "spec.healthCheckNodePort"
    old, new = change.both(path)
    if not all(_checks_health(one) for one in (change.old, change.new)) or old == new:
        return
    if old and new:
        yield Refused(path, f"changes from {old} to {new}; {_ONCE}")
    elif new:
        yield _allocated(change, path, new)
    else:
        says = "the API server accepts this without effect: the Service keeps its port"
        yield Refused(path, f"is removed, and was {old}; {says}", "write it again", "warning")


def _checks_health(service: object) -> bool:
    local = at(service, "spec.externalTrafficPolicy") == "Local"
    return local and at(service, "spec.type") == "LoadBalancer"


def _allocated(change: Change, path: str, new: object) -> Refused:
    """A value for what the server has chosen a value for already."""
    asks = f"{change.kubectl} get service {change.name} -o jsonpath='{{.{path}}}'"
    says = "the API server takes it only if the Service was given this one"
    return Refused(path, f"is set to {shown(new)}; {says}", f"ask which it was given: {asks}", "warning")


def _families(change: Change) -> Iterator[Refused]:
    path = "spec.ipFamilies"
    old, new = (items(value) for value in change.both(path))
    headless = any(text(at(one, _IP)) == _NONE for one in (change.old, change.new))
    if old and new and old[0] != new[0] and not headless and _EXTERNAL not in _types(change):
        yield from refused(differences(old[0], new[0], f"{path}[0]", {}), _ONCE)


def _balancer_class(change: Change) -> Iterator[Refused]:
    if _types(change) == ("LoadBalancer", "LoadBalancer"):
        yield from fixed("spec.loadBalancerClass", "the API server lets it change only together with the type")(change)


_ADDRESS_CHANGES = "connections to it break, and it gets another address and other node ports"

SERVICES = (
    Row(
        id="service-cluster-ip",
        kinds=("Service",),
        find=_cluster_ip,
        way="keep clusterIP as it was, or give the Service a new name",
        loses=_ADDRESS_CHANGES,
    ),
    Row(
        id="service-allocated",
        kinds=("Service",),
        find=together(_health_port, _families, _balancer_class),
        way="keep the field as it was, or give the Service a new name",
        loses=f"{_ADDRESS_CHANGES}; a load balancer outside is taken down and another one made",
    ),
)
