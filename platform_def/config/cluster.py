"""The cluster that a stack is for: its version, distribution, names, registry, and how traffic enters it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from ipaddress import ip_address, ip_network
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator

from platform_def.config.access.tokens import ServiceAccountTokens
from platform_def.config.kubernetes import Kubernetes
from platform_def.config.model import LabelKey, MisfitError, Model, Name, ObjectName, Port, Subdomain, Url, conflict
from platform_def.config.words.kinds import BalancerWord, EngineWord
from platform_def.config.words.registered import balancers, engines
from platform_def.config.words.types import BALANCED, EngineName, IngressKind

_SCP = re.compile(r"(?P<user>[^@/:]+)@(?P<host>[^:/]+):/*(?P<path>.+)")
_SSH = re.compile(r"ssh://(?P<user>[^@/]+@)?(?P<host>[^:/]+|\[[^]/]*\])(?P<port>:[^/]*)?(?P<path>/.*)?")
_OCI = re.compile(r"oci://(\[[0-9a-f:]+\]|[a-z0-9.-]+)(:\d{1,5})?(/[a-z0-9]+([._-]+[a-z0-9]+)*)+")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")
_NO_REFERENCE = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|^[-./]|[./]$|\.lock(/|$)")
"""What no branch and no tag has in its name (git-check-ref-format)."""
_CONTENT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}|sha\d+:.+")


def _registry(value: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9.-]*(:\d{1,5})?(/[a-z0-9][a-z0-9._-]*)*", value):
        raise ValueError(f"'{value[:80]}' is not a registry: write host[:port][/path], without a scheme")
    return value


def _source(value: str) -> str:
    host = _registry(value).partition("/")[0]
    if "." not in host and ":" not in host and host != "localhost":
        raise ValueError(f"'{value[:80]}' names no registry: write its host first, such as docker.io/{value[:40]}")
    return value


def with_scheme(address: str) -> str:
    """The address as a URL: `git@host:path` is ssh."""
    scp = _SCP.fullmatch(address)
    return "ssh://{user}@{host}/{path}".format(**scp.groupdict()) if scp else address


def scheme(address: str) -> str:
    """`https`, `http`, `ssh`, `file` or `oci`."""
    return with_scheme(address).partition("://")[0]


def wrong_revision(address: str, revision: str) -> str:
    """What is wrong with a revision of what the address names; empty where it may be right.

    What names a content cannot be part of it: `_delivery/` there says another revision, and an engine that applies it
    keeps the revision that it has.
    """
    artifact = scheme(address) == "oci"
    if _CONTENT.fullmatch(revision):
        it, instead = ("an artifact", "a tag") if artifact else ("a commit", "a branch or a tag")
        return f"{it} cannot hold its own name, and leads the engine elsewhere: write {instead}"
    if artifact:
        return "" if _TAG.fullmatch(revision) else f"'{revision[:80]}' is no tag of an artifact"
    refused = not revision or _NO_REFERENCE.search(revision)
    return f"'{revision[:80]}' cannot be the name of a branch or tag: Git refuses it" if refused else ""


def mistake(address: str) -> str:
    """What is wrong with an address, and what to write instead; empty where it may be right."""
    if address.startswith("oci://") and not _OCI.fullmatch(address):
        return "is no repository of a registry: write oci://host/path in lower case; the tag is `revision:`"
    ssh = _SSH.fullmatch(address)
    if ssh is None:
        return ""
    host, port, path = ssh["host"], ssh["port"] or "", (ssh["path"] or "").lstrip("/")
    if port and not re.fullmatch(r":\d{1,5}", port):
        return (
            f"has no port behind ':': write git@{host}{port}/{path}, or ssh://git@{host}{port.replace(':', '/')}/{path}"
        )
    # An engine may take it for another protocol without one.
    return "" if ssh["user"] else f"names no user: write ssh://git@{host}{port}/{path}"


Registry = Annotated[str, AfterValidator(_registry)]
Source = Annotated[str, AfterValidator(_source)]
"""Where images come from: a registry's host, with a path or a repository behind it."""
Distribution = Literal[
    "kubeadm", "k3s", "rke2", "kind", "minikube", "microk8s", "talos", "openshift", "eks", "gke", "aks"
]


class ClusterName(Model):
    """What a cluster is called, in front of what is said of it."""

    name: Name
    """Name of the cluster; by default the stack's."""


class ClusterFacts(Model):
    """What a stack says of its cluster and components read; a field more is a fact of `Platform` more."""

    kubernetes: Kubernetes
    """Minor version of the API server, as a string: every object is checked against its schemas."""
    distribution: Distribution = "kubeadm"
    """Who built the cluster; decides host paths of kubelet and containerd."""
    dns_domain: Subdomain = "cluster.local"
    """Domain of Service names inside the cluster."""
    registry: Registry | None = None
    """A mirror: every image is rewritten to `<registry>/<original host>/<path>`, and synth fails when one escapes."""
    mirrors: dict[Source, Registry] = Field(default_factory=dict)
    """Images that `registry` does not serve: the address to use instead of a registry (`quay.io`), a path in it
    (`quay.io/jetstack`) or an image (`docker.io/library/busybox`); the longest match counts."""
    pull_secrets: list[Subdomain] = Field(default_factory=list)
    """Secrets of type `kubernetes.io/dockerconfigjson` with which images are pulled, by name. Every account of the
    stack names them, those of teams and of what operators make included; you make them in each namespace, and
    `platformctl bootstrap` lists these."""
    package_indexes: dict[Literal["pip", "npm", "conda", "cran", "goproxy"], Url] = Field(default_factory=dict)
    """Package indexes for jobs, notebooks and pipelines, where the public ones are out of reach."""
    feature_gates: dict[str, bool] = Field(default_factory=dict)
    """Feature gates that differ from the version's defaults. The server drops fields behind a gate that is off."""
    cgroup: Literal["v1", "v2"] = "v2"
    """Version of control groups on the nodes; kubelets from 1.35 refuse v1 unless told otherwise."""
    nvidia_runtime: Literal["default", "class"] = "class"
    """`class`: pods that use GPUs ask for RuntimeClass `nvidia`; `default`: nvidia is containerd's default."""
    service_account_tokens: ServiceAccountTokens | None = None
    """Lets programs with the token of a ServiceAccount pass where people sign in; absent: none passes."""


class Cluster(ClusterFacts, ClusterName):
    """One Kubernetes cluster."""

    existing: list[ObjectName] = Field(default_factory=list)
    """Objects that the cluster has already and others may name: `Secret vision/registry`, `StorageClass fast`.

    Written `Kind name`, with `namespace/` before the name where there is one, and `.group` behind an ambiguous kind.
    """


def brought_classes(distribution: Distribution, kubernetes: Kubernetes) -> frozenset[str]:
    """RuntimeClasses that a distribution brings: those of the runtimes that k3s and RKE2 find on nodes, from 1.30."""
    own = distribution in ("k3s", "rke2") and kubernetes >= "1.30"
    return frozenset({"nvidia", "nvidia-experimental", "nvidia-cdi"}) if own else frozenset()


class Tls(Model):
    """How the gateway gets its certificate."""

    secret: Subdomain | None = None
    """An existing `kubernetes.io/tls` Secret in the gateway's namespace."""
    issuer: Name | None = None
    """A ClusterIssuer that signs one."""
    duration_hours: Annotated[int, Field(ge=1)] | None = None
    """Validity of a certificate that is signed, where the authority follows it; 2160, 90 days, unless given."""
    renew_before_hours: Annotated[int, Field(ge=1)] | None = None
    """How long before its end it is renewed; a third of its validity unless given."""

    @conflict
    def _one(self) -> Iterator[ValueError]:
        if (self.secret is None) == (self.issuer is None):
            yield ValueError("name either a secret or an issuer")
        if self.secret and (self.duration_hours or self.renew_before_hours):
            yield ValueError("durationHours and renewBeforeHours are of a certificate that an issuer signs")
        if (self.renew_before_hours or 0) >= (self.duration_hours or 2160):
            yield ValueError(f"renewBeforeHours must be less than durationHours, {self.duration_hours or 2160}")


def _network(value: str) -> str:
    try:
        return str(ip_network(value))
    except ValueError:
        text = f"'{value[:80]}' is no network: write it as 203.0.113.0/24, with no bits set beyond its prefix"
        raise ValueError(text) from None


def _host_pattern(value: str) -> str:
    name = value.removeprefix("*.")
    if not re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+", name) or len(value) > 253:
        raise ValueError(f"'{value[:80]}' is no host: write models.example.com, or *.apps.example.com")
    return value


AddressRange = Annotated[str, AfterValidator(_network)]


class Balancer(Model):
    """A balancer or proxy in front of the gateway that speaks HTTP itself, such as a cloud's application balancer."""

    trusted_hops: Annotated[int, Field(ge=1, le=16)] = 1
    """How many of them a request passes; what they say of the client (X-Forwarded-For) and of how it came
    (X-Forwarded-Proto) is believed. Nothing else may reach the gateway, or a client could say it too."""
    tls: bool = False
    """The certificate is the balancer's: clients speak HTTPS to it, and it speaks HTTP to the gateway."""


HostPattern = Annotated[str, AfterValidator(_host_pattern)]
"""A host, or all hosts one label below another: `*.apps.example.com`."""


class FurtherHost(Model):
    """A host beside the platform's own, with a certificate of its own."""

    host: HostPattern
    """Host name, or `*.apps.example.com` for all names one label below."""
    tls: Tls | None = None
    """Its certificate; needed where the gateway has HTTPS of its own. An issuer signs `*.` only by DNS-01."""

    @property
    def slug(self) -> str:
        """The host as a part of names of objects."""
        return self.host.replace("*", "all").replace(".", "-")


class Ingress(Model):
    """How traffic from outside reaches the gateway."""

    kind: IngressKind = "none"
    """`cloud`: a LoadBalancer that the cloud serves; `none`: port-forward only."""
    host: Subdomain | None = None
    """Host name under which the platform is reached; without one every host is accepted."""
    tls: Tls | None = None
    """Certificate of that host; without one the gateway speaks plain HTTP."""
    further_hosts: list[FurtherHost] = Field(default_factory=list)
    """Hosts that are served as well, each with its certificate. The platform's own pages go by `host`."""
    addresses: list[str] = Field(default_factory=list)
    """Addresses of the pool of a program that serves LoadBalancers: ranges (`10.0.0.200-10.0.0.210`) or networks
    (`10.0.0.192/28`)."""
    http_port: Port | None = None
    """Port for HTTP on the nodes, with `nodePort` (30000-32767 unless the cluster says otherwise) or `hostNetwork`."""
    https_port: Port | None = None
    """Port for HTTPS on the nodes, likewise; needs `tls`."""
    annotations: dict[LabelKey, str] = Field(default_factory=dict)
    """Annotations of the LoadBalancer's Service, for what gives it an address: an internal one, its pool …"""
    ip_families: Annotated[list[Literal["IPv4", "IPv6"]], Field(max_length=2)] = Field(default_factory=list)
    """Address families of the gateway's Service; by default the cluster's first. Both need a cluster of both."""
    source_ranges: list[AddressRange] = Field(default_factory=list)
    """Networks from which the LoadBalancer accepts connections, such as `[203.0.113.0/24]`; by default all."""
    external_traffic_policy: Literal["Local", "Cluster"] | None = None
    """`Local`: only nodes with a pod of the gateway take requests, and it sees the client's address; by default, as
    with `Cluster`, every node takes them, and the gateway sees the node's."""
    load_balancer_class: LabelKey | None = None
    """Which controller makes the LoadBalancer, with `cloud`, such as `service.k8s.aws/nlb`; it cannot change later."""
    balancer: Balancer | None = None
    """What is in front of the gateway and speaks HTTP itself; a LoadBalancer that passes connections on does not."""

    @conflict
    def _addresses_belong_to_a_pool(self) -> Iterator[ValueError]:
        if self.addresses and not self.pooled:
            titles = " or ".join(each.title for each in balancers().values())
            yield ValueError(f"addresses are {titles}'s: kind is '{self.kind}'")
        for address in self.addresses:
            yield from _no_range(address)
        if self.pooled and not self.addresses:
            yield ValueError(f"{self.kind} needs addresses, such as [10.0.0.200-10.0.0.210]")

    @conflict
    def _certificates_have_a_name(self) -> Iterator[ValueError]:
        if self.tls and self.tls.issuer and not self.host:
            yield ValueError("an issuer signs a name: write `host:`, or name a secret")

    @conflict
    def _what_a_load_balancer_has_alone(self) -> Iterator[ValueError]:
        for name, said in (("annotations", self.annotations), ("sourceRanges", self.source_ranges)):
            if said and not self.balanced:
                yield ValueError(f"{name} are a LoadBalancer's: kind is '{self.kind}', not {' or '.join(BALANCED)}")
        if self.external_traffic_policy and not (self.balanced or self.kind == "nodePort"):
            text = "externalTrafficPolicy is of a Service with a port on the nodes: "
            yield ValueError(f"{text}kind is '{self.kind}', not {', '.join(BALANCED)} or nodePort")
        if self.load_balancer_class and self.kind != "cloud":
            by = self.pooled
            text = f"{by.title} would leave the Service alone" if by else f"kind is '{self.kind}'"
            yield ValueError(f"loadBalancerClass is a cloud's: {text}")
        if self.balancer and self.kind == "none":
            yield ValueError("balancer: nothing is in front of a gateway of the kind none")

    @conflict
    def _one_end_of_tls(self) -> Iterator[ValueError]:
        if self.balancer and self.balancer.tls and self.tls:
            yield ValueError("balancer.tls: the certificate is the balancer's, leave out `tls:`")

    @conflict
    def _ports_of_nodes(self) -> Iterator[ValueError]:
        ports = [name for name, port in (("httpPort", self.http_port), ("httpsPort", self.https_port)) if port]
        if ports and self.kind not in ("nodePort", "hostNetwork"):
            yield ValueError(
                f"{' and '.join(ports)} are ports of the nodes: kind is '{self.kind}', not nodePort or hostNetwork"
            )

    @conflict
    def _https_has_a_certificate(self) -> Iterator[ValueError]:
        if self.https_port and not self.tls:
            yield ValueError("httpsPort needs `tls:`, a secret or an issuer")

    @conflict
    def _further_hosts_have_certificates(self) -> Iterator[ValueError]:
        if self.further_hosts and self.host is None:
            yield ValueError("furtherHosts: without `host` the gateway accepts every host; name the platform's own")
        names = [self.host, *(each.host for each in self.further_hosts)]
        for each in self.further_hosts:
            if names.count(each.host) > 1:
                yield ValueError(f"furtherHosts: {each.host} is named twice")
            if self.tls and not each.tls:
                yield ValueError(f"furtherHosts: {each.host} needs `tls:`, as `host` has a certificate")
            if each.tls and not self.tls:
                yield ValueError(
                    f"furtherHosts: {each.host} has a certificate, and `host` has none: write `tls:` for it"
                )

    @conflict
    def _families_have_addresses(self) -> Iterator[ValueError]:
        if len(set(self.ip_families)) < len(self.ip_families):
            yield ValueError("ipFamilies names one family twice")
        there = {"IPv6" if ":" in address else "IPv4" for address in self.addresses}
        for family in self.ip_families:
            if self.addresses and family not in there:
                yield ValueError(f"ipFamilies: no address of {family} is among the addresses")

    @property
    def pooled(self) -> BalancerWord | None:
        """What gives its Service an address from a pool."""
        return balancers().get(self.kind)

    @property
    def balanced(self) -> bool:
        """Whether its Service is a LoadBalancer."""
        return self.kind in BALANCED

    @property
    def dual_stack(self) -> bool:
        """Whether the gateway is reached by both address families."""
        return len(self.ip_families) > 1

    @property
    def balanced_tls(self) -> bool:
        """Whether HTTPS ends at a balancer in front of the gateway."""
        return self.balancer is not None and self.balancer.tls

    @property
    def scheme(self) -> Literal["http", "https"]:
        """What clients speak."""
        return "https" if self.tls or self.balanced_tls else "http"

    def hostless(self) -> Ingress:
        """The same without its hosts."""
        return self.model_copy(update={"host": None, "further_hosts": []})

    def door(self) -> Ingress:
        """The same without its hosts, which cannot be read: for what is built once for stacks that differ in them."""
        made = self.hostless()
        object.__setattr__(made, "__class__", _Door)
        return made

    def address(self) -> str | None:
        """What browsers write before the path, `https://ml.example.com:30443`; None without a host."""
        return None if self.host is None else self._at(self.host)

    def all_addresses(self) -> list[str]:
        """The same of further hosts too, except for those that stand for any name (`*.apps.example.com`)."""
        hosts = [*([self.host] if self.host else []), *(each.host for each in self.further_hosts)]
        return [self._at(host) for host in hosts if not host.startswith("*")]

    def _at(self, host: str) -> str:
        if self.balancer:  # whose ports clients see, and not the nodes'
            return f"{self.scheme}://{host}"
        port = self.https_port if self.tls else self.http_port
        return f"{self.scheme}://{host}{f':{port}' if port else ''}"


HOSTS = frozenset({"host", "further_hosts"})
"""Fields of an ingress that the door has not."""


class _Door(Ingress):
    """An ingress of which it is a mistake to read the hosts."""

    def __getattribute__(self, name: str) -> object:
        if name in HOSTS:
            raise AssertionError(f"ingress.{name} is asked for by what is built for all hosts")
        return object.__getattribute__(self, name)


def _no_range(text: str) -> Iterator[ValueError]:
    try:
        refuse_no_range(text)
    except ValueError as error:
        yield error


def refuse_no_range(text: str) -> None:
    """ValueError for what is neither a range (`10.0.0.200-10.0.0.210`) nor a network of addresses."""
    first, dash, last = text.partition("-")
    try:
        if not dash:
            ip_network(text)
            return
        backwards = ip_address(first.strip()) > ip_address(last.strip())  # type: ignore[operator]
    except (ValueError, TypeError):
        raise ValueError(f"'{text[:80]}' is no range or network of addresses") from None
    if backwards:
        raise ValueError(f"'{text[:80]}' ends before it begins")


def holds_credentials(address: str) -> bool:
    """Whether an address names a password; a user alone is one half of it before a host of HTTP, not of SSH."""
    return re.match(r"(https?|oci)://[^/]*@|[a-z]+://[^/@]*:[^/@]*@", address) is not None


class Delivery(Model):
    """Who applies dist/ to the cluster, and from where."""

    engine: EngineName = "none"
    """`none` writes manifests, and nothing for an engine."""
    repository: Annotated[str, Field(pattern=r"^(https?|ssh|file|oci)://[^\s]+$|^git@[^\s:]+:[^\s]+$")] | None = None
    """Address of what holds dist/: a Git repository (`https://…`, `ssh://git@host:port/path`, `git@host:path`), or that
    of a registry with artifacts (`oci://host/path`)."""
    revision: str = "main"
    """Branch or tag that is applied; of a registry the tag."""
    path: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$")] = "dist"
    """Folder of dist/ inside that repository."""
    namespace: Name | None = None
    """Namespace of the delivery objects; by default the engine's."""
    interval_minutes: Annotated[int, Field(ge=1, le=1440)] = 10
    """How often the engine looks again, where its objects say it."""
    order: Literal["retries", "gates"] = "retries"
    """How parts are brought in order by an engine that keeps none. `retries`: each part is tried again until the API
    server takes it; policies do what trying again cannot: programs stay until their custom resources are gone, a
    pod that a webhook must change comes after that webhook, and a pod whose program looks for definitions only as it
    starts after these. `gates`: policies of the API server refuse a part until all that it needs is synced and healthy,
    updates too."""
    policies: bool = True
    """Whether policies of the API server are delivered, from Kubernetes 1.30 on. `false` is for clusters whose owners
    allow none: what they do is then left to a person."""
    secret: Name | None = None
    """Existing Secret with the repository's credentials."""
    ca_secret: Name | None = None
    """Existing Secret with the certificate (`ca.crt`) of a private authority, for a registry."""
    sops_keys: Name = "sops-keys"
    """Existing Secret with the private keys that open Secrets which SOPS encrypted, where there are any."""

    @field_validator("path")
    @classmethod
    def _stays_inside(cls, path: str) -> str:
        if {".", ".."} & set(path.split("/")):
            raise ValueError(f"'{path[:80]}' has '.' or '..' in it: write the folder from the root of the repository")
        return path

    @field_validator("repository")
    @classmethod
    def _no_credentials(cls, address: str | None) -> str | None:
        if address and holds_credentials(address):
            raise ValueError("holds credentials; the engine reads them from a Secret in the cluster")
        if address and (wrong := mistake(address)):
            raise ValueError(wrong)
        return address

    @conflict
    def _engine_needs_repository(self) -> Iterator[ValueError]:
        if self.engine != "none" and self.repository is None:
            yield ValueError(
                f"engine '{self.engine}' needs `repository:`, the address of the repository that holds dist/"
            )

    @conflict
    def _engine_can_read_it(self) -> Iterator[ValueError]:
        way = scheme(self.repository) if self.repository and self.engine != "none" else ""
        if way and (wrong := wrong_revision(self.repository or "", self.revision)):
            yield MisfitError(wrong, "revision")
        by = engines().get(self.engine)
        if way == "ssh" and by and by.needs_ssh_key and self.secret is None:
            yield MisfitError(
                f"{by.title} reads nothing by SSH without a key: write `secret:`, the name of the Secret with it; "
                "`platformctl bootstrap` says how to make it",
                "secret",
            )
        if "order" in self.model_fields_set and (by is None or by.order):
            takes, own = _apart(lambda each: not each.order)
            kept = "; ".join(f"{each.title} keeps the order by {each.order}" for each in own)
            yield MisfitError(f"is for {takes}; {kept}: leave it out", "order")
        elif self.order == "gates" and not self.policies:
            yield MisfitError("`gates` are policies, and `policies: false` leaves out all of them", "order")
        if self.ca_secret and (by is None or by.authorities):
            takes, own = _apart(lambda each: not each.authorities)
            found = "; ".join(f"{each.title} finds authorities by host, in {each.authorities}" for each in own)
            yield MisfitError(f"is for {takes}; {found}", "caSecret")
        elif self.ca_secret and by and way != "oci":
            text = f"is for registries; {by.title} reads `ca.crt` of a Git host in the Secret of `secret`"
            yield MisfitError(text, "caSecret")


def _apart(takes: Callable[[EngineWord], bool]) -> tuple[str, list[EngineWord]]:
    """The titles of the engines for which that is so, and the others."""
    every = engines().values()
    return " and ".join(each.title for each in every if takes(each)), [each for each in every if not takes(each)]
