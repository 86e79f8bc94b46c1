"""What becomes of every template on a pool with RoCE: it trains there in `make job-test`, is refused at the job's line, or
takes no fabric. A new template is in none of the lists and fails here until somebody says which.
"""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from platform_def.jobs.templates import BUILT_IN
from tests.cluster.frameworks import EVERY
from tests.cluster.not_trained import NOT_ON_FABRIC
from tests.unit.jobs.platforms import MINIMAL, PLATFORM, TRAIN, configured, problems

POLICED = PLATFORM.with_facts(
    teams=(PLATFORM.teams[0].from_file({"name": "vision", "podSecurity": "privileged", "network": "open"}),),
    node_pools=(TRAIN.model_copy(update={"nodes": 8}),),
)
ON_FABRIC = {str(job["template"]) for job in EVERY if job.get("rdma")}
SAID = {"team": "vision", "pool": "train", "rdma": True}


def takes_none(name: str) -> bool:
    """Whether the template has no word for a fabric: what it says is refused as unknown."""
    try:
        configured(name, **{**MINIMAL[name], **SAID})
    except ValidationError as error:
        return [each["loc"][-1] for each in error.errors()] == ["rdma"]
    return False


WITHOUT_WORD = {name for name in BUILT_IN if takes_none(name)}
REFUSED = {
    name
    for name in {*BUILT_IN} - WITHOUT_WORD
    if [field for field, _ in problems(name, POLICED, **{**MINIMAL[name], **SAID})] == ["rdma"]
}


def test_every_template_trains_on_roce_or_is_refused_or_takes_no_fabric() -> None:
    lists = (ON_FABRIC, REFUSED, WITHOUT_WORD, NOT_ON_FABRIC.keys())

    assert set().union(*lists) == {*BUILT_IN}
    assert sum(map(len, lists)) == len(BUILT_IN)


def test_what_exchanges_nothing_is_refused_with_the_reason() -> None:
    assert {
        "caffe",
        "chainer",
        "dataset-load",
        "dataset-prepare",
        "offline-inference",
        "queue-workers",
        "tensorflow-ps",
    } == REFUSED
    said = {name: problems(name, POLICED, **{**MINIMAL[name], **SAID})[0][1] for name in sorted(REFUSED)}
    assert said["caffe"] == "Caffe trains in one pod, and exchanges nothing with others; leave it out"
    assert said["dataset-load"] == "sources are fetched over TCP; leave it out"
    assert said["queue-workers"] == "workers of a queue do not know each other; leave it out"
    assert said["chainer"] == "Chainer in one pod exchanges nothing with others; leave it out"


def test_chainer_s_pods_are_not_put_into_the_network_of_their_nodes() -> None:
    several = {**MINIMAL["chainer"], "workers": 2, "gpusPerWorker": 4}
    (found,) = problems("chainer", POLICED, **several, **SAID)
    text = "the operator's script knows the master by the name of its host, which is the node's there"
    shared = TRAIN.rdma.model_copy(update={"kind": "infiniband"})
    infiniband = POLICED.with_facts(node_pools=(TRAIN.model_copy(update={"rdma": shared}),))

    assert found == ("rdma", f"{text}; leave it out: gradients go over the cluster's network")
    assert problems("chainer", POLICED, **several, team="vision", pool="train") == []
    assert problems("chainer", infiniband, **several, **SAID) == []


@pytest.mark.parametrize("kvstore", ["local", "device"])
def test_insightface_in_one_pod_has_nothing_to_exchange(kvstore: str) -> None:
    said = {**MINIMAL["insightface"], "kvstore": kvstore, "workers": 1}
    (found,) = problems("insightface", POLICED, **said, **SAID)

    assert found[0] == "rdma"
    assert problems("insightface", POLICED, **said, team="vision", pool="train") == []
