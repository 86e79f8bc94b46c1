"""Chainer operator: runs ChainerJob objects, a master and sets of workers over MPI; legacy, archived upstream."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.config.model import Image, Name
from platform_def.constructs import (
    APACHE,
    Component,
    ComponentConfig,
    Crds,
    ImageFacts,
    Operator,
    PeopleRoles,
    Problem,
    Release,
    Setting,
    Support,
    Upkeep,
    allow,
    grants,
    releases,
)

NAME = "chainer-operator"
HELPERS = ("docker.io/tutum/curl:latest", "docker.io/library/alpine:latest")
"""Init containers of a job's pods, as they are compiled in: neither has a flag."""
# The last commit of its repository, compiled against Kubernetes 1.10; later servers still have what it calls.
RELEASES = releases(
    Release(
        "d8b821e",
        image="docker.io/everpeace/chainer-operator:latest",
        runtime_images=HELPERS,
        upkeep=Upkeep(Support.ENDED),
        kept="nothing newer runs ChainerJobs",
    ),
    license=APACHE,
)

KEPT = "create list update watch"
RULES = (
    allow("", "configmaps serviceaccounts", verbs=KEPT),
    allow("", "pods", verbs="get list"),  # with the next, what it grants the account of each job's master
    allow("", "pods/exec", verbs="create"),
    allow("", "events", verbs="create patch"),
    allow("rbac.authorization.k8s.io", "roles rolebindings", verbs=KEPT),
    allow("apps", "statefulsets", verbs="create get list update watch"),
    allow("batch", "jobs", verbs="create list watch"),
)
FACTS = ImageFacts(user=0, source="no USER in upstream's Dockerfile at d8b821e, on alpine:3.7")


class ChainerOperatorConfig(ComponentConfig):
    """What a stack may choose about the Chainer operator."""

    releases = RELEASES

    namespace: Name = NAME
    """Namespace of the operator, upstream's."""
    image: Image | None = None
    """Image of the operator, which you build from its last commit: a stack must say it."""


class ChainerOperator(Component[ChainerOperatorConfig, Release]):
    """CRD and controller of ChainerJobs; roles for people who train. Legacy."""

    @classmethod
    def problems(cls, at: Setting[ChainerOperatorConfig]) -> Iterator[Problem]:
        """The image that upstream's manifests name is unmaintained."""
        if at.config.image is None:
            there = cls.release_of(at.config).image
            text = f"components.{at.name}: image: upstream names {there}, a personal, unmaintained image"
            yield Problem(text, hint="build the operator at its last commit, d8b821e, and name your image: `image: …`")

    def build(self) -> None:
        """Everything that runs the jobs."""
        Crds(self)
        Operator(
            self,
            NAME,
            container={
                "name": NAME,
                "image": self.config.image or self.release.image,
                "command": ["/bin/chainer-operator"],
                # Without the first it writes files that are never rotated.
                "args": ["-logtostderr", "-v=4"],
                "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
            },
            rules=[
                *RULES,
                *grants(self.served, "get list update watch"),
                *grants(self.served, "update", "finalizers"),
            ],
            facts=FACTS,
        )
        PeopleRoles(self, status=False)
