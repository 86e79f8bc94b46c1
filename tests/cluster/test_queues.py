"""Kueue, as a stack renders it, keeps the quotas that the stack says, on a real API server with a training operator.

Real: the API server with its admission, scheduler, job controller, training operator and Kueue with their own accounts,
rights, files, certificates and webhooks. Played: kubelets (kwok), nodes, the way from Services to programs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from platform_def.components.queues.kueue.metrics import COHORT_METRICS, METRICS, QUEUE_METRICS
from platform_def.constructs.observation.controllers import CONTROLLER_RUNTIME
from platform_def.errors import ConfigError
from platform_def.jobs.capacity import Capacity, QueueLine, capacity
from platform_def.manifests.rendered import RenderedStack
from platform_def.pipeline.synth import Options, render
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.fed import unfed
from tests.cluster.pods import start_operator
from tests.cluster.queue_stack import GPUS, RACK, machines, write_stack
from tests.cluster.queueing import QueueCluster, named, plain_job, queue_cluster
from tests.cluster.scrape import Page, faults, page_at
from tests.cluster.stacks import only_stack

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

GPU = "nvidia.com/gpu"
COMPONENTS = ("namespaces", "nvidia-device-plugin", "training-operator", "kueue")


@pytest.fixture(scope="module")
def queue_stack(tmp_path_factory: pytest.TempPathFactory) -> RenderedStack:
    """The stack, without an error."""
    return only_stack(write_stack(tmp_path_factory.mktemp("queues")))


@pytest.fixture(scope="module")
def told(queue_stack: RenderedStack) -> Capacity:
    """What `explain STACK capacity` says."""
    return capacity(queue_stack.platform, {})


@pytest.fixture(scope="module")
def running(
    queue_stack: RenderedStack,
    binaries: Mapping[str, Path],
    programs: Mapping[str, Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[QueueCluster]:
    """The cluster with both operators."""
    objects = [item.manifest for name in COMPONENTS for item in queue_stack.components[name].objects]
    folder = tmp_path_factory.mktemp("pki") / "front-proxy"
    with queue_cluster(binaries, programs, objects, machines=machines(), folder=folder) as cluster:
        with cluster.control_plane.explaining():
            start_operator(cluster.control_plane, programs, objects)
        yield cluster


@pytest.fixture
def queues(running: QueueCluster, request: pytest.FixtureRequest) -> Iterator[QueueCluster]:
    """The shared cluster without jobs; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    with running.clean():
        yield running


@pytest.fixture
def job(queue_stack: RenderedStack) -> Manifest:
    """The PyTorchJob of team vision as rendered: two pods with four GPUs each, all that its queue owns."""
    ((item,),) = queue_stack.jobs.values()
    return item.manifest


def test_a_job_within_its_quota_runs_to_its_end(queues: QueueCluster, job: Manifest, told: Capacity) -> None:
    queues.submit(job)
    pods = queues.wait_for_pods(job, 2)
    queues.wait(lambda: queues.used("vision")["train", GPU] == (own(told, "vision"), 0), "the queue counts")
    queues.finish(job)
    queues.wait_for(job, "Finished")

    assert {pod["spec"]["nodeSelector"]["pool"] for pod in pods} == {"train"}
    assert {pod["metadata"]["labels"]["training.kubeflow.org/job-name"] for pod in pods} == {job["metadata"]["name"]}


def test_a_job_over_its_quota_stays_suspended_and_synth_said_so(
    queues: QueueCluster, job: Manifest, told: Capacity, tmp_path: Path
) -> None:
    most = most_of(told, "vision")
    large = queues.submit(named(job, "too-large", workers=most // GPUS + 1))
    reason = f"insufficient quota for {GPU} in flavor train"
    queues.wait(lambda: reason in queues.condition(large, "QuotaReserved")[2], "Kueue says what it waits for", large)

    assert queues.control_plane.api.read(large).body["spec"]["runPolicy"]["suspend"] is True
    assert queues.pods(large) == []
    with pytest.raises(ConfigError, match=f"queue vision never has more than {most} of pool train"):
        render(Options(root=write_stack(tmp_path, workers=most // GPUS + 1)))


def test_a_queue_borrows_what_another_leaves_idle_up_to_its_limit(
    queues: QueueCluster, job: Manifest, told: Capacity
) -> None:
    most = most_of(told, "vision")
    large = queues.submit(named(job, "borrower", workers=most // GPUS))
    queues.wait_for_pods(large, most // GPUS)

    borrowed = most - own(told, "vision")
    queues.wait(lambda: queues.used("vision")["train", GPU] == (most, borrowed), f"{borrowed} are borrowed")


def test_an_owner_gets_back_what_it_lent(queues: QueueCluster, job: Manifest, told: Capacity) -> None:
    most = most_of(told, "vision")
    borrower = queues.submit(named(job, "borrower", workers=most // GPUS))
    queues.wait_for_pods(borrower, most // GPUS)
    owner = queues.submit(plain_job("owner", "speech", gpus=GPUS, pods=own(told, "speech") // GPUS, pool="train"))
    queues.wait_for_pods(owner, own(told, "speech") // GPUS)
    queues.wait_for(borrower, "Preempted")

    assert queues.condition(borrower, "Preempted")[1] == "InCohortReclamation"
    assert queues.flavors(owner) == {"main": "train"}
    assert queues.pods(borrower) == []


def test_a_higher_priority_goes_first_in_its_queue(queues: QueueCluster, job: Manifest) -> None:
    low = queues.submit(named(job, "low"))
    queues.wait_for_pods(low, 2)
    high = named(job, "high")
    high["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = "high"
    queues.submit(high)
    queues.wait_for_pods(high, 2)

    queues.wait_for(low, "Preempted")
    assert queues.condition(low, "Preempted")[1] == "InClusterQueue"


def test_pools_are_tried_in_their_order(queues: QueueCluster, told: Capacity) -> None:
    first = queues.submit(plain_job("first", "speech", gpus=GPUS, pods=2, queue="speech"))
    pods = queues.wait_for_pods(first, 2)
    second = queues.submit(plain_job("second", "speech", gpus=GPUS, queue="speech"))
    (other,) = queues.wait_for_pods(second, 1)

    assert queues.flavors(first) == {"main": "train"}
    assert all(
        {"key": "gpu", "value": "train", "effect": "NoSchedule", "operator": "Equal"} in pod["spec"]["tolerations"]
        for pod in pods
    )
    assert queues.flavors(second) == {"main": "spare"}
    assert other["spec"]["nodeSelector"]["pool"] == "spare"
    assert [own(told, "speech", each.pool) for each in told.pools] == [8, 4]


def test_a_plain_job_that_names_no_queue_waits_in_its_namespace_s(queues: QueueCluster) -> None:
    job = queues.submit(plain_job("nameless", "free", gpus=1))
    queues.wait_for_pods(job, 1)
    before = queues.workload(job)["spec"]["queueName"]
    queues.finish(job)
    queues.wait_for(job, "Finished")

    assert before == "default"


def test_who_owns_nothing_uses_what_is_idle(queues: QueueCluster, told: Capacity) -> None:
    idle = most_of(told, "free")
    assert idle == there(told)
    job = queues.submit(plain_job("guest", "free", gpus=GPUS, pods=idle // GPUS, queue="free"))
    queues.wait_for_pods(job, idle // GPUS)

    queues.wait(lambda: queues.used("free")["train", GPU] == (idle, idle), "all is borrowed")


def test_pods_of_a_job_are_placed_in_one_rack(queues: QueueCluster, job: Manifest) -> None:
    blocker = queues.submit(plain_job("blocker", "free", gpus=GPUS, queue="free", pool="train"))
    (other,) = queues.wait_for_pods(blocker, 1)
    queues.submit(job)
    pods = queues.wait_for_pods(job, 2)

    racks = {node["metadata"]["name"]: node["metadata"]["labels"][RACK] for node in machines()}
    taken = {racks[pod["spec"]["nodeName"]] for pod in pods}
    assert len(taken) == 1
    assert racks[other["spec"]["nodeName"]] not in taken


@pytest.mark.parametrize(("least", "runs"), [(None, 0), ("2", 4)])
def test_a_job_may_start_with_fewer_pods_where_it_says_so(
    queues: QueueCluster, told: Capacity, least: str | None, runs: int
) -> None:
    wide = plain_job("wide", "free", gpus=GPUS, pods=there(told) // GPUS + 1, queue="free")
    if least:
        wide["metadata"]["annotations"] = {"kueue.x-k8s.io/job-min-parallelism": least}
    queues.submit(wide)
    reason = f"insufficient quota for {GPU} in flavor train"
    if least:
        queues.wait_for_pods(wide, runs)
    else:
        queues.wait(lambda: reason in queues.condition(wide, "QuotaReserved")[2], "Kueue says what it waits for", wide)

    assert len(queues.pods(wide)) == runs == (there(told) // GPUS if least else 0)


def test_people_see_their_place_in_a_queue(queues: QueueCluster, job: Manifest, told: Capacity) -> None:
    waiting = queues.submit(named(job, "waiting", workers=most_of(told, "vision") // GPUS + 1))
    queues.wait_for(waiting, "QuotaReserved", status="False")

    queues.wait(lambda: len(queues.pending("vision")) == 1, "one job waits")
    (found,) = queues.pending("vision")
    assert found["positionInClusterQueue"] == 0
    assert found["metadata"]["ownerReferences"][0]["name"] == "waiting"


def test_what_kueue_counts_is_what_its_tables_say(
    queues: QueueCluster, job: Manifest, told: Capacity, programs: Mapping[str, Path]
) -> None:
    most = most_of(told, "vision")
    borrower = queues.submit(named(job, "borrows-and-counts", workers=most // GPUS))
    queues.wait_for_pods(borrower, most // GPUS)
    pages = [kueue_page(queues)]
    owner = queues.submit(plain_job("owns", "speech", gpus=GPUS, pods=own(told, "speech") // GPUS, pool="train"))
    queues.wait_for_pods(owner, own(told, "speech") // GPUS)
    queues.wait_for(borrower, "Preempted")
    queues.finish(owner)
    queues.wait_for(owner, "Finished")
    pages.append(kueue_page(queues))
    # What was put back starts again.
    queues.wait_for_pods(borrower, most // GPUS)
    pages.append(kueue_page(queues))

    tables = [METRICS, QUEUE_METRICS, COHORT_METRICS, CONTROLLER_RUNTIME]
    assert faults(pages[1], tables, program=programs["kueue"]) == []
    assert unfed("kueue", pages, engine=programs["prometheus-engine"]) == []


def kueue_page(queues: QueueCluster) -> Page:
    """What Kueue serves."""
    return page_at(queues.control_plane, 8443, https=True, token=queues.control_plane.pki.token)


@pytest.mark.parametrize(
    ("resource", "verbs"),
    [("pytorchjobs", {"update", "patch"}), ("workloads", {"create"}), ("workloads/status", {"update", "patch"})],
)
def test_without_a_right_of_its_role_no_job_starts(
    running: QueueCluster, job: Manifest, resource: str, verbs: set[str]
) -> None:
    with running.without("kueue-manager-role", resource, verbs):
        running.submit(named(job, f"no-{resource.replace('/', '-')}"))
        running.wait(
            lambda: any(resource.partition("/")[0] in line for line in running.controller.forbidden()), "it is refused"
        )

        assert running.pods(running.made[-1]) == []


def line(told: Capacity, queue: str, pool: str) -> QueueLine:
    (found,) = (each for each in told.queues if (each.queue, each.pool) == (queue, pool))
    return found


def own(told: Capacity, queue: str, pool: str = "train") -> int:
    return line(told, queue, pool).own


def most_of(told: Capacity, queue: str, pool: str = "train") -> int:
    return line(told, queue, pool).most


def there(told: Capacity, pool: str = "train") -> int:
    (found,) = (each for each in told.pools if each.pool == pool)
    return found.there
