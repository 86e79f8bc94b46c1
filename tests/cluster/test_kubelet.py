"""What the kubelet of the tests gives pods: Services at their addresses, and the network of the nodes."""

from __future__ import annotations

import json
import os
import socket
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from platform_def.tools import kubectl_path
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import start_kubernetes
from tests.cluster.engines import commands
from tests.cluster.job_bench import machines
from tests.cluster.kubelet.container import hidden
from tests.cluster.kubelet.content import expanded
from tests.cluster.kubelet.image import runs
from tests.cluster.kubelet.network import NODES
from tests.cluster.kubelet.services import OWN, Door, Proxy, addressed, backends, doors, is_own, is_ready
from tests.cluster.machines import PLAIN, skip_without_policies, start_kubelet
from tests.cluster.waves import apply_in_waves, refusals

HOME = "web"
SERVER = "import http.server as h; h.test(h.SimpleHTTPRequestHandler, port=8000, bind='0.0.0.0')"
CLIENT = "import urllib.request as u; print(u.urlopen('http://web.web.svc:80/', timeout=5).status)"
WAIT_SECONDS = 60.0


def service(**spec: Any) -> Manifest:
    """A Service with an address."""
    ports = [{"port": 80, "targetPort": "http"}]
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web", "namespace": HOME},
        "spec": {"selector": {"app": "web"}, "ports": ports, **spec},
    }


def pod(name: str = "web", code: str = SERVER, **spec: Any) -> Manifest:
    """A pod that runs some Python."""
    container = {
        "name": "main",
        "image": "plain/python:3",
        "command": ["python", "-c", code],
        "ports": [{"name": "http", "containerPort": 8000}],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": HOME, "labels": {"app": name}},
        "spec": {
            "containers": [container],
            "restartPolicy": "OnFailure",
            "tolerations": [{"operator": "Exists"}],
            **spec,
        },
    }


def running(made: Manifest, *, ready: str = "True", **status: Any) -> Manifest:
    """A pod as its kubelet reports it."""
    conditions = [{"type": "Ready", "status": ready}]
    return {**made, "status": {"phase": "Running", "podIP": "10.244.0.2", "conditions": conditions, **status}}


def test_a_service_leads_to_its_ready_pods_by_the_name_of_their_port() -> None:
    web = service()
    (port,) = web["spec"]["ports"]
    of_others = running({**pod(), "metadata": {**pod()["metadata"], "namespace": "other"}})
    pods = [running(pod()), running(pod("another")), running(pod(), phase="Succeeded"), of_others]

    assert backends(web, port, pods) == [("10.244.0.2", 8000)]
    assert backends(web, {"port": 81}, pods) == [("10.244.0.2", 81)]
    assert backends(web, port, [running(pod(), ready="False")]) == []
    early = service(publishNotReadyAddresses=True)
    assert backends(early, port, [running(pod(), ready="False")]) == [("10.244.0.2", 8000)]
    assert backends(service(selector=None), port, pods) == []


def test_a_service_without_a_selector_leads_to_the_addresses_that_are_written_down() -> None:
    ready, not_ready = (
        {"addresses": [each], "conditions": {"ready": each[-1] == "1"}} for each in ("10.9.0.1", "10.9.0.2")
    )
    written = {
        "metadata": {"namespace": HOME, "labels": {"kubernetes.io/service-name": "web"}},
        "ports": [{"name": "http", "port": 8012}, {"name": "https", "port": 8112}],
        "endpoints": [ready, not_ready],
    }
    web = service(selector=None)

    assert addressed(web, {"name": "http", "port": 80}, [written]) == [("10.9.0.1", 8012)]
    assert addressed(web, {"port": 80}, [written]) == []
    assert addressed(web, {"name": "http", "port": 80}, [{**written, "metadata": {"namespace": "other"}}]) == []


def test_a_headless_service_and_other_protocols_have_no_door() -> None:
    both = [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]

    assert [door for door, _, _ in doors([service(clusterIP="127.64.0.9", ports=both)])] == [Door("127.64.0.9", 53)]
    assert [*doors([service(clusterIP="None"), service()])] == []


def test_a_pod_s_own_port_is_left_to_its_program() -> None:
    door = Door("127.64.0.9", 8000)

    assert is_own(door, service(), pod())
    assert not is_own(Door("127.64.0.9", 80), service(), pod())
    assert not is_own(door, service(), pod("another"))
    assert is_own(door, service(), pod("another"), keeps=True)


def test_a_port_that_only_a_probe_names_is_left_to_a_program_that_listens_everywhere() -> None:
    asked, door = pod("another"), Door("127.64.0.9", 8081)
    asked["spec"]["containers"][0]["readinessProbe"] = {"httpGet": {"path": "/", "port": 8081}}

    assert is_own(door, service(), asked, keeps=True)
    assert not is_own(door, service(), asked)
    assert not is_own(Door("127.64.0.9", 8082), service(), asked, keeps=True)


def test_a_pod_is_another_s_unless_all_of_its_images_are_known() -> None:
    made = pod()
    made["spec"]["initContainers"] = [{"name": "first", "image": "first/python:3"}]

    assert runs(made, ["plain/", "first/"])
    assert not runs(made, ["plain/"])
    assert not runs(made, [])


def test_a_pod_of_a_namespace_that_is_played_is_another_s() -> None:
    assert runs(pod(), ["plain/"], apart=["elsewhere"])
    assert not runs(pod(), ["plain/"], apart=[pod()["metadata"]["namespace"]])


@contextmanager
def echo() -> Iterator[int]:
    """A port that says back what it hears, once."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            client, _ = server.accept()
            with client:
                client.sendall(client.recv(100))

        threading.Thread(target=answer, daemon=True).start()
        yield server.getsockname()[1]


def free_door() -> Door:
    """One at which nobody listens."""
    with socket.create_server(("127.64.0.9", 0)) as server:
        return Door("127.64.0.9", server.getsockname()[1])


def test_a_door_is_carried_on_to_a_backend_until_it_is_closed() -> None:
    door = free_door()
    with echo() as port:
        proxy = Proxy(OWN, lambda asked: [("127.0.0.1", port)] if asked == door else [])
        proxy.show([door])
        proxy.show([door])
        with socket.create_connection(door) as client:
            client.sendall(b"hello")
            said = client.recv(100)
    proxy.close()
    proxy.show([door])

    assert said == b"hello"
    with pytest.raises(ConnectionRefusedError), socket.create_connection(door):
        pass


def test_a_door_without_a_backend_hangs_up() -> None:
    door = free_door()
    proxy = Proxy(OWN, lambda _: [])
    proxy.show([door])
    with socket.create_connection(door) as client:
        said = client.recv(100)
    proxy.close()
    proxy.show([door])

    assert said == b""


def test_a_clone_under_tmp_is_shown_to_containers_with_its_programs() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        clone, cache = Path(folder, "clone"), Path(folder, "cache")
        for each in (clone / ".venv", cache):
            each.mkdir(parents=True)
        (cache / "kubectl").touch()

        assert hidden([clone, clone / ".venv", cache / "kubectl", "/usr/bin"]) == [cache, clone]


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("$(HOST):$(PORT)", "db:$(PORT)"),
        ("echo $$HOME", "echo $HOME"),
        ("[ $(head -n 1 $$.pid) = done ] > $$$$.pid", "[ $(head -n 1 $$.pid) = done ] > $$.pid"),
    ],
)
def test_only_known_names_are_replaced_and_what_a_shell_is_to_run_is_left_to_it(text: str, means: str) -> None:
    assert expanded(text, {"HOST": "db"}) == means


@pytest.fixture(scope="module")
def nodes(programs: Mapping[str, Path]) -> Iterator[ControlPlane]:
    """A cluster whose pods are processes, with a web server behind a Service."""
    with ControlPlane(programs) as control_plane:
        start_kubernetes(control_plane, programs, kwok=False)
        home = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HOME}}
        results = apply_in_waves(control_plane.api, [home, *machines(), service()])
        assert not refusals(results), refusals(results)
        start_kubelet(control_plane, {"plain/": PLAIN})
        assert not refusals(apply_in_waves(control_plane.api, [pod()]))
        yield control_plane


@pytest.mark.cluster
@pytest.mark.own_network
@pytest.mark.parametrize(
    ("name", "spec", "works"),
    [
        ("own", {}, True),
        ("host", {"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}, True),
        ("lost", {"hostNetwork": True, "restartPolicy": "Never"}, False),
    ],
)
def test_a_pod_reaches_a_service_at_its_address(
    nodes: ControlPlane, name: str, spec: dict[str, Any], works: bool
) -> None:
    client = pod(name, CLIENT, **spec)
    assert not refusals(apply_in_waves(nodes.api, [client]))
    until(
        lambda: nodes.api.read(client).body["status"].get("phase") in ("Succeeded", "Failed"),
        seconds=WAIT_SECONDS,
        what=f"{name} ends",
    )

    status = nodes.api.read(client).body["status"]
    assert status["phase"] == ("Succeeded" if works else "Failed"), status
    assert (status["podIP"] == status["hostIP"]) == bool(spec)
    assert status["hostIP"].startswith(f"{NODES}.")
    # On the node's network a pod that does not ask for the cluster's name server finds no Service by its name.
    said = "".join(log.read_text() for log in (nodes.folder / "kubelet" / "pods" / HOME / name).glob("*/main.log"))
    assert ("200" in said, "Name or service not known" in said or "name resolution" in said) == (works, not works)


def said(nodes: ControlPlane, one: Manifest) -> str:
    """What a pod said until its end."""
    assert not refusals(found := apply_in_waves(nodes.api, [one])), refusals(found)
    name = one["metadata"]["name"]
    until(
        lambda: nodes.api.read(one).body["status"].get("phase") in ("Succeeded", "Failed"),
        seconds=WAIT_SECONDS,
        what=f"{name} ends",
    )
    return "".join(log.read_text() for log in (nodes.folder / "kubelet" / "pods" / HOME / name).glob("*/main.log"))


FILES = """\
import os, pathlib, sys
print(os.getuid(), *(f"{each.name}={each.read_text()}:{each.stat().st_mode & 0o777:o}" for each in
  sorted(pathlib.Path("/keys").iterdir()) if each.is_file()))
"""


@pytest.mark.cluster
@pytest.mark.own_network
def test_a_pod_is_the_user_that_it_asks_for_and_has_files_under_the_names_and_modes_of_its_volume(
    nodes: ControlPlane,
) -> None:
    items = [{"key": "one", "path": "id_rsa"}, {"key": "two", "path": "open", "mode": 0o440}]
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "keys", "namespace": HOME},
        "stringData": {"one": "first", "two": "second", "three": "third"},
    }
    assert not refusals(apply_in_waves(nodes.api, [secret]))
    volume = {"name": "keys", "secret": {"secretName": "keys", "items": items, "defaultMode": 0o600}}
    one = pod("user", FILES, volumes=[volume], securityContext={"runAsUser": 1000}, restartPolicy="Never")
    one["spec"]["containers"][0]["volumeMounts"] = [{"name": "keys", "mountPath": "/keys"}]

    assert said(nodes, one).split() == ["1000", "id_rsa=first:600", "open=second:400"]


BEGINNINGS = """\
import pathlib, time
def begun():
  for each in sorted(pathlib.Path("/proc").glob("[0-9]*"), key=lambda found: int(found.name)):
    if each.joinpath("stat").read_text().rpartition(")")[2].split()[1] == "0":
      yield " ".join(each.joinpath("cmdline").read_text().split("\\0")[:2])
while "root.sh" in (found := "\\n".join(begun())):  # a container is on its way to its program
  time.sleep(0.1)
print(found)
"""


@pytest.mark.cluster
@pytest.mark.own_network
def test_containers_that_share_their_processes_are_begun_in_order_and_see_each_other_alone(nodes: ControlPlane) -> None:
    one = pod("sharing", BEGINNINGS, shareProcessNamespace=True, restartPolicy="Never")
    (main,) = one["spec"]["containers"]
    one["spec"]["containers"] = [{**main, "name": "before", "command": ["sleep", "3"], "ports": []}, main]

    begun = [line.split() for line in said(nodes, one).splitlines()]
    assert [[Path(line[0]).name, *line[1:]] for line in begun] == [
        ["sleep", "infinity"],
        ["sleep", "3"],
        ["python", "-c"],
    ]


WAITS = "import pathlib, time\nwhile not pathlib.Path('/keys/late').exists(): time.sleep(0.1)\nprint('there')"


@pytest.mark.cluster
@pytest.mark.own_network
def test_a_key_that_a_secret_gets_later_reaches_the_pods_that_have_it(nodes: ControlPlane) -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "filled", "namespace": HOME}}
    assert not refusals(apply_in_waves(nodes.api, [secret]))
    one = pod("waits", WAITS, volumes=[{"name": "keys", "secret": {"secretName": "filled"}}], restartPolicy="Never")
    one["spec"]["containers"][0]["volumeMounts"] = [{"name": "keys", "mountPath": "/keys"}]
    assert not refusals(apply_in_waves(nodes.api, [one]))
    until(
        lambda: nodes.api.read(one).body["status"].get("phase") == "Running", seconds=WAIT_SECONDS, what="the pod waits"
    )
    assert not refusals(apply_in_waves(nodes.api, [{**secret, "stringData": {"late": "yes"}}]))

    assert said(nodes, one) == "there\n"


ASKS = """\
import subprocess, sys
run = subprocess.run([sys.argv[1], "exec", "web", "--", "sh", "-c", "hostname; echo no >&2; exit 3"],
  capture_output=True, text=True)
print([run.returncode, run.stdout, run.stderr.splitlines()[0]])
"""


@pytest.mark.cluster
@pytest.mark.own_network
def test_a_command_runs_in_another_pod_as_far_as_the_account_may(nodes: ControlPlane) -> None:
    asks = [ASKS, str(kubectl_path())]
    one = pod("refused", restartPolicy="Never")
    one["spec"]["containers"][0]["command"] = ["python", "-c", *asks]
    refused = said(nodes, one)
    subject = {"kind": "ServiceAccount", "name": "default", "namespace": HOME}
    allows = [
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]},
        {"apiGroups": [""], "resources": ["pods/exec"], "verbs": ["create"]},
    ]
    metadata, of = {"name": "runs", "namespace": HOME}, "rbac.authorization.k8s.io"
    role = {"apiVersion": f"{of}/v1", "kind": "Role", "metadata": metadata, "rules": allows}
    reference = {"apiGroup": of, "kind": "Role", "name": "runs"}
    binding = {**role, "kind": "RoleBinding", "roleRef": reference, "subjects": [subject]}
    del binding["rules"]
    assert not refusals(apply_in_waves(nodes.api, [role, binding]))
    one["metadata"]["name"] = "asks"
    allowed = said(nodes, one)

    assert "forbidden" in refused
    assert allowed.strip() == "[3, 'web\\n', 'no']"


@pytest.mark.cluster
@pytest.mark.own_network
def test_files_go_into_a_pod_and_out_of_it_and_its_ports_are_reached_from_outside(
    nodes: ControlPlane, tmp_path: Path
) -> None:
    sent = tmp_path / "sent"
    sent.mkdir()
    (sent / "cards").write_bytes(os.urandom(3 << 20))
    until(lambda: is_ready(nodes.api.read(pod()).body), seconds=WAIT_SECONDS, what="the server answers")
    told = commands.run(
        nodes,
        [
            "kubectl -n web port-forward service/web 8080:80 > forwarded &",
            "until curl --silent --fail --output first http://localhost:8080/; do sleep 0.2; done",
            "curl --silent --fail --output second http://localhost:8080/",
            "kubectl -n web cp sent web:/tmp/arrived",
            "kubectl -n web cp web:/tmp/arrived back",
            "kill %1",
        ],
        folder=tmp_path,
    )

    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes() != b"", told
    assert (tmp_path / "back/cards").read_bytes() == (sent / "cards").read_bytes()


TRIES = """\
import pathlib, sys
again = pathlib.Path("/scratch/tried")
print("second" if again.exists() else "first", flush=True)
again.touch() if not again.exists() else sys.exit(0)
sys.exit("no data")
"""


@pytest.mark.cluster
@pytest.mark.own_network
@pytest.mark.parametrize(("policy", "words"), [("FallbackToLogsOnError", "first\nno data\n"), ("File", None)])
def test_the_api_server_reads_the_log_of_a_container_s_last_try_and_of_the_one_before(
    nodes: ControlPlane, policy: str, words: str | None
) -> None:
    one = pod(f"tries-{policy.lower()}", TRIES, volumes=[{"name": "scratch", "emptyDir": {}}])
    (container,) = one["spec"]["containers"]
    container |= {
        "terminationMessagePolicy": policy,
        "volumeMounts": [{"name": "scratch", "mountPath": "/scratch"}],
    }
    said(nodes, one)
    log = f"{nodes.api.path(one)}/log"
    (status,) = nodes.api.read(one).body["status"]["containerStatuses"]

    assert nodes.api.text(log) == "second\n"
    assert nodes.api.text(f"{log}?previous=true") == "first\nno data\n"
    assert nodes.api.text(f"{log}?previous=true&tailLines=1") == "no data\n"
    assert status["lastState"]["terminated"].get("message") == words
    assert status["restartCount"] == 1
    with pytest.raises(ValueError, match="container nothing is not valid"):
        nodes.api.text(f"{log}?container=nothing")


BESIDE = """\
import pathlib, sys, time
own, other = (pathlib.Path("/scratch", name) for name in sys.argv[1:])
own.touch()
while not other.exists():
    time.sleep(0.05)
sys.exit(own.name == "second" and 3)
"""


@pytest.mark.cluster
@pytest.mark.own_network
def test_containers_of_a_pod_run_beside_each_other_once_what_they_mount_is_there(nodes: ControlPlane) -> None:
    volumes = [{"name": "scratch", "emptyDir": {}}, {"name": "late", "secret": {"secretName": "late"}}]
    one = pod("both", volumes=volumes, restartPolicy="Never")
    (container,) = one["spec"]["containers"]
    mounts = [{"name": "scratch", "mountPath": "/scratch"}, {"name": "late", "mountPath": "/late"}]
    one["spec"]["containers"] = [
        {**container, "name": name, "command": ["python", "-c", BESIDE, name, other], "volumeMounts": mounts}
        for name, other in (("first", "second"), ("second", "first"))
    ]
    assert not refusals(found := apply_in_waves(nodes.api, [one])), refusals(found)
    until(
        lambda: "podIP" in nodes.api.read(one).body["status"], seconds=WAIT_SECONDS, what="the kubelet has seen the pod"
    )
    before = nodes.api.read(one).body["status"]
    metadata = {"name": "late", "namespace": HOME}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {"key": "value"}}
    assert not refusals(apply_in_waves(nodes.api, [secret]))
    until(
        lambda: nodes.api.read(one).body["status"]["phase"] == "Failed", seconds=WAIT_SECONDS, what="one of both fails"
    )
    after = nodes.api.read(one).body["status"]

    assert before["phase"] == "Pending"
    codes = {each["name"]: each["state"]["terminated"]["exitCode"] for each in after["containerStatuses"]}
    assert codes == {"first": 0, "second": 3}


REACHES = "import socket, sys; socket.create_connection((sys.argv[1], 8000), timeout=3)"


def reaches(nodes: ControlPlane, name: str, address: str, **spec: Any) -> bool:
    """Whether a pod of this name begins a connection with a port of an address."""
    client = pod(name, restartPolicy="Never", **spec)
    client["spec"]["containers"][0]["command"] = ["python", "-c", REACHES, address]
    said(nodes, client)
    phase = nodes.api.read(client).body["status"]["phase"]
    assert nodes.api.request("DELETE", f"{nodes.api.path(client)}?gracePeriodSeconds=0").status == 200
    return bool(phase == "Succeeded")


@pytest.mark.cluster
@pytest.mark.own_network
def test_a_policy_says_which_pods_and_addresses_begin_a_connection(nodes: ControlPlane) -> None:
    skip_without_policies(nodes.folder / "kubelet")
    guarded = pod("guarded", nodeName="train-0")
    of = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy"}
    friends: dict[str, Any] = {"podSelector": {"matchLabels": {"app": "friend"}}}
    into = {"podSelector": {"matchLabels": {"app": "guarded"}}, "ingress": [{"from": [friends]}]}
    out = {
        "podSelector": {"matchLabels": {"app": "kept"}},
        "policyTypes": ["Egress"],
        "egress": [{"ports": [{"port": 53}]}],
    }
    policies = [
        {**of, "metadata": {"name": name, "namespace": HOME}, "spec": spec}
        for name, spec in (("into", into), ("out", out))
    ]
    assert not refusals(apply_in_waves(nodes.api, [guarded, *policies]))
    until(lambda: "podIP" in nodes.api.read(guarded).body["status"], seconds=WAIT_SECONDS, what="it has an address")
    address = nodes.api.read(guarded).body["status"]["podIP"]
    until(lambda: reaches(nodes, "friend", address), seconds=WAIT_SECONDS, what="the server answers a friend")
    host = {"hostNetwork": True, "nodeName": "train-1"}
    before = [reaches(nodes, "stranger", address), reaches(nodes, "other-node", address, **host)]
    its_own = reaches(nodes, "own-node", address, **{**host, "nodeName": "train-0"})
    into["ingress"] = [{"from": [friends, {"ipBlock": {"cidr": f"{NODES}.0.0/16"}}]}]
    assert not refusals(apply_in_waves(nodes.api, policies))
    refused = json.loads((nodes.folder / "kubelet" / "refused.json").read_text())
    until(lambda: reaches(nodes, "other-node", address, **host), seconds=WAIT_SECONDS, what="nodes are let in")
    web = nodes.api.read(pod()).body["status"]["podIP"]

    assert before == [False, False]
    assert its_own
    assert refused[address] >= 2
    assert not reaches(nodes, "stranger", address)
    assert reaches(nodes, "stranger", web)
    assert not reaches(nodes, "kept", web)


HEARS = "import signal\nsignal.signal(signal.SIGTERM, lambda *_: print('told', flush=True))\n"
DEAF = ""
STAYS = """\
import subprocess, time
print('begun', flush=True)
subprocess.Popen(['sh', '-c', 'trap "" TERM; while sleep 0.2; do echo beside; done'])
while True:
    time.sleep(0.1)
"""


def begin(nodes: ControlPlane, one: Manifest, *, says: str) -> str:
    """Start a pod, and wait until it runs and has said a word; the path of its log."""
    assert not refusals(apply_in_waves(nodes.api, [one]))
    log = f"{nodes.api.path(one)}/log"
    until(
        lambda: nodes.api.read(one).body["status"].get("phase") == "Running" and says in nodes.api.text(log),
        seconds=WAIT_SECONDS,
        what="it runs",
    )
    return log


@pytest.mark.cluster
@pytest.mark.own_network
@pytest.mark.parametrize(("name", "code", "told"), [("hears", HEARS, ["told"]), ("deaf", DEAF, [])])
def test_the_first_process_of_a_container_hears_sigterm_if_it_asks_to_and_all_end_when_the_grace_is_over(
    nodes: ControlPlane, name: str, code: str, told: list[str]
) -> None:
    one = pod(name, code + STAYS, terminationGracePeriodSeconds=3)
    log = begin(nodes, one, says="beside")
    with ThreadPoolExecutor(1) as pool:
        followed = pool.submit(nodes.api.text, f"{log}?follow=true")
        begun = time.monotonic()
        assert nodes.api.request("DELETE", nodes.api.path(one) or "").status == 200
        said = followed.result().split()
    until(lambda: nodes.api.read(one).status == 404, seconds=WAIT_SECONDS, what="it is gone")
    (whole,) = (nodes.folder / "kubelet" / "pods" / HOME / name).glob("*/main.log")
    at_its_end = whole.read_text()
    time.sleep(0.5)  # what goes on would say so

    assert [word for word in said if word != "beside"] == ["begun", *told]
    assert time.monotonic() - begun >= 3
    assert whole.read_text() == at_its_end


@pytest.mark.cluster
@pytest.mark.own_network
def test_a_container_goes_on_before_sigterm_for_as_long_as_it_asks(nodes: ControlPlane) -> None:
    one = pod("lingers", f"{HEARS}print('begun', flush=True)\nsignal.pause()\n", terminationGracePeriodSeconds=20)
    one["spec"]["containers"][0]["lifecycle"] = {"preStop": {"sleep": {"seconds": 3}}}
    begin(nodes, one, says="begun")
    begun = time.monotonic()
    assert nodes.api.request("DELETE", nodes.api.path(one) or "").status == 200
    until(lambda: nodes.api.read(one).status == 404, seconds=WAIT_SECONDS, what="it is gone")

    (whole,) = (nodes.folder / "kubelet" / "pods" / HOME / "lingers").glob("*/main.log")
    assert whole.read_text().split() == ["begun", "told"]
    assert 3 <= time.monotonic() - begun < 20
