"""The base of every component: a cdk8s construct with a configuration, the platform's facts, and what it offers others.

It works in any cdk8s App: `TrainingOperator(chart, config=TrainingOperatorConfig(), platform=Platform())`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, Literal, TypeVar, cast, get_args

import typing_extensions
from constructs import Construct

from platform_def.capabilities import Metrics
from platform_def.config.capability import Capability, Given, Need, P
from platform_def.config.component import ComponentConfig, slug_of
from platform_def.config.objects import Drift, Made, Stored
from platform_def.config.platform import BASELINE_LEVEL, NamespaceNeed, Offers, Platform, PodSecurityNeed
from platform_def.config.routing import BackendTls
from platform_def.constructs.knobs import Roles, refuse_unknown_routes
from platform_def.constructs.release import Release
from platform_def.crds.catalogue import definitions_of
from platform_def.crds.model import Definition
from platform_def.errors import Problem

C = TypeVar("C", bound=ComponentConfig)
R = typing_extensions.TypeVar("R", bound=Release, default=Release)

Half = Literal["both", "build", "hosts"]
"""What is made of a component: all; what `build` makes without hosts; what `build_hosts` makes."""
MANAGER = "platform-def"
WORKLOADS = frozenset({"Deployment.apps", "StatefulSet.apps", "DaemonSet.apps", "Job.batch", "CronJob.batch"})
"""Kinds of which Kubernetes makes pods, and which therefore run a version of a program."""


@dataclass(frozen=True)
class Setting(Generic[C]):
    """A component as a stack has it: what all hooks are asked with, before anything is built."""

    name: str
    """Name of the instance; the component's own unless the stack gave it another."""
    config: C
    platform: Platform = field(default_factory=Platform)

    @property
    def provided(self) -> bool:
        """Whether the cluster has it already: it then knows nothing of what the stack says, such as its pools."""
        fact = self.platform.component(self.name)
        return fact is not None and fact.provided

    def one(self, needed: type[P] | Need[P]) -> Given[P]:
        """The provider of a capability; ConfigError where there is none, several, or the wrong one."""
        return self.platform.one(needed, uses=self.config.uses, who=self.name)

    def maybe(self, needed: type[P] | Need[P]) -> Given[P] | None:
        """The same, or None where there is no provider."""
        return self.platform.maybe(needed, uses=self.config.uses, who=self.name)


class Owner(Construct):
    """What objects belong to, a component or a job: their namespace, labels, annotations, images."""

    platform: Platform
    namespace: str
    annotations: Mapping[str, str]

    def __init__(self, scope: Construct, name: str):
        super().__init__(scope, name)
        self.owner: Owner = self
        self.path: str = name
        self.reached: dict[tuple[str, str], tuple[int, BackendTls | None]] = {}
        """How routes reach each Service so far, by its namespace and name."""

    def labels(self, name: str = "") -> dict[str, str]:
        """Labels of an object; `name` is that of the workload it belongs to."""
        raise NotImplementedError

    def labels_of(self, kind: str) -> dict[str, str]:  # noqa: ARG002 - for those whose kinds differ
        """Further labels of objects of a kind, `Job.batch`."""
        return {}

    def image(self, reference: str) -> str:
        """An image as the cluster pulls it."""
        return self.platform.image(reference)

    def service_host(self, service: str, namespace: str | None = None) -> str:
        """Full DNS name of a Service."""
        return f"{service}.{namespace or self.namespace}.svc.{self.platform.dns_domain}"


class Component(Owner, Generic[C, R]):
    """One installable part of the platform: `Component[SomeConfig]`, or `Component[SomeConfig, SomeRelease]` where its
    releases have facts of their own. Subclasses say in `build` what gets installed.

    What others may know before anything is built is said by hooks, which are class methods and take one `Setting`.
    """

    slug: ClassVar[str]
    """Name of the component everywhere; by default that of its module, or of its folder."""
    several: ClassVar[bool] = False
    """Whether a stack may have it twice, under names of their own: every object's name then goes through `named`."""
    pod_security: ClassVar[PodSecurityNeed] = BASELINE_LEVEL
    """Pod Security level of its namespace, with the reason where that is above baseline."""
    needs: ClassVar[tuple[Need[Any], ...]] = ()
    """Capabilities that it needs from other components."""
    gives: ClassVar[tuple[type[Capability], ...]] = ()
    """Capabilities that `offers` may hold: known before any stack is."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "slug" not in cls.__dict__:
            cls.slug = slug_of(cls.__module__)

    def __init__(
        self,
        scope: Construct,
        *,
        config: C | None = None,
        platform: Platform | None = None,
        name: str = "",
        half: Half = "both",
    ):
        """`name` is that of a second instance."""
        super().__init__(scope, name or self.slug)
        self.name = name or self.slug
        self.config: C = config if config is not None else self.config_model()()
        self.platform = platform if platform is not None else Platform()
        self.setting = Setting(self.name, self.config, self.platform)
        self.namespace = self.config.namespace
        self.annotations = self.config.annotations
        self.drifts: list[Drift] = []
        self.made: list[Made] = []
        self.awaited: list[str] = []
        self.stored: list[Stored] = []
        self.scraped: list[str] = []
        self.roles = Roles()
        self.routed: set[str] = set()
        self.accounts: dict[str, dict[str, Any]] = {}
        self._half = half
        if half == "hosts":
            self.build_hosts()
            return
        self.build()
        self.roles.refuse_unknown(self.name, self.config.workloads)
        refuse_unknown_routes(self.name, self.config.routing, self.routed)
        for account, wanted in self.roles.identities.items():
            metadata = self.accounts.get(account, {}).get("metadata", {})
            metadata["annotations"] = merged_labels(metadata.get("annotations"), wanted)

    def build(self) -> None:
        """Create the objects."""
        raise NotImplementedError

    def build_hosts(self) -> None:
        """Create those that name the platform's hosts: stacks that differ in these share the rest.

        `build` then goes by `platform.door` in place of `platform.ingress`, and calls `with_hosts` in its place.
        """

    def with_hosts(self) -> None:
        """Create them too, unless they are built apart."""
        if self._half == "both":
            self.build_hosts()

    @classmethod
    def has_hosts(cls) -> bool:
        """Whether it makes objects in `build_hosts`."""
        return cls.build_hosts is not Component.build_hosts

    @classmethod
    def config_model(cls) -> type[C]:
        """The configuration model, from `Component[…]` in the class statement."""
        for base in cls.__mro__:
            for generic in getattr(base, "__orig_bases__", ()):
                for argument in get_args(generic):
                    if isinstance(argument, type) and issubclass(argument, ComponentConfig):
                        return cast("type[C]", argument)
        raise TypeError(f"{cls.__name__} does not say Component[SomeConfig]")

    @classmethod
    def release_of(cls, config: C) -> R:
        """The release that the configuration chooses."""
        found = next((known for known in cls.config_model().releases if known.version == config.version), None)
        return cast(R, found if isinstance(found, Release) else Release(""))

    # --- hooks: what others may know before anything is built

    @classmethod
    def served_by(cls, at: Setting[C]) -> tuple[Definition, ...]:
        """Custom resources that it serves: its release's own, or those that the catalogue of APIs has for it."""
        release = cls.release_of(at.config)
        return release.apis or definitions_of(cls.slug, release.version)

    @classmethod
    def handover(cls, at: Setting[C], kinds: Collection[str]) -> str:  # noqa: ARG003 - for those that can
        """What to write so that it leaves some of what it serves, each as `Kind.group`, to another component.

        Empty where it serves all or nothing.
        """
        return ""

    @classmethod
    def security_of(cls, at: Setting[C]) -> PodSecurityNeed:  # noqa: ARG003 - for those whose level depends
        """Pod Security level that its namespace needs in this stack."""
        return cls.pod_security

    @classmethod
    def offers(cls, at: Setting[C]) -> Offers:  # noqa: ARG003 - for those that give more
        """What it gives beside its namespace and APIs; sees the stack's facts and the capabilities that it needs."""
        return Offers()

    @classmethod
    def needs_of(cls, at: Setting[C]) -> tuple[Need[Any], ...]:  # noqa: ARG003 - for those whose needs depend
        """Capabilities that it needs in this stack; sees the stack's own facts alone."""
        return cls.needs

    @classmethod
    def problems(cls, at: Setting[C]) -> Iterator[Problem]:  # noqa: ARG003 - for those that say more
        """What of the stack it cannot serve; told before anything is built, with the component's line."""
        yield from ()

    @classmethod
    def runtime_images(cls, at: Setting[C]) -> tuple[str, ...]:
        """Images that only the running component names, as upstream writes them: a mirror must hold them too."""
        return cls.release_of(at.config).runtime_images

    @classmethod
    def offered(cls, at: Setting[C]) -> Offers:
        """Everything that it gives: its namespace, its APIs, and what `offers` adds. Not for overriding."""
        added = cls.offers(at)
        strange = [each.kind() for each in added.capabilities if type(each) not in cls.gives]
        if strange:
            raise TypeError(f"{cls.__name__} gives {strange[0]} without naming it in `gives`")
        security = cls.security_of(at)
        own = (NamespaceNeed(at.config.namespace, security.level, why=security.why),) if at.config.namespace else ()
        apis = tuple(definition.api.full_name for definition in cls.served_by(at))
        return replace(added, namespaces=(*own, *added.namespaces), apis=(*apis, *added.apis))

    # --- what a build asks

    @property
    def release(self) -> R:
        """The chosen release."""
        return self.release_of(self.config)

    @property
    def served(self) -> tuple[Definition, ...]:
        """Custom resources that it serves in this stack."""
        return self.served_by(self.setting)

    @property
    def first(self) -> bool:
        """Whether it renders what instances share, such as CRDs; one of them does."""
        known = self.platform.instances(self.slug)
        return not known or known[0] == self.name

    @property
    def highly_available(self) -> bool:
        """Whether replicas, budgets and spread are asked for, here or by the stack."""
        return (self.config.availability or self.platform.availability) == "ha"

    @property
    def monitored(self) -> bool:
        """Whether ServiceMonitors are read: the stack serves them, or names a Prometheus that does."""
        given = self.maybe(Metrics)
        return given.value.monitors if given else self.platform.serves("ServiceMonitor.monitoring.coreos.com")

    @property
    def alerted(self) -> bool:
        """Whether a Prometheus evaluates PrometheusRules: the stack serves them, or names a Prometheus that does."""
        given = self.maybe(Metrics)
        return given.value.rules if given else self.platform.serves("PrometheusRule.monitoring.coreos.com")

    def one(self, needed: type[P] | Need[P]) -> Given[P]:
        """The provider of a capability; ConfigError where there is none, several, or the wrong one."""
        return self.setting.one(needed)

    def maybe(self, needed: type[P] | Need[P]) -> Given[P] | None:
        """The same, or None where there is no provider."""
        return self.setting.maybe(needed)

    def named(self, name: str) -> str:
        """A name of upstream's as this instance has it: `katib-ui` is `katib-b-ui` in an instance called `katib-b`.

        The first instance with the component's own name has upstream's names, so nothing live is ever renamed.
        """
        if self.name == self.slug:
            return name
        rest = name.removeprefix(self.slug)
        made = f"{self.name}{rest}" if rest != name else f"{self.name}-{name}"
        self.roles.alias(made, name)
        return made

    def labels(self, name: str = "") -> dict[str, str]:
        """Labels of an object; `name` is that of the workload it belongs to."""
        return {
            **self.config.labels,
            "app.kubernetes.io/name": name or self.name,
            "app.kubernetes.io/instance": self.name,
            "app.kubernetes.io/managed-by": MANAGER,
        }

    def labels_of(self, kind: str) -> dict[str, str]:
        """The release, on workloads only: on every object it would make an upgrade change every file. Pod templates do
        not have it either, because a changed label there restarts pods whose image is the same."""
        version = self.config.version
        return {"app.kubernetes.io/version": version} if version and kind in WORKLOADS else {}

    def selector(self, name: str) -> dict[str, str]:
        """Labels that select a workload's pods; they never change once released."""
        return {"app.kubernetes.io/name": name, "app.kubernetes.io/instance": self.name}

    def makes(self, kind: str, name: str, *, group: str = "", namespace: str | None = None) -> None:
        """Declare an object that the component's pods make; `namespace` is empty for kinds of the cluster."""
        self.made.append(Made(group, kind, self.namespace if namespace is None else namespace, name))

    def awaits(self, *apis: str) -> None:
        """Declare custom resources, as `Kind.group`, that its programs look for when they start and never again.

        Its own count too, unless the program ends or tries again where they are missing: its part `main` comes after
        them in any order, and its pods where nothing keeps one (`order: retries`).
        """
        self.awaited += apis

    def stores(self, data: Stored) -> None:
        """Declare where data is kept: a change of that is reported, because the data does not follow."""
        self.stored.append(data)

    def scrapes(self, service: str) -> None:
        """Declare a Service that Prometheus reads: its name is the `job` of the series."""
        self.scraped.append(service)

    def mutated(self, drift: Drift) -> None:
        """Declare a field that the cluster writes."""
        self.drifts.append(drift)


AnyComponent = Component[Any, Any]


class Piece(Construct):
    """A construct that several objects make up, inside a component."""

    def __init__(self, scope: Owner | Piece, name: str):
        super().__init__(scope, f"{type(self).__name__}-{name}")
        self.owner: Owner = scope.owner
        self.path: str = f"{scope.path}/{type(self).__name__}({name})"

    @property
    def component(self) -> AnyComponent:
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
