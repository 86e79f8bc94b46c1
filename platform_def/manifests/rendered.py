"""The objects of a stack, by component and part, with where each came from: what checks, diff and write work on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import orjson

from platform_def.config.objects import CRD, PARTS, Drift, Made, Part, Stored
from platform_def.crds.schema import Manifest as Manifest
from platform_def.manifests.custom_kind import CustomKind
from platform_def.manifests.links import Links, links
from platform_def.manifests.loose import mapping
from platform_def.manifests.paths import Path, pods
from platform_def.yaml import dump

T = TypeVar("T")

if TYPE_CHECKING:
    from functools import cached_property as kept

    from platform_def.config.platform import ComponentFact, Platform
else:

    class kept:  # noqa: N801
        """A property that is computed once: functools takes a lock for it in Python 3.11, and threads share none."""

        def __init__(self, compute: Any) -> None:
            self.compute, self.name, self.__doc__ = compute, compute.__name__, compute.__doc__

        def __get__(self, holder: Any, owner: type | None = None) -> Any:
            if holder is None:
                return self
            value = holder.__dict__[self.name] = self.compute(holder)
            return value


JOBS, DELIVERY, EXISTING = "_jobs", "_delivery", "_existing"
"""What stands for a component where an object belongs to a job, to the delivery engine, or to the cluster already."""


class Kind(NamedTuple):
    """An object's kind, in the version in which it is written."""

    api_version: str
    kind: str

    @property
    def group(self) -> str:
        """API group; empty for core."""
        return self.api_version.rpartition("/")[0]

    @property
    def version(self) -> str:
        """Version of the group."""
        return self.api_version.rpartition("/")[2]


@dataclass(frozen=True, eq=False)
class RenderedObject:
    """One object and its history."""

    manifest: Manifest
    component: str
    part: Part
    origin: str
    """The construct that made it (`training-operator/Operator(…)/Deployment(…)`), or the user's file."""
    overlays: tuple[str, ...] = ()
    """Overlay folders that changed it."""
    job: str = ""
    """The job that it belongs to; `component` is then `_jobs`."""
    file_text: str | None = None
    """The file's text, where an earlier run has already written it down."""
    known_links: list[Any] | None = None
    """What it names, as JSON, where an earlier run has already found it."""
    document: int = 0
    """Which object of the user's file it is, from 1; 0 where that is not known."""

    @kept
    def kind(self) -> str:
        """Kind of the object."""
        return str(self.manifest.get("kind", ""))

    @kept
    def api_version(self) -> str:
        """Group and version."""
        return str(self.manifest.get("apiVersion", ""))

    @kept
    def group(self) -> str:
        """API group; empty for core."""
        return self.api_version.rpartition("/")[0]

    @kept
    def versioned_kind(self) -> Kind:
        """Kind with group and version."""
        return Kind(self.api_version, self.kind)

    @kept
    def name(self) -> str:
        """Name of the object."""
        name = mapping(self.manifest.get("metadata")).get("name", "")
        return str(name) if name is not None else ""

    @kept
    def namespace(self) -> str | None:
        """Its namespace; None for what belongs to the cluster."""
        namespace = mapping(self.manifest.get("metadata")).get("namespace")
        return str(namespace) if namespace is not None else None

    @kept
    def key(self) -> tuple[str, str, str, str]:
        """What makes an object the same object in a cluster: group, kind, namespace, name."""
        return (self.group, self.kind, self.namespace or "", self.name)

    def __str__(self) -> str:
        place = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind} {place}{self.name}"

    def to_json(self) -> dict[str, Any]:
        """As JSON-like data, with its text and what it names, so that neither is found again."""
        return {
            "manifest": self.manifest,
            "component": self.component,
            "part": self.part,
            "origin": self.origin,
            "job": self.job,
            "file_text": self.text,
            "known_links": self.links.to_json(),
        }

    @kept
    def text(self) -> str:
        """The object as its file in dist/ holds it."""
        if self.file_text is not None:
            return self.file_text
        return _text_of_definition(self.manifest) if self.kind == CRD else dump(self.manifest)

    def once(self, compute: Callable[[RenderedObject], T]) -> T:
        """What `compute` makes of this object, computed at the first call: many stacks have the same ones."""
        if compute not in self._facts:
            self._facts[compute] = compute(self)
        return cast(T, self._facts[compute])

    @kept
    def _facts(self) -> dict[Callable[[RenderedObject], object], object]:
        return {}

    @property
    def is_written(self) -> bool:
        """Whether its text is known."""
        return self.file_text is not None or "text" in self.__dict__

    @kept
    def digest(self) -> str:
        """A hash of the text."""
        return sha256(self.text.encode()).hexdigest()

    @kept
    def custom_kind(self) -> CustomKind | None:
        """What it serves, where it is a CRD; None for one that is too broken to tell."""
        return CustomKind.of(self.manifest, self.text)

    @kept
    def pods(self) -> tuple[tuple[Path, Manifest], ...]:
        """The specifications of pods in it, with their places."""
        # A look at the text spares most objects the walk.
        none = self.kind == CRD or (self.is_written and "containers" not in self.text)
        return () if none else tuple(pods(self.manifest))

    @kept
    def links(self) -> Links:
        """What the object names, and what is made for it."""
        return Links.from_json(self.known_links) if self.known_links is not None else links(self.manifest)

    def changed(self, manifest: Manifest, *overlays: str) -> RenderedObject:
        """The object in other words, after overlays."""
        return replace(self, manifest=manifest, overlays=(*self.overlays, *overlays), file_text=None, known_links=None)


_HEAD = frozenset({"apiVersion", "kind", "metadata"})
"""What is written before `spec`."""
_NULLS = (b":null", b",null", b"[null")


def _text_of_definition(manifest: Manifest) -> str:
    """A CRD as `dump` writes it: specifications are large, and stacks and releases of a component share them."""
    if manifest.keys() != _HEAD | {"spec"}:
        return dump(manifest)
    try:
        spec = orjson.dumps(manifest["spec"], option=orjson.OPT_PASSTHROUGH_SUBCLASS)
    except TypeError:
        return dump(manifest)
    if any(each in spec for each in _NULLS):  # such is a number that JSON does not know, which `dump` refuses
        return dump(manifest)
    return dump({key: manifest[key] for key in _HEAD}) + _text_of_spec(spec)


@lru_cache(maxsize=128)
def _text_of_spec(spec: bytes) -> str:
    return dump({"spec": orjson.loads(spec)})


@dataclass(frozen=True)
class Deleted:
    """An object that an overlay takes out, with the reason that it gives."""

    object: str
    """`Deployment kubeflow/training-operator`."""
    reason: str
    where: str
    """File and line of the overlay."""


@dataclass(frozen=True, eq=False)
class RenderedComponent:
    """The objects of one component."""

    name: str
    objects: tuple[RenderedObject, ...]
    requires: tuple[str, ...] = ()
    drifting: tuple[Drift, ...] = ()
    makes: tuple[Made, ...] = ()
    """What its pods make in the cluster."""
    awaits: tuple[str, ...] = ()
    """Custom resources, as `Kind.group`, that its programs look for when they start and never again."""
    deleted: tuple[Deleted, ...] = ()
    """What overlays took out of it."""
    stored: tuple[Stored, ...] = ()
    """Where it keeps data."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts that exist, in the order in which they are delivered."""
        present = {item.part for item in self.objects}
        return tuple(part for part in PARTS if part in present)

    def made(self) -> Iterator[tuple[Made, RenderedObject]]:
        """What its pods make, each with the object that stands for its maker: the last of those that run."""
        running = [item for item in self.objects if item.part == "main"] or self.objects
        yield from ((each, running[-1]) for each in self.makes)


@dataclass(frozen=True, eq=False)
class RenderedStack:
    """Everything that one stack is made of."""

    name: str
    platform: Platform
    components: Mapping[str, RenderedComponent] = field(default_factory=dict)
    facts: Mapping[str, ComponentFact] = field(default_factory=dict)
    images: tuple[str, ...] = ()
    """Images that objects, or running operators, name, as the cluster pulls them."""
    runtime_images: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Those that only running operators name, by component."""
    waves: Mapping[str, int] = field(default_factory=dict)
    """Wave by `component/part`."""
    needs: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What each part waits for directly, with the reason."""
    servers: Mapping[str, list[str]] = field(default_factory=dict)
    """What a part must leave the cluster before: who serves its custom resources."""
    job_needs: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What each job waits for."""
    jobs: Mapping[str, tuple[RenderedObject, ...]] = field(default_factory=dict)
    deleted_of_jobs: tuple[Deleted, ...] = ()
    """What overlays took out of jobs."""
    synced_jobs: frozenset[str] = frozenset()
    """Those that the delivery engine starts; the others wait in dist/ for a person."""
    delivery: tuple[RenderedObject, ...] = ()
    existing: tuple[RenderedObject, ...] = ()
    """Objects that the cluster has, where they were listed; those of the stack itself may be among them."""
    foreign: bool = False
    """Made by others: nothing is known of the cluster but its version, and any kind of the catalogue may be in it."""

    @property
    def served_by(self) -> Mapping[str, list[str]]:
        """Of what a part must leave the cluster before, what it does not need anyway."""
        found = {
            part: [each for each in servers if each not in self.needs[part]] for part, servers in self.servers.items()
        }
        return {part: servers for part, servers in found.items() if servers}

    def objects(self) -> Iterator[RenderedObject]:
        """The objects of all components, then jobs, then delivery."""
        for component in self.components.values():
            yield from component.objects
        for job in self.jobs.values():
            yield from job
        yield from self.delivery
