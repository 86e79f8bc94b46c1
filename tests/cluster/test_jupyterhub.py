"""Servers that people start: JupyterHub and KubeSpawner read the files of a stack, and a real API server takes the pods.

Real: JupyterHub 5.5.2, KubeSpawner 7.1.0 and oauthenticator 17.4.0 from PyPI with the ConfigMap out of dist/, their choice
of profiles, pods and claims; kube-apiserver with RBAC, Pod Security and the namespaces' defaults, as the hub's account.
No hub runs, nobody signs in, and no pod starts.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from platform_def.components.notebooks.jupyterhub.releases import METRICS
from platform_def.yaml import load
from tests.cluster.client import Api, Manifest
from tests.cluster.conftest import or_skip
from tests.cluster.control_plane import ControlPlane
from tests.cluster.hub import obtain_hub, understood
from tests.cluster.machines import PROGRAMS
from tests.cluster.stacks import REPOSITORY

pytestmark = pytest.mark.cluster

PEOPLE: Mapping[str, Mapping[str, Sequence[str]]] = {
    "quickstart": {"anyone": ()},
    "campus-gpu": {"Noether@campus.example.com": (), "student": ("course-gpu",), "stranger": ("courses",)},
}
NEEDED = ("Namespace", "ServiceAccount", "Role", "RoleBinding", "LimitRange", "RuntimeClass", "ConfigMap")
HOME = "jupyterhub"


def objects(stack: str) -> list[Manifest]:
    """Of dist/: the hub's objects, and namespaces and classes that its servers need."""
    root = REPOSITORY / "dist" / stack
    found = [load(path.read_bytes(), file=path.name) for path in sorted(root.rglob("*.yaml"))]
    return [each for each in found if isinstance(each, dict) and each.get("kind") in NEEDED]


def files(found: list[Manifest]) -> dict[str, str]:
    """The hub's files."""
    return next(
        each["data"]
        for each in found
        if each["kind"] == "ConfigMap" and each["metadata"] == {**each["metadata"], "name": "hub"}
    )


@pytest.fixture(scope="module")
def python() -> Path:
    """The Python that has JupyterHub."""
    return or_skip(obtain_hub)


@pytest.fixture(scope="module")
def read(python: Path) -> Mapping[str, dict[str, Any]]:
    """What the hub makes of each stack."""
    return {stack: understood(python, files(objects(stack)), people) for stack, people in PEOPLE.items()}


@pytest.mark.parametrize("name", PEOPLE)
def test_every_setting_is_one_that_the_programs_have(read: Mapping[str, dict[str, Any]], name: str) -> None:
    assert read[name]["strange"] == []
    assert read[name]["hub"]["base_url"] == "/jupyterhub/"
    assert read[name]["hub"]["connect_url"] == "http://hub.jupyterhub.svc.cluster.local:8081"


def test_people_sign_in_as_the_stack_says(read: Mapping[str, dict[str, Any]]) -> None:
    found = {stack: each["hub"]["authenticator"] for stack, each in read.items()}

    assert found == {"campus-gpu": "GenericOAuthenticator", "quickstart": "SharedPasswordAuthenticator"}


def test_members_and_groups_get_in_and_a_group_with_a_longer_name_does_not(read: Mapping[str, dict[str, Any]]) -> None:
    people = read["campus-gpu"]["people"]

    assert {name: each["allowed"] for name, each in people.items()} == {
        "Noether@campus.example.com": True,
        "student": True,
        "stranger": False,
    }
    assert "No team of yours" in people["stranger"]["refused"]
    assert {each["namespace"] for each in people["student"]["servers"]} == {"team-course"}
    assert {each["namespace"] for each in people["Noether@campus.example.com"]["servers"]} == {"team-physics"}


def test_a_server_on_a_pool_asks_for_its_devices_as_its_plugin_knows_them(read: Mapping[str, dict[str, Any]]) -> None:
    slices = [
        each
        for each in read["campus-gpu"]["people"]["student"]["servers"]
        if each["profile"] == "team-course--course-1g-10gb"
    ]
    cards = read["campus-gpu"]["people"]["Noether@campus.example.com"]["servers"]
    eight = next(each for each in cards if each["options"].get("gpus") == "8")["pod"]["spec"]

    assert slices[0]["pod"]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/mig-1g.10gb"] == "1"
    assert eight["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "8"
    assert eight["nodeSelector"] == {"pool": "train"}
    assert eight["schedulerName"] == "volcano"
    assert [each["key"] for each in eight["tolerations"]] == ["gpu"]


@pytest.mark.parametrize("name", PEOPLE)
def test_the_home_is_mounted_where_the_image_has_it_for_its_user(read: Mapping[str, dict[str, Any]], name: str) -> None:
    for person in read[name]["people"].values():
        for server in person["servers"]:
            spec = server["pod"]["spec"]
            container = spec["containers"][0]
            home = next(each for each in spec["volumes"] if each["name"] == "home")

            assert home["persistentVolumeClaim"]["claimName"] == server["claim"]["metadata"]["name"]
            assert {"name": "home", "mountPath": container["workingDir"]} in container["volumeMounts"]
            assert spec["securityContext"]["fsGroup"] == container["securityContext"]["runAsGroup"]


@pytest.mark.parametrize("name", PEOPLE)
def test_the_api_server_takes_each_server_from_the_hub_and_gives_it_nothing_else(
    cluster: ControlPlane, read: Mapping[str, dict[str, Any]], name: str
) -> None:
    with account(cluster, objects(name)) as hub:
        judge(hub, read[name]["people"])


def judge(hub: Api, people: Mapping[str, dict[str, Any]]) -> None:
    homes = set()
    for person in people.values():
        for server in person["servers"]:
            homes.add(server["namespace"])
            for kind, body in (("persistentvolumeclaims", server["claim"]), ("pods", server["pod"])):
                path = f"/api/v1/namespaces/{server['namespace']}/{kind}?dryRun=All&fieldValidation=Strict"
                reply = hub.request("POST", path, {**body, "apiVersion": "v1"})

                assert reply.status == 201, (server["profile"], server["options"], kind, reply.message)
    for home in homes:
        assert hub.get(f"/api/v1/namespaces/{home}/pods").status == 200
        assert hub.get(f"/api/v1/namespaces/{home}/events").status == 200
        assert hub.get(f"/api/v1/namespaces/{home}/secrets").status == 403
    assert hub.get("/api/v1/namespaces/kube-system/pods").status == 403
    assert hub.get(f"/api/v1/namespaces/{HOME}/secrets").status == 403


@contextmanager
def account(cluster: ControlPlane, found: list[Manifest]) -> Iterator[Api]:
    """The API server as the hub's account sees it, with the namespaces and rights of the stack.

    Others find its RuntimeClasses no more: their names are such as a stack gives, and what they say never changes.
    """
    teams = {each["metadata"]["name"] for each in found if each["kind"] == "Namespace"} & {
        each["metadata"].get("namespace")
        for each in found
        if each["kind"] == "Role" and each["metadata"]["name"] == "hub"
    }
    places = {HOME, *teams}
    own = [each for each in found if each["kind"] == "RuntimeClass" or each["metadata"].get("namespace") in places]
    wanted = [each for each in own if each["kind"] not in ("ConfigMap", "Namespace")]
    names = [each for each in found if each["kind"] == "Namespace" and each["metadata"]["name"] in places]
    # No controller makes the account under which pods without one run.
    plain = [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": each}}
        for each in places
    ]
    for results in (cluster.api.apply_all(names), cluster.api.apply_all(plain), cluster.api.apply_all(wanted)):
        assert [each.refusal for each in results if each.refusal] == []
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    token = cluster.api.request("POST", f"/api/v1/namespaces/{HOME}/serviceaccounts/hub/token", request)
    try:
        with closing(
            Api(cluster.api.socket, authority=cluster.pki.authority, token=token.body["status"]["token"])
        ) as hub:
            yield hub
    finally:
        for each in wanted:
            if each["kind"] == "RuntimeClass":
                cluster.api.request("DELETE", cluster.api.path(each) or "")


def test_metrics_of_its_table_are_those_that_the_hub_registers(python: Path) -> None:
    told = subprocess.run([python, PROGRAMS / "hub_metrics.py"], capture_output=True, text=True, check=True).stdout
    registered = json.loads(told)

    assert {each.name: [each.type, *each.labels] for each in METRICS.metrics} == {
        each.name: registered.get(each.name) for each in METRICS.metrics
    }
