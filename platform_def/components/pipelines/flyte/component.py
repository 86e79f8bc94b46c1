"""Flyte 1: workflows of typed tasks in Python, each task a pod or a job of another operator; all in one program."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from platform_def.apis.core.core_v1 import Container, PodSpec, SecurityContext
from platform_def.apis.core.rbac_v1 import CLUSTER_ROLE, PolicyRule
from platform_def.capabilities import AuthorizationService, GatewayPath, ObjectStore, WebLink
from platform_def.components.pipelines.flyte import configuration
from platform_def.components.pipelines.flyte.config import FlyteConfig
from platform_def.components.pipelines.flyte.configuration import GRPC, HTTP, METRICS, NAME, WEBHOOK
from platform_def.components.pipelines.flyte.plugins import served
from platform_def.components.pipelines.spark_driver import DRIVER_RULES
from platform_def.constructs import (
    OUT_OF_MESH,
    READ,
    RESTRICTED,
    RESTRICTED_LEVEL,
    WRITE,
    Account,
    Alerts,
    Bucket,
    Component,
    Crds,
    Database,
    Deployment,
    ImageFacts,
    Need,
    NetworkPolicy,
    Offers,
    Opening,
    PeopleRoles,
    Problem,
    Release,
    Resource,
    Route,
    Service,
    Setting,
    allow,
    config_map,
    database_need,
    env,
    from_cluster,
    from_everywhere,
    from_field,
    http_probe,
    memory,
    mounts,
    need,
    port,
    restart_on_change,
    scratch,
    secured,
    target_missing,
    web_links,
)
from platform_def.constructs.rbac import RBAC_GROUP
from platform_def.constructs.route import gateway_of
from platform_def.constructs.secrets import PYTHON

MADE = "create get list patch update"
RULES = (
    allow("", "namespaces serviceaccounts resourcequotas secrets", verbs=MADE),
    allow("", "pods", verbs=WRITE),
    allow("", "podtemplates", verbs=READ),
    allow("", "events", verbs="create delete patch update"),
    allow("flyte.lyft.com", "flyteworkflows", verbs="create delete deletecollection get list patch update watch"),
    # It registers the webhook that hands secrets to tasks itself, with a certificate of its own.
    allow("admissionregistration.k8s.io", "mutatingwebhookconfigurations", verbs=MADE),
)
LINK = WebLink(text="Flyte", path="/console/", icon="icons:device-hub")
PATHS = ("/console/", "/api/", "/v1/")
CALLS = ("AdminService", "AuthMetadataService", "DataProxyService", "IdentityService", "SignalService")
FACTS = ImageFacts(
    runs_as=65534, read_only=True, source="Dockerfile at v1.16.8: one program; the chart offers user 65534"
)


class Flyte(Component[FlyteConfig, Release]):
    """CRD and program with its rights, its Services, its routes, and roles for people."""

    pod_security = RESTRICTED_LEVEL
    gives = (WebLink, GatewayPath)

    @classmethod
    def needs_of(cls, at: Setting[FlyteConfig]) -> tuple[Need[Any], ...]:  # noqa: ARG003 - the same everywhere
        """A PostgreSQL, an object store, and who asks people who they are."""
        return (
            database_need("postgresql"),
            need(ObjectStore),
            need(AuthorizationService, order="any", optional=True),
        )

    @classmethod
    def offers(cls, at: Setting[FlyteConfig]) -> Offers:
        """A link, and the paths where programs come."""
        served_here = at.config.access != "administrators" and at.platform.gateway != "none"
        paths = [*PATHS[1:], *(f"/flyteidl.service.{each}/" for each in CALLS)] if served_here else []
        links = web_links(at, at.config.access, LINK)
        return Offers(capabilities=(*links, *(GatewayPath(path=each, access="api") for each in paths)))

    @classmethod
    def problems(cls, at: Setting[FlyteConfig]) -> Iterator[Problem]:
        """Pages that no one could reach, or that would let everyone in."""
        here, knob = ("components", at.name, "access"), f"components.{at.name}.access"
        store = at.maybe(ObjectStore)
        if store and store.value.ca:
            yield Problem(
                f"components.{at.name}: {store.by} gives an object store of a private authority, which Flyte's tasks "
                "would each have to know",
                hint="serve the store with a certificate of a public authority, or inside the cluster without TLS",
            )
        if at.config.access == "administrators":
            return
        otherwise = "or write `access: administrators` to reach it by port-forward only"
        if gateway_of(at.platform) is None:
            text = f"{knob}: the stack has no gateway, so {at.config.access} could not reach its pages"
            yield Problem(text, hint=f"add one and name it under `gateway:`, {otherwise}", at=here)
        elif at.config.access == "people" and at.maybe(AuthorizationService) is None:
            text = f"{knob}: nothing in the stack asks who a request is from, and Flyte would let everyone in"
            hint = f"add oauth2-proxy or name an `external: {{authorizationService: …}}`, {otherwise}"
            yield Problem(text, hint=hint, at=here)

    def build(self) -> None:
        """Everything that runs workflows."""
        Crds(self)
        self.awaits(*(each.kind for each in served(self.platform)))
        database, bucket = Database(self, "flyte", engine="postgresql"), Bucket(self, "flyte")
        settings = configuration.files(self, database, bucket)
        templates = configuration.templates(self)
        config_map(self, f"{NAME}-config", {**settings, "configure.py": _program()})
        config_map(self, f"{NAME}-cluster-resource-templates", templates)
        Account(self, NAME).allow([*self._rules()], role=f"{NAME}-cluster-role")
        if configuration.runs_spark(self):
            Resource(self, CLUSTER_ROLE, configuration.DRIVER, fields={"rules": [*DRIVER_RULES]})
        self.makes("Secret", configuration.WEBHOOK_SECRET)
        Deployment(
            self,
            NAME,
            pod=self._pod(database, bucket),
            ha_replicas=0,  # propeller and scheduler in it know of no other
            pod_annotations={**OUT_OF_MESH, **restart_on_change(*settings.values(), *templates.values(), _program())},
            extra_spec={"strategy": {"type": "Recreate"}},
        )
        self._services()
        if self.config.access != "administrators":
            self._routes()
        if self.platform.network_policies:
            NetworkPolicy(self, NAME, openings=[*self._openings()])
        PeopleRoles(self)
        Alerts(self, [target_missing(f"{NAME}-metrics")])

    def _rules(self) -> Iterator[PolicyRule]:
        yield from RULES
        yield from (each.rule for each in served(self.platform))
        if configuration.runs_spark(self):
            yield allow(RBAC_GROUP, "rolebindings", verbs=MADE)
            # It may hand on this one role, which it has not itself.
            yield allow(RBAC_GROUP, "clusterroles", verbs="bind", names=configuration.DRIVER)

    def _services(self) -> None:
        calls = {**port("grpc", GRPC), "appProtocol": "grpc"}
        Service(self, f"{NAME}-grpc", ports=[calls], workload=NAME)  # type: ignore[list-item]
        Service(self, f"{NAME}-http", ports=[port("http", HTTP)], workload=NAME)
        Service(self, f"{NAME}-webhook", ports=[port("webhook", 443, WEBHOOK)], workload=NAME)
        Service(self, f"{NAME}-metrics", ports=[port("metrics", METRICS)], workload=NAME).monitor("metrics")

    def _routes(self) -> None:
        """Pages and REST by their paths, calls of gRPC by their methods."""
        for path in PATHS:
            Route(self, f"{NAME}-{path.strip('/')}", path=path, service=f"{NAME}-http", port=HTTP)
        for each in CALLS:
            name, path = f"{NAME}-{each.lower()}", f"/flyteidl.service.{each}/"
            Route(self, name, path=path, service=f"{NAME}-grpc", port=GRPC, grpc=True, timeout_seconds=300)

    def _openings(self) -> Iterator[Opening]:
        """Tasks report to it from namespaces that it makes itself, so all pods of the cluster may."""
        yield from_cluster(HTTP, GRPC, METRICS)
        yield from_everywhere(WEBHOOK)

    def _pod(self, database: Database, bucket: Bucket) -> PodSpec:
        ports = {"grpc": GRPC, "http": HTTP, "webhook": WEBHOOK, "metrics": METRICS}
        container: Container = {
            "name": "flyte",
            "image": self.release.image,
            "args": ["start", "--config", "/etc/flyte/config.d/*.yaml"],
            "env": env({"POD_NAME": from_field("metadata.name"), "POD_NAMESPACE": from_field("metadata.namespace")}),
            "ports": [{"name": name, "containerPort": number, "protocol": "TCP"} for name, number in ports.items()],
            # It migrates its databases before it listens.
            "startupProbe": http_probe("/healthcheck", "http", period=5, failures=60),
            "readinessProbe": http_probe("/healthcheck", "http"),
            "livenessProbe": http_probe("/healthcheck", "http", period=30, failures=5),
            "resources": {"requests": {"cpu": "200m", "memory": "512Mi"}, "limits": {"memory": "4Gi"}},
            "securityContext": secured(FACTS),
            "volumeMounts": [
                *mounts({"state": "/var/run/flyte", "tmp": "/tmp"}),  # noqa: S108 - in the container
                *mounts({"config": "/etc/flyte/config.d", "templates": configuration.TEMPLATES}, read_only=True),
            ],
        }
        return {
            "serviceAccountName": NAME,
            "enableServiceLinks": False,
            "securityContext": {"fsGroup": 65534, "runAsGroup": 65534},
            "initContainers": [_configure(database, bucket)],
            "containers": [container],
            "volumes": [
                *memory("config"),
                *scratch("state", "tmp"),
                {"name": "settings", "configMap": {"name": f"{NAME}-config"}},
                {"name": "templates", "configMap": {"name": f"{NAME}-cluster-resource-templates"}},
            ],
        }


def _configure(database: Database, bucket: Bucket) -> Container:
    """What brings the files and the credentials together before the program starts."""
    nobody: SecurityContext = {**RESTRICTED, "runAsUser": 65534}
    return {
        "name": "configure",
        "image": PYTHON,
        "command": ["python3", "-B", "/settings/configure.py", "/settings", "/etc/flyte/config.d"],
        "env": [
            *database.env(DB_USER="username", DB_PASSWORD="password"),  # noqa: S106 - which key each holds
            *bucket.env(access_key="STORE_ACCESS_KEY", secret_key="STORE_SECRET_KEY"),  # noqa: S106 - names
        ],
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}},
        "securityContext": nobody,
        "volumeMounts": [
            *mounts({"config": "/etc/flyte/config.d"}),
            *mounts({"settings": "/settings"}, read_only=True),
        ],
    }


@cache
def _program() -> str:
    return Path(__file__).with_name("configure.py").read_text()
