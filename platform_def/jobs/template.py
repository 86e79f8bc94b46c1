"""The base of every job template.

Training jobs under GitOps run again when they vanish and cannot be edited: so a job's name ends in a hash of its
content (a change is a new job), it never removes itself, it has a deadline, and no engine prunes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, TypeVar, get_args

import orjson
from constructs import Construct
from pydantic import Field

from platform_def.config.model import Model, Name
from platform_def.config.platform import Platform
from platform_def.constructs.component import MANAGER, Owner


class JobConfig(Model):
    """The parameters that every job has."""

    needs: ClassVar[tuple[str, ...]] = ()
    """Custom resources that the stack must serve, as `Kind.group`."""

    template: str
    """Name of the template."""
    name: Annotated[Name, Field(max_length=40)]
    """Name of the job; a hash of its content is added."""
    team: Name | None = None
    """Team that owns the job: it runs in the team's namespace."""
    namespace: Name | None = None
    """Namespace, where the job belongs to no team."""
    pool: Name | None = None
    """Node pool that it runs on."""
    mig_profile: Annotated[str, Field(max_length=20)] | None = None
    """Which of the pool's MIG devices it uses (`3g.40gb`), where the pool has several by name."""
    deadline_hours: Annotated[int, Field(ge=1, le=24 * 365)] = 24 * 7
    """The job is stopped after this time, so that a hung job gives its GPUs back."""
    sync: bool = False
    """Whether the delivery engine starts the job; otherwise its file only waits in dist/."""

    def problems(self, platform: Platform) -> Iterator[JobProblem]:  # noqa: ARG002 - for templates
        """What makes the job impossible on this platform, beside what every job is checked for."""
        yield from ()


@dataclass(frozen=True)
class JobProblem:
    """Something wrong with a job: the field, what, and the remedy."""

    field: str
    text: str
    hint: str = ""


J = TypeVar("J", bound=JobConfig)


class Job(Owner, Generic[J]):
    """One training job. Subclasses create its objects in `build`."""

    def __init__(self, scope: Construct, *, config: J, platform: Platform | None = None):
        super().__init__(scope, config.name)
        self.config = config
        self.platform = platform if platform is not None else Platform()
        self.namespace = home_of(config, self.platform)
        self.annotations = {}
        self.build()

    def build(self) -> None:
        """Create the objects."""
        raise NotImplementedError

    @classmethod
    def config_model(cls) -> type[J]:
        """The configuration model, from `Job[…]` in the class statement."""
        for generic in getattr(cls, "__orig_bases__", ()):
            for argument in get_args(generic):
                if isinstance(argument, type) and issubclass(argument, JobConfig):
                    return argument  # type: ignore[return-value]
        raise TypeError(f"{cls.__name__} does not say Job[SomeConfig]")

    def labels(self, name: str = "") -> dict[str, str]:
        """Labels of the job's objects."""
        return {
            "app.kubernetes.io/name": name or self.config.name,
            "app.kubernetes.io/instance": self.config.name,
            "app.kubernetes.io/component": self.config.template,
            "app.kubernetes.io/managed-by": MANAGER,
        }

    def name_for(self, spec: Any) -> str:
        """The name of a job object with this spec: the job's, and eight characters of a hash of the spec."""
        digest = hashlib.sha256(orjson.dumps(spec, option=orjson.OPT_SORT_KEYS)).hexdigest()
        return f"{self.config.name}-{digest[:8]}"


def home_of(config: JobConfig, platform: Platform) -> str:
    """Namespace of a job: its own, its team's, or `default`."""
    if config.namespace:
        return config.namespace
    team = next((team for team in platform.teams if team.name == config.team), None)
    return team.home if team else "default"
