"""Istio's control plane: istiod, which tells proxies where requests go, whom they may trust, and puts them into pods.

Gateways are components of their own: pods that came before the webhook of their part would never get a proxy. Two
revisions run side by side as two instances, and each namespace or pod says which one it uses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.capabilities import AuthorizationService, Gateway, Mesh, MeshRedirection
from platform_def.components.gateways.istio import mesh, observation, revisions, rules, traffic, webhooks
from platform_def.components.gateways.istio.gateway_kinds import kinds_read
from platform_def.components.gateways.istio.injection import Injection
from platform_def.components.gateways.istio.knobs import ProxyResources, Tracing
from platform_def.components.gateways.istio.releases import RELEASES, WITHDRAWN, IstioRelease
from platform_def.components.gateways.istio.revisions import SLUG, revised
from platform_def.components.gateways.istio_proxies.pods import AUDIENCE, CA
from platform_def.config.cluster import AddressRange
from platform_def.config.model import LabelKey, Name, Subdomain
from platform_def.constructs import (
    READ,
    Account,
    Alerts,
    Component,
    ComponentConfig,
    Crds,
    Dashboards,
    ImageFacts,
    NamespaceNeed,
    Need,
    NetworkPolicy,
    Offers,
    Operator,
    PeopleRoles,
    PodSettings,
    Problem,
    Resource,
    Setting,
    Webhooks,
    config_map,
    env,
    from_everywhere,
    from_field,
    http_probe,
    mounts,
    need,
    port,
    yaml_file,
)
from platform_def.crds.catalogue import definitions_of
from platform_def.crds.model import Definition

FACTS = ImageFacts(read_only=True, runs_as=1337, source="upstream's chart at 1.31.1; the image's user is 1337")
XDS, SECURE_XDS, METRICS, WEBHOOK, DEBUG = 15010, 15012, 15014, 15017, 8080
POOLS = "InferencePool.inference.networking.k8s.io"
"""Pools of model servers, which istiod serves where it is configured to."""
DISCOVERY = {
    "istio-token": "/var/run/secrets/tokens",
    "local-certs": "/var/run/secrets/istio-dns",
    "cacerts": "/etc/cacerts",
    "istio-csr-dns-cert": "/var/run/secrets/istiod/tls",
    "istio-csr-ca-configmap": "/var/run/secrets/istiod/ca",
}
"""Folders of istiod: its token, its certificate, a CA of the user's, one that istio-csr signs."""


class IstioConfig(ComponentConfig):
    """What a stack may choose about the mesh."""

    releases = RELEASES
    withdrawn = WITHDRAWN

    namespace: Name = "istio-system"
    """Namespace of the control plane and of policies for the whole mesh; all revisions share it, and with it one
    authority."""
    revision: Name | None = None
    """By which name namespaces and pods ask for this control plane; by default none for the instance that is called
    `istio`, and for another the rest of its name: `next` for `istio-next`."""
    trust_domain: Subdomain = "cluster.local"
    """What identities of pods begin with."""
    mtls: Literal["strict", "permissive"] = "strict"
    """`strict`: pods in the mesh accept connections only from other pods in it; `permissive`: plain ones too."""
    deny_by_default: bool = False
    """Refuse every request in the mesh that no policy allows; gateways allow what comes in, each Service needs a policy
    of its own."""
    inject: list[Name] = Field(default_factory=list)
    """Namespaces whose pods get a proxy when they are made."""
    access_log: bool = False
    """Proxies write a line for each request."""
    tracing: Tracing | None = None
    """Where proxies send traces; by default nowhere."""
    discovery_selectors: list[dict[LabelKey, str]] = Field(default_factory=list)
    """Labels of the namespaces whose Services the mesh knows, by default all: one that has all labels of an entry.
    Those of the control plane, of gateways and of all that proxies call must be among them."""
    excluded_ranges: list[AddressRange] = Field(default_factory=list)
    """Networks that pods in the mesh reach without their proxy, such as `[10.8.0.0/16]` of a storage fabric; a pod's
    own annotation `traffic.sidecar.istio.io/excludeOutboundIPRanges` takes the place of the list."""
    proxy_resources: ProxyResources = Field(default_factory=ProxyResources)
    """How large the proxies beside pods are."""
    registry_only: bool = False
    """Proxies refuse to call what the mesh does not know; a ServiceEntry makes it known."""
    manages_gateways: bool = False
    """istiod makes pods and Services for Gateways of Gateway API, with the right to write Deployments everywhere."""


class Istio(Component[IstioConfig, IstioRelease]):
    """CRDs, istiod with its rights, its settings, the injector and the validation of its objects."""

    gives = (Mesh,)
    several = True

    @classmethod
    def served_by(cls, at: Setting[IstioConfig]) -> tuple[Definition, ...]:
        """The kinds of the newest of all revisions."""
        return definitions_of(SLUG, revisions.newest(at.platform, at.config.version))

    @classmethod
    def needs_of(cls, at: Setting[IstioConfig]) -> tuple[Need[Any], ...]:  # noqa: ARG003 - the same everywhere
        """Who is asked about requests, and who leads traffic to proxies; both where the stack has them."""
        return (
            need(AuthorizationService, order="any", optional=True),
            need(MeshRedirection, order="any", optional=True),
        )

    @classmethod
    def offers(cls, at: Setting[IstioConfig]) -> Offers:
        """The mesh, and the namespaces that are in it."""
        config, revision = at.config, revision_of(at)
        given = Mesh(
            api="istio",
            revision=revision,
            trust_domain=config.trust_domain,
            root_namespace=config.namespace,
            discovery=f"{revised('istiod', revision)}.{config.namespace}.svc:{SECURE_XDS}",
            strict=config.mtls == "strict",
            denies_by_default=config.deny_by_default,
            namespaces=tuple(config.inject),
            gateway_kinds=None if at.provided else tuple(kinds_read(config, at.platform)),
            # Of a mesh that the cluster has it is not known; nothing is refused for it.
            redirected=at.provided or _redirected(at),
        )
        label = (webhooks.REVISION, revision) if revision else (webhooks.INJECTION, "enabled")
        meshed = tuple(_meshed(each, label, redirected=_redirected(at)) for each in config.inject)
        return Offers(capabilities=(given,), namespaces=meshed)

    @classmethod
    def problems(cls, at: Setting[IstioConfig]) -> Iterator[Problem]:
        """Revisions that would not be one mesh, or would take each other's pods."""
        yield from revisions.apart(at.platform, at.name, namespace=at.config.namespace)
        yield from revisions.beside(at.platform, at.name, revision=revision_of(at), inject=at.config.inject)

    def build(self) -> None:
        """The control plane of one revision, and with the first what all share."""
        revision = revision_of(self.setting)
        Crds(self)
        settings = yaml_file(self._settings())
        config_map(self, self.named("istio"), {"mesh": settings, "meshNetworks": yaml_file({"networks": {}})})
        labels = {webhooks.REVISION: revision or "default"}
        config_map(self, self.named("istio-sidecar-injector"), self._injection().files(), labels=labels)
        self._operator()
        self._admission(labels)
        self.makes("ConfigMap", CA)
        self.makes("Secret", "istio-ca-secret")
        # People see what leads to their pods; writing it would let them divert requests at the shared gateway.
        PeopleRoles(self, verbs=READ, status=False)
        # Proxies of all revisions are read by the first, once.
        Alerts(self, [*observation.alerts(self.named("istiod")), *(traffic.ALERTS if self.first else ())])
        if self.first:
            traffic.monitor_proxies(self)
            Dashboards(self, [observation.BOARD, traffic.BOARD])
            reader = Account(self, "istio-reader-service-account")
            reader.allow(rules.READER, role=f"istio-reader-clusterrole-{self.namespace}")
            self._policies()

    def named(self, name: str) -> str:
        """A name of upstream's as this revision has it, `istiod-next`; programs are called by the one without."""
        made = revised(name, revision_of(self.setting))
        self.roles.alias(made, name)
        return made

    def _settings(self) -> dict[str, object]:
        given = self.maybe(need(AuthorizationService, order="any", optional=True))
        return mesh.settings(
            trust_domain=self.config.trust_domain,
            root_namespace=self.namespace,
            discovery=self._mesh.discovery,
            access_log=self.config.access_log,
            registry_only=self.config.registry_only,
            asked=[given.value] if given else [],
            tracing=self.config.tracing,
            known=self.config.discovery_selectors,
        )

    @property
    def _mesh(self) -> Mesh:
        found = self.offers(self.setting).capabilities[0]
        assert isinstance(found, Mesh)
        return found

    def _injection(self) -> Injection:
        return Injection(
            image=self.image(self.release.proxy),
            discovery=self._mesh.discovery,
            trust_domain=self.config.trust_domain,
            domain=self.platform.dns_domain,
            redirected=_redirected(self.setting),
            revision=self._mesh.revision,
            makes_gateways=self.config.manages_gateways,
            pull_secrets=self.platform.pull_secrets,
            excluded=self.config.excluded_ranges,
            resources=self.config.proxy_resources.amounts(),
        )

    def _operator(self) -> None:
        """istiod. Upstream scales it by load; here it has one pod, two with `ha`, or what `workloads:` says."""
        made = Operator(
            self,
            "istiod",
            container=self._container(),
            own_rules=rules.IN_NAMESPACE,
            ha_replicas=2,
            metrics=port("http-monitoring", METRICS),
            ports=[
                port("grpc-xds", XDS),
                port("https-dns", SECURE_XDS),
                port("https-webhook", 443, WEBHOOK),
            ],
            facts=FACTS,
            pod=PodSettings(
                _volumes(),
                labels={
                    "app": "istiod",
                    webhooks.REVISION: self._mesh.revision or "default",
                    "istio.io/dataplane-mode": "none",
                    # Its webhooks go by labels, and would judge its own pods: without one none could come back.
                    "sidecar.istio.io/inject": "false",
                },
            ),
        )
        if self.platform.network_policies:
            # The API server calls the webhooks, and is no pod of the cluster.
            openings = [from_everywhere(WEBHOOK)]
            NetworkPolicy(self, f"{made.name}-webhook", workload=made.name, openings=openings)
        role = f"{self.named('istiod-clusterrole')}-{self.namespace}"
        pools = rules.POOLS if self.platform.serves(POOLS) else ()
        self.awaits(*((POOLS,) if pools else ()))
        made.account.allow([*rules.CONTROL_PLANE, *pools], role=role)
        if self.config.manages_gateways:
            made.account.allow(rules.GATEWAYS, role=f"{self.named('istiod-gateway-controller')}-{self.namespace}")

    def _container(self) -> Container:
        settings = {
            "REVISION": self._mesh.revision or "default",
            "PILOT_CERT_PROVIDER": "istiod",
            "CLUSTER_ID": "Kubernetes",
            "INJECTION_WEBHOOK_CONFIG_NAME": self.named("istio-sidecar-injector"),
            "VALIDATION_WEBHOOK_CONFIG_NAME": self._validator,
            "ENABLE_NATIVE_SIDECARS": "true",
            "PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER": str(self.config.manages_gateways).lower(),
        }
        if self.platform.serves(POOLS):
            settings["ENABLE_GATEWAY_API_INFERENCE_EXTENSION"] = "true"
        if any(given.value.dual_stack for given in self.platform.all(Gateway)):
            # By itself it configures proxies for the first family of their addresses.
            settings["ISTIO_DUAL_STACK"] = "true"
        fields = {
            "POD_NAME": from_field("metadata.name"),
            "POD_NAMESPACE": from_field("metadata.namespace"),
            "SERVICE_ACCOUNT": from_field("spec.serviceAccountName"),
        }
        return {
            "name": "discovery",
            "image": self.release.image,
            "args": [
                "discovery",
                f"--monitoringAddr=:{METRICS}",
                "--log_output_level=default:info",
                "--domain",
                self.platform.dns_domain,
                "--keepaliveMaxServerConnectionAge",
                "30m",
            ],
            "env": [*env(settings), *env(fields)],
            "ports": [{"name": "http-debug", "containerPort": DEBUG, "protocol": "TCP"}],
            "readinessProbe": http_probe("/ready", "http-debug", delay=1, period=3, timeout=5),
            "resources": {"requests": {"cpu": "500m", "memory": "2Gi"}},
            "volumeMounts": [
                *mounts({"local-certs": DISCOVERY["local-certs"]}),
                *mounts({name: path for name, path in DISCOVERY.items() if name != "local-certs"}, read_only=True),
            ],
        }

    @property
    def _validator(self) -> str:
        return f"{self.named('istio-validator')}-{self.namespace}"

    def _admission(self, labels: dict[str, str]) -> None:
        service, injector = self.named("istiod"), self.named("istio-sidecar-injector")
        chosen = webhooks.injectors(self._mesh.revision)
        Webhooks(self, injector, kind="mutating", service=service, hooks=chosen, labels=labels)
        for name, hook in webhooks.validators(self._mesh.revision, self._validator).items():
            Webhooks(
                self,
                name,
                kind="validating",
                service=service,
                hooks=[hook],
                labels=labels,
                written=["failurePolicy"],
            )

    def _policies(self) -> None:
        """Rules for the whole mesh."""
        from platform_def.apis.istio.security_v1 import AUTHORIZATION_POLICY, PEER_AUTHENTICATION  # large

        mode: Literal["STRICT", "PERMISSIVE"] = "STRICT" if self.config.mtls == "strict" else "PERMISSIVE"
        Resource(self, PEER_AUTHENTICATION, "default", spec={"mtls": {"mode": mode}}, part="after")
        if self.config.deny_by_default:
            Resource(self, AUTHORIZATION_POLICY, "global-deny-all", spec={}, part="after")


def revision_of(at: Setting[IstioConfig]) -> str:
    """The revision of an instance; empty for the default one."""
    if at.config.revision is not None:
        return "" if at.config.revision == "default" else at.config.revision
    return "" if at.name == SLUG else at.name.removeprefix(f"{SLUG}-")


def _redirected(at: Setting[IstioConfig]) -> bool:
    return at.maybe(need(MeshRedirection, order="any", optional=True)) is not None


def _meshed(name: str, label: tuple[str, str], *, redirected: bool) -> NamespaceNeed:
    if redirected:
        return NamespaceNeed(name, labels=(label,))
    why = "istio-init leads the traffic of each pod to its proxy, with NET_ADMIN; the component istio-cni does without"
    return NamespaceNeed(name, "privileged", labels=(label,), why=why)


def _volumes() -> PodSpec:
    token = {"audience": AUDIENCE, "expirationSeconds": 43200, "path": "istio-token"}
    made: Any = {
        "volumes": [
            {"name": "istio-token", "projected": {"sources": [{"serviceAccountToken": token}]}},
            {"name": "local-certs", "emptyDir": {"medium": "Memory"}},
            {"name": "cacerts", "secret": {"secretName": "cacerts", "optional": True}},
            {"name": "istio-csr-dns-cert", "secret": {"secretName": "istiod-tls", "optional": True}},
            {"name": "istio-csr-ca-configmap", "configMap": {"name": CA, "optional": True}},
        ],
        # A node is closed by this taint until its CNI plugin runs, which istiod itself does not need.
        "tolerations": [{"key": "cni.istio.io/not-ready", "operator": "Exists"}],
    }
    return made  # type: ignore[no-any-return]
