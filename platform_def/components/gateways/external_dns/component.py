"""external-dns: writes DNS records for the hosts of the stack's gateways, at the provider that holds their zones.

A record is its own only while a TXT record with the same name names this cluster; other records are left as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.capabilities import Gateway, HostRecords
from platform_def.capabilities.secrets import needs_of
from platform_def.components.gateways.external_dns.access import Access, access_to
from platform_def.components.gateways.external_dns.providers import Provider
from platform_def.components.gateways.external_dns.sources import OF_GATEWAY, SOURCES, SourceName, rules_for
from platform_def.config.capability import EXTERNAL, Given
from platform_def.config.model import Host, Name, Subdomain
from platform_def.constructs import (
    APACHE,
    RESTRICTED_LEVEL,
    Account,
    Component,
    ComponentConfig,
    Deployment,
    ExistingObject,
    ImageFacts,
    Need,
    NetworkPolicy,
    Offers,
    Problem,
    Release,
    Service,
    Setting,
    from_cluster,
    http_probe,
    port,
    releases,
    secured,
)

SLUG = NAME = "external-dns"
IMAGE = "registry.k8s.io/external-dns/external-dns"
# Upstream's table has no end; what it calls is stable since 1.21.
RELEASES = releases(
    Release("0.23.0", image=f"{IMAGE}:v0.23.0", kubernetes="1.21-1.37"),
    Release("0.22.0", image=f"{IMAGE}:v0.22.0", kubernetes="1.21-1.37"),
    license=APACHE,
)
METRICS = 7979
FACTS = ImageFacts(runs_as=65532, read_only=True, source="upstream's chart at v0.23.0")
GROUP = 65534
"""Group of mounted Secrets and tokens, upstream's."""


class ExternalDnsConfig(ComponentConfig):
    """What a stack may choose about external-dns."""

    releases = RELEASES

    namespace: Name = "external-dns"
    """Namespace of the program and of its credentials."""
    provider: Provider
    """Who holds the zones."""
    policy: Literal["upsert-only", "sync", "create-only"] = "upsert-only"
    """`upsert-only` makes and changes records; `sync` also deletes those of hosts that are gone; `create-only` makes
    them and never looks again."""
    domains: list[Subdomain] = Field(default_factory=list)
    """Domains in which it may write; by default those that the gateways' hosts lie in: `example.com` for
    `platform.example.com`. A zone must be one of them or lie in one."""
    gateways: list[Name] = Field(default_factory=list)
    """Gateways of the stack whose hosts get records, by the component's name; by default all that have a host."""
    sources: list[SourceName] = Field(default_factory=list)
    """Further kinds of objects that are read, such as `service` for Services with a host in an annotation."""
    targets: list[Host] = Field(default_factory=list)
    """Addresses or names that records of the gateways point at in place of their load balancer's: for `nodePort` and
    `hostNetwork`, or where a router stands in front."""
    interval_seconds: Annotated[int, Field(ge=5, le=86400)] = 60
    """How often records are compared; upstream's."""


class ExternalDns(Component[ExternalDnsConfig]):
    """The program with the rights to read its sources, and a Service for its metrics.

    There is one pod: it elects no leader.
    """

    gives = (HostRecords,)
    several = True
    pod_security = RESTRICTED_LEVEL

    @classmethod
    def needs_of(cls, at: Setting[ExternalDnsConfig]) -> tuple[Need[Any], ...]:
        """What its credentials come from."""
        return needs_of(getattr(at.config.provider.chosen, "credentials", None))

    @classmethod
    def offers(cls, at: Setting[ExternalDnsConfig]) -> Offers:
        """Records, which gateways must know about: some must ask for them on their objects."""
        pdns = at.config.provider.pdns
        named = (ExistingObject("ConfigMap", pdns.ca.config_map, at.config.namespace),) if pdns and pdns.ca else ()
        records = HostRecords(gateways=[*at.config.gateways], targets=[*at.config.targets])
        return Offers(capabilities=(records,), existing=named)

    @classmethod
    def problems(cls, at: Setting[ExternalDnsConfig]) -> Iterator[Problem]:
        """Records that would never be made."""
        knob, config = f"components.{at.name}", at.config
        given = {each.by: each.value for each in at.platform.all(Gateway)}
        for name in config.gateways:
            if name not in given:
                known = ", ".join(given) or "none"
                yield Problem(f"{knob}.gateways: {name} is no gateway of the stack", hint=f"gateways are: {known}")
            elif given[name].host is None:
                yield Problem(f"{knob}.gateways: {name} has no host", hint="write `host:` under its `ingress`")
        chosen = gateways_of(at)
        if not chosen and not config.sources and not config.gateways:
            hint = "write `ingress: {host: …}`, or `sources:` with what else it is to read"
            yield Problem(f"{knob}: no gateway of the stack has a host that could get a record", hint=hint)
        if not chosen and config.sources and not config.domains:
            hint = "write `domains: [example.com]`"
            yield Problem(f"{knob}.domains: no gateway has a host that says where it may write", hint=hint)
        yield from _served(at)
        for each in chosen:
            yield from _reached(at, each)

    def build(self) -> None:
        """Everything that makes records."""
        name = self.named(NAME)
        sources = sources_of(self.setting)
        for each in sources:
            self.awaits(*filter(None, (SOURCES[each].api,)))
        Account(self, name).allow(rules_for(sources))
        access = access_to(self, self.config.provider, name)
        Deployment(
            self,
            name,
            pod=self.pod(name, access),
            pod_labels=access.labels,
            pod_annotations=access.annotations,
            extra_spec={"strategy": {"type": "Recreate"}},  # two would undo each other's changes
        )
        Service(self, name, ports=[port("http", METRICS, "http")]).monitor("http")
        if self.platform.network_policies:
            NetworkPolicy(self, name, openings=[from_cluster(METRICS)])

    def pod(self, name: str, access: Access) -> PodSpec:
        """The pod, with upstream's probes and security context."""
        container: Container = {
            "name": NAME,
            "image": self.release.image,
            "args": [*self.flags(), f"--provider={access.provider}", *access.flags],
            "ports": [{"name": "http", "containerPort": METRICS, "protocol": "TCP"}],
            "livenessProbe": http_probe("/healthz", "http", delay=10, period=10, timeout=5, failures=2),
            "readinessProbe": http_probe("/healthz", "http", delay=5, period=10, timeout=5, failures=6),
            "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
            "securityContext": secured(FACTS),
        }
        if access.env:
            container["env"] = access.env
        made: PodSpec = {
            "serviceAccountName": name,
            "securityContext": {"fsGroup": GROUP, "runAsNonRoot": True},
            "containers": [container],
        }
        if access.volumes:
            container["volumeMounts"], made["volumes"] = access.mounts, access.volumes
        return made

    def flags(self) -> list[str]:
        """What it reads, what it may change, and how it knows its own records."""
        # Two instances of one cluster are two owners.
        owner = self.platform.cluster if self.name == SLUG else f"{self.platform.cluster}-{self.name}"
        return [
            f"--interval={self.config.interval_seconds}s",
            *(f"--source={each}" for each in sources_of(self.setting)),
            *(f"--domain-filter={each}" for each in domains_of(self.setting)),
            *(f"--exclude-domains={each}" for each in others_of(self.setting)),
            f"--policy={self.config.policy}",
            "--registry=txt",
            f"--txt-owner-id={owner}",
        ]


def gateways_of(at: Setting[ExternalDnsConfig]) -> list[Given[Gateway]]:
    """Gateways whose hosts get records."""
    wanted = at.config.gateways
    return [each for each in at.platform.all(Gateway) if each.value.host and (not wanted or each.by in wanted)]


def sources_of(at: Setting[ExternalDnsConfig]) -> list[SourceName]:
    """What is read: the gateways' own objects, and what the stack says."""
    return sorted({*(OF_GATEWAY[each.value.api] for each in gateways_of(at)), *at.config.sources})


def domains_of(at: Setting[ExternalDnsConfig]) -> list[str]:
    """Where it may write. A zone called as the host itself lies in the host's domain too."""
    hosts = [each.value.host for each in gateways_of(at) if each.value.host]
    return sorted({*(at.config.domains or (host.partition(".")[2] or host for host in hosts))})


def others_of(at: Setting[ExternalDnsConfig]) -> list[str]:
    """Hosts of other gateways in those domains: their objects are read too."""
    ours = {each.value.host for each in gateways_of(at)}
    hosts = {each.value.host for each in at.platform.all(Gateway) if each.value.host} - ours
    return sorted(str(host) for host in hosts if _lies_in(str(host), domains_of(at)))


def _lies_in(host: str, domains: Sequence[str]) -> bool:
    return any(host == each or host.endswith(f".{each}") for each in domains)


def _served(at: Setting[ExternalDnsConfig]) -> Iterator[Problem]:
    for name in sources_of(at):
        api = SOURCES[name].api
        if api and not at.platform.serves(api):
            text = f"components.{at.name}: it would read {api.partition('.')[0]}s for {name}, which the stack does not "
            yield Problem(f"{text}serve ({api})", hint="add the component that serves them, or leave the source out")


def _reached(at: Setting[ExternalDnsConfig], gateway: Given[Gateway]) -> Iterator[Problem]:
    """A host outside the domains, and a gateway without an address that a record could point at."""
    host = gateway.value.host
    if not _lies_in(str(host), domains_of(at)):
        hint = "add its domain, or name under `gateways` those that are meant"
        yield Problem(f"components.{at.name}.domains: {host}, of {gateway.by}, lies in none of them", hint=hint)
    ours = gateway.by != EXTERNAL and not gateway.provided
    if ours and not gateway.value.balanced and not at.config.targets:
        text = f"components.{at.name}: {gateway.by} has no load balancer whose address a record could point at"
        yield Problem(text, hint="write `targets: [203.0.113.7]` with the addresses of the nodes or of a router")
