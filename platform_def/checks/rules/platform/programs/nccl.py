"""What NCCL's variables say of adapters and interfaces is what the pod has.

Facts: NCCL 2.27. Numbers are read as C's strtoll does, so that `true` is 0 (misc/param.cc); NCCL_SOCKET_IFNAME is a
list of beginnings of names, exact behind `=`, left out behind `^`; the index of the GID is found since 2.21, which
PyTorch's images have from 2.5 on and NVIDIA's from 24.06. Multus calls its interfaces `net1`, `net2` … unless an entry
names one (`name@ib0`, or `interface` in its JSON), beside `eth0`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from platform_def.checks.fault import Fault
from platform_def.manifests.loose import items, mapping, text
from platform_def.manifests.paths import Path, dotted
from platform_def.manifests.workloads import Pods

_MULTUS = "k8s.v1.cni.cncf.io/networks"
_NETWORKS = (_MULTUS, "networking.gke.io/interfaces", "v1.multus-cni.io/default-network")
_SWITCHES = ("NCCL_IB_DISABLE", "NCCL_P2P_DISABLE", "NCCL_SHM_DISABLE")
_NUMBER, _UNSAID = re.compile(r"\s*[+-]?\d"), re.compile(r"\$\(")
_FINDS_GID = re.compile(
    r"(?:^|/)(?:pytorch/pytorch:(?:2\.(?:[5-9]|\d\d)|[3-9])\.|nvidia/pytorch:(?:24\.(?:0[6-9]|1\d)|2[5-9]\.\d\d)-)"
)
"""Images whose NCCL finds the index by itself."""


class Reach(NamedTuple):
    """What a container can use."""

    asks: bool
    """Whether it asks for adapters."""
    unknown: bool
    """Whether it may see adapters that it does not ask for by name."""
    interfaces: tuple[str, ...] | None
    """Of its pod; None: unknown."""


def interfaces_of(pods: Pods) -> tuple[str, ...] | None:
    """The pod's interfaces beside those of the cluster's network, whose names begin with `eth`; None: not known."""
    if pods.spec.get("hostNetwork") is True or pods.spec.get("resourceClaims"):
        return None
    asked = {name: value for name in _NETWORKS if (value := pods.annotations.get(name))}
    if not asked:
        return ()
    return _named(asked[_MULTUS]) if asked.keys() == {_MULTUS} and isinstance(asked[_MULTUS], str) else None


def _named(networks: str) -> tuple[str, ...] | None:
    if not networks.lstrip().startswith(("[", "{")):
        given = [each.partition("@")[2].strip() for each in networks.split(",")]
    else:
        try:
            given = [text(mapping(each).get("interface")) for each in items(json.loads(networks))]
        except ValueError:
            return None
    return tuple(name or f"net{index}" for index, name in enumerate(given, 1))


def faults(env: object, path: Path, image: str, reach: Reach) -> Iterator[Fault]:
    """What is wrong with the variables of one container, whose list stands at a path."""
    said = {
        text(mapping(each).get("name")): (dotted((*path, index)), text(mapping(each).get("value")))
        for index, each in enumerate(items(env))
    }
    off = _switched(said, "NCCL_IB_DISABLE")
    yield from _switches(said)
    for name, chosen in (("NCCL_IB_DISABLE", off), ("NCCL_NET", _value(said, "NCCL_NET").lower() == "socket")):
        if reach.asks and chosen:
            text_ = "NCCL is configured not to use RDMA, and the container asks for it: gradients go over TCP"
            yield Fault(said[name][0], text_, "leave the variable out")
    for name in ("NCCL_IB_HCA", "NCCL_IB_GID_INDEX"):
        if name in said and not (reach.asks or reach.unknown or off):
            text_ = f"{name} is set, and the container asks for no adapter: it sees none, and NCCL uses TCP"
            yield Fault(said[name][0], text_, "ask for the pool's `rdma/…` resource, or leave the variable out")
    if _value(said, "NCCL_IB_GID_INDEX").isdecimal() and not off and _FINDS_GID.search(image):
        text_ = "NCCL finds the index by itself since 2.21; one that is fixed is wrong on VLANs and bonds"
        yield Fault(said["NCCL_IB_GID_INDEX"][0], text_, "leave the variable out")
    yield from _sockets(said, reach)


def _value(said: Mapping[str, tuple[str, str]], name: str) -> str:
    return said.get(name, ("", ""))[1]


def _switched(said: Mapping[str, tuple[str, str]], name: str) -> bool:
    return _value(said, name).strip() not in ("", "0") and bool(_NUMBER.match(_value(said, name)))


def _switches(said: Mapping[str, tuple[str, str]]) -> Iterator[Fault]:
    for name in _SWITCHES:
        value = _value(said, name)
        if value and not _NUMBER.match(value) and not _UNSAID.search(value):
            yield Fault(said[name][0], f"NCCL reads a number here, and '{value[:20]}' as 0", 'write "1" or "0"')


def _sockets(said: Mapping[str, tuple[str, str]], reach: Reach) -> Iterator[Fault]:
    chosen = _value(said, "NCCL_SOCKET_IFNAME")
    if not chosen or chosen.startswith("^") or _UNSAID.search(chosen) or reach.interfaces is None:
        return
    exact, names = chosen.startswith("="), [each.strip() for each in chosen.removeprefix("=").split(",")]
    there = ("lo", *reach.interfaces)
    if any(name.startswith("eth") or "eth".startswith(name) for name in names):
        return
    if not any(each == name if exact else each.startswith(name) for name in names for each in there):
        others = f" and {', '.join(reach.interfaces)}" if reach.interfaces else ""
        text_ = f"the pod has eth0{others}, and no interface {chosen[:40]}: NCCL finds nothing to connect by"
        yield Fault(said["NCCL_SOCKET_IFNAME"][0], text_, "write eth0, or leave the variable out")
