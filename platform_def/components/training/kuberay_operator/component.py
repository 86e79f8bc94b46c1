"""KubeRay: runs RayCluster, RayJob and RayService objects as pods, and RayCronJob where its gate is on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, model_validator

from platform_def.apis.core.core_v1 import Container
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.capabilities import GangScheduler, RayOperator
from platform_def.components.training.gangs import gang_scheduler, of_others, pod_groups, renamed
from platform_def.config.model import Name
from platform_def.config.words.registered import gang_schedulers
from platform_def.constructs import (
    APACHE,
    READ,
    WRITE,
    AdmissionServer,
    Component,
    ComponentConfig,
    Crds,
    Hook,
    ImageFacts,
    LeaderElection,
    Offers,
    Operator,
    PeopleRoles,
    PodSettings,
    Problem,
    Release,
    Setting,
    allow,
    env,
    grants,
    http_probe,
    port,
    releases,
    rule,
)

Gate = Literal[
    "RayClusterStatusConditions",
    "RayJobDeletionPolicy",
    "RayMultiHostIndexing",
    "RayServiceIncrementalUpgrade",
    "RayCronJob",
    "AsyncJobInfoQuery",
    "SidecarSubmitterRestart",
    "RayClusterNetworkPolicy",
    "GCSFaultToleranceEmbeddedStorage",
    "RayClusterMTLS",
    "RayClusterHistoryServer",
]
"""From pkg/features of the operator, of all releases."""

MADE = "create delete get list update watch"
RULES = (
    allow("", "pods", verbs=f"{WRITE} deletecollection"),
    allow("", "pods/status services", verbs=WRITE),
    allow("", "pods/proxy services/status", verbs="get patch update"),
    allow("", "pods/resize", verbs="patch"),  # autoscaler v2 grows pods in place
    allow("", "services/proxy", verbs="create get patch update"),
    allow("", "serviceaccounts", verbs="create delete get list watch"),  # the autoscaler's, one a cluster
    allow("rbac.authorization.k8s.io", "roles", verbs=MADE),
    allow("rbac.authorization.k8s.io", "rolebindings", verbs="create delete get list watch"),
    allow("batch", "jobs", verbs=WRITE),
    allow("discovery.k8s.io", "endpointslices", verbs=READ),
    allow("networking.k8s.io", "ingresses", verbs=WRITE),
    allow("networking.k8s.io", "ingressclasses", verbs=READ),
)
OF_GATES: dict[Gate, tuple[PolicyRule, ...]] = {
    "RayClusterNetworkPolicy": (allow("networking.k8s.io", "networkpolicies", verbs=MADE),),
    "GCSFaultToleranceEmbeddedStorage": (allow("", "persistentvolumeclaims", verbs=WRITE),),
    "RayClusterMTLS": (
        allow("cert-manager.io", "certificates", verbs="create get list update watch"),
        allow("cert-manager.io", "certificates/status", verbs="get"),
        allow("cert-manager.io", "issuers", verbs="create get list watch"),
    ),
}
"""Rights that a feature needs; without it they are not granted."""
UPGRADES: Gate = "RayServiceIncrementalUpgrade"
BETA: Mapping[Gate, bool] = {
    "RayClusterStatusConditions": True,
    "RayJobDeletionPolicy": True,
    "RayMultiHostIndexing": True,
}
"""Gates that are on by default."""
OPENSHIFT = allow("route.openshift.io", "routes", verbs=WRITE)
OF_SCHEDULERS = {
    "volcano": (allow("scheduling.volcano.sh", "podgroups", verbs="create delete get list update watch"),),
    "scheduler-plugins": (allow("scheduling.x-k8s.io", "podgroups", verbs="create get list watch"),),
}
WORDS = {"volcano": "volcano", "scheduler-plugins": "scheduler-plugins", "kai": "kai-scheduler"}
"""Its own words for gang schedulers that a stack may have; the names that pods ask for are compiled into it."""
NAME = "kuberay-operator"
FACTS = ImageFacts(read_only=True, runs_as=65532, source="USER of the image's Dockerfile; upstream's manager")


@dataclass(frozen=True, kw_only=True)
class RayRelease(Release):
    """A release and what it knows."""

    gates: Mapping[Gate, bool]
    """Gates that it has, and whether they are on by default."""
    rules: tuple[PolicyRule, ...]
    """Rights that other releases do not need."""
    upgrades: PolicyRule
    """What the gate for gradual upgrades needs."""
    webhooks: tuple[str, ...]
    """Kinds that its webhook judges."""


# Upstream tests with 1.29; the operator calls APIs alone that all later ones have.
RELEASES = releases(
    RayRelease(
        "1.7.0",
        kubernetes="1.29-1.37",
        image="quay.io/kuberay/operator:v1.7.0",
        gates={
            **BETA,
            UPGRADES: True,
            "RayCronJob": False,
            "SidecarSubmitterRestart": False,
            "RayClusterNetworkPolicy": False,
            "GCSFaultToleranceEmbeddedStorage": False,
            "RayClusterMTLS": False,
            "RayClusterHistoryServer": False,
        },
        rules=(
            allow("", "secrets", verbs=MADE),  # the token of a cluster with authOptions
            allow("events.k8s.io", "events", verbs="create patch"),
        ),
        upgrades=allow("gateway.networking.k8s.io", "gateways httproutes", verbs=MADE),
        webhooks=("raycluster", "rayjob", "rayservice"),
    ),
    RayRelease(
        "1.6.2",
        kubernetes="1.29-1.37",
        image="quay.io/kuberay/operator:v1.6.2",
        gates={**BETA, UPGRADES: False, "RayCronJob": False, "AsyncJobInfoQuery": False},
        rules=(
            allow("", "secrets", verbs="create get list watch"),
            allow("", "events", verbs="create patch"),
        ),
        upgrades=allow("gateway.networking.k8s.io", "gateways httproutes", verbs="create get list update watch"),
        webhooks=("raycluster",),
    ),
    license=APACHE,
)


class KuberayOperatorConfig(ComponentConfig):
    """What a stack may choose about KubeRay."""

    releases = RELEASES

    namespace: Name = "ray-system"
    """Namespace of the operator."""
    gang_scheduler: Literal["none", "volcano", "scheduler-plugins", "yunikorn", "kai-scheduler"] | None = None
    """Who starts all pods of a Ray cluster together; by default the stack's Volcano, if it has one. One named here must
    be in the cluster: a component of the stack, or there already. RayJobs run with Volcano and YuniKorn alone: for the
    others the operator refuses jobs of the usual submission mode."""
    webhook: bool = False
    """Refuse RayClusters, RayJobs and RayServices that the operator could not run, when they are stored rather than in
    their status; release 1.6.2 judges RayClusters alone. Its certificate is cert-manager's."""
    feature_gates: dict[Gate, bool] = Field(default_factory=dict)
    """Features of the release to turn on or off; rights follow them."""
    threads: Annotated[int, Field(ge=1, le=64)] = 1
    """Objects of one kind that are reconciled at once."""
    watch_namespaces: list[Name] = Field(default_factory=list)
    """Serve the objects of these namespaces alone; by default of all."""

    @model_validator(mode="after")
    def _gates_of_the_release(self) -> KuberayOperatorConfig:
        known = next(each.gates for each in RELEASES if each.version == self.version)
        if wrong := sorted(self.feature_gates.keys() - known):
            raise ValueError(f"release {self.version} has no gate {', '.join(wrong)}; it has {', '.join(known)}")
        return self


class KuberayOperator(Component[KuberayOperatorConfig, RayRelease]):
    """CRDs, controller and, as a choice, the admission webhook of KubeRay; roles for people who run Ray."""

    gives = (RayOperator,)

    @classmethod
    def offers(cls, at: Setting[KuberayOperatorConfig]) -> Offers:
        """Ray, and who starts the pods of a cluster together."""
        return Offers(capabilities=(RayOperator(gang=batch_scheduler(at)),))

    @classmethod
    def problems(cls, at: Setting[KuberayOperatorConfig]) -> Iterator[Problem]:
        """A scheduler under another name than the operator knows; pods of pools that have one, which it replaces."""
        yield from renamed(at, gang_of(at), gang_schedulers())
        yield from of_others(at, gang_of(at), takes=WORDS)

    def build(self) -> None:
        """Everything that runs Ray."""
        Crds(self)
        self.awaits(*pod_groups(self.setting, gang_of(self.setting)))
        config = self.config
        Operator(
            self,
            NAME,
            container=self.container(),
            rules=[
                *RULES,
                *self.release.rules,
                *grants(self.served, WRITE),
                *grants(self.served, "update", "finalizers"),
                *grants(self.served, "get patch update", "status"),
                *([self.release.upgrades] if self.on(UPGRADES) else []),
                *(each for gate, needed in OF_GATES.items() if self.on(gate) for each in needed),
                *OF_SCHEDULERS.get(batch_scheduler(self.setting), ()),
                *([OPENSHIFT] if self.platform.distribution == "openshift" else []),
            ],
            leader_election=LeaderElection(lease="ray-operator-leader", flag="", always=True),
            metrics=port("monitoring-port", 8080),
            webhook=webhook(self.release.webhooks) if config.webhook else None,
            facts=FACTS,
            pod=PodSettings({"terminationGracePeriodSeconds": 10, "containers": []}),
        )
        PeopleRoles(self, name="ray")

    def on(self, gate: Gate) -> bool:
        """Whether a feature is on."""
        return self.config.feature_gates.get(gate, self.release.gates.get(gate, False))

    def container(self) -> Container:
        """The controller."""
        domain = self.platform.dns_domain
        variables = {
            **({"CLUSTER_DOMAIN": domain} if domain != "cluster.local" else {}),
            **({"ENABLE_WEBHOOKS": "true"} if self.config.webhook else {}),
        }
        container: Container = {
            "name": NAME,
            "image": self.release.image,
            "command": ["/manager"],
            "args": list(self.arguments()),
            "ports": [{"name": "http", "containerPort": 8080}],
            "livenessProbe": http_probe("/healthz", 8082, delay=10, period=5, failures=5),
            "readinessProbe": http_probe("/readyz", 8082, delay=10, period=5, failures=5),
            # Upstream's: 500 MB for about 500 pods of Ray; without its CPU limit, which slows reconciling.
            "resources": {"requests": {"cpu": "100m", "memory": "512Mi"}, "limits": {"memory": "512Mi"}},
        }
        if variables:
            container["env"] = env(variables)
        return container

    def arguments(self) -> Iterator[str]:
        """Flags."""
        config = self.config
        if scheduler := batch_scheduler(self.setting):
            yield f"--batch-scheduler={scheduler}"
        if config.feature_gates:
            gates = (f"{name}={str(on).lower()}" for name, on in sorted(config.feature_gates.items()))
            yield f"--feature-gates={','.join(gates)}"
        if config.threads > 1:
            yield f"--reconcile-concurrency={config.threads}"
        if config.watch_namespaces:
            yield f"--watch-namespace={','.join(config.watch_namespaces)}"


def gang_of(at: Setting[KuberayOperatorConfig]) -> GangScheduler | None:
    """Who starts the pods of a Ray cluster together, as far as a stack may have it."""
    chosen = at.config.gang_scheduler
    if chosen == "yunikorn":
        return None
    return gang_scheduler(at, "kai" if chosen == "kai-scheduler" else chosen, known=("volcano",))


def batch_scheduler(at: Setting[KuberayOperatorConfig]) -> str:
    """The operator's own word for it; empty without one."""
    if at.config.gang_scheduler == "yunikorn":
        return "yunikorn"
    gang = gang_of(at)
    return WORDS[gang.implementation] if gang else ""


def webhook(kinds: tuple[str, ...]) -> AdmissionServer:
    """Validation of what people write."""
    hooks = [
        Hook(
            name=f"v{kind}.kb.io",
            path=f"/validate-ray-io-v1-{kind}",
            rules=[rule("ray.io", "v1", f"{kind}s", "CREATE UPDATE")],
        )
        for kind in kinds
    ]
    return AdmissionServer(
        validating=hooks, configuration=f"{NAME}-webhook", secret=f"{NAME}-webhook-cert", trust="cert-manager"
    )
