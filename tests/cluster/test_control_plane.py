"""The fixtures themselves: what the server refuses, and that nothing is left of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from platform_def.components.monitoring.exporters.kubernetes import APISERVER
from tests.cluster.client import Api, Manifest
from tests.cluster.control_plane import ControlPlane, StartError, until
from tests.cluster.definitions import check_crds
from tests.cluster.fed import unfed
from tests.cluster.samples import config_map, crd, custom, namespace
from tests.cluster.sandbox import Sandbox
from tests.cluster.scrape import faults, read
from tests.cluster.snapshots import Boot
from tests.cluster.stacks import REPOSITORY
from tests.cluster.supervisor import OF_CONNECTIONS
from tests.cluster.tools import version_of
from tests.cluster.waves import apply_in_waves, as_stored_now, changed, refusals

pytestmark = pytest.mark.cluster

DEPLOYMENT: Manifest = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "web:1"}]},
        },
    },
}


@pytest.fixture
def api(cluster: ControlPlane) -> Api:
    return cluster.api


def test_an_unknown_field_is_refused_by_its_path(api: Api) -> None:
    refused = api.apply(config_map("unknown", dat={"a": "b"}))

    assert ".dat: field not declared in schema" in refused.refusal


def test_a_wrong_type_is_refused(api: Api) -> None:
    deployment = {**DEPLOYMENT, "spec": {**DEPLOYMENT["spec"], "replicas": "two"}}

    assert "replicas" in api.apply(deployment).refusal


def test_a_selector_that_misses_its_pods_is_refused(api: Api) -> None:
    deployment = {**DEPLOYMENT, "spec": {**DEPLOYMENT["spec"], "selector": {"matchLabels": {"app": "other"}}}}

    assert "spec.template.metadata.labels" in api.apply(deployment).refusal


def test_an_object_in_no_known_namespace_is_refused(api: Api) -> None:
    assert api.apply(config_map("a", namespace="nowhere")).refusal == '404 namespaces "nowhere" not found'


def test_a_kind_that_nobody_serves_is_refused(api: Api) -> None:
    assert api.apply(custom("Nothing", "a", {})).refusal == "no such kind is served"


def test_a_dry_run_is_judged_and_not_stored(api: Api) -> None:
    dry = api.apply(config_map("dry", data={"a": "b"}), dry_run=True)

    assert dry.refusal == ""
    assert api.read(config_map("dry")).status == 404


def test_waves_take_everything_at_once_and_a_second_apply_changes_nothing(api: Api) -> None:
    webhook = {
        "name": "pods.test.example.com",
        "clientConfig": {"service": {"name": "hook", "namespace": "waves"}},
        "rules": [
            {
                "apiGroups": ["nothing.example.com"],
                "apiVersions": ["v1"],
                "operations": ["CREATE"],
                "resources": ["nothings"],
            }
        ],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    objects: list[Manifest] = [
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": "waves"},
            "webhooks": [webhook],
        },
        custom("Wave", "first", {"size": 2}, group="waves.example.com"),
        config_map("a", namespace="waves", data={"a": "b"}),
        crd("Wave", group="waves.example.com"),
        namespace("waves"),
    ]

    first = as_stored_now(api, apply_in_waves(api, objects))
    again = apply_in_waves(api, objects)

    assert refusals(first) == []
    assert changed(first, again, apply=api.apply) == []


def test_a_good_crd_passes(api: Api) -> None:
    check_crds(api, [crd("Good", group="good.example.com")])


def test_a_custom_object_is_held_against_its_schema(api: Api) -> None:
    check_crds(api, [crd("Held", group="held.example.com")])

    def refusal(spec: Manifest) -> str:
        return api.apply(custom("Held", "a", spec, group="held.example.com")).refusal

    assert refusal({"size": 1}) == ""
    assert ".spec.bogus: field not declared in schema" in refusal({"size": 1, "bogus": 1})
    assert "spec.size" in refusal({"size": 0})
    assert "expected numeric" in refusal({"size": "one"})


@pytest.mark.parametrize(
    ("properties", "reason"),
    [
        ({"size": {"minimum": 1}}, "type: Required value"),
        ({"size": {"type": "strin"}}, "strin"),
        ({"size": {"type": "integer", "x-kubernetes-validations": [{"rule": "self >"}]}}, "compilation failed"),
        (
            {"ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port"],
                       "items": {"type": "object", "properties": {"port": {"type": "integer"}}}}},
            "must have a default or be a required property",
        ),
    ],
)  # fmt: skip
def test_a_crd_with_a_broken_schema_is_refused_with_the_reason(api: Api, properties: Manifest, reason: str) -> None:
    with pytest.raises(AssertionError, match=reason):
        check_crds(api, [crd("Broken", properties, group="broken.example.com")])


def test_two_crds_with_one_kind_conflict(api: Api) -> None:
    twice = [crd("Twice", group="twice.example.com"), crd("Twice", group="twice.example.com", plural="twicer")]

    with pytest.raises(AssertionError, match="NamesAccepted is False"):
        check_crds(api, twice)


def test_a_snapshot_serves_its_crds_at_once(boot: Boot) -> None:
    api = boot([crd("Snap", group="snap.example.com")]).api

    assert api.apply(custom("Snap", "a", {"size": 1}, group="snap.example.com")).refusal == ""


def test_what_is_done_to_a_copy_does_not_reach_the_snapshot(boot: Boot) -> None:
    crds = [crd("Snap", group="snap.example.com")]
    boot(crds).api.apply(config_map("mine", data={"a": "b"}))

    assert boot(crds).api.read(config_map("mine")).status == 404


def test_a_server_that_does_not_start_shows_its_log(binaries: Mapping[str, Path]) -> None:
    with (
        pytest.raises(StartError, match=r"(?s)kube-apiserver.log.*unknown flag"),
        ControlPlane(binaries, flags=("--no-such-flag",)),
    ):
        pass


@pytest.mark.parametrize(("variables", "outcome"), [({"CI": "true"}, "1 error"), ({}, "1 skipped")])
def test_where_it_can_have_no_network_of_its_own_a_test_is_skipped_and_in_ci_it_fails(
    variables: dict[str, str], outcome: str, tmp_path: Path
) -> None:
    unshare = tmp_path / "unshare"
    unshare.write_text("#!/bin/sh\nexit 1\n")
    unshare.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    environment |= {"PATH": f"{tmp_path}:{environment['PATH']}", **variables}
    test = f"{__file__}::test_no_server_outlives_its_supervisor[True]"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", test]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stdout

    assert outcome in said
    assert "this system allows no network namespaces" in said


@pytest.mark.parametrize("own_network", [False, pytest.param(True, marks=pytest.mark.own_network)])
def test_no_server_outlives_its_supervisor(own_network: bool, tmp_path: Path) -> None:
    token = f"{tmp_path}/{own_network}"
    with Sandbox(own_network=own_network) as sandbox:
        # One process that never forks: a shell's child carries the shell's words until it has become the command.
        sandbox.start("sleeper", [sys.executable, "-c", "import time; time.sleep(1000)", token], log=tmp_path / "log")
        running = _processes(token)

    assert len(running) == 1
    until(lambda: _processes(token) == [], seconds=60, what="the sleeper is gone")


def test_threads_that_ask_a_sandbox_get_their_own_answers() -> None:
    with Sandbox(own_network=False) as sandbox, ThreadPoolExecutor(8) as threads:
        found = [*threads.map(lambda turn: sandbox.free_ports(1) if turn % 2 else sandbox.ended(), range(400))]

    assert [type(each) for each in found] == [dict, list] * 200


@pytest.mark.own_network
def test_no_connection_takes_a_port_that_a_program_listens_at(tmp_path: Path) -> None:
    words = "import socket; s = socket.socket(type=socket.SOCK_DGRAM); s.connect(('127.0.0.1', 9)); print(s.getsockname()[1])"
    log = tmp_path / "log"
    with Sandbox(own_network=True) as sandbox:
        given = sandbox.free_ports(2) + sandbox.free_ports(2)
        sandbox.start("client", [sys.executable, "-c", words], log=log)
        until(lambda: "client" in sandbox.ended(), seconds=60, what="it has its port")

    assert len({*given}) == 4
    assert max(given) < OF_CONNECTIONS[0] <= int(log.read_text())


def test_what_killed_tests_leave_is_removed() -> None:
    words = "from tests.cluster.control_plane import ControlPlane; print(ControlPlane({}).folder, flush=True); input()"
    tests = subprocess.Popen(
        [sys.executable, "-c", words], cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with tests:
        assert tests.stdout is not None
        folder = Path(tests.stdout.readline().strip())
        there = folder.is_dir()
        tests.kill()

    assert there
    until(lambda: not folder.exists(), seconds=60, what=f"{folder} is removed")


def _processes(token: str) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if token.encode() in command and command[0] == sys.executable.encode():
            found.append(int(folder.name))
    return found


def test_only_this_runs_token_is_taken(cluster: ControlPlane) -> None:
    stranger = Api(cluster.api.socket, authority=cluster.pki.authority, token="of another run")
    status = stranger.get("/version").status
    stranger.close()

    assert status == 401


def test_the_server_says_its_pinned_version(api: Api) -> None:
    assert api.get("/version").body["gitVersion"] == version_of("kube-apiserver")


@pytest.fixture
def unanswered(api: Api) -> Iterator[Manifest]:
    """A ConfigMap of which two webhooks are asked that nothing answers for: one may be passed over."""
    hooks = [
        {
            "name": f"{policy}.counted.example.com".lower(),
            "clientConfig": {"service": {"name": "hook", "namespace": "default"}},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]}],
            "objectSelector": {"matchLabels": {"counted": policy}},
            "failurePolicy": policy,
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        }
        for policy in ("Fail", "Ignore")
    ]
    asking = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "counted"},
        "webhooks": hooks,
    }
    assert not api.apply(asking).refusal
    yield config_map("counted", data={"a": "b"})
    api.request("DELETE", api.path(asking) or "")


def test_the_server_counts_as_its_table_says(api: Api, unanswered: Manifest, programs: Mapping[str, Path]) -> None:
    def refused(policy: str) -> bool:
        labelled = {**unanswered["metadata"], "labels": {"counted": policy}}
        return bool(api.apply({**unanswered, "metadata": labelled}).refusal)

    until(lambda: refused("Fail"), seconds=60, what="the webhook is asked")
    assert not refused("Ignore")
    page = read(api.text("/metrics"))

    assert faults(page, [APISERVER], program=programs["kube-apiserver"]) == []
    assert unfed("apiserver", {"kube-apiserver": [page]}, engine=programs["prometheus-engine"]) == []
