"""The resolved facts of a stack that components share, and a record of which of them a build has read.

Facts are small and separate on purpose: the result of a build is kept under the facts it read, so a component that asks
for the registry is not built anew for a cluster that differs by name alone.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal

import orjson
from pydantic import BaseModel

from platform_def.config.cluster import Distribution, Ingress
from platform_def.config.component import Availability
from platform_def.config.pools import NodePool
from platform_def.config.stack import Gateway
from platform_def.config.storage import CephFs, ExistingStorage
from platform_def.config.teams import PodSecurity, Team

_READS: ContextVar[set[str] | None] = ContextVar("reads", default=None)


@dataclass(frozen=True)
class NamespaceNeed:
    """A namespace that somebody's objects live in, and the Pod Security level that they need there."""

    name: str
    pod_security: PodSecurity = "baseline"
    labels: tuple[tuple[str, str], ...] = ()
    why: str = ""
    """Reason for a level above baseline, written into an annotation."""


@dataclass(frozen=True, order=True)
class ExistingObject:
    """An object that the cluster has and no stack renders."""

    kind: str
    name: str
    namespace: str = ""
    """Empty for an object of the cluster."""
    group: str = ""
    """Empty also where the kind alone says enough."""

    @staticmethod
    def parse(text: str) -> ExistingObject:
        """From `Kind name`, `Kind namespace/name` or `Kind.group …`."""
        head, _, tail = text.partition(" ")
        kind, _, group = head.partition(".")
        namespace, _, name = tail.rpartition("/")
        return ExistingObject(kind, name, namespace, group)


@dataclass(frozen=True)
class Offers:
    """What a component gives to the others; a pure function of its configuration."""

    namespaces: tuple[NamespaceNeed, ...] = ()
    apis: tuple[str, ...] = ()
    """Custom resources that it serves, as `Kind.group`."""
    storage_classes: tuple[str, ...] = ()
    runtime_classes: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    """Extended resources that it puts on nodes; patterns such as `nvidia.com/mig-*`."""
    existing: tuple[ExistingObject, ...] = ()
    """What its configuration says that the cluster has already."""


@dataclass(frozen=True)
class ComponentFact:
    """What others may know of a component in the stack."""

    release: str
    namespace: str
    provided: bool = False


@dataclass(frozen=True)
class Platform:
    """The facts. Every field read inside `observed()` is recorded by name."""

    stack: str = "stack"
    cluster: str = "cluster"
    kubernetes: str = "1.36"
    distribution: Distribution = "kubeadm"
    dns_domain: str = "cluster.local"
    registry: str | None = None
    package_indexes: Mapping[str, str] = field(default_factory=dict)
    feature_gates: Mapping[str, bool] = field(default_factory=dict)
    cgroup: Literal["v1", "v2"] = "v2"
    nvidia_runtime: Literal["default", "class"] = "class"
    delivery: Literal["argocd", "flux", "none"] = "none"
    gateway: Gateway = "none"
    ingress: Ingress = Ingress()  # noqa: RUF009 - models are frozen
    availability: Availability = "standard"
    node_pools: tuple[NodePool, ...] = ()
    storage: Mapping[str, CephFs | ExistingStorage] = field(default_factory=dict)
    teams: tuple[Team, ...] = ()
    components: Mapping[str, ComponentFact] = field(default_factory=dict)
    namespaces: tuple[NamespaceNeed, ...] = ()
    apis: frozenset[str] = frozenset()
    """Custom resources that the stack serves, as `Kind.group`."""
    resources: frozenset[str] = frozenset()
    """Extended resources that its components, or the cluster's own, put on nodes; patterns like `nvidia.com/mig-*`."""
    existing: tuple[ExistingObject, ...] = ()
    """Objects that its configuration names as the cluster's own."""

    def __getattribute__(self, name: str) -> object:
        if name in _FACTS:
            reads = _READS.get()
            if reads is not None:
                reads.add(name)
        return object.__getattribute__(self, name)

    def digest(self, facts: tuple[str, ...] | None = None) -> str:
        """A hash of the named facts' values, or of all."""
        facts = facts if facts is not None else tuple(_FACTS)
        values = {name: object.__getattribute__(self, name) for name in sorted(facts)}
        return hashlib.sha256(orjson.dumps(values, default=_plain, option=orjson.OPT_SORT_KEYS)).hexdigest()

    def image(self, reference: str) -> str:
        """The reference as this cluster pulls it: through the stack's mirror where there is one."""
        return mirrored(reference, self.registry)

    def serves(self, api: str) -> bool:
        """Whether the stack has the custom resource `Kind.group`."""
        return api in self.apis

    def offers_resource(self, name: str) -> bool:
        """Whether some component puts the extended resource on nodes."""
        return any(fnmatchcase(name, pattern) for pattern in self.resources)

    def pool(self, name: str) -> NodePool | None:
        """The node pool of that name."""
        return next((pool for pool in self.node_pools if pool.name == name), None)


_FACTS = frozenset(item.name for item in dataclasses.fields(Platform))


def _plain(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, frozenset):
        return sorted(value)
    raise TypeError(f"a fact of type {type(value).__name__} has no canonical form")


@contextmanager
def observed() -> Iterator[set[str]]:
    """Record which facts are read inside the block."""
    reads: set[str] = set()
    token = _READS.set(reads)
    try:
        yield reads
    finally:
        _READS.reset(token)


def mirrored(reference: str, registry: str | None) -> str:
    """An image reference through a mirror: `quay.io/a/b:1` becomes `<registry>/quay.io/a/b:1`, once.

    A reference without a host is Docker Hub's, as container runtimes read it: `mysql:8` is `docker.io/library/mysql:8`.
    """
    if registry is None or reachable(reference, registry):
        return reference
    return f"{registry}/{qualified(reference)}"


def reachable(reference: str, registry: str) -> bool:
    """Whether the reference is on the mirror's own host: what a team pushed there needs no mirror."""
    return reference.startswith(registry.partition("/")[0] + "/")


def qualified(reference: str) -> str:
    """The reference with host and, for Docker Hub's own images, `library/` written out."""
    head, slash, _ = reference.partition("/")
    if slash and ("." in head or ":" in head or head == "localhost"):
        return reference
    return f"docker.io/{reference}" if slash else f"docker.io/library/{reference}"
