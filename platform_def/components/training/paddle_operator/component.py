"""Paddle operator 0.3: runs PaddleJob objects of group batch.paddlepaddle.org; legacy beside the training operator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from platform_def.apis.core.core_v1 import Container
from platform_def.capabilities import GangScheduler
from platform_def.components.training.gangs import gang_scheduler, of_others, pod_groups
from platform_def.config.model import Image, Name
from platform_def.constructs import (
    APACHE,
    WRITE,
    Component,
    ComponentConfig,
    Crds,
    Health,
    ImageFacts,
    LeaderElection,
    Operator,
    PeopleRoles,
    PodSettings,
    Problem,
    Release,
    Setting,
    Support,
    Upkeep,
    allow,
    grants,
    port,
    releases,
)

NAME = "paddle-controller-manager"
LOCK = "b2a304f2.paddlepaddle.org"
"""Compiled in: at this release a ConfigMap and a Lease of one name. Rights on the first are among those on all."""
# Compiled against Kubernetes 1.23; later servers still have what it calls.
RELEASES = releases(
    Release(
        "0.3.5",
        image="registry.baidubce.com/paddlecloud/controller:v0.3.5",
        upkeep=Upkeep(Support.ENDED),
        kept="nothing newer serves the group batch.paddlepaddle.org",
    ),
    license=APACHE,
)

RULES = (
    allow("", "configmaps pods services", verbs=WRITE),
    allow("", "configmaps/status pods/status services/status", verbs="get"),
    allow("", "events", verbs="create patch"),
    allow("scheduling.volcano.sh", "podgroups", verbs=WRITE),
    allow("scheduling.volcano.sh", "podgroups/status", verbs="get patch update"),
)
FACTS = ImageFacts(user=65532, source="USER of upstream's Dockerfile at v0.3.5")


class PaddleOperatorConfig(ComponentConfig):
    """What a stack may choose about the Paddle operator."""

    releases = RELEASES

    namespace: Name = "paddle-system"
    """Namespace of the operator, upstream's."""
    gang_scheduler: Literal["none", "volcano"] | None = None
    """Who starts all pods of a job together; by default the stack's Volcano, if it has one. Named here, it must be in
    the cluster: a component of the stack, or there already."""
    init_image: Image = "docker.io/library/alpine:3.10"
    """Image of the init container of a job's pods, which wait in it for each other's names; any with nslookup and a
    shell. The default is the operator's own."""
    watch_namespace: Name | None = None
    """Serve the jobs of this namespace alone; by default of all."""


class PaddleOperator(Component[PaddleOperatorConfig, Release]):
    """CRD and controller of the PaddleJobs of group batch.paddlepaddle.org; roles for people who train. Legacy."""

    @classmethod
    def runtime_images(cls, at: Setting[PaddleOperatorConfig]) -> tuple[str, ...]:
        """Init containers of the jobs' pods."""
        return (at.config.init_image,)

    @classmethod
    def problems(cls, at: Setting[PaddleOperatorConfig]) -> Iterator[Problem]:
        """Jobs of another's pools, which wait for Volcano."""
        gang = gang_scheduler(at, at.config.gang_scheduler, known=("volcano",))
        yield from of_others(at, gang, takes=("volcano",))

    @property
    def gang(self) -> GangScheduler | None:
        """Who starts all pods of a job together."""
        return gang_scheduler(self.setting, self.config.gang_scheduler, known=("volcano",))

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
            ],
            leader_election=LeaderElection(flag="", lease=LOCK, always=True),
            health=Health(8081),
            metrics=port("metrics", 8080),
            facts=FACTS,
            pod=PodSettings({"terminationGracePeriodSeconds": 10, "containers": []}),
        )
        PeopleRoles(self)

    def container(self) -> Container:
        """The controller."""
        return {
            "name": "manager",
            "image": self.release.image,
            "command": ["/manager"],
            "args": list(self.arguments()),
            # Upstream's, without its limit of a tenth of a core, which delays every job.
            "resources": {"requests": {"cpu": "100m", "memory": "20Mi"}, "limits": {"memory": "300Mi"}},
        }

    def arguments(self) -> Iterator[str]:
        """Flags; the image is named, so that a mirror and the inventory know it."""
        config = self.config
        yield "--leader-elect"
        yield f"--initImage={self.image(config.init_image)}"
        if self.gang:
            yield "--scheduling=volcano"
        if config.watch_namespace:
            yield f"--namespace={config.watch_namespace}"
