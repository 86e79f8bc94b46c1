from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.capabilities import DashboardReader, Metrics
from platform_def.components.gpu.dcgm_exporter.component import DcgmExporter, DcgmExporterConfig
from platform_def.components.gpu.dcgm_exporter.counters import measures
from platform_def.components.gpu.dcgm_exporter.metrics import metrics_of
from platform_def.components.monitoring.exporters.dcgm import DCGM
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.constructs.render import render
from tests.unit.built import stack_of, told


def pool(name: str, **gpu: Any) -> NodePool:
    return NodePool.from_file(
        {"name": name, "selector": {"pool": name}, "gpu": {"model": "a100-80gb", "perNode": 8, **gpu}}
    )


def objects(*pools: NodePool, config: DcgmExporterConfig | None = None, **facts: Any) -> dict[str, Any]:
    platform = Platform(node_pools=pools, **facts)
    build = render(lambda scope: DcgmExporter(scope, config=config, platform=platform))
    return {f"{made.manifest['kind']}/{made.manifest['metadata']['name']}": made.manifest for made in build.objects}


def pod(made: dict[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = made["DaemonSet/dcgm-exporter"]["spec"]["template"]["spec"]
    return spec


def environment(*pools: NodePool, config: DcgmExporterConfig | None = None) -> dict[str, str]:
    container = pod(objects(*pools, config=config))["containers"][0]
    return {each["name"]: each.get("value", "") for each in container["env"]}


def test_renamed_shares_are_named_so_that_their_pods_appear() -> None:
    sliced = pool("s", sharing={"mode": "time-slicing", "replicas": 4, "rename": True})
    env = environment(pool("a"), sliced)

    assert env["NVIDIA_RESOURCE_NAMES"] == "nvidia.com/gpu.shared"
    assert env["KUBERNETES_VIRTUAL_GPUS"] == "true"


def test_whole_cards_need_neither_names_nor_word_of_sharing() -> None:
    assert not {"NVIDIA_RESOURCE_NAMES", "KUBERNETES_VIRTUAL_GPUS"} & environment(pool("a")).keys()


def test_cards_of_another_sharing_layer_are_measured_as_cards() -> None:
    env = environment(pool("v", sharing={"mode": "vgpu"}))

    assert not {"NVIDIA_RESOURCE_NAMES", "KUBERNETES_VIRTUAL_GPUS"} & env.keys()


def test_it_runs_on_gpu_pools_alone_and_leaves_when_mig_changes() -> None:
    made = objects(pool("a"), NodePool(name="cpu", selector={"pool": "cpu"}))
    (term,) = pod(made)["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][
        "nodeSelectorTerms"
    ]

    assert [each["key"] for each in term["matchExpressions"]] == ["pool", "nvidia.com/gpu.deploy.dcgm-exporter"]
    assert made["DaemonSet/dcgm-exporter"]["spec"]["template"]["metadata"]["labels"]["app"] == "nvidia-dcgm-exporter"


def test_the_kubelets_folder_follows_the_distribution() -> None:
    spec = pod(objects(distribution="microk8s"))

    assert spec["volumes"][0]["hostPath"]["path"] == "/var/snap/microk8s/common/var/lib/kubelet/pod-resources"
    assert spec["containers"][0]["volumeMounts"][0]["mountPath"] == "/var/lib/kubelet/pod-resources"


def test_without_hardware_counters_there_is_no_capability() -> None:
    made = objects(config=DcgmExporterConfig(profiling=False))

    assert pod(made)["containers"][0]["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert "DCGM_FI_PROF" not in made["ConfigMap/exporter-metrics-config-map"]["data"]["metrics"]


def test_counters_are_added_and_replaced_by_name() -> None:
    config = DcgmExporterConfig.from_file(
        {
            "counters": {
                "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": {"type": "counter", "help": "Double-bit errors."},
                "DCGM_FI_DEV_GPU_TEMP": {"type": "gauge", "help": "Heat."},
            }
        }
    )
    lines = objects(config=config)["ConfigMap/exporter-metrics-config-map"]["data"]["metrics"].splitlines()

    assert "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL, counter, Double-bit errors." in lines
    assert [line for line in lines if line.startswith("DCGM_FI_DEV_GPU_TEMP,")] == [
        "DCGM_FI_DEV_GPU_TEMP, gauge, Heat."
    ]
    assert all(len(line.split(",")) == 3 for line in lines)


def test_a_comma_would_break_the_file() -> None:
    with pytest.raises(ValidationError, match="help"):
        DcgmExporterConfig.from_file({"counters": {"DCGM_X": {"type": "gauge", "help": "a, b"}}})


def test_only_pod_labels_take_rights_and_a_token() -> None:
    plain, labelled = objects(), objects(config=DcgmExporterConfig(pod_labels=True))

    assert pod(plain)["automountServiceAccountToken"] is False
    assert "ClusterRole/dcgm-exporter-read-pods" not in plain
    assert pod(labelled)["automountServiceAccountToken"] is True
    assert "ClusterRole/dcgm-exporter-read-pods" in labelled


def test_it_is_scraped_where_there_is_prometheus() -> None:
    made = objects(apis=frozenset({"ServiceMonitor.monitoring.coreos.com"}))

    assert made["ServiceMonitor/dcgm-exporter"]["spec"]["endpoints"][0]["port"] == "metrics"
    assert "ServiceMonitor/dcgm-exporter" not in objects()


def test_gpus_by_claims_are_looked_up_in_the_cluster() -> None:
    made = objects(provisions=stack_of({"nvidia-dra-driver": {}}).provisions)
    env = {each["name"]: each.get("value") for each in pod(made)["containers"][0]["env"]}

    assert env["KUBERNETES_ENABLE_DRA"] == "true"
    assert "ClusterRole/dcgm-exporter-read-pods" in made
    assert pod(made)["automountServiceAccountToken"] is True


def test_a_release_that_waits_for_an_api_which_is_off_is_refused_where_gpus_are_claimed() -> None:
    former = {"release": "4.5.3-4.8.2"}
    (problem,) = told(DcgmExporter, former, beside={"nvidia-dra-driver": {}})

    assert "waits for resource.k8s.io/v1beta1 before it serves anything" in problem
    assert "reads v1: 4.6.0-4.8.3" in problem
    assert told(DcgmExporter, {}, beside={"nvidia-dra-driver": {}}) == []
    assert told(DcgmExporter, former, beside={"nvidia-dra-driver": {"gpus": False}}) == []


def test_nodes_without_a_toolkit_are_left_out() -> None:
    made = objects(pool("new"), pool("old", model="k80", hostLibraries={"driver": "/opt/nvidia"}))
    terms = pod(made)["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]

    assert [term["matchExpressions"][0]["values"] for term in terms] == [["new"]]


def watched(config: DcgmExporterConfig | None = None) -> dict[str, Any]:
    readers = (Provision.of(Metrics(), "elsewhere"), Provision.of(DashboardReader(), "elsewhere"))
    return objects(pool("a"), config=config, provisions=readers)


def alerts(made: dict[str, Any]) -> list[str]:
    (group,) = made["PrometheusRule/dcgm-exporter"]["spec"]["groups"]
    return [each["alert"] for each in group["rules"]]


def test_alerts_and_dashboards_follow_what_is_measured() -> None:
    every, fewer = watched(), watched(DcgmExporterConfig(profiling=False))

    assert "GpuCountersDead" in alerts(every)
    assert "GpuCountersDead" not in alerts(fewer)
    assert "GpuHeldIdle" in alerts(fewer)
    assert "DCGM_FI_PROF" not in str(fewer)


def test_series_are_about_the_pod_that_has_the_card() -> None:
    (endpoint,) = watched()["ServiceMonitor/dcgm-exporter"]["spec"]["endpoints"]

    assert endpoint["honorLabels"] is True
    assert endpoint["relabelings"][0]["action"] == "labeldrop"


def test_what_alerts_need_is_measured() -> None:
    file = watched()["ConfigMap/exporter-metrics-config-map"]["data"]["metrics"]

    assert {"DCGM_EXP_XID_ERRORS_COUNT", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL"} <= {
        each.split(",")[0] for each in file.splitlines()
    }


def test_others_join_labels_that_it_writes() -> None:
    own = metrics_of(measures(profiling=True, further={}), pod_labels=False, claims=False)

    for name, series in DCGM.series.items():
        assert series.labels <= own.series[name].labels
