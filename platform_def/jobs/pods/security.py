"""As whom the containers of a job run, and what they may do, by the Pod Security level of the job's team.

The levels are those of the Pod Security Standards of Kubernetes. Below `privileged` no program of a job gains rights or
makes system calls that the runtime's profile leaves out; `restricted` takes all capabilities and root.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from platform_def.apis.core.core_v1 import Container, PodSecurityContext, PodSpec, SecurityContext
from platform_def.config.platform import Platform
from platform_def.config.teams import PodSecurity, Team, owned
from platform_def.jobs.fields import ContainerConfig
from platform_def.jobs.problem import JobProblem
from platform_def.jobs.template import Placed, PlacedConfig

P = TypeVar("P", bound=ContainerConfig)

RUN_AS_ROOT = (
    "docker.io/library/",
    "docker.io/mpioperator/",
    "docker.io/pytorch/pytorch",
    "docker.io/tensorflow/tensorflow",
    "nvcr.io/nvidia/",
)
"""What names of images begin with whose programs run as root unless a pod says another user."""
NOT_ROOT = 65534
"""A user that owns nothing, for images of ours that would run as root."""


def level_of(config: ContainerConfig, platform: Platform) -> PodSecurity:
    """The Pod Security level that a job's pods are held to."""
    team = team_of(config, platform)
    return team.pod_security if team and not config.namespace else "baseline"


def team_of(config: PlacedConfig, platform: Platform) -> Team | None:
    """The team of a job."""
    return owned(config.owner, platform.teams)


def secure(job: Placed[P], pod: PodSpec) -> None:
    """Give a pod and its containers the user that the job says, and no rights that its team's level forbids."""
    config, level = job.config, level_of(job.config, job.platform)
    whole: PodSecurityContext = {}
    if config.user is not None:
        whole["runAsUser"] = config.user
    if isinstance(config.group, int):  # of workers fed by a queue it is Kafka's
        whole["runAsGroup"] = config.group
    if config.fs_group is not None:
        whole["fsGroup"] = config.fs_group
        whole["fsGroupChangePolicy"] = "OnRootMismatch"
    if config.user or level == "restricted":
        whole["runAsNonRoot"] = True
    if level != "privileged":
        whole["seccompProfile"] = {"type": "RuntimeDefault"}
    if whole:
        pod["securityContext"] = whole
    for container in [*pod["containers"], *pod.get("initContainers", [])]:
        _secure(container, config, level)


def _secure(container: Container, config: ContainerConfig, level: PodSecurity) -> None:
    context: SecurityContext = {**container.get("securityContext", {})}
    if level != "privileged":
        context["allowPrivilegeEscalation"] = False
    if level == "restricted" or config.user:
        context["capabilities"] = {"drop": ["ALL"], **context.get("capabilities", {})}
    code = config.git_image
    if level == "restricted" and config.user is None and container.get("image", "").endswith(code.partition("/")[2]):
        context["runAsUser"] = NOT_ROOT
    if context:
        container["securityContext"] = context


def security_problems(config: ContainerConfig, platform: Platform) -> Iterator[JobProblem]:
    """What the team's level refuses of a job's pods."""
    level, team = level_of(config, platform), team_of(config, platform)
    if team is None or level == "privileged":
        return
    for name, (_, volume) in config.mounted().items():
        if volume.host_path:
            field = {"data": "dataset", "output": "output"}.get(name, "volumes")
            text = f"folders of nodes are mounted, which Pod Security level '{level}' of team {team.name} forbids"
            yield JobProblem(field, text, "set `podSecurity: privileged` for the team")
    if level != "restricted":
        return
    if config.user == 0:
        yield JobProblem(
            "user", f"root is refused at Pod Security level 'restricted' of team {team.name}", "name another"
        )
    if config.user is None and config.image and full_name(config.image).startswith(RUN_AS_ROOT):
        text = f"{config.image} runs as root, which Pod Security level 'restricted' of team {team.name} refuses"
        yield JobProblem("image", text, "say as whom it runs: `user: 1000`")


def full_name(image: str) -> str:
    """An image's name with its registry, as the runtime completes it."""
    first, slash, _ = image.partition("/")
    if slash and ("." in first or ":" in first or first == "localhost"):
        return image
    return f"docker.io/{image}" if slash else f"docker.io/library/{image}"
