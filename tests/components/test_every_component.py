"""What holds for every component of the catalogue: its objects fit together, whoever wrote them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from platform_def.components.catalogue import BUILT_IN, component
from platform_def.config.platform import ComponentFact
from platform_def.config.storage import CephFs, Rbd, SecretRef
from platform_def.constructs.render import Build, render
from platform_def.reference.sample import config_for, platform_for, rendered

Manifest = dict[str, Any]
WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob")
VERSION = "app.kubernetes.io/version"
SEVERAL = [name for name in BUILT_IN if component(name).several]


@pytest.fixture(scope="module", params=sorted(BUILT_IN))
def whole(request: pytest.FixtureRequest) -> Build:
    return rendered(request.param)


@pytest.fixture(scope="module")
def objects(whole: Build) -> list[Manifest]:
    return [each.manifest for each in whole.objects]


def of(objects: list[Manifest], *kinds: str) -> list[Manifest]:
    return [each for each in objects if each["kind"] in kinds]


def template(workload: Manifest) -> Manifest:
    spec = workload["spec"]["jobTemplate"]["spec"] if workload["kind"] == "CronJob" else workload["spec"]
    found: Manifest = spec["template"]
    return found


def containers(workload: Manifest) -> list[Manifest]:
    pod = template(workload)["spec"]
    return [*pod.get("initContainers", []), *pod["containers"]]


def called(manifest: Manifest) -> str:
    return f"{manifest['kind']}/{manifest['metadata']['name']}"


def names(objects: list[Manifest], kind: str) -> set[tuple[str, str]]:
    return {(each["metadata"].get("namespace", ""), each["metadata"]["name"]) for each in of(objects, kind)}


def test_only_workloads_say_their_version_and_their_pods_do_not(
    request: pytest.FixtureRequest, objects: list[Manifest]
) -> None:
    released = bool(config_for(request.node.callspec.params["whole"]).version)
    saying = {called(each) for each in objects if VERSION in each["metadata"]["labels"]}

    assert saying == ({called(each) for each in of(objects, *WORKLOADS)} if released else set())
    assert not any(VERSION in template(each)["metadata"]["labels"] for each in of(objects, *WORKLOADS))


def test_mounts_have_their_volumes_and_every_volume_is_mounted(objects: list[Manifest]) -> None:
    for workload in of(objects, *WORKLOADS):
        pod = template(workload)["spec"]
        there = {each["name"] for each in pod.get("volumes", [])}
        there |= {each["metadata"]["name"] for each in workload["spec"].get("volumeClaimTemplates", [])}
        mounted = {each["name"] for one in containers(workload) for each in one.get("volumeMounts", [])}

        assert mounted == there, called(workload)


def test_no_two_mounts_of_a_container_have_one_path(objects: list[Manifest]) -> None:
    for workload in of(objects, *WORKLOADS):
        for one in containers(workload):
            paths = [each["mountPath"] for each in one.get("volumeMounts", [])]

            assert len(paths) == len(set(paths)), f"{called(workload)} {one['name']}"


def test_services_select_pods_of_their_component(objects: list[Manifest]) -> None:
    pods = [template(each)["metadata"]["labels"] for each in of(objects, *WORKLOADS)]
    pods += [labels for labels, _ in operated(objects)]
    for service in of(objects, "Service"):
        selector = {key: value for key, value in service["spec"]["selector"].items() if key not in SET_BY_PODS}

        assert any(selector.items() <= labels.items() for labels in pods), called(service)


def operated(objects: list[Manifest]) -> Iterator[tuple[dict[str, str], set[str]]]:
    """Labels and ports of pods that an operator makes of custom resources."""
    for each in of(objects, *OPERATED):
        labels = {
            "app.kubernetes.io/name": OPERATED[each["kind"]],
            "app.kubernetes.io/instance": each["metadata"]["name"],
        }
        yield labels, {"web", "reloader-web"}


OPERATED = {"Prometheus": "prometheus", "PrometheusAgent": "prometheus-agent", "Alertmanager": "alertmanager"}
"""Custom resources of Prometheus operator, by what it labels their pods with (pkg/*/operator.go at v0.93.0)."""

SET_BY_PODS = frozenset({"hami.io/scheduler-role"})
"""Labels that pods put on themselves: the one that leads."""


def test_services_lead_to_ports_that_containers_name(objects: list[Manifest]) -> None:
    for service in of(objects, "Service"):
        selector = {key: value for key, value in service["spec"]["selector"].items() if key not in SET_BY_PODS}
        chosen = [
            each for each in of(objects, *WORKLOADS) if selector.items() <= template(each)["metadata"]["labels"].items()
        ]
        known = {port.get("name") for each in chosen for one in containers(each) for port in one.get("ports", [])}
        known |= {port for labels, ports in operated(objects) if selector.items() <= labels.items() for port in ports}

        # A number needs no entry in the container; a name that it lacks leads nowhere.
        for port in service["spec"]["ports"]:
            assert isinstance(port["targetPort"], int) or port["targetPort"] in known, (
                f"{called(service)} {port['name']}"
            )


def test_pods_run_under_accounts_that_are_there(objects: list[Manifest]) -> None:
    accounts = names(objects, "ServiceAccount")
    for workload in of(objects, *WORKLOADS):
        account = template(workload)["spec"].get("serviceAccountName", "default")

        assert account == "default" or (workload["metadata"]["namespace"], account) in accounts, called(workload)


def test_bindings_join_roles_and_accounts_that_are_there(whole: Build, objects: list[Manifest]) -> None:
    made = {(each.namespace, each.name) for each in whole.makes if each.kind == "ServiceAccount"}
    accounts, roles, cluster_roles = (names(objects, kind) for kind in ("ServiceAccount", "Role", "ClusterRole"))
    bindings = of(objects, "RoleBinding", "ClusterRoleBinding")
    for binding in bindings:
        reference = binding["roleRef"]
        home = binding["metadata"].get("namespace", "")

        if reference["kind"] == "Role":
            assert (home, reference["name"]) in roles | KUBE_SYSTEM_ROLES, called(binding)
        else:
            assert ("", reference["name"]) in cluster_roles or reference["name"] in KUBERNETES_ROLES, called(binding)
        for subject in binding["subjects"]:
            if subject["kind"] == "ServiceAccount":
                known = accounts | made | KUBE_SYSTEM_ACCOUNTS
                assert (subject["namespace"], subject["name"]) in known, called(binding)


KUBE_SYSTEM_ACCOUNTS = frozenset({("kube-system", "horizontal-pod-autoscaler")})
KUBE_SYSTEM_ROLES = frozenset({("kube-system", "extension-apiserver-authentication-reader")})
KUBERNETES_ROLES = frozenset(
    {
        "system:kube-scheduler",
        "system:volume-scheduler",
        "system:auth-delegator",
        "system:node-problem-detector",
        "view",
        "cluster-admin",
    }
)


def test_every_role_is_granted_or_taken_in_by_another(objects: list[Manifest]) -> None:
    granted = {
        (each["metadata"].get("namespace", "") if each["roleRef"]["kind"] == "Role" else "", each["roleRef"]["name"])
        for each in of(objects, "RoleBinding", "ClusterRoleBinding")
    }
    for role in of(objects, "Role", "ClusterRole"):
        labels = role["metadata"].get("labels", {})
        taken_in = any("aggregate-to-" in key for key in labels)
        own = (role["metadata"].get("namespace", ""), role["metadata"]["name"])

        for_scrapers = all(rule.get("nonResourceURLs") == ["/metrics"] for rule in role.get("rules") or [{}])

        assert own in granted or taken_in or for_scrapers or own[1] in FOR_OTHERS, called(role)


FOR_OTHERS = frozenset(
    {
        "nvidia-dra-driver-gpu-resourceclaim-admin",
        "kueue-batch-admin-role",
        "kubeflow-admin",  # for members of teams
    }
)
"""Roles that people or pods of other namespaces are bound to."""


def test_every_container_asks_for_memory(objects: list[Manifest]) -> None:
    """Without a request it is the first to be evicted, and nobody knows what the component takes."""
    lacking = [
        f"{called(workload)} {one['name']}"
        for workload in of(objects, *WORKLOADS)
        for one in containers(workload)
        if "memory" not in one.get("resources", {}).get("requests", {}) | one.get("resources", {}).get("limits", {})
    ]

    assert lacking == []


def test_files_that_pods_mount_are_there(objects: list[Manifest]) -> None:
    for workload in of(objects, *WORKLOADS):
        for volume in template(workload)["spec"].get("volumes", []):
            chosen = volume.get("configMap")
            if not chosen or chosen.get("optional") or chosen["name"] in WRITTEN_BY_OTHERS:
                continue
            home = workload["metadata"]["namespace"]
            (found,) = [each for each in of(objects, "ConfigMap") if _is(each, home, chosen["name"])] or [
                {"data": None}
            ]

            assert found.get("data", {}) is not None, f"{called(workload)} mounts {chosen['name']}"
            for item in chosen.get("items", []):
                assert item["key"] in found["data"], f"{called(workload)} mounts {chosen['name']}"


WRITTEN_BY_OTHERS = frozenset({"istio-ca-root-cert"})
"""Files that a neighbour writes into every namespace."""


def _is(manifest: Manifest, namespace: str, name: str) -> bool:
    return (manifest["metadata"]["namespace"], manifest["metadata"]["name"]) == (namespace, name)


@pytest.mark.parametrize("name", SEVERAL)
def test_two_instances_share_nothing_but_what_one_of_them_renders(name: str) -> None:
    made = component(name)
    facts = {each: ComponentFact("", "", component=name) for each in (name, f"{name}-b", "second")}
    entries = {f"{kind}-{each}": entry for each in facts for kind, entry in served_by(each).items()}
    together = platform_for(name).with_facts(components=facts, storage=entries)
    seen: dict[tuple[str, str, str], str] = {}
    for instance in facts:
        config = config_for(name, **({"namespace": instance} if name in APART else {}))
        for item in render(lambda scope: made(scope, config=config, platform=together, name=instance)).objects:  # noqa: B023
            manifest = item.manifest
            identity = (manifest["kind"], manifest["metadata"].get("namespace", ""), manifest["metadata"]["name"])

            assert identity not in seen, f"{identity} of {seen.get(identity)} and {instance}"
            seen[identity] = instance
            for label in selectors(manifest):
                assert label["app.kubernetes.io/instance"] == instance


APART = frozenset({"emissary"})
"""Whose instances need a namespace each, which stacks are told: both would read one object of one name."""


def served_by(instance: str) -> dict[str, CephFs | Rbd]:
    """Storage entries of one instance."""
    ceph: dict[str, Any] = {
        "cluster_id": instance[:36],
        "monitors": ["10.0.1.11:6789"],
        "secret": SecretRef(existing="ceph/secret"),
        "served_by": instance,
    }
    return {
        "files": CephFs(driver="cephfs", filesystem="ml", **ceph),
        "block": Rbd(driver="rbd", pool="kubernetes", **ceph),
    }


def selectors(manifest: Manifest) -> Iterator[dict[str, str]]:
    """Label selectors for pods of the component."""
    spec = manifest.get("spec", {})
    if manifest["kind"] == "Service":
        yield spec["selector"]
    if manifest["kind"] in ("Deployment", "StatefulSet", "DaemonSet", "PodDisruptionBudget"):
        yield spec["selector"]["matchLabels"]
