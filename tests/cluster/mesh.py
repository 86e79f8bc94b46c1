"""Istio as a stack renders it, at work: a real istiod under its own account, and a real Envoy as the gateway's pod.

Real: API server, istiod with the rendered settings, rights, webhooks and templates; Envoy with the configuration that
istiod gives it, by TLS and to whom its account's token belongs, certificates out of Secrets among it; routes as objects.
Played: the kubelet (pods, their addresses), kube-proxy, DNS, and pilot-agent, which would fetch certificates of the mesh. So
connections to Services are plain here; `test_mutual_tls.py` has pilot-agent and identities. Envoy is the one without Istio's
own filters, which istiod is told to leave out.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.door import CALLED, CALLS, SERVERS, Door, start_servers
from tests.cluster.kubelet.image import Image
from tests.cluster.kubelet.network import GATEWAY as KUBELET
from tests.cluster.pods import Program
from tests.cluster.proxies import release_of
from tests.cluster.route_requests import REFUSED
from tests.cluster.waves import apply_in_waves, refusals
from tests.cluster.who import Who, start_who

DOOR, HTTP, HTTPS, ADMIN, XDS, WEBHOOK = "10.99.0.1", 8080, 8443, 15000, 15012, 15017
SYSTEM, GATEWAY = "istio-system", "istio-ingressgateway"
WITHOUT_FILTERS = {"PILOT_ENABLE_METADATA_EXCHANGE": "false", "PILOT_ENABLE_ALPN_FILTER": "false"}

PLAYED: Sequence[Manifest] = (
    {
        "apiVersion": "networking.istio.io/v1",
        "kind": "DestinationRule",
        "metadata": {"name": "plain", "namespace": SYSTEM},
        "spec": {"host": "*.local", "trafficPolicy": {"tls": {"mode": "DISABLE"}}},
    },
    {
        "apiVersion": "telemetry.istio.io/v1",
        "kind": "Telemetry",
        "metadata": {"name": "quiet", "namespace": SYSTEM},
        "spec": {"metrics": [{"overrides": [{"disabled": True}]}]},
    },
)


@dataclass(frozen=True)
class Mesh:
    """A cluster with a mesh, and its gateway."""

    control_plane: ControlPlane
    istiod: Program
    routes: Mapping[str, Sequence[Manifest]]
    """Objects of each route."""
    who: Who

    @property
    def api(self) -> str:
        """What its routes are written in."""
        return "istio" if self.routes["plain"][0]["kind"] == "VirtualService" else "gateway-api"

    @property
    def door(self) -> Door:
        """The gateway's port for HTTP."""
        return Door(self.control_plane.folder / "gateway.sock", self.who.token)

    def secured(self, trust: ssl.SSLContext) -> Door:
        """Its port for HTTPS, once it is open."""
        return Door(self.control_plane.folder / "gateway-tls.sock", self.who.token, trust)

    def counted(self, name: str) -> int:
        """A counter of the gateway's Envoy; 0 where it has none of the name."""
        text = Door(self.control_plane.folder / "gateway-admin.sock", "").get("/stats").text
        found = dict(line.rpartition(": ")[::2] for line in text.splitlines())
        return int(found.get(name, "0"))


def start_mesh(
    control_plane: ControlPlane,
    objects: Sequence[Manifest],
    routes: Mapping[str, Sequence[Manifest]],
    *,
    istiod: Path,
    envoy: Path,
    oauth2_proxy: Path | None,
) -> Mesh:
    """Store a stack and routes, start the programs, and wait until the gateway answers."""
    start_servers(control_plane.sandbox, control_plane.folder, envoy=envoy)
    who = start_who(control_plane.sandbox, control_plane.folder, program=oauth2_proxy, refused=REFUSED)
    made = [each for objects_of_route in routes.values() for each in objects_of_route]
    results = apply_in_waves(control_plane.api, [*objects, *servers(), *PLAYED, *made])
    assert not refusals(results), "\n".join(refusals(results))
    program = start_gateway(control_plane, objects, istiod=istiod, envoy=envoy)
    mesh = Mesh(control_plane, program, routes, who)
    program.wait(lambda: _answers(mesh), "the gateway answers")
    return mesh


def start_gateway(control_plane: ControlPlane, objects: Sequence[Manifest], *, istiod: Path, envoy: Path) -> Program:
    """Start istiod, whose objects are stored, and the gateway's Envoy; its ports are sockets in the folder."""
    sandbox = control_plane.sandbox
    program = Program(control_plane, objects, "istiod", "discovery")
    stored = _gateway_pod(control_plane, program)
    # Both programs have the port 8080 in pods of their own; here istiod's, which only the kubelet asks, moves.
    program.start(istiod, [*program.spec["args"], "--httpAddr=127.0.0.1:8081"], settings=WITHOUT_FILTERS)
    service = control_plane.api.read(program.object("Service", "istiod")).body["spec"]
    sandbox.relay(service["clusterIP"], 443, target=WEBHOOK)
    program.wait(lambda: "marking server ready" in program.log.read_text(errors="replace"), "istiod is ready")
    bootstrap = control_plane.folder / "envoy.json"
    release = release_of(stored["spec"]["containers"][0])
    said = {"token": _token(program), "authority": _authority(program), "release": release}
    place = Place("door", GATEWAY, DOOR)
    bootstrap.write_text(json.dumps(_bootstrap(place, stored["metadata"]["labels"], **said)))
    argv = [str(envoy), "-c", str(bootstrap), "--log-level", "warning", "--concurrency", "1"]
    sandbox.start("envoy", argv, log=control_plane.folder / "envoy.log")
    sandbox.forward(control_plane.folder / "gateway.sock", port=HTTP)
    sandbox.forward(control_plane.folder / "gateway-tls.sock", port=HTTPS)
    sandbox.forward(control_plane.folder / "gateway-admin.sock", port=ADMIN)
    return program


def _answers(mesh: Mesh) -> bool:
    assert "envoy" not in mesh.control_plane.sandbox.ended(), mesh.control_plane.logs()
    try:
        return mesh.door.get("/plain/").status == 200
    except OSError:
        return False


def servers() -> Iterator[Manifest]:
    """Namespaces, Services and addresses of the servers behind the gateway."""
    for namespace in sorted({namespace for namespace, _ in SERVERS}):
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    for (namespace, name), (address, port) in SERVERS.items():
        metadata = {"name": name, "namespace": namespace}
        wanted = [{"name": "http", "port": 80, "targetPort": port, "protocol": "TCP"}]
        ports = {"http": port}
        if address == CALLED:
            # A port of gRPC says so, or Envoy would speak HTTP/1.1 to it.
            called = {"name": "calls", "port": CALLS, "targetPort": CALLS, "protocol": "TCP", "appProtocol": "grpc"}
            wanted, ports = [*wanted, called], {**ports, "calls": CALLS}
        yield {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"ports": wanted}}
        yield _slice(metadata, name, [address], ports)


def _slice(metadata: Manifest, service: str, addresses: Sequence[str], ports: Mapping[str, int]) -> Manifest:
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {**metadata, "labels": {"kubernetes.io/service-name": service}},
        "addressType": "IPv4",
        "ports": [{"name": name, "port": port, "protocol": "TCP"} for name, port in ports.items()],
        "endpoints": [{"addresses": [*addresses], "conditions": {"ready": True}}],
    }


def _gateway_pod(control_plane: ControlPlane, program: Program) -> Manifest:
    """Store the pod that the gateway's Deployment would have, with an address, and return it."""
    api = control_plane.api
    template = program.object("Deployment", GATEWAY)["spec"]["template"]
    metadata = {"name": "door", "namespace": SYSTEM}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {**metadata, "labels": template["metadata"]["labels"]}}
    path = f"/api/v1/namespaces/{SYSTEM}/pods"
    # Where there are nodes, none is to start it: its Envoy is started here.
    stored = api.request("POST", path, {**pod, "spec": {**template["spec"], "schedulerName": "none"}})
    assert stored.status == 201, stored.message
    ready = {
        "phase": "Running",
        "podIP": DOOR,
        "podIPs": [{"ip": DOOR}],
        "conditions": [{"type": "Ready", "status": "True"}],
    }
    told = api.request("PUT", f"{path}/door/status", {**stored.body, "status": ready})
    assert told.status == 200, told.message
    ports = {each["name"]: each["targetPort"] for each in program.object("Service", GATEWAY)["spec"]["ports"]}
    api.store(_slice(metadata, GATEWAY, [DOOR], ports))
    return told.body


@dataclass(frozen=True)
class LocalGateway:
    """The gateway for pods, in a pod of its own: an Envoy that asks istiod, and starts once its configuration is written."""

    objects: Sequence[Manifest]
    folder: Path
    envoy: Path
    name: str = "cluster-local-gateway"

    @property
    def socket(self) -> Path:
        """Where its port is reached, once it runs."""
        return self.folder / "local-gateway.sock"

    @property
    def images(self) -> dict[str, Image]:
        """What its pod runs."""
        command = (str(self.envoy), "-c", "/envoy.json", "--log-level", "warning", "--concurrency", "1")
        return {f"{self.name}:": Image(command=command, files={"/envoy.json": str(self._file)}, pulled=str(self._file))}

    @property
    def _file(self) -> Path:
        return self.folder / "local-gateway.json"

    def start(self, istiod: Program) -> None:
        """Start it; istiod runs. The kubelet knows its image."""
        api, account = istiod.control_plane.api, f"{self.name}-service-account"
        (deployment,) = (
            each for each in self.objects if each["kind"] == "Deployment" and each["metadata"]["name"] == self.name
        )
        template = deployment["spec"]["template"]
        metadata = {"name": self.name, "namespace": SYSTEM, "labels": template["metadata"]["labels"]}
        container = {"name": "istio-proxy", "image": f"{self.name}:1"}
        pod: Manifest = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": metadata,
            "spec": {"serviceAccountName": account, "containers": [container]},
        }
        assert not (found := api.apply(pod).refusal), found
        istiod.wait(lambda: "podIP" in api.read(pod).body.get("status", {}), "the gateway for pods has an address")
        address = str(api.read(pod).body["status"]["podIP"])
        place = Place(self.name, self.name, address, xds=KUBELET)
        release = release_of(template["spec"]["containers"][0])
        said = {"token": _token(istiod, account), "authority": _authority(istiod), "release": release}
        arriving = self._file.with_suffix(".arriving")
        arriving.write_text(json.dumps(_bootstrap(place, template["metadata"]["labels"], **said)))
        arriving.replace(self._file)
        istiod.control_plane.sandbox.forward(self.socket, port=HTTP, host=address)


class Place(NamedTuple):
    """Who a gateway's Envoy is, and from where it asks istiod."""

    pod: str
    workload: str
    address: str
    xds: str = "127.0.0.1"


def _authority(program: Program) -> str:
    """The authority that istiod has made, as it writes it into every namespace."""
    path = f"/api/v1/namespaces/{SYSTEM}/configmaps/istio-ca-root-cert"
    api = program.control_plane.api
    program.wait(lambda: "data" in api.get(path).body, "istiod has made its authority known")
    return str(api.get(path).body["data"]["root-cert.pem"])


def _token(program: Program, account: str = f"{GATEWAY}-service-account") -> str:
    """A token of a gateway's account, for istiod alone."""
    path = f"/api/v1/namespaces/{SYSTEM}/serviceaccounts/{account}/token"
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"audiences": ["istio-ca"]}}
    reply = program.control_plane.api.request("POST", path, request)
    assert reply.status == 201, reply.message
    return str(reply.body["status"]["token"])


def _bootstrap(place: Place, labels: Mapping[str, str], *, token: str, authority: str, release: str) -> dict[str, Any]:
    """What pilot-agent would write for Envoy: who it is, and where it asks, by TLS and with its account's token.

    istiod gives certificates to those alone whose account may read Secrets.
    """
    metadata = {
        "NAME": place.pod,
        "NAMESPACE": SYSTEM,
        "LABELS": labels,
        "SERVICE_ACCOUNT": f"{place.workload}-service-account",
        "WORKLOAD_NAME": place.workload,
        "CLUSTER_ID": "Kubernetes",
        "ISTIO_VERSION": release,
        "UNPRIVILEGED_POD": "true",
    }
    options = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions"
    asked: dict[str, Any] = {"ads": {}, "resource_api_version": "V3"}
    tls = "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext"
    name = f"istiod.{SYSTEM}.svc"
    checked = {
        "trusted_ca": {"inline_string": authority},
        "match_typed_subject_alt_names": [{"san_type": "DNS", "matcher": {"exact": name}}],
    }
    xds = {
        **_cluster("xds-grpc", XDS, address=place.xds),
        "transport_socket": {
            "name": "tls",
            "typed_config": {
                "@type": f"type.googleapis.com/{tls}",
                "sni": name,
                "common_tls_context": {"alpn_protocols": ["h2"], "validation_context": checked},
            },
        },
        "typed_extension_protocol_options": {
            options: {
                "@type": f"type.googleapis.com/{options}",
                "explicit_http_config": {"http2_protocol_options": {}},
            }
        },
    }
    return {
        "node": {
            "id": f"router~{place.address}~{place.pod}.{SYSTEM}~{SYSTEM}.svc.cluster.local",
            "cluster": f"{place.workload}.{SYSTEM}",
            "metadata": metadata,
        },
        "admin": {"address": {"socket_address": {"address": "127.0.0.1", "port_value": ADMIN}}},
        "dynamic_resources": {
            "lds_config": asked,
            "cds_config": asked,
            "ads_config": {
                "api_type": "GRPC",
                "transport_api_version": "V3",
                "grpc_services": [
                    {
                        "envoy_grpc": {"cluster_name": "xds-grpc"},
                        "initial_metadata": [{"key": "authorization", "value": f"Bearer {token}"}],
                    }
                ],
            },
        },
        # istiod's configuration names the last two; nothing asks them here.
        "static_resources": {"clusters": [xds, _cluster("sds-grpc", 1), _cluster("agent", 1)]},
    }


def _cluster(name: str, port: int, *, address: str = "127.0.0.1") -> dict[str, Any]:
    place = {"socket_address": {"address": address, "port_value": port}}
    return {
        "name": name,
        "type": "STATIC",
        "connect_timeout": "1s",
        "load_assignment": {
            "cluster_name": name,
            "endpoints": [{"lb_endpoints": [{"endpoint": {"address": place}}]}],
        },
    }


def admitted(mesh: Mesh, name: str, manifest: Manifest) -> Manifest:
    """A pod as it is stored in a namespace whose pods get a proxy."""
    api = mesh.control_plane.api
    labels = {"istio-injection": "enabled"}
    for path, body in (
        ("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}),
        (
            f"/api/v1/namespaces/{name}/serviceaccounts",
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}},
        ),
    ):
        reply = api.request("POST", path, body)
        assert reply.status == 201, reply.message
    stored = api.request("POST", f"/api/v1/namespaces/{name}/pods", manifest)
    assert stored.status == 201, stored.message
    return stored.body


def validator(mesh: Mesh) -> Manifest:
    """The webhook that refuses wrong objects of Istio's, as istiod has left it."""
    found = mesh.istiod.object("ValidatingWebhookConfiguration", "istio-validator-istio-system")
    until(
        lambda: mesh.control_plane.api.read(found).body["webhooks"][0]["failurePolicy"] == "Fail",
        seconds=START_SECONDS,
        what="istiod closes its webhook",
    )
    webhook: Manifest = mesh.control_plane.api.read(found).body["webhooks"][0]
    return webhook
