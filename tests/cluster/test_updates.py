"""The table of refused updates is what a real API server says, wherever the live object does not decide."""

from __future__ import annotations

from dataclasses import replace

import pytest

from platform_def.manifests.loose import at, items
from tests.cluster.client import Api, Manifest
from tests.cluster.control_plane import until
from tests.cluster.snapshots import Boot
from tests.unit.manifests.updates import Update, merged, updates

pytestmark = pytest.mark.cluster

UPDATES = [*updates()]
EXPANDS: Manifest = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "StorageClass",
    "metadata": {"name": "expands"},
    "provisioner": "csi.example.com",
    "allowVolumeExpansion": True,
}

ACCOUNT: Manifest = {
    "apiVersion": "v1",
    "kind": "ServiceAccount",
    "metadata": {"name": "default", "namespace": "default"},
}
"""Without it no pod is taken; elsewhere a controller makes it."""


@pytest.fixture
def server(boot: Boot) -> Api:
    """An API server on which every object of the table is as it was, with a class that allows expansion."""
    control_plane = boot()
    api = control_plane.api
    with control_plane.explaining():
        made = [api.apply(manifest) for manifest in (ACCOUNT, EXPANDS, *_objects())]
        assert [str(each) for each in made if each.refusal] == []
        until(lambda: _are_established(api), seconds=30, what="definitions are established")
    return api


def _objects() -> list[Manifest]:
    return list({str(update.old["metadata"] | {"kind": update.old["kind"]}): update.old for update in UPDATES}.values())


def _are_established(api: Api) -> bool:
    crds = (api.read(one).body for one in _objects() if one["kind"] == "CustomResourceDefinition")
    return all(
        any(each["type"] == "Established" and each["status"] == "True" for each in items(at(crd, "status.conditions")))
        for crd in crds
    )


def test_the_api_server_refuses_and_takes_what_the_table_says(server: Api) -> None:
    asked = [update for update in UPDATES if update.answer in ("refused", "taken")]
    answers = server.apply_all([update.new for update in asked], dry_run=True)
    wrong = [
        f"{update.case}: {answer.refusal or 'taken'}"
        for update, answer in zip(asked, answers, strict=True)
        if (update.answer == "refused") != bool(answer.refusal)
    ]

    assert wrong == [], "\n".join(wrong)


def test_what_a_cluster_has_stored_is_read_as_what_was_applied(server: Api) -> None:
    """`check --previous` takes a dump of a cluster: what the server has filled in is no change."""
    wrong = []
    for update in UPDATES:
        stored = replace(update, old=server.read(update.old).body)
        if update.answer == "taken" and stored.found():
            wrong.append(f"{update.case}: {stored.found()}")
        elif update.answer == "refused" and _is_seen(update) and not stored.found():
            wrong.append(f"{update.case}: not found")

    assert wrong == [], "\n".join(wrong)


def _is_seen(update: Update) -> bool:
    """Whether the change is visible next to an object that the server may have filled in."""
    return _says_all(update.old, update.new) and not update.rows[0].endswith("-strategy")


def _says_all(old: object, new: object) -> bool:
    """Whether no field is removed: a stored object does not say who set a field."""
    if isinstance(old, dict) and isinstance(new, dict):
        return all(key in new and _says_all(value, new[key]) for key, value in old.items())
    return True


def test_it_takes_without_effect_what_the_table_says_has_none(server: Api) -> None:
    for update in (each for each in UPDATES if each.answer == "without effect"):
        before = server.read(update.old).body
        answer = server.apply(update.new, dry_run=True)
        [[found]] = update.found().values()

        assert not answer.refusal, f"{update.case}: {answer}"
        assert at(answer.stored, found.path) == at(before, found.path) == at(update.old, found.path)


def test_the_live_object_decides_where_the_table_asks(server: Api) -> None:
    """What is refused of the object as it was made is taken of the live one, or the other way round."""
    wrong = []
    for update in (each for each in UPDATES if each.answer == "asked"):
        made = server.apply(update.new, dry_run=True).refusal
        _alter(server, update)
        live = server.apply(update.new, dry_run=True).refusal
        wrong += [f"{update.case}: {made or 'taken'}; {live or 'taken'}"] if bool(made) == bool(live) else []
        _restore(server, update)

    assert wrong == [], "\n".join(wrong)


def _alter(api: Api, update: Update) -> None:
    if "spec" in update.live:
        _remove(api, update.old)
        made = api.apply(merged(update.old, update.live))
        assert not made.refusal, f"{made}"
    else:
        path = f"{api.path(update.old)}/status"
        reply = api.request("PATCH", path, update.live, content="application/merge-patch+json")
        assert reply.status == 200, f"{update.case}: {reply.message}"


def _restore(api: Api, update: Update) -> None:
    _remove(api, update.old)
    made = api.apply(update.old)
    assert not made.refusal, f"{made}"


def _remove(api: Api, manifest: Manifest) -> None:
    """Without a controller no finalizer is ever taken away."""
    path = str(api.path(manifest))
    api.request("PATCH", path, {"metadata": {"finalizers": None}}, content="application/merge-patch+json")
    api.request("DELETE", path, {"propagationPolicy": "Background"})
    until(lambda: api.read(manifest).status == 404, seconds=30, what=f"{manifest['kind']} is gone")
