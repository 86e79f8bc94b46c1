"""ModelDB 2: records models, data sets and metrics; left by its makers, for records that are there already."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from platform_def.apis.core.core_v1 import Container, EnvVar, PodSpec, SecurityContext
from platform_def.config.model import Image, Name
from platform_def.constructs import (
    APACHE,
    OUT_OF_MESH,
    RESTRICTED,
    RESTRICTED_LEVEL,
    Claim,
    Component,
    ComponentConfig,
    Database,
    Deployment,
    ImageFacts,
    Need,
    NetworkPolicy,
    Opening,
    Release,
    Service,
    Setting,
    StatefulSet,
    Support,
    Upkeep,
    config_map,
    database_need,
    env,
    exec_probe,
    from_namespace,
    http_probe,
    memory,
    mounts,
    port,
    releases,
    restart_on_change,
    scratch,
    secured,
)
from platform_def.constructs.secrets import PYTHON

BACKEND, GRAPHQL, WEBAPP = "modeldb-backend", "modeldb-graphql", "modeldb-webapp"
HUB, VERSION = "docker.io/vertaaiofficial", "2.0.8.1"
Part = Literal["backend", "proxy", "graphql", "webapp"]
IMAGES = {
    "backend": f"{HUB}/modeldb-backend:{VERSION}",
    "proxy": f"{HUB}/modeldb-proxy:{VERSION}",
    "graphql": f"{HUB}/modeldb-graphql:{VERSION}",
    "webapp": f"{HUB}/modeldb-frontend:{VERSION}",
}
RELEASES = releases(
    Release(
        VERSION,
        kubernetes="1.25-1.37",  # it calls no API of Kubernetes
        images=IMAGES,
        upkeep=Upkeep(Support.ENDED),
        kept="nothing newer reads what it recorded",
    ),
    license=APACHE,
)
STORE, SETTINGS = "/artifact-store", "modeldb-backend-config"
GRPC, FILES, HTTP = 8085, 8086, 3000
JAVA = ImageFacts(runs_as=1001, source="chart/modeldb offers this user; it writes below /artifact-store and /tmp")
STATIC = ImageFacts(runs_as=1001, read_only=True, source="backend/{graphql,proxy}/Dockerfile: one static program alone")
NODE = ImageFacts(runs_as=1000, source="webapp/Dockerfile: the user `node` of its base; yarn writes into HOME")


class ModeldbConfig(ComponentConfig):
    """What a stack may choose about ModelDB."""

    releases = RELEASES

    namespace: Name = "modeldb"
    """Namespace of its programs."""
    images: dict[Part, Image] = Field(default_factory=dict)
    """Images of its programs, where Docker Hub no longer has the release's or you keep copies."""
    clients: list[Name] | None = None
    """Namespaces whose pods may connect, where the stack asks for network policies; by default those of all teams."""


class Modeldb(Component[ModeldbConfig, Release]):
    """Backend with its proxy and the volume of files, GraphQL, and pages by port-forward."""

    pod_security = RESTRICTED_LEVEL

    @classmethod
    def needs_of(cls, at: Setting[ModeldbConfig]) -> tuple[Need[Any], ...]:  # noqa: ARG003 - the same everywhere
        """A PostgreSQL: its images have no driver for another one."""
        return (database_need("postgresql"),)

    def build(self) -> None:
        """Everything that records."""
        database = Database(self, "modeldb", engine="postgresql")
        text = template(database)
        config_map(self, SETTINGS, {"template.json": text, "configure.py": _program()})
        self._backend(database, restart_on_change(text, _program()))
        self._page(
            GRAPHQL,
            "graphql",
            STATIC,
            {"MDB_ADDRESS": f"{BACKEND}:{GRPC}", "QUERY_PATH": "/api/v1/graphql/query", "SERVER_HTTP_PORT": str(HTTP)},
        )
        addresses = {
            "NODE_ENV": "production",
            "DEPLOYED": "yes",
            "HOME": "/tmp",  # noqa: S108 - in the container
            "BACKEND_API_PROTOCOL": "http",
            "BACKEND_API_DOMAIN": f"{WEBAPP}:{HTTP}",
            "MDB_ADDRESS": f"http://{BACKEND}:{HTTP}",
            "ARTIFACTORY_ADDRESS": f"http://{BACKEND}:{FILES}",
            "GQL_ADDRESS": f"http://{GRAPHQL}:{HTTP}",
        }
        self._page(WEBAPP, "webapp", NODE, addresses)
        if self.platform.network_policies:
            clients = self.config.clients
            homes = [team.home for team in self.platform.teams] if clients is None else clients
            own = from_namespace(GRPC, FILES, HTTP)
            NetworkPolicy(
                self, BACKEND, openings=[own, *(from_namespace(GRPC, FILES, HTTP, name=each) for each in homes)]
            )
            for name in (GRAPHQL, WEBAPP):
                NetworkPolicy(self, name, openings=[Opening((HTTP,), ({"podSelector": {}},))])

    def _image(self, part: Part) -> str:
        return self.config.images.get(part) or self.release.images[part]

    def _backend(self, database: Database, annotations: dict[str, str]) -> None:
        """One pod on one volume; upstream's claim too is for one."""
        pod: PodSpec = {
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "securityContext": {"fsGroup": 1001},
            "initContainers": [configure(database)],
            "containers": [self._server(), self._proxy()],
            "volumes": [
                *memory("config"),
                *scratch("tmp"),
                {"name": "settings", "configMap": {"name": SETTINGS}},
            ],
        }
        StatefulSet(
            self,
            BACKEND,
            pod=pod,
            service=BACKEND,
            claims=[Claim("modeldb", "100Gi")],
            pod_annotations={**OUT_OF_MESH, **annotations},
        )
        ports = [port("backend", GRPC), port("artifactstore", FILES), port("http", HTTP)]
        Service(self, BACKEND, ports=ports)

    def _server(self) -> Container:
        return {
            "name": "backend",
            "image": self._image("backend"),
            "env": env({"VERTA_MODELDB_CONFIG": "/config-backend/config.yaml"}),
            "ports": [
                {"name": "backend", "containerPort": GRPC, "protocol": "TCP"},
                {"name": "artifactstore", "containerPort": FILES, "protocol": "TCP"},
            ],
            "readinessProbe": exec_probe("/bin/grpc_health_probe", f"-addr=:{GRPC}", "-service=ready", delay=5),
            "livenessProbe": exec_probe(
                "/bin/grpc_health_probe", f"-addr=:{GRPC}", "-service=live", delay=30, period=20, timeout=5, failures=15
            ),
            "resources": {"requests": {"cpu": "250m", "memory": "1Gi"}, "limits": {"memory": "2Gi"}},
            "securityContext": secured(JAVA),
            "volumeMounts": mounts({"modeldb": STORE, "config": "/config-backend", "tmp": "/tmp"}),  # noqa: S108
        }

    def _proxy(self) -> Container:
        """REST in front of the backend's gRPC."""
        return {
            "name": "proxy",
            "image": self._image("proxy"),
            "env": env({"MDB_ADDRESS": f"localhost:{GRPC}", "SERVER_HTTP_PORT": str(HTTP)}),
            "ports": [{"name": "http", "containerPort": HTTP, "protocol": "TCP"}],
            "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
            "securityContext": secured(STATIC),
        }

    def _page(self, name: str, part: Part, facts: ImageFacts, variables: dict[str, str]) -> None:
        """A program without state, and its Service."""
        probes = {each: http_probe("/", HTTP, delay=1) for each in ("readinessProbe", "livenessProbe")}
        container: Container = {
            "name": "modeldb",
            "image": self._image(part),
            "env": env(variables),
            "ports": [{"name": "http", "containerPort": HTTP, "protocol": "TCP"}],
            "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}},
            "securityContext": secured(facts),
            **(probes if part == "webapp" else {}),  # type: ignore[typeddict-item]
            "volumeMounts": mounts({"tmp": "/tmp"}),  # noqa: S108 - in the container
        }
        pod: PodSpec = {
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "containers": [container],
            "volumes": scratch("tmp"),
        }
        Deployment(self, name, pod=pod, ha_replicas=2, pod_annotations=OUT_OF_MESH)
        Service(self, name, ports=[port("http", HTTP)])


def configure(database: Database) -> Container:
    """What writes the backend's file before it starts."""
    nobody: SecurityContext = {**RESTRICTED, "runAsUser": 1001}
    names: list[EnvVar] = database.env(DB_USER="username", DB_PASSWORD="password")  # noqa: S106 - which key each holds
    return {
        "name": "configure",
        "image": PYTHON,
        "command": ["python3", "-B", "/settings/configure.py", "/settings/template.json", "/config/config.yaml"],
        "env": names,
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}},
        "securityContext": nobody,
        "volumeMounts": [*mounts({"config": "/config"}), *mounts({"settings": "/settings"}, read_only=True)],
    }


def template(database: Database) -> str:
    """The backend's configuration without user and password."""
    artifacts = {
        "artifactStoreType": "NFS",  # a folder of its own
        "NFS": {
            "nfsUrlProtocol": "http",
            "nfsRootPath": f"{STORE}/",
            "artifactEndpoint": {
                "getArtifact": "api/v1/artifact/getArtifact",
                "storeArtifact": "api/v1/artifact/storeArtifact",
            },
        },
    }
    content = {
        "grpcServer": {"port": GRPC},
        "springServer": {"port": FILES, "shutdownTimeout": 30},
        "artifactStoreConfig": artifacts,
        "database": {
            "DBType": "relational",
            "timeout": 4,
            "liquibaseLockThreshold": 60,
            "RdbConfiguration": {
                "RdbDatabaseName": database.database,
                "RdbDriver": "org.postgresql.Driver",
                "RdbDialect": "org.hibernate.dialect.PostgreSQLDialect",
                "RdbUrl": f"jdbc:postgresql://{database.host}:{database.port}",
            },
        },
        "artifactStore_grpcServer": {"host": BACKEND, "port": FILES},
        "cron_job": {
            "update_parent_timestamp": {"frequency": 60, "record_update_limit": 100},
            "delete_entities": {"frequency": 60, "record_update_limit": 100},
        },
    }
    return json.dumps(content, indent=2, sort_keys=True) + "\n"


@cache
def _program() -> str:
    return Path(__file__).with_name("configure.py").read_text()
