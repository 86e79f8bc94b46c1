"""Datasets of teams on every driver of volumes: what waits for their claims, under each engine that keeps an order."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.yaml import load
from tests.acceptance.repository import HEAD, Repository

CEPH = 'clusterId: c, monitors: ["10.0.0.1:6789"], secret: {existing: ceph/reader}'
DRIVERS = {
    "nfs": ("driver: nfs, server: n.example.com, share: /e", "csi-driver-nfs"),
    "cephfs": (f"driver: cephfs, filesystem: ml, {CEPH}", "ceph-csi-cephfs"),
    "local-path": ("driver: local-path, shared: true, path: /lustre, binding: Immediate", "local-path-provisioner"),
    "existing": ("driver: existing, accessModes: [ReadWriteMany], binding: Immediate", ""),
}
STACK = """\
delivery: {engine: %s, repository: "https://git.example.com/p.git"}
storage: {shared: {%s}}
components: {training-operator: {}, %s}
teams:
  - {name: v, datasets: {d: {storage: shared, size: 2Ti}}}
  - {name: w}
jobs:
  - {template: jax, name: reads, team: v, image: "r.example.com/i:1", command: [t.py], gpusPerWorker: 0, sync: true, datasets: [d]}
  - {template: jax, name: counts, team: v, image: "r.example.com/i:1", command: [t.py], gpusPerWorker: 0, sync: true}
"""


@pytest.mark.parametrize("engine", ["argocd, order: gates", "flux"])
@pytest.mark.parametrize("driver", DRIVERS)
def test_only_the_job_that_reads_a_dataset_waits_for_its_claim(
    repository: Repository, driver: str, engine: str
) -> None:
    entry, maker = DRIVERS[driver]
    repository.write({"stacks/a.yaml": HEAD + STACK % (engine, entry, f"{maker}: {{}}" if maker else "")})
    repository.ask("synth")
    waits = {name: needs for name, needs in _waits(repository, engine).items() if "namespaces-after" in needs}

    assert waits.keys() == {"reads-job"}
    assert "namespaces-main" in _waits(repository, engine)["training-operator-main"]


def test_a_driver_of_one_pod_at_a_time_is_refused_at_the_teams_line(repository: Repository) -> None:
    entry = f"driver: rbd, pool: k, {CEPH}"
    repository.write({"stacks/a.yaml": HEAD + STACK % ("flux", entry, "ceph-csi-rbd: {}")})

    said = repository.ask("synth", code=2).err

    assert "stacks/a.yaml:7: team v: datasets.d is ReadWriteMany, which storage 'shared' cannot be" in said


CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: extra, namespace: %s}
spec: {accessModes: [ReadWriteMany], storageClassName: shared, resources: {requests: {storage: 1Gi}}}
"""
COMPONENT = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [claim.yaml]\n"


@pytest.mark.parametrize("engine", ["argocd, order: gates", "flux"])
def test_nothing_waits_for_a_claim_that_an_overlay_or_a_folder_adds(repository: Repository, engine: str) -> None:
    entry, maker = DRIVERS["nfs"]
    lab = "apiVersion: v1\nkind: Namespace\nmetadata: {name: lab}\n---\n"
    settings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: lab}\ndata: {a: b}\n"
    folders = "lab: {path: apps/lab}, settings: {path: apps/settings}"
    repository.write(
        {
            "stacks/a.yaml": HEAD + STACK % (engine, entry, f"{maker}: {{}}, {folders}"),
            "overlays/a/namespaces/kustomization.yaml": COMPONENT,
            "overlays/a/namespaces/claim.yaml": CLAIM % "team-v",
            "apps/lab/lab.yaml": lab + CLAIM % "lab",
            "apps/settings/settings.yaml": settings,
        }
    )
    repository.ask("synth")
    waits = _waits(repository, engine)

    assert "a/namespaces/after/team-v/persistentvolumeclaim-extra.yaml" in repository.files()
    assert waits["settings-main"] == {"lab-main", "namespaces-main"}
    assert waits["lab-after"] == {"lab-main", f"{maker}-main"}


def _waits(repository: Repository, engine: str) -> dict[str, set[str]]:
    """What each of the engine's objects waits for, by name."""
    return {
        manifest["metadata"]["name"]: set(_needs(manifest, engine))
        for path, content in repository.files().items()
        if "/_delivery/" in path and path.rpartition("/")[2].startswith(("application.", "kustomization."))
        for manifest in [_object(content)]
    }


def _object(content: bytes) -> dict[str, Any]:
    manifest = load(content)
    assert isinstance(manifest, dict)
    return manifest


def _needs(manifest: dict[str, Any], engine: str) -> list[str]:
    if engine == "flux":
        return [each["name"] for each in manifest["spec"].get("dependsOn", ())]
    after = "after.platform-def/"
    return [key.removeprefix(after) for key in manifest["metadata"]["labels"] if key.startswith(after)]
