"""Kubeflow Trainer v2: TrainJobs, and the runtimes that they name; each job becomes a JobSet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.apis.core.meta_v1 import LabelSelector
from platform_def.apis.core.rbac_v1 import CLUSTER_ROLE, CLUSTER_ROLE_BINDING, ROLE, ROLE_BINDING, RoleRef, Subject
from platform_def.apis.kubeflow.trainer_v1alpha1 import CLUSTER_TRAINING_RUNTIME
from platform_def.capabilities import GangScheduler, TrainingRuntimes
from platform_def.components.training.gangs import POD_GROUPS
from platform_def.components.training.trainer import rules
from platform_def.components.training.trainer.config import TrainerConfig
from platform_def.components.training.trainer.runtimes import FRAMEWORK, OWN_GPUS, Surroundings
from platform_def.components.training.trainer.stack import (
    chosen,
    fine_tuning_pool,
    gang_of,
    makes_pod_groups,
    on_processors,
    pool_problems,
)
from platform_def.constructs import (
    READ,
    RESTRICTED,
    RESTRICTED_LEVEL,
    AdmissionServer,
    Component,
    ConfigFile,
    Crds,
    Health,
    Hook,
    LeaderElection,
    MetricsEndpoint,
    Need,
    Offers,
    Operator,
    PeopleRoles,
    Problem,
    Release,
    Resource,
    Setting,
    allow,
    config_map,
    need,
    port,
    rule,
)
from platform_def.constructs.gpu_nodes import gpu_runtime_class
from platform_def.constructs.rbac import RBAC_GROUP
from platform_def.jobs.placement import place
from platform_def.jobs.shares import share

MANAGER, CONFIG, PUBLIC = "kubeflow-trainer-controller-manager", "kubeflow-trainer-config", "kubeflow-trainer-public"
CERTIFICATE = "kubeflow-trainer-webhook-cert"
VALIDATOR, DEFAULTER = "validator.trainer.kubeflow.org", "defaulter.trainer.kubeflow.org"
"""Names that are compiled into it."""
LEASE = "trainer.kubeflow.org"
VIEW_RUNTIMES = "kubeflow-trainer-view-cluster-runtimes"
HEALTH, METRICS, WEBHOOK, STATUS = 8081, 8443, 9443, 10443
JOB_SET = "JobSet.jobset.x-k8s.io"
JUDGED: LabelSelector = {
    "matchExpressions": [{"key": f"{rules.GROUP}/webhook-validation", "operator": "NotIn", "values": ["disabled"]}]
}
EVERYBODY: Subject = {"apiGroup": RBAC_GROUP, "kind": "Group", "name": "system:authenticated"}


class Trainer(Component[TrainerConfig, Release]):
    """CRDs, controller with its webhooks, runtimes, and roles for people who train."""

    pod_security = RESTRICTED_LEVEL
    gives = (TrainingRuntimes,)

    @classmethod
    def needs_of(cls, at: Setting[TrainerConfig]) -> tuple[Need[Any], ...]:
        """cert-manager, where it makes the certificate; a gang scheduler, where pods start together."""
        wanted = at.config.gang_scheduler
        gang = (need(GangScheduler, implementation=wanted, order="any"),) if wanted not in (None, "none") else ()
        return (*at.config.certificate_needs, *gang)

    @classmethod
    def offers(cls, at: Setting[TrainerConfig]) -> Offers:
        """The runtimes, which TrainJobs name."""
        gang, twins = gang_of(at), on_processors(at)
        named = [
            each.offer(
                gpus=each.name not in at.config.without_gpus,
                on_processors=twins[each.name].name if each.name in twins else "",
            )
            for each in chosen(at)
        ]
        given = TrainingRuntimes(
            runtimes=[*named, *(each.offer(gpus=False) for each in twins.values())],
            gang=gang.implementation if gang else "none",
            scheduler=gang.scheduler if gang else "",
        )
        return Offers(capabilities=(given,))

    @classmethod
    def problems(cls, at: Setting[TrainerConfig]) -> Iterator[Problem]:
        """No JobSets, which jobs become; no pool for runtimes that bring their own GPUs."""
        if not at.platform.serves(JOB_SET):
            yield Problem(
                f"components.{at.name}: jobs become JobSets, and the stack serves none",
                hint="add `jobset: {}`, or `jobset: {provided: true}` where the cluster has it",
            )
        yield from pool_problems(at)

    def build(self) -> None:
        """Everything that runs TrainJobs."""
        Crds(self)
        # It looks for either kind of gang, wanted or not.
        self.awaits(JOB_SET, *filter(self.platform.serves, POD_GROUPS.values()))
        self._manager()
        self._people()
        self._runtimes()

    def _manager(self) -> None:
        config = self.config
        Operator(
            self,
            MANAGER,
            container=container(self.release.image, status=config.progress),
            rules=[*rules.CONTROLLER, *(rules.TRUST if config.certificates == "own" else ())],
            leader_election=LeaderElection(flag="", lease=LEASE, always=True),
            health=Health(HEALTH),
            metrics=MetricsEndpoint(port=port("monitoring-port", METRICS), protected=False, https=True),
            ports=[port("status-server", STATUS)] if config.progress else (),
            config_file=ConfigFile(name=CONFIG, content=self.configuration(), volume=CONFIG),
            webhook=self._webhook(),
        )
        # The SDK reads the version there.
        config_map(self, PUBLIC, {"kubeflow_trainer_version": f"v{self.release.version}"})

    def configuration(self) -> dict[str, Any]:
        """`config.trainer.kubeflow.org/v1alpha1`; the program refuses a field that it does not know."""
        made: dict[str, Any] = {
            "apiVersion": "config.trainer.kubeflow.org/v1alpha1",
            "kind": "Configuration",
            "health": {"healthProbeBindAddress": f":{HEALTH}"},
            "metrics": {"bindAddress": f":{METRICS}", "secureServing": True},
            "webhook": {"port": WEBHOOK},
            "leaderElection": {
                "leaderElect": True,
                "resourceLock": "leases",
                "resourceName": LEASE,
                "resourceNamespace": self.namespace,
                # Without these it takes none at all.
                "leaseDuration": "15s",
                "renewDeadline": "10s",
                "retryPeriod": "2s",
            },
            "controller": {
                "groupKindConcurrency": {
                    f"TrainJob.{rules.GROUP}": self.config.threads,
                    f"TrainingRuntime.{rules.GROUP}": 1,
                    f"ClusterTrainingRuntime.{rules.GROUP}": 1,
                }
            },
            "certManagement": {
                "enable": self.config.certificates == "own",
                "webhookServiceName": MANAGER,
                "webhookSecretName": CERTIFICATE,
            },
            "clientConnection": {"qps": 50, "burst": 100},
        }
        if self.config.progress:
            made |= {"statusServer": {"port": STATUS}, "featureGates": {"TrainJobStatus": True}}
        return made

    def _webhook(self) -> AdmissionServer:
        kinds = ("clustertrainingruntime", "trainingruntime", "trainjob")
        return AdmissionServer(
            validating=[hook("validator", "validate", kind) for kind in kinds],
            mutating=[hook("defaulter", "mutate", "trainjob")],
            secret=CERTIFICATE,
            trust=self.config.certificates,
            configuration=(VALIDATOR, DEFAULTER),
            port=port("webhook-server", 443, WEBHOOK),
        )

    def _people(self) -> None:
        """Who trains writes TrainJobs; everybody with an account sees the version and what runtimes there are."""
        jobs = [each for each in self.served if each.api.kind == "TrainJob"]
        verbs = f"create delete {READ} patch"
        PeopleRoles(self, jobs, name="trainer", verbs=verbs, status=False, edit=rules.EDIT, view=rules.VIEW)
        Resource(self, CLUSTER_ROLE, VIEW_RUNTIMES, fields={"rules": [*rules.RUNTIMES]})
        to_all: RoleRef = {"apiGroup": RBAC_GROUP, "kind": "ClusterRole", "name": VIEW_RUNTIMES}
        Resource(self, CLUSTER_ROLE_BINDING, VIEW_RUNTIMES, fields={"roleRef": to_all, "subjects": [EVERYBODY]})
        read = allow("", "configmaps", verbs=READ, names=PUBLIC)
        Resource(self, ROLE, PUBLIC, fields={"rules": [read]})
        role: RoleRef = {"apiGroup": RBAC_GROUP, "kind": "Role", "name": PUBLIC}
        Resource(self, ROLE_BINDING, PUBLIC, fields={"roleRef": role, "subjects": [EVERYBODY]})

    def _runtimes(self) -> None:
        """After the webhook, which judges them."""
        config = self.config
        around = Surroundings(
            image=lambda part: self.image(self.release.images[part]),
            with_gpus=self._with_gpus,
            grace_period_seconds=config.grace_period_seconds,
            gang=gang_of(self.setting),
            pod_groups=makes_pod_groups(self.setting),
        )
        gpus = gpu_runtime_class(self.platform)
        by_class = [(each, "" if each.name in config.without_gpus else gpus) for each in chosen(self.setting)]
        for each, runtime_class in (*by_class, *((each, "") for each in on_processors(self.setting).values())):
            spec = each.spec(around, runtime_class=runtime_class)
            labels = {FRAMEWORK: each.framework}
            Resource(self, CLUSTER_TRAINING_RUNTIME, each.name, spec=spec, labels=labels, part="after")

    def _with_gpus(self, container: Container) -> PodSpec:
        """The pod of a runtime that brings its own GPUs, where its pool has them."""
        pool = fine_tuning_pool(self.setting)
        placement = place(pool.name if pool else None, gpus=OWN_GPUS, rdma=False, platform=self.platform)
        return placement.pod(container, shared_memory=share(pool, OWN_GPUS).shared_memory)


def hook(title: str, verb: Literal["mutate", "validate"], kind: str) -> Hook:
    """A webhook for one of the kinds; runtimes may say that they are not judged, as those of upstream's chart do."""
    return Hook(
        name=f"{title}.{kind}.trainer.kubeflow.org",
        path=f"/{verb}-trainer-kubeflow-org-v1alpha1-{kind}",
        rules=[rule(rules.GROUP, "v1alpha1", f"{kind}s", "CREATE UPDATE")],
        object_selector=JUDGED if kind.endswith("runtime") else {},
    )


def container(image: str, *, status: bool) -> Container:
    """The controller. Upstream sets no requests; these are what an idle one needs, without a limit of processors."""
    ports = {"health": HEALTH, "metrics": METRICS, "webhook": WEBHOOK, **({"status-server": STATUS} if status else {})}
    return {
        "name": "manager",
        "image": image,
        "command": ["/manager"],
        "args": ["--config=/controller_manager_config.yaml", "--zap-log-level=2"],
        "ports": [{"name": name, "containerPort": number, "protocol": "TCP"} for name, number in ports.items()],
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}},
        "securityContext": RESTRICTED,  # upstream's own
    }
