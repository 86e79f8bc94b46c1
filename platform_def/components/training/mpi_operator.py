"""MPI operator v2: runs MPIJob objects, a launcher that reaches its workers over SSH with keys of the job's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from platform_def.apis.core.core_v1 import Container
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.capabilities import GangScheduler
from platform_def.config.model import Name
from platform_def.constructs import (
    Component,
    ComponentConfig,
    Crds,
    Health,
    ImageFacts,
    LeaderElection,
    Operator,
    PeopleRoles,
    Problem,
    Release,
    Setting,
    allow,
    grants,
    need,
    port,
    releases,
)

NAME = "mpi-operator"
# Upstream tests 0.6 with 1.29 to 1.31; it calls APIs alone that later servers still have.
RELEASES = releases(Release("0.6.0", kubernetes="1.29-1.37", image="docker.io/mpioperator/mpi-operator:0.6.0"))

KEPT = "create list update watch"
RULES = (
    allow("", "configmaps secrets services", verbs=KEPT),  # one of each a job: host file, SSH keys, names of pods
    allow("", "pods", verbs="create delete get list patch update watch"),
    allow("", "events", verbs="create patch"),
    allow("batch", "jobs", verbs=KEPT),  # the launcher
    allow("scheduling.k8s.io", "priorityclasses", verbs="get list watch"),
)
GROUPS = {"volcano": "scheduling.volcano.sh", "scheduler-plugins": "scheduling.x-k8s.io"}
"""API group of each gang scheduler's PodGroups."""
SCHEDULERS = {"volcano": "volcano", "scheduler-plugins": "scheduler-plugins-scheduler"}
"""Names of gang schedulers where nothing in the stack says them: they are in the cluster already."""
FACTS = ImageFacts(
    runs_as=65532,
    read_only=True,
    source="one program on distroless/base, which logs to standard error and opens no file (Dockerfile, cmd at v0.6.0)",
)


class MpiOperatorConfig(ComponentConfig):
    """What a stack may choose about the MPI operator."""

    releases = RELEASES

    namespace: Name = "mpi-operator"
    """Namespace of the operator, upstream's; its overlay for Kubeflow has `kubeflow`."""
    gang_scheduler: Literal["none", "volcano", "scheduler-plugins"] = "none"
    """Who starts all pods of a job together. It must be in the cluster: a component of the stack, or there already."""
    threads: Annotated[int, Field(ge=1, le=64)] = 2
    """Jobs that are reconciled at once; upstream's default."""
    watch_namespace: Name | None = None
    """Serve the jobs of this namespace alone; by default of all."""


class MpiOperator(Component[MpiOperatorConfig, Release]):
    """CRD and controller of the MPI operator; roles for people who train."""

    @classmethod
    def problems(cls, at: Setting[MpiOperatorConfig]) -> Iterator[Problem]:
        """A Volcano under another name: the operator has its name compiled in."""
        scheduler = gang_scheduler(at)
        if at.config.gang_scheduler == "volcano" and scheduler != "volcano":
            text = f"components.{at.name}: gangScheduler: the operator's pods ask for the scheduler volcano, "
            hint = "call Volcano's scheduler `volcano`, or write `gangScheduler: none`"
            yield Problem(f"{text}and this one is called {scheduler}", hint=hint)

    def build(self) -> None:
        """Everything that runs the jobs."""
        Crds(self)
        Operator(
            self,
            NAME,
            container=self.container(),
            rules=[
                *RULES,
                *grants(self.served, "get list watch"),
                *grants(self.served, "update", "finalizers"),
                *grants(self.served, "get patch update", "status"),
                *self.gang_rules(),
            ],
            leader_election=LeaderElection(flag="", lease=NAME, always=True),
            health=Health(8080, ready="/healthz"),
            metrics=port("metrics", 9090),
            facts=FACTS,
        )
        PeopleRoles(self, name="mpijobs", verbs="create delete deletecollection get list patch update watch")

    def gang_rules(self) -> Iterator[PolicyRule]:
        """PodGroups of the scheduler that is asked for."""
        if group := GROUPS.get(self.config.gang_scheduler):
            yield allow(group, "podgroups", verbs="create delete get list update watch")

    def container(self) -> Container:
        """The controller."""
        return {
            "name": NAME,
            "image": self.release.image,
            "command": ["/opt/mpi-operator"],
            "args": ["-alsologtostderr", *self.arguments()],
            # Upstream sets none; this is what an idle controller needs, without a CPU limit that slows reconciling.
            "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}},
        }

    def arguments(self) -> Iterator[str]:
        """Flags; those of upstream's defaults are left out."""
        config = self.config
        yield f"--lock-namespace={self.namespace}"
        yield "--monitoring-port=9090"
        if config.gang_scheduler != "none":
            yield f"--gang-scheduling={gang_scheduler(self.setting)}"
        if config.threads != MpiOperatorConfig.model_fields["threads"].default:
            yield f"--threadiness={config.threads}"
        if config.watch_namespace:
            yield f"--namespace={config.watch_namespace}"


def gang_scheduler(at: Setting[MpiOperatorConfig]) -> str:
    """Name of the gang scheduler, as who gives it says; nothing where none is asked for."""
    wanted = at.config.gang_scheduler
    if wanted == "none":
        return ""
    given = at.maybe(need(GangScheduler, implementation=wanted))
    return given.value.scheduler if given else SCHEDULERS[wanted]
