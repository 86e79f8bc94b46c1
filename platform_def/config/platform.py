"""The resolved facts of a stack that components share, and a record of which of them a build has read.

Facts are small and separate on purpose: the result of a build is kept under the facts it read, so a component that asks
for the registry is not rebuilt for a cluster that differs only by its name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from typing import cast

import orjson
from pydantic import BaseModel, JsonValue

from platform_def.config.capability import Capability, Given, Need, P, Provision
from platform_def.config.cluster import ClusterFacts, Ingress
from platform_def.config.kubernetes import Kubernetes
from platform_def.config.mirror import Mirror
from platform_def.config.pools import NodePool
from platform_def.config.reads import note
from platform_def.config.releases.upkeep import Upkeep
from platform_def.config.stack import StackFacts
from platform_def.config.storage import AccessMode, ChosenStorage, choose
from platform_def.config.teams import PodSecurity
from platform_def.config.words.types import EngineName
from platform_def.errors import ConfigError, nearest

_UNKNOWN = Upkeep()
DOOR = "ingress:door"


@dataclass(frozen=True)
class NamespaceNeed:
    """A namespace of a component's objects, and the Pod Security level that they need there."""

    name: str
    pod_security: PodSecurity = "baseline"
    labels: tuple[tuple[str, str], ...] = ()
    why: str = ""
    """Reason for a level above baseline, written into an annotation."""
    annotations: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, order=True)
class ExistingObject:
    """An object that the cluster has and no stack renders."""

    kind: str
    name: str
    namespace: str = ""
    """Empty for an object of the cluster."""
    group: str = ""
    """Empty also where the kind alone says enough."""

    @staticmethod
    def parse(text: str) -> ExistingObject:
        """From `Kind name`, `Kind namespace/name` or `Kind.group …`."""
        head, _, tail = text.partition(" ")
        kind, _, group = head.partition(".")
        namespace, _, name = tail.rpartition("/")
        return ExistingObject(kind, name, namespace, group)


@dataclass(frozen=True)
class PodSecurityNeed:
    """The Pod Security level that a component's namespace needs, and why where that is above baseline."""

    level: PodSecurity = "baseline"
    why: str = ""


BASELINE_LEVEL, RESTRICTED_LEVEL = PodSecurityNeed(), PodSecurityNeed("restricted")


@dataclass(frozen=True)
class Offers:
    """What a component gives to the others; a pure function of its setting."""

    namespaces: tuple[NamespaceNeed, ...] = ()
    """Beside its own."""
    capabilities: tuple[Capability, ...] = ()
    resources: tuple[str, ...] = ()
    """Extended resources that it puts on nodes; patterns such as `nvidia.com/mig-*`."""
    existing: tuple[ExistingObject, ...] = ()
    """What its configuration says that the cluster has already."""
    apis: tuple[str, ...] = ()
    """Custom resources that it serves, as `Kind.group`."""


@dataclass(frozen=True)
class ComponentFact:
    """What others may know of a component in the stack."""

    release: str
    namespace: str
    provided: bool = False
    component: str = ""
    """Its name in the catalogue; empty for the user's own."""
    kubernetes: str = ""
    """Minor versions of Kubernetes that its release is known to work with, `1.28-1.35`."""
    upkeep: Upkeep = _UNKNOWN
    """What upstream does for its release."""
    sound: tuple[tuple[str, str], ...] = ()
    """Releases of the component that upstream mends, as far as is known, and that lack no known fix; each with the
    versions of Kubernetes that it is known to work with."""
    licenses: tuple[tuple[str, str], ...] = ()
    """SPDX expressions by part; the first is the component's own."""


class Platform(StackFacts, ClusterFacts):
    """The facts: what the stack says, and what its components tell each other.

    What is read inside `observed()` is recorded: a field by its name, a question by its words.
    """

    stack: str = "stack"
    cluster: str = "cluster"
    kubernetes: Kubernetes = Kubernetes("1.36")
    delivery: EngineName = "none"
    ciphertexts: Mapping[str, tuple[dict[str, JsonValue], ...]] = {}
    """Encrypted Secrets of the repository that the stack names, by file."""
    documents: Mapping[str, tuple[JsonValue, ...]] = {}
    """What the files of the repository hold that jobs name, by file."""
    overlaid: Mapping[str, str] = {}
    """A hash of the overlays of each job that has some, by the job's name."""
    components: Mapping[str, ComponentFact] = {}
    namespaces: tuple[NamespaceNeed, ...] = ()
    apis: frozenset[str] = frozenset()
    """Custom resources that the stack serves, as `Kind.group`."""
    resources: frozenset[str] = frozenset()
    """Extended resources that its components, or the cluster's own, put on nodes; patterns like `nvidia.com/mig-*`."""
    provisions: tuple[Provision, ...] = ()
    """Capabilities and who gives them."""
    existing: tuple[ExistingObject, ...] = ()
    """Objects that its configuration names as the cluster's own."""

    def __getattribute__(self, name: str) -> object:
        if name in _FACTS:
            note(name)
        return object.__getattribute__(self, name)

    def digest(self, facts: tuple[str, ...] | None = None) -> str:
        """A hash of the values of the named facts and of the answers to the named questions, or of all facts."""
        facts = facts if facts is not None else tuple(_FACTS)
        values = {name: self._answer(name) for name in sorted(facts)}
        return hashlib.sha256(orjson.dumps(values, default=_plain, option=orjson.OPT_SORT_KEYS)).hexdigest()

    def with_facts(self, **facts: object) -> Platform:
        """The same platform but for these facts."""
        made = Platform(**{**self.__dict__, **facts})
        object.__setattr__(made, "__class__", type(self))  # one that notes what is read in part goes on doing so
        return made

    def image(self, reference: str) -> str:
        """The reference as this cluster pulls it: through the stack's mirror where there is one."""
        return self.mirror.target(reference)

    @property
    def door(self) -> Ingress:
        """How traffic reaches the gateway, whatever the hosts are."""
        return cast("Ingress", self._ask(DOOR)).door()

    @property
    def mirror(self) -> Mirror:
        """Where images come from."""
        return Mirror(self.registry, tuple(sorted(self.mirrors.items())))

    def serves(self, api: str) -> bool:
        """Whether the stack has the custom resource `Kind.group`."""
        return bool(self._ask(f"serves:{api}"))

    def ciphertext(self, file: str) -> tuple[dict[str, JsonValue], ...]:
        """The encrypted Secrets that a file of the repository holds."""
        return cast("tuple[dict[str, JsonValue], ...]", self._ask(f"ciphertext:{file}"))

    def document(self, file: str) -> tuple[JsonValue, ...]:
        """The documents of a file of the repository that a job names."""
        return cast("tuple[JsonValue, ...]", self._ask(f"document:{file}"))

    def overlays_of(self, job: str) -> str:
        """A hash of the overlays of a job; empty where it has none."""
        return str(self._ask(f"overlaid:{job}"))

    def offers_resource(self, name: str) -> bool:
        """Whether some component puts the extended resource on nodes."""
        return bool(self._ask(f"resource:{name}"))

    def component(self, name: str) -> ComponentFact | None:
        """The component of that name, where the stack has it."""
        found = self._ask(f"component:{name}")
        return found if isinstance(found, ComponentFact) else None

    def instances(self, component: str) -> tuple[str, ...]:
        """Names under which a component of the catalogue is rendered, sorted; the component's own name comes first."""
        return tuple(cast("list[str]", self._ask(f"instances:{component}")))

    def all(self, capability: type[P]) -> tuple[Given[P], ...]:
        """Everybody who gives a capability, by name."""
        found = cast("tuple[Provision, ...]", self._ask(f"given:{capability.kind()}"))
        return tuple(Given(each.by, capability.from_file(dict(each.data)), each.provided) for each in found)

    def gives(self, kind: str) -> bool:
        """Whether anybody gives a capability, by its name in stack files: asked where its class may not be needed."""
        return bool(self._ask(f"given:{kind}"))

    def one(
        self, needed: type[P] | Need[P], *, uses: Mapping[str, str] | None = None, who: str = "the stack"
    ) -> Given[P]:
        """The provider of a capability; ConfigError where there is none, several, or the wrong one.

        `uses` says who is meant where there are several; `who` needs it, for the message.
        """
        found = self.maybe(needed, uses=uses, who=who)
        if found is None:
            given = self.all(needed.capability if isinstance(needed, Need) else needed)
            of_some = next((f"{each.by} gives one for some pools alone" for each in given if not _of_all(each)), "")
            raise ConfigError(f"{who} needs {needed.title}, and {of_some or 'nothing in the stack gives one'}")
        return found

    def maybe(
        self, needed: type[P] | Need[P], *, uses: Mapping[str, str] | None = None, who: str = "the stack"
    ) -> Given[P] | None:
        """The same, or None where there is no provider. Of what is gathered, any that serves will do."""
        wanted: Need[P] = needed if isinstance(needed, Need) else Need(needed)
        kind, title = wanted.kind, wanted.title
        given = tuple(filter(_of_all, self.all(wanted.capability)))
        named = {**self.uses, **(uses or {})}.get(kind)
        if named is not None:
            there = [each.by for each in given]
            given = tuple(each for each in given if each.by == named)
            if not given:
                raise ConfigError(f"{who} uses {named} as {title}, which does not give one", hint=nearest(named, there))
        fitting = [each for each in given if not wanted.misfit(each.value)]
        if wanted.capability.gathered:
            return fitting[0] if fitting else None
        if given and not fitting:
            why = "; ".join(f"{each.by} gives one, but {wanted.misfit(each.value)}" for each in given)
            raise ConfigError(f"{who} needs {title} with other features: {why}")
        if len(fitting) > 1:
            names = " and ".join(each.by for each in fitting)
            hint = f"say which: `uses: {{{kind}: {fitting[0].by}}}`, in the component or for the whole stack"
            raise ConfigError(f"{who} needs {title}, and {names} give one", hint=hint)
        return fitting[0] if fitting else None

    def storage_for(self, wanted: str, *, mode: AccessMode, who: str) -> ChosenStorage | None:
        """The entry of `storage` that serves a kind, or that is called so; see `choose`."""
        return choose(self.storage, self.storage_kinds, wanted, mode=mode, who=who)

    def pool(self, name: str) -> NodePool | None:
        """The node pool of that name."""
        return next((pool for pool in self.node_pools if pool.name == name), None)

    def _ask(self, question: str) -> object:
        note(question)
        return self._answer(question)

    def _answer(self, question: str) -> object:
        """A fact by its name, or the answer to a question `verb:subject`; nothing is recorded."""
        fact = partial(object.__getattribute__, self)
        verb, colon, subject = question.partition(":")
        if not colon:
            return fact(question)
        if question == DOOR:
            return fact("ingress").hostless()
        if verb == "serves":
            return subject in fact("apis")
        if verb == "resource":
            of_nodes = [name for pool in fact("node_pools") if pool.rdma.elsewhere for name in pool.rdma.resources()]
            return any(fnmatchcase(subject, pattern) for pattern in (*fact("resources"), *of_nodes))
        if verb == "component":
            return fact("components").get(subject)
        if verb == "instances":
            rendered = (
                name for name, each in fact("components").items() if each.component == subject and not each.provided
            )
            return sorted(rendered, key=lambda name: (name != subject, name))
        if verb == "ciphertext":
            return fact("ciphertexts").get(subject, ())
        if verb == "document":
            return fact("documents").get(subject, ())
        if verb == "overlaid":
            return fact("overlaid").get(subject, "")
        if verb == "given":
            return tuple(each for each in fact("provisions") if each.kind == subject)
        raise AssertionError(f"no fact and no question: {question}")


def _of_all(given: Given[P]) -> bool:
    return given.value.of_all_pools


_FACTS = frozenset(Platform.model_fields)


def _plain(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, frozenset):
        return sorted(value)
    raise TypeError(f"a fact of type {type(value).__name__} has no canonical form")
