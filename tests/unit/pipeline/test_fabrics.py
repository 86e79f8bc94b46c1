"""Pools whose pods get virtual functions: what the stack must have for them, told at the pool's line."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def.errors import ConfigError
from platform_def.pipeline.load import load
from platform_def.pipeline.resolve.resolve import resolve
from tests.unit.pipeline.test_resolve import problems, resolved

RDMA = "{kind: roce, mode: sriov, functions: 8, networks: [{name: rail0, interface: ens1f0np0, range: 10.56.0.0/16}]}"
POOL = f"nodePools:\n  - {{name: rails, nodes: 2, selector: {{pool: rails}}, gpu: {{model: t4, perNode: 8}}, rdma: {RDMA}}}\n"
ALL = (
    "components: {multus: {}, sriov-cni: {}, sriov-network-device-plugin: {}, whereabouts: {}, nvidia-device-plugin: {}"
)
JOB = (
    "jobs:\n  - {template: pytorch-ddp, name: a, team: v, pool: rails, image: x/y:1, command: [t.py], workers: 2, "
    "gpusPerWorker: 8, rdma: true}\n"
)


def test_a_job_on_such_a_pool_is_accepted(tmp_path: Path) -> None:
    text = POOL + ALL + ", training-operator: {}}\nteams: [{name: v, podSecurity: privileged}]\n" + JOB

    assert list(resolved(tmp_path, text).jobs) == ["a"]


def test_what_the_cluster_has_counts(tmp_path: Path) -> None:
    text = POOL + ALL.replace("multus: {}", "multus: {provided: true}").replace(
        "abouts: {}", "abouts: {provided: true}"
    )

    assert "multus" in resolved(tmp_path, text + "}\n").platform.components


def test_networks_are_rendered_even_where_the_plugins_are_there(tmp_path: Path) -> None:
    found = problems(tmp_path, POOL + ALL.replace("sriov-cni: {}", "sriov-cni: {provided: true}") + "}\n")

    assert "pool rails has networks, which nothing renders where sriov-cni is provided" in found[0]
    assert "`sriov-cni: {install: false}`" in found[0]
    assert resolved(tmp_path, POOL + ALL.replace("sriov-cni: {}", "sriov-cni: {install: false}") + "}\n")


@pytest.mark.parametrize(
    ("missing", "title"),
    [
        ("multus", "a program that attaches pods to networks"),
        ("sriov-cni", "definitions of the pools' networks"),
        ("sriov-network-device-plugin", "a program that offers virtual functions"),
        ("whereabouts", "a program that gives out addresses"),
    ],
)
def test_what_is_missing_is_told_at_the_pool_with_who_could(tmp_path: Path, missing: str, title: str) -> None:
    there = ALL.replace(f"{missing}: {{}}, ", "")
    # whereabouts itself does not start without networks, and says so instead.
    there = there.replace("whereabouts: {}, ", "whereabouts: {provided: true}, ")
    [found] = problems(tmp_path, POOL + there + "}\n")

    wanted = (
        f"stacks/a.yaml:4: nodePools[0].rdma: pool rails gives its pods virtual functions, and the stack lacks {title}"
    )
    assert wanted in found
    assert f"add `{missing}: {{}}` under components" in found


def test_who_does_not_start_without_another_says_so(tmp_path: Path) -> None:
    pool, component = problems(tmp_path, POOL + ALL.replace("multus: {}, ", "") + "}\n")

    assert "nodePools[0].rdma: pool rails gives its pods virtual functions" in pool
    assert "components.whereabouts: needs a program that attaches pods to networks" in component


def test_what_the_user_brings_counts_by_what_it_gives(tmp_path: Path) -> None:
    (tmp_path / "apps/addresses").mkdir(parents=True)
    own = "addresses: {path: apps/addresses, provides: {fabric: {part: addresses, namespace: ipam}}}"

    assert resolved(tmp_path, POOL + ALL.replace("whereabouts: {}", own) + "}\n")


def sharing_a_range(nodes: int) -> str:
    small = POOL.replace("/16", "/24")
    other = small.partition("\n")[2].replace("rails", "more").replace("nodes: 2", f"nodes: {nodes}")
    return small + other + ALL + "}\n"


def test_pools_that_share_a_range_divide_its_addresses(tmp_path: Path) -> None:
    [found] = problems(tmp_path, sharing_a_range(30))

    assert "a.yaml:5: nodePools[1].rdma: pools rails and more share the range 10.56.0.0/24: 254 addresses" in found
    assert resolved(tmp_path, sharing_a_range(29))


def test_infiniband_without_addresses_needs_nobody_who_gives_them_out(tmp_path: Path) -> None:
    infiniband = POOL.replace("roce", "infiniband").replace(", range: 10.56.0.0/16", "")

    assert resolved(tmp_path, infiniband + ALL.replace("whereabouts: {}, ", "") + "}\n")


def test_nodes_that_two_plugins_would_serve_are_refused(tmp_path: Path) -> None:
    other = "  - {name: all, rdma: roce}\n"
    found = problems(tmp_path, POOL + other + ALL + ", rdma-shared-device-plugin: {}}\n")

    assert "stacks/a.yaml:5: nodePools[1].rdma: pools rails and all reach their fabrics in different ways" in found[0]


def test_a_distribution_whose_kubelet_multus_cannot_find_is_refused(tmp_path: Path) -> None:
    text = 'apiVersion: platform-def/v1\ncluster: {kubernetes: "1.36", distribution: microk8s}\n' + POOL + ALL + "}\n"
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks" / "a.yaml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        resolve(load(tmp_path)[0])

    assert "Multus looks for the kubelet below /var/lib/kubelet, and microk8s has it elsewhere" in str(caught.value)
    assert "`rdma: roce`" in str(caught.value)
