"""Stacks that take turns on one control plane with one Argo CD: what both need to start is spent once.

Each finds the cluster as empty as the first one did: what the stack before has brought is deleted, and that is held.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

from platform_def.delivery.target import ROOT
from tests.cluster.client import Api, Key, Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.engines import state
from tests.cluster.engines.argocd import APPLICATIONS, INSTALLED, ArgoCd
from tests.cluster.engines.repository import PlatformRepository
from tests.cluster.engines.story import Delivered, placed

SECONDS = 300.0
"""How long it may take until nothing of a stack is left."""
FIRST = frozenset(
    {
        "MutatingAdmissionPolicyBinding",
        "MutatingWebhookConfiguration",
        "ValidatingAdmissionPolicyBinding",
        "ValidatingWebhookConfiguration",
    }
)
"""Kinds whose objects could refuse that others go."""
OWN_FINALIZERS = frozenset({"CustomResourceDefinition", "Namespace"})
"""Kinds that the servers themselves finish, once what is in them is gone."""
NODES, PODS = "/api/v1/nodes", "/api/v1/pods"
MERGE = "application/merge-patch+json"


class Turns:
    """One control plane, and stacks on it one after the other; a new one after a turn that left something behind."""

    def __init__(
        self,
        start: Callable[[], AbstractContextManager[ControlPlane]],
        install: Callable[[ControlPlane], ArgoCd],
        until: ExitStack,
    ) -> None:
        """`start` and `install` make what is shared, which ends with `until`."""
        self._start, self._install, self._until = start, install, until
        self._there: tuple[ControlPlane, ArgoCd, Mapping[Key, Manifest], frozenset[str]] | None = None

    @contextmanager
    def turn(
        self,
        stack: str,
        folder: Path,
        *,
        text: str,
        source: Path,
        prepare: Callable[[Api, PlatformRepository], None],
    ) -> Iterator[Delivered[ArgoCd]]:
        """A cluster whose Argo CD has just been told where to read; TimeoutError where it does not get empty again."""
        control_plane, engine, before, nodes = self._shared()
        placing = placed(
            control_plane,
            stack,
            folder,
            lambda _: engine,
            text=text,
            source=source,
            prepare=prepare,
            answered_by_pods=True,
        )
        self._there = None
        with placing as there:
            try:
                yield there
            finally:
                # Webhooks that convert must answer until the last object is gone.
                there.stand_ins.answer()
                empty(there.api, before, nodes)
                there.repository.vanish()
                engine.restart()
        self._there = control_plane, engine, before, nodes

    def _shared(self) -> tuple[ControlPlane, ArgoCd, Mapping[Key, Manifest], frozenset[str]]:
        if self._there is None:
            self._until.close()
            control_plane = self._until.enter_context(self._start())
            engine = self._install(control_plane)
            before = state.objects(control_plane.api)
            self._there = control_plane, engine, before, frozenset(_names(control_plane.api, NODES))
        return self._there


def empty(api: Api, before: Mapping[Key, Manifest], nodes: frozenset[str]) -> None:
    """Delete all that was not there `before`, without finalizers, and take back what Argo CD was told of a stack."""
    _forget(api)
    deadline = time.monotonic() + SECONDS
    while left := _left(api, before, nodes):
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {SECONDS:g} s: the cluster is empty; left are {', '.join(left)[:2000]}")
        time.sleep(1)
    after = state.objects(api)
    assert state.names(before.keys() - after.keys()) == []


def _forget(api: Api) -> None:
    """Argo CD's own objects first: it would bring the others back, or delete them itself."""
    settings = INSTALLED[0]
    nothing = {key: value for key, value in settings.items() if key != "data"}
    assert not api.apply(nothing, manager=ArgoCd.manager).refusal
    for key in (key for key in state.objects(api) if key.kind in FIRST):
        _delete(api, key)
    found = [each["metadata"]["name"] for each in api.get(APPLICATIONS).body.get("items") or ()]
    for name in sorted(found, key=lambda name: name != ROOT):
        api.request("PATCH", f"{APPLICATIONS}/{name}", {"metadata": {"finalizers": None}}, content=MERGE)
        api.request("DELETE", f"{APPLICATIONS}/{name}", {})


def _left(api: Api, before: Mapping[Key, Manifest], nodes: frozenset[str]) -> list[str]:
    """What is still there, after it was told to go."""
    there = state.objects(api)
    homes = {key.name for key in before if key.kind == "Namespace"}
    left = {key: there[key] for key in there.keys() - before.keys()}
    for key, each in sorted(left.items(), key=lambda item: (item[0].kind not in FIRST, item[0])):
        leaving = "deletionTimestamp" in each["metadata"]
        if not leaving and (not key.namespace or key.namespace in homes):
            _delete(api, key)
        if leaving and key.kind not in OWN_FINALIZERS and each["metadata"].get("finalizers"):
            patch = {"metadata": {"finalizers": None}}
            api.request("PATCH", api.path(_named(key)) or "", patch, content=MERGE)
    running = [each["metadata"] for each in api.get(PODS).body.get("items") or ()]
    for each in running:
        if "deletionTimestamp" in each:
            # Its node may be gone, and with it the kubelet that would end it.
            path = f"/api/v1/namespaces/{each['namespace']}/pods/{each['name']}"
            api.request("DELETE", path, {"gracePeriodSeconds": 0})
    others = _names(api, NODES) - nodes
    for name in others:
        api.request("DELETE", f"{NODES}/{name}", {})
    more = [*(f"Node {name}" for name in others), *(f"Pod {each['namespace']}/{each['name']}" for each in running)]
    return [*state.names(left.keys()), *more]


def _delete(api: Api, key: Key) -> None:
    api.request("DELETE", api.path(_named(key)) or "", {"propagationPolicy": "Background"})


def _named(key: Key) -> Manifest:
    place = {"namespace": key.namespace} if key.namespace else {}
    return {"apiVersion": key.api_version, "kind": key.kind, "metadata": {"name": key.name, **place}}


def _names(api: Api, path: str) -> set[str]:
    return {each["metadata"]["name"] for each in api.get(path).body.get("items") or ()}
