"""gpu-admission: a second scheduler that chooses cards, for pods that ask for it."""

from __future__ import annotations

from typing import Any

from platform_def import yaml
from platform_def.components.gpu.gpu_admission.component import GpuAdmission, GpuAdmissionConfig
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.constructs.render import render
from platform_def.jobs.placement import place
from tests.unit.built import setting, stack_of

IMAGE = "registry.example.com/gpu-admission:1"
POOL = NodePool.from_file(
    {"name": "share", "gpu": {"model": "t4", "perNode": 4, "sharing": {"mode": "vgpu", "replicas": 4}}}
)


def objects(config: dict[str, Any] | None = None, **facts: Any) -> dict[str, Any]:
    chosen = GpuAdmissionConfig.from_file({"image": IMAGE, **(config or {})})
    build = render(lambda scope: GpuAdmission(scope, config=chosen, platform=Platform(**facts)))
    return {f"{made.manifest['kind']}/{made.manifest['metadata']['name']}": made.manifest for made in build.objects}


def containers(made: dict[str, Any]) -> dict[str, Any]:
    spec = made["Deployment/gpu-admission"]["spec"]["template"]["spec"]
    return {container["name"]: container for container in spec["containers"]}


def scheduler(made: dict[str, Any]) -> Any:
    return yaml.load(made["ConfigMap/gpu-admission-scheduler"]["data"]["config.yaml"])


def refusals(config: dict[str, Any]) -> list[str]:
    return [each.text for each in GpuAdmission.problems(setting(GpuAdmission, config))]


def test_jobs_with_virtual_gpus_ask_for_its_scheduler() -> None:
    platform = stack_of({"gpu-admission": {}}, node_pools=(POOL,))
    pod = place("share", gpus=1, rdma=False, platform=platform).pod({"name": "main"}, shared_memory="1Gi")
    (profile,) = scheduler(objects())["profiles"]

    assert pod["schedulerName"] == profile["schedulerName"]


def test_it_is_asked_about_the_resources_that_jobs_ask_for_alone() -> None:
    (extender,) = scheduler(objects())["extenders"]
    limits = place("share", gpus=1, rdma=False, platform=Platform(node_pools=(POOL,))).limits()

    assert {resource["name"] for resource in extender["managedResources"]} == set(limits)
    assert extender["ignorable"] is False


def test_the_extender_listens_where_the_scheduler_asks_and_to_nobody_else() -> None:
    made = objects()
    (extender,) = scheduler(made)["extenders"]
    container = containers(made)["gpu-admission"]

    assert extender["urlPrefix"] == "http://127.0.0.1:3456/scheduler"
    assert "--address=127.0.0.1:3456" in container["args"]
    assert "ports" not in container
    assert "hostNetwork" not in made["Deployment/gpu-admission"]["spec"]["template"]["spec"]


def test_the_scheduler_has_the_clusters_version_unless_an_image_is_named() -> None:
    assert containers(objects(kubernetes="1.34"))["kube-scheduler"]["image"] == "registry.k8s.io/kube-scheduler:v1.34.0"
    assert containers(objects({"schedulerImage": "registry.example.com/s:1"}))["kube-scheduler"]["image"] == (
        "registry.example.com/s:1"
    )


def test_one_of_two_schedulers_works() -> None:
    made = objects(availability="ha")

    assert made["Deployment/gpu-admission"]["spec"]["replicas"] == 2
    assert scheduler(made)["leaderElection"]["leaderElect"] is True
    assert made["Role/gpu-admission"]["rules"][1]["resourceNames"] == [
        scheduler(made)["leaderElection"]["resourceName"]
    ]


def test_the_lease_is_in_the_components_namespace() -> None:
    made = objects({"namespace": "schedulers"})

    assert scheduler(made)["leaderElection"]["resourceNamespace"] == "schedulers"
    assert made["Role/gpu-admission"]["metadata"]["namespace"] == "schedulers"


def test_a_changed_configuration_restarts_the_scheduler() -> None:
    first, second = (
        objects({"namespace": name})["Deployment/gpu-admission"]["spec"]["template"]["metadata"]["annotations"]
        for name in ("a", "b")
    )

    assert first != second


def test_an_image_is_required() -> None:
    assert refusals({"image": IMAGE}) == []
    assert refusals({}) == [
        "components.gpu-admission: image is missing: upstream's manifest names one that no registry has"
    ]


def test_nothing_needs_a_privilege() -> None:
    (need,) = GpuAdmission.offered(setting(GpuAdmission)).namespaces

    assert need.pod_security == "restricted"
    assert all(container["securityContext"]["runAsNonRoot"] for container in containers(objects()).values())
