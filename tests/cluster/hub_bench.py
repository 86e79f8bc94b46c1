"""JupyterHub at work: a stack's hub, its proxy, its scheduler, and the servers that people start with it, behind the gateway
and the sign-in of the same stack.

Real: the programs of the hub and its proxy, Dex, kube-scheduler twice, the API server with its controllers,
Envoy with what Emissary's compiler makes of the routes. Played: the kubelet, which runs each container as processes, images,
the small web server of the page at the door, and the gateway's place: it is outside of all pods.
"""

from __future__ import annotations

import json
import ssl
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from platform_def.manifests.rendered import RenderedStack
from tests.cluster.browser import Browser
from tests.cluster.client import Manifest
from tests.cluster.compiler import compiled, envoy_beside, located, obtain_compiler
from tests.cluster.conftest import or_skip
from tests.cluster.control_plane import until
from tests.cluster.door import Answer, Door
from tests.cluster.flow_stores import python
from tests.cluster.flows import FlowBench, flow_bench
from tests.cluster.hub import NODE_BIN, obtain_hub, obtain_proxy
from tests.cluster.kubelet.image import Image
from tests.cluster.local_users import LocalUsers
from tests.cluster.machines import PROGRAMS
from tests.cluster.pki import certificate, create, serving
from tests.cluster.queueing import front_proxy

HOST, PORT, LISTENS = "ml.campus.example.com", 30443, 8443
GROUPS = {"lattice": ["noether", "hypatia"], "courses": ["stranger"]}
DOMAIN = "campus.example.com"
HUB, BASE = "jupyterhub", "/jupyterhub"
SERVERS = "component=singleuser-server"
PARTS = ("dex", "landing-page", "jupyterhub")
OF_GATEWAY = "getambassador.io"
GPUS = 8
SERVER_SECONDS = 600.0
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
ingress: {kind: nodePort, host: HOST, tls: {secret: door}, httpPort: 30080, httpsPort: PORT}
gateway: emissary
nodePools:
  - {name: train, nodes: 1, selector: {pool: train}, taints: ["gpu=train:NoSchedule"], gpu: {model: a100-80gb, perNode: 8}}
storage:
  home: {driver: existing, accessModes: [ReadWriteOnce], default: true}
components:
  emissary: {release: "3.10.0"}
  dex: {localUsers: [USERS], localPasswords: {existing: local-users}}
  landing-page: {}
  kubeflow-roles: {}
  jupyterhub: {idleAfter: 2m, pullImages: false}
  nvidia-device-plugin: {}
teams:
  - {name: physics, groups: [{name: lattice}]}
"""


@dataclass
class Visitor(Browser):
    """A browser whose cookies go where they belong: the hub and each server have some of one name."""

    kept: dict[tuple[str, str], str] = field(default_factory=dict)
    """By path and name."""

    def shown(self, path: str) -> dict[str, str]:
        """Cookies for a path; those of longer paths win."""
        fit = sorted((where, name) for where, name in self.kept if path.startswith(where))
        return {name: self.kept[where, name] for where, name in fit}

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        """A call of a page's script to its own server: with the word that forms carry."""
        word = {"x-xsrftoken": self.shown(path).get("_xsrf", "")}
        sent = {"content-type": "application/json", "accept": "application/json", **word, **headers}
        return self._ask(f"{self.address}{path}", headers=sent, method=method, body=json.dumps(body or {}).encode())

    def _ask(self, url: str, *, headers: Mapping[str, str], method: str = "GET", body: bytes = b"") -> Answer:
        self.cookies = self.shown(urlsplit(url).path)
        return super()._ask(url, headers=headers, method=method, body=body)

    def _keep(self, line: str) -> None:
        parts = [each.strip().partition("=") for each in line.split(";")]
        said = {name.lower(): value for name, _, value in parts[1:]}
        name, value = parts[0][0], parts[0][2]
        self.kept.pop((said["path"], name), None)
        if value.strip('"') and said.get("max-age") != "0" and "1970" not in said.get("expires", ""):
            self.kept[said["path"], name] = value


@dataclass(frozen=True)
class Notebooks:
    """The stack at work, and who signs in."""

    flow: FlowBench
    users: LocalUsers
    door: Door
    text: str
    """The stack's file."""

    @property
    def address(self) -> str:
        """Of the platform."""
        return f"https://{HOST}:{PORT}"

    def visitor(self) -> Visitor:
        """The browser of a person who is not known yet."""
        return Visitor(self.door, self.address)

    def signed_in(self, name: str) -> Visitor:
        """The browser of a person whom the hub knows."""
        browser = self.visitor()
        page = browser.follow(f"{BASE}/hub/home")
        found = browser.sign_in(page, self.users.login(name), self.users.passwords[name])
        assert found.status == 200, (browser.seen[-3:], found.text[-2000:])
        return browser

    def _quoted(self, name: str) -> str:
        return quote(self.users.mail(name), safe="@~")

    def person(self, name: str) -> str:
        """Where the hub's API has a person."""
        return f"{BASE}/hub/api/users/{self._quoted(name)}"

    def own(self, name: str) -> str:
        """Where the person's server is."""
        return f"{BASE}/user/{self._quoted(name)}"

    def start(self, browser: Visitor, name: str, profile: str, **options: str) -> None:
        """Start a person's server with a profile; it may not be ready yet."""
        made = browser.ask("POST", f"{self.person(name)}/server", {"profile": profile, **options})
        assert made.status in (201, 202), made.text

    def ready(self, browser: Visitor, name: str) -> bool:
        """Whether the hub calls a person's server ready."""
        return bool(self._server(browser, name).get("ready"))

    def _server(self, browser: Visitor, name: str) -> Manifest:
        """What the hub says of a person's server; nothing where there is none."""
        return dict(browser.ask("GET", self.person(name)).asked.get("servers", {}).get("", {}))

    def started(self, browser: Visitor, name: str, profile: str, **options: str) -> Manifest:
        """Start a person's server and wait for it; its pod. On a busy machine it may not answer in the hub's time, and is
        asked for again, as people do."""

        def ready() -> bool:
            found = self._server(browser, name)
            if not found:
                browser.ask("POST", f"{self.person(name)}/server", {"profile": profile, **options})
            return bool(found.get("ready"))

        self.wait(ready, f"the server of {name} is ready", seconds=SERVER_SECONDS)
        (pod,) = self.pods(name)
        return pod

    def pods(self, name: str) -> list[Manifest]:
        """The pods of a person's servers, in any namespace."""
        every = self.flow.control_plane.api.get(f"/api/v1/pods?labelSelector={SERVERS}").body["items"]
        mail = self.users.mail(name)
        return [each for each in every if each["metadata"]["annotations"]["hub.jupyter.org/username"] == mail]

    def wait(self, holds: Any, what: str, seconds: float = 300.0) -> None:
        """Wait for something; where it does not come, the hub's log and those of servers are shown."""
        try:
            until(holds, seconds=seconds, what=what, every=0.5)
        except TimeoutError as error:
            raise AssertionError(f"{error}\n{self.told()}") from error

    def told(self) -> str:
        """What the programs said."""
        logs = sorted((self.flow.folder / "pods").glob("*/*/*/*.log"))
        ours = [log for log in logs if log.parts[-4] in (HUB, "team-physics")]
        said = [f"--- {log.parts[-3]}\n{log.read_text(errors='replace')[-4000:]}" for log in ours]
        events = self.flow.control_plane.api.get("/api/v1/events").body["items"]
        about = [f"{each['involvedObject']['name']}: {each['message']}" for each in events][-20:]
        return "\n".join([*said, *about])


def objects_of(stack: RenderedStack) -> list[Manifest]:
    """What of a stack comes to the cluster."""
    found = [item.manifest for name in ("namespaces", *PARTS) for item in stack.components[name].objects]
    return [each for each in found if of_the_stack(each)]


def of_the_stack(item: Manifest) -> Manifest | None:
    """All but what the gateway's own program reads."""
    return None if OF_GATEWAY in item["apiVersion"] else item


def given(users: LocalUsers) -> list[Manifest]:
    """The node with cards, what its plugin would have made, and the passwords that the stack says exist."""
    amounts = {"cpu": "64", "memory": "512Gi", "ephemeral-storage": "100Gi", "pods": "110", "nvidia.com/gpu": str(GPUS)}
    taint = {"key": "gpu", "value": "train", "effect": "NoSchedule"}
    labels = {"pool": "train", "kubernetes.io/os": "linux"}
    return [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": "train-0", "labels": labels},
            "spec": {"taints": [taint]},
            "status": {"capacity": amounts, "allocatable": amounts},
        },
        {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"},
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "local-users", "namespace": "auth"},
            "stringData": dict(users.secret()),
        },
    ]


def images(programs: Mapping[str, Path]) -> dict[str, Image]:
    """What each image is here."""
    interpreter, proxy = or_skip(obtain_hub), or_skip(obtain_proxy)
    jupyter = Image((str(interpreter.parent),))
    folder = {name: str(programs[name].parent) for name in ("dex", "kube-scheduler")}
    return {
        **python(),
        "quay.io/jupyterhub/k8s-hub:": jupyter,
        "quay.io/jupyterhub/k8s-singleuser-sample:": jupyter,
        "quay.io/jupyter/pytorch-notebook:": jupyter,
        "quay.io/jupyterhub/configurable-http-proxy:": Image((str(proxy), str(NODE_BIN))),
        "ghcr.io/dexidp/dex:": Image((folder["dex"],), entrypoint=("dex",)),
        "registry.k8s.io/kube-scheduler:": Image((folder["kube-scheduler"],)),
        "docker.io/library/busybox:": Image((str(PROGRAMS / "httpd"), str(Path(sys.executable).parent))),
    }


@contextmanager
def notebooks(root: Path, programs: Mapping[str, Path]) -> Iterator[Notebooks]:
    """The bench, once its gateway answers."""
    users = LocalUsers(GROUPS, DOMAIN)
    text = STACK.replace("HOST", HOST).replace("PORT", str(PORT)).replace("USERS", users.stack())
    bench = flow_bench(
        root / "stack",
        programs,
        text,
        components=PARTS,
        images=images(programs),
        taken=of_the_stack,
        given=given(users),
        # The stack's own scheduler reads how the API server knows others.
        flags=known_authorities(root / "front-proxy"),
    )
    with bench as flow:
        made = serving(root / "door", [HOST])
        secret = certificate(made, "emissary", "door")
        alive = start_gateway(flow, secret)
        folder, sandbox = flow.control_plane.folder, flow.control_plane.sandbox
        sandbox.forward(folder / "door-tls.sock", port=LISTENS)
        sandbox.relay("127.0.0.1", PORT, target=LISTENS)
        trust = ssl.create_default_context(cafile=str(made.authority))
        hub = Notebooks(flow, users, Door(folder / "door-tls.sock", "", trust), text)

        def asks() -> bool:
            alive()
            try:
                return "<form" in hub.visitor().follow(f"{BASE}/hub/home").text
            except (OSError, AssertionError):
                return False

        hub.wait(asks, "strangers see the login page of Dex")
        yield hub


def known_authorities(folder: Path) -> tuple[str, ...]:
    """Flags by which the API server publishes who signs certificates of its clients, as every cluster has them."""
    return (*front_proxy(folder), f"--client-ca-file={create(folder.with_name('clients')).authority}")


def start_gateway(flow: FlowBench, secret: Manifest) -> Any:
    """Start Envoy with the stack's routes, which lead to the addresses of Services; what says whether it still runs."""
    compiler, folder = or_skip(obtain_compiler), flow.control_plane.folder
    every = [item.manifest for each in flow.stack.components.values() for item in each.objects]
    read = [each for each in every if OF_GATEWAY in each["apiVersion"] or each["kind"] == "Service"]
    (made,) = compiled(compiler, [[*read, secret]], certificates=folder)
    file, log = folder / "envoy.json", folder / "envoy.log"
    file.write_text(json.dumps(located(made, dict(places(flow)))))
    argv = [str(envoy_beside(compiler)), "-c", str(file), "--log-level", "error", "--concurrency", "1"]
    flow.control_plane.sandbox.start("envoy", argv, log=log)

    def alive() -> None:
        assert "envoy" not in flow.control_plane.sandbox.ended(), log.read_text(errors="replace")

    return alive


def places(flow: FlowBench) -> Iterator[tuple[tuple[str, int], tuple[str, int]]]:
    """Where the Services are, by name and port."""
    for each in flow.control_plane.api.get("/api/v1/services").body["items"]:
        metadata, spec = each["metadata"], each["spec"]
        for port in spec.get("ports", ()):
            name = f"{metadata['name']}.{metadata['namespace']}"
            yield (name, port["port"]), (spec["clusterIP"], port["port"])
