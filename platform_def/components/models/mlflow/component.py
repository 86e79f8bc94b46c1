"""MLflow: records runs of experiments, and registers models, in the stack's database and object store."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from platform_def.apis.core.core_v1 import SERVICE_ACCOUNT, Container, EnvVar, PodSpec, ServiceAccount, Volume
from platform_def.capabilities import AuthorizationService, Metrics, ObjectStore, RegisteredModels, WebLink
from platform_def.capabilities.secrets import needs_of
from platform_def.capabilities.stores import SharedBucket
from platform_def.components.models.mlflow.config import BOARD, NAME, RULES, MlflowConfig
from platform_def.constructs import (
    OUT_OF_MESH,
    RESTRICTED_LEVEL,
    Alerts,
    Bucket,
    Component,
    Dashboards,
    Database,
    Deployment,
    ExistingObject,
    ImageFacts,
    Need,
    NetworkPolicy,
    Offers,
    Opening,
    Problem,
    Resource,
    Route,
    Service,
    Setting,
    config_map,
    database_need,
    env,
    from_field,
    from_namespace,
    from_pods,
    http_probe,
    memory,
    mounts,
    need,
    port,
    restart_on_change,
    scratch,
    secret_of,
    secured,
    web_links,
)
from platform_def.constructs.bucket import BucketKey
from platform_def.constructs.route import gateway_of
from platform_def.constructs.routes.routing import Auth
from platform_def.constructs.secrets import GeneratedSecret
from platform_def.constructs.workloads.pod_template import CA_MOUNT
from platform_def.errors import nearest

PORT, PATH = 5000, "/mlflow/"
START, CA = "mlflow-start", "/etc/mlflow/store"
READER = "mlflow-models"
"""Account in namespaces of teams that serve models from here."""
LINK = WebLink(text="MLflow", path=PATH, icon="icons:timeline")
FACTS = ImageFacts(
    runs_as=1000,
    source="docker/Dockerfile.full at v3.18.0: Python packages of root's without a USER, which every user may read",
)


class Mlflow(Component[MlflowConfig]):
    """The server, with a database and a bucket of its own."""

    pod_security = RESTRICTED_LEVEL
    gives = (WebLink, RegisteredModels)

    @classmethod
    def needs_of(cls, at: Setting[MlflowConfig]) -> tuple[Need[Any], ...]:
        """A database, an object store, and who keeps the Secret of `admin`."""
        accounts = needs_of(at.config.admin) if at.config.sign_in == "accounts" else ()
        return (database_need(), need(ObjectStore), need(AuthorizationService, order="any", optional=True), *accounts)

    @classmethod
    def offers(cls, at: Setting[MlflowConfig]) -> Offers:
        """A link to its pages, its models' files; who signed the object store's certificate is there already."""
        store = at.maybe(ObjectStore)
        ca = store.value.ca if store else None
        there = (ExistingObject("ConfigMap", ca.config_map, at.config.namespace),) if ca else ()
        share = store.value.buckets.get(NAME, SharedBucket()) if store else SharedBucket()
        models = RegisteredModels(bucket=share.bucket or NAME, account=READER, teams=at.config.serving_teams)
        return Offers(capabilities=(*web_links(at, at.config.access, LINK), models), existing=there)

    @classmethod
    def problems(cls, at: Setting[MlflowConfig]) -> Iterator[Problem]:
        """Teams that there are not; pages that no one reaches, or that ask no one who they are."""
        yield from _team_problems(at)
        config, here, knob = at.config, ("components", at.name, "access"), f"components.{at.name}.access"
        if config.access == "administrators":
            return
        otherwise = "or write `access: administrators` to reach it by port-forward only"
        if gateway_of(at.platform) is None:
            text = f"{knob}: the stack has no gateway, so {config.access} could not reach its pages"
            yield Problem(text, hint=f"add one and name it under `gateway:`, {otherwise}", at=here)
        elif config.access == "people" and at.maybe(AuthorizationService) is None:
            text = f"{knob}: nothing in the stack asks who a request is from, and MLflow would let everyone in"
            hint = (
                "add oauth2-proxy or name an `external: {authorizationService: …}`, or write `access: everyone` with "
            )
            yield Problem(text, hint=f"{hint}`signIn: accounts`, {otherwise}", at=here)

    def build(self) -> None:
        """Everything that records."""
        database, bucket = Database(self, NAME), self._bucket()
        config_map(self, START, {"start.py": _program()})
        variables = [
            *self._variables(bucket),
            *_database(self, database),
            *bucket.env(access_key="AWS_ACCESS_KEY_ID", secret_key="AWS_SECRET_ACCESS_KEY"),  # noqa: S106 - names
            *self._accounts(),
        ]
        Deployment(
            self,
            NAME,
            pod=self._pod(bucket, variables),
            ha_replicas=2,
            pod_annotations={**OUT_OF_MESH, **restart_on_change(_program())},
        )
        service = Service(self, NAME, ports=[port("http", 80, PORT)])
        if self.config.access != "administrators":
            auth: Auth = "required" if self.config.access == "people" else "usual"
            Route(self, NAME, path=PATH, service=NAME, port=80, timeout_seconds=0, auth=auth)
        if self.platform.network_policies:
            NetworkPolicy(self, NAME, openings=[*self._openings()])
        if self._is_read:
            service.monitor("http")
            Dashboards(self, [BOARD], tables=Alerts(self, RULES).tables)

    @property
    def _is_read(self) -> bool:
        """Whether Prometheus can read its metrics: with accounts of its own it asks for a password there too."""
        return self.config.sign_in != "accounts"

    def _bucket(self) -> Bucket:
        """The bucket; for each team that serves models a key that reads it, and the account that KServe finds it by."""
        homes = [team.home for team in self.platform.teams if team.name in self.config.serving_teams]
        bucket = Bucket(self, NAME, keys=[BucketKey(f"{NAME}-{home}", home, writes=False) for home in homes])
        for home in homes:
            fields: ServiceAccount = {"automountServiceAccountToken": False}
            if key := bucket.keys[home]:
                fields["secrets"] = [{"name": key.name}]
            Resource(self, SERVICE_ACCOUNT, READER, namespace=home, fields=fields)
        return bucket

    def _pod(self, bucket: Bucket, variables: list[EnvVar]) -> PodSpec:
        volumes: list[Volume] = [
            *scratch("tmp"),
            *memory("metrics", "accounts"),
            {"name": "start", "configMap": {"name": START}},
        ]
        container: Container = {
            "name": NAME,
            "image": self.release.image,
            "command": ["python3", "-B", "/start/start.py", "server"],
            "args": [*self._arguments(bucket)],
            "env": variables,
            "ports": [{"name": "http", "containerPort": PORT, "protocol": "TCP"}],
            # Under a prefix its health is there too, and no Host is asked for.
            "startupProbe": http_probe(f"{PATH}health", "http", period=5, failures=60),
            "readinessProbe": http_probe(f"{PATH}health", "http", period=10, timeout=5),
            "livenessProbe": http_probe(f"{PATH}health", "http", period=30, timeout=10, failures=5),
            "resources": {"requests": {"cpu": "200m", "memory": "1Gi"}, "limits": {"memory": "4Gi"}},
            "securityContext": secured(FACTS),
            "volumeMounts": [
                *mounts({"tmp": "/tmp", "metrics": "/metrics", "accounts": "/accounts"}),  # noqa: S108
                *mounts({"start": "/start"}, read_only=True),
            ],
        }
        if bucket.ca:
            items: list[dict[str, str]] = [{"key": bucket.ca.key, "path": "ca.crt"}]
            volumes.append({"name": "store-ca", "configMap": {"name": bucket.ca.config_map, "items": items}})  # type: ignore[typeddict-item]
            container["volumeMounts"].append({"name": "store-ca", "mountPath": CA, "readOnly": True})
        return {
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "nodeSelector": {"kubernetes.io/os": "linux"},
            "securityContext": {"fsGroup": 1000},
            "containers": [container],
            "volumes": volumes,
        }

    def _arguments(self, bucket: Bucket) -> Iterator[str]:
        """Flags. Programs send and fetch files through the server, so that it alone writes to the bucket."""
        yield "--host=0.0.0.0"
        yield f"--port={PORT}"
        yield f"--workers={self.config.workers}"
        yield f"--static-prefix={PATH.rstrip('/')}"
        yield "--serve-artifacts"
        yield f"--artifacts-destination=s3://{bucket.bucket}"
        yield f"--allowed-hosts={','.join(self.hosts())}"
        address = self.platform.ingress.address() if self.config.access != "administrators" else None
        if address:
            yield f"--cors-allowed-origins={address}"
        yield "--expose-prometheus=/metrics"
        if self.config.sign_in == "accounts":
            yield "--app-name=basic-auth"

    def hosts(self) -> list[str]:
        """Hosts that requests may name: the Service, a port-forward, the pod's address for Prometheus, the gateway."""
        full = self.service_host(NAME)
        names = [NAME, f"{NAME}.{self.namespace}", f"{NAME}.{self.namespace}.svc", full, "localhost", "127.0.0.1"]
        outside = self.platform.ingress.host if self.config.access != "administrators" else None
        each = [*names, *([outside] if outside else [])]
        return [
            *(host for name in each for host in (name, f"{name}:*")),
            f"$(POD_IP):{PORT}",
            *self.config.allowed_hosts,
        ]

    def _variables(self, bucket: Bucket) -> list[EnvVar]:
        named: dict[str, Any] = {
            "HOME": "/tmp",  # noqa: S108 - in the container
            "MLFLOW_DISABLE_TELEMETRY": "true",
            "MLFLOW_S3_ENDPOINT_URL": bucket.url,
            "MLFLOW_BOTO_CLIENT_ADDRESSING_STYLE": "path" if bucket.path_style else "virtual",
            "AWS_DEFAULT_REGION": bucket.region,
            "POD_IP": from_field("status.podIP"),
            **({"AWS_CA_BUNDLE": f"{CA}/ca.crt"} if bucket.ca else {}),
        }
        return env(named)

    def _accounts(self) -> list[EnvVar]:
        """What the accounts need: the first one's password, a key for forms, and a file that the start writes."""
        if self.config.sign_in != "accounts":
            return []
        admin = secret_of(self, "mlflow-admin", self.config.admin, keys=("password",))
        forms = GeneratedSecret(self, "mlflow-forms", passwords=("key",)).use
        file = {
            "MLFLOW_AUTH_CONFIG_PATH": "/accounts/basic_auth.ini",
            "AUTH_PERMISSION": self.config.default_permission,
        }
        return [
            *env(file),
            admin.env("MLFLOW_AUTH_ADMIN_PASSWORD", "password"),
            forms.env("MLFLOW_FLASK_SERVER_SECRET_KEY", "key"),
        ]

    def _openings(self) -> Iterator[Opening]:
        """The gateway, Prometheus, and pods of people who record runs."""
        gateway = gateway_of(self.platform) if self.config.access != "administrators" else None
        if gateway:
            pods = gateway.pods
            yield (
                from_pods(pods, PORT, namespace=gateway.namespace)
                if pods
                else from_namespace(PORT, name=gateway.namespace)
            )
        metrics = self.maybe(Metrics)
        if metrics and metrics.value.namespace and self._is_read:
            yield from_pods(metrics.value.pods, PORT, namespace=metrics.value.namespace)
        clients = self.config.clients
        for home in [team.home for team in self.platform.teams] if clients is None else clients:
            yield from_namespace(PORT, name=home)


def _team_problems(at: Setting[MlflowConfig]) -> Iterator[Problem]:
    teams = [team.name for team in at.platform.teams]
    for name in at.config.serving_teams:
        if name not in teams:
            text = f"components.{at.name}.servingTeams: there is no team '{name}'"
            hint = nearest(name, teams) or "name one of `teams:`"
            yield Problem(text, hint=hint, at=("components", at.name, "servingTeams"))


def _database(component: Mlflow, database: Database) -> list[EnvVar]:
    """Where the database is, for the program that starts the server."""
    bundle = f"{CA_MOUNT}/ca.crt" if component.config.ca_bundle else ""
    plain = {"DB_ENGINE": database.engine, "DB_TLS": database.tls, "DB_CA": bundle}
    return [
        *env({key: value for key, value in plain.items() if value}),
        *database.env(
            DB_HOST="host",
            DB_PORT="port",
            DB_NAME="database",
            DB_USER="username",
            DB_PASSWORD="password",  # noqa: S106 - the name of a key
        ),
    ]


@cache
def _program() -> str:
    return Path(__file__).with_name("start.py").read_text()
