"""HAMi: divides the GPUs of pools with `sharing: {mode: vgpu, layer: hami}` by cores and memory, on current nodes.

Its scheduler chooses the card, its library inside the containers keeps each to its part. NVIDIA's part alone is set up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from platform_def.apis.core.core_v1 import PodSpec
from platform_def.apis.core.meta_v1 import LabelSelectorRequirement
from platform_def.apis.core.node_v1 import RUNTIME_CLASS as RUNTIME_CLASS_API
from platform_def.capabilities import CertificateIssuer, Devices, NodeWork, RuntimeClass
from platform_def.components.gpu.hami.pods import HAMI_SCHEDULER, SCHEDULER_PORTS, plugin_pod, scheduler_pod
from platform_def.components.gpu.hami.words import CORES, COUNT, LAYER, MEMORY, MEMORY_PERCENT
from platform_def.components.gpu.pools.configurations import collisions, dividing, undivided
from platform_def.config.model import Image, Name
from platform_def.config.pools import NodePool, layer
from platform_def.constructs import (
    APACHE,
    READ,
    Account,
    Component,
    ComponentConfig,
    DaemonSet,
    Deployment,
    Hook,
    Offers,
    Platform,
    PodSecurityNeed,
    Problem,
    Release,
    Resource,
    Service,
    ServingCertificate,
    Setting,
    Support,
    Upkeep,
    Webhooks,
    allow,
    config_map,
    need,
    node_paths,
    port,
    releases,
    restart_on_change,
    rule,
    yaml_file,
)
from platform_def.constructs.gpu_nodes import (
    RUNTIME_CLASS,
    gpu_affinity,
    gpu_tolerations,
    renders_runtime_class,
    with_runtime,
)

RELEASES = releases(
    # Upstream says 1.23 and newer; it calls stable APIs alone.
    Release(
        "2.10.0",
        image="docker.io/projecthami/hami:v2.10.0",
        kubernetes="1.25-1.37",
        upkeep=Upkeep(Support.CURRENT),  # SECURITY.md lists 2.10 among the lines with security fixes
    ),
    license=APACHE,
)

SCHEDULER_RULES = (
    allow("", "pods configmaps", verbs="get list patch watch"),
    allow("", "pods/binding", verbs="create"),
    allow("", "nodes", verbs="get list patch watch"),
    allow("", "events", verbs="create get list"),
    allow("", "resourcequotas", verbs=READ),
)
LEASE_RULES = (allow("coordination.k8s.io", "leases", verbs="create get list patch update watch"),)
PLUGIN_RULES = (
    # Upstream's has `create` as well, which nothing in its sources calls.
    allow("", "pods", verbs="get list patch update watch"),
    allow("", "nodes", verbs="get list patch update"),
    allow("", "events", verbs="create list update"),
)
BUILT_IN_ROLES = {"kube": "system:kube-scheduler", "volume": "system:volume-scheduler"}

PLUGIN = "hami-device-plugin"
DEVICES = f"{HAMI_SCHEDULER}-device"
MONITOR = f"{PLUGIN}-monitor"
WEBHOOK = "hami-webhook"
IGNORE = "hami.io/webhook"
PRIVILEGED = "the device plugin is privileged, sees the host's processes, and mounts folders of the node"

PLUGIN_NODE_PORT, MONITOR_PORT = 31992, 9394


class HamiConfig(ComponentConfig):
    """What a stack may choose about HAMi; how many shares a card has is said in `nodePools`."""

    releases = RELEASES

    namespace: Name = "hami-system"
    """Namespace; it needs the privileged Pod Security level."""
    node_policy: Literal["binpack", "spread"] = "binpack"
    """Fill one node after the other, or spread over nodes."""
    card_policy: Literal["binpack", "spread", "topology-aware"] = "spread"
    """Fill one card after the other, spread over cards, or choose cards that are well connected."""
    scheduler_image: Image | None = None
    """Image of kube-scheduler; by default Kubernetes' own, first patch of the cluster's minor version."""


class Hami(Component[HamiConfig]):
    """The device plugin, a scheduler with its extender, and a webhook that sends pods to it."""

    pod_security = PodSecurityNeed("privileged", PRIVILEGED)
    gives = (Devices, NodeWork, RuntimeClass)
    needs = (need(CertificateIssuer),)

    @classmethod
    def offers(cls, at: Setting[HamiConfig]) -> Offers:
        """The RuntimeClass where no other component makes it, and what pods ask for."""
        shares = Devices(resources=[COUNT, CORES, MEMORY, MEMORY_PERCENT], layer=LAYER.word, scheduler=HAMI_SCHEDULER)
        asked = RuntimeClass(name=RUNTIME_CLASS, made="fallback")
        classes = (asked,) if at.platform.nvidia_runtime == "class" else ()
        return Offers(capabilities=(shares, dividing(at, LAYER.word), *classes))

    @classmethod
    def problems(cls, at: Setting[HamiConfig]) -> Iterator[Problem]:
        """Pools that it cannot divide."""
        yield from _of_pools(at.platform)

    def build(self) -> None:
        """Everything that makes parts of GPUs a resource that pods can ask for."""
        if renders_runtime_class(self):
            Resource(self, RUNTIME_CLASS_API, RUNTIME_CLASS, fields={"handler": RUNTIME_CLASS})
        devices = yaml_file(device_config(_pools(self.platform), self.runtime_class))
        config_map(self, DEVICES, {"device-config.yaml": devices})
        self.plugin(devices)
        self.scheduler(devices)
        self.webhook()

    @property
    def runtime_class(self) -> str:
        """RuntimeClass that pods with GPUs get; none where nvidia is the default runtime."""
        return RUNTIME_CLASS if self.platform.nvidia_runtime == "class" else ""

    def plugin(self, devices: str) -> None:
        """The device plugin and its monitor, on the pools' nodes."""
        pools = _pools(self.platform)
        Account(self, PLUGIN).allow(PLUGIN_RULES, role=MONITOR)
        # Settings for single nodes, by name; the pools say what is the same for all.
        config_map(self, PLUGIN, {"config.json": '{"nodeconfig": []}\n'})
        pod: PodSpec = {
            **plugin_pod(
                self.release.image,
                node_paths(self.platform.distribution).device_plugins,
                topology=self.config.card_policy == "topology-aware",
            ),
            "affinity": {"nodeAffinity": gpu_affinity(pools)},
            "tolerations": gpu_tolerations(pools),
        }
        pod = with_runtime(pod, self.platform)
        DaemonSet(self, PLUGIN, pod=pod, pod_labels=IGNORED, pod_annotations=restart_on_change(devices))
        Service(self, MONITOR, workload=PLUGIN, ports=[port("monitorport", PLUGIN_NODE_PORT, MONITOR_PORT)]).monitor(
            "monitorport"
        )

    def scheduler(self, devices: str) -> None:
        """kube-scheduler and HAMi's extender in one pod; the Service reaches the pod that marks itself as leader."""
        account = Account(self, HAMI_SCHEDULER).allow(SCHEDULER_RULES).allow_in(self.namespace, LEASE_RULES)
        for suffix, role in BUILT_IN_ROLES.items():
            account.bind(role, binding=f"{HAMI_SCHEDULER}-{suffix}")
        text = yaml_file(scheduler_config(self.namespace))
        config_map(self, HAMI_SCHEDULER, {"config.yaml": text})
        pod = scheduler_pod(
            self.config.scheduler_image or f"registry.k8s.io/kube-scheduler:v{self.platform.kubernetes}.0",
            self.release.image,
            self.namespace,
            policies={"node": self.config.node_policy, "gpu": self.config.card_policy},
        )
        restart = restart_on_change(text, devices)
        labels = {**IGNORED, FOUND: HAMI_SCHEDULER}
        Deployment(self, HAMI_SCHEDULER, pod=pod, ha_replicas=2, pod_labels=labels, pod_annotations=restart)
        leader = {**self.selector(HAMI_SCHEDULER), "hami.io/scheduler-role": "leader"}
        Service(self, HAMI_SCHEDULER, ports=SCHEDULER_PORTS, extra_spec={"selector": leader}).monitor("monitor")

    def webhook(self) -> None:
        """Sends pods that ask for parts of GPUs to HAMi's scheduler; while it is down they are left as they are."""
        certificate = ServingCertificate(
            self,
            f"{HAMI_SCHEDULER}-serving-cert",
            services=[HAMI_SCHEDULER],
            secret=f"{HAMI_SCHEDULER}-tls",
            issuer=f"{HAMI_SCHEDULER}-selfsigned-issuer",
        )
        unless_ignored: LabelSelectorRequirement = {"key": IGNORE, "operator": "NotIn", "values": ["ignore"]}
        hook = Hook(
            name="vgpu.hami.io",
            path="/webhook",
            rules=[rule("", "v1", "pods", "CREATE")],
            failure_policy="Ignore",
            namespace_selector={"matchExpressions": [unless_ignored]},
            object_selector={"matchExpressions": [unless_ignored]},
        )
        Webhooks(self, WEBHOOK, kind="mutating", service=HAMI_SCHEDULER, hooks=[hook], ca_from=certificate.ca_from)


IGNORED = {IGNORE: "ignore"}
"""HAMi's own pods must not wait for its webhook."""
FOUND = "app.kubernetes.io/component"
"""Label by which the scheduler finds its pods, to mark the leader: without it the Service reaches none.

Source: HAMi 2.10.0, pkg/scheduler/scheduler.go, `updateSchedulerLabel`."""


def device_config(pools: list[NodePool], runtime_class: str) -> dict[str, object]:
    """How cards are divided, for the plugin and the scheduler; format of HAMi 2.10, NVIDIA's section."""
    shares = next((pool.gpu.sharing.replicas for pool in pools if pool.gpu and pool.gpu.sharing), 2)
    return {
        "nvidia": {
            "resourceCountName": COUNT,
            "resourceMemoryName": MEMORY,
            "resourceMemoryPercentageName": MEMORY_PERCENT,
            "resourceCoreName": CORES,
            "resourcePriorityName": "nvidia.com/priority",
            "overwriteEnv": False,
            "defaultMemory": 0,
            "defaultCores": 0,
            "defaultGPUNum": 1,
            "memoryFactor": 1,
            "deviceSplitCount": shares,
            # Above 1 HAMi would promise memory that the card does not have.
            "deviceMemoryScaling": 1,
            "deviceCoreScaling": 1,
            "gpuCorePolicy": "default",
            "libCudaLogLevel": 1,
            "runtimeClassName": runtime_class,
        }
    }


def scheduler_config(namespace: str) -> dict[str, object]:
    """kube-scheduler's configuration: one profile, and HAMi's extender, which filters and binds pods that ask for it.

    No node offers memory and cores, so the scheduler itself must not look for them.
    """
    ours = (COUNT, MEMORY, CORES, MEMORY_PERCENT, "nvidia.com/priority")
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": True, "resourceName": HAMI_SCHEDULER, "resourceNamespace": namespace},
        "profiles": [{"schedulerName": HAMI_SCHEDULER}],
        "extenders": [
            {
                "urlPrefix": "https://127.0.0.1:443",
                "enableHTTPS": True,
                # Inside the pod; the certificate is for the Service's name.
                "tlsConfig": {"insecure": True},
                "filterVerb": "filter",
                "bindVerb": "bind",
                "nodeCacheCapable": True,
                "weight": 1,
                "httpTimeout": "30s",
                "managedResources": [{"name": name, "ignoredByScheduler": True} for name in ours],
            }
        ],
    }


def _pools(platform: Platform) -> list[NodePool]:
    return [pool for pool in platform.node_pools if layer(pool) == LAYER.word]


def _of_pools(platform: Platform) -> Iterator[Problem]:
    pools = _pools(platform)
    if not pools:
        yield Problem(
            "components.hami: no node pool has virtual GPUs with `layer: hami`",
            hint="write `sharing: {mode: vgpu, layer: hami, replicas: 4}` under a pool's `gpu:`",
        )
    shares = sorted({pool.gpu.sharing.replicas for pool in pools if pool.gpu and pool.gpu.sharing})
    if len(shares) > 1:
        yield Problem(
            f"nodePools: pools {', '.join(pool.name for pool in pools)} divide cards into {shares[0]} and {shares[-1]} "
            "shares, and HAMi has one number for all",
            hint="write the same `replicas` for them; pods may ask for larger parts",
            at=("nodePools", pools[-1].name),
        )
    yield from collisions(platform.node_pools)
    yield from undivided(platform)
