"""What stands for programs that a platform waits for and no test runs: each is named in `StandIns.told`.

Pods run by kwok do nothing. So nobody writes the authority of a webhook, nobody answers it, no cloud gives a
LoadBalancer its address or a claim its volume, no job ends, nobody measures anything for an autoscaler, cert-manager
issues nothing, nobody serves an aggregated API, no operator says of a custom resource that it is ready, and no gateway
that it takes a route. And no person makes the claims that a stack says exist.
"""

from __future__ import annotations

import base64
import sys
import tempfile
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

from platform_def.crds.health import FinalizerHealth
from tests.cluster import pki
from tests.cluster.client import Manifest, UnreachableError
from tests.cluster.control_plane import ControlPlane
from tests.cluster.engines.statuses import READY, attachable, attached, becoming, finalizers, judged, required
from tests.cluster.kubelet.image import runs

ALLOW = Path(__file__).with_name("allow.py")
HOOKS = "/apis/admissionregistration.k8s.io/v1"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
AGGREGATED = "/apis/apiregistration.k8s.io/v1/apiservices"
BROUGHT = "?labelSelector=!kube-aggregator.kubernetes.io/automanaged"
"""Those that somebody brought: of the others the server makes one for each version of a definition."""
AUTOSCALERS = "/apis/autoscaling/v2/horizontalpodautoscalers"
BOUND = "pv.kubernetes.io/bind-completed"
CERT_MANAGER = "/apis/cert-manager.io/v1"
METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
"""Asks for what objects are called and how often they changed: a hundred definitions are megabytes, thrice a second."""
JOB_NAME = "batch.kubernetes.io/job-name"
PODS_OF_JOBS = f"/api/v1/pods?labelSelector={JOB_NAME}&fieldSelector=status.phase=Running"
SECONDS, IDLE_SECONDS = 0.3, 1.0
"""Between two rounds: after one that wrote something, and where nothing has been to do for a while."""
MADE: Mapping[str, Manifest] = {
    "ClusterPolicy": {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": "nvidia"},
        "handler": "nvidia",
    }
}
"""What an operator makes of an object of its kind, and others need, by that kind."""
ADDRESS = "192.0.2.1"
"""Of every LoadBalancer; an address for documentation."""


class StandIns:
    """Writes what programs that do not run would write; a context, at work until it ends."""

    def __init__(
        self,
        control_plane: ControlPlane,
        objects: Iterable[Manifest],
        *,
        real: Collection[str] = (),
        running: Collection[str] = (),
        apart: Collection[str] = (),
        answered_by_pods: bool = False,
    ) -> None:
        """`objects`: what a platform has; `real`: the namespaces, or Services as `NAMESPACE/NAME`, whose webhooks answer
        themselves, and the kinds whose objects a test, or an operator, makes ready; `running`: the images whose containers
        run, but in namespaces `apart`; `answered_by_pods`: a webhook is answered once a pod behind its Service runs."""
        objects = list(objects)
        namespaces = [each["metadata"]["name"] for each in objects if each["kind"] == "Namespace"]
        self._control_plane = control_plane
        self._real, self._running, self._apart = real, running, apart
        self._answered_by_pods = answered_by_pods
        self._kinds = [each for each in judged(objects) if each.kind not in real]
        own = Path(tempfile.mkdtemp(prefix="stand-ins-", dir=control_plane.folder))
        self._serving = pki.serving(own / "pki", [f"*.{name}.svc" for name in namespaces])
        self._gateways = list(attachable(objects))
        self._existing = existing_claims(objects)
        self._relayed: set[tuple[str, int]] = set()
        self._services: dict[tuple[str, str], Manifest] = {}
        """Those that are there, by namespace and name."""
        self._wrote = False
        """Whether this round has found something to do."""
        self._looked_at: dict[str, tuple[str, int]] = {}
        """Definitions that need nothing more, by the change that was seen."""
        self._converting: dict[str, Manifest | None] = {}
        """The Service that converts the versions of a definition."""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self.told: set[str] = set()
        """Which object was served by a stand-in, and what it did."""
        self.failure: BaseException | None = None

    def __enter__(self) -> StandIns:
        (self._port,) = self._control_plane.sandbox.free_ports(1)
        self.answer()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        self._control_plane.sandbox.stop("allow")
        if self.failure:
            raise self.failure

    def answer(self) -> None:
        """Have webhooks answered."""
        files = self._serving
        argv = [sys.executable, "-I", str(ALLOW), str(files.certificate), str(files.key), str(self._port)]
        self._control_plane.sandbox.start("allow", argv, log=self._control_plane.folder / "allow.log")

    def fall_silent(self) -> None:
        """Have no webhook answered, until `answer` is called again."""
        self._control_plane.sandbox.stop("allow")

    def _work(self) -> None:
        pause = SECONDS
        while not self._ended.wait(pause):
            self._wrote = False
            try:
                self._services = {_place(each): each for each in self._list("/api/v1/services")}
                self._webhooks("validatingwebhookconfigurations")
                self._webhooks("mutatingwebhookconfigurations")
                self._conversions()
                self._load_balancers()
                self._made_by_hand()
                self._claims()
                self._jobs()
                self._autoscalers()
                self._certificates()
                self._aggregated()
                self._custom()
                self._routes()
            except UnreachableError:
                continue  # some tests kill the API server
            except BaseException as error:
                self.failure = error
                return
            pause = SECONDS if self._wrote else min(pause * 1.5, IDLE_SECONDS)

    def _list(self, path: str, *, accept: str = "application/json") -> Iterator[Manifest]:
        yield from self._control_plane.api.get(path, accept=accept).body.get("items") or ()

    def _webhooks(self, plural: str) -> None:
        authority = _encoded(self._serving.authority)
        for found in self._list(f"{HOOKS}/{plural}"):
            name = found["metadata"]["name"]
            patch = []
            for index, hook in enumerate(found.get("webhooks") or ()):
                service = hook["clientConfig"].get("service")
                if service and {service["namespace"], f"{service['namespace']}/{service['name']}"} & {*self._real}:
                    continue
                if service and not hook["clientConfig"].get("caBundle"):
                    at = f"/webhooks/{index}/clientConfig/caBundle"
                    patch.append({"op": "add", "path": at, "value": authority})
                if service:
                    self._answer(service)
            if patch:
                self._patch(f"{HOOKS}/{plural}/{name}", patch)
                self.told.add(f"{name}: its authority was written, and its webhooks answered, by a stand-in")

    def _conversions(self) -> None:
        for about in self._list(DEFINITIONS, accept=METADATA):
            name = about["metadata"]["name"]
            version = about["metadata"]["uid"], about["metadata"]["generation"]
            if self._looked_at.get(name) != version and self._look_at(name):
                self._looked_at[name] = version
            if service := self._converting.get(name):
                self._answer(service)

    def _look_at(self, name: str) -> bool:
        """Write the authority of a definition's webhook; False where it is to be looked at again, as an ill server is."""
        found = self._control_plane.api.get(f"{DEFINITIONS}/{name}").body
        client = ((found.get("spec", {}).get("conversion") or {}).get("webhook") or {}).get("clientConfig") or {}
        self._converting[name] = client.get("service")
        if not client.get("service") or client.get("caBundle"):
            return "spec" in found
        authority = _encoded(self._serving.authority)
        webhook = {"clientConfig": {"caBundle": authority}}
        self._patch(f"{DEFINITIONS}/{name}", {"spec": {"conversion": {"webhook": webhook}}})
        self.told.add(f"{name}: its authority was written, and its versions converted, by a stand-in")
        return False

    def _made_by_hand(self) -> None:
        """Make each claim that a stack says exists, as soon as its namespace does."""
        for home, name in sorted(self._existing):
            claim = {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "metadata": {"name": name},
                "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}},
            }
            path = f"/api/v1/namespaces/{home}/persistentvolumeclaims"
            if self._control_plane.api.request("POST", path, claim).status in (201, 409):
                self._existing -= {(home, name)}
                self.told.add(f"PersistentVolumeClaim {home}/{name}: it was made as a person would")

    def _claims(self) -> None:
        for found in self._list("/api/v1/persistentvolumeclaims"):
            if (found.get("status") or {}).get("phase") == "Bound":
                continue
            home, name, uid = (found["metadata"][key] for key in ("namespace", "name", "uid"))
            path = f"/api/v1/namespaces/{home}/persistentvolumeclaims/{name}"
            volume = f"pvc-{uid}"
            claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": home, "name": name, "uid": uid}
            spec = {key: found["spec"][key] for key in ("accessModes", "storageClassName") if key in found["spec"]}
            size = found["spec"]["resources"]["requests"]
            made = {
                "apiVersion": "v1",
                "kind": "PersistentVolume",
                "metadata": {"name": volume},
                "spec": {**spec, "capacity": size, "claimRef": claim, "hostPath": {"path": f"/volumes/{volume}"}},
            }
            self._apply(made, manager="provisioner")
            bound = {"metadata": {"annotations": {BOUND: "yes"}}, "spec": {"volumeName": volume}}
            self._patch(path, bound)
            self._patch(f"{path}/status", {"status": {"phase": "Bound"}})
            self.told.add(f"PersistentVolumeClaim {home}/{name}: its volume was made by a stand-in")

    def _jobs(self) -> None:
        for found in self._list(PODS_OF_JOBS):
            if runs(found, self._running, apart=self._apart):
                continue
            home, name = _place(found)
            self._patch(f"/api/v1/namespaces/{home}/pods/{name}/status", {"status": {"phase": "Succeeded"}})
            self.told.add(f"Job {home}/{found['metadata']['labels'][JOB_NAME]}: its pod was ended by a stand-in")

    def _autoscalers(self) -> None:
        for found in self._list(AUTOSCALERS):
            if not (found.get("status") or {}).get("conditions"):
                home, name = found["metadata"]["namespace"], found["metadata"]["name"]
                replicas = found["spec"].get("minReplicas", 1)
                conditions = [{**READY, "type": each} for each in ("AbleToScale", "ScalingActive")]
                status = {"currentReplicas": replicas, "desiredReplicas": replicas, "conditions": conditions}
                path = f"/apis/autoscaling/v2/namespaces/{home}/horizontalpodautoscalers/{name}/status"
                self._patch(path, {"status": status})
                self.told.add(f"HorizontalPodAutoscaler {home}/{name}: a stand-in said that it can scale")

    def _answer(self, service: Manifest) -> None:
        """Play kube-proxy for the Service of a webhook."""
        found = self._services.get((service["namespace"], service["name"]), {})
        address, port = found.get("spec", {}).get("clusterIP"), service.get("port", 443)
        if address and (address, port) not in self._relayed and self._has_pods(found):
            self._control_plane.sandbox.relay(address, port, target=self._port)
            self._relayed.add((address, port))
            self._wrote = True

    def _has_pods(self, service: Manifest) -> bool:
        """Whether a pod runs behind a Service; one that selects none is somebody else's."""
        selector = service["spec"].get("selector")
        if not selector or not self._answered_by_pods:
            return True
        chosen = ",".join(f"{key}={value}" for key, value in sorted(selector.items()))
        path = f"/api/v1/namespaces/{service['metadata']['namespace']}/pods"
        return any(self._list(f"{path}?labelSelector={quote(chosen)}&fieldSelector=status.phase=Running"))

    def _load_balancers(self) -> None:
        for found in self._services.values():
            wanted, given = found["spec"].get("type") == "LoadBalancer", found["status"].get("loadBalancer")
            if wanted and not given:
                place = f"{found['metadata']['namespace']}/services/{found['metadata']['name']}"
                given = {"status": {"loadBalancer": {"ingress": [{"ip": ADDRESS}]}}}
                self._patch(f"/api/v1/namespaces/{place}/status", given)
                self.told.add(f"Service {place}: its address was given by a stand-in")

    def _certificates(self) -> None:
        if "Certificate" in self._real:
            return
        for found in self._list(f"{CERT_MANAGER}/certificates"):
            if (found.get("status") or {}).get("conditions"):
                continue
            home, name = found["metadata"]["namespace"], found["metadata"]["name"]
            secret = {
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": {"name": found["spec"]["secretName"], "namespace": home},
                "type": "kubernetes.io/tls",
                "data": {
                    "ca.crt": _encoded(self._serving.authority),
                    "tls.crt": _encoded(self._serving.certificate),
                    "tls.key": _encoded(self._serving.key),
                },
            }
            self._apply(secret, manager="cert-manager")
            path = f"{CERT_MANAGER}/namespaces/{home}/certificates/{name}/status"
            status = {"observedGeneration": found["metadata"]["generation"], "conditions": [READY]}
            self._patch(path, {"status": status})
            self.told.add(f"Certificate {home}/{name}: it was issued by a stand-in")

    def _aggregated(self) -> None:
        for found in self._list(f"{AGGREGATED}{BROUGHT}"):
            service = found["spec"].get("service")
            if not service:
                continue
            self._answer(service)
            if not (found["spec"].get("caBundle") or found["spec"].get("insecureSkipTLSVerify")):
                authority = {"spec": {"caBundle": _encoded(self._serving.authority)}}
                self._patch(f"{AGGREGATED}/{found['metadata']['name']}", authority)
                self.told.add(f"APIService {found['metadata']['name']}: its authority was written by a stand-in")
            home, name = service["namespace"], service["name"]
            whole = self._services.get((home, name), {})
            slices: Manifest = {
                "apiVersion": "discovery.k8s.io/v1",
                "kind": "EndpointSlice",
                "metadata": {"name": name, "namespace": home, "labels": {"kubernetes.io/service-name": name}},
                "addressType": "IPv4",
                "endpoints": [{"addresses": [ADDRESS], "conditions": {"ready": True}}],
                "ports": [{key: each[key] for key in ("name", "port") if key in each} for each in _ports(whole)],
            }
            said = f"APIService {found['metadata']['name']}: it was served, without resources, by a stand-in"
            if _ports(whole) and said not in self.told:
                self._apply(slices, manager="endpointslice-controller")
                self.told.add(said)

    def _custom(self) -> None:
        for api in self._kinds:
            root = f"/apis/{api.group}/{api.version}"
            for found in self._list(f"{root}/{api.plural}"):
                home, name = found["metadata"].get("namespace"), found["metadata"]["name"]
                place = f"{root}/namespaces/{home}/{api.plural}/{name}" if home else f"{root}/{api.plural}/{name}"
                if names := finalizers(api.health, found):
                    self._patch(place, {"metadata": {"finalizers": names}})
                    self.told.add(f"{found['kind']} {name}: its finalizer was added by a stand-in")
                if api.health is None or isinstance(api.health, FinalizerHealth):
                    continue
                status = becoming(api.health, found)
                if not status:
                    continue
                definition = self._control_plane.api.get(f"{DEFINITIONS}/{api.plural}.{api.group}").body
                status = {**required(definition, api.version), **(found.get("status") or {}), **status}
                # Where there is no such part, the object itself is written; where there is, that changes no status.
                for path in (f"{place}/status", place):
                    self._patch(path, {"status": status})
                self.told.add(f"{found['kind']} {name}: it became ready by a stand-in")
                if made := MADE.get(found["kind"]):
                    self._apply(made, manager="operator")
                    self.told.add(f"{made['kind']} {made['metadata']['name']}: it was made by a stand-in")

    def _routes(self) -> None:
        for api in self._gateways:
            root = f"/apis/{api.group}/{api.version}"
            for found in self._list(f"{root}/{api.plural}"):
                if status := attached(found):
                    home, name = found["metadata"].get("namespace"), found["metadata"]["name"]
                    place = f"{root}/namespaces/{home}/{api.plural}" if home else f"{root}/{api.plural}"
                    self._patch(f"{place}/{name}/status", {"status": status})
                    self.told.add(f"{found['kind']} {name}: a stand-in said that a gateway takes it")

    def _apply(self, manifest: Manifest, *, manager: str) -> None:
        self._wrote = True
        self._control_plane.api.apply(manifest, manager=manager)

    def _patch(self, path: str, patch: object) -> None:
        self._wrote = True
        content = "application/json-patch+json" if isinstance(patch, list) else "application/merge-patch+json"
        reply = self._control_plane.api.request("PATCH", path, patch, content=content)
        # The engine may have written the object meanwhile, or removed it, or a server is ill: then the next round sees.
        assert reply.status in (200, 404, 409, 422, *range(500, 600)), reply.message


def existing_claims(objects: Iterable[Manifest]) -> frozenset[tuple[str, str]]:
    """Namespaces and names of the claims that objects name, and that none of them is."""
    objects = list(objects)
    brought = {_place(each) for each in objects if each["kind"] == "PersistentVolumeClaim"}
    return frozenset(
        (each["metadata"]["namespace"], name)
        for each in objects
        if each["metadata"].get("namespace")
        for name in _claim_names(each)
        if (each["metadata"]["namespace"], name) not in brought
    )


def _claim_names(found: object) -> Iterator[str]:
    """Those that the volumes of pods name, wherever these are in an object."""
    if isinstance(found, dict):
        if isinstance(name := (found.get("persistentVolumeClaim") or {}).get("claimName"), str):
            yield name
        for each in found.values():
            yield from _claim_names(each)
    elif isinstance(found, list):
        for each in found:
            yield from _claim_names(each)


def _place(found: Manifest) -> tuple[str, str]:
    return found["metadata"]["namespace"], found["metadata"]["name"]


def _encoded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


def _ports(service: Manifest) -> list[Manifest]:
    return list(service.get("spec", {}).get("ports") or ())
