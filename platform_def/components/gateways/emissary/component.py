"""Emissary-ingress, the successor of Ambassador: the gateway that brings traffic from outside to components' routes.

Release 4.1 serves getambassador.io/v3alpha1, and v1 and v2 where the stack asks for them. Release 3.10 always serves
all three. Where there are several, a webhook turns one into another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from pydantic import Field

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.apis.core.networking_v1 import INGRESS_CLASS
from platform_def.apis.emissary.v3alpha1 import AUTH_SERVICE, HOST, LISTENER, MAPPING, MODULE, TLS_CONTEXT
from platform_def.capabilities import AddressPool, AuthorizationService, Gateway
from platform_def.components.gateways import entrance
from platform_def.components.gateways.emissary import apiext, legacy, metrics
from platform_def.components.gateways.emissary import ingress as hosts
from platform_def.components.gateways.emissary.ingress import ADMIN
from platform_def.config.cluster import Ingress
from platform_def.config.model import Name, conflict
from platform_def.constructs import (
    APACHE,
    READ,
    Account,
    Alerts,
    Component,
    ComponentConfig,
    Crds,
    Dashboards,
    Definition,
    Deployment,
    Need,
    NetworkPolicy,
    Offers,
    PodSecurityNeed,
    Problem,
    Release,
    Resource,
    Service,
    Setting,
    Support,
    Upkeep,
    allow,
    env,
    from_cluster,
    from_everywhere,
    from_field,
    http_probe,
    mounts,
    need,
    port,
    releases,
)
from platform_def.constructs.routes.emissary import ANY_HOST, mapping


@dataclass(frozen=True, kw_only=True)
class EmissaryRelease(Release):
    """What differs between releases."""

    converts: bool = False
    """Its custom resources always have several versions, and a webhook in the gateway's image between them."""
    memory: tuple[str, str] = ("300Mi", "600Mi")
    """What the gateway asks for, and its limit; upstream's."""


# Its chart asks for 1.25; it calls stable APIs alone, beside Endpoints, which are deprecated and served.
RELEASES = releases(
    # Upstream mends the newest minor release (SECURITY_RELEASE_PROCESS.md).
    EmissaryRelease(
        "4.1.0",
        kubernetes="1.25-1.37",
        image="ghcr.io/emissary-ingress/emissary:4.1.0",
        images={"apiext": "ghcr.io/emissary-ingress/apiext:4.1.0"},
        upkeep=Upkeep(Support.CURRENT),
    ),
    EmissaryRelease(
        "3.10.0",
        kubernetes="1.25-1.37",
        image="docker.io/emissaryingress/emissary:3.10.0",
        converts=True,
        memory=("100Mi", "400Mi"),
        upkeep=Upkeep(Support.ENDED),
        kept="objects of getambassador.io/v1 and v2 move from it to 4.1",
    ),
    license=APACHE,
)

RULES = (
    allow("", "configmaps endpoints namespaces secrets services", verbs=READ),
    allow("apiextensions.k8s.io", "customresourcedefinitions", verbs=f"{READ} delete"),  # upstream's; it never deletes
    allow("getambassador.io", "*", verbs=f"{READ} create delete patch update"),
    allow("getambassador.io", "mappings/status", verbs="update"),
    allow("gateway.getambassador.io", "*", verbs=f"{READ} create delete patch update"),
    allow("extensions", "ingressclasses ingresses", verbs=READ),
    allow("extensions", "ingresses/status", verbs="update"),
    allow("networking.k8s.io", "ingressclasses ingresses", verbs=READ),
    allow("networking.k8s.io", "ingresses/status", verbs="update"),
    allow("networking.x-k8s.io", "*", verbs=READ),
    allow("networking.internal.knative.dev", "clusteringresses ingresses", verbs=READ),
    allow("networking.internal.knative.dev", "clusteringresses/status ingresses/status", verbs="update"),
)

SLUG = "emissary"
NAME, ADMIN_SERVICE = "emissary-ingress", "emissary-ingress-admin"
"""Names that upstream's chart gives, which dashboards and users know."""
SNAPSHOT = 8005
MODULE_NAME = "ambassador"
"""The only name under which Emissary reads its Module."""
CLASS = "ambassador"
DEFAULT_ID = "default"
"""Id of the instance that reads what names none."""
USER = 8888
"""User of the image; its group is root's, which owns /ambassador, where the gateway writes its configuration."""

_ASKED = need(AuthorizationService, order="any", optional=True)

S = TypeVar("S", bound=Mapping[str, Any])


class EmissaryConfig(ComponentConfig):
    """What a stack may choose about Emissary."""

    releases = RELEASES

    namespace: Name = "emissary"
    """Namespace of the gateway; upstream's. Each instance needs one of its own."""
    ingress: Ingress | None = None
    """How traffic reaches this gateway; by default as the stack's `ingress` says, which belongs to the gateway that
    `gateway` names, and for a further one by port-forward alone."""
    ingress_class: Name | None = CLASS
    """Name of the IngressClass for plain Ingress objects, as upstream's chart has it; null for none. An instance of
    another name puts that before it."""
    legacy_versions: list[legacy.Former] = Field(default=[])
    """Former versions of getambassador.io that release 4 serves beside v3alpha1, upstream's `enableLegacyVersions` and
    `enableV1`: `[v2]` or `[v1, v2]`, with the webhook that converts them. Release 3.10 always serves both."""
    stored_version: legacy.Stored | None = None
    """Version in which the API server stores objects while there are `legacyVersions`: v2, as upstream has it and
    unless given, or v3alpha1 as the step before they leave."""

    @conflict
    def _versions_fit(self) -> Iterator[ValueError]:
        if self.legacy_versions and "v2" not in self.legacy_versions:
            yield ValueError("legacyVersions: v1 is served only with v2; write [v1, v2]")
        if self.stored_version and not self.legacy_versions:
            yield ValueError("storedVersion: without legacyVersions there is v3alpha1 alone; leave it out")


class Emissary(Component[EmissaryConfig, EmissaryRelease]):
    """CRDs, gateway, its Services, and what opens it: Listeners, Hosts and a route to its own health.

    One pod is enough for a small cluster; with availability `ha` there are three, upstream's number.
    """

    gives = (Gateway, AddressPool)
    several = True

    @classmethod
    def security_of(cls, at: Setting[EmissaryConfig]) -> PodSecurityNeed:
        """Baseline, unless the gateway listens on the nodes' own network."""
        return entrance.security_of(ingress_of(at))

    @classmethod
    def needs_of(cls, at: Setting[EmissaryConfig]) -> tuple[Need[Any], ...]:
        """cert-manager where it signs the host's certificate; who is asked about requests, where the stack has it."""
        return (*entrance.needs_of(ingress_of(at)), _ASKED)

    @classmethod
    def served_by(cls, at: Setting[EmissaryConfig]) -> tuple[Definition, ...]:
        """Its kinds; where they are converted, by the webhook beside the first instance."""
        chosen = at.config
        versions = super().served_by(at)
        if chosen.legacy_versions:
            versions = legacy.definitions(chosen.legacy_versions, chosen.stored_version or "v2")
        return tuple(apiext.converted(each, home_of(at)) for each in versions)

    @classmethod
    def offers(cls, at: Setting[EmissaryConfig]) -> Offers:
        """Routes, as Mappings; those of a further instance name it."""
        known = id_of(at.name)
        program = NAME if at.name == SLUG else f"{at.name}-ingress"
        gateway = Gateway(
            api="emissary",
            name=known,
            namespace=at.config.namespace,
            service=program,
            pods={"app.kubernetes.io/name": program, "app.kubernetes.io/instance": at.name},
            account=program,
            ingress_class=class_of(at),
            identified=known != DEFAULT_ID or converting(at.config),
            **entrance.reached(ingress_of(at)),
        )
        return entrance.offers(at.name, gateway, at.config.ingress)

    @classmethod
    def problems(cls, at: Setting[EmissaryConfig]) -> Iterator[Problem]:
        """Two in one namespace: both would read one Module, and only one of them may be called so. And two of releases
        that store their objects in different versions, for the CRDs are shared."""
        if ingress_of(at).dual_stack:
            where = (*(("components", at.name) if at.config.ingress else ()), "ingress", "ipFamilies")
            text = f"{'.'.join(where)}: Emissary listens on addresses of one family"
            yield Problem(text, hint="name one, or choose the gateway istio-ingress-gateway", at=where)
        yield from _legacy_problems(at, cls.release_of(at.config).converts)
        for other in at.platform.instances(SLUG):
            fact = at.platform.component(other)
            if other < at.name and fact and converts(fact.release) != cls.release_of(at.config).converts:
                text = (
                    f"components.{at.name}.release: {at.config.version} and {fact.release} of {other} share CRDs, and "
                )
                text += "store their objects in different versions"
                yield Problem(text, hint="give both one release, or add the second when the first has moved")
            if other < at.name and fact and fact.namespace == at.config.namespace:
                text = (
                    f"components.{at.name}: its namespace {fact.namespace} is that of {other}, and each needs its own"
                )
                yield Problem(text, hint=f"write `namespace: {at.name}`")

    def build(self) -> None:
        """The gateway with its rights and Services, and the objects that tell it what to serve."""
        ingress, name = door_of(self.setting), self.named(NAME)
        Crds(self)
        # It asks the API server once which of them there are, and never watches one that is missing then
        # (cmd/entrypoint/interesting_types.go in 3.10 and 4.1).
        self.awaits(*(each.api.full_name for each in self.served))
        if self.first and converting(self.config):
            apiext.converter(self, self.served)
        # Upstream gathers this role from two others by label. A plain one grants the same, and nothing rewrites it.
        account = Account(self, name).allow(RULES)
        if self.waits:
            apiext.readable(account, self.namespace, f"{name}-apiext-reader")
        pod = self.pod(ingress, name)
        Deployment(self, name, pod=pod, ha_replicas=3, extra_spec=entrance.strategy(ingress))
        if self.platform.network_policies:
            outside = [number for _, _, number in entrance.open_ports(ingress)]
            NetworkPolicy(self, name, openings=[from_everywhere(*outside), from_cluster(ADMIN, SNAPSHOT)])
        self.services(ingress, name)
        self.serve(ingress, name)
        admin = f"{self.named(ADMIN_SERVICE)}.{self.namespace}:{ADMIN}"
        # As a prefix it would open more of the admin port than its health.
        health = mapping("/healthz", admin, exact=True, rewrite="/ambassador/v0/check_ready", host=ANY_HOST)
        health["timeout_ms"] = 10_000
        asked = self.maybe(_ASKED)
        if asked:
            health["bypass_auth"] = True
            Resource(
                self, AUTH_SERVICE, self.named("emissary-auth"), spec=self.own(hosts.auth(asked.value)), part="after"
            )
        Resource(self, MAPPING, self.named("emissary-health"), spec=self.own(health), part="after")

    def build_hosts(self) -> None:
        """For which hosts it serves, with their certificates."""
        ingress, name = ingress_of(self.setting), self.named(NAME)
        for each, host in hosts.hosts(name, ingress):
            told = self.records(name) if host.get("hostname") == ingress.host else None
            Resource(self, HOST, each, spec=self.own(host), annotations=told, part="after")
        for each, context in hosts.tls_contexts(name, ingress):
            Resource(self, TLS_CONTEXT, each, spec=self.own(context), part="after")
        entrance.certificate(self, name, ingress, temporary=True)

    def own(self, spec: S) -> S:
        """The object for this instance alone: the first reads what names none, and conversion writes its id there."""
        known = id_of(self.name)
        if known == DEFAULT_ID and not converting(self.config):
            return spec
        return cast(S, {**spec, "ambassador_id": [known]})

    @property
    def waits(self) -> bool:
        """Whether the gateway itself waits for the webhook: release 4 can, where it is told to."""
        return bool(self.config.legacy_versions)

    def services(self, ingress: Ingress, name: str) -> None:
        """The door, and the admin port for metrics and health."""
        ports, kind = entrance.service_ports(ingress), entrance.service_type(ingress)
        told = entrance.service_annotations(self.name, ingress, self.config.ingress)
        Service(self, name, ports=ports, extra_spec=kind, annotations=told)
        ports = [port("ambassador-admin", ADMIN, "admin"), port("ambassador-snapshot", SNAPSHOT)]
        labels = {"service": "ambassador-admin"}  # what monitors made for upstream's chart select
        admin = Service(self, self.named(ADMIN_SERVICE), workload=name, ports=ports, labels=labels)
        admin.monitor("ambassador-admin")
        watched = Alerts(self, metrics.alerts(admin.name, gateway=name), tables=[metrics.ENVOY])
        Dashboards(self, [metrics.BOARD], tables=watched.tables)

    def serve(self, ingress: Ingress, name: str) -> None:
        """What it listens to, and for which hosts."""
        # Upstream lets every pod of the cluster read the diagnostics on the admin port, with all hosts and routes; here
        # only a port-forward does.
        settings: Any = {"config": {"diagnostics": {"enabled": False, "allow_non_local": False}}}
        Resource(self, MODULE, MODULE_NAME, spec=self.own(settings), part="after")
        for each, listener in hosts.listeners(name, ingress):
            Resource(self, LISTENER, each, spec=self.own(listener), part="after")
        self.with_hosts()
        if called := class_of(self.setting):
            known = id_of(self.name)
            annotations = {} if known == DEFAULT_ID else {"getambassador.io/ambassador-id": known}
            spec = {"controller": "getambassador.io/ingress-controller"}
            Resource(self, INGRESS_CLASS, called, spec=cast(Any, spec), annotations=annotations)

    def records(self, name: str) -> dict[str, str] | None:
        """Annotations by which external-dns finds the address of a Host, where it makes a record for it."""
        if not entrance.records_of(self.platform, self.name):
            return None
        service = {"external-dns.ambassador-service": f"{self.namespace}/{name}"}
        return {**service, **entrance.record_targets(self.platform, self.name)}

    def pod(self, ingress: Ingress, name: str) -> PodSpec:
        """The gateway's pod: upstream's, on the node's network where the stack says so."""
        labels = {"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}
        made: PodSpec = {
            "serviceAccountName": name,
            # Upstream's user. Capabilities and the root file system stay as they are: Envoy and the programs beside it
            # write below /ambassador and /tmp, and whether they work with less is not recorded.
            "securityContext": {"runAsUser": USER, "runAsNonRoot": True},
            "containers": [self.container(ingress)],
            "volumes": [{"name": "ambassador-pod-info", "downwardAPI": {"items": [cast(Any, labels)]}}],
        }
        if self.release.converts:
            made["initContainers"] = [apiext.waiting(self.release.image, home_of(self.setting))]
        if ingress.kind == "hostNetwork":
            made["hostNetwork"] = True
            made["dnsPolicy"] = "ClusterFirstWithHostNet"  # else the names of Services would not resolve
        return made

    def container(self, ingress: Ingress) -> Container:
        """The gateway: Envoy and the programs that write its configuration, with upstream's probes and resources."""
        known, (least, most) = id_of(self.name), self.release.memory
        instance = {} if known == DEFAULT_ID else {"AMBASSADOR_ID": known}
        if self.waits:
            instance |= apiext.waited(self.namespace)
        if ingress.ip_families == ["IPv6"]:
            instance["AMBASSADOR_ENVOY_BIND_ADDRESS"] = "::"  # by itself all addresses of IPv4
        fields = {"AMBASSADOR_NAMESPACE": from_field("metadata.namespace"), "HOST_IP": from_field("status.hostIP")}
        return {
            "name": NAME,
            "image": self.release.image,
            "ports": hosts.container_ports(ingress),
            "env": [*env(fields), *env(instance)],
            "livenessProbe": http_probe("/ambassador/v0/check_alive", "admin", delay=30, period=3),
            "readinessProbe": http_probe("/ambassador/v0/check_ready", "admin", delay=30, period=3),
            "resources": {"requests": {"cpu": "200m", "memory": least}, "limits": {"memory": most}},
            "securityContext": {"allowPrivilegeEscalation": False},
            "volumeMounts": mounts({"ambassador-pod-info": POD_INFO}, read_only=True),
        }


POD_INFO = "/tmp/ambassador-pod-info"  # noqa: S108 - where Emissary looks for its labels


def id_of(instance: str) -> str:
    """The id by which an instance knows what is for it."""
    return DEFAULT_ID if instance == SLUG else instance


def converts(release: str) -> bool:
    """Whether a release stores its objects in a version that others are converted to."""
    return any(each.converts for each in RELEASES if each.version == release)


def converting(config: EmissaryConfig) -> bool:
    """Whether the objects of an instance are converted between versions."""
    return bool(config.legacy_versions) or converts(config.version)


def _legacy_problems(at: Setting[EmissaryConfig], always: bool) -> Iterator[Problem]:
    """Former versions belong to the CRDs: the first instance brings these, and not every release has a choice."""
    if not at.config.legacy_versions:
        return
    where = f"components.{at.name}.legacyVersions"
    first = next(iter(at.platform.instances(SLUG)), at.name)
    if always:
        yield Problem(f"{where}: {at.config.version} always serves v1 and v2", hint="leave it out")
    elif first != at.name:
        yield Problem(f"{where}: the CRDs are those of {first}", hint=f"write it under components.{first}")


def home_of(at: Setting[EmissaryConfig]) -> str:
    """Namespace of the first instance, which brings what all share."""
    first = next(iter(at.platform.instances(SLUG)), at.name)
    fact = at.platform.component(first)
    return fact.namespace if fact and first != at.name else at.config.namespace


def class_of(at: Setting[EmissaryConfig]) -> str:
    """Name of the IngressClass of an instance; empty for none."""
    chosen = at.config.ingress_class or ""
    return f"{at.name}-{CLASS}" if chosen == CLASS and at.name != SLUG else chosen


def ingress_of(at: Setting[EmissaryConfig]) -> Ingress:
    """How traffic reaches an instance."""
    return entrance.ingress_of(at, at.config.ingress, SLUG)


def door_of(at: Setting[EmissaryConfig]) -> Ingress:
    """The same whatever its hosts are."""
    return entrance.door_of(at, at.config.ingress, SLUG)
