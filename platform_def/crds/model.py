"""What an API is: one version of one kind, core or custom, and the CRD that serves a custom one.

An `Api` is what authors name (`Resource(self, PYTORCH_JOB, name, spec=…)`); a `Definition` is what gets installed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from platform_def.crds.health import AnyHealth
from platform_def.crds.schema import Keyword, Ref, Schema

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of `kubectl get`."""

    name: str
    path: str
    type: str = "string"
    priority: int = 0
    """Above 0: only with `-o wide`."""
    format: str = ""
    doc: str = ""


AGE = Column("Age", ".metadata.creationTimestamp", "date")


@dataclass(frozen=True, slots=True)
class Scale:
    """Where `kubectl scale` and autoscalers find the replicas."""

    spec: str
    status: str
    selector: str = ""


@dataclass(frozen=True, slots=True)
class Makes:
    """An object that the controller of a kind makes at run time, so that others may name it."""

    kind: str
    name: str = ""
    """Path of the field that holds its name (`spec.secretName`), or of a list of names (`spec.hosts[]`,
    `spec.canary[].predictor.name`); empty, or left out of the object: the object's own."""
    group: str = ""
    fixed: str = ""
    """Its name, where it is always the same."""
    suffix: str = ""
    """What is put behind the name (`-predictor`)."""
    prefixed: bool = False
    """Whether the object's own name and a dash are put before each name of a list."""
    namespace: str = ""
    """Path of the field that holds its namespace (`metadata.name` of a Profile); empty: that of the object."""


@dataclass(frozen=True, slots=True)
class DataSchema:
    """A schema kept as compact data: the entry `key` of a file that the importer wrote."""

    file: Path
    key: str


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Api(Generic[S]):
    """One served version of one kind; `S` is what an author writes."""

    group: str
    """Empty for the core group."""
    version: str
    kind: str
    plural: str
    spec: type[S]
    """The type of `spec`; with `top_level` of all fields beside apiVersion, kind and metadata."""
    namespaced: bool = True
    top_level: bool = False
    """The kind has no `spec` (ConfigMap, ClusterRole, StorageClass): authors pass all fields at once."""
    builtin: bool = False
    """Served by Kubernetes itself: there is no CRD."""

    status: type | None = None
    top: type | None = None
    """The type of all top-level fields, where `spec` and `status` don't say enough (rules on them, further fields)."""
    required: tuple[str, ...] = ()
    """Top-level fields that must be there, where `top` does not say it."""
    rules: tuple[Keyword, ...] = ()
    """Keywords on the whole object."""
    metadata: Schema | None = None
    """What is asked of the object's metadata (length of its name …)."""
    lacks: tuple[str, ...] = ()
    """What of the types this release does not have yet, by path, where a newer one shares them: `spec.renewal`, one
    value of an enumeration (`spec.profile=Modern2026`), the rules of a field (`spec.venafi!`), the choice to leave one
    out (`spec.address?`), the freedom from a default (`spec.timeout:=60s`)."""
    data: DataSchema | None = None
    """Instead of types."""
    core: str = ""
    """Kubernetes minor version whose core types are embedded: the one that the operator was compiled against."""
    embedded_metadata: bool = False
    """Embedded pod templates and the like carry labels and annotations; without it the API server drops them."""
    doc: str = ""

    status_subresource: bool = False
    scale: Scale | None = None
    columns: tuple[Column, ...] = ()
    selectable: tuple[str, ...] = ()
    """Paths that field selectors may use."""
    served: bool = True
    storage: bool = True
    """Exactly one version of a kind is stored."""
    deprecated: bool = False
    deprecation_warning: str = ""
    health: AnyHealth | None = None
    """When an object of this kind is ready; None: as soon as it exists."""
    filled: tuple[str, ...] = ()
    """Required fields that the operator's webhook fills in before the server looks, such as `spec.rules[].name`."""
    references: Mapping[str, Ref | str] = field(default_factory=dict)
    """Fields that name others where no type can say so (`data`), by path: `spec.templates[].name`, `a{}.b`.

    A text is the name of a core type that stands there, such as `PodSpec`."""
    makes: tuple[Makes, ...] = ()
    """What its controller makes at run time, so that others may name it."""
    guards: bool = False
    """Objects of this kind limit what people and pods of a namespace may do: they come with the namespace, before what
    it holds."""
    suspended_by: str = ""
    """Path of the field that holds a job back until something else, such as a queue, lets it start."""
    label: str = ""
    """Label by which objects of any kind name one of this kind."""

    @property
    def full_name(self) -> str:
        """`PyTorchJob.kubeflow.org`, as components name it to each other."""
        return f"{self.kind}.{self.group}"

    @property
    def api_version(self) -> str:
        """`v1`, `apps/v1`."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def crd_name(self) -> str:
        """Name of the CRD that serves it: `pytorchjobs.kubeflow.org`."""
        return f"{self.plural}.{self.group}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookConversion:
    """The operator's Service that converts objects between versions, or the address of what does."""

    service: str = ""
    namespace: str = ""
    path: str = ""
    port: int = 0
    url: str = ""
    """Instead of a Service."""
    ca_bundle: str = ""
    """Base64; left empty where cert-manager or the operator injects it."""
    review_versions: tuple[str, ...] = ("v1",)


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """A CRD: all versions of one custom kind, under one set of names."""

    versions: tuple[Api[Any], ...]
    """In the order of the CRD; they share group, kind, plural and scope."""
    singular: str = ""
    """Lower-case kind, where empty."""
    list_kind: str = ""
    """Kind + `List`, where empty."""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    conversion: WebhookConversion | None = None
    annotations: Mapping[str, str] = field(default_factory=dict)
    """What the API server or an injector reads on the CRD: `api-approved.kubernetes.io` …"""
    labels: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """One kind, and exactly one stored version."""
        kinds = {(api.group, api.kind, api.plural, api.namespaced) for api in self.versions}
        stored = [api.version for api in self.versions if api.storage]
        if len(kinds) != 1 or len(stored) != 1:
            name = self.versions[0].crd_name
            raise ValueError(f"{name}: all versions share their names, and one of them is stored, not {stored}")

    @property
    def api(self) -> Api[Any]:
        """The stored version."""
        return next(api for api in self.versions if api.storage)

    @property
    def name(self) -> str:
        """Name of the CRD object."""
        return self.api.crd_name
