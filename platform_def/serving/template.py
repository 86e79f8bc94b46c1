"""The base of every template of `serving:`.

A served model is long-lived: unlike a job it has a plain name, engines keep it as the stack file says, and its objects
are delivered as those of a component are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Generic, TypeVar

from pydantic import BeforeValidator, Field

from platform_def.capabilities import Gateway
from platform_def.config.model import MisfitError, Model, Name, Quantity, Subdomain, conflict
from platform_def.config.platform import Platform
from platform_def.config.reads import independently
from platform_def.crds.quantity import amount
from platform_def.errors import nearest
from platform_def.jobs.demand import Demand
from platform_def.jobs.fields import ContainerConfig
from platform_def.jobs.limits import container_problems
from platform_def.jobs.problem import JobProblem
from platform_def.jobs.queueing import queue_labels, waits
from platform_def.jobs.shares import Share, share
from platform_def.jobs.template import Placed
from platform_def.serving.address import Address, address_problems, scheme

QUEUED = frozenset({"Deployment.apps", "LeaderWorkerSet.leaderworkerset.x-k8s.io"})
"""Kinds that make pods of models, which a queue may hold back."""


def _whole(value: object) -> object:
    if isinstance(value, float) and not value.is_integer():
        raise ValueError(
            f"a container gets whole devices, not {value} of one: for a part of a card choose a pool with `mig:` or "
            "`sharing:`, where one device is that part"
        )
    return value


Cards = Annotated[int, BeforeValidator(_whole), Field(ge=0, le=16)]


class Scaling(Model):
    """How many pods serve a model."""

    min: Annotated[int, Field(ge=0, le=1000)] = 1
    """Fewest."""
    max: Annotated[int, Field(ge=1, le=1000)]
    """Most."""

    @conflict
    def _ordered(self) -> Iterator[ValueError]:
        if self.min > self.max:
            yield MisfitError(f"{self.min} is more than `max`, which is {self.max}", "min")


class ServiceConfig(ContainerConfig):
    """The parameters that every served model has."""

    model: Address
    """Where the model is: a path in the stack's bucket of models, `s3://bucket/path`, `gs://…`, `pvc://claim/path`,
    `oci://image`, `https://…`, `hf://owner/name`, `model-registry://name/version`, MLflow's `mlflow-artifacts:/…`."""
    token_secret: Subdomain | None = None
    """Secret of the namespace with a token for Hugging Face, under the key `HF_TOKEN`."""
    gpus: Cards = 0
    """GPUs of each pod, in what its pool calls one: whole cards, MIG devices or shares."""
    replicas: Annotated[int, Field(ge=1, le=1000)] = 1
    """Pods that serve it, where it does not scale."""
    public: bool = True
    """Whether it is reached from outside, by the stack's gateway; otherwise only pods of the cluster reach it."""
    callers: list[Name] | None = None
    """Teams whose pods may call it, beside its own; `[]` for its own only. By default pods of all teams may."""
    grace_period_seconds: Annotated[int, Field(ge=1, le=3600)] = 60
    """Time from when a pod must go to its end: it answers as before for 10 seconds of it, but no more than half,
    while gateways learn of it (Kubernetes 1.30 or newer); then comes SIGTERM, and answers under way must be given."""

    @property
    def most(self) -> int:
        """Most replicas that it ever has."""
        return self.replicas

    @property
    def pods(self) -> int:
        """Pods that share the volumes."""
        return self.most

    def share(self, platform: Platform) -> Share:
        """Processors and memory of a pod by default."""
        name = self.pool_name(platform)
        return share(platform.pool(name) if name else None, self.gpus, self.mig_profile or "")

    def size(self, platform: Platform) -> tuple[Quantity, Quantity]:
        """Processors and memory of a pod."""
        own = self.share(platform)
        return self.cpu or own.cpu, self.memory or own.memory

    def derived(self, platform: Platform) -> Mapping[str, tuple[object, str]]:
        """Processors and memory, where the stack file says none; the pool, where its GPUs decide."""
        own, found = self.share(platform), self.pool_name(platform)
        values: dict[str, tuple[object, str]] = {"cpu": (own.cpu, own.why), "memory": (own.memory, own.why)}
        if found and not self.pool:
            values["pool"] = (found, "the one with such GPUs")
        return values

    def demand(self, platform: Platform) -> Demand | None:
        """What all its pods ask for at most."""
        cpu, memory = self.size(platform)
        return Demand(
            self.pool_name(platform),
            self.pods,
            self.gpus,
            "gpus",
            self.rdma,
            self.owner,
            self.mig_profile,
            cpu=f"{math.ceil((amount(cpu) or 0) * 1000)}m",
            memory=str(math.ceil(amount(memory) or 0)),
        )

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What the pool, the team, the store or the gateway cannot give."""
        yield from independently(
            (
                self._container_problems(platform),
                address_problems("model", self.model, platform, self.team),
                self._name_problems(platform),
            )
        )

    def _container_problems(self, platform: Platform) -> Iterator[JobProblem]:
        for each in container_problems(self, platform):
            yield JobProblem(_FIELDS.get(each.field, each.field), each.text, each.hint, each.missing)

    def _name_problems(self, platform: Platform) -> Iterator[JobProblem]:
        if self.token_secret and scheme(self.model) != "hf":
            text = f"a token is for Hugging Face, and {self.model} is no hf:// address"
            yield JobProblem("tokenSecret", text, "leave `tokenSecret` out")
        teams = [team.name for team in platform.teams]
        for name in self.callers or ():
            if name not in teams:
                yield JobProblem("callers", f"team '{name}' is not in teams", nearest(name, teams))


_FIELDS = {"workers": "replicas"}
"""What a field of jobs is called in `serving:`."""

S = TypeVar("S", bound=ServiceConfig)


class ServedModel(Placed[S], Generic[S]):
    """One served model."""

    def labels_of(self, kind: str) -> dict[str, str]:
        """Labels by which what makes its pods waits in the queue of its team, where that kind waits."""
        waiting = kind in QUEUED and waits(kind, self.config, self.platform)
        return queue_labels(self.config, self.platform) if waiting else {}


def gateway_of(platform: Platform) -> Gateway | None:
    """The stack's gateway."""
    found = (each.value for each in platform.all(Gateway) if each.by == platform.gateway)
    return next(found, None)
