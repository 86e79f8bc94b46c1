"""Grafana: shows the dashboards that components bring, over the stack's Prometheus, to people whom the stack knows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from platform_def.apis.core.core_v1 import PERSISTENT_VOLUME_CLAIM, Container, EnvVar, PodSpec, Volume
from platform_def.capabilities import AlertRouter, DashboardReader, Gateway, Identity, Metrics, WebLink
from platform_def.capabilities.secrets import needs_of
from platform_def.components.monitoring.grafana import settings
from platform_def.components.monitoring.grafana.config import GrafanaConfig
from platform_def.components.monitoring.grafana.metrics import ALERTS
from platform_def.config.objects import Stored
from platform_def.constructs import (
    OUT_OF_MESH,
    RESTRICTED,
    RESTRICTED_LEVEL,
    Account,
    Alerts,
    Claim,
    Component,
    Database,
    Deployment,
    ImageFacts,
    Need,
    NetworkPolicy,
    Offers,
    Problem,
    Resource,
    Route,
    SecretUse,
    Service,
    Setting,
    access_problems,
    allow,
    config_map,
    database_need,
    env,
    from_everywhere,
    from_pods,
    http_probe,
    mounts,
    need,
    port,
    restart_on_change,
    scratch,
    secret_of,
    secured,
    web_links,
)
from platform_def.constructs.mesh import in_mesh
from platform_def.constructs.route import gateway_of
from platform_def.constructs.secrets import PYTHON
from platform_def.constructs.web_app import close, in_gateways_mesh
from platform_def.constructs.workloads.claims import claim_spec

NAME, PORT, USER = "grafana", 3000, 472
PROVISIONING = {"grafana-datasources": "/provisioning/datasources", "grafana-dashboards": "/provisioning/dashboards"}
LABEL = {"grafana_dashboard": "1"}
FILES = ("grafana-config", "grafana-datasources", "grafana-dashboards")
READER = "grafana-reader"
FACTS = ImageFacts(
    runs_as=USER, read_only=True, source="kube-prometheus runs the image so; 472 is the user of its packaging"
)
LINK = WebLink(text="Dashboards", path=settings.PATH, icon="icons:assessment")
RULES = (allow("", "configmaps", verbs="list"),)


class Grafana(Component[GrafanaConfig]):
    """The server, what reads dashboards from ConfigMaps beside it, its data sources, and where it keeps people."""

    pod_security = RESTRICTED_LEVEL
    gives = (DashboardReader, WebLink)

    @classmethod
    def needs_of(cls, at: Setting[GrafanaConfig]) -> tuple[Need[Any], ...]:
        """A Prometheus; who people are, a database, a store of Secrets, where they are asked for."""
        config = at.config
        found: list[Need[Any]] = [
            need(Metrics, order="any", optional=True),
            need(AlertRouter, order="any", optional=True),
        ]
        if config.access == "people":
            found.append(need(Identity, order="any"))
        if config.oidc:
            found += [need(Identity, order="any", optional=True), *needs_of(config.oidc.client_secret)]
        if config.keeps == "sql":
            found.append(database_need("mysql", "postgresql"))
        return (*found, *needs_of(config.admin))

    @classmethod
    def offers(cls, at: Setting[GrafanaConfig]) -> Offers:
        """Who reads dashboards, and a link to them."""
        namespace = None if at.config.teams else at.config.namespace
        reader = DashboardReader(labels=LABEL, namespace=namespace, address=settings.address(at) or None)
        return Offers(capabilities=(reader, *web_links(at, at.config.access, LINK)))

    @classmethod
    def problems(cls, at: Setting[GrafanaConfig]) -> Iterator[Problem]:
        """Pages that no one could reach, and people who could not come back from the identity provider."""
        yield from access_problems(at, at.config.access, "access")
        oidc, here, knob = at.config.oidc, ("components", at.name, "oidc"), f"components.{at.name}.oidc"
        if oidc and at.config.access != "everyone":
            text = f"{knob}: people sign in so where everyone reaches the pages"
            yield Problem(text, hint="write `access: everyone` beside it, or leave it out", at=here)
        if oidc and not settings.issuer(at, oidc):
            hint = "write `issuer:`, or name an identity provider under `external: {identity: …}`"
            yield Problem(f"{knob}: nothing says who people are", hint=hint, at=here)

    def build(self) -> None:
        """Everything that shows dashboards."""
        files = {
            "grafana-config": {"grafana.ini": settings.ini(self)},
            "grafana-datasources": {"datasources.yaml": settings.sources(self)},
            "grafana-dashboards": {"dashboards.yaml": settings.providers()},
            READER: {"reader.py": _program()},
        }
        for name, content in files.items():
            config_map(self, name, content)
        self._reading()
        admin = secret_of(self, "grafana-admin", self.config.admin, keys=("password",))
        database = Database(self, NAME) if self.config.keeps == "sql" else None
        if database is None:
            self._claim()
        gateway = gateway_of(self.platform) if self.config.access != "administrators" else None
        meshed = gateway is not None and in_gateways_mesh(self, gateway)
        Deployment(
            self,
            NAME,
            pod=self.pod(admin, database),
            # One pod writes to a volume; of a database there may be more.
            ha_replicas=2 if database else 0,
            pod_labels=in_mesh(self) if meshed else None,
            pod_annotations={
                **({} if meshed else OUT_OF_MESH),
                **restart_on_change(*(text for content in files.values() for text in content.values())),
            },
            extra_spec=None if database else {"strategy": {"type": "Recreate"}},
        )
        service = Service(self, NAME, ports=[port("http", PORT, "http")])
        if not meshed:  # the mesh lets in the gateway alone
            service.monitor("http")
            Alerts(self, ALERTS)
        if gateway:
            Route(self, NAME, path=settings.PATH, service=NAME, port=PORT, websocket=True)
        self._policy(gateway, meshed=meshed)

    def _reading(self) -> None:
        """The right to list ConfigMaps where dashboards are."""
        account = Account(self, NAME)
        if self.config.teams:
            account.allow(RULES, role=READER)
        else:
            account.allow_in(self.namespace, RULES, role=READER)

    def _policy(self, gateway: Gateway | None, *, meshed: bool) -> None:
        """Where it believes a header, the gateway and Prometheus alone reach it."""
        metrics = self.maybe(Metrics)
        if self.config.access == "people":
            known = metrics.value if metrics else None
            reads = [from_pods(known.pods, PORT, namespace=known.namespace)] if known and known.namespace else []
            close(self, NAME, PORT, gateway=gateway, meshed=meshed, also=reads)
        elif self.platform.network_policies:
            NetworkPolicy(self, NAME, openings=[from_everywhere(PORT)])

    def _claim(self) -> None:
        role = self.roles.add(NAME)
        role.volumes.add("data")
        spec = claim_spec(self, Claim("data", "10Gi"), self.config.workloads.get(NAME))
        Resource(self, PERSISTENT_VOLUME_CLAIM, NAME, spec=spec)
        self.stores(Stored(NAME, "volume", database=NAME))

    def pod(self, admin: SecretUse, database: Database | None) -> PodSpec:
        """The server, and beside it what brings dashboards."""
        data: Volume = {"name": "data", "persistentVolumeClaim": {"claimName": NAME}}
        if database:
            data = {"name": "data", "emptyDir": {}}
        config = [{"name": each, "configMap": {"name": each}} for each in (*FILES, READER)]
        return {
            "serviceAccountName": NAME,
            "enableServiceLinks": False,
            "nodeSelector": {"kubernetes.io/os": "linux"},
            "securityContext": {"fsGroup": USER, "runAsGroup": USER},
            "containers": [self.server(database), self.reader()],
            "volumes": [data, *scratch("tmp", "dashboards"), *config, admin.volume("admin", "password")],  # type: ignore[list-item]
        }

    def server(self, database: Database | None) -> Container:
        """Grafana."""
        variables: list[EnvVar] = env(
            {
                "GF_PATHS_CONFIG": "/etc/grafana/grafana.ini",
                "GF_PATHS_PROVISIONING": "/provisioning",
                "GF_SECURITY_ADMIN_USER": "admin",
                "GF_SECURITY_ADMIN_PASSWORD__FILE": "/run/secrets/admin/password",
            }
        )
        oidc = self.config.oidc
        if oidc and oidc.client_secret:
            client = secret_of(self, "grafana-oidc", oidc.client_secret, keys=("clientSecret",))
            variables.append(client.env("GF_AUTH_GENERIC_OAUTH_CLIENT_SECRET", "clientSecret"))
        if database:
            variables += _database(database)
        return {
            "name": NAME,
            "image": self.release.image,
            "env": variables,
            "ports": [{"name": "http", "containerPort": PORT, "protocol": "TCP"}],
            "readinessProbe": http_probe("/api/health", "http"),
            "livenessProbe": http_probe("/api/health", "http", delay=60, timeout=30, failures=10),
            "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}},
            "securityContext": secured(FACTS),
            "volumeMounts": [
                {"name": "data", "mountPath": "/var/lib/grafana"},
                {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108 - in the container
                {"name": "grafana-config", "mountPath": "/etc/grafana", "readOnly": True},
                *mounts(PROVISIONING, read_only=True),
                {"name": "dashboards", "mountPath": settings.DASHBOARDS, "readOnly": True},
                {"name": "admin", "mountPath": "/run/secrets/admin", "readOnly": True},
            ],
        }

    def reader(self) -> Container:
        """What writes the dashboards of ConfigMaps into the folder that Grafana watches."""
        label = quote(",".join(f"{key}={value}" for key, value in LABEL.items()))
        where = "" if self.config.teams else f"/namespaces/{self.namespace}"
        return {
            "name": "dashboards",
            "image": PYTHON,
            "command": ["python3", "-B", "/reader/reader.py", settings.DASHBOARDS],
            "args": [f"/api/v1{where}/configmaps?labelSelector={label}"],
            "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "256Mi"}},
            "securityContext": {**RESTRICTED, "runAsUser": USER},
            "volumeMounts": [
                {"name": READER, "mountPath": "/reader", "readOnly": True},
                {"name": "dashboards", "mountPath": settings.DASHBOARDS},
            ],
        }


NAMES = {"database": "GF_DATABASE_NAME", "username": "GF_DATABASE_USER", "password": "GF_DATABASE_PASSWORD"}


def _database(database: Database) -> list[EnvVar]:
    """How Grafana reaches its database; with what it calls each engine's encryption."""
    modes = {
        "mysql": {"off": "false", "optional": "skip-verify", "required": "true"},
        "postgresql": {"off": "disable", "optional": "require", "required": "require"},
    }
    plain = {
        "GF_DATABASE_TYPE": "postgres" if database.engine == "postgresql" else "mysql",
        "GF_DATABASE_HOST": f"{database.host}:{database.port}",
        "GF_DATABASE_SSL_MODE": modes[database.engine][database.tls],
    }
    parts: tuple[Literal["database", "username", "password"], ...] = ("database", "username", "password")
    named = [each for part in parts for each in database.env(**{NAMES[part]: part})]
    return [*env(plain), *named]


@cache
def _program() -> str:
    return Path(__file__).with_name("reader.py").read_text()
