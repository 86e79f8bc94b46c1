"""MPI operator v2: runs MPIJob objects, a launcher that reaches its workers over SSH with keys of the job's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from platform_def.apis.core.core_v1 import Container
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.capabilities import GangScheduler
from platform_def.components.training.gangs import gang_scheduler, of_others, pod_groups, renamed
from platform_def.config.model import Name
from platform_def.constructs import (
    APACHE,
    READ,
    WRITE,
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
    Support,
    Upkeep,
    Withdrawn,
    allow,
    grants,
    port,
    releases,
)

NAME = "mpi-operator"
# Upstream tests 0.8 with 1.32 to 1.35. It needs nothing that is newer than 1.29, which already knows that a launcher's
# pod is not to be replaced before it has ended. Later servers still have the APIs that it calls.
RELEASES = releases(
    Release(
        "0.8.2",
        kubernetes="1.29-1.37",
        image="docker.io/mpioperator/mpi-operator:0.8.2",
        upkeep=Upkeep(Support.CURRENT),
    ),
    license=APACHE,
)
WITHDRAWN = (
    Withdrawn(
        "0.6.0",
        instead="0.8.2",
        changes="a launcher's pod is made again only when the one before has ended, and takes its job's node selector"
        " and tolerations when the job is resumed",
        upkeep=Upkeep(Support.ENDED),
    ),
)

KEPT = "create list update watch"
RULES = (
    allow("", "configmaps secrets services", verbs=KEPT),  # one of each a job: host file, SSH keys, names of pods
    allow("", "pods", verbs=WRITE),
    allow("", "events", verbs="create patch"),
    allow("batch", "jobs", verbs=KEPT),  # the launcher
    # It resets the start of a launcher that ran, was suspended and goes on, where Kubernetes up to 1.35 kept it;
    # upstream grants this after 0.8.2 only.
    allow("batch", "jobs/status", verbs="update"),
    allow("scheduling.k8s.io", "priorityclasses", verbs=READ),
)
GROUPS = {"volcano": "scheduling.volcano.sh", "scheduler-plugins": "scheduling.x-k8s.io"}
"""API group of the PodGroups of each gang scheduler that it knows."""
COMPILED = {"volcano": "volcano"}
"""The name of Volcano's scheduler, which is no choice."""
FACTS = ImageFacts(
    runs_as=65532,
    read_only=True,
    source="one program on distroless/base, which logs to standard error and opens no file (Dockerfile, cmd at v0.8.2)",
)


class MpiOperatorConfig(ComponentConfig):
    """What a stack may choose about the MPI operator."""

    releases = RELEASES
    withdrawn = WITHDRAWN

    namespace: Name = "mpi-operator"
    """Namespace of the operator, upstream's; its overlay for Kubeflow has `kubeflow`."""
    gang_scheduler: Literal["none", "volcano", "scheduler-plugins"] | None = None
    """Who starts all pods of a job together; by default the gang scheduler that the stack has, if any. One named here
    must be in the cluster: a component of the stack, or there already."""
    threads: Annotated[int, Field(ge=1, le=64)] = 2
    """Jobs that are reconciled at once; upstream's default."""
    watch_namespace: Name | None = None
    """Serve the jobs of this namespace alone; by default of all."""


class MpiOperator(Component[MpiOperatorConfig, Release]):
    """CRD and controller of the MPI operator; roles for people who train."""

    @classmethod
    def problems(cls, at: Setting[MpiOperatorConfig]) -> Iterator[Problem]:
        """A Volcano under another name than is compiled in; pods of pools that have a scheduler, which it replaces."""
        gang = gang_scheduler(at, at.config.gang_scheduler, known=GROUPS)
        yield from renamed(at, gang, COMPILED)
        yield from of_others(at, gang, takes=GROUPS)

    @property
    def gang(self) -> GangScheduler | None:
        """Who starts all pods of a job together."""
        return gang_scheduler(self.setting, self.config.gang_scheduler, known=GROUPS)

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
                *grants(self.served, READ),
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
        if self.gang:
            yield allow(GROUPS[self.gang.implementation], "podgroups", verbs="create delete get list update watch")

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
        if self.gang:
            yield f"--gang-scheduling={self.gang.scheduler}"
        if config.threads != MpiOperatorConfig.model_fields["threads"].default:
            yield f"--threadiness={config.threads}"
        if config.watch_namespace:
            yield f"--namespace={config.watch_namespace}"
