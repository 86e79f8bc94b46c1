"""The API server, the agents that watch workflows for it, and what draws outputs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from platform_def.apis.core.core_v1 import Container, PodSpec, Volume
from platform_def.capabilities import Identity
from platform_def.components.pipelines.kfp import rules
from platform_def.components.pipelines.kfp.accounts import grant
from platform_def.components.pipelines.kfp.parts import (
    GRPC,
    HTTP,
    METADATA,
    METADATA_PORT,
    SERVER,
    program,
    token,
    wait,
)
from platform_def.components.pipelines.kfp.releases import CACHED
from platform_def.components.pipelines.kfp.stores import Stores
from platform_def.constructs import (
    Deployment,
    Service,
    config_map,
    http_probe,
    mounts,
    port,
    restart_on_change,
    scratch,
)

if TYPE_CHECKING:
    from platform_def.components.pipelines.kfp.config import AnyKfp

CONFIG, CERTIFICATE, WEBHOOK_PORT = "ml-pipeline-config", "kfp-api-webhook-cert", 8443
HEALTH = "/apis/v1beta1/healthz"
VISUALIZATION, VIEWER = "ml-pipeline-visualizationserver", "ml-pipeline-viewer-crd"
PERSISTENCE, SCHEDULER = "ml-pipeline-persistenceagent", "ml-pipeline-scheduledworkflow"


def user_headers(component: AnyKfp) -> tuple[str, str]:
    """Header with the user's name, and what stands before the name, where the stack says who people are."""
    given = component.maybe(Identity)
    return (given.value.user_header, given.value.user_prefix) if given else ("kubeflow-userid", "")


def configuration() -> dict[str, Any]:
    """The server's file. The image's own names an MLflow of another platform and a known key of a store."""
    return {
        "DBConfig": {"MySQLConfig": {"GroupConcatMaxLen": "4194304"}, "ConMaxLifeTime": "120s"},
        "ObjectStoreConfig": {"PipelinePath": "pipelines"},
        "ARCHIVE_CONFIG_LOG_FILE_NAME": "main.log",
        "ARCHIVE_CONFIG_LOG_PATH_PREFIX": "/artifacts",
        "InitConnectionTimeout": "6m",
        "CacheEnabled": "true",
        "CACHE_IMAGE": CACHED,
        "CACHE_NODE_RESTRICTIONS": "false",
    }


def server(component: AnyKfp, stores: Stores) -> None:
    """The API server; one pod, for it migrates its database when it starts."""
    file = json.dumps({**configuration(), "CACHE_IMAGE": component.image(CACHED)}, indent=2, sort_keys=True) + "\n"
    config_map(component, CONFIG, {"config.json": file})
    grant(component, SERVER, [*rules.SERVER, *(rules.OBJECTS if component.config.pipelines_as_objects else ())])
    objects = component.config.pipelines_as_objects
    volumes: list[Volume] = [{"name": "config", "configMap": {"name": CONFIG}}, *scratch("tmp")]
    volumes += stores.bucket.authority_volumes()
    if objects:
        volumes.append({"name": "webhook", "secret": {"secretName": CERTIFICATE, "defaultMode": 0o440}})
    Deployment(
        component,
        SERVER,
        pod={
            "serviceAccountName": SERVER,
            "enableServiceLinks": False,
            "securityContext": {"fsGroup": 1000},
            "initContainers": [
                wait("wait-for-database", stores.runs.host, stores.runs.port),
                wait("wait-for-metadata-grpc", component.service_host(METADATA), METADATA_PORT),
            ],
            "containers": [_server(component, stores)],
            "volumes": volumes,
        },
        pod_annotations=restart_on_change(file),
        extra_spec={"strategy": {"type": "Recreate"}},
    )
    ports = [port("http", HTTP), port("grpc", GRPC), *([port("webhook", WEBHOOK_PORT)] if objects else [])]
    Service(component, SERVER, ports=ports).monitor("http")


def _server(component: AnyKfp, stores: Stores) -> Container:
    config, many = component.config, component.config.serves == "teams"
    header, prefix = user_headers(component)
    visualization = component.service_host(VISUALIZATION)
    made = program(
        "ml-pipeline-api-server",
        component.release.image,
        {
            "POD_NAMESPACE": component.namespace,
            "CLUSTER_DOMAIN": component.platform.dns_domain,
            "LOG_LEVEL": "info",
            "PUBLISH_LOGS": "true",
            "PIPELINE_LOG_LEVEL": "1",
            "AUTO_UPDATE_PIPELINE_DEFAULT_VERSION": "true",
            "MULTIUSER": str(many).lower(),
            "KUBEFLOW_USERID_HEADER": header,
            "KUBEFLOW_USERID_PREFIX": prefix,
            "DEFAULTPIPELINERUNNERSERVICEACCOUNT": config.account,
            "BLOCK_V1_PIPELINES": str(config.block_v1_pipelines).lower(),
            "V1_ALLOWED_NAMESPACES": ",".join(config.v1_namespaces),
            "V2_DRIVER_IMAGE": component.image(f"ghcr.io/kubeflow/kfp-driver:{component.release.tag}"),
            "V2_LAUNCHER_IMAGE": component.image(f"ghcr.io/kubeflow/kfp-launcher:{component.release.tag}"),
            "ML_PIPELINE_VISUALIZATIONSERVER_SERVICE_HOST": visualization,
            "ML_PIPELINE_VISUALIZATIONSERVER_SERVICE_PORT": str(HTTP),
            "VISUALIZATIONSERVICE_NAME": VISUALIZATION,
            "VISUALIZATIONSERVICE_PORT": str(HTTP),
        },
        cpu="250m",
        memory="500Mi",
        limit="2Gi",
    )
    objects = config.pipelines_as_objects
    ports = {"http": HTTP, "grpc": GRPC, **({"webhook": WEBHOOK_PORT} if objects else {})}
    keep = ["--webhookTLSCertPath=/etc/webhook/certs/tls.crt", "--webhookTLSKeyPath=/etc/webhook/certs/tls.key"]
    return {
        **made,
        "command": ["/bin/apiserver"],
        "args": [
            "--config=/config",
            "--sampleconfig=/config/sample_config.json",
            "-logtostderr=true",
            "--logLevel=info",
            *([*keep, "--pipelinesStoreKubernetes=true"] if objects else []),
        ],
        "env": [*made["env"], *stores.of_server()],
        "ports": [{"name": name, "containerPort": number, "protocol": "TCP"} for name, number in ports.items()],
        "startupProbe": http_probe(HEALTH, HTTP, period=5, timeout=2, failures=60),
        "readinessProbe": http_probe(HEALTH, HTTP, period=5, timeout=2),
        "livenessProbe": http_probe(HEALTH, HTTP, period=10, timeout=5, failures=6),
        "volumeMounts": [
            # One file: beside it the image has the samples that the server reads when it starts.
            {"name": "config", "mountPath": "/config/config.json", "subPath": "config.json", "readOnly": True},
            *mounts({"tmp": "/tmp"}),  # noqa: S108 - in the container
            *(mounts({"webhook": "/etc/webhook/certs"}, read_only=True) if objects else []),
            *stores.bucket.authority_mounts(),
        ],
    }


def agents(component: AnyKfp) -> None:
    """What watches workflows and recurring runs, shows TensorBoard, and draws outputs."""
    watched = "" if component.config.serves == "teams" else component.namespace
    of, ready = component.release.of, wait("wait-for-ml-pipeline", component.service_host(SERVER), HTTP)
    header, _ = user_headers(component)
    grant(component, PERSISTENCE, rules.PERSISTENCE, role=f"{PERSISTENCE}-role")
    grant(component, SCHEDULER, rules.SCHEDULER, role=f"{SCHEDULER}-role")
    grant(component, f"{VIEWER}-service-account", rules.VIEWER, role="ml-pipeline-viewer-controller-role")
    grant(component, VISUALIZATION, ())
    hours = component.config.retention_hours
    persistence = program(
        PERSISTENCE,
        of("persistence-agent"),
        {
            "NAMESPACE": watched,
            "TTL_SECONDS_AFTER_WORKFLOW_FINISH": str(hours * 3600),
            "NUM_WORKERS": "2",
            "LOG_LEVEL": "info",
        },
        cpu="120m",
        memory="500Mi",
        limit="1Gi",
    )
    scheduler = program(
        SCHEDULER,
        of("scheduled-workflow-controller"),
        {
            "NAMESPACE": watched,
            "USER_IDENTITY_HEADER": header,
            "USER_IDENTITY_VALUE": f"system:serviceaccount:{component.namespace}:{SCHEDULER}",
            "METRICS_PORT": "9090",
            "CLIENT_QPS": "10",
            "CLIENT_BURST": "20",
            "RESYNC_INTERVAL_SECONDS": "30",
            "LOG_LEVEL": "info",
            "CRON_SCHEDULE_TIMEZONE": "UTC",
        },
    )
    scheduler["ports"] = [{"name": "http", "containerPort": 9090, "protocol": "TCP"}]
    _agent(component, PERSISTENCE, persistence, ready=ready, account=PERSISTENCE, path="persistenceagent-sa-token")
    _agent(component, SCHEDULER, scheduler, ready=ready, account=SCHEDULER, path="scheduledworkflow-sa-token")
    Service(component, SCHEDULER, ports=[port("http", 9090)]).monitor("http")
    viewer = program(VIEWER, of("viewer-crd-controller"), {"NAMESPACE": watched, "MAX_NUM_VIEWERS": "50"})
    _agent(component, VIEWER, viewer, account=f"{VIEWER}-service-account")
    visualization = program(VISUALIZATION, of("visualization-server"), {}, cpu="30m", memory="500Mi", limit="2Gi")
    visualization["ports"] = [{"name": "http", "containerPort": HTTP, "protocol": "TCP"}]
    visualization["readinessProbe"] = http_probe("/", HTTP, delay=3, period=5, timeout=2)
    visualization["livenessProbe"] = http_probe("/", HTTP, delay=30, period=10, timeout=5)
    _agent(component, VISUALIZATION, visualization, account=VISUALIZATION, asks=False)
    Service(component, VISUALIZATION, ports=[port("http", HTTP)])


def _agent(
    component: AnyKfp,
    name: str,
    container: Container,
    *,
    account: str,
    ready: Container | None = None,
    path: str = "",
    asks: bool = True,
) -> None:
    """A Deployment of one pod; `path` is where its token for the server is, `asks` whether it calls the cluster."""
    if path:
        container["volumeMounts"] = mounts({"token": "/var/run/secrets/kubeflow/tokens"}, read_only=True)
    pod: PodSpec = {
        "serviceAccountName": account,
        "automountServiceAccountToken": asks,
        "enableServiceLinks": False,
        "securityContext": {"fsGroup": 1000},
        "containers": [container],
    }
    if ready:
        pod["initContainers"] = [ready]
    if path:
        pod["volumes"] = [token(path)]
    Deployment(component, name, pod=pod)
