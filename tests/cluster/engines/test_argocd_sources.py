"""Argo CD's real programs read a platform by SSH, and from an OCI registry, with what `platformctl bootstrap` says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cluster.engines.argocd import ArgoCd
from tests.cluster.engines.conftest import EmptyCluster
from tests.cluster.engines.refusing import definitions_refused
from tests.cluster.engines.registry import FLUX, USER, Registry
from tests.cluster.engines.repository import NAME, PlatformRepository
from tests.cluster.engines.said import say
from tests.cluster.engines.sources import WIDGET, hand, platform, stack
from tests.cluster.engines.ssh_host import SshHost
from tests.cluster.engines.test_argocd_updates import updated_in_order
from tests.cluster.images import SSHD

pytestmark = [pytest.mark.cluster, pytest.mark.thorough]

SOON = ("--app-resync=5", "--repo-error-grace-period-seconds=1")
"""What else takes two to three minutes: to look again, and to show why that failed where it failed before."""


@pytest.mark.own_network
@pytest.mark.skipif(not SSHD.exists(), reason="openssh-server of Debian is not installed")
def test_a_platform_comes_by_ssh_as_soon_as_the_key_and_the_host_are_right(
    empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    with empty_cluster() as cluster:
        host = SshHost(cluster.sandbox, tmp_path / NAME / ".git", tmp_path / "ssh")
        text = stack(f'engine: argocd, order: gates, repository: "{host.short}"')
        repository = PlatformRepository(
            tmp_path, "remote", cluster.sandbox, text=text, own=platform(), publish=lambda _, head: head
        )
        said = say(repository, "bootstrap")
        argocd = ArgoCd(cluster, programs, flags=SOON)
        argocd.bootstrap(repository)
        argocd.says("SSH agent requested")
        hand(cluster, said, tmp_path, {"sshPrivateKey": host.key("stranger")})
        argocd.known_hosts.write_text(host.known("stranger"))
        argocd.says("knownhosts: key mismatch")
        assert "argocd-ssh-known-hosts-cm" in said
        argocd.known_hosts.write_text(host.known())
        argocd.says("unable to authenticate")
        hand(cluster, said, tmp_path, {"sshPrivateKey": host.key()})
        argocd.wait(repository, repository.revision)

        for name, objects in platform("red").items():
            repository.write(name, objects)
        revision = repository.change(host.short, host.long)
        hand(cluster, say(repository, "bootstrap"), tmp_path, {"sshPrivateKey": host.key()})
        with definitions_refused(cluster.api, "widgets.test.example.com"):
            argocd.bootstrap(repository)
            # All say that they are Synced: nobody has looked at the new commit yet.
            argocd.until(
                lambda: "users-main waits for widgets-crds" in argocd.root(), seconds=60, what="an object waits"
            )
            assert argocd.applications()["users-main"]["spec"]["source"]["repoURL"] == host.short
        argocd.wait(repository, revision)
        assert cluster.api.read(WIDGET).body["spec"]["colour"] == "red"
        updated_in_order(argocd, revision)


def test_a_platform_comes_from_a_registry_as_soon_as_it_trusts_it_and_follows_its_tags(
    empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    with empty_cluster() as cluster:
        registry = Registry(cluster, programs["registry"], tmp_path / "registry")
        tags = ["main"]

        def publish(folder: Path, _: str) -> str:
            return registry.push(folder / "dist", tags[-1])

        text = stack(f"engine: argocd, order: gates, repository: {registry.address}, revision: main")
        repository = PlatformRepository(tmp_path, "remote", cluster.sandbox, text=text, own=platform(), publish=publish)
        said = say(repository, "bootstrap")
        argocd = ArgoCd(cluster, programs, flags=SOON)
        argocd.bootstrap(repository)
        argocd.says("certificate signed by unknown authority")
        (argocd.certificates / "127.0.0.1").write_text(registry.authority)
        argocd.says("basic credential not found")
        registry.push(repository.folder / "dist", "main", pushed=FLUX)
        hand(cluster, said, tmp_path, {"username": USER, "password": registry.password})
        argocd.says("application/vnd.cncf.flux.content.v1.tar+gzip is not in the list of allowed media types")
        repository.revision = registry.push(repository.folder / "dist", "main")
        argocd.wait(repository, repository.revision)

        for name, objects in platform("red").items():
            repository.write(name, objects)
        revision = repository.commit("Red")
        argocd.look()
        argocd.wait(repository, revision)
        assert cluster.api.read(WIDGET).body["spec"]["colour"] == "red"
        updated_in_order(argocd, revision)

        tags.append("v2")
        repository.write("users", platform("blue")["users"])
        revision = repository.change("revision: main", "revision: v2")
        argocd.bootstrap(repository)
        argocd.wait(repository, revision)
        assert cluster.api.read(WIDGET).body["spec"]["colour"] == "blue"
