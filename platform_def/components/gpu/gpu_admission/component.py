"""tkestack's gpu-admission: chooses a card for each pod with a part of a GPU, as the extender of a second scheduler.

Upstream hangs it into the cluster's own scheduler, by a file that Kubernetes 1.23 did away with, and that GitOps cannot
reach. Here pods that want it say `schedulerName: gpu-admission`; jobs on pools with virtual GPUs do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from platform_def.apis.core.core_v1 import Container, PodSpec, ResourceRequirements, SecurityContext
from platform_def.capabilities import Devices
from platform_def.config.model import Image, Name
from platform_def.config.words.registered import layers
from platform_def.constructs import (
    APACHE,
    RESTRICTED,
    RESTRICTED_LEVEL,
    Component,
    ComponentConfig,
    Deployment,
    Offers,
    Problem,
    Release,
    SecondScheduler,
    Setting,
    Support,
    Upkeep,
    allow,
    need,
    releases,
)

NAME = "gpu-admission"
UPSTREAM_IMAGE = "gpu-admission-tke:36"
"""What upstream's manifest names: what its build leaves on the builder's machine. No registry has it."""

# kube-scheduler's configuration v1 came with 1.25, and what extenders are asked has not changed since.
RELEASES = releases(
    Release(
        "47d56ae",
        image=UPSTREAM_IMAGE,
        kubernetes="1.25-1.37",
        upkeep=Upkeep(Support.ENDED),
        kept="gpu-manager needs it",
    ),
    license=APACHE,
)

# The cluster role of schedulers (bound below) has all that the extender reads; it also marks the pod with its card.
RULES = (allow("", "pods", verbs="patch"),)
CONFIG = "gpu-admission-scheduler"
EXTENDER_PORT = 3456
PROFILING_PORT = 3457
DIVIDED = layers()["gpu-manager"]
EXTENDER: Mapping[str, object] = {
    "urlPrefix": f"http://127.0.0.1:{EXTENDER_PORT}/scheduler",
    "filterVerb": "predicates",
    "enableHTTPS": False,
    "nodeCacheCapable": False,
    "httpTimeout": "30s",
    # A pod that it has not seen would land on a card that is taken.
    "ignorable": False,
    "managedResources": [{"name": DIVIDED.cores}, {"name": DIVIDED.memory}],
}
"""The last word for pods with virtual GPUs: it takes whole nodes (`nodeCacheCapable: false`), only filters, and answers
with one node."""

# The image is upstream's Dockerfile built by the user: CentOS 7 with one static program, that writes no file.
EXTENDER_SECURITY: SecurityContext = {**RESTRICTED, "runAsUser": 65532}
# Upstream sets none.
EXTENDER_RESOURCES: ResourceRequirements = {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}}


class GpuAdmissionConfig(ComponentConfig):
    """What a stack may choose about gpu-admission and the scheduler that asks it."""

    releases = RELEASES

    namespace: Name = NAME
    """Namespace; upstream uses kube-system, which others share."""
    image: Image | None = None
    """Image of the extender: required, since upstream publishes none (`make img` in its sources builds it)."""
    scheduler_image: Image | None = None
    """Image of kube-scheduler; by default Kubernetes' own, first patch of the cluster's minor version."""


class GpuAdmission(Component[GpuAdmissionConfig]):
    """A kube-scheduler with gpu-admission beside it, for pods that ask for this scheduler."""

    pod_security = RESTRICTED_LEVEL
    gives = (Devices,)
    needs = (need(Devices, layer=DIVIDED.word, scheduler=""),)

    @classmethod
    def offers(cls, at: Setting[GpuAdmissionConfig]) -> Offers:  # noqa: ARG003 - it is the same in every stack
        """The scheduler that knows cards one by one."""
        return Offers(capabilities=(Devices(layer=DIVIDED.word, scheduler=NAME),))

    @classmethod
    def problems(cls, at: Setting[GpuAdmissionConfig]) -> Iterator[Problem]:
        """No image to run."""
        if at.config.image is None:
            yield Problem(
                "components.gpu-admission: image is missing: upstream's manifest names one that no registry has",
                hint="build it from upstream's sources (`make img`), push it, and name it in `image:`",
            )

    def build(self) -> None:
        """The second scheduler, and what it may do."""
        image = self.config.scheduler_image or ""
        scheduler = SecondScheduler(self, NAME, extenders=[EXTENDER], rules=RULES, config=CONFIG, image=image)
        Deployment(self, NAME, pod=self.pod(scheduler), ha_replicas=2, pod_annotations=scheduler.pod_annotations)

    def pod(self, scheduler: SecondScheduler) -> PodSpec:
        """Scheduler and extender in one pod: any client of the extender can mark pods, and it has no authentication,
        so it listens to the pod only. Upstream has it in the host's network, open to all that reach the node."""
        return {
            "serviceAccountName": NAME,
            "priorityClassName": "system-cluster-critical",
            "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
            "containers": [self.extender(), scheduler.container()],
            "volumes": [scheduler.volume()],
        }

    def extender(self) -> Container:
        """Answers which node, and with it which card, a pod gets."""
        return {
            "name": NAME,
            "image": self.config.image or self.release.image,
            # The image's own command listens to everybody.
            "command": ["/usr/bin/gpu-admission"],
            "args": [
                f"--address=127.0.0.1:{EXTENDER_PORT}",
                f"--pprofAddress=127.0.0.1:{PROFILING_PORT}",
                "--logtostderr=true",
                "--v=$(LOG_LEVEL)",
            ],
            "env": [{"name": "LOG_LEVEL", "value": "4"}],
            # The kubelet cannot reach the pod's own address, so the port is tried from inside.
            "livenessProbe": {
                "exec": {"command": ["/bin/bash", "-c", f"exec 3<>/dev/tcp/127.0.0.1/{EXTENDER_PORT}"]},
                "initialDelaySeconds": 10,
            },
            "securityContext": EXTENDER_SECURITY,
            "resources": EXTENDER_RESOURCES,
        }
