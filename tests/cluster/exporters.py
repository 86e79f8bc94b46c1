"""Starts played exporters: of pods, of kubelets; and stand-ins for kube-rbac-proxy, which ask the API server for real."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from platform_def.components.monitoring.exporters.kubernetes import CADVISOR, KUBELET
from tests.cluster import pages
from tests.cluster.control_plane import ControlPlane
from tests.cluster.endpoints import NODES, Pod
from tests.cluster.pki import serving
from tests.cluster.pods import Program

SCRIPT = Path(__file__).with_name("exporter.py")
KUBELET_PORT = 10250
CARDS, PROXIED = "dcgm-exporter", "https"
"""The component whose pages are those of cards; the port of what stands behind kube-rbac-proxy."""


class Exporters:
    """Those of a cluster."""

    def __init__(self, control_plane: ControlPlane, real: Mapping[str, str]) -> None:
        """`real` are programs of the test that answer on loopback, by the component that they are of."""
        self.control_plane, self.real = control_plane, real
        self.folder = control_plane.folder / "exporters"
        self.identity = serving(self.folder, ["exporter.example.com"])

    def plug(self, pod: Pod, account: Program) -> None:
        """Start those of a pod; the account is the pod's."""
        listens = []
        for name, number in pod.ports.items():
            if pod.component in self.real and name != PROXIED:
                continue
            proxy = self.proxy(account.token()) if name == PROXIED else {}
            listens.append({"host": pod.address, "port": number, **self._said(pod), **proxy})
        if any("upstream" in each or each["pages"]["/metrics"] for each in listens):
            self.start(pod.name, listens)

    def unplug(self, pod: Pod) -> None:
        """Stop them."""
        self.control_plane.sandbox.stop(f"exporter-{pod.name}")

    def plug_kubelet(self, node: str) -> None:
        """Start the metrics of a kubelet, for who may read those of its node."""
        said = {"/metrics": pages.page([KUBELET]), "/metrics/cadvisor": pages.page([CADVISOR])}
        may = {"resource": "nodes", "subresource": "metrics", "verb": "get", "name": node}
        proxy = self.proxy(self.control_plane.pki.token, {"attributes": {"resourceAttributes": may}})
        self.start(f"kubelet-{node}", [{"host": NODES[node], "port": KUBELET_PORT, "pages": said, **proxy}])

    def _said(self, pod: Pod) -> dict[str, Any]:
        if pod.component in self.real:
            return {"upstream": self.real[pod.component]}
        tables = pages.tables_of(pod.component)
        said = pages.cards_page(tables[0], pod.node) if pod.component == CARDS else pages.page(tables)
        return {"pages": {"/metrics": said}}

    def proxy(self, token: str, more: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """HTTPS, and a question to the API server about each token, asked with this one."""
        server, authority = f"https://127.0.0.1:{self.control_plane.port}", str(self.control_plane.pki.authority)
        review = {"server": server, "token": token, "authority": authority, **(more or {})}
        return {"certificate": str(self.identity.certificate), "key": str(self.identity.key), "review": review}

    def start(self, name: str, listens: Sequence[Mapping[str, Any]]) -> None:
        """Start an exporter that answers at these addresses."""
        file = self.folder / f"{name}.json"
        file.write_text(json.dumps({"listens": listens}))
        argv = [sys.executable, "-I", str(SCRIPT), str(file)]
        self.control_plane.sandbox.start(
            f"exporter-{name}", argv, log=self.control_plane.folder / f"exporter-{name}.log"
        )
