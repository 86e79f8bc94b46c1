"""While Katib is away, a real API server makes every pod but those that may be a trial's."""

from __future__ import annotations

import pytest

from platform_def.reference.sample import rendered
from tests.cluster.client import Api, Manifest
from tests.cluster.control_plane import until
from tests.cluster.samples import namespace
from tests.cluster.snapshots import Boot

pytestmark = pytest.mark.cluster

LABEL = "katib.kubeflow.org/metrics-collector-injection"


def pod(name: str, home: str, *owner: str) -> Manifest:
    """A pod of nobody, or of an owner: API version and kind."""
    references = [{"apiVersion": owner[0], "kind": owner[1], "name": name, "uid": "1"}] if owner else []
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": home, "ownerReferences": references},
        "spec": {"containers": [{"name": "main", "image": "registry.example.com/app:1"}]},
    }


@pytest.fixture
def api(boot: Boot) -> Api:
    found = boot().api
    search = namespace("search")
    search["metadata"]["labels"][LABEL] = "enabled"
    accounts = [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": home}}
        for home in ("search", "other")
    ]
    made = [each.manifest for each in rendered("katib").objects if each.manifest["kind"].startswith("Mutating")]
    refused = [each.refusal for each in found.apply_all([search, namespace("other")])]
    refused += [each.refusal for each in found.apply_all([*accounts, *made])]
    assert refused == [""] * 5
    return found


def test_only_pods_that_may_be_trials_wait_for_katib(api: Api) -> None:
    notebook = pod("notebook-0", "search", "apps/v1", "StatefulSet")
    model = pod("model-1", "search", "apps/v1", "ReplicaSet")
    alone = pod("alone", "search")
    elsewhere = pod("elsewhere", "other", "batch/v1", "Job")
    trial = pod("trial", "search", "batch/v1", "Job")

    said = 'failed calling webhook "mutator.pod.katib.kubeflow.org"'
    until(lambda: said in api.apply(trial, dry_run=True).refusal, seconds=120, what="the webhook is asked")
    assert [api.apply(each).refusal for each in (notebook, model, alone, elsewhere)] == [""] * 4
