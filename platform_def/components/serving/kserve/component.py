"""KServe: models as services, from an address in an object store to a host at the gateway.

Its controller looks for the kinds of neighbours (Knative, Istio, Gateway API, KEDA) when it starts and never again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from platform_def.apis.core.core_v1 import Container, SecurityContext
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.capabilities import (
    AuthorizationService,
    CertificateIssuer,
    Gateway,
    Mesh,
    ModelServing,
    ObjectStore,
    Serverless,
)
from platform_def.components.serving import entry as entries
from platform_def.components.serving.entry import entry_problems, with_knative
from platform_def.components.serving.kserve import observation, rules, stores, webhooks
from platform_def.components.serving.kserve.caches import OWNER, cache_problems, caches
from platform_def.components.serving.kserve.config import KserveConfig, ServerChoice, mode_of
from platform_def.components.serving.kserve.configuration import NAME as CONFIGURATION
from platform_def.components.serving.kserve.configuration import configuration
from platform_def.components.serving.kserve.llm import observation as llms
from platform_def.components.serving.kserve.llm.controller import converted, is_llm, llm, llm_problems
from platform_def.components.serving.kserve.releases import KserveRelease
from platform_def.components.serving.kserve.servers import ModelServer, runtime
from platform_def.components.serving.kserve.ways import open_gateway, way_of, way_problems
from platform_def.constructs import (
    RESTRICTED_LEVEL,
    AccountNames,
    Alerts,
    Component,
    Crds,
    Dashboards,
    Definition,
    Health,
    ImageFacts,
    LeaderElection,
    MetricsEndpoint,
    NamespaceNeed,
    Need,
    Offers,
    Operator,
    PeopleRoles,
    PodSecurityNeed,
    PodSettings,
    Problem,
    Resource,
    Setting,
    Webhooks,
    config_map,
    env,
    from_field,
    need,
    port,
    restart_on_change,
)
from platform_def.serving.restricted import FETCHER, fetcher_rights

MANAGER = "kserve-controller-manager"
KNATIVE = "Service.serving.knative.dev"
FACTS = ImageFacts(user=65532, read_only=True, source="Dockerfile and config/manager at v0.20.0: distroless, nonroot")
WHY_PRIVILEGED = "the agent of model caches mounts a folder of its node"


class Kserve(Component[KserveConfig, KserveRelease]):
    """CRDs, controller and webhooks, servers, and what opens the store and the gateway to models."""

    gives = (ModelServing,)

    @classmethod
    def served_by(cls, at: Setting[KserveConfig]) -> tuple[Definition, ...]:
        """Its kinds; those for language models where these are served."""
        every = super().served_by(at)
        if at.config.llm is None:
            return tuple(each for each in every if not is_llm(each))
        return tuple(converted(each, at.config.namespace) for each in every)

    @classmethod
    def security_of(cls, at: Setting[KserveConfig]) -> PodSecurityNeed:
        """Restricted, unless nodes keep models."""
        return PodSecurityNeed("privileged", WHY_PRIVILEGED) if at.config.caches else RESTRICTED_LEVEL

    @classmethod
    def needs_of(cls, at: Setting[KserveConfig]) -> tuple[Need[Any], ...]:  # noqa: ARG003 - the same everywhere
        """Who signs its certificates; the store of models, Knative and who is asked, where the stack has them."""
        return (
            need(CertificateIssuer),
            need(ObjectStore, order="any", optional=True),
            need(Serverless, order="any", optional=True),
            need(AuthorizationService, order="any", optional=True),
            need(Gateway, order="any", optional=True),
            need(Mesh, order="any", optional=True),
        )

    @classmethod
    def offers(cls, at: Setting[KserveConfig]) -> Offers:
        """What who serves models must know, and the namespace of downloads."""
        entry = with_knative(at)
        way = way_of(at, entry)
        # Of a KServe that the cluster has it is not known which servers there are, nor who opens a store for it.
        servers = {} if at.provided else chosen(cls.release_of(at.config), at.config)
        given = ModelServing(
            mode=mode_of(at),
            domain=entry.domain,
            scheme=entry.scheme,
            public=entry.public,
            routes=way.gateway if way.http_routes else "",
            account=None if at.provided else stores.account_of(at),
            bucket="" if at.provided else stores.bucket_of(at),
            servers={name: server.takes for name, (server, _) in servers.items()},
            protocols={name: [*server.speaks] for name, (server, _) in servers.items()},
            as_root=tuple(name for name, (server, _) in servers.items() if not server.non_root),
            llm=at.config.llm is not None,
            caches=tuple(at.config.caches.pools) if at.config.caches else (),
        )
        homes = (NamespaceNeed(at.config.caches.job_namespace),) if at.config.caches else ()
        return Offers(namespaces=homes, capabilities=(given,), existing=entries.existing(at))

    @classmethod
    def problems(cls, at: Setting[KserveConfig]) -> Iterator[Problem]:
        """A mode that the stack lacks, a domain of its own beside Knative's, servers that it does not have."""
        here, knob = ("components", at.name), f"components.{at.name}"
        knative = at.maybe(Serverless)
        if at.config.mode == "knative" and knative is None:
            text = f"{knob}.mode: the stack has no Knative"
            yield Problem(text, hint="add `knative-serving: {}` under components", at=(*here, "mode"))
        for field in ("domain", "tls", "access") if knative else ():
            if getattr(at.config, field):
                text = f"{knob}.{field}: {knative.by} says it for both"  # type: ignore[union-attr]
                hint = f"write it under {knative.by}, and leave it out here"  # type: ignore[union-attr]
                yield Problem(text, hint=hint, at=(*here, field))
        known = cls.release_of(at.config).servers
        for name in sorted(set(at.config.servers) - set(known)):
            text = f"{knob}.servers: KServe brings no server '{name}'"
            yield Problem(text, hint=f"known: {', '.join(sorted(known))}", at=(*here, "servers", name))
        yield from entry_problems(at)
        yield from way_problems(at)
        yield from stores.store_problems(at)
        yield from cache_problems(at)
        yield from llm_problems(at, routed=way_of(at, with_knative(at)).http_routes)

    @classmethod
    def runtime_images(cls, at: Setting[KserveConfig]) -> tuple[str, ...]:
        """What its controller puts into pods of models, with the variants that it makes of servers' images."""
        release = cls.release_of(at.config)
        helpers = (release.agent, release.router, release.fetcher, release.explainer)
        served = [image for server, image in chosen(release, at.config).values() for image in server.images(image)]
        owner = (OWNER,) if at.config.caches else ()
        llms = {**release.llm_images, **at.config.llm.images}.values() if at.config.llm else ()
        return tuple(dict.fromkeys([*helpers, *served, *owner, *llms]))

    def build(self) -> None:
        """Everything that serves models."""
        entry = with_knative(self.setting)
        way = way_of(self.setting, entry)
        Crds(self)
        self.awaits(rules.RUNTIMES, *(kind for kind in rules.NEIGHBOURS if self.platform.serves(kind)))
        content = configuration(self, entry, way)
        config_map(self, CONFIGURATION, content)
        self._controller(content)
        if self.config.caches:
            caches(self, self.config.caches)
        if self.config.llm:
            llm(self, self.config.llm)
        self._servers()
        open_gateway(self, entry, way, self.config.tls)
        service = None if self.maybe(Serverless) else self.maybe(AuthorizationService)
        if entry.gateway and entry.access == "people" and entry.gateway.api != "emissary" and service:
            entries.ask_first(self, "kserve-models", entry, service.value)
        PeopleRoles(self)
        observation.monitor_models(self)
        languages = self.config.llm is not None
        if languages:
            llms.monitor_llms(self)
        rules_of_all = [*observation.RULES, *(llms.RULES if languages else ())]
        boards = [observation.BOARD, *([llms.BOARD] if languages else [])]
        Dashboards(self, boards, tables=Alerts(self, rules_of_all).tables)

    def _controller(self, content: dict[str, str]) -> None:
        made = Operator(
            self,
            MANAGER,
            container=self._container(),
            rules=self._rules(),
            names=AccountNames(role="kserve-manager-role"),
            leader_election=LeaderElection(
                lease="kserve-controller-manager-leader-lock", role="kserve-leader-election-role"
            ),
            ha_replicas=2,
            health=Health(8081),
            metrics=MetricsEndpoint(port=port("metrics", 8443, 8080), service=observation.SERVICE, protected=False),
            webhook=webhooks.server(self.namespace),
            facts=FACTS,
            # It reads some of this when it starts and never again.
            pod=PodSettings(annotations=restart_on_change(*content.values())),
        )
        assert made.admission
        for name, hook in webhooks.validators().items():
            ca = made.admission.ca_from
            Webhooks(self, name, kind="validating", service=webhooks.SERVICE, hooks=[hook], ca_from=ca)

    def _container(self) -> Container:
        return {
            "name": "manager",
            "image": self.release.image,
            "command": ["/manager"],
            "args": ["--metrics-addr=:8080"],
            "env": env({"POD_NAMESPACE": from_field("metadata.namespace")}),
            "resources": {"requests": {"cpu": "100m", "memory": "200Mi"}, "limits": {"memory": "1Gi"}},
        }

    def _rules(self) -> list[PolicyRule]:
        there = (kind for kind in rules.NEIGHBOURS if self.platform.serves(kind))
        return [*rules.CONTROLLER, *(rule for kind in there for rule in rules.NEIGHBOURS[kind])]

    def _servers(self) -> None:
        """ClusterServingRuntimes, and what fetches models."""
        from platform_def.apis.kserve.v1beta1 import CLUSTER_SERVING_RUNTIME, CLUSTER_STORAGE_CONTAINER  # large

        for name, (server, image) in chosen(self.release, self.config).items():
            kind = server.kind or name.removeprefix("kserve-")
            spec: Any = runtime(server, self.image(image), domain=self.platform.dns_domain)
            told = {"serving.kserve.io/server-type": kind}
            Resource(self, CLUSTER_SERVING_RUNTIME, name, spec=spec, annotations=told, part="after")
        fetcher: Any = fetching(self.image(self.release.fetcher), fetcher_rights(self.platform))
        Resource(self, CLUSTER_STORAGE_CONTAINER, "default", spec=fetcher, part="after")


def chosen(release: KserveRelease, config: KserveConfig) -> dict[str, tuple[ModelServer, str]]:
    """Servers and their images by name, as far as the stack wants them."""
    plain = ServerChoice()
    wanted = {name: config.servers.get(name, plain) for name in release.servers}
    return {
        name: (release.servers[name], choice.image or release.servers[name].image)
        for name, choice in wanted.items()
        if choice.enabled
    }


URI_PREFIXES = ("gs://", "s3://", "hdfs://", "hf://", "webhdfs://")
URI_PATTERNS = (
    r"https://(.+?).blob.core.windows.net/(.+)",
    r"https://(.+?).file.core.windows.net/(.+)",
    r"https?://(.+)/(.+)",
)


def fetching(image: str, security: SecurityContext) -> dict[str, object]:
    """The init container that fetches models, and from where it can."""
    return {
        "container": {
            "name": FETCHER,
            "image": image,
            "imagePullPolicy": "IfNotPresent",
            "securityContext": security,
            "resources": {
                "requests": {"cpu": "100m", "memory": "100Mi"},
                "limits": {"cpu": "1", "memory": "1Gi"},
            },
        },
        "supportedUriFormats": [
            *({"prefix": each} for each in URI_PREFIXES),
            *({"regex": each} for each in URI_PATTERNS),
        ],
        "supportsMultiModelDownload": True,
        "workloadType": "initContainer",
    }
