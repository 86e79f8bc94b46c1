"""A kube-scheduler beside the cluster's own, for pods that name it: GitOps cannot reach the control plane's files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from platform_def.apis.core.core_v1 import Container, ResourceRequirements, SecurityContext, Volume
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.constructs.component import Piece, Scope
from platform_def.constructs.config_map import config_map, restart_on_change, yaml_file
from platform_def.constructs.rbac import Account, allow
from platform_def.constructs.security import RESTRICTED

SCHEDULER = "kube-scheduler"
SECURE_PORT = 10259
BUILT_IN_ROLES = ("system:kube-scheduler", "system:volume-scheduler")
FOLDER, FILE = "/etc/kubernetes/scheduler", "config.yaml"
# Kubernetes' image is one static program, which kubeadm can run as a user of its own (RootlessControlPlane).
# Where no certificate is given it makes one in memory.
SECURITY: SecurityContext = {**RESTRICTED, "runAsUser": 65532}
# Requests are kubeadm's.
RESOURCES: ResourceRequirements = {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}}


class SecondScheduler(Piece):
    """Account, rights and configuration of a kube-scheduler; its pod is the component's to make."""

    def __init__(
        self,
        scope: Scope,
        name: str,
        *,
        profile: Mapping[str, object] | None = None,
        extenders: Sequence[Mapping[str, object]] = (),
        rules: Sequence[PolicyRule] = (),
        config: str = "",
        image: str = "",
        flags: Sequence[str] = (),
    ):
        """`name` is the scheduler's, as pods say it. `profile` changes its only one; `config` is the ConfigMap's name,
        by default the scheduler's; `image` is by default Kubernetes' own, first patch of the cluster's minor version;
        `flags` say what its configuration has no field for.
        """
        super().__init__(scope, name)
        self.name, self.config, self.flags = name, config or name, flags
        self.image = image or f"registry.k8s.io/{SCHEDULER}:v{self.owner.platform.kubernetes}.0"
        account = Account(self, name)
        if rules:
            account.allow(rules)
        account.allow_in(self.owner.namespace, _lease(name))
        for role in BUILT_IN_ROLES:
            account.bind(role, binding=f"{name}-{role.partition(':')[2]}")
        account.read_authentication(binding=f"{name}-authentication-reader")
        text = yaml_file(configuration(name, self.owner.namespace, profile=profile or {}, extenders=extenders))
        config_map(self, self.config, {FILE: text})
        self.pod_annotations = restart_on_change(text)

    def volume(self) -> Volume:
        """The volume with its configuration."""
        return {"name": "config", "configMap": {"name": self.config}}

    def container(self) -> Container:
        """The scheduler."""
        return {
            "name": SCHEDULER,
            "image": self.image,
            "command": ["kube-scheduler", f"--config={FOLDER}/{FILE}", *self.flags],
            "ports": [{"name": "https", "containerPort": SECURE_PORT, "protocol": "TCP"}],
            "livenessProbe": {
                "httpGet": {"path": "/healthz", "port": SECURE_PORT, "scheme": "HTTPS"},
                "initialDelaySeconds": 15,
            },
            "readinessProbe": {"httpGet": {"path": "/healthz", "port": SECURE_PORT, "scheme": "HTTPS"}},
            "volumeMounts": [{"name": "config", "mountPath": FOLDER, "readOnly": True}],
            "securityContext": SECURITY,
            "resources": RESOURCES,
        }


def _lease(name: str) -> tuple[PolicyRule, ...]:
    return (
        allow("coordination.k8s.io", "leases", verbs="create"),
        allow("coordination.k8s.io", "leases", verbs="get update", names=name),
    )


def configuration(
    name: str, namespace: str, *, profile: Mapping[str, object], extenders: Sequence[Mapping[str, object]] = ()
) -> dict[str, object]:
    """kube-scheduler's configuration with one profile."""
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        # Always on: two schedulers at work during an update would give one device twice.
        "leaderElection": {
            "leaderElect": True,
            "resourceLock": "leases",
            "resourceName": name,
            "resourceNamespace": namespace,
        },
        "profiles": [{"schedulerName": name, **profile}],
        **({"extenders": [*extenders]} if extenders else {}),
    }
