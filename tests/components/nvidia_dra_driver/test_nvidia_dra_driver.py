"""NVIDIA's DRA driver: devices for claims, a name for whole cards, and nobody else for the same cards."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.capabilities import CertificateIssuer
from platform_def.components.gpu.nvidia_dra_driver.component import NvidiaDraDriver, NvidiaDraDriverConfig
from platform_def.config.pools import NodePool, offered
from platform_def.constructs.render import render
from platform_def.jobs.placement import Demand, demand_problems, place
from tests.unit.built import platform, setting, stack_of

PLUGIN = "nvidia-dra-driver-gpu-kubelet-plugin"


def pool(name: str = "train", **gpu: Any) -> NodePool:
    values = {"model": "h100-80gb", "perNode": 8, **gpu}
    return NodePool.from_file({"name": name, "nodes": 2, "selector": {"pool": name}, "gpu": values})


def objects(config: dict[str, Any] | None = None, **facts: Any) -> dict[str, Any]:
    chosen = NvidiaDraDriverConfig.from_file(config or {})
    build = render(lambda scope: NvidiaDraDriver(scope, config=chosen, platform=platform(**facts)))
    return {f"{made.manifest['kind']}/{made.manifest['metadata']['name']}": made.manifest for made in build.objects}


def plugin(made: dict[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = made[f"DaemonSet/{PLUGIN}"]["spec"]["template"]["spec"]
    return spec


def env(container: dict[str, Any]) -> dict[str, str]:
    return {item["name"]: item.get("value", "") for item in container["env"]}


def refusals(*pools: NodePool, config: dict[str, Any] | None = None, **stack: Any) -> list[str]:
    at = setting(NvidiaDraDriver, config, node_pools=pools, **stack)
    return [each.text for each in NvidiaDraDriver.problems(at)]


def job_problems(nodes: NodePool, *beside: str, **facts: Any) -> list[str]:
    there = stack_of({key: {} for key in ["nvidia-dra-driver", *beside]}, node_pools=(nodes,), **facts)
    demand = Demand(nodes.name, 1, 1, "gpusPerWorker", rdma=False, owner="")
    return [problem.text for problem in demand_problems(demand, there)]


@pytest.mark.parametrize(
    ("facts", "named"),
    [
        ({"kubernetes": "1.36"}, True),
        ({"kubernetes": "1.35"}, False),
        ({"kubernetes": "1.35", "feature_gates": {"DRAExtendedResource": True}}, True),
        ({"kubernetes": "1.36", "feature_gates": {"DRAExtendedResource": False}}, False),
    ],
)
def test_whole_cards_have_a_resource_name_where_the_cluster_knows_how(facts: dict[str, Any], named: bool) -> None:
    spec = objects(**facts)["DeviceClass/gpu.nvidia.com"]["spec"]

    assert (spec.get("extendedResourceName") == "nvidia.com/gpu") is named
    assert (job_problems(pool(), **facts) == []) is named


def test_a_job_asks_for_the_name_that_the_device_class_stands_for() -> None:
    there = stack_of({"nvidia-dra-driver": {}}, node_pools=(pool(),))
    placement = place("train", gpus=8, rdma=False, platform=there)

    assert placement.limits() == {"nvidia.com/gpu": "8"}
    assert there.resources == set(offered(pool()))
    assert "runtimeClassName" not in placement.pod({"name": "main"}, shared_memory="1Gi")


def test_mig_devices_have_no_resource_name() -> None:
    (text,) = job_problems(pool(mig={"layout": {"1g.10gb": 7}}))

    assert text == "nvidia.com/gpu of the DRA driver is a whole card, and pool train has MIG devices"


def test_beside_the_device_plugin_jobs_are_the_plugins() -> None:
    assert job_problems(pool(), "nvidia-device-plugin", kubernetes="1.34") == []


@pytest.mark.parametrize("mode", ["time-slicing", "mps"])
def test_sharing_by_the_device_plugin_is_refused(mode: str) -> None:
    (text,) = refusals(pool(sharing={"mode": mode}))

    assert f"shares its cards by {mode}, which is the device plugin's" in text


def test_pools_of_virtual_gpus_are_left_to_gpu_manager() -> None:
    virtual = pool("share", sharing={"mode": "vgpu"})
    spec = plugin(objects(node_pools=(pool(), virtual)))
    terms = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]

    assert [term["matchExpressions"][0]["values"] for term in terms] == [["train"]]
    assert refusals(pool(), virtual, beside={"gpu-manager": {}}) == []
    assert refusals(pool(), virtual) == [
        "nodePools: pool share leaves its cards to gpu-manager, which the stack does not have"
    ]


def test_pools_of_virtual_gpus_must_be_apart() -> None:
    wide = NodePool.from_file({"name": "all", "gpu": {"model": "t4", "perNode": 1}})
    (text,) = refusals(wide, pool("share", sharing={"mode": "vgpu"}), beside={"gpu-manager": {}})

    assert "two programs would hand out the same cards" in text


def test_compute_domains_alone_leave_gpus_out() -> None:
    made = objects({"gpus": False})

    assert "DeviceClass/gpu.nvidia.com" not in made
    assert [container["name"] for container in plugin(made)["containers"]] == ["compute-domains"]
    assert NvidiaDraDriver.offers(setting(NvidiaDraDriver, {"gpus": False})).capabilities == ()


def test_gpus_alone_leave_the_controller_out() -> None:
    made = objects({"computeDomains": False})

    assert "Deployment/nvidia-dra-driver-gpu-controller" not in made
    assert [container["name"] for container in plugin(made)["containers"]] == ["gpus"]


def test_the_policy_holds_the_account_that_the_plugin_has() -> None:
    made = objects({"namespace": "dra"})
    (condition,) = made["ValidatingAdmissionPolicy/resourceslices-policy-nvidia-dra-driver-gpu"]["spec"][
        "matchConditions"
    ]

    assert f"'system:serviceaccount:dra:{plugin(made)['serviceAccountName']}'" in condition["expression"]


def test_pods_that_it_starts_come_from_the_mirror() -> None:
    made = objects(registry="registry.example.com/mirror")
    mirrored = "registry.example.com/mirror/registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu:v0.4.1"
    (controller,) = made["Deployment/nvidia-dra-driver-gpu-controller"]["spec"]["template"]["spec"]["containers"]
    gpus = plugin(made)["containers"][1]

    assert env(controller)["IMAGE_NAME"] == env(gpus)["IMAGE_NAME"] == gpus["image"] == mirrored


def test_the_kubelet_is_told_paths_that_the_node_has() -> None:
    spec = plugin(objects(distribution="microk8s"))
    folder = "/var/snap/microk8s/common/var/lib/kubelet/plugins"
    mounts = {mount["name"]: mount["mountPath"] for mount in spec["containers"][0]["volumeMounts"]}

    assert env(spec["containers"][0])["KUBELET_PLUGINS_DIRECTORY_PATH"] == mounts["plugins"] == folder


def test_a_driver_container_may_come_later() -> None:
    spec = plugin(objects({"driverRoot": "/run/nvidia/driver"}))
    volumes = {volume["name"]: volume["hostPath"]["path"] for volume in spec["volumes"]}

    assert volumes["driver-root-parent"] == "/run/nvidia"
    assert spec["initContainers"][0]["volumeMounts"][0]["mountPropagation"] == "HostToContainer"


def test_mps_lets_the_plugin_start_its_daemons() -> None:
    role = objects({"featureGates": {"MPSSupport": True}})["Role/nvidia-dra-driver-gpu-role-kubeletplugin"]
    plain = objects()["Role/nvidia-dra-driver-gpu-role-kubeletplugin"]

    assert ["deployments"] in [each["resources"] for each in role["rules"]]
    assert ["deployments"] not in [each["resources"] for each in plain["rules"]]


def test_passing_cards_through_needs_the_hosts_folders() -> None:
    names = {volume["name"] for volume in plugin(objects({"featureGates": {"PassthroughSupport": True}}))["volumes"]}

    assert names >= {"host-root", "sysfs", "procfs"}
    assert not names & {volume["name"] for volume in plugin(objects())["volumes"]} & {"sysfs", "procfs"}


def test_gates_reach_every_container() -> None:
    made = objects({"featureGates": {"MPSSupport": True, "CrashOnNVLinkFabricErrors": False}})

    assert {env(container)["FEATURE_GATES"] for container in plugin(made)["containers"]} == {
        "CrashOnNVLinkFabricErrors=false,MPSSupport=true"
    }


def test_the_webhook_needs_cert_manager() -> None:
    made = objects({"webhook": True})
    (hook,) = made["ValidatingWebhookConfiguration/nvidia-dra-driver-gpu-webhook-config"]["webhooks"]

    assert [each.capability for each in NvidiaDraDriver.needs_of(setting(NvidiaDraDriver, {"webhook": True}))] == [
        CertificateIssuer
    ]
    assert hook["clientConfig"]["service"]["name"] == "nvidia-dra-driver-gpu-webhook"
    assert "Certificate/nvidia-dra-driver-gpu-webhook-cert" in made
    assert not any(key.startswith("ValidatingWebhookConfiguration") for key in objects())


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ({"gpus": False, "computeDomains": False}, "nothing is left"),
        ({"featureGates": {"DynamicMIG": True, "MPSSupport": True}}, "DynamicMIG and MPSSupport exclude each other"),
        ({"featureGates": {"DynamicMIG": True, "PassthroughSupport": True}}, "exclude each other"),
        ({"featureGates": {"IMEXDaemonsWithDNSNames": False}}, "ComputeDomainCliques needs IMEXDaemonsWithDNSNames"),
        ({"featureGates": {"DeviceMetadata": True}}, "DeviceMetadata needs PassthroughSupport"),
        (
            {"featureGates": {"PassthroughSupport": True, "NVMLDeviceHealthCheck": True}},
            "PassthroughSupport and NVMLDeviceHealthCheck exclude each other",
        ),
        (
            {"release": "25.12.0", "featureGates": {"DeviceMetadata": True, "PassthroughSupport": True}},
            "release 25.12.0 has no feature gate DeviceMetadata",
        ),
        ({"featureGates": {"Unknown": True}}, "featureGates"),
        ({"driverRoot": "run"}, "driverRoot"),
    ],
)
def test_the_driver_would_not_start_with(config: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        NvidiaDraDriverConfig.from_file(config)


def controller(made: dict[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = made["Deployment/nvidia-dra-driver-gpu-controller"]["spec"]
    return spec


def test_two_controllers_agree_on_a_leader_where_the_release_can() -> None:
    several, one = objects(availability="ha"), objects()
    former = objects({"release": "25.12.0"}, availability="ha")
    rules = several["Role/nvidia-dra-driver-gpu-role-controller"]["rules"]

    assert controller(several)["replicas"] == 2
    assert env(controller(several)["template"]["spec"]["containers"][0])["LEADER_ELECTION_ENABLED"] == "true"
    assert env(controller(one)["template"]["spec"]["containers"][0])["LEADER_ELECTION_ENABLED"] == "false"
    assert ["leases"] in [each["resources"] for each in rules]
    assert controller(former)["replicas"] == 1
    assert "LEADER_ELECTION_ENABLED" not in env(controller(former)["template"]["spec"]["containers"][0])


def test_the_former_release_stays_as_it_was() -> None:
    made = objects({"release": "25.12.0"})
    gpus = plugin(made)["containers"][1]
    numbers = made["CustomResourceDefinition/computedomains.resource.nvidia.com"]["spec"]["versions"][0]["schema"]

    assert gpus["image"] == "nvcr.io/nvidia/k8s-dra-driver-gpu:v25.12.0"
    assert not {"HTTP_ENDPOINT", "SERVICE_ACCOUNT_NAME"} & set(env(gpus))
    assert gpus["startupProbe"]["periodSeconds"] * gpus["startupProbe"]["failureThreshold"] == 600
    assert "numNodes" in numbers["openAPIV3Schema"]["properties"]["spec"]["required"]


def test_a_plugin_of_the_new_home_names_its_account_and_serves_metrics() -> None:
    domains, gpus = plugin(objects())["containers"]

    assert {
        "name": "SERVICE_ACCOUNT_NAME",
        "valueFrom": {"fieldRef": {"fieldPath": "spec.serviceAccountName"}},
    } in gpus["env"]
    assert (env(domains)["HTTP_ENDPOINT"], env(gpus)["HTTP_ENDPOINT"]) == (":8081", ":8080")
    assert gpus["startupProbe"]["periodSeconds"] * gpus["startupProbe"]["failureThreshold"] == 600


def test_cutting_cards_by_claims_needs_a_gate_of_the_cluster() -> None:
    config = {"featureGates": {"DynamicMIG": True}}

    assert (
        "needs the cluster's feature gate DRAPartitionableDevices"
        in refusals(pool(), config=config, kubernetes="1.35")[0]
    )
    assert refusals(pool(), config=config, kubernetes="1.36") == []
    assert refusals(pool(), config=config, kubernetes="1.35", feature_gates={"DRAPartitionableDevices": True}) == []
