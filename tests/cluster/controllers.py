"""Programs that act on what an API server stores: Kubernetes' own, and kwok for the kubelets, all as administrators."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tests.cluster.control_plane import ControlPlane, until

START_SECONDS = 90.0
STAGES = Path(__file__).with_name("kwok.yaml")

# What pods, nodes and quotas need; the others would only take time.
CONTROLLERS = (
    "clusterrole-aggregation-controller",
    "node-lifecycle-controller",
    "resourceclaim-controller",
    "resourcequota-controller",
    "serviceaccount-controller",
)


def start_kubernetes(control_plane: ControlPlane, programs: Mapping[str, Path]) -> None:
    """Start controller manager, scheduler and kwok, and wait until controllers work."""
    admin = f"--kubeconfig={_kubeconfig(control_plane)}"
    controllers = f"--controllers={','.join(CONTROLLERS)}"
    # Nobody renews the nodes' leases.
    patience = "--node-monitor-grace-period=24h"
    quick = ["--kube-api-qps=300", "--kube-api-burst=600"]
    alone = ["--leader-elect=false", "--secure-port=0"]
    nodes = ["--manage-all-nodes=true", "--node-lease-duration-seconds=0"]
    flags = {
        "kube-controller-manager": [admin, controllers, patience, *quick, *alone],
        "kube-scheduler": [admin, *quick, *alone],
        "kwok": [admin, f"--config={STAGES}", *nodes],
    }
    for name, arguments in flags.items():
        control_plane.sandbox.start(name, [str(programs[name]), *arguments], log=control_plane.folder / f"{name}.log")
    account = "/api/v1/namespaces/default/serviceaccounts/default"
    until(lambda: control_plane.api.get(account).status == 200, seconds=START_SECONDS, what="controllers work")


def _kubeconfig(control_plane: ControlPlane) -> Path:
    cluster = {
        "server": f"https://127.0.0.1:{control_plane.port}",
        "certificate-authority": str(control_plane.pki.authority),
    }
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "test", "cluster": cluster}],
        "users": [{"name": "test", "user": {"token": control_plane.pki.token}}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
        "current-context": "test",
    }
    path = control_plane.folder / "admin"
    path.write_text(json.dumps(content))
    return path
