"""What every engine is asked: bring a sample stack to an empty cluster, leave it alone, and follow Git."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from tests.cluster.client import Api, Key, Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.engines import state
from tests.cluster.engines.conftest import EmptyCluster
from tests.cluster.engines.repository import NOTHING, PlatformRepository
from tests.cluster.engines.stand_ins import StandIns
from tests.cluster.samples import crd
from tests.cluster.stacks import REPOSITORY
from tests.cluster.waves import refusals

KEPT = ("CustomResourceDefinition ", "Namespace ", "PersistentVolume", "Profile")
"""What no removal takes along."""
FINALIZER = "platform-def.test/operator"
"""Of an operator that must see a custom resource go."""


class Engine(Protocol):
    """Argo CD, or Flux."""

    manager: str
    """The field manager that it applies under."""

    def bootstrap(self, repository: PlatformRepository) -> None:
        """Hand the repository over, as `platformctl bootstrap` says."""

    def look(self) -> None:
        """Have the repository read now."""

    def visit(self) -> None:
        """Have every part looked at now, instead of at its next interval."""

    def look_again(self, repository: PlatformRepository) -> None:
        """Have everything compared and applied once more, and wait until that is done."""

    def keeps(self, name: str) -> bool:
        """Whether the engine was told to remove the object of a part, and was refused."""

    def told(self) -> str:
        """What the engine's objects say of themselves."""

    def until(self, condition: Callable[[], bool], *, seconds: float, what: str) -> None:
        """Wait until a condition holds; TimeoutError says what the engine says."""

    def wait(self, repository: PlatformRepository, revision: str) -> None:
        """Wait until everything in the repository is applied and healthy at a revision."""


class Running(Protocol):
    """Programs of a platform that run beside those that are played: `operators.py`."""

    @property
    def images(self) -> Mapping[str, object]:
        """What their containers are made of, by the names of their images."""

    @property
    def apart(self) -> Collection[str]:
        """Namespaces of which all pods are played."""

    @property
    def real(self) -> Collection[str]:
        """Services whose webhooks they answer, and kinds whose objects they make ready."""

    def flags(self, folder: Path) -> tuple[str, ...]:
        """Those that the API server needs for them; `folder` is for their files."""

    def at_work(self, control_plane: ControlPlane) -> AbstractContextManager[None]:
        """Have their pods run."""


E = TypeVar("E", bound=Engine)


@dataclass(frozen=True)
class Delivered(Generic[E]):
    """A cluster on which everything is applied and healthy."""

    control_plane: ControlPlane
    repository: PlatformRepository
    engine: E
    stand_ins: StandIns

    @property
    def api(self) -> Api:
        """The cluster's."""
        return self.control_plane.api

    def follow(self, revision: str) -> None:
        """Have a commit delivered."""
        self.engine.look()
        self.engine.wait(self.repository, revision)


@contextmanager
def delivered(
    empty_cluster: EmptyCluster, stack: str, folder: Path, start: Callable[[ControlPlane], E]
) -> Iterator[Delivered[E]]:
    """From an empty cluster to a healthy one with what the bootstrap text says, and nothing by hand."""
    with handed_over(empty_cluster, stack, folder, start) as there:
        there.engine.wait(there.repository, there.repository.revision)
        yield there


@contextmanager
def handed_over(
    empty_cluster: EmptyCluster,
    stack: str,
    folder: Path,
    start: Callable[[ControlPlane], E],
    *,
    text: str = "",
    own: Mapping[str, Sequence[Manifest]] = NOTHING,
    source: Path = REPOSITORY,
    prepare: Callable[[Api, PlatformRepository], None] = lambda _, __: None,
    real: Collection[str] = (),
    answered_by_pods: bool = False,
    operators: Running | None = None,
) -> Iterator[Delivered[E]]:
    """A cluster whose engine has just been told where to read; `text`, `own` and `source` are the repository's.

    It is empty but for what `prepare` makes. `real`: namespaces or Services whose webhooks, and kinds whose objects, have no
    stand-in, nor has what `operators` do; with `answered_by_pods` the stand-ins wait for the webhooks' pods.
    """
    flags = operators.flags(folder / "authorities") if operators else ()
    running: Collection[str] = operators.images if operators else ()
    apart = operators.apart if operators else ()
    real = [*real, *(operators.real if operators else ())]
    with (
        empty_cluster(flags=flags, leaving=running, apart=apart) as control_plane,
        placed(
            control_plane,
            stack,
            folder,
            start,
            text=text,
            own=own,
            source=source,
            prepare=prepare,
            real=real,
            answered_by_pods=answered_by_pods,
            operators=operators,
        ) as there,
    ):
        yield there


@contextmanager
def placed(
    control_plane: ControlPlane,
    stack: str,
    folder: Path,
    start: Callable[[ControlPlane], E],
    *,
    text: str = "",
    own: Mapping[str, Sequence[Manifest]] = NOTHING,
    source: Path = REPOSITORY,
    prepare: Callable[[Api, PlatformRepository], None] = lambda _, __: None,
    real: Collection[str] = (),
    answered_by_pods: bool = False,
    operators: Running | None = None,
) -> Iterator[Delivered[E]]:
    """The same on a cluster that runs; `real` has what `operators` do too."""
    repository = PlatformRepository(folder, stack, control_plane.sandbox, text=text, own=own, source=source)
    prepare(control_plane.api, repository)
    stand_ins = StandIns(
        control_plane,
        repository.manifests(),
        real=real,
        running=operators.images if operators else (),
        apart=operators.apart if operators else (),
        answered_by_pods=answered_by_pods,
    )
    with operators.at_work(control_plane) if operators else nullcontext(), stand_ins:
        engine = start(control_plane)
        engine.bootstrap(repository)
        yield Delivered(control_plane, repository, engine, stand_ins)
        for line in sorted(stand_ins.told):
            print(line)


def keeps_what_is_in_git(there: Delivered[E], old: str, new: str) -> None:
    """Nothing is missing, nobody else writes what Git says, a second look moves nothing, and replacing `old` in the stack
    moves what differs in dist/."""
    api, repository = there.api, there.repository
    assert [each for each in repository.manifests() if api.read(each).status != 200] == []
    applied = api.apply_all(repository.manifests(), dry_run=True, force=False, manager=there.engine.manager)
    refused = refusals(applied)
    assert refused == [], "\n".join(refused)
    before = state.objects(api)
    there.engine.look_again(repository)
    after = state.objects(api)
    assert state.names(state.changed(before, after) | (before.keys() ^ after.keys())) == []

    said = repository.manifests()
    there.follow(repository.change(old, new))
    moved = state.changed(after, state.objects(api))
    assert state.names(moved) == state.names(state.differing(said, repository.manifests())) != []


def leaves_alone(there: Delivered[E], objects: Sequence[Manifest]) -> None:
    """A second look writes none of these objects, not even as they are."""
    versions = [there.api.read(each).body["metadata"]["resourceVersion"] for each in objects]
    there.engine.look_again(there.repository)
    assert [there.api.read(each).body["metadata"]["resourceVersion"] for each in objects] == versions


def removes(
    there: Delivered[E], component: str, operator: Manifest, held: Manifest, *, needing: Sequence[str] = ()
) -> None:
    """A component that goes takes its objects along, but for what holds data and for what others may live in.

    Its operator goes last: it may have to let go of a custom resource, here `held`, before that can leave. Components
    that cannot do without it (`needing`) go in the same commit.
    """
    api, engine = there.api, there.engine
    before = state.objects(api)
    set_finalizers(api, held, [FINALIZER])
    revision = there.repository.retire(component, *needing)
    engine.look()
    engine.until(partial(leaves, api, held), seconds=180, what="the resource is to go")
    engine.until(lambda: engine.keeps(f"{component}-main"), seconds=180, what="the operator is to go, and is kept")
    assert not leaves(api, operator)

    set_finalizers(api, held, [])
    engine.look()
    engine.wait(there.repository, revision)
    left = state.names(before.keys() - state.objects(api).keys())
    assert {*state.names([Key.of(operator), Key.of(held)])} <= {*left}
    assert [name for name in left if name.startswith(KEPT)] == []


def removes_a_chain_at_once(there: Delivered[E]) -> None:
    """Components of which each holds a custom resource of the next one's kind go in one commit, the last one last.

    An operator lets go of resources of its kind, and only then these leave.
    """
    api, engine = there.api, there.engine
    kinds = {each["kind"]: each for objects in CHAIN.values() for each in objects if each["kind"] in ("Left", "Right")}
    for each in kinds.values():
        set_finalizers(api, each, [FINALIZER])
    revision = there.repository.retire(*CHAIN)
    for kind, operator in (("Right", "right"), ("Left", "left")):
        engine.look()
        engine.until(partial(leaves, api, kinds[kind]), seconds=180, what=f"{kind} is to go")
        engine.until(partial(engine.keeps, f"{operator}-main"), seconds=180, what=f"{operator} is kept")
        program = next(each for each in CHAIN[operator] if each["kind"] == "Deployment")
        assert not leaves(api, program)
        set_finalizers(api, kinds[kind], [])
    engine.look()
    engine.wait(there.repository, revision)
    left = [each for objects in CHAIN.values() for each in objects if api.read(each).status == 200]
    assert {each["kind"] for each in left} == {"CustomResourceDefinition"}


def _operator(name: str) -> Sequence[Manifest]:
    container = {
        "name": name,
        "image": "registry.example.com/operator:1.0.0",
        "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}},
    }
    pod = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}}
    program = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": name},
        "spec": {"selector": {"matchLabels": {"app": name}}, "template": pod},
    }
    return crd(name.title(), group=f"{name}.example.com"), program


def _held(kind: str, namespace: str) -> Manifest:
    group, place = f"{kind}.example.com", {"name": "held", "namespace": namespace}
    return {"apiVersion": f"{group}/v1", "kind": kind.title(), "metadata": place, "spec": {"size": 1}}


CHAIN: Mapping[str, Sequence[Manifest]] = {
    "users": (_held("right", "users"),),
    "right": (*_operator("right"), _held("left", "right")),
    "left": _operator("left"),
}
"""Components of the user's own: the first holds a custom resource of the second's kind, that one of the third's."""
CHAIN_STACK = "".join(f"  {name}: {{path: apps/{name}, namespace: {name}}}\n" for name in CHAIN)
"""Their lines of the stack's file."""


_ODD = crd("Odd", group="odd.example.com")
OTHERS: Mapping[str, Sequence[Manifest]] = {
    "others": (
        {
            **_ODD,
            "spec": {**_ODD["spec"], "preserveUnknownFields": False},
            "status": {"acceptedNames": {"kind": "", "plural": ""}, "conditions": [], "storedVersions": []},
        },
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": {"name": "odd-view"},
            "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"odd.example.com/view": "true"}}]},
            "rules": [],
        },
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": {"name": "odd-reader", "labels": {"odd.example.com/view": "true"}},
            "rules": [{"apiGroups": ["odd.example.com"], "resources": ["odds"], "verbs": ["get", "list"]}],
        },
    )
}
"""What manifests of others hold, and engines were seen to beat on for ever: fields that the server itself writes."""
OTHERS_STACK = "  others: {path: apps/others, namespace: others}\n"
"""Its line of the stack's file."""


def leaves(api: Api, item: Manifest) -> bool:
    """Whether an object that is there was told to go."""
    return "deletionTimestamp" in api.read(item).body["metadata"]


def set_finalizers(api: Api, item: Manifest, names: list[str]) -> None:
    """Write who must let go of an object before it can leave."""
    reply = api.request(
        "PATCH", api.path(item) or "", {"metadata": {"finalizers": names}}, content="application/merge-patch+json"
    )
    assert reply.status == 200, reply.message


def starts_a_job_once(
    there: Delivered[E], job: str, started: tuple[str, str], moved: tuple[str, str], *, kind: str = "PyTorchJob"
) -> None:
    """A job with `sync: true` is made, and stays the same one when its images move.

    `started` and `moved` are texts of the stack with what replaces them.
    """
    there.follow(there.repository.change(*started))
    first = _jobs(there.api, job, kind)
    ((*_, images),) = first.values()
    there.follow(there.repository.change(*moved))
    assert _jobs(there.api, job, kind) == first
    rendered = [each for each in there.repository.manifests(f"_jobs/{job}", jobs=True) if each["kind"] == kind]
    assert [_images(each) & images for each in rendered] == [frozenset()], "a job that stays alike shows nothing"


def _jobs(api: Api, job: str, kind: str) -> dict[Key, tuple[str, int, frozenset[str]]]:
    """Which objects a job has, each with what tells it from another of its name, its generation, and its images."""
    return {
        key: (str(each["metadata"]["uid"]), int(each["metadata"]["generation"]), _images(each))
        for key, each in state.objects(api).items()
        if key.kind == kind and each["metadata"]["labels"].get("app.kubernetes.io/instance") == job
    }


def _images(job: Manifest) -> frozenset[str]:
    """Those of all roles."""
    (roles,) = (value for key, value in job["spec"].items() if key.endswith("ReplicaSpecs"))
    pods = [role["template"]["spec"] for role in roles.values()]
    return frozenset(str(each["image"]) for pod in pods for each in pod["containers"])
