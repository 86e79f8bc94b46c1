"""A language model without KServe: a Deployment, or a LeaderWorkerSet for several nodes, behind the stack's Route."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from platform_def.apis.core.apps_v1 import DEPLOYMENT
from platform_def.apis.core.core_v1 import SERVICE, Container, PodSpec, PodTemplateSpec, Volume, VolumeMount
from platform_def.capabilities import Metrics
from platform_def.constructs.probes import http_probe
from platform_def.constructs.resource import Resource
from platform_def.constructs.route import Route
from platform_def.jobs.parameters import Variable
from platform_def.serving.llm import vllm
from platform_def.serving.llm.config import IMAGE, LlmConfig
from platform_def.serving.llm.scaling import scale
from platform_def.serving.pods import ServingContainer, annotations_of, leave_late, pod_of, queue_of
from platform_def.serving.template import ServedModel

MONITOR = "ServiceMonitor.monitoring.coreos.com"
CACHE = "/models"
LEADER = "leaderworkerset.sigs.k8s.io/worker-index"
"""Label of a LeaderWorkerSet's pods: 0 is the leader, which alone answers requests."""


def selector(model: ServedModel[LlmConfig]) -> dict[str, str]:
    """Labels of its pods, which never change."""
    return {"app.kubernetes.io/name": model.config.name, "app.kubernetes.io/component": model.config.template}


def plain(model: ServedModel[LlmConfig]) -> None:
    """What runs it, and what leads to it."""
    config = model.config
    replicas = {} if config.scaling else {"replicas": config.replicas}
    if config.nodes == 1:
        spec: Any = {
            **replicas,
            "selector": {"matchLabels": selector(model)},
            "template": _template(model, leads=True),
            # A rollout needs no cards beyond those of the quota.
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
        }
        Resource(model, DEPLOYMENT, config.name, spec=spec, annotations=vllm.notes(config, model.platform))
        scale(model, kind="Deployment", api_version="apps/v1", target=config.name)
    else:
        _several(model, replicas)
    _service(model)
    if config.public:
        Route(
            model,
            config.name,
            path=f"/{model.namespace}/{config.name}/",
            service=config.name,
            rewrite="/",
            timeout_seconds=0,
            auth="public" if config.access == "everyone" else "usual",
        )


def _several(model: ServedModel[LlmConfig], replicas: dict[str, int]) -> None:
    from platform_def.apis.lws.leader_worker_set_v1 import LEADER_WORKER_SET  # large

    spec: Any = {
        **replicas,
        # By default one Service of the set's name makes its pods known, and that name is taken by those who answer.
        "networkConfig": {"subdomainPolicy": "UniquePerReplica"},
        "leaderWorkerTemplate": {
            "size": model.config.nodes,
            "restartPolicy": "RecreateGroupOnPodRestart",
            "leaderTemplate": _template(model, leads=True),
            "workerTemplate": _template(model, leads=False),
        },
    }
    name = model.config.name
    # A group waits in the queue that its set names.
    notes = {**vllm.notes(model.config, model.platform), **queue_of(model).annotations}
    Resource(model, LEADER_WORKER_SET, name, spec=spec, annotations=notes)
    scale(model, kind="LeaderWorkerSet", api_version="leaderworkerset.x-k8s.io/v1", target=name)


def _template(model: ServedModel[LlmConfig], *, leads: bool) -> PodTemplateSpec:
    labels = {**model.labels(), **selector(model), **queue_of(model).labels}
    made: PodTemplateSpec = {"metadata": {"labels": labels}, "spec": _pod(model, leads=leads)}
    if notes := annotations_of(model):
        made["metadata"]["annotations"] = notes
    return made


def _pod(model: ServedModel[LlmConfig], *, leads: bool) -> PodSpec:
    config = model.config
    pod = pod_of(
        model,
        ServingContainer(
            name="main",
            image=IMAGE,
            command=vllm.COMMAND,
            args=[*_arguments(model, leads=leads)],
            env=environment(config),
            mounts=[*_mounts(config)],
            volumes=[*_volumes(config)],
        ),
    )
    vllm.unlink(pod)
    if leads:
        (container,) = pod["containers"]
        _answers(container)
        leave_late(model, container)
    return pod


def _arguments(model: ServedModel[LlmConfig], *, leads: bool) -> Iterator[str]:
    config = model.config
    yield vllm.model_of(config)
    yield f"--served-model-name={config.name}"
    yield f"--port={vllm.PORT}"
    yield from vllm.parallel(config)
    if config.nodes > 1:
        yield from vllm.meeting(config, leads=leads)
    yield from vllm.tuning(config, model.platform)
    yield from vllm.adapters(config)


def environment(config: LlmConfig) -> dict[str, str | Variable]:
    """Where downloads go, and the token for them."""
    token = Variable(secret=config.token_secret, key="HF_TOKEN") if config.token_secret else None
    folder = config.mounted()["model-cache"][0] if config.model_cache else CACHE
    return {"HF_HOME": folder, "VLLM_NO_USAGE_STATS": "1", **({"HF_TOKEN": token} if token else {})}


def _mounts(config: LlmConfig) -> Iterator[VolumeMount]:
    if not config.model_cache:
        yield {"name": "downloads", "mountPath": CACHE}
    for name, _, path, place in vllm.claims(config):
        below = {"subPath": path} if path else {}
        yield cast(VolumeMount, {"name": name, "mountPath": place, "readOnly": True, **below})


def _volumes(config: LlmConfig) -> Iterator[Volume]:
    if not config.model_cache:
        yield {"name": "downloads", "emptyDir": {}}
    for name, claim, _, _ in vllm.claims(config):
        yield {"name": name, "persistentVolumeClaim": {"claimName": claim, "readOnly": True}}


def _answers(container: Container) -> None:
    """The port, and how it is asked; loading a large model takes up to an hour."""
    container["ports"] = [{"name": "http", "containerPort": vllm.PORT, "protocol": "TCP"}]
    container["startupProbe"] = http_probe("/health", "http", period=10, failures=360)
    container["readinessProbe"] = http_probe("/health", "http", period=5, timeout=5)
    container["livenessProbe"] = http_probe("/health", "http", period=10, timeout=5, failures=6)


def _service(model: ServedModel[LlmConfig]) -> None:
    """The Service in front of those who answer, read by Prometheus under the name that KServe's services have."""
    config = model.config
    chosen = {**selector(model), **({LEADER: "0"} if config.nodes > 1 else {})}
    port: Any = {"name": "http", "port": 80, "targetPort": "http", "protocol": "TCP"}
    Resource(model, SERVICE, config.name, spec={"selector": chosen, "ports": [port], "type": "ClusterIP"})
    given = model.platform.maybe(Metrics)
    if not (given.value.monitors if given else model.platform.serves(MONITOR)):
        return
    from platform_def.apis.prometheus_operator.v1 import SERVICE_MONITOR  # large

    relabelings = [{"targetLabel": "inference_service", "replacement": config.name}]
    spec: Any = {
        "selector": {"matchLabels": selector(model)},
        "endpoints": [{"port": "http", "path": "/metrics", "interval": "30s", "relabelings": relabelings}],
    }
    labels = given.value.labels if given else {}
    Resource(model, SERVICE_MONITOR, config.name, spec=spec, labels=labels)
