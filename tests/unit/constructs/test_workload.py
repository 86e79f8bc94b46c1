"""What a stack may change of a workload lands where it is meant, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.config.platform import Platform
from platform_def.config.storage import CephFs, ExistingStorage, SecretRef
from platform_def.constructs import Account, Claim, DaemonSet, Deployment, StatefulSet, customized, scale
from platform_def.constructs.workloads.jobs import CronJob, Job
from platform_def.errors import ConfigError
from tests.unit.constructs.samples import Made, objects

APP: dict[str, Any] = {"name": "app", "image": "example.com/app:1", "args": ["--level=2", "--verbose", "--port", "80"]}
HELPER: dict[str, Any] = {"name": "helper", "image": "example.com/helper:1"}


def pod(*containers: dict[str, Any], **fields: Any) -> Any:
    return {"containers": list(containers or (APP,)), **fields}


def both(component: Any) -> None:
    """A controller and what runs on each node, with a container of one name in both."""
    Deployment(component, "controller", pod=pod(APP, HELPER), ha_replicas=2)
    DaemonSet(component, "node", pod=pod(APP, nodeSelector={"gpu": "yes"}))


def spec_of(made: Made, kind: str, name: str) -> dict[str, Any]:
    spec: dict[str, Any] = made[kind, name]["spec"]
    return spec


def pod_of(made: Made, kind: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = spec_of(made, kind, name)["template"]["spec"]
    return found


def refused(build: Any, **options: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        objects(build, **options)
    return str(caught.value)


# --- containers


def test_resources_are_those_of_one_container_of_one_workload() -> None:
    wanted = {"app": {"resources": {"requests": {"cpu": "2"}, "limits": {"memory": "1Gi"}}}}
    made = objects(both, workloads={"controller": {"containers": wanted}})
    app, helper = pod_of(made, "Deployment", "controller")["containers"]

    assert app["resources"] == {"requests": {"cpu": "2"}, "limits": {"memory": "1Gi"}}
    assert "resources" not in helper
    assert "resources" not in pod_of(made, "DaemonSet", "node")["containers"][0]


def test_amounts_that_are_left_out_stay_the_components() -> None:
    app = {**APP, "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"memory": "2Gi"}}}
    chosen = {"controller": {"containers": {"app": {"resources": {"requests": {"cpu": "3"}}}}}}
    made = objects(lambda component: Deployment(component, "controller", pod=pod(app)), workloads=chosen)

    assert pod_of(made, "Deployment", "controller")["containers"][0]["resources"] == {
        "requests": {"cpu": "3", "memory": "1Gi"},
        "limits": {"memory": "2Gi"},
    }


@pytest.mark.parametrize(
    ("flags", "arguments"),
    [
        ({"level": "5"}, ["--level=5", "--verbose", "--port", "80"]),
        ({"port": "81"}, ["--level=2", "--verbose", "--port=81"]),
        ({"verbose": None}, ["--level=2", "--port", "80"]),
        ({"port": None}, ["--level=2", "--verbose"]),
        ({"new": "yes"}, ["--level=2", "--verbose", "--port", "80", "--new=yes"]),
        ({"quiet": ""}, ["--level=2", "--verbose", "--port", "80", "--quiet"]),
    ],
)
def test_flags_are_merged_by_name(flags: dict[str, str | None], arguments: list[str]) -> None:
    made = objects(both, workloads={"controller": {"containers": {"app": {"flags": flags}}}})

    assert pod_of(made, "Deployment", "controller")["containers"][0]["args"] == arguments
    assert pod_of(made, "DaemonSet", "node")["containers"][0]["args"] == APP["args"]


def test_flags_of_one_dash_keep_it() -> None:
    app = {**APP, "args": ["-v=2"]}
    chosen = {"controller": {"containers": {"app": {"flags": {"config": "/a"}}}}}
    made = objects(lambda component: Deployment(component, "controller", pod=pod(app)), workloads=chosen)

    assert pod_of(made, "Deployment", "controller")["containers"][0]["args"] == ["-v=2", "-config=/a"]


def test_flags_in_the_command_are_changed_there() -> None:
    app = {"name": "app", "image": "example.com/app:1", "command": ["run", "--level=2"]}
    chosen = {"controller": {"containers": {"app": {"flags": {"level": "3"}}}}}
    made = objects(lambda component: Deployment(component, "controller", pod=pod(app)), workloads=chosen)

    assert pod_of(made, "Deployment", "controller")["containers"][0]["command"] == ["run", "--level=3"]


def test_a_flag_that_stands_twice_is_refused() -> None:
    app = {**APP, "args": ["--feature=a", "--feature=b"]}
    chosen = {"controller": {"containers": {"app": {"flags": {"feature": "c"}}}}}
    said = refused(lambda component: Deployment(component, "controller", pod=pod(app)), workloads=chosen)

    assert "components.sample.workloads.controller.containers.app.flags.feature" in said
    assert "2 times" in said


def test_variables_replace_the_components_and_may_come_from_secrets() -> None:
    app = {**APP, "env": [{"name": "LEVEL", "value": "info"}, {"name": "KEPT", "value": "1"}]}
    env = {"LEVEL": "debug", "TOKEN": {"secret": "mine", "key": "token"}}
    chosen = {"controller": {"containers": {"app": {"env": env}}}}
    made = objects(lambda component: Deployment(component, "controller", pod=pod(app)), workloads=chosen)

    assert pod_of(made, "Deployment", "controller")["containers"][0]["env"] == [
        {"name": "KEPT", "value": "1"},
        {"name": "LEVEL", "value": "debug"},
        {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "mine", "key": "token"}}},
    ]


# --- names that lead nowhere


@pytest.mark.parametrize(
    ("workloads", "where", "hint"),
    [
        ({"controler": {}}, "components.sample.workloads.controler: there is no such workload", "'controller'"),
        (
            {"controller": {"containers": {"ap": {}}}},
            "components.sample.workloads.controller.containers.ap: there is no such container",
            "'app'",
        ),
        (
            {"controller": {"volumes": {"data": {"size": "1Gi"}}}},
            "components.sample.workloads.controller.volumes.data: it keeps no data on a volume of that name",
            "there are none",
        ),
        (
            {"node": {"placement": {"nodeSelector": {"a": "b"}}}},
            "components.sample.workloads.node.placement.nodeSelector: its pods belong to nodes",
            "nodePools",
        ),
        (
            {"node": {"replicas": 2}},
            "components.sample.workloads.node.replicas: this workload supports only one replica",
            "leave",
        ),
    ],
)
def test_a_knob_without_effect_is_refused(workloads: dict[str, Any], where: str, hint: str) -> None:
    said = refused(both, workloads=workloads)

    assert where in said
    assert hint in said


def test_all_knobs_without_effect_are_told_at_once() -> None:
    said = refused(both, workloads={"controler": {}, "controller": {"containers": {"ap": {}, "hlper": {}}}})

    assert said.count("there is no such") == 3


def test_more_than_one_pod_is_refused_for_a_program_that_bears_one() -> None:
    said = refused(lambda component: Deployment(component, "single", pod=pod()), workloads={"single": {"replicas": 3}})

    assert "components.sample.workloads.single.replicas: this workload supports only one replica" in said


def test_a_program_that_bears_one_pod_may_be_stopped() -> None:
    made = objects(lambda component: Deployment(component, "single", pod=pod()), workloads={"single": {"replicas": 0}})

    assert spec_of(made, "Deployment", "single")["replicas"] == 0


# --- numbers


def test_the_stack_says_how_many_pods() -> None:
    made = objects(both, workloads={"controller": {"replicas": 4}})

    assert spec_of(made, "Deployment", "controller")["replicas"] == 4
    assert ("PodDisruptionBudget", "controller") in made


@pytest.mark.parametrize("own", [True, False])
def test_availability_of_the_component_or_of_the_stack_brings_replicas(own: bool) -> None:
    platform = Platform(availability="standard" if own else "ha")
    made = objects(both, platform=platform, **({"availability": "ha"} if own else {}))

    assert spec_of(made, "Deployment", "controller")["replicas"] == 2
    (spread,) = pod_of(made, "Deployment", "controller")["topologySpreadConstraints"]
    assert (
        spread["labelSelector"]["matchLabels"] == spec_of(made, "Deployment", "controller")["selector"]["matchLabels"]
    )


def test_a_component_that_wants_no_availability_has_none_in_a_stack_that_does() -> None:
    made = objects(both, platform=Platform(availability="ha"), availability="standard")

    assert spec_of(made, "Deployment", "controller")["replicas"] == 1


def test_what_the_stack_says_of_a_workload_wins_over_availability() -> None:
    made = objects(both, availability="ha", workloads={"controller": {"replicas": 1}})

    assert spec_of(made, "Deployment", "controller")["replicas"] == 1
    assert ("PodDisruptionBudget", "controller") not in made


def test_an_autoscaled_workload_writes_no_number() -> None:
    made = objects(both, workloads={"controller": {"autoscale": {"min": 2, "max": 5, "cpu": 80}}})
    autoscaler = spec_of(made, "HorizontalPodAutoscaler", "controller")

    assert "replicas" not in spec_of(made, "Deployment", "controller")
    assert (autoscaler["minReplicas"], autoscaler["maxReplicas"]) == (2, 5)
    assert autoscaler["scaleTargetRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": "controller"}
    assert autoscaler["metrics"] == [
        {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}
    ]
    assert ("PodDisruptionBudget", "controller") in made


@pytest.mark.parametrize(
    ("workloads", "several"),
    [
        ({}, False),
        ({"controller": {"replicas": 2}}, True),
        ({"controller": {"autoscale": {"max": 3, "cpu": 50}}}, True),
    ],
)
def test_one_number_decides_whether_somebody_must_lead(workloads: dict[str, Any], several: bool) -> None:
    sizes = []

    def build(component: Any) -> None:
        both(component)
        sizes.append(scale(component, "controller", ha_replicas=2))

    objects(build, workloads=workloads)

    assert sizes[0].several is several


@pytest.mark.parametrize(
    ("autoscale", "why"),
    [
        ({"min": 3, "max": 2, "cpu": 50}, "max 2 is below min 3"),
        ({"max": 3}, "name what is aimed at"),
    ],
)
def test_an_autoscaler_that_makes_no_sense_is_refused(autoscale: dict[str, int], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        objects(both, workloads={"controller": {"autoscale": autoscale}})


# --- places


def test_placement_of_the_component_is_for_controllers_and_not_for_what_belongs_to_nodes() -> None:
    placement = {"nodeSelector": {"role": "system"}, "tolerations": ["system=yes:NoSchedule"]}
    made = objects(both, placement=placement)

    assert pod_of(made, "Deployment", "controller")["nodeSelector"] == {"role": "system"}
    assert pod_of(made, "Deployment", "controller")["tolerations"] == [
        {"key": "system", "operator": "Equal", "value": "yes", "effect": "NoSchedule"}
    ]
    assert pod_of(made, "DaemonSet", "node")["nodeSelector"] == {"gpu": "yes"}
    assert "tolerations" not in pod_of(made, "DaemonSet", "node")


def test_placement_of_a_workload_wins_over_the_components_and_the_pod_over_both() -> None:
    build = lambda component: Deployment(component, "app", pod=pod(nodeSelector={"disk": "ssd"}))  # noqa: E731
    made = objects(
        build,
        placement={"nodeSelector": {"role": "system", "disk": "any", "zone": "a"}},
        workloads={"app": {"placement": {"nodeSelector": {"role": "own"}}}},
    )

    assert pod_of(made, "Deployment", "app")["nodeSelector"] == {"role": "own", "disk": "ssd", "zone": "a"}


def test_a_workload_of_nodes_takes_tolerations_of_its_own() -> None:
    made = objects(both, workloads={"node": {"placement": {"tolerations": ["gpu:NoExecute"]}}})

    assert pod_of(made, "DaemonSet", "node")["tolerations"] == [
        {"key": "gpu", "operator": "Exists", "effect": "NoExecute"}
    ]


def test_priority_is_the_stacks_for_controllers_and_the_workloads_where_it_says_so() -> None:
    platform = Platform(system_priority="system-cluster-critical")
    made = objects(both, platform=platform, workloads={"node": {"priority": "mine"}})

    assert pod_of(made, "Deployment", "controller")["priorityClassName"] == "system-cluster-critical"
    assert pod_of(made, "DaemonSet", "node")["priorityClassName"] == "mine"
    assert "priorityClassName" not in pod_of(objects(both, platform=platform), "DaemonSet", "node")


def test_several_objects_of_one_role_take_its_knobs_together() -> None:
    def build(component: Any) -> None:
        for pool in ("a", "b"):
            DaemonSet(component, f"plugin-{pool}", role="plugin", pod=pod())

    made = objects(build, workloads={"plugin": {"containers": {"app": {"env": {"X": "1"}}}}})

    for pool in ("a", "b"):
        assert pod_of(made, "DaemonSet", f"plugin-{pool}")["containers"][0]["env"] == [{"name": "X", "value": "1"}]


# --- accounts and volumes


def test_annotations_for_a_clouds_identity_land_on_the_account_of_the_workload() -> None:
    def build(component: Any) -> None:
        Account(component, "runner")
        Account(component, "other")
        Deployment(component, "app", pod=pod(serviceAccountName="runner"))

    made = objects(build, workloads={"app": {"serviceAccount": {"annotations": {"example.com/role": "trainer"}}}})

    assert made["ServiceAccount", "runner"]["metadata"]["annotations"] == {"example.com/role": "trainer"}
    assert "annotations" not in made["ServiceAccount", "other"]["metadata"]


def database(component: Any) -> None:
    """A workload with data."""
    StatefulSet(component, "db", pod=pod(), service="db", claims=[Claim("data", "10Gi")])


def claim_of(made: Made) -> dict[str, Any]:
    (claim,) = spec_of(made, "StatefulSet", "db")["volumeClaimTemplates"]
    assert claim["metadata"]["name"] == "data"
    found: dict[str, Any] = claim["spec"]
    return found


STORAGE: dict[str, CephFs | ExistingStorage] = {
    "fast": ExistingStorage(driver="existing", class_name="nvme"),
    "shared": CephFs(
        driver="cephfs", cluster_id="c", monitors=["m:1"], filesystem="f", secret=SecretRef(existing="a/b")
    ),
}


def test_a_claim_has_the_components_size_and_the_clusters_class_unless_the_stack_says_otherwise() -> None:
    plain = claim_of(objects(database))
    chosen = {"db": {"volumes": {"data": {"size": "1Ti", "storage": "fast"}}}}
    large = claim_of(objects(database, platform=Platform(storage=STORAGE), workloads=chosen))

    assert plain == {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}}
    assert large["resources"] == {"requests": {"storage": "1Ti"}}
    assert large["storageClassName"] == "nvme"


@pytest.mark.parametrize(
    ("storage", "mode", "why"),
    [("slow", "ReadWriteOnce", "storage 'slow' is not in the stack"), ("fast", "ReadWriteMany", "is ReadWriteMany")],
)
def test_storage_that_cannot_serve_a_claim_is_refused(storage: str, mode: Any, why: str) -> None:
    said = refused(
        lambda component: StatefulSet(component, "db", pod=pod(), service="db", claims=[Claim("data", "1Gi", mode)]),
        platform=Platform(storage=STORAGE),
        workloads={"db": {"volumes": {"data": {"storage": storage}}}},
    )

    assert why in said


def test_a_claim_asks_for_a_kind_and_the_stack_says_of_what() -> None:
    def build(component: Any) -> None:
        StatefulSet(component, "db", pod=pod(), service="db", claims=[Claim("data", "1Gi", kind="fast")])

    chosen = {"db": {"volumes": {"data": {"storage": "shared"}}}}

    assert claim_of(objects(build, platform=Platform(storage=STORAGE)))["storageClassName"] == "nvme"
    assert "storageClassName" not in claim_of(objects(build))
    named = claim_of(objects(build, platform=Platform(storage=STORAGE), workloads=chosen))
    assert named["storageClassName"] == "shared"


# --- jobs


def test_jobs_stay_out_of_a_mesh_and_end() -> None:
    def build(component: Any) -> None:
        Job(component, "prepare-1a2b", role="prepare", pod=pod())
        CronJob(component, "tidy", pod=pod(), schedule="0 4 * * *")

    made = objects(build, workloads={"prepare": {"containers": {"app": {"env": {"X": "1"}}}}})
    template = spec_of(made, "Job", "prepare-1a2b")["template"]
    timed = spec_of(made, "CronJob", "tidy")

    assert template["spec"]["restartPolicy"] == "OnFailure"
    assert template["metadata"]["annotations"] == {"sidecar.istio.io/inject": "false"}
    assert template["spec"]["containers"][0]["env"] == [{"name": "X", "value": "1"}]
    assert timed["schedule"] == "0 4 * * *"
    assert timed["jobTemplate"]["spec"]["template"]["spec"]["restartPolicy"] == "OnFailure"


# --- pods that a controller makes from what it is told


def algorithm(**chosen: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a controller is told of an algorithm's container and volume."""
    found: list[Any] = []

    def build(scope: Any) -> None:
        container: Any = {
            "name": "suggestion",
            "image": "example.com/tpe:1",
            "resources": {"requests": {"cpu": "50m"}, "limits": {"memory": "512Mi"}},
        }
        found.extend(customized(scope, "tpe", container, takes=("resources", "env"), claim=Claim("data", "1Gi")))

    fast = ExistingStorage(driver="existing", class_name="nvme")
    objects(build, platform=Platform(registry="mirror.example.com", storage={"fast": fast}), workloads={"tpe": chosen})
    return found[0], found[1]


def test_what_a_controller_is_told_follows_the_stack_and_its_mirror() -> None:
    container, claim = algorithm(
        containers={"suggestion": {"resources": {"limits": {"memory": "2Gi"}}, "env": {"THREADS": "1"}}},
        volumes={"data": {"size": "5Gi", "storage": "fast"}},
    )

    assert container["image"] == "mirror.example.com/example.com/tpe:1"
    assert container["resources"] == {"requests": {"cpu": "50m"}, "limits": {"memory": "2Gi"}}
    assert container["env"] == [{"name": "THREADS", "value": "1"}]
    assert claim["resources"]["requests"]["storage"] == "5Gi"
    assert claim["storageClassName"] == "nvme"


@pytest.mark.parametrize(
    ("chosen", "where"),
    [
        ({"replicas": 2}, "components.sample.workloads.tpe.replicas"),
        ({"placement": {"nodeSelector": {"a": "b"}}}, "components.sample.workloads.tpe.placement"),
        ({"containers": {"suggestion": {"flags": {"a": "b"}}}}, "workloads.tpe.containers.suggestion.flags"),
    ],
)
def test_a_knob_that_the_controller_has_no_place_for_is_refused(chosen: dict[str, Any], where: str) -> None:
    with pytest.raises(ConfigError) as caught:
        algorithm(**chosen)

    assert where in str(caught.value)
    assert "what can be changed: env, resources, volumes" in str(caught.value)


def test_a_container_that_is_given_requests_alone_has_no_limits() -> None:
    chosen = {"controller": {"containers": {"app": {"resources": {"requests": {"cpu": "1"}}}}}}
    [first, *_] = pod_of(objects(both, workloads=chosen), "Deployment", "controller")["containers"]

    assert first["resources"] == {"requests": {"cpu": "1"}}


def test_a_port_says_its_protocol() -> None:
    """The server fills it in, and it is part of the port's key: whoever compares would see another port."""
    ported = {**APP, "ports": [{"containerPort": 80}, {"containerPort": 53, "protocol": "UDP"}]}
    made = objects(lambda component: Deployment(component, "web", pod=pod(ported)))

    [first] = pod_of(made, "Deployment", "web")["containers"]
    assert [each["protocol"] for each in first["ports"]] == ["TCP", "UDP"]


PROXY = {"http": "http://proxy.example.com:3128", "https": "http://proxy.example.com:3129", "noProxy": ["10.0.0.0/8"]}


def variables(made: Made, name: str) -> dict[str, str]:
    [container] = pod_of(made, "Deployment", name)["containers"]
    return {each["name"]: each["value"] for each in container.get("env", [])}


def test_the_proxy_leaves_out_services_and_the_api_server_and_is_written_in_both_spellings() -> None:
    """The kubelet fills in the API server's address, which clients in pods take in place of its name."""
    made = objects(lambda it: Deployment(it, "controller", pod=pod(APP)), proxy=PROXY)
    inside = "10.0.0.0/8,localhost,127.0.0.1,$(KUBERNETES_SERVICE_HOST),.svc,.cluster.local"

    assert variables(made, "controller") == {
        "HTTP_PROXY": "http://proxy.example.com:3128",
        "http_proxy": "http://proxy.example.com:3128",
        "HTTPS_PROXY": "http://proxy.example.com:3129",
        "https_proxy": "http://proxy.example.com:3129",
        "NO_PROXY": inside,
        "no_proxy": inside,
    }


def test_a_program_that_calls_nothing_outside_gets_no_proxy() -> None:
    made = objects(lambda it: Deployment(it, "cache", pod=pod(APP), calls_out=False), proxy=PROXY)

    assert variables(made, "cache") == {}


def test_a_variable_that_the_stack_writes_wins_over_the_proxys() -> None:
    chosen = {"controller": {"containers": {"app": {"env": {"NO_PROXY": "*"}}}}}
    made = objects(
        lambda it: Deployment(it, "controller", pod=pod(APP)), proxy={"https": PROXY["https"]}, workloads=chosen
    )
    [container] = pod_of(made, "Deployment", "controller")["containers"]

    assert [each["value"] for each in container["env"] if each["name"] == "NO_PROXY"] == ["*"]
    assert sorted(variables(made, "controller")) == ["HTTPS_PROXY", "NO_PROXY", "https_proxy", "no_proxy"]


def test_a_pod_without_an_account_of_its_own_names_the_stacks_pull_secrets() -> None:
    """Accounts of components name them already; the default one of a namespace may not be the stack's."""

    def build(it: Any) -> None:
        Deployment(it, "bare", pod=pod(APP))
        Deployment(it, "accounted", pod=pod(APP, serviceAccountName="accounted"))

    made = objects(build, platform=Platform(pull_secrets=["registry"]))

    assert pod_of(made, "Deployment", "bare")["imagePullSecrets"] == [{"name": "registry"}]
    assert "imagePullSecrets" not in pod_of(made, "Deployment", "accounted")
