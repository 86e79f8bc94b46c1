"""Programs that act on what an API server stores: Kubernetes' own, and kwok for the kubelets, all as administrators."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import cast

from platform_def.yaml import dump, load_all
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until

START_SECONDS = 180.0
STAGES = Path(__file__).with_name("kwok.yaml")

# What pods, nodes and quotas need; the others would only take time.
CONTROLLERS = (
    "clusterrole-aggregation-controller",
    "job-controller",
    "node-lifecycle-controller",
    "resourceclaim-controller",
    "resourcequota-controller",
    "serviceaccount-controller",
)


# What makes a platform's workloads besides.
WORKLOAD_CONTROLLERS = (
    "cronjob-controller",
    "daemonset-controller",
    "deployment-controller",
    "disruption-controller",
    "garbage-collector-controller",
    "job-controller",
    "namespace-controller",
    "replicaset-controller",
    "statefulset-controller",
)


def start_kubernetes(
    control_plane: ControlPlane,
    programs: Mapping[str, Path],
    *,
    controllers: Sequence[str] = CONTROLLERS,
    kwok: bool = True,
    leaving: Collection[str] = (),
    apart: Collection[str] = (),
    gates: str = "",
) -> None:
    """Start controller manager, scheduler and kwok, and wait until controllers work.

    kwok leaves pods alone that are of the images `leaving` throughout, but for the namespaces `apart`. `gates` are feature gates
    of the controller manager, such as `Name=false,Other=true`.
    """
    admin = f"--kubeconfig={kubeconfig(control_plane)}"
    running = f"--controllers={','.join(controllers)}"
    # Nobody renews the nodes' leases.
    patience = "--node-monitor-grace-period=24h"
    quick = ["--kube-api-qps=300", "--kube-api-burst=600"]
    alone = ["--leader-elect=false", "--secure-port=0"]
    nodes = ["--manage-all-nodes=true", "--node-lease-duration-seconds=0"]
    gated = [f"--feature-gates={gates}"] if gates else []
    flags = {
        "kube-controller-manager": [admin, running, patience, *quick, *alone, *gated],
        "kube-scheduler": [admin, *quick, *alone],
    }
    if kwok:
        stages = _stages(control_plane.folder, leaving, apart) if leaving else STAGES
        flags["kwok"] = [admin, f"--config={stages}", *nodes]
    for name, arguments in flags.items():
        control_plane.sandbox.start(name, [str(programs[name]), *arguments], log=control_plane.folder / f"{name}.log")
    account = "/api/v1/namespaces/default/serviceaccounts/default"
    until(lambda: control_plane.api.get(account).status == 200, seconds=START_SECONDS, what="controllers work")


def _stages(folder: Path, leaving: Collection[str], apart: Collection[str]) -> Path:
    """kwok's configuration for all pods but those of these images, and for all in the namespaces `apart`."""
    stages = cast("list[Manifest]", load_all(STAGES.read_bytes(), file=STAGES.name))
    every = "[.spec.containers[].image, (.spec.initContainers // [])[].image]"
    home = f"[.metadata.namespace] - {json.dumps(sorted(apart))}"
    others = f"if {home} == [] then 1 else {every} - {json.dumps(sorted(leaving))} | length end | tostring"
    for each in stages:
        if each["spec"]["resourceRef"]["kind"] == "Pod":
            each["spec"]["selector"]["matchExpressions"].append({"key": others, "operator": "NotIn", "values": ["0"]})
    path = folder / "kwok.yaml"
    path.write_text("---\n".join(dump(each) for each in stages), encoding="utf-8")
    return path


def kubeconfig(control_plane: ControlPlane) -> Path:
    """The administrator's, written into the control plane's folder."""
    cluster = {
        "server": f"https://127.0.0.1:{control_plane.port}",
        "certificate-authority": str(control_plane.pki.authority),
        # On loopback that costs and spares nothing: a fifth of what a server computes beside Argo CD, which reads all schemas
        # anew for each definition that comes.
        "disable-compression": True,
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
    # A program that was started a moment ago may be reading it.
    arriving = path.with_suffix(".arriving")
    arriving.write_text(json.dumps(content))
    return arriving.replace(path)
