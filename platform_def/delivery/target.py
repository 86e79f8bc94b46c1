"""What both engines have in common: where the files are, what the delivery objects are called, what starts them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from platform_def.components.catalogue import ALWAYS
from platform_def.config.cluster import Delivery, holds_credentials, scheme, with_scheme
from platform_def.config.words.registered import engines
from platform_def.errors import ConfigError, Problem
from platform_def.manifests.rendered import RenderedStack

ROOT = "platform"
"""Name of the objects that everything else hangs on."""

MANAGED = {"app.kubernetes.io/managed-by": "platform-def"}

BOOTSTRAP = {"platform-def/bootstrap": "true"}
"""Label of the objects that a person applies once; they bring all others."""

JOB = "platform-def/job"
"""Label of the object that delivers a training job: its name."""

COMPONENT, PART = "app.kubernetes.io/instance", "app.kubernetes.io/component"
"""Labels of the object that delivers a part: the component, and which of its parts."""

LONGEST_NAME = 63
"""Both engines write these names into labels."""


@dataclass(frozen=True)
class Target:
    """The place that an engine reads a stack from, and the one that it keeps its objects in."""

    stack: str
    repository: str
    revision: str
    path: str
    namespace: str

    def folder(self, *below: str) -> str:
        """A folder of the stack inside the repository."""
        return "/".join((self.path, self.stack, *below))

    @property
    def url(self) -> str:
        """The address with a scheme: `git@host:path` is ssh."""
        return with_scheme(self.repository)

    @property
    def scheme(self) -> str:
        """`https`, `http`, `ssh`, `file` or `oci`."""
        return scheme(self.repository)


def target(stack: str, delivery: Delivery) -> Target:
    """Where a stack is delivered from; an address that holds a password, and none at all, raise ConfigError."""
    if delivery.repository is None or delivery.engine == "none":
        raise ConfigError(
            f"the stack {stack} has no delivery engine",
            hint="write `delivery: {engine: argocd, repository: https://…}` into the stack, or `engine: flux`",
        )
    if holds_credentials(delivery.repository):
        raise ConfigError(
            f"delivery.repository of the stack {stack} holds credentials",
            hint="write the bare address; the engine reads the credentials from a Secret in the cluster",
        )
    namespace = delivery.namespace or engines()[delivery.engine].namespace
    return Target(stack, delivery.repository, delivery.revision, delivery.path, namespace)


def part_name(component: str, part: str) -> str:
    """Name of the delivery object of a part."""
    return f"{component}-{part}"


def part_names(stack: RenderedStack) -> Mapping[str, str]:
    """Name of the delivery object of each part (`component/part`); those too long for a label are one ConfigError."""
    names = {
        f"{component.name}/{part}": part_name(component.name, part)
        for _, component in sorted(stack.components.items())
        for part in component.parts
    }
    problems = list(_too_long(names))
    if problems:
        raise ConfigError(problems)
    return names


def left_behind(component: str, part: str, *, engine: str) -> bool:
    """Whether the objects of a part stay when the object that delivers them is deleted; `engine` is the component.

    A CRD takes every object of its kind with it, the engine would delete itself before it is done, and the pods in a
    namespace, which no engine deletes, would go on without the policy, quotas and limits that hold them.
    """
    return part == "crds" or component == engine or component in ALWAYS


def job_name(job: str) -> str:
    """Name of the delivery object of a job; no part is called `job`."""
    return f"{job}-job"


def part_labels(component: str, part: str) -> dict[str, str]:
    """Labels of the delivery object of a part."""
    return MANAGED | {PART: part, COMPONENT: component}


def job_labels(job: str) -> dict[str, str]:
    """Labels of the delivery object of a job."""
    return MANAGED | {JOB: job}


def _too_long(names: Mapping[str, str]) -> Iterator[Problem]:
    for part, name in names.items():
        if len(name) > LONGEST_NAME:
            component = part.partition("/")[0]
            hint = f"components have at most {LONGEST_NAME - len('-after')} characters when an engine delivers them"
            yield Problem(f"components.{component}: the name is too long for {name}", hint=hint)
