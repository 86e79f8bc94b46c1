"""Flux' real programs read a platform by SSH, and from an OCI registry, with what `platformctl bootstrap` says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cluster.engines.conftest import EmptyCluster
from tests.cluster.engines.flux import ARTIFACTS, Flux
from tests.cluster.engines.registry import FLUX, ORAS, Registry
from tests.cluster.engines.repository import NAME, PlatformRepository
from tests.cluster.engines.said import say
from tests.cluster.engines.sources import WIDGET, hand, platform, stack
from tests.cluster.engines.ssh_host import SshHost
from tests.cluster.engines.test_flux import in_order
from tests.cluster.images import SSHD

pytestmark = [pytest.mark.cluster, pytest.mark.thorough]


@pytest.mark.own_network
@pytest.mark.skipif(not SSHD.exists(), reason="openssh-server of Debian is not installed")
def test_a_platform_comes_by_ssh_as_soon_as_the_key_and_the_host_are_right(
    empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    with empty_cluster() as cluster:
        host = SshHost(cluster.sandbox, tmp_path / NAME / ".git", tmp_path / "ssh")
        text = stack(f'engine: flux, repository: "{host.short}", secret: key')
        repository = PlatformRepository(
            tmp_path, "remote", cluster.sandbox, text=text, own=platform(), publish=lambda _, head: head
        )
        said = say(repository, "bootstrap")
        flux = Flux(cluster, programs)
        flux.bootstrap(repository)
        flux.says("failed to get secret 'flux-system/key'")
        hand(cluster, said, tmp_path, {"identity": host.key("stranger"), "known_hosts": host.known("stranger")})
        flux.says("knownhosts: key mismatch")
        hand(cluster, said, tmp_path, {"identity": host.key("stranger"), "known_hosts": host.known()})
        flux.says("unable to authenticate")
        hand(cluster, said, tmp_path, {"identity": host.key(), "known_hosts": host.known()})
        flux.wait(repository, repository.revision)
        in_order(flux, cluster.folder / "kustomize-controller.log")

        for name, objects in platform("red").items():
            repository.write(name, objects)
        revision = repository.change(host.short, host.long)
        flux.look()
        flux.wait(repository, revision)
        assert cluster.api.read(WIDGET).body["spec"]["colour"] == "red"
        assert cluster.api.get(flux.source).body["spec"]["url"] == host.long


def test_a_platform_comes_from_a_registry_as_soon_as_it_trusts_it_and_follows_its_tags(
    empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    with empty_cluster() as cluster:
        registry = Registry(cluster, programs["registry"], tmp_path / "registry")
        kinds = {"main": ORAS, "v2": FLUX}
        tags = ["main"]

        def publish(folder: Path, _: str) -> str:
            return registry.push(folder / "dist", tags[-1], pushed=kinds[tags[-1]])

        text = stack(f"engine: flux, repository: {registry.address}, revision: main, secret: reader, caSecret: site")
        repository = PlatformRepository(tmp_path, "remote", cluster.sandbox, text=text, own=platform(), publish=publish)
        said = say(repository, "bootstrap")
        flux = Flux(cluster, programs)
        flux.source = ARTIFACTS
        flux.bootstrap(repository)
        flux.says("failed to get secret 'flux-system/reader'")
        known = {".dockerconfigjson": registry.docker_config("wrong"), "ca.crt": registry.foreign}
        hand(cluster, said, tmp_path, known)
        flux.says("certificate signed by unknown authority")
        known["ca.crt"] = registry.authority
        hand(cluster, said, tmp_path, known)
        flux.says("401 Unauthorized")
        known[".dockerconfigjson"] = registry.docker_config()
        hand(cluster, said, tmp_path, known)
        flux.wait(repository, repository.revision)
        in_order(flux, cluster.folder / "kustomize-controller.log")

        for name, objects in platform("red").items():
            repository.write(name, objects)
        revision = repository.commit("Red")
        flux.look()
        flux.wait(repository, revision)
        assert cluster.api.read(WIDGET).body["spec"]["colour"] == "red"

        tags.append("v2")
        repository.write("users", platform("blue")["users"])
        revision = repository.change("revision: main", "revision: v2")
        flux.bootstrap(repository)
        flux.wait(repository, revision)
        assert cluster.api.read(WIDGET).body["spec"]["colour"] == "blue"
