"""What a team of the Pod Security level `restricted` refuses of KServe's pods, and the rights of what fetches models.

Facts of KServe 0.20 (`pkg/utils/storage.go`, `pkg/webhook/admission/pod`, `pkg/controller/v1alpha2/llmisvc`): it makes
the storage-initializer, which fetches a model in the pod that serves it, without a security context. Into it, it merges
that of the ClusterStorageContainer, in pods of language models that of an init container of its name. The containers
that it makes of `oci://` models take nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from platform_def.apis.core.core_v1 import Container, SecurityContext
from platform_def.capabilities import ModelServing
from platform_def.config.platform import Platform
from platform_def.constructs.security import RESTRICTED
from platform_def.jobs.pods.security import level_of, team_of
from platform_def.jobs.problem import JobProblem
from platform_def.serving.address import MLFLOW, scheme
from platform_def.serving.template import ServedModel, ServiceConfig

S = TypeVar("S", bound=ServiceConfig)
FETCHER = "storage-initializer"
USER = 1000
"""User of its image."""
FETCHED = ("", "s3", "hf", MLFLOW)
"""Schemes of the addresses from which it fetches language models; others are mounted."""


def fetcher_rights(platform: Platform) -> SecurityContext:
    """Rights of what fetches models: those of the level `restricted`. It writes to its root folder, caches among it."""
    made = {key: value for key, value in RESTRICTED.items() if key != "readOnlyRootFilesystem"}
    if platform.distribution != "openshift":  # which gives each namespace users of its own
        made["runAsUser"] = USER
    return made  # type: ignore[return-value]


def merged_fetcher(model: ServedModel[S], *addresses: str) -> list[Container]:
    """What KServe merges into the container in a pod of a language model; nothing where its team asks for nothing."""
    fetched = any(scheme(each) in FETCHED for each in addresses)
    if not fetched or level_of(model.config, model.platform) != "restricted":
        return []
    return [{"name": FETCHER, "securityContext": fetcher_rights(model.platform)}]


def image_problems(field: str, address: str, config: ServiceConfig, platform: Platform) -> Iterator[JobProblem]:
    """A model in an image, where the team takes only pods of the level `restricted`."""
    team = team_of(config, platform)
    if team and scheme(address) == "oci" and level_of(config, platform) == "restricted":
        text = "KServe runs the image of an oci:// model with rights that Pod Security level 'restricted' of team "
        text += f"{team.name} refuses"
        hint = "keep the model in the object store or on a volume, or set `podSecurity: baseline` for the team"
        yield JobProblem(field, text, hint)


def root_problems(config: ServiceConfig, platform: Platform, servers: Sequence[str]) -> Iterator[JobProblem]:
    """A server whose image runs as root, where the team takes none; `servers` are those that may be taken."""
    given, team = platform.maybe(ModelServing), team_of(config, platform)
    if not (given and team and servers) or config.image or config.user is not None:
        return
    if level_of(config, platform) == "restricted" and {*servers} <= {*given.value.as_root}:
        text = f"{servers[0]} runs as root, which Pod Security level 'restricted' of team {team.name} refuses"
        yield JobProblem("user", text, "say as whom it runs: `user: 1000`")
