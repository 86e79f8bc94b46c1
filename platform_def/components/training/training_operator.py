"""Training operator v1: runs TFJob, PyTorchJob, MPIJob, XGBoostJob, PaddleJob and JAXJob as pods; 1.7.0 also MXJob."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from platform_def.apis import kubeflow_v1, kubeflow_v1_release_1_7
from platform_def.apis.core.core_v1 import SECRET, Container, PodSpec
from platform_def.apis.core.rbac_v1 import CLUSTER_ROLE, PolicyRule
from platform_def.apis.model import Definition
from platform_def.config.component import ComponentConfig
from platform_def.config.model import Image, Name
from platform_def.config.platform import NamespaceNeed, Offers
from platform_def.constructs.component import Component, Mutation
from platform_def.constructs.crds import Crds
from platform_def.constructs.rbac import Account, allow
from platform_def.constructs.release import Release, releases
from platform_def.constructs.resource import Resource
from platform_def.constructs.service import Service, port
from platform_def.constructs.webhook import Hook, Webhooks, rule
from platform_def.constructs.workload import Deployment

# The operator's own default for MPI launchers is `kubectl-delivery:latest`. Upstream's workflow pushes that image and
# the operator's from one commit under one tag.
RELEASES = releases(
    Release(
        version="1.9.2",
        image="ghcr.io/kubeflow/training-v1/training-operator:v1-3f15cb8",
        images={"mpi-kubectl-delivery": "ghcr.io/kubeflow/training-v1/kubectl-delivery:v1-3f15cb8"},
        apis=kubeflow_v1.JOBS,
    ),
    Release(
        version="1.7.0",
        image="docker.io/kubeflow/training-operator:v1-855e096",
        images={"mpi-kubectl-delivery": "docker.io/kubeflow/kubectl-delivery:v1-855e096"},
        apis=kubeflow_v1_release_1_7.JOBS,
    ),
)

Kind = Literal["TFJob", "PyTorchJob", "MPIJob", "XGBoostJob", "PaddleJob", "JAXJob", "MXJob"]

WITHOUT_WEBHOOK = frozenset({"MPIJob"})
"""Kinds that 1.9.2 does not validate; 1.7.0 has no webhook at all."""

ALL = "create delete get list patch update watch"
RULES = (
    allow("", "configmaps", verbs="create list update watch"),
    allow("", "events pods", verbs=ALL),
    allow("", "pods/exec", verbs="create"),  # the MPI launcher starts its workers through it
    allow("", "serviceaccounts", verbs="create get list watch"),
    allow("", "services", verbs="create delete get list watch"),
    allow("autoscaling", "horizontalpodautoscalers", verbs=ALL),  # elastic PyTorchJobs
    allow("rbac.authorization.k8s.io", "roles rolebindings", verbs="create list update watch"),  # one a MPIJob
    allow("scheduling.volcano.sh", "podgroups", verbs=ALL),
    allow("scheduling.x-k8s.io", "podgroups", verbs=ALL),
)
WEBHOOK_RULES = (
    allow("", "secrets", verbs="get list update watch"),
    allow("admissionregistration.k8s.io", "validatingwebhookconfigurations", verbs="get list update watch"),
)
"""The operator makes the webhook's certificate and writes the CA into its configuration itself."""

NAME = "training-operator"
CERTIFICATE = "training-operator-webhook-cert"
WEBHOOK = "validator.training-operator.kubeflow.org"
CERTIFICATE_FOLDER = "/tmp/k8s-webhook-server/serving-certs"  # noqa: S108 - in the container
"""Names that are compiled into the operator."""

PYTORCH_INIT = "docker.io/library/alpine:3.10"
"""The init container of PyTorch workers that waits for the master's DNS name: the operator's own default."""


class TrainingOperatorConfig(ComponentConfig):
    """What a stack may choose about the training operator."""

    releases = RELEASES

    namespace: Name = "kubeflow"
    """Namespace of the operator, upstream's."""
    replicas: Annotated[int, Field(ge=1, le=3)] = 1
    """Controller pods. More than one turns leader election on."""
    kinds: list[Kind] = Field(default_factory=list)
    """Kinds to serve; empty means all of the release. Leave MPIJob out beside mpi-operator: both own one CRD name."""
    gang_scheduler: Literal["none", "volcano", "scheduler-plugins"] = "none"
    """Who starts all pods of a job together."""
    threads: Annotated[int, Field(ge=1, le=64)] = 1
    """Jobs of one kind that are reconciled at once."""
    watch_namespace: Name | None = None
    """Serve the jobs of this namespace alone; by default of all."""
    pytorch_init_image: Image = PYTORCH_INIT
    """Image of the init container of PyTorch workers; any with nslookup and a shell."""
    mpi_delivery_image: Image | None = None
    """Image of the init container of MPI launchers; by default the one that upstream built with the release."""

    @model_validator(mode="after")
    def _kinds_of_the_release(self) -> TrainingOperatorConfig:
        served = [
            definition.api.kind
            for release in RELEASES
            if release.version == self.version
            for definition in release.apis
        ]
        wrong = [kind for kind in self.kinds if kind not in served]
        if wrong:
            raise ValueError(f"release {self.version} does not serve {', '.join(wrong)}; it serves {', '.join(served)}")
        return self


class TrainingOperator(Component[TrainingOperatorConfig]):
    """CRDs, RBAC, admission webhook, Deployment and Service of the training operator; roles for people who train."""

    @classmethod
    def offers(cls, config: TrainingOperatorConfig) -> Offers:
        """The job kinds that it serves."""
        served = tuple(f"{definition.api.kind}.kubeflow.org" for definition in served_apis(config))
        return Offers(namespaces=(NamespaceNeed(config.namespace),), apis=served)

    @classmethod
    def runtime_images(cls, config: TrainingOperatorConfig) -> tuple[str, ...]:
        """Init containers of the jobs' pods."""
        return tuple(helper_images(config).values())

    def build(self) -> None:
        """Everything that runs the jobs."""
        apis = served_apis(self.config)
        rules = [*RULES, *job_rules(apis), *(WEBHOOK_RULES if self.has_webhook else ())]
        account = Account(self, NAME)
        Crds(self, apis=apis)
        account.allow(rules)
        if self.replicas > 1:
            account.allow_in(self.namespace, LEADER_ELECTION, role=f"{NAME}-leader-election")
        Deployment(
            self,
            NAME,
            pod=self.pod(),
            replicas=self.config.replicas,
            ha_replicas=2,
            pod_annotations={"sidecar.istio.io/inject": "false"},  # the API server calls the webhook without a mesh
        )
        self.service()
        if self.has_webhook:
            self.webhook(apis)
        people_roles(self, apis)

    @property
    def has_webhook(self) -> bool:
        """Whether the release validates jobs on admission."""
        return self.release.version != "1.7.0"

    @property
    def replicas(self) -> int:
        """Controller pods, as availability has it."""
        return max(self.config.replicas, 2) if self.highly_available else self.config.replicas

    def pod(self) -> PodSpec:
        """The controller's pod."""
        container: Container = {
            "name": NAME,
            "image": self.release.image,
            "command": ["/manager"],
            "args": self.arguments(),
            "env": [
                {"name": "MY_POD_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}},
                {"name": "MY_POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            ],
            "ports": [{"name": "metrics", "containerPort": 8080}],
            "livenessProbe": {
                "httpGet": {"path": "/healthz", "port": 8081},
                "initialDelaySeconds": 15,
                "periodSeconds": 20,
                "timeoutSeconds": 3,
            },
            "readinessProbe": {
                "httpGet": {"path": "/readyz", "port": 8081},
                "initialDelaySeconds": 10,
                "periodSeconds": 15,
                "timeoutSeconds": 3,
            },
            # Upstream sets none; this is what an idle controller needs, without a CPU limit that slows reconciling.
            "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}},
            "securityContext": {"allowPrivilegeEscalation": False},
        }
        pod: PodSpec = {"serviceAccountName": NAME, "terminationGracePeriodSeconds": 10, "containers": [container]}
        if self.has_webhook:
            # Kubeflow's overlay for 1.9.2 runs the image so.
            container["securityContext"] = {
                "allowPrivilegeEscalation": False,
                "capabilities": {"drop": ["ALL"]},
                "runAsNonRoot": True,
                "runAsUser": 1000,
            }
            container["ports"].append({"name": "webhook-server", "containerPort": 9443, "protocol": "TCP"})
            container["volumeMounts"] = [{"name": "cert", "mountPath": CERTIFICATE_FOLDER, "readOnly": True}]
            pod["volumes"] = [{"name": "cert", "secret": {"secretName": CERTIFICATE, "defaultMode": 0o644}}]
        return pod

    def arguments(self) -> list[str]:
        """Flags; images that are the operator's defaults are named, so that a mirror and the inventory know them."""
        config = self.config
        flags = [f"--{flag}={self.image(image)}" for flag, image in helper_images(config).items()]
        flags += [f"--enable-scheme={kind.lower()}" for kind in sorted(config.kinds)]
        if config.gang_scheduler != "none":
            name = (
                "scheduler-plugins-scheduler" if config.gang_scheduler == "scheduler-plugins" else config.gang_scheduler
            )
            flags.append(f"--gang-scheduler-name={name}")
        if config.threads > 1:
            flags.append(f"--controller-threads={config.threads}")
        if config.watch_namespace:
            flags.append(f"--namespace={config.watch_namespace}")
        if self.replicas > 1:
            flags.append("--leader-elect")
        return flags

    def service(self) -> None:
        """Metrics, and the webhook where there is one."""
        ports = [port("monitoring-port", 8080)]
        if self.has_webhook:
            ports.append(port("webhook-server", 443, 9443))
        Service(self, NAME, ports=ports).monitor("monitoring-port")

    def webhook(self, apis: tuple[Definition, ...]) -> None:
        """Validation of jobs; the Secret is empty here, the operator fills it and the CA at run time."""
        Resource(self, SECRET, CERTIFICATE, fields={"type": "Opaque"})
        self.mutated(Mutation("v1", "Secret", CERTIFICATE, ("/data",)))
        hooks = [
            Hook(
                name=f"validator.{definition.api.kind.lower()}.training-operator.kubeflow.org",
                path=f"/validate-kubeflow-org-v1-{definition.api.kind.lower()}",
                rules=[rule("kubeflow.org", "v1", definition.api.plural, "CREATE UPDATE")],
            )
            for definition in sorted(apis, key=lambda each: each.api.kind)
            if definition.api.kind not in WITHOUT_WEBHOOK
        ]
        if hooks:
            Webhooks(self, WEBHOOK, kind="validating", service=NAME, hooks=hooks)


LEADER_ELECTION = (
    allow("coordination.k8s.io", "leases", verbs="create get list patch update watch"),
    allow("", "events", verbs="create patch"),
)
"""Beyond upstream, whose role forgets it: with more than one replica no controller would ever become the leader."""


def served_apis(config: TrainingOperatorConfig) -> tuple[Definition, ...]:
    """The job kinds that are installed: the release's, or those among them that the stack asks for."""
    release = next(release for release in RELEASES if release.version == config.version)
    return tuple(each for each in release.apis if not config.kinds or each.api.kind in config.kinds)


def helper_images(config: TrainingOperatorConfig) -> dict[str, str]:
    """Images of the init containers that the operator adds to jobs, by the flag that names them; of served kinds."""
    release = next(release for release in RELEASES if release.version == config.version)
    kinds = {definition.api.kind for definition in served_apis(config)}
    images = {}
    if "PyTorchJob" in kinds:
        images["pytorch-init-container-image"] = config.pytorch_init_image
    if "MPIJob" in kinds:
        images["mpi-kubectl-delivery-image"] = config.mpi_delivery_image or release.images["mpi-kubectl-delivery"]
    return images


def job_rules(apis: tuple[Definition, ...]) -> list[PolicyRule]:
    """What the operator may do with the jobs themselves."""
    plurals = sorted(definition.api.plural for definition in apis)
    return [
        allow("kubeflow.org", " ".join(plurals), verbs=ALL),
        allow("kubeflow.org", " ".join(f"{plural}/finalizers" for plural in plurals), verbs="update"),
        allow("kubeflow.org", " ".join(f"{plural}/status" for plural in plurals), verbs="get patch update"),
    ]


AGGREGATE = "rbac.authorization.kubeflow.org/aggregate-to-kubeflow"


def people_roles(component: TrainingOperator, apis: tuple[Definition, ...]) -> None:
    """Roles that Kubeflow's admin, edit and view roles take in by label."""
    plurals = " ".join(sorted(definition.api.plural for definition in apis))
    status = allow("kubeflow.org", " ".join(f"{plural}/status" for plural in plurals.split()), verbs="get")
    Resource(
        component,
        CLUSTER_ROLE,
        "kubeflow-training-admin",
        labels={f"{AGGREGATE}-admin": "true"},
        # No `rules`: the controller manager writes them, and an empty list here would take them away at each sync.
        fields={
            "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {f"{AGGREGATE}-training-admin": "true"}}]}
        },
    )
    Resource(
        component,
        CLUSTER_ROLE,
        "kubeflow-training-edit",
        labels={f"{AGGREGATE}-edit": "true", f"{AGGREGATE}-training-admin": "true"},
        fields={
            "rules": [
                allow("kubeflow.org", plurals, verbs=ALL),
                status,
                allow("", "persistentvolumeclaims", verbs="create delete get list watch"),
                allow("", "events", verbs="get list watch"),
            ]
        },
    )
    Resource(
        component,
        CLUSTER_ROLE,
        "kubeflow-training-view",
        labels={f"{AGGREGATE}-view": "true"},
        fields={"rules": [allow("kubeflow.org", plurals, verbs="get list watch"), status]},
    )
