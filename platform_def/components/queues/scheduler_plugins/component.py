"""Scheduler plugins: a kube-scheduler beside the cluster's own that gives all pods of a gang their nodes, or none.

Placed pods wait for the rest of their gang for some time, and then give their nodes back. Built with Kubernetes' own
scheduler of its minor version, it knows all that this one knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.capabilities import BinPacker, GangScheduler
from platform_def.components.queues.packing import SPREADING, fit
from platform_def.components.queues.scheduler_plugins import words
from platform_def.config.model import Name
from platform_def.constructs import (
    APACHE,
    KUBERNETES,
    READ,
    RESTRICTED_LEVEL,
    Component,
    ComponentConfig,
    Crds,
    Deployment,
    Health,
    ImageFacts,
    Offers,
    Operator,
    PeopleRoles,
    Problem,
    Release,
    SecondScheduler,
    Setting,
    allow,
    releases,
)

SCHEDULER, CONTROLLER = words.SCHEDULER.word, "scheduler-plugins-controller"
GROUP = "scheduling.x-k8s.io"


# A scheduler may be as old as the minor version before the API server's, and never newer.
RELEASES = releases(
    Release(
        "0.34.7",
        kubernetes="1.34-1.35",
        image="registry.k8s.io/scheduler-plugins/kube-scheduler:v0.34.7",
        images={"controller": "registry.k8s.io/scheduler-plugins/controller:v0.34.7"},
    ),
    license=APACHE,
)
FACTS = ImageFacts(user=65532, read_only=True, source="build/controller/Dockerfile at v0.34.7: distroless, USER 65532")
GANGS = (allow(GROUP, "podgroups", verbs=READ),)
"""Of the scheduler, beside what Kubernetes' own may do; the controller writes how far gangs are."""
CONTROLLER_RULES = (
    allow("", "pods", verbs=READ),
    allow("", "events", verbs="create patch update"),
    allow(GROUP, "elasticquotas podgroups", verbs=f"{READ} patch"),
    allow(GROUP, "elasticquotas/status podgroups/status", verbs="get patch update"),
)


class SchedulerPluginsConfig(ComponentConfig):
    """What a stack may choose about the scheduler."""

    releases = RELEASES

    namespace: Name = "scheduler-plugins"
    """Namespace of scheduler and controller, upstream's."""
    wait_seconds: Annotated[int, Field(ge=1, le=3600)] = 60
    """How long placed pods hold their nodes for the rest of their gang; a gang may say another time. The plug-in's
    default."""
    backoff_seconds: Annotated[int, Field(ge=0, le=3600)] = 0
    """How long a gang that found no room is left alone, so that smaller ones behind it have their turn."""
    retry_seconds: Annotated[int, Field(ge=1, le=3600)] = 60
    """After how long a gang that found no room is tried again, though nothing happened that the plug-in hears of: it
    hears of pods and gangs, not of nodes that come. The scheduler looks twice a minute. Kubernetes' own time is five
    minutes, in which the room would stay empty."""
    bin_packing: bool = True
    """Fill one node's devices before the next; otherwise pods are spread as Kubernetes does."""
    weight: Annotated[int, Field(ge=1, le=100)] = 10
    """How much a full set of devices counts then, beside full processors and full memory, which count one each."""


class SchedulerPlugins(Component[SchedulerPluginsConfig, Release]):
    """CRDs, scheduler and the controller that reports on gangs."""

    pod_security = RESTRICTED_LEVEL
    gives = (GangScheduler, BinPacker)

    @classmethod
    def offers(cls, at: Setting[SchedulerPluginsConfig]) -> Offers:
        """The scheduler that jobs ask for."""
        gangs = GangScheduler(implementation="scheduler-plugins", scheduler=SCHEDULER)
        packer = (BinPacker(scheduler=SCHEDULER),) if at.config.bin_packing else ()
        return Offers(capabilities=(gangs, *packer))

    @classmethod
    def problems(cls, at: Setting[SchedulerPluginsConfig]) -> Iterator[Problem]:
        """Another gang scheduler: a pod has one."""
        for given in at.platform.all(GangScheduler):
            if given.by != at.name and given.value.of_all_pools:
                text = f"components.{at.name}: {given.by} starts jobs whole too, and a pod has one scheduler"
                yield Problem(text, hint="keep one of the two")

    def build(self) -> None:
        """Everything that starts gangs."""
        Crds(self)
        self._scheduler()
        self._controller()
        PeopleRoles(self, name="scheduler-plugins", aggregate=KUBERNETES)

    def _scheduler(self) -> None:
        scheduler = SecondScheduler(
            self,
            SCHEDULER,
            profile=self.profile(),
            rules=GANGS,
            config="scheduler-config",
            image=self.release.image,
            # Called deprecated, and the configuration has no field for it: cmd/kube-scheduler/app/options at v1.34.7.
            flags=[f"--pod-max-in-unschedulable-pods-duration={self.config.retry_seconds}s"],
        )
        pod: PodSpec = {
            "serviceAccountName": SCHEDULER,
            "priorityClassName": "system-cluster-critical",
            "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
            "containers": [scheduler.container()],
            "volumes": [scheduler.volume()],
        }
        Deployment(self, SCHEDULER, pod=pod, ha_replicas=2, pod_annotations=scheduler.pod_annotations)

    def _controller(self) -> None:
        container: Container = {
            "name": CONTROLLER,
            "image": self.release.images["controller"],
            "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}},
        }
        # One pod: it elects in kube-system alone, and two that report the same for a moment do no harm.
        Operator(
            self,
            CONTROLLER,
            container=container,
            rules=CONTROLLER_RULES,
            health=Health(8081),
            metrics=8080,
            facts=FACTS,
        )

    def profile(self) -> dict[str, Any]:
        """Gangs in the order of their making; the plug-in's own order of the queue takes the place of Kubernetes'."""
        config = self.config
        gangs = {
            "name": "Coscheduling",
            "args": {
                "permitWaitingTimeSeconds": config.wait_seconds,
                "podGroupBackoffSeconds": config.backoff_seconds,
            },
        }
        plugins: dict[str, Any] = {
            "multiPoint": {"enabled": [{"name": "Coscheduling"}], "disabled": [{"name": "PrioritySort"}]}
        }
        if config.bin_packing:
            plugins["score"] = {"disabled": [*SPREADING]}
        packing = [fit(self.platform.node_pools, config.weight)] if config.bin_packing else []
        return {"plugins": plugins, "pluginConfig": [gangs, *packing]}
