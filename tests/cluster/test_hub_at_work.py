"""People start notebook servers: from the page at the door over Dex's login to a server that answers, until it is unused.

Real: JupyterHub 5.5.2 with KubeSpawner, oauthenticator and the culler, configurable-http-proxy 5.3.0, the server that people's
images run, Dex, both schedulers, the API server with its controllers, Envoy with what Emissary's compiler makes,
and Debian's Chromium. Played: the kubelet, images, and the small web server of the page at the door.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from platform_def.components.notebooks.jupyterhub.releases import METRICS
from tests.cluster.backups import said, secret
from tests.cluster.chromium import CHROMIUM, MISSING, browse, clicked, filled, opens, picture, true
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.fed import unfed
from tests.cluster.hub_bench import BASE, HOST, HUB, Notebooks, Visitor, notebooks, objects_of
from tests.cluster.scrape import Page, differences, read, unserved
from tests.cluster.stacks import rendered_stack
from tests.cluster.waves import apply_in_waves, refusals
from tests.cluster.websocket import websocket
from tests.cluster.whole import whole

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

TEAM = "team-physics"
CPU, CARDS = "team-physics--cpu", "team-physics--train"
PAGE = "files/none"
"""A page of a server for which it asks the hub who somebody is; there is none of this name."""
REFRESHES = 10
IDLE_SECONDS = 600.0
MOST_OF_A_PICTURE = 150_000
PROFILES = "#kubespawner-profiles-list h3, #kubespawner-profiles-list p"
PICTURE = "PLATFORM_DEF_PICTURE"
"""Variable with the file to which the browser draws what people may start: `docs/components/jupyterhub.png`."""


@pytest.fixture(scope="module")
def running(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Notebooks]:
    """The hub, its gateway and its issuer."""
    with notebooks(tmp_path_factory.mktemp("hub"), programs) as bench:
        yield bench


@pytest.fixture
def hub(running: Notebooks, request: pytest.FixtureRequest) -> Notebooks:
    """The shared cluster; its logs are shown when the test fails."""
    show_logs(request, running.flow.control_plane)
    return running


@pytest.fixture(scope="module")
def unused(running: Notebooks) -> Manifest:
    """The pod of a server that its owner starts and then leaves alone."""
    return running.started(running.signed_in("hypatia"), "hypatia", CPU)


@pytest.mark.skipif(CHROMIUM is None, reason=MISSING)
def test_a_browser_goes_from_the_page_at_the_door_to_a_list_of_what_it_may_start(
    hub: Notebooks, tmp_path: Path
) -> None:
    drawn = Path(os.environ.get(PICTURE) or tmp_path / "profiles.png").resolve()
    profiles = f"[...document.querySelectorAll({PROFILES!r})].map(each => each.innerText.trim()).filter(each => each)"
    steps = [
        opens(f"{hub.address}/"),
        true("document.querySelector('h1')?.innerText"),
        clicked(f"a[href='{BASE}/']"),
        # The hub sends whom it does not know to Dex by itself.
        filled({"#login": hub.users.login("noether"), "#password": hub.users.passwords["noether"]}),
        true(f"{profiles}.join('|')"),
        picture(drawn),
    ]

    seen = browse(hub.flow.control_plane.sandbox, tmp_path / "browser", steps, hosts={HOST: "127.0.0.1"})

    assert seen[0] == "Machine learning platform"
    assert seen[-1].split("|") == [
        "Processors",
        "CPU 1, memory 2Gi",
        "1 to 8 × a100-80gb, pool train",
        "CPU 4, memory 16Gi for each device",
    ]
    assert drawn.read_bytes().startswith(b"\x89PNG")
    assert drawn.stat().st_size < MOST_OF_A_PICTURE


def test_who_is_in_no_team_is_told_so_and_starts_nothing(hub: Notebooks) -> None:
    browser = hub.visitor()
    page = browser.follow(f"{BASE}/hub/home")
    found = browser.sign_in(page, hub.users.login("stranger"), hub.users.passwords["stranger"])

    assert found.status == 403
    assert hub.pods("stranger") == []


def test_a_server_with_cards_runs_where_they_are_with_what_its_profile_says(hub: Notebooks) -> None:
    browser = hub.signed_in("noether")
    pod = hub.started(browser, "noether", CARDS, gpus="2", image="pytorch")
    container, spec = pod["spec"]["containers"][0], pod["spec"]

    assert (pod["metadata"]["namespace"], spec["nodeName"]) == (TEAM, "train-0")
    assert spec["schedulerName"] == "user-scheduler"
    assert (spec["runtimeClassName"], spec["nodeSelector"]) == ("nvidia", {"pool": "train"})
    assert {"key": "gpu", "operator": "Equal", "value": "train", "effect": "NoSchedule"} in spec["tolerations"]
    assert container["resources"]["limits"]["nvidia.com/gpu"] == "2"
    assert container["resources"]["requests"] == {"cpu": "8", "memory": "34359738368", "nvidia.com/gpu": "2"}
    home = next(each for each in spec["volumes"] if each["name"] == "home")["persistentVolumeClaim"]["claimName"]
    assert {"name": "home", "mountPath": "/home/jovyan"} in container["volumeMounts"]
    claim = hub.flow.control_plane.api.get(f"/api/v1/namespaces/{TEAM}/persistentvolumeclaims/{home}").body
    assert (claim["status"]["phase"], claim["spec"]["resources"]["requests"]["storage"]) == ("Bound", "10Gi")
    # Three times before it would be ended, so that what computes without requests goes on.
    assert "Updating Hub with activity every 40 seconds" in hub.flow.log(TEAM, pod["metadata"]["name"])


def test_the_hub_counts_servers_as_its_table_says_and_tells_the_monitor_alone(
    hub: Notebooks, programs: Mapping[str, Path]
) -> None:
    early = read(metrics(hub))
    hub.started(hub.signed_in("hypatia"), "hypatia", CPU)
    page = read(metrics(hub))

    assert "403" in metrics(hub, token="another")
    assert unserved(page, [METRICS]) == set()
    assert [*differences(page, [METRICS])] == []
    assert running_servers(page) > running_servers(early)
    assert unfed("jupyterhub", [early, page], engine=programs["prometheus-engine"]) == []


def metrics(hub: Notebooks, *, token: str = "") -> str:
    """What the hub says to Prometheus, by the path and the Secret that the stack's monitor names; or to another token."""
    (monitor,) = whole("jupyterhub").monitors
    (end,) = monitor["spec"]["endpoints"]
    credentials = end["authorization"]["credentials"]
    token = token or secret(hub.flow, HUB, credentials["name"], credentials["key"])
    ports = hub.flow.object("Service", monitor["metadata"]["name"], HUB)["spec"]["ports"]
    (port,) = (each["port"] for each in ports if each["name"] == end["port"])
    header = f"Authorization: {end['authorization']['type']} $TOKEN"
    address = f"{end['scheme']}://{monitor['metadata']['name']}.{HUB}.svc.cluster.local:{port}{end['path']}"
    script = f'curl -sS -H "{header}" {address}'
    return said(hub.flow, script, namespace="default", spec={}, env=[{"name": "TOKEN", "value": token}])


def running_servers(page: Page) -> float:
    """How many servers the hub says that there are."""
    return sum(map(float, page.values["jupyterhub_running_servers"]))


def test_a_server_answers_its_owner_through_the_gateway_and_nobody_else(hub: Notebooks) -> None:
    browser, own = entered(hub, "noether")
    assert browser.ask("GET", f"{own}/api/status").asked["kernels"] == 0
    other = hub.signed_in("hypatia")
    assert other.follow(f"{own}/{PAGE}").status == 403
    assert other.ask("GET", f"{own}/api/status").status == 403
    assert hub.visitor().ask("GET", f"{own}/api/status").status == 403


def test_a_shell_in_a_server_is_used_over_a_websocket_and_writes_to_the_home(hub: Notebooks) -> None:
    browser, own = entered(hub, "noether")
    name = browser.ask("POST", f"{own}/api/terminals").asked["name"]
    path, host = f"{own}/terminals/websocket/{name}", browser.address.removeprefix("https://")
    sent = {"cookie": "; ".join(f"{key}={value}" for key, value in browser.shown(path).items()), "origin": hub.address}

    with websocket(hub.door, path, host=host, headers=sent) as shell:
        shell.say(json.dumps(["stdin", "pwd | tee $HOME/where; echo $((6*7))$NVIDIA_VISIBLE_DEVICES-done\r"]))
        said = ""
        while "42-done" not in said:
            kind, *text = json.loads(shell.heard())
            said += text[0] if kind == "stdout" else ""

    assert "/home/jovyan" in said
    home = next(each for each in hub.pods("noether")[0]["spec"]["volumes"] if each["name"] == "home")
    folder = hub.flow.folder / "claims" / TEAM / home["persistentVolumeClaim"]["claimName"]
    assert (folder / "where").read_text().strip() == "/home/jovyan"
    with pytest.raises(AssertionError, match="403"), websocket(hub.door, path, host=host, headers={}):
        pass


def test_the_hub_is_killed_while_a_server_starts_and_knows_everyone_afterwards(
    hub: Notebooks, unused: Manifest
) -> None:
    known, own = entered(hub, "noether")
    before = {pod["metadata"]["uid"] for pod in hub.pods("noether")}
    other = hub.signed_in("hypatia")
    stopped = other.ask("DELETE", f"{hub.person('hypatia')}/server")
    assert stopped.status in (202, 204), stopped.text
    hub.wait(lambda: not hub.pods("hypatia"), "the server is gone")
    hub.start(other, "hypatia", CPU)

    killed = kill(hub)

    assert known.ask("GET", f"{own}/api/status").status == 200  # servers go on without it
    hub.wait(lambda: answers(hub, known), "the hub is back")
    assert killed != 0
    assert hub.ready(known, "noether")
    assert {pod["metadata"]["uid"] for pod in hub.pods("noether")} == before
    assert known.ask("GET", f"{own}/api/status").status == 200
    hub.started(other, "hypatia", CPU)
    assert len(hub.pods("hypatia")) == 1


def test_further_renders_and_refreshes_leave_secrets_and_pods_as_they_are(hub: Notebooks, tmp_path: Path) -> None:
    api, text = hub.flow.control_plane.api, hub.text
    again = [rendered_stack(tmp_path / str(turn), text, name="flows") for turn in range(2)]
    objects = [objects_of(each) for each in again]
    assert objects[0] == objects[1] == [*hub.flow.objects]
    kept = [each for each in objects[0] if each["kind"] == "Deployment" and each["metadata"]["namespace"] == HUB]

    def state() -> dict[str, Any]:
        secrets = api.get(f"/api/v1/namespaces/{HUB}/secrets").body["items"]
        pods = api.get(f"/api/v1/namespaces/{HUB}/pods").body["items"]
        return {
            "secrets": {each["metadata"]["name"]: each["metadata"]["resourceVersion"] for each in secrets},
            "templates": {each["metadata"]["name"]: generation(api.read(each).body) for each in kept},
            "pods": {each["metadata"]["name"]: each["metadata"]["uid"] for each in pods},
        }

    before = state()
    for _ in range(REFRESHES):
        assert refusals(apply_in_waves(api, objects[0])) == []

    assert before["secrets"].keys() >= {"hub", "jupyterhub-client"}
    assert {name.partition("-")[0] for name in before["pods"]} >= {"hub", "proxy", "user"}
    assert state() == before


def test_a_server_that_nobody_uses_ends_and_leaves_its_home(hub: Notebooks, unused: Manifest) -> None:
    home = next(each for each in unused["spec"]["volumes"] if each["name"] == "home")["persistentVolumeClaim"][
        "claimName"
    ]

    hub.wait(lambda: not hub.pods("hypatia"), "the culler ends it", seconds=IDLE_SECONDS)

    claim = hub.flow.control_plane.api.get(f"/api/v1/namespaces/{TEAM}/persistentvolumeclaims/{home}")
    assert claim.body["status"]["phase"] == "Bound"
    log = hub.flow.log(HUB, "hub")
    assert "Culling server hypatia@" in log
    assert "forbidden" not in log


def entered(hub: Notebooks, name: str) -> tuple[Visitor, str]:
    """A person's browser that their server knows, which is started where it does not run, and where that is."""
    browser, own = hub.signed_in(name), hub.own(name)
    if not hub.ready(browser, name):
        hub.started(browser, name, CPU)
    found = browser.follow(f"{own}/{PAGE}")
    assert browser.ask("GET", f"{own}/api/status").status == 200, found.text[-2000:]
    return browser, own


def kill(hub: Notebooks) -> int:
    """End the hub's process without warning; its number."""
    sandbox, log = hub.flow.control_plane.sandbox, hub.flow.control_plane.folder / "kill.log"
    script = 'mount -t proc proc /proc && pkill -9 -e -f "^[^ ]*python.*jupyterhub --config=/etc/platform"'
    sandbox.start("kill", ["unshare", "--mount", "sh", "-c", script], log=log)
    hub.wait(lambda: "kill" in sandbox.ended(), "the hub is killed")
    assert sandbox.stop("kill") == 0, log.read_text()
    return int(re.findall(r"pid (\d+)", log.read_text())[0])


def answers(hub: Notebooks, browser: Visitor) -> bool:
    """Whether the hub knows a person by the cookie that it gave before."""
    return "servers" in browser.ask("GET", hub.person("noether")).asked


def generation(deployment: Manifest) -> int:
    """What changes with a Deployment's template."""
    return int(deployment["metadata"]["generation"])
