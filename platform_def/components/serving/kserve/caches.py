"""Models on the disks of nodes: the controller of caches, an agent on every node of the pools, and a group a pool.

Upstream finds its nodes by a label that a person sets; here they are those of the stack's pools.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from platform_def.apis.core.core_v1 import Container, PodSpec, SecurityContext
from platform_def.apis.core.storage_v1 import STORAGE_CLASS, StorageClass
from platform_def.components.serving.kserve import rules, webhooks
from platform_def.components.serving.kserve.config import CachesConfig
from platform_def.config.pools import NodePool
from platform_def.constructs import (
    RESTRICTED,
    Account,
    AccountNames,
    AdmissionServer,
    DaemonSet,
    Health,
    ImageFacts,
    LeaderElection,
    Operator,
    Problem,
    Resource,
    Setting,
    env,
    from_field,
    port,
    tolerations_of,
)
from platform_def.constructs.gpu_nodes import pool_affinity
from platform_def.errors import nearest
from platform_def.serving.restricted import USER

if TYPE_CHECKING:
    from platform_def.components.serving.kserve.config import AnyKserve

CONTROLLER, AGENT = "kserve-localmodel-controller-manager", "kserve-localmodelnode-agent"
LEASE = "kserve-local-model-manager-leader-lock"
CERTIFICATE_SECRET = "localmodel-webhook-server-cert"  # noqa: S105 - a name
CLASS = "kserve-local-models"
"""Of the volumes that KServe makes itself: no program provisions it."""
OWNER = "docker.io/library/busybox:1.37.0"
"""Gives the folder to the user of downloads: the kubelet makes it as root's."""
FACTS = ImageFacts(user=65532, read_only=True, source="localmodel.Dockerfile at v0.20.0: distroless, nonroot")
OWNING: SecurityContext = {
    "runAsUser": 0,
    "runAsNonRoot": False,
    "allowPrivilegeEscalation": False,
    "capabilities": {"add": ["CHOWN"], "drop": ["ALL"]},
    "readOnlyRootFilesystem": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def cache_problems(at: Setting[Any]) -> Iterator[Problem]:
    """Pools that the stack does not have, or whose nodes nothing selects."""
    config: CachesConfig | None = at.config.caches
    for index, name in enumerate(config.pools if config else ()):
        here = ("components", at.name, "caches", "pools", index)
        pool = at.platform.pool(name)
        knob = f"components.{at.name}.caches.pools"
        if pool is None:
            hint = nearest(name, [each.name for each in at.platform.node_pools]) or "name one of `nodePools:`"
            yield Problem(f"{knob}: the stack has no node pool '{name}'", hint=hint, at=here)
        elif not pool.selector:
            text = f"{knob}: the pool {name} has no selector by which volumes could name its nodes"
            yield Problem(text, hint="write `selector: {…}` for the pool", at=here)


def caches(component: AnyKserve, config: CachesConfig) -> None:
    """Everything that keeps models on nodes."""
    pools = [pool for name in config.pools if (pool := component.platform.pool(name))]
    Operator(
        component,
        CONTROLLER,
        container=_controller(component),
        rules=rules.CACHES,
        names=AccountNames(role="kserve-localmodel-manager-role"),
        leader_election=LeaderElection(lease=LEASE, role="kserve-localmodel-leader-election-role"),
        ha_replicas=2,
        health=Health(8081),
        metrics=port("metrics", 8080),
        webhook=AdmissionServer(
            validating=[webhooks.of_caches()],
            secret=CERTIFICATE_SECRET,
            trust="cert-manager",
            certificate="localmodel-serving-cert",
            configuration=f"localmodelcache.{webhooks.GROUP}",
            service="localmodel-webhook-server-service",
        ),
        facts=FACTS,
    )
    Account(component, AGENT).allow(rules.CACHE_AGENT, role="kserve-localmodelnode-agent-role")
    DaemonSet(component, AGENT, pod=_agent(component, config, pools))
    from platform_def.apis.kserve.v1beta1 import LOCAL_MODEL_NODE_GROUP  # large

    late: StorageClass = {
        "provisioner": "kubernetes.io/no-provisioner",
        "reclaimPolicy": "Delete",
        "volumeBindingMode": "WaitForFirstConsumer",
    }
    Resource(component, STORAGE_CLASS, CLASS, fields=late)
    for pool in pools:
        Resource(component, LOCAL_MODEL_NODE_GROUP, pool.name, spec=_group(config, pool), part="after")


def _controller(component: AnyKserve) -> Container:
    return {
        "name": "manager",
        "image": component.release.cache_controller,
        "command": ["/manager"],
        "env": env({"POD_NAMESPACE": from_field("metadata.namespace")}),
        "resources": {"requests": {"cpu": "100m", "memory": "200Mi"}, "limits": {"memory": "300Mi"}},
    }


def _agent(component: AnyKserve, config: CachesConfig, pools: list[NodePool]) -> PodSpec:
    mount = {"name": "models", "mountPath": "/mnt/models"}
    container: Any = {
        "name": "manager",
        "image": component.release.cache_agent,
        "command": ["/manager"],
        "env": env({"POD_NAMESPACE": from_field("metadata.namespace"), "NODE_NAME": from_field("spec.nodeName")}),
        "resources": {"requests": {"cpu": "100m", "memory": "200Mi"}, "limits": {"memory": "300Mi"}},
        # One static program on distroless: any user will do (localmodel-agent.Dockerfile at v0.20.0).
        # The agent removes what downloads wrote.
        "securityContext": {**RESTRICTED, "runAsGroup": USER, "runAsUser": USER},
        "volumeMounts": [mount],
    }
    owner: Any = {
        "name": "folder",
        "image": OWNER,
        "command": ["chown", f"{USER}:{USER}", "/mnt/models"],
        "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}, "limits": {"memory": "32Mi"}},
        "securityContext": OWNING,
        "volumeMounts": [mount],
    }
    tolerated = [each for pool in pools for each in tolerations_of(pool)]
    return {
        "serviceAccountName": AGENT,
        "affinity": {"nodeAffinity": pool_affinity(pools, otherwise=())},
        "tolerations": [each for index, each in enumerate(tolerated) if each not in tolerated[:index]],
        "initContainers": [owner],
        "containers": [container],
        "volumes": [{"name": "models", "hostPath": {"path": config.folder, "type": "DirectoryOrCreate"}}],
    }


def _group(config: CachesConfig, pool: NodePool) -> Any:
    """Nodes of a pool: KServe makes a volume and a claim of these for each model, and finds nodes by the volume's."""
    terms = [{"key": key, "operator": "In", "values": [value]} for key, value in sorted(pool.selector.items())]
    common = {"accessModes": ["ReadWriteOnce"], "storageClassName": CLASS, "volumeMode": "Filesystem"}
    return {
        "storageLimit": config.size,
        "persistentVolumeSpec": {
            **common,
            "capacity": {"storage": config.size},
            "local": {"path": config.folder},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": terms}]}},
            "persistentVolumeReclaimPolicy": "Delete",
        },
        "persistentVolumeClaimSpec": {**common, "resources": {"requests": {"storage": config.size}}},
    }
