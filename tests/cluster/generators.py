"""Runs the program that makes a Secret as its Job's pod would: its own files, its own account, nothing else."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until


def generate(cluster: ControlPlane, objects: Sequence[Manifest], name: str) -> str:
    """Run the one generator among some objects, which are stored already; what it said. `name` tells runs apart."""
    (files,) = (item["data"] for item in objects if item["kind"] == "ConfigMap" and "plan.json" in item["data"])
    folder = cluster.folder / name
    folder.mkdir()
    for file, text in files.items():
        (folder / file).write_text(text)
    (folder / "token").write_text(_token(cluster, objects))
    (folder / "ca.crt").write_bytes(cluster.pki.authority.read_bytes())
    where = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(cluster.port)}
    command = [sys.executable, "-I", "-B", str(folder / "generate.py"), str(folder / "plan.json"), str(folder)]
    log = folder / "log"
    cluster.sandbox.start(name, command, log=log, env=where)
    until(lambda: name in cluster.sandbox.ended(), seconds=180, what=f"{name} has ended")
    code = cluster.sandbox.stop(name)
    assert code == 0, log.read_text()
    return log.read_text()


def _token(cluster: ControlPlane, objects: Sequence[Manifest]) -> str:
    (job,) = (item for item in objects if item["kind"] == "Job" and "-generator-" in item["metadata"]["name"])
    home, account = job["metadata"]["namespace"], job["spec"]["template"]["spec"]["serviceAccountName"]
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    path = f"/api/v1/namespaces/{home}/serviceaccounts/{account}/token"
    reply = cluster.api.request("POST", path, request)
    assert reply.status == 201, reply.message
    return str(reply.body["status"]["token"])
