"""Training operator v1: runs TFJob, PyTorchJob, MPIJob, XGBoostJob, PaddleJob and JAXJob as pods; 1.7.0 also MXJob."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, model_validator

from platform_def.apis.core.core_v1 import Container
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.capabilities import GangScheduler
from platform_def.components.training.gangs import gang_scheduler, of_others, pod_groups
from platform_def.components.training.training_operator import metrics
from platform_def.config.model import Image, Name
from platform_def.constructs import (
    APACHE,
    CONTROLLER_RUNTIME,
    READ,
    WRITE,
    AdmissionServer,
    Alerts,
    Component,
    ComponentConfig,
    ConfigFile,
    Crds,
    Dashboards,
    Definition,
    Hook,
    ImageFacts,
    LeaderElection,
    MetricTable,
    Operator,
    PeopleRoles,
    PodSettings,
    Problem,
    Release,
    Setting,
    Support,
    Upkeep,
    Withdrawn,
    allow,
    env,
    from_field,
    grants,
    http_probe,
    port,
    releases,
    rule,
)
from platform_def.crds.catalogue import definitions_of

Kind = Literal["TFJob", "PyTorchJob", "MPIJob", "XGBoostJob", "PaddleJob", "JAXJob", "MXJob"]

RULES = (
    allow("", "configmaps", verbs="create list update watch"),
    allow("", "events pods", verbs=WRITE),
    allow("", "pods/exec", verbs="create"),  # the MPI launcher starts its workers through it
    allow("", "serviceaccounts", verbs="create get list watch"),
    allow("", "services", verbs="create delete get list watch"),
    allow("autoscaling", "horizontalpodautoscalers", verbs=WRITE),  # elastic PyTorchJobs
    allow("rbac.authorization.k8s.io", "roles rolebindings", verbs="create list update watch"),  # one a MPIJob
    allow("scheduling.volcano.sh", "podgroups", verbs=WRITE),
    allow("scheduling.x-k8s.io", "podgroups", verbs=WRITE),
)
WEBHOOK_RULES = (
    allow("", "secrets", verbs="get list update watch"),
    allow("admissionregistration.k8s.io", "validatingwebhookconfigurations", verbs="get list update watch"),
)
"""The operator makes the webhook's certificate and writes the CA into its configuration itself."""


@dataclass(frozen=True, kw_only=True)
class TrainingRelease(Release):
    """What differs between releases."""

    kubectl_delivery: str
    """Init container of MPI launchers; the operator's own default is `latest`. Upstream's workflow pushes this image
    and the operator's from one commit under one tag."""
    rules: tuple[PolicyRule, ...] = ()
    """Beyond those that all need."""
    people: tuple[PolicyRule, ...] = ()
    """What its people may read beside its jobs."""
    validates: frozenset[str] = frozenset()
    """Kinds that its admission webhook validates; none: it has no webhook."""
    facts: ImageFacts | None = None
    exports: tuple[MetricTable, ...] = (CONTROLLER_RUNTIME, metrics.METRICS)


_LINE_1_9 = Upkeep(Support.CURRENT)
# Upstream tests 1.9.4 with 1.34 and 1.35, and tested 1.9.2, which calls the same APIs, with 1.28 to 1.30; 1.7 with
# 1.25 to 1.27. Both call only APIs that later servers still have.
RELEASES = releases(
    TrainingRelease(
        "1.9.4",
        kubernetes="1.28-1.37",
        image="ghcr.io/kubeflow/training-v1/training-operator:v1-93c5489",
        kubectl_delivery="ghcr.io/kubeflow/training-v1/kubectl-delivery:v1-93c5489",
        rules=WEBHOOK_RULES,
        people=(allow("kueue.x-k8s.io", "localqueues", verbs="get list"),),  # the SDK asks which queue a job is for
        validates=frozenset({"TFJob", "PyTorchJob", "XGBoostJob", "PaddleJob", "JAXJob"}),
        facts=ImageFacts(runs_as=1000, source="Kubeflow's overlay runs the image so"),
        upkeep=_LINE_1_9,
    ),
    TrainingRelease(
        "1.7.0",
        kubernetes="1.25-1.37",
        image="docker.io/kubeflow/training-operator:v1-855e096",
        kubectl_delivery="docker.io/kubeflow/kubectl-delivery:v1-855e096",
        upkeep=Upkeep(Support.ENDED),
        kept="it is the last release that runs MXJobs",
    ),
    license=APACHE,
)
WITHDRAWN = (
    Withdrawn(
        "1.9.2",
        instead="1.9.4",
        changes="pods of a job that reached its limits stay or go as its cleanPodPolicy says, and pods may have what"
        " Kubernetes 1.36 knows",
        upkeep=_LINE_1_9,
    ),
)

NAME = "training-operator"
CERTIFICATE = "training-operator-webhook-cert"
WAITING = "initContainer.yaml"
WAITS: Container = {
    "name": "init-pytorch",
    "image": "{{.InitContainerImage}}",
    "command": ["sh", "-c", "until nslookup {{.MasterAddr}}; do echo waiting for the master; sleep 2; done"],
    "resources": {"requests": {"cpu": "50m", "memory": "10Mi"}, "limits": {"cpu": "100m", "memory": "20Mi"}},
    "securityContext": {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "runAsNonRoot": True,
        "runAsUser": 65534,
        "seccompProfile": {"type": "RuntimeDefault"},
    },
}
"""A template of Go, which the operator fills in for each worker (pytorch/initcontainer.go of 1.7 and 1.9)."""
WEBHOOK = "validator.training-operator.kubeflow.org"
LEASE = "1ca428e5.training-operator.kubeflow.org"
"""Names that are compiled into the operator."""
KNOWN = ("volcano", "scheduler-plugins")
"""Gang schedulers: it knows Volcano by its name and takes any other for scheduler-plugins, whose PodGroups it makes."""


class TrainingOperatorConfig(ComponentConfig):
    """What a stack may choose about the training operator."""

    releases = RELEASES
    withdrawn = WITHDRAWN

    namespace: Name = "kubeflow"
    """Namespace of the operator, upstream's."""
    kinds: list[Kind] = Field(default_factory=list)
    """Kinds to serve; empty means all of the release. Leave MPIJob out beside mpi-operator: both own one CRD name."""
    gang_scheduler: Literal["none", "volcano", "scheduler-plugins"] | None = None
    """Who starts all pods of a job together; by default the gang scheduler that the stack has, if any. One named here
    must be in the cluster: a component of the stack, or there already."""
    threads: Annotated[int, Field(ge=1, le=64)] = 1
    """Jobs of one kind that are reconciled at once."""
    watch_namespace: Name | None = None
    """Serve the jobs of this namespace alone; by default of all."""
    pytorch_init_image: Image = "docker.io/library/alpine:3.10"
    """Image of PyTorch workers' init container, which waits for the master's DNS name; any with nslookup and a shell.
    The default is the operator's own."""
    mpi_delivery_image: Image | None = None
    """Image of the init container of MPI launchers; by default the one that upstream built with the release."""

    @model_validator(mode="after")
    def _kinds_of_the_release(self) -> TrainingOperatorConfig:
        served = [each.api.kind for each in definitions_of(NAME, self.version)]
        if wrong := [kind for kind in self.kinds if kind not in served]:
            raise ValueError(f"release {self.version} does not serve {', '.join(wrong)}; it serves {', '.join(served)}")
        return self


class TrainingOperator(Component[TrainingOperatorConfig, TrainingRelease]):
    """CRDs, controller and admission webhook of the training operator; roles for people who train."""

    @classmethod
    def served_by(cls, at: Setting[TrainingOperatorConfig]) -> tuple[Definition, ...]:
        """The job kinds of the release, or those among them that the stack asks for."""
        kinds = at.config.kinds
        return tuple(each for each in super().served_by(at) if not kinds or each.api.kind in kinds)

    @classmethod
    def handover(cls, at: Setting[TrainingOperatorConfig], kinds: Collection[str]) -> str:
        """The other kinds, by name."""
        others = sorted(each.api.kind for each in cls.served_by(at) if each.api.full_name not in kinds)
        return f"kinds: [{', '.join(others)}]" if others else ""

    @classmethod
    def runtime_images(cls, at: Setting[TrainingOperatorConfig]) -> tuple[str, ...]:
        """Init containers of the jobs' pods."""
        return tuple(cls.helper_images(at).values())

    @classmethod
    def helper_images(cls, at: Setting[TrainingOperatorConfig]) -> dict[str, str]:
        """Images of the init containers that the operator adds to jobs of served kinds, by the flag that names them."""
        delivery = at.config.mpi_delivery_image or cls.release_of(at.config).kubectl_delivery
        named = {
            "PyTorchJob": ("pytorch-init-container-image", at.config.pytorch_init_image),
            "MPIJob": ("mpi-kubectl-delivery-image", delivery),
        }
        kinds = {each.api.kind for each in cls.served_by(at)}
        return dict(image for kind, image in named.items() if kind in kinds)

    @classmethod
    def problems(cls, at: Setting[TrainingOperatorConfig]) -> Iterator[Problem]:
        """Jobs of another's pools, of which it makes no pod before Volcano has room (podgroup_control.go of 1.9).

        Beside scheduler-plugins it waits for nothing, and pods keep the scheduler that they ask for.
        """
        gang = gang_scheduler(at, at.config.gang_scheduler, known=KNOWN)
        yield from of_others(at, gang, takes=("volcano",))

    @property
    def gang(self) -> GangScheduler | None:
        """Who starts all pods of a job together."""
        return gang_scheduler(self.setting, self.config.gang_scheduler, known=KNOWN)

    def build(self) -> None:
        """Everything that runs the jobs."""
        Crds(self)
        self.awaits(*pod_groups(self.setting, self.gang))
        Operator(
            self,
            NAME,
            container=self.container(),
            rules=[
                *RULES,
                *grants(self.served, WRITE),
                *grants(self.served, "update", "finalizers"),
                *grants(self.served, "get patch update", "status"),
                *self.release.rules,
            ],
            leader_election=LeaderElection(lease=LEASE),
            metrics=port("monitoring-port", 8080),
            webhook=webhook(self.served, self.release.validates),
            facts=self.release.facts,
            config_file=self.waiting(),
            pod=PodSettings({"terminationGracePeriodSeconds": 10, "containers": []}),
        )
        claims = allow("", "persistentvolumeclaims", verbs="create delete get list watch")
        Alerts(self, metrics.ALERTS)
        Dashboards(self, [metrics.DASHBOARD])
        people = self.release.people
        edit = [claims, allow("", "events", verbs=READ), *people]
        PeopleRoles(self, name="training", edit=edit, view=people)

    def container(self) -> Container:
        """The controller."""
        return {
            "name": NAME,
            "image": self.release.image,
            "command": ["/manager"],
            "args": list(self.arguments()),
            "env": env(
                {"MY_POD_NAMESPACE": from_field("metadata.namespace"), "MY_POD_NAME": from_field("metadata.name")}
            ),
            "ports": [{"name": "metrics", "containerPort": 8080}],
            "livenessProbe": http_probe("/healthz", 8081, delay=15, period=20, timeout=3),
            "readinessProbe": http_probe("/readyz", 8081, delay=10, period=15, timeout=3),
            # Upstream sets none; this is what an idle controller needs, without a CPU limit that slows reconciling.
            "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}},
            "securityContext": {"allowPrivilegeEscalation": False},
        }

    def waiting(self) -> ConfigFile | None:
        """The init container of PyTorchJobs' workers, which waits until the name of their master leads somewhere.

        The operator's own gives up after 100 tries, which counts against the tries of the job: a master whose image is
        large or that waits for a node would fail it. Here the deadline of the pod ends the wait.
        """
        if "pytorch-init-container-image" not in self.helper_images(self.setting):
            return None
        return ConfigFile(name=f"{NAME}-init-container", file=WAITING, volume="init-container", content=[WAITS])

    def arguments(self) -> Iterator[str]:
        """Flags; images that are the operator's defaults are named, so that a mirror and the inventory know them."""
        config = self.config
        yield from (f"--{flag}={self.image(image)}" for flag, image in self.helper_images(self.setting).items())
        if self.waiting():
            yield f"--pytorch-init-container-template-file=/{WAITING}"
        yield from (f"--enable-scheme={kind.lower()}" for kind in sorted(config.kinds))
        if self.gang:
            yield f"--gang-scheduler-name={self.gang.scheduler}"
        if config.threads > 1:
            yield f"--controller-threads={config.threads}"
        if config.watch_namespace:
            yield f"--namespace={config.watch_namespace}"


def webhook(served: tuple[Definition, ...], validated: frozenset[str]) -> AdmissionServer | None:
    """Validation of jobs; the operator fills the Secret and the CA at run time."""
    if not validated:
        return None
    hooks = [
        Hook(
            name=f"validator.{kind.lower()}.training-operator.kubeflow.org",
            path=f"/validate-kubeflow-org-v1-{kind.lower()}",
            rules=[rule("kubeflow.org", "v1", plural, "CREATE UPDATE")],
        )
        for kind, plural in sorted((each.api.kind, each.api.plural) for each in served)
        if kind in validated
    ]
    service = port("webhook-server", 443, 9443)  # it waits for its certificate also where no kind is validated
    return AdmissionServer(validating=hooks, configuration=WEBHOOK, secret=CERTIFICATE, port=service)
