"""Proxies of Istio's as their pods have them: a real pilot-agent, which gets certificates of the mesh and starts Envoy.

Real: the container of the stored pod, whether dist/ describes it or istiod's webhook put it there, with its arguments
and variables; the identity that istiod signs for its account's token; Envoy's bootstrap, by Istio's own template. Played: the
kubelet (files, variables, addresses), DNS, kube-proxy, and where traffic is led to a sidecar, which a Sidecar object says
here. Envoy is the one without Istio's own filters.
"""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.tools import TOOLS, module_folder

TEMPLATE = "tools/packaging/common/envoy_bootstrap.json"
SECRETS = "var/run/secrets"
CERTIFICATES = "certificates"
WRITES = {"OUTPUT_CERTS": CERTIFICATES}
"""pilot-agent's setting by which it keeps its certificate in files."""
CONTAINER = "istio-proxy"
ADMIN, STATUS, HEALTH, METRICS = 15000, 15020, 15021, 15090
"""Ports of a proxy; here proxies share one network, and the others' are moved."""

# pilot-agent's own paths are relative, to the folder that the container starts in.
_ENTER = 'mount --bind "$1/hosts" /etc/hosts && cd "$1" && shift && exec "$@"'


@dataclass(frozen=True)
class Agents:
    """What every proxy of a cluster is started with."""

    control_plane: ControlPlane
    programs: Mapping[str, Path]
    envoy: Path
    hosts: Mapping[str, str]
    """Addresses by name, for want of DNS."""

    def start(self, pod: Manifest, *, moved: int = 0, settings: Mapping[str, str] | None = None) -> Proxy:
        """Start the proxy of a stored pod that has its address; `moved` is added to its own ports, `settings` to what its
        container says."""
        proxy = Proxy(self.control_plane, pod, moved)
        proxy.place(self.hosts)
        agent = of_its_line("pilot-agent", proxy.container)
        known = {each["name"]: value for each in proxy.container["env"] for value in _value(each, pod)}
        config = {
            **json.loads(known["PROXY_CONFIG"] or "{}"),
            "binaryPath": str(self.envoy),
            "proxyBootstrapTemplatePath": str(module_folder(agent) / TEMPLATE),
            "concurrency": 1,
            "proxyAdminPort": ADMIN + moved,
            "statusPort": STATUS + moved,
            "terminationDrainDuration": "1s",
        }
        ports = {"ENVOY_STATUS_PORT": HEALTH + moved, "ENVOY_PROMETHEUS_PORT": METRICS + moved}
        moved_ports = {name: str(port) for name, port in ports.items()}
        env = {**known, "PROXY_CONFIG": json.dumps(config), **moved_ports, **(settings or {})}
        # As in images of releases; a program from a Go module does not know its own.
        env["ISTIO_META_ISTIO_VERSION"] = release_of(proxy.container)
        args = [re.sub(r"\$\((\w+)\)", lambda found: known[found.group(1)], each) for each in proxy.container["args"]]
        argv = ["unshare", "--mount", "sh", "-c", _ENTER, "sh", str(proxy.folder), str(self.programs[agent]), *args]
        self.control_plane.sandbox.start(proxy.name, argv, log=proxy.log, env=env)
        return proxy


@dataclass(frozen=True)
class Proxy:
    """A proxy that runs."""

    control_plane: ControlPlane
    pod: Manifest
    moved: int

    @property
    def name(self) -> str:
        """Its pod's name."""
        return str(self.pod["metadata"]["name"])

    @property
    def home(self) -> str:
        """Its namespace."""
        return str(self.pod["metadata"]["namespace"])

    @property
    def container(self) -> Manifest:
        """Its container."""
        every = [*self.pod["spec"].get("initContainers", []), *self.pod["spec"]["containers"]]
        (found,) = (each for each in every if each["name"] == CONTAINER)
        return dict(found)

    @property
    def folder(self) -> Path:
        """What is `/` to it, for paths of its own."""
        return self.control_plane.folder / f"pod-{self.name}"

    @property
    def log(self) -> Path:
        """What it says."""
        return self.control_plane.folder / f"pod-{self.name}.log"

    def identity(self) -> ssl.SSLContext:
        """To connect as a program of the pod does through its proxy: by the certificate that istiod has signed for it.

        The proxy writes it out where it is started with `WRITES`.
        """
        folder = self.folder / CERTIFICATES
        made = ssl.create_default_context(cafile=str(folder / "root-cert.pem"))
        made.check_hostname = False  # a server of the mesh is called by its account
        made.load_cert_chain(folder / "cert-chain.pem", folder / "key.pem")
        return made

    def stop(self) -> None:
        """End it as the kubelet does."""
        self.control_plane.sandbox.stop(self.name)

    def alive(self) -> None:
        """AssertionError with its log when it has ended."""
        assert self.name not in self.control_plane.sandbox.ended(), self.log.read_text(errors="replace")

    def place(self, hosts: Mapping[str, str]) -> None:
        """Lay out the files of its volumes."""
        for path in ("tokens", "istio", "workload-spiffe-uds", "credential-uds", "workload-spiffe-credentials"):
            (self.folder / SECRETS / path).mkdir(parents=True)
        for path in ("etc/istio/pod", "etc/istio/proxy", CERTIFICATES):
            (self.folder / path).mkdir(parents=True)
        (self.folder / "hosts").write_text(
            "".join(f"{ip} {name}\n" for name, ip in {"localhost": "127.0.0.1", **hosts}.items())
        )
        (self.folder / SECRETS / "tokens" / "istio-token").write_text(self._token())
        authority = f"/api/v1/namespaces/{self.home}/configmaps/istio-ca-root-cert"
        data = self.control_plane.api.get(authority).body["data"]
        (self.folder / SECRETS / "istio" / "root-cert.pem").write_text(data["root-cert.pem"])
        for kind in ("labels", "annotations"):
            lines = (f"{key}={json.dumps(value)}\n" for key, value in self.pod["metadata"].get(kind, {}).items())
            (self.folder / "etc/istio/pod" / kind).write_text("".join(lines))

    def _token(self) -> str:
        """A token of its account, for istiod alone, as the projected volume has it."""
        account = self.pod["spec"].get("serviceAccountName", "default")
        path = f"/api/v1/namespaces/{self.home}/serviceaccounts/{account}/token"
        bound = {"apiVersion": "v1", "kind": "Pod", "name": self.name, "uid": self.pod["metadata"]["uid"]}
        request = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"audiences": ["istio-ca"], "boundObjectRef": bound},
        }
        reply = self.control_plane.api.request("POST", path, request)
        assert reply.status == 201, reply.message
        return str(reply.body["status"]["token"])


def release_of(container: Manifest) -> str:
    """The release that a proxy's image says it is of."""
    return str(container["image"]).rpartition(":")[2]


def of_its_line(program: str, container: Manifest) -> str:
    """The name, in `tools.py`, of a program of the same line of releases as a container's image."""
    older = f"{program}-{release_of(container).rpartition('.')[0]}"
    return older if older in TOOLS else program


def _value(variable: Manifest, pod: Manifest) -> Iterator[str]:
    """The value of a variable, by the kubelet's rules; amounts of the machine are left to the program."""
    source = variable.get("valueFrom", {})
    if not source:
        yield variable.get("value", "")
    elif "fieldRef" in source:
        known = {
            "metadata.name": pod["metadata"]["name"],
            "metadata.namespace": pod["metadata"]["namespace"],
            "status.podIP": pod["status"]["podIP"],
            "status.hostIP": "127.0.0.1",
            "spec.serviceAccountName": pod["spec"].get("serviceAccountName", "default"),
            "spec.nodeName": pod["spec"].get("nodeName", ""),
        }
        yield known[source["fieldRef"]["fieldPath"]]
