"""A stand-in for net-istio's controller 1.22, which no registry has: it makes VirtualServices of Knative's Ingresses, and says when
the gateway has them.

What it does is what `pkg/reconciler/ingress` and `knative.dev/networking` do there, without certificates and the mesh's own
VirtualService: hosts with their short forms, a route for each path and again one for probes, which carries the hash of the
Ingress; the gateway is asked with such a probe until the hash comes back. It acts by the account of the rendered Deployment.
"""

from __future__ import annotations

import hashlib
import json
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tests.cluster.client import Api, Manifest
from tests.cluster.door import Door

CLASS = "istio.ingress.networking.knative.dev"
INGRESSES = "/apis/networking.internal.knative.dev/v1alpha1/ingresses"
DOMAIN = "cluster.local"
SUFFIXES = (f".{DOMAIN}", f".svc.{DOMAIN}")
EXTERNAL, LOCAL = "ExternalIP", "ClusterLocal"
HASH, PROBE = "K-Network-Hash", "K-Network-Probe"
PROBED = {HASH: "override", PROBE: "probe", "User-Agent": "Knative-Ingress-Probe"}
UNKNOWN = (404, 503)
"""Answers of a gateway that does not have the route yet; any other one is taken for success."""
LOOK_SECONDS = 0.2


@dataclass(eq=False)
class NetIstio(threading.Thread):
    """Acts until told to end."""

    api: Api
    gateways: Mapping[str, str]
    """Gateway (`namespace/name`) of each visibility."""
    services: Mapping[str, str]
    """Host of the Service of each."""
    doors: Mapping[str, Door]
    """Where each is probed."""
    refused: list[str] = field(default_factory=list)
    """What the API server said no to."""
    over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        super().__init__(daemon=True, name="net-istio")

    def run(self) -> None:
        """Look again and again."""
        while not self.over.wait(LOOK_SECONDS):
            try:
                for ingress in self.api.get(INGRESSES).body.get("items", []):
                    self._reconcile(ingress)
            except Exception:
                traceback.print_exc()

    def _reconcile(self, ingress: Manifest) -> None:
        metadata = ingress["metadata"]
        if metadata["annotations"].get("networking.knative.dev/ingress.class") != CLASS:
            return
        if "deletionTimestamp" in metadata or _is_ready(ingress):
            return
        made = virtual_service(ingress, self.gateways)
        if refusal := self.api.apply(made).refusal:
            self.refused.append(refusal)
            return
        self._say(ingress, ready=self._answers(ingress))

    def _answers(self, ingress: Manifest) -> bool:
        """Whether all gateways route by this generation: each is asked for one of its hosts."""
        hosts = {visibility: expanded_for(ingress, visibility) for visibility in self.doors}
        return all(self._probe(visibility, min(each), ingress) for visibility, each in hosts.items() if each)

    def _probe(self, visibility: str, host: str, ingress: Manifest) -> bool:
        try:
            found = self.doors[visibility].get("/healthz", host=host, known=False, headers=PROBED)
        except OSError:
            return False
        if found.status == 200:
            return found.headers.get(HASH.lower()) == hash_of(ingress)
        return found.status not in UNKNOWN

    def _say(self, ingress: Manifest, *, ready: bool) -> None:
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        state = {"status": "True"} if ready else {"status": "Unknown", "reason": "Uninitialized"}
        said = {"NetworkConfigured": {"status": "True"}, "LoadBalancerReady": state, "Ready": state}
        status: dict[str, Any] = {
            "observedGeneration": ingress["metadata"]["generation"],
            "conditions": [{"type": kind, "lastTransitionTime": now, **each} for kind, each in sorted(said.items())],
        }
        if ready:
            for name, visibility in (("publicLoadBalancer", EXTERNAL), ("privateLoadBalancer", LOCAL)):
                status[name] = {"ingress": [{"domainInternal": self.services[visibility]}]}
        path = f"{self.api.path(ingress)}/status"
        # The status stands for the version that was read: another generation is looked at again.
        version = {"resourceVersion": ingress["metadata"]["resourceVersion"]}
        body = {"metadata": version, "status": status}
        reply = self.api.request("PATCH", path, body, content="application/merge-patch+json")
        if reply.status not in (200, 404, 409):
            self.refused.append(reply.message)


def _is_ready(ingress: Manifest) -> bool:
    status = ingress.get("status", {})
    ready = any(each["type"] == "Ready" and each["status"] == "True" for each in status.get("conditions", []))
    return ready and status.get("observedGeneration") == ingress["metadata"]["generation"]


def virtual_service(ingress: Manifest, gateways: Mapping[str, str]) -> Manifest:
    """What net-istio makes of an Ingress for its gateways."""
    metadata = ingress["metadata"]
    routes = [route for rule in ingress["spec"]["rules"] for route in _routes(ingress, rule, gateways)]
    own = ("serving.knative.dev/route", "serving.knative.dev/routeNamespace")
    labels = {key: value for key, value in metadata.get("labels", {}).items() if key not in own}
    owner = {
        "apiVersion": "networking.internal.knative.dev/v1alpha1",
        "kind": "Ingress",
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {
        "apiVersion": "networking.istio.io/v1beta1",
        "kind": "VirtualService",
        "metadata": {
            "name": f"{metadata['name']}-ingress",
            "namespace": metadata["namespace"],
            "labels": {**labels, "networking.internal.knative.dev/ingress": metadata["name"]},
            "annotations": metadata["annotations"],
            "ownerReferences": [owner],
        },
        "spec": {
            "hosts": sorted({host for rule in ingress["spec"]["rules"] for host in expanded(rule["hosts"])}),
            "gateways": sorted({each for route in routes for match in route["match"] for each in match["gateways"]}),
            "http": routes,
        },
    }


def _routes(ingress: Manifest, rule: Manifest, gateways: Mapping[str, str]) -> Iterator[Manifest]:
    """Routes of one rule: those for probes come first."""
    gateway = gateways[_visible(rule)]
    for probe in (True, False):
        for path in rule["http"]["paths"]:
            headers = {name: each["exact"] for name, each in path.get("headers", {}).items()}
            added = dict(path.get("appendHeaders", {}))
            if probe:
                headers[HASH], added[HASH] = "override", hash_of(ingress)
            yield _route(rule["hosts"], path, gateway, headers=headers, added=added)


def _route(
    hosts: Sequence[str], path: Manifest, gateway: str, *, headers: Mapping[str, str], added: Mapping[str, str]
) -> Manifest:
    matches = []
    for host in distinct(hosts):
        match: Manifest = {
            "gateways": [gateway],
            "authority": {"prefix": host},
            "headers": {name: {"exact": value} for name, value in headers.items()},
        }
        if path.get("path"):
            match["uri"] = {"prefix": path["path"]}
        matches.append(match)
    route: Manifest = {"retries": {}, "match": matches, "route": [_destination(each) for each in path["splits"]]}
    if added:
        route["headers"] = {"request": {"set": dict(added)}}
    if path.get("rewriteHost"):
        route["rewrite"] = {"authority": path["rewriteHost"]}
    return route


def _destination(split: Manifest) -> Manifest:
    host = f"{split['serviceName']}.{split['serviceNamespace']}.svc.{DOMAIN}"
    made: Manifest = {
        "destination": {"host": host, "port": {"number": int(split["servicePort"])}},
        "weight": split.get("percent", 100),
    }
    if split.get("appendHeaders"):
        made["headers"] = {"request": {"set": split["appendHeaders"]}}
    return made


def expanded(hosts: Sequence[str]) -> set[str]:
    """Hosts with the short forms of those inside the cluster."""
    short = {host.removesuffix(suffix) for host in hosts for suffix in SUFFIXES if host.endswith(suffix)}
    return {*hosts, *short}


def expanded_for(ingress: Manifest, visibility: str) -> set[str]:
    """Hosts of an Ingress that one gateway answers for."""
    rules = [rule for rule in ingress["spec"]["rules"] if _visible(rule) == visibility]
    return {host for rule in rules for host in expanded(rule["hosts"])}


def distinct(hosts: Sequence[str]) -> list[str]:
    """Beginnings of hosts by which all of them are chosen: that of a Service is chosen by its short form."""
    found: list[str] = []
    for host in sorted(hosts):
        begins = host.removesuffix(f".svc.{DOMAIN}")
        if not any(begins.startswith(each) for each in found):
            found.append(begins)
    return sorted(found)


def hash_of(ingress: Manifest) -> str:
    """What tells one version of an Ingress from others."""
    metadata = ingress["metadata"]
    text = json.dumps(ingress["spec"], sort_keys=True) + metadata["namespace"] + metadata["name"]
    return hashlib.sha256(text.encode()).hexdigest()


def _visible(rule: Manifest) -> str:
    return str(rule.get("visibility") or EXTERNAL)
