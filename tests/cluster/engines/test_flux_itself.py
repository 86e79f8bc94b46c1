"""Flux as its component renders it, with that account, those rights and those flags, brings a stack and itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.engines.conftest import EmptyCluster
from tests.cluster.engines.flux import NAMESPACE, Flux
from tests.cluster.engines.repository import SAMPLE, PlatformRepository
from tests.cluster.engines.story import handed_over
from tests.cluster.pods import Program

pytestmark = pytest.mark.cluster

STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
networkPolicies: true
delivery: {{engine: flux, repository: "{SAMPLE}"}}
components:
  training-operator: {{}}
  flux: {{}}
"""
SOURCE, KUSTOMIZE = "source-controller", "kustomize-controller"
KUBECTL = "kubectl"


class OwnFlux(Flux):
    """The programs as dist/ says, started once their objects are applied; only addresses are this machine's own."""

    def _run(self, programs: Mapping[str, Path], flags: Sequence[str]) -> None:
        assert not flags, "dist/ says them"
        self._programs = programs
        self.running: list[Program] = []

    def bootstrap(self, repository: PlatformRepository) -> None:
        """Both steps of the bootstrap text."""
        objects = repository.manifests("flux")
        for each in [*repository.manifests("flux/crds"), *repository.manifests("flux/main")]:
            assert not self.api.apply(each, manager=KUBECTL).refusal
        storage, *healths = self._control_plane.sandbox.free_ports(3)
        files = [
            "--storage-path=/tmp/data",
            f"--storage-addr=127.0.0.1:{storage}",
            f"--storage-adv-addr=127.0.0.1:{storage}",
        ]
        for name, more, health in zip((SOURCE, KUSTOMIZE), (files, []), healths, strict=True):
            program = Program(self._control_plane, objects, name, "manager")
            (program.tmp / "data").mkdir(parents=True)
            here = ["--metrics-addr=127.0.0.1:0", f"--health-addr=127.0.0.1:{health}", *more]
            program.start(self._programs[name], [*program.spec["args"], *here])
            self.running.append(program)
        super().bootstrap(repository)


def test_flux_brings_itself_follows_git_and_stays_when_it_is_retired(
    empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    def start(cluster: ControlPlane) -> OwnFlux:
        return OwnFlux(cluster, programs)

    with handed_over(empty_cluster, "gpu", tmp_path, start, text=STACK) as there:
        flux, repository = there.engine, there.repository
        flux.wait(repository, repository.revision)
        assert {"flux-crds", "flux-main", "training-operator-main"} <= flux.parts().keys()
        assert managers(there.api.read(deployment(KUSTOMIZE)).body) >= {KUSTOMIZE}
        assert KUBECTL not in managers(there.api.read(deployment(KUSTOMIZE)).body)

        there.follow(repository.change("  flux: {}\n", "  flux: {notifications: true}\n"))
        assert there.api.read(deployment("notification-controller")).status == 200
        there.follow(repository.change("  flux: {notifications: true}\n", "  flux: {}\n"))
        assert there.api.read(deployment("notification-controller")).status == 404

        there.follow(repository.change("  flux: {}\n", "retire: {flux: somebody else has it from now on}\n"))
        assert "flux-main" not in flux.parts()
        assert [name for name in (SOURCE, KUSTOMIZE) if there.api.read(deployment(name)).status != 200] == []
        assert [line for program in flux.running for line in program.forbidden()] == []


def deployment(name: str) -> Manifest:
    """One of Flux' own."""
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": NAMESPACE}}


def managers(item: Manifest) -> set[str]:
    """Who owns fields of an object."""
    return {each["manager"] for each in item["metadata"]["managedFields"]}
