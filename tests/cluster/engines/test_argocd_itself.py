"""Argo CD as its component renders it, with that account, those rights and those variables, brings a stack and itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.engines.argocd import NAMESPACE, NEWEST, ArgoCd, provide_verifier
from tests.cluster.engines.conftest import EmptyCluster
from tests.cluster.engines.repository import SAMPLE, PlatformRepository
from tests.cluster.engines.story import handed_over
from tests.cluster.pods import Program
from tests.cluster.rights import without
from tests.cluster.tools import version_of

pytestmark = pytest.mark.cluster

STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
networkPolicies: true
delivery: {{engine: argocd, repository: "{SAMPLE}"}}
components:
  training-operator: {{}}
  argo-cd:
    release: RELEASE
    # As the default of two to three minutes, but sooner: an event that is missed is made up for.
    settings: {{timeout.reconciliation: 20s, timeout.reconciliation.jitter: 0s}}
    notifications: false
"""
CONTROLLER, SERVER, REPO_SERVER = "argocd-application-controller", "argocd-server", "argocd-repo-server"
SETS, NOTIFICATIONS, REDIS = "argocd-applicationset-controller", "argocd-notifications-controller", "argocd-redis"
MANAGER = "argocd-controller"
NAMES = (REDIS, REPO_SERVER)
"""Services that programs call by name; kube-proxy's part is played by the file of hosts."""
HERE = {
    # Beside each other, two programs want one port.
    SETS: ["--metrics-addr=127.0.0.1:0", "--probe-addr=127.0.0.1:0"],
}


class OwnArgoCd(ArgoCd):
    """The programs as dist/ says, started once their objects are applied."""

    def __init__(self, control_plane: ControlPlane, program: Path, redis: Path) -> None:
        """Nothing runs before the bootstrap."""
        self.api = control_plane.api
        self._control_plane = control_plane
        self._binary = program
        self._redis = redis
        self.running: dict[str, Program] = {}
        self.objects: Sequence[Manifest] = ()

    def bootstrap(self, repository: PlatformRepository) -> None:
        """Both steps of the bootstrap text."""
        self.install(repository)
        for name in (SERVER, REPO_SERVER, CONTROLLER, SETS):
            self.start(name)
        super().bootstrap(repository)

    def install(self, repository: PlatformRepository) -> None:
        """Step 1: what dist/ has of it."""
        self.objects = repository.manifests("argo-cd")
        for each in [*repository.manifests("argo-cd/crds"), *repository.manifests("argo-cd/main")]:
            refusal = self.api.apply(each, manager=MANAGER).refusal
            assert not refusal, refusal

    def start(self, name: str) -> Program:
        """Start a program of Argo CD's, and before the first of them Redis, with the password that is made for it."""
        if not self._data("secrets", REDIS):
            self.run(REDIS, "secret-init", "argocd")
            until(lambda: bool(self._data("secrets", REDIS)), seconds=60, what="Redis has a password")
            password = Program(self._control_plane, self.objects, REDIS, "redis").variables()
            log = self._control_plane.folder / "redis.log"
            argv = [str(self._redis), "127.0.0.1:6379"]
            self._control_plane.sandbox.start("redis", argv, log=log, env=password)
        program = self.run(name, name, name)
        if name == SERVER:
            program.wait(lambda: "server.secretkey" in self._data("secrets", "argocd-secret"), "it has made its keys")
        return program

    def refused(self) -> list[str]:
        """What the API server refused the programs for want of a right; policies refuse too, and say otherwise."""
        return [line for program in self.running.values() for line in program.forbidden() if " cannot " in line]

    def run(self, name: str, container: str, binary: str) -> Program:
        """Start the program that a container holds, called as `binary`."""
        kind = "StatefulSet" if name == CONTROLLER else "Deployment"
        program = Program(self._control_plane, self.objects, name, container, kind, NAMES)
        provide_verifier(program.tmp / "bin")
        settings = {
            "ARGOCD_BINARY_NAME": binary,
            "ARGOCD_GPG_ENABLED": "false",
            "HOME": "/tmp",
            "PATH": f"/tmp/bin:{os.environ['PATH']}",
        }
        words = program.spec.get("command", [])[1:] or HERE.get(name, [])
        program.start(self._binary, words, settings=settings)
        self.running[name] = program
        return program

    def object(self, kind: str, name: str) -> Manifest:
        """One of its own, as dist/ has it."""
        (found,) = (each for each in self.objects if (each["kind"], each["metadata"]["name"]) == (kind, name))
        return found

    def _data(self, folder: str, name: str) -> Manifest:
        found: Manifest = self.api.get(f"/api/v1/namespaces/{NAMESPACE}/{folder}/{name}").body.get("data") or {}
        return found


@dataclass(frozen=True)
class Release:
    """A release that the component offers, and its programs."""

    stack: str
    start: Callable[[ControlPlane], OwnArgoCd]


@pytest.fixture
def release(programs: Mapping[str, Path]) -> Release:
    """The release that is proven and offered, as a stack asks for it."""
    text = STACK.replace("RELEASE", version_of(NEWEST).removeprefix("v"))
    return Release(text, lambda cluster: OwnArgoCd(cluster, programs[NEWEST], programs["miniredis"]))


@pytest.mark.thorough
def test_argo_cd_brings_itself_follows_git_and_stays_when_it_is_retired(
    empty_cluster: EmptyCluster, release: Release, tmp_path: Path
) -> None:
    with handed_over(empty_cluster, "gpu", tmp_path, release.start, text=release.stack) as there:
        argocd, repository = there.engine, there.repository
        argocd.wait(repository, repository.revision)
        assert {"argo-cd-crds", "argo-cd-main", "training-operator-main"} <= argocd.parts().keys()
        settings = there.api.read(config_map("argocd-cm")).body
        assert "resource.customizations.health.apiextensions.k8s.io_CustomResourceDefinition" in settings["data"]
        assert {each["manager"] for each in settings["metadata"]["managedFields"]} == {MANAGER}

        there.follow(repository.change("notifications: false", "notifications: true"))
        assert there.api.read(deployment(NOTIFICATIONS)).status == 200
        there.follow(repository.change("notifications: true", "notifications: false"))
        assert there.api.read(deployment(NOTIFICATIONS)).status == 404

        gone = release.stack[release.stack.index("  argo-cd:") :]
        there.follow(repository.change(gone.rstrip("\n"), "retire: {argo-cd: somebody else has it from now on}"))
        assert "argo-cd-main" not in argocd.parts()
        assert [name for name in (SERVER, REPO_SERVER, REDIS) if there.api.read(deployment(name)).status != 200] == []
        assert argocd.refused() == []


def deployment(name: str) -> Manifest:
    """One of Argo CD's own."""
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": NAMESPACE}}


def config_map(name: str) -> Manifest:
    """One of its settings."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": NAMESPACE}}


def test_without_one_of_its_rights_a_program_is_refused(
    empty_cluster: EmptyCluster, release: Release, tmp_path: Path
) -> None:
    with empty_cluster() as control_plane:
        argocd = release.start(control_plane)
        argocd.install(PlatformRepository(tmp_path, "gpu", control_plane.sandbox, text=release.stack))
        role, sets = (argocd.object(*each) for each in (("Role", REDIS), ("ClusterRole", SETS)))
        with without(argocd.api, role, "secrets", ["create"]):
            assert "secrets is forbidden" in argocd.run(REDIS, "secret-init", "argocd").refusal()
        for name in (SERVER, REPO_SERVER):
            argocd.start(name)
        with without(argocd.api, sets, "applications", ["create"]):
            program = argocd.start(SETS)
            assert not argocd.api.apply(APPLICATION_SET).refusal
            assert "applications.argoproj.io is forbidden" in program.refusal()
        until(lambda: "made" in argocd.applications(), seconds=60, what="its Application is made", every=0.5)


APPLICATION_SET: Manifest = {
    "apiVersion": "argoproj.io/v1alpha1",
    "kind": "ApplicationSet",
    "metadata": {"name": "sets", "namespace": NAMESPACE},
    "spec": {
        "generators": [{"list": {"elements": [{"name": "made"}]}}],
        "template": {
            "metadata": {"name": "{{name}}"},
            "spec": {
                "project": "default",
                "source": {"repoURL": SAMPLE, "path": "dist"},
                "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
            },
        },
    },
}
