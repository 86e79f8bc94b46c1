"""Where the parts of a node live, by distribution."""

from __future__ import annotations

from dataclasses import fields
from typing import get_args

import pytest

from platform_def.config.cluster import Distribution
from platform_def.constructs.node_paths import node_paths


@pytest.mark.parametrize("distribution", get_args(Distribution))
def test_every_distribution_has_paths_from_the_root(distribution: Distribution) -> None:
    paths = node_paths(distribution)
    values = [getattr(paths, each.name) for each in fields(paths) if each.name != "selinux"]

    assert [value for value in values if not str(value).startswith("/") or str(value).endswith("/")] == []


@pytest.mark.parametrize("distribution", get_args(Distribution))
def test_sockets_and_volumes_are_below_the_folder_of_the_kubelet(distribution: Distribution) -> None:
    paths = node_paths(distribution)

    assert (paths.device_plugins, paths.plugins) == (f"{paths.kubelet}/device-plugins", f"{paths.kubelet}/plugins")
    assert (paths.registry, paths.pods) == (f"{paths.kubelet}/plugins_registry", f"{paths.kubelet}/pods")


def test_only_a_snap_moves_the_kubelet_and_only_talos_has_no_selinux() -> None:
    every = get_args(Distribution)

    assert [each for each in every if node_paths(each).kubelet != "/var/lib/kubelet"] == ["microk8s"]
    assert [each for each in every if not node_paths(each).selinux] == ["talos"]


@pytest.mark.parametrize(
    ("distribution", "socket"),
    [
        ("kubeadm", "/run/containerd/containerd.sock"),
        ("k3s", "/run/k3s/containerd/containerd.sock"),
        ("rke2", "/run/k3s/containerd/containerd.sock"),
        ("openshift", "/run/crio/crio.sock"),
        ("minikube", "/var/run/cri-dockerd.sock"),
    ],
)
def test_the_socket_is_that_of_the_distributions_own_runtime(distribution: Distribution, socket: str) -> None:
    assert node_paths(distribution).runtime_socket == socket


def test_a_snap_keeps_everything_in_its_own_folders() -> None:
    paths = node_paths("microk8s")
    folders = (paths.kubelet, paths.runtime_socket, paths.cni_config, paths.cni_plugins)

    assert [each for each in folders if not each.startswith("/var/snap/microk8s/")] == []
    assert paths.cni_plugins == "/var/snap/microk8s/current/opt/cni/bin"
