"""What the API server takes of a pod, and its node does not."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.checks.rules.server.node_refused import NODE_REFUSED
from tests.unit.checks.samples import deployment, found, rendered

_POD = "spec.template.spec"
_C = f"{_POD}.containers[0].securityContext"


def _volume(medium: str) -> dict[str, Any]:
    return {"volumes": [{"name": "v", "emptyDir": {"medium": medium}}]}


def _sysctl(name: str, **pod: Any) -> dict[str, Any]:
    return {"securityContext": {"sysctls": [{"name": name, "value": "1"}]}, **pod}


@pytest.mark.parametrize("medium", ["", "Memory", "HugePages", "HugePages-2Mi", "HugePages-1Gi"])
def test_the_kubelet_knows_these_media(medium: str) -> None:
    assert found(NODE_REFUSED, rendered(deployment(pod=_volume(medium)))) == []


@pytest.mark.parametrize(
    ("medium", "hint"),
    [
        ("memory", "write Memory"),
        ("hugepages", "write HugePages"),
        ("HugePages-2M", "write Memory or HugePages, or leave it out for the node's disk"),
        ("tmpfs", "write Memory or HugePages, or leave it out for the node's disk"),
    ],
)
def test_another_medium_is_an_error(medium: str, hint: str) -> None:
    [finding] = found(NODE_REFUSED, rendered(deployment(pod=_volume(medium))))

    assert (finding.severity, finding.path, finding.hint) == ("error", f"{_POD}.volumes[0].emptyDir.medium", hint)
    assert finding.text == f"the kubelet knows no medium {medium!r}: the pod stays at ContainerCreating"


@pytest.mark.parametrize(
    "image",
    [
        "nginx",
        "nginx:1.27",
        "localhost/a__b:1",
        "registry:5000/a/b--c.d_e:V1_x-2",
        "Registry.Example.com/a:1",
        f"a/b:1@sha256:{'0a' * 32}",
        "[fd00::1]:5000/a/b",
        "${IMAGE}",
        "{{ .Values.image }}:x",
    ],
)
def test_an_image_that_a_node_can_pull_or_that_is_filled_in_is_fine(image: str) -> None:
    assert found(NODE_REFUSED, rendered(deployment(image=image))) == []


@pytest.mark.parametrize(
    ("image", "hint"),
    [
        ("https://registry.example.com/a:1", "leave out the scheme: write registry.example.com/a:1"),
        (
            "registry.example.com/Team/App:V1",
            "write registry.example.com/team/app:V1: names of images are in lower case",
        ),
        ("Team/app:1", "write team/app:1: names of images are in lower case"),
        ("a b:1", "write registry.example.com/team/app:1.2"),
        ("a/b:1:2", "write registry.example.com/team/app:1.2"),
        ("a/b:1@sha256:abc", "write registry.example.com/team/app:1.2"),
        ("a/", "write registry.example.com/team/app:1.2"),
    ],
)
def test_an_image_that_no_node_can_pull_is_an_error(image: str, hint: str) -> None:
    [finding] = found(NODE_REFUSED, rendered(deployment(image=image)))

    assert (finding.severity, finding.path, finding.hint) == ("error", f"{_POD}.containers[0].image", hint)
    assert finding.text == f"{image!r} is no image that a node can pull: the pod stays at InvalidImageName"


@pytest.mark.parametrize("name", ["IPC_LOCK", "ipc_lock", "ALL", "SYS_PTRACE"])
def test_capabilities_have_the_kernel_s_names_without_the_prefix(name: str) -> None:
    assert found(NODE_REFUSED, rendered(deployment(securityContext={"capabilities": {"add": [name]}}))) == []


@pytest.mark.parametrize(
    ("name", "list_", "hint"),
    [
        ("CAP_IPC_LOCK", "add", "write IPC_LOCK"),
        ("cap_net_raw", "drop", "write NET_RAW"),
        ("IPC_LOCKS", "add", "did you mean 'IPC_LOCK'?"),
    ],
)
def test_another_name_is_an_error(name: str, list_: str, hint: str) -> None:
    [finding] = found(NODE_REFUSED, rendered(deployment(securityContext={"capabilities": {list_: [name]}})))

    assert (finding.severity, finding.path, finding.hint) == ("error", f"{_C}.capabilities.{list_}[0]", hint)
    assert finding.text == f"{name} is no capability's name, and has no effect"


@pytest.mark.parametrize(
    ("pod", "container"),
    [
        ({}, {"runAsUser": 1000}),
        ({"securityContext": {"runAsUser": 1000}}, {}),
        ({"securityContext": {"runAsNonRoot": True}}, {}),
    ],
)
def test_who_is_not_root_locks_no_memory(pod: dict[str, Any], container: dict[str, Any]) -> None:
    security = {**container, "capabilities": {"add": ["IPC_LOCK"]}}
    [finding] = found(NODE_REFUSED, rendered(deployment(pod=pod, securityContext=security)))

    assert (finding.severity, finding.text) == ("warning", "a process that is not root does not get IPC_LOCK")


def test_root_locks_memory() -> None:
    pod = {"securityContext": {"runAsUser": 1000}}
    security = {"runAsUser": 0, "capabilities": {"add": ["IPC_LOCK"]}}

    assert found(NODE_REFUSED, rendered(deployment(pod=pod, securityContext=security))) == []


def test_a_container_that_must_not_be_root_and_is_does_not_start() -> None:
    pod = {"securityContext": {"runAsNonRoot": True, "runAsUser": 0}}
    [finding] = found(NODE_REFUSED, rendered(deployment(pod=pod)))

    assert (finding.severity, finding.path) == ("error", f"{_C}.runAsNonRoot")
    assert found(NODE_REFUSED, rendered(deployment(pod=pod, securityContext={"runAsUser": 1}))) == []


@pytest.mark.parametrize(
    ("pod", "severity"),
    [
        (_sysctl("net.ipv4.tcp_keepalive_time"), None),
        (_sysctl("net/ipv4/tcp_syncookies"), None),
        (_sysctl("net.core.somaxconn"), "warning"),
        (_sysctl("kernel.msgmax", hostNetwork=True), "warning"),
        (_sysctl("net.core.somaxconn", hostNetwork=True), "error"),
    ],
)
def test_the_kubelet_sets_the_sysctls_that_stay_in_the_pod(pod: dict[str, Any], severity: str | None) -> None:
    findings = found(NODE_REFUSED, rendered(deployment(pod=pod)))

    assert [each.severity for each in findings] == ([severity] if severity else [])
    assert all(each.path == f"{_POD}.securityContext.sysctls[0].name" for each in findings)


def test_pods_that_operators_make_are_judged_as_well() -> None:
    pod = {"containers": [{"name": "pytorch", "image": "a:1"}], **_volume("memory")}
    job = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": "it", "namespace": "default"},
        "spec": {"pytorchReplicaSpecs": {"Worker": {"template": {"spec": pod}}}},
    }
    [finding] = found(NODE_REFUSED, rendered(job))

    assert finding.path == "spec.pytorchReplicaSpecs.Worker.template.spec.volumes[0].emptyDir.medium"


NAMED = [{"name": "web", "containerPort": 80}]


@pytest.mark.parametrize(
    ("said", "path", "effect"),
    [
        ({"readinessProbe": {"httpGet": {"port": "http"}}}, "readinessProbe.httpGet", "the pod never becomes ready"),
        ({"startupProbe": {"tcpSocket": {"port": "http"}}}, "startupProbe.tcpSocket", "the pod never becomes ready"),
        ({"livenessProbe": {"httpGet": {"port": "http"}}}, "livenessProbe.httpGet", "the kubelet never asks it"),
        (
            {"lifecycle": {"postStart": {"httpGet": {"port": "http"}}}},
            "lifecycle.postStart.httpGet",
            "the container is killed as soon as it has started",
        ),
        ({"lifecycle": {"preStop": {"httpGet": {"port": "http"}}}}, "lifecycle.preStop.httpGet", "the hook fails"),
    ],
)
def test_a_port_that_is_called_by_name_is_the_container_s(said: dict[str, Any], path: str, effect: str) -> None:
    (finding,) = found(NODE_REFUSED, rendered(deployment(**said, ports=NAMED)))

    assert finding.path == f"spec.template.spec.containers[0].{path}.port"
    assert finding.text == f"the container has no port 'http': {effect}"
    assert finding.hint == "known: web"


@pytest.mark.parametrize("port", ["web", "80", 80])
def test_a_port_may_be_called_by_its_name_or_number(port: object) -> None:
    probed = deployment(readinessProbe={"httpGet": {"port": port}}, ports=NAMED)

    assert found(NODE_REFUSED, rendered(probed)) == []


def test_without_a_name_the_port_is_to_get_one() -> None:
    (finding,) = found(NODE_REFUSED, rendered(deployment(readinessProbe={"httpGet": {"port": "http"}})))

    assert finding.hint == "name it among the container's ports"
