"""TensorFlow Serving: one server with several models and versions, on processors or GPUs, behind REST and gRPC."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

from platform_def.apis.core.core_v1 import Container, EnvVar, PodSpec, Volume, VolumeMount
from platform_def.capabilities import GatewayPath, ObjectStore
from platform_def.components.serving.tf_serving import files
from platform_def.components.serving.tf_serving.config import TfServingConfig
from platform_def.components.serving.tf_serving.metrics import BOARD, alerts
from platform_def.constructs import (
    OUT_OF_MESH,
    RESTRICTED_LEVEL,
    Alerts,
    Bucket,
    Component,
    Dashboards,
    Deployment,
    ExistingObject,
    ImageFacts,
    Need,
    NetworkPolicy,
    Offers,
    Problem,
    Route,
    Service,
    Setting,
    config_map,
    env,
    from_cluster,
    http_probe,
    mounts,
    need,
    port,
    restart_on_change,
    scratch,
    secured,
    target_missing,
    tcp_probe,
)
from platform_def.constructs.observation.alerts import camel
from platform_def.constructs.route import ANY_HOST, gateway_of
from platform_def.constructs.routes.routing import Canary
from platform_def.errors import nearest
from platform_def.jobs.placement import Demand, demand_problems, place

FACTS = ImageFacts(
    runs_as=1000,
    source="tools/docker/Dockerfile at 2.20.0: one program of root's that everyone may run, without a USER",
)
FETCH = ImageFacts(runs_as=1000, read_only=True, source="Dockerfile of rclone 1.75: one program without a USER")
NAME, AUTHORITY = "tf-serving", "/etc/store"
CALLS = "/tensorflow.serving.PredictionService/"
"""Path of gRPC calls that predict."""


class TfServing(Component[TfServingConfig]):
    """A server with its files, its Service and its routes; a stack may have several."""

    several = True
    pod_security = RESTRICTED_LEVEL
    gives = (GatewayPath,)

    @classmethod
    def needs_of(cls, at: Setting[TfServingConfig]) -> tuple[Need[Any], ...]:
        """An object store, unless the models are on a volume."""
        return () if at.config.claim else (need(ObjectStore),)

    @classmethod
    def offers(cls, at: Setting[TfServingConfig]) -> Offers:
        """Its path, where programs come; what is there already: the claim, or who signed the store's certificate."""
        home, served = at.config.namespace, "rest" in at.config.routes and at.platform.gateway != "none"
        paths = (GatewayPath(path=f"/serving/{at.name}/", access="api"),) if served else ()
        if at.config.claim:
            return Offers(
                capabilities=paths, existing=(ExistingObject("PersistentVolumeClaim", at.config.claim, home),)
            )
        store = at.maybe(ObjectStore)
        ca = store.value.ca if store else None
        there = (ExistingObject("ConfigMap", ca.config_map, home),) if ca else ()
        return Offers(capabilities=paths, existing=there)

    @classmethod
    def problems(cls, at: Setting[TfServingConfig]) -> Iterator[Problem]:
        """A pool that cannot give the GPUs; a canary that is no server here; gRPC paths that two servers want."""
        config, here = at.config, ("components", at.name)
        if config.pool and at.platform.pool(config.pool) is None:
            text = f"components.{at.name}.pool: there is no pool '{config.pool}'"
            hint = nearest(config.pool, [each.name for each in at.platform.node_pools]) or "name one of `nodePools:`"
            yield Problem(text, hint=hint, at=(*here, "pool"))
        elif config.pool or config.gpus:
            wanted = Demand(pool=config.pool, pods=1, gpus=config.gpus, gpus_field="gpus", rdma=False, owner="")
            for each in demand_problems(wanted, at.platform):
                yield Problem(f"components.{at.name}.{each.field}: {each.text}", hint=each.hint, at=here)
        if config.canary:
            yield from canary_problems(at, config.canary.server)

    def build(self) -> None:
        """Everything that answers."""
        config, name = self.config, self.named(NAME)
        server = {files.MONITORING_FILE: files.monitoring()}
        if config.batching:
            server[files.BATCHING_FILE] = files.batching(config.batching)
        config_map(self, f"{name}-models", {files.MODEL_FILE: files.models(config.models)})
        config_map(self, f"{name}-server", server)
        bucket = None if config.claim else Bucket(self, name)
        if bucket:
            config_map(self, f"{name}-fetch", {"fetch.sh": _program()})
        Deployment(
            self,
            name,
            pod=self._pod(bucket),
            ha_replicas=2,
            pod_annotations={**OUT_OF_MESH, **restart_on_change(*server.values())},
        )
        calls = {**port("grpc", files.GRPC), "appProtocol": "grpc"}
        Service(self, name, ports=[calls, port("http", files.REST)]).monitor("http", path=files.METRICS_PATH)  # type: ignore[list-item]
        self._routes()
        if self.platform.network_policies:
            NetworkPolicy(self, name, openings=[from_cluster(files.GRPC, files.REST)])
        title = camel(name)
        rules = Alerts(self, [target_missing(name), *alerts(name, title)])
        if self.first:
            Dashboards(self, [BOARD], tables=rules.tables)

    def _routes(self) -> None:
        """What the gateway leads here, shared with the canary where there is one."""
        config, name, host = self.config, self.named(NAME), self.config.host or ANY_HOST
        shared = config.canary
        canary = Canary(service=shared.server, percent=shared.percent) if shared else None
        if "rest" in config.routes:
            Route(
                self,
                f"{name}-rest",
                path=f"/serving/{self.name}/",
                service=name,
                port=files.REST,
                rewrite="/",
                timeout_seconds=config.timeout_seconds,
                canary=canary,
                host=host,
            )
        if "grpc" in config.routes:
            Route(self, f"{name}-grpc", path=CALLS, service=name, port=files.GRPC, grpc=True, canary=canary, host=host)

    def _pod(self, bucket: Bucket | None) -> PodSpec:
        config = self.config
        placement = place(config.pool, gpus=config.gpus, rdma=False, platform=self.platform)
        pod = placement.pod(self._server(), shared_memory="64Mi")
        volumes: list[Volume] = [
            *pod.get("volumes", []),
            {"name": "model-files", "configMap": {"name": f"{self.named(NAME)}-models"}},
            {"name": "server-files", "configMap": {"name": f"{self.named(NAME)}-server"}},
            *scratch("tmp"),
        ]
        made: PodSpec = {
            **pod,
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "securityContext": {"fsGroup": 1000, "fsGroupChangePolicy": "OnRootMismatch"},
        }
        if config.claim:
            claim: Volume = {"name": "models", "persistentVolumeClaim": {"claimName": config.claim, "readOnly": True}}
            made["volumes"] = [*volumes, claim]
        elif bucket:
            made["volumes"] = [*volumes, *scratch("models"), *self._fetch_volumes(bucket)]
            made["initContainers"] = [self._fetch(bucket, "fetch-models", 0)]
            made["containers"] = [*made["containers"], self._fetch(bucket, "fetch-versions", config.look_seconds)]
        return made

    def _server(self) -> Container:
        config = self.config
        first = config.models[0].name
        context = secured(FACTS)
        return {
            "name": "server",
            "image": self.release.images["gpu"] if config.gpus else self.release.image,
            "command": ["/usr/bin/tensorflow_model_server"],
            "args": [*files.flags(config)],
            "env": env({"HOME": "/tmp", "TF_CPP_MIN_LOG_LEVEL": "1"}),  # noqa: S108 - in the container
            "ports": [
                {"name": "grpc", "containerPort": files.GRPC, "protocol": "TCP"},
                {"name": "http", "containerPort": files.REST, "protocol": "TCP"},
            ],
            # It answers so once a version is loaded, which takes minutes for large models.
            "startupProbe": http_probe(f"/v1/models/{first}", "http", period=5, failures=360),
            "readinessProbe": http_probe(f"/v1/models/{first}", "http", period=10, timeout=5),
            "livenessProbe": tcp_probe("grpc", period=20, failures=5),
            "resources": {
                "requests": {"cpu": config.cpu, "memory": config.memory},
                "limits": {"memory": config.memory},
            },
            "securityContext": context,
            "volumeMounts": [
                *mounts({"models": files.MODELS}, read_only=True),
                *mounts(
                    {"model-files": f"{files.FOLDER}/models", "server-files": f"{files.FOLDER}/server"}, read_only=True
                ),
                *mounts({"tmp": "/tmp"}),  # noqa: S108 - in the container
            ],
        }

    def _fetch(self, bucket: Bucket, name: str, seconds: int) -> Container:
        """What brings versions from the object store, once or again and again."""
        folders = [each.folder or each.name for each in self.config.models]
        found: list[VolumeMount] = [
            *mounts({"models": files.MODELS, "tmp": "/tmp"}),  # noqa: S108 - in the container
            *mounts({"fetch": "/fetch"}, read_only=True),
        ]
        if bucket.ca:
            found += mounts({"store-ca": AUTHORITY}, read_only=True)
        return {
            "name": name,
            "image": self.release.images["fetch"],
            "command": ["/bin/sh", "/fetch/fetch.sh"],
            "args": [str(seconds), *folders],
            "env": _store(bucket),
            "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}},
            "securityContext": secured(FETCH),
            "volumeMounts": found,
        }

    def _fetch_volumes(self, bucket: Bucket) -> Iterator[Volume]:
        yield {"name": "fetch", "configMap": {"name": f"{self.named(NAME)}-fetch"}}
        if bucket.ca:
            items = [{"key": bucket.ca.key, "path": "ca.crt"}]
            yield cast(Volume, {"name": "store-ca", "configMap": {"name": bucket.ca.config_map, "items": items}})


def _store(bucket: Bucket) -> list[EnvVar]:
    """The remote `store:` of rclone."""
    plain = {
        "BUCKET": bucket.bucket,
        "MODELS": files.MODELS,
        "RCLONE_CONFIG": "/tmp/rclone.conf",  # noqa: S108 - in the container
        "RCLONE_CONFIG_STORE_TYPE": "s3",
        "RCLONE_CONFIG_STORE_PROVIDER": "Other",
        "RCLONE_CONFIG_STORE_ENDPOINT": bucket.url,
        "RCLONE_CONFIG_STORE_REGION": bucket.region,
        "RCLONE_CONFIG_STORE_FORCE_PATH_STYLE": str(bucket.path_style).lower(),
        "RCLONE_CONFIG_STORE_ENV_AUTH": str(bucket.secret is None).lower(),
        **({"RCLONE_CA_CERT": f"{AUTHORITY}/ca.crt"} if bucket.ca else {}),
    }
    credentials = bucket.env(
        access_key="RCLONE_CONFIG_STORE_ACCESS_KEY_ID",
        secret_key="RCLONE_CONFIG_STORE_SECRET_ACCESS_KEY",  # noqa: S106 - the name of a variable
    )
    return [*env(plain), *credentials]


def canary_problems(at: Setting[TfServingConfig], server: str) -> Iterator[Problem]:
    """A share for a server that is not there, lies elsewhere, or that no route shares with."""
    here, knob = ("components", at.name, "canary"), f"components.{at.name}.canary"
    other = at.platform.component(server)
    if other is None or other.component != "tf-serving" or server == at.name:
        text = f"{knob}: '{server}' is no other TensorFlow Serving of this stack"
        yield Problem(text, hint="add one: `<name>: {component: tf-serving, routes: [], models: …}`", at=here)
    elif other.namespace != at.config.namespace:
        text = f"{knob}: {server} is in the namespace {other.namespace}, and a route leads into one"
        yield Problem(text, hint=f"write `namespace: {at.config.namespace}` there", at=here)
    if gateway_of(at.platform) is None:
        yield Problem(
            f"{knob}: the stack has no gateway that could share requests", hint="name one under `gateway:`", at=here
        )


@cache
def _program() -> str:
    return Path(__file__).with_name("fetch.sh").read_text()
