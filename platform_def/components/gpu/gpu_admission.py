"""tkestack's gpu-admission: chooses a card for each pod with a part of a GPU, as the extender of a second scheduler.

Upstream hangs it into the cluster's own scheduler, by a file that Kubernetes 1.23 did away with, and that GitOps cannot
reach. Here pods that want it say `schedulerName: gpu-admission`; jobs on pools with virtual GPUs do.
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.apis.core.core_v1 import Container, PodSpec, SecurityContext
from platform_def.apis.core.rbac_v1 import ROLE_BINDING
from platform_def.config.component import ComponentConfig
from platform_def.config.model import Image, Name
from platform_def.config.platform import NamespaceNeed, Offers, Platform
from platform_def.config.pools import VIRTUAL_CORE, VIRTUAL_MEMORY, VIRTUAL_SCHEDULER
from platform_def.constructs.component import Component
from platform_def.constructs.config_map import config_map, restart_on_change, yaml_file
from platform_def.constructs.rbac import RBAC_GROUP, Account, allow
from platform_def.constructs.release import Release, releases
from platform_def.constructs.resource import Resource
from platform_def.constructs.workload import RESTRICTED, Deployment
from platform_def.errors import Problem

UPSTREAM_IMAGE = "gpu-admission-tke:36"
"""What upstream's manifest names: what its build leaves on the builder's machine. No registry has it."""

RELEASES = releases(Release(version="47d56ae", image=UPSTREAM_IMAGE))

# The cluster role of schedulers (bound below) has all that the extender reads; it also marks the pod with its card.
RULES = (allow("", "pods", verbs="patch"),)
LEADER_RULES = (
    allow("coordination.k8s.io", "leases", verbs="create"),
    allow("coordination.k8s.io", "leases", verbs="get update", names=VIRTUAL_SCHEDULER),
)
BUILT_IN_ROLES = ("system:kube-scheduler", "system:volume-scheduler")

NAME = "gpu-admission"
SCHEDULER = "kube-scheduler"
CONFIG = "gpu-admission-scheduler"
EXTENDER_PORT = 3456
PROFILING_PORT = 3457
SECURE_PORT = 10259

# The image is upstream's Dockerfile built by the user: CentOS 7 with one static program, that writes no file.
EXTENDER_SECURITY: SecurityContext = {**RESTRICTED, "runAsUser": 65532}
# Kubernetes' own image is one static program too, which kubeadm can run as a user of its own (RootlessControlPlane).
# Where no certificate is given it makes one in memory.
SCHEDULER_SECURITY: SecurityContext = {**RESTRICTED, "runAsUser": 65532}
# Upstream sets none; the scheduler's are kubeadm's.
EXTENDER_RESOURCES = {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}}
SCHEDULER_RESOURCES = {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}}


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

    requires = ("gpu-manager",)

    @classmethod
    def offers(cls, config: GpuAdmissionConfig) -> Offers:
        """The namespace: nothing in it needs a privilege."""
        return Offers(namespaces=(NamespaceNeed(config.namespace, "restricted"),))

    @classmethod
    def problems(cls, config: GpuAdmissionConfig, platform: Platform) -> Iterator[Problem]:  # noqa: ARG003
        """No image to run."""
        if config.image is None:
            yield Problem(
                "components.gpu-admission: image is missing: upstream's manifest names one that no registry has",
                hint="build it from upstream's sources (`make img`), push it, and name it in `image:`",
            )

    def build(self) -> None:
        """The second scheduler, and what it may do."""
        account = Account(self, NAME).allow(RULES).allow_in(self.namespace, LEADER_RULES)
        for role in BUILT_IN_ROLES:
            account.bind(role, binding=f"{NAME}-{role.partition(':')[2]}")
        self.read_authentication()
        text = yaml_file(scheduler_config(self.namespace))
        config_map(self, CONFIG, {"config.yaml": text})
        Deployment(self, NAME, pod=self.pod(), ha_replicas=2, pod_annotations=restart_on_change(text))

    def read_authentication(self) -> None:
        """By this ConfigMap of Kubernetes' own, in kube-system, the scheduler knows who may read its metrics."""
        Resource(
            self,
            ROLE_BINDING,
            f"{NAME}-authentication-reader",
            namespace="kube-system",
            fields={
                "roleRef": {
                    "apiGroup": RBAC_GROUP,
                    "kind": "Role",
                    "name": "extension-apiserver-authentication-reader",
                },
                "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": self.namespace}],
            },
        )

    def pod(self) -> PodSpec:
        """Scheduler and extender in one pod: whoever reaches the extender can mark pods, and it asks nobody who they
        are, so it listens to the pod alone. Upstream has it in the host's network, open to all that reach the node."""
        return {
            "serviceAccountName": NAME,
            "priorityClassName": "system-cluster-critical",
            "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
            "containers": [self.extender(), self.scheduler()],
            "volumes": [{"name": "config", "configMap": {"name": CONFIG}}],
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
            "resources": EXTENDER_RESOURCES,  # type: ignore[typeddict-item]
        }

    def scheduler(self) -> Container:
        """Kubernetes' scheduler, of the cluster's version, for pods that name it."""
        image = self.config.scheduler_image or f"registry.k8s.io/kube-scheduler:v{self.platform.kubernetes}.0"
        return {
            "name": SCHEDULER,
            "image": image,
            "command": ["kube-scheduler", "--config=/etc/kubernetes/scheduler/config.yaml"],
            "ports": [{"name": "https", "containerPort": SECURE_PORT, "protocol": "TCP"}],
            "livenessProbe": {
                "httpGet": {"path": "/healthz", "port": SECURE_PORT, "scheme": "HTTPS"},
                "initialDelaySeconds": 15,
            },
            "readinessProbe": {"httpGet": {"path": "/healthz", "port": SECURE_PORT, "scheme": "HTTPS"}},
            "volumeMounts": [{"name": "config", "mountPath": "/etc/kubernetes/scheduler", "readOnly": True}],
            "securityContext": SCHEDULER_SECURITY,
            "resources": SCHEDULER_RESOURCES,  # type: ignore[typeddict-item]
        }


def scheduler_config(namespace: str) -> dict[str, object]:
    """kube-scheduler's configuration: one profile, and the extender as the last word for pods with virtual GPUs.

    The extender takes whole nodes (`nodeCacheCapable: false`), and only filters; it answers with one node.
    """
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        # Always on: two schedulers at work during an update would give one card twice.
        "leaderElection": {
            "leaderElect": True,
            "resourceLock": "leases",
            "resourceName": VIRTUAL_SCHEDULER,
            "resourceNamespace": namespace,
        },
        "profiles": [{"schedulerName": VIRTUAL_SCHEDULER}],
        "extenders": [
            {
                "urlPrefix": f"http://127.0.0.1:{EXTENDER_PORT}/scheduler",
                "filterVerb": "predicates",
                "enableHTTPS": False,
                "nodeCacheCapable": False,
                "httpTimeout": "30s",
                # A pod that it has not seen would land on a card that is taken.
                "ignorable": False,
                "managedResources": [{"name": VIRTUAL_CORE}, {"name": VIRTUAL_MEMORY}],
            }
        ],
    }
