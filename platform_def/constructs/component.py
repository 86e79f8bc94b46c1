"""The base of every component: a cdk8s construct with a configuration, the platform's facts, and what it offers others.

It works in any cdk8s App: `TrainingOperator(chart, config=TrainingOperatorConfig(), platform=Platform())`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, get_args

from constructs import Construct

from platform_def.config.component import ComponentConfig
from platform_def.config.platform import NamespaceNeed, Offers, Platform
from platform_def.constructs.release import Release
from platform_def.errors import ConfigError, Problem, nearest

C = TypeVar("C", bound=ComponentConfig)

MANAGER = "platform-def"


@dataclass(frozen=True)
class Mutation:
    """A field that something in the cluster writes: a delivery engine must not take it for drift."""

    api_version: str
    kind: str
    name: str
    pointers: tuple[str, ...]
    """JSON pointers of the fields, such as `/webhooks/0/clientConfig/caBundle`."""
    by: str = ""
    """Field manager that writes them, where it is known."""


@dataclass(frozen=True)
class RunTimeObject:
    """An object that a component's own pods make in the cluster, so that others may name it."""

    group: str
    kind: str
    namespace: str
    """Empty for an object of the cluster."""
    name: str


class Owner(Construct):
    """What objects belong to, a component or a job: their namespace, labels, annotations, images."""

    platform: Platform
    namespace: str
    annotations: Mapping[str, str]

    def __init__(self, scope: Construct, name: str):
        super().__init__(scope, name)
        self.owner: Owner = self
        self.path: str = name

    def labels(self, name: str = "") -> dict[str, str]:
        """Labels of an object; `name` is that of the workload it belongs to."""
        raise NotImplementedError

    def image(self, reference: str) -> str:
        """An image as the cluster pulls it."""
        return self.platform.image(reference)

    def service_host(self, service: str, namespace: str | None = None) -> str:
        """Full DNS name of a Service."""
        return f"{service}.{namespace or self.namespace}.svc.{self.platform.dns_domain}"


class Component(Owner, Generic[C]):
    """One installable part of the platform. Subclasses say in `build` what gets installed."""

    slug: ClassVar[str]
    """Name of the component everywhere; by default that of its module."""
    requires: ClassVar[tuple[str, ...]] = ()
    """Components that must be ready first although no object shows it."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "slug" not in cls.__dict__:
            cls.slug = cls.__module__.rsplit(".", 1)[-1].replace("_", "-")

    def __init__(self, scope: Construct, *, config: C | None = None, platform: Platform | None = None):
        super().__init__(scope, self.slug)
        self.config: C = config if config is not None else self.config_model()()
        self.platform = platform if platform is not None else Platform()
        self.namespace = self.config.namespace
        self.annotations = self.config.annotations
        self.mutations: list[Mutation] = []
        self.run_time_objects: list[RunTimeObject] = []
        self.containers: set[str] = set()
        self.build()
        self._refuse_strange_containers()

    def build(self) -> None:
        """Create the objects."""
        raise NotImplementedError

    def _refuse_strange_containers(self) -> None:
        """`resources:` of a container that the component does not have would be without effect."""
        strange = sorted(set(self.config.resources) - self.containers)
        if strange:
            hint = nearest(strange[0], self.containers)
            raise ConfigError(f"components.{self.slug}.resources.{strange[0]}: there is no such container", hint=hint)

    @classmethod
    def config_model(cls) -> type[C]:
        """The configuration model, from `Component[…]` in the class statement."""
        for base in cls.__mro__:
            for generic in getattr(base, "__orig_bases__", ()):
                for argument in get_args(generic):
                    if isinstance(argument, type) and issubclass(argument, ComponentConfig):
                        return argument  # type: ignore[return-value]
        raise TypeError(f"{cls.__name__} does not say Component[SomeConfig]")

    @classmethod
    def release_of(cls, config: C) -> Release:
        """The release that the configuration chooses."""
        found = next((known for known in cls.config_model().releases if known.version == config.version), None)
        return found if isinstance(found, Release) else Release(version="")

    @classmethod
    def offers(cls, config: C) -> Offers:
        """What this component gives to the others."""
        release = cls.release_of(config)
        return Offers(
            namespaces=(NamespaceNeed(config.namespace),),
            apis=tuple(f"{definition.api.kind}.{definition.api.group}" for definition in release.apis),
        )

    @classmethod
    def namespaces_of(cls, config: C, platform: Platform) -> tuple[NamespaceNeed, ...]:  # noqa: ARG003 - for those whose level depends
        """Namespaces with the Pod Security level that they need in this stack; by default those that it offers."""
        return cls.offers(config).namespaces

    @classmethod
    def requires_of(cls, config: C, platform: Platform) -> tuple[str, ...]:  # noqa: ARG003 - for those whose needs depend
        """Components that must be ready first although no object shows it."""
        return cls.requires

    @classmethod
    def problems(cls, config: C, platform: Platform) -> Iterator[Problem]:  # noqa: ARG003 - for components
        """What of the stack this component cannot serve; told before anything is built, with the component's line."""
        yield from ()

    @classmethod
    def runtime_images(cls, config: C) -> tuple[str, ...]:
        """Images that only the running component names, as upstream writes them: a mirror must hold them too."""
        return cls.release_of(config).runtime_images

    @property
    def release(self) -> Release:
        """The chosen release."""
        return self.release_of(self.config)

    @property
    def highly_available(self) -> bool:
        """Whether replicas, budgets and spread are asked for, here or by the stack."""
        return (self.config.availability or self.platform.availability) == "ha"

    @property
    def monitored(self) -> bool:
        """Whether the stack has the Prometheus operator's ServiceMonitor."""
        return self.platform.serves("ServiceMonitor.monitoring.coreos.com")

    def labels(self, name: str = "") -> dict[str, str]:
        """Labels of an object; `name` is that of the workload it belongs to."""
        standard = {
            "app.kubernetes.io/name": name or self.slug,
            "app.kubernetes.io/instance": self.slug,
            "app.kubernetes.io/managed-by": MANAGER,
        }
        version = self.config.version
        return {**self.config.labels, **standard, **({"app.kubernetes.io/version": version} if version else {})}

    def selector(self, name: str) -> dict[str, str]:
        """Labels that select a workload's pods; they never change once released."""
        return {"app.kubernetes.io/name": name, "app.kubernetes.io/instance": self.slug}

    def makes(self, kind: str, name: str, *, group: str = "", namespace: str | None = None) -> None:
        """Declare an object that the component's pods make; `namespace` is empty for kinds of the cluster."""
        home = self.namespace if namespace is None else namespace
        self.run_time_objects.append(RunTimeObject(group, kind, home, name))

    def mutated(self, mutation: Mutation) -> None:
        """Declare a field that the cluster writes."""
        self.mutations.append(mutation)


class Piece(Construct):
    """A construct that several objects make up, inside a component."""

    def __init__(self, scope: Owner | Piece, name: str):
        super().__init__(scope, f"{type(self).__name__}-{name}")
        self.owner: Owner = scope.owner
        self.path: str = f"{scope.path}/{type(self).__name__}({name})"

    @property
    def component(self) -> Component[Any]:
        """The component that it is part of; pieces that ask for it do not work in jobs."""
        if not isinstance(self.owner, Component):
            raise TypeError(f"{self.path} is not inside a component")
        return self.owner


Scope = Owner | Piece


def merged_labels(*parts: Mapping[str, str] | None) -> dict[str, str]:
    """Labels or annotations laid over each other, later ones winning, sorted by key."""
    together: dict[str, str] = {}
    for part in parts:
        together |= part or {}
    return dict(sorted(together.items()))
