"""The base of every job template.

Training jobs under GitOps run again when they vanish and cannot be edited: so a job's name ends in a hash of
what the stack file says of it (a change there is a new job; one of the cluster's registry or of a default of this tool
is not), engines apply it to create it and never to change it, it never removes itself, it has a deadline, and no engine
prunes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, TypeVar, get_args

import orjson
from constructs import Construct
from pydantic import Field

from platform_def.config.model import LabelKey, Labels, MisfitError, Model, Name, Subdomain, conflict
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.config.teams import owned, owner_of
from platform_def.constructs.component import MANAGER, Owner
from platform_def.constructs.protection import created_only
from platform_def.jobs.parameters import ShareMode
from platform_def.jobs.problem import JobProblem as JobProblem
from platform_def.jobs.queueing import queue_labels, waits

if TYPE_CHECKING:
    from platform_def.jobs.demand import Demand


class PlacedConfig(Model):
    """What jobs and served models say alike: what they are, whose, and where they run."""

    needs: ClassVar[tuple[str, ...]] = ()
    """Custom resources that the stack must serve, as `Kind.group`."""

    template: str
    """Name of the template."""
    name: Annotated[Name, Field(max_length=40)]
    """Its name."""
    team: Name | None = None
    """Team that owns it: it runs in the team's namespace."""
    member: Annotated[str, Field(max_length=253)] | None = None
    """Member of the team who owns it: it runs in the member's namespace, within the member's quota."""
    namespace: Name | None = None
    """Namespace, where it belongs to no team."""
    pool: Name | None = None
    """Node pool that it runs on."""
    gpu_model: Annotated[str, Field(max_length=40)] | None = None
    """Model of its GPUs (`a100-80gb`): the pool that has it, where no pool is named; all its pods get the same."""
    sharing: ShareMode | None = None
    """How its GPUs may be shared: `none` for whole cards, or the mode of a pool; chooses a pool as `gpuModel` does."""
    mig_profile: Annotated[str, Field(max_length=20)] | None = None
    """Which of the pool's MIG devices it uses (`3g.40gb`), where the pool has several by name."""
    priority_class: Subdomain | None = None
    """PriorityClass of its pods: who gives way to whom on a node that is full."""
    labels: Labels = Field(default_factory=dict)
    """Further labels of it and its pods."""
    annotations: dict[LabelKey, Annotated[str, Field(max_length=10_000)]] = Field(default_factory=dict)
    """Further annotations of its pods."""

    def apis(self) -> tuple[str, ...]:
        """Custom resources that the stack must serve for it; those of `needs` unless a parameter decides."""
        return self.needs

    @property
    def owner(self) -> str:
        """Whose it is: a team, or a member of one; empty where it belongs to none."""
        return owner_of(self.team, self.member)

    @property
    def started(self) -> bool:
        """Whether the delivery engine starts it."""
        return True

    def files(self) -> tuple[str, ...]:
        """Files of the repository that it is made from; `platform.document(…)` has what they hold."""
        return ()

    def held(self, platform: Platform) -> list[Any]:
        """What these files hold: other content is another job, with a name of its own."""
        return [platform.document(file) for file in self.files()]

    def runtime_images(self, platform: Platform) -> tuple[str, ...]:  # noqa: ARG002 - for templates
        """Images, as the cluster pulls them, that no object of the job names as a container's."""
        return ()

    def result_commands(self, made: Mapping[str, str], home: str) -> tuple[str, ...]:  # noqa: ARG002 - for templates
        """How to read what it came to: lines with a command each. `made` has the names of its objects by kind."""
        return ()

    def pool_name(self, platform: Platform) -> str | None:
        """The pool that it runs on: the one it names, or the only one with the GPUs that it asks for."""
        if self.pool or not (self.gpu_model or self.sharing):
            return self.pool
        fitting = fitting_pools(self, platform)
        return fitting[0] if len(fitting) == 1 else None

    def demand(self, platform: Platform) -> Demand | None:  # noqa: ARG002 - for templates
        """What it asks of the accelerators, where that is to be counted with what other jobs ask."""
        return None

    def derived(self, platform: Platform) -> Mapping[str, tuple[object, str]]:  # noqa: ARG002 - for templates
        """What it says where the stack file says nothing and the platform decides: value and reason by field."""
        return {}

    def problems(self, platform: Platform) -> Iterator[JobProblem]:  # noqa: ARG002 - for templates
        """What makes it impossible on this platform, beside what every job and every model is checked for."""
        yield from ()


class JobConfig(PlacedConfig):
    """The parameters that every job has."""

    stays: ClassVar[str] = ""
    """Kind of the object, where nothing removes one that is over."""

    name: Annotated[Name, Field(max_length=40)]
    """Name of the job; a hash of what is written here for it is added."""
    priority: Name | None = None
    """Priority of the job in its team's queue."""
    deadline_hours: Annotated[int, Field(ge=1, le=24 * 365)] = 24 * 7
    """The job is stopped after this time, so that a hung job gives its GPUs back."""
    keep_hours: Annotated[int, Field(ge=0, le=24 * 365)] | None = None
    """Remove the job this long after its end. Only for jobs that you start yourself: an engine that syncs a job would
    run it again."""
    sync: bool = False
    """Whether the delivery engine starts the job; otherwise its file only waits in dist/."""
    rerun: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """Another number starts the job again, under another name, with nothing else changed."""

    @conflict
    def _stays_in_git(self) -> Iterator[ValueError]:
        if self.keep_hours is not None and self.sync:
            yield MisfitError(
                "the engine would run the job again once it is gone: leave it out, or `sync`", "keepHours"
            )

    @property
    def lifetime(self) -> int | None:
        """Seconds after its end in which the job removes itself, where it does."""
        return None if self.keep_hours is None else self.keep_hours * 3600

    @property
    def started(self) -> bool:
        """Whether the delivery engine starts it; otherwise its file only waits in dist/."""
        return self.sync

    @property
    def recurring(self) -> bool:
        """Whether its object starts on a schedule: engines then apply changes to the same object and delete it with the
        job, where they otherwise create a job and never touch it again."""
        return False

    def queued_kinds(self) -> tuple[str, ...]:
        """What of it waits in a queue, as `Kind.group`, where its team has one."""
        return self.apis()


def fitting_pools(config: PlacedConfig, platform: Platform) -> list[str]:
    """Names of the pools with the model and the way of sharing that a job or a model asks for."""

    def fits(pool: NodePool) -> bool:
        gpu = pool.gpu
        mode = gpu.sharing.mode if gpu and gpu.sharing else "none"
        return gpu is not None and config.gpu_model in (None, gpu.model) and config.sharing in (None, mode)

    return [pool.name for pool in platform.node_pools if fits(pool)]


C = TypeVar("C", bound=PlacedConfig)
J = TypeVar("J", bound=JobConfig)


class Placed(Owner, Generic[C]):
    """What a template renders, a job or a served model. Subclasses create its objects in `build`."""

    def __init__(self, scope: Construct, *, config: C, platform: Platform | None = None):
        super().__init__(scope, config.name)
        self.config = config
        self.platform = platform if platform is not None else Platform()
        self.namespace = home_of(config, self.platform)
        self.annotations = self.delivered()
        self.build()

    def build(self) -> None:
        """Create the objects."""
        raise NotImplementedError

    def delivered(self) -> Mapping[str, str]:
        """Annotations by which an engine knows how to treat its objects."""
        return {}

    @property
    def unique_name(self) -> str:
        """The name of its main object."""
        return self.config.name

    @classmethod
    def config_model(cls) -> type[C]:
        """The configuration model, from `Job[…]` or `Service[…]` in the class statement."""
        for generic in getattr(cls, "__orig_bases__", ()):
            for argument in get_args(generic):
                if isinstance(argument, type) and issubclass(argument, PlacedConfig):
                    return argument  # type: ignore[return-value]
        raise TypeError(f"{cls.__name__} does not say {cls.__base__.__name__}[SomeConfig]")  # type: ignore[union-attr]

    def labels(self, name: str = "") -> dict[str, str]:
        """Labels of its objects."""
        return {
            "app.kubernetes.io/name": name or self.config.name,
            "app.kubernetes.io/instance": self.config.name,
            "app.kubernetes.io/component": self.config.template,
            "app.kubernetes.io/managed-by": MANAGER,
            **self.config.labels,
        }


class TemplateJob(Placed[J]):
    """One training job."""

    def delivered(self) -> Mapping[str, str]:
        """Applied to create only."""
        return created_only(self.platform.delivery) if self.config.sync and not self.config.recurring else {}

    def labels_of(self, kind: str) -> dict[str, str]:
        """Labels by which an object waits in the queue of the job's team, where its kind waits."""
        waiting = waits(kind, self.config, self.platform)
        return queue_labels(self.config, self.platform) if waiting else {}

    @property
    def unique_name(self) -> str:
        """The name of the job's object: the job's, and eight characters of a hash of what was written for it.

        What was left out has no part in it, and nothing of the platform: neither may start a running job a second time.
        What its files and overlays hold was written for it. A recurring job keeps its own name: under another one, the
        former would start beside it.
        """
        if self.config.recurring:
            return self.config.name
        written = self.config.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude={"sync"})
        if self.config.files():
            written["files"] = self.config.held(self.platform)
        if overlays := self.platform.overlays_of(self.config.name):
            written["overlays"] = overlays
        digest = hashlib.sha256(orjson.dumps(written, option=orjson.OPT_SORT_KEYS)).hexdigest()
        return f"{self.config.name}-{digest[:8]}"


def home_of(config: PlacedConfig, platform: Platform) -> str:
    """Namespace of a job or a model: its own, its team's, or `default`."""
    if config.namespace:
        return config.namespace
    team = owned(config.owner, platform.teams)
    return team.home if team else "default"
