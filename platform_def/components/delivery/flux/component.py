"""Flux: fetches a repository and applies what lies in it, in order; the engine of `delivery: {engine: flux}`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from platform_def.apis.core.core_v1 import (
    RESOURCE_QUOTA,
    Container,
    ContainerPort,
    PodSpec,
    ResourceQuotaSpec,
    ScopedResourceSelectorRequirement,
    ServicePort,
)
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.components.delivery.flux.words import ENGINE
from platform_def.config.model import Name
from platform_def.constructs import (
    APACHE,
    KUBERNETES,
    OUT_OF_MESH,
    READ,
    RESTRICTED,
    RESTRICTED_LEVEL,
    WRITE,
    Account,
    Component,
    ComponentConfig,
    Crds,
    Definition,
    Deployment,
    LeaderElection,
    NetworkPolicy,
    Opening,
    Release,
    Resource,
    Service,
    Setting,
    Support,
    Upkeep,
    Withdrawn,
    aggregated,
    allow,
    env,
    from_cluster,
    from_field,
    from_namespace,
    grants,
    http_probe,
    mounts,
    port,
    releases,
    scratch,
)
from platform_def.constructs.environment import from_amount
from platform_def.constructs.rbac import allow_urls

SOURCE, KUSTOMIZE, HELM, NOTIFICATION = (
    "source-controller",
    "kustomize-controller",
    "helm-controller",
    "notification-controller",
)
GROUPS = {
    SOURCE: "source.toolkit.fluxcd.io",
    KUSTOMIZE: "kustomize.toolkit.fluxcd.io",
    HELM: "helm.toolkit.fluxcd.io",
    NOTIFICATION: "notification.toolkit.fluxcd.io",
}
"""API group that each program serves."""
CRITICAL = "system-cluster-critical"
FILES, EVENTS, RECEIVER, METRICS, HEALTH = 9090, 9090, 9292, 8080, 9440
"""Ports: of fetched files, of events to tell, of webhooks that say that something is new; compiled in as defaults."""
TEMPORARY = "/tmp"  # noqa: S108 - in the container


def _images(source: str, kustomize: str, helm: str, notification: str) -> dict[str, str]:
    versions = {SOURCE: source, KUSTOMIZE: kustomize, HELM: helm, NOTIFICATION: notification}
    return {name: f"ghcr.io/fluxcd/{name}:v{version}" for name, version in versions.items()}


@dataclass(frozen=True, kw_only=True)
class FluxRelease(Release):
    """What differs between releases of Flux."""

    makes_tokens: bool = False
    """What fetches and what notifies may make tokens of any account, for the identity in a cloud that an object names;
    else only where a role binding grants it."""
    leader_is_ready: bool = False
    """What fetches says itself that it leads; else that it leads is seen by its serving files."""


# `flux check` refuses Kubernetes before the first of each; the programs are compiled against the last. The default is
# the newest whose order was seen (`proven` of `words.py`). Upstream mends its three newest minor versions.
_SUPPORTED = Upkeep(Support.CURRENT, ())
RELEASES = releases(
    FluxRelease(
        "2.9.5",
        kubernetes="1.33-1.36",
        makes_tokens=True,
        images=_images("1.9.5", "1.9.5", "1.6.4", "1.9.4"),
        upkeep=_SUPPORTED,
    ),
    FluxRelease(
        "2.10.0",
        kubernetes="1.35-1.37",
        leader_is_ready=True,
        images=_images("1.10.1", "1.10.1", "1.7.1", "1.10.0"),
        upkeep=_SUPPORTED,
    ),
    license=APACHE,
)
WITHDRAWN = (Withdrawn("2.9.4", instead="2.9.5", changes="the images alone", upkeep=_SUPPORTED),)

COMMON = (
    allow("", "configmaps secrets serviceaccounts", verbs=READ),  # what objects name: credentials, values, identities
    allow("", "namespaces", verbs=READ),  # sources that are open to namespaces with certain labels
    allow("", "events", verbs="create patch"),
    allow_urls("/livez/ping", verbs="head"),  # whether the API server has flow control
)


class FluxConfig(ComponentConfig):
    """What a stack may choose about Flux."""

    releases = RELEASES
    withdrawn = WITHDRAWN

    namespace: Name = "flux-system"
    """Namespace of its programs, upstream's."""
    network_policies: bool = True
    """Close its programs to connections of other namespaces, but for metrics and webhooks, as upstream always does."""
    helm: bool = False
    """Run the helm-controller too, for HelmReleases of your own; nothing in dist/ is one."""
    notifications: bool = False
    """Run the notification-controller too: it tells others what happened, and takes webhooks that say that a
    repository has changed."""


class Flux(Component[FluxConfig, FluxRelease]):
    """The source- and the kustomize-controller, which bring dist/; the helm- and the notification-controller."""

    pod_security = RESTRICTED_LEVEL

    @classmethod
    def served_by(cls, at: Setting[FluxConfig]) -> tuple[Definition, ...]:
        """Kinds of the programs that run."""
        groups = {GROUPS[name] for name in programs(at.config)}
        return tuple(each for each in super().served_by(at) if each.api.group in groups)

    def build(self) -> None:
        """Everything that applies a repository."""
        Crds(self)
        for name in programs(self.config):
            self._rights(name)
            Deployment(
                self,
                name,
                pod=self.pod(name),
                # The others work through what one of them fetched or received.
                ha_replicas=2 if name in (KUSTOMIZE, HELM) else 0,
                pod_annotations=OUT_OF_MESH,
                # A new pod serves files once it leads, and it leads once the previous one is gone.
                extra_spec={"strategy": {"type": "Recreate"}} if name == SOURCE else None,
            )
            metrics = port("metrics", METRICS, "http-prom")
            Service(self, name, ports=[*_served_ports(name), metrics]).monitor("metrics")
            if self.config.network_policies:
                NetworkPolicy(self, name, openings=[*_openings(name)], egress=True)
        if self.config.notifications:
            Service(self, "webhook-receiver", ports=[port("http", 80, "http-webhook")], workload=NOTIFICATION)
        # Where a cluster lets that priority in by quota alone, as GKE does outside kube-system.
        critical: ScopedResourceSelectorRequirement = {
            "operator": "In",
            "scopeName": "PriorityClass",
            "values": ["system-node-critical", CRITICAL],
        }
        quota: ResourceQuotaSpec = {"hard": {"pods": "1000"}, "scopeSelector": {"matchExpressions": [critical]}}
        Resource(self, RESOURCE_QUOTA, "critical-pods", spec=quota)
        # To see, and not to write: what a Kustomization names is applied with every right there is.
        aggregated(self, "flux-view", grants(self.served, READ), KUBERNETES, "view", "edit", "admin")

    def _rights(self, name: str) -> None:
        account = Account(self, name)
        if name in (KUSTOMIZE, HELM):
            # They apply whatever the repository or the chart holds.
            account.bind("cluster-admin", binding=f"flux-{name}")
        else:
            tokens = [allow("", "serviceaccounts/token", verbs="create")] if self.release.makes_tokens else []
            account.allow([*COMMON, *tokens, *self._own_kinds(name)], role=f"flux-{name}")
        election = LeaderElection(flag="", lease=f"{name}-leader-election", always=True)
        account.allow_in(self.namespace, election.rules())

    def _own_kinds(self, name: str) -> Iterator[PolicyRule]:
        own = [each for each in self.served if each.api.group == GROUPS[name]]
        yield from grants(own, WRITE)
        yield from grants(own, "get patch update", "status")
        yield from grants(own, "create delete get patch update", "finalizers")
        if name == NOTIFICATION:
            # A webhook makes an object be looked at now, by an annotation.
            yield from grants([each for each in self.served if each not in own], f"{READ} patch update")

    def pod(self, name: str) -> PodSpec:
        """The pod of a program, with upstream's security context."""
        volumes = {"tmp": TEMPORARY, **({"data": "/data"} if name == SOURCE else {})}
        by_files = name == SOURCE and not self.release.leader_is_ready
        container: Container = {
            "name": "manager",
            "image": self.release.images[name],
            "args": [*self.arguments(name)],
            "env": env(
                {
                    "RUNTIME_NAMESPACE": from_field("metadata.namespace"),
                    "GOMEMLIMIT": from_amount("limits.memory"),
                    # Roots of trust for signatures of charts and artifacts, which it fetches when it needs them.
                    **({"TUF_ROOT": f"{TEMPORARY}/.sigstore"} if name == SOURCE else {}),
                }
            ),
            "ports": [*_container_ports(name)],
            "livenessProbe": http_probe("/healthz", "healthz"),
            "readinessProbe": http_probe("/", "http") if by_files else http_probe("/readyz", "healthz"),
            "resources": {
                "requests": {"cpu": "50m" if name == SOURCE else "100m", "memory": "64Mi"},
                "limits": {"cpu": "1000m", "memory": "1Gi"},  # upstream's; enough for what one repository can ask
            },
            "securityContext": RESTRICTED,
            "volumeMounts": mounts(volumes),
        }
        pod: PodSpec = {
            "serviceAccountName": name,
            "terminationGracePeriodSeconds": {KUSTOMIZE: 60, HELM: 600}.get(name, 10),
            "securityContext": {"fsGroup": 1337},  # to read the tokens of a cloud's identity
            "containers": [container],
            "volumes": scratch(*volumes),
        }
        return pod if name == NOTIFICATION else {"priorityClassName": CRITICAL, **pod}

    def arguments(self, name: str) -> Iterator[str]:
        """Upstream's flags, and of the kustomize-controller those that dist/ needs."""
        if self.config.notifications and name != NOTIFICATION:
            yield f"--events-addr=http://{self.service_host(NOTIFICATION)}./"
        yield from ("--watch-all-namespaces", "--log-level=info", "--log-encoding=json", "--enable-leader-election")
        if name == SOURCE:
            yield from ("--storage-path=/data", f"--storage-adv-addr={self.service_host(SOURCE)}.")
        if name == KUSTOMIZE:
            yield from ENGINE.flags


def programs(config: FluxConfig) -> tuple[str, ...]:
    """Those that run, by the names of their Deployments."""
    return (SOURCE, KUSTOMIZE, *([HELM] if config.helm else []), *([NOTIFICATION] if config.notifications else []))


def _served_ports(name: str) -> list[ServicePort]:
    return [port("http", 80, "http")] if name in (SOURCE, NOTIFICATION) else []


def _container_ports(name: str) -> Iterator[ContainerPort]:
    if name in (SOURCE, NOTIFICATION):
        yield {"name": "http", "containerPort": FILES if name == SOURCE else EVENTS, "protocol": "TCP"}
    if name == NOTIFICATION:
        yield {"name": "http-webhook", "containerPort": RECEIVER, "protocol": "TCP"}
    yield {"name": "http-prom", "containerPort": METRICS, "protocol": "TCP"}
    yield {"name": "healthz", "containerPort": HEALTH, "protocol": "TCP"}


def _openings(name: str) -> Iterator[Opening]:
    """Fetched files, credentials among them perhaps, and events are for Flux' own namespace."""
    if name in (SOURCE, NOTIFICATION):
        yield from_namespace(FILES if name == SOURCE else EVENTS)
    yield from_cluster(METRICS, *([RECEIVER] if name == NOTIFICATION else []))
