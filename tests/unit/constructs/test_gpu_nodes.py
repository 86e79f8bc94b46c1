"""Where programs for GPU nodes run, and who renders the RuntimeClass."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.capabilities import RuntimeClass
from platform_def.config.capability import Provision
from platform_def.config.component import ComponentConfig
from platform_def.config.platform import Offers, Platform
from platform_def.config.pools import NodePool
from platform_def.constructs import Component, Setting, render
from platform_def.constructs.gpu_nodes import (
    CONTROL_PLANE,
    gpu_affinity,
    gpu_tolerations,
    prefer_control_plane,
    rdma_affinity,
    renders_runtime_class,
)


def terms(affinity: Any) -> Any:
    return affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]


def pool(name: str, **fields: Any) -> NodePool:
    return NodePool.from_file({"name": name, **fields})


def test_nodes_are_those_of_the_pools_each_selector_once() -> None:
    pools = [pool("b", selector={"pool": "b"}), pool("a", selector={"pool": "a"}), pool("c", selector={"pool": "b"})]
    found = terms(rdma_affinity(pools))

    assert [each["matchExpressions"][0] for each in found] == [
        {"key": "pool", "operator": "In", "values": ["a"]},
        {"key": "pool", "operator": "In", "values": ["b"]},
    ]


def test_where_a_pool_has_no_selector_labels_of_the_hardware_choose() -> None:
    found = terms(rdma_affinity([pool("a", selector={"pool": "a"}), pool("any")]))

    assert found == terms(rdma_affinity([]))
    assert found[0]["matchExpressions"][0]["key"] == "feature.node.kubernetes.io/custom-rdma.available"
    assert terms(gpu_affinity([])) != found


def test_what_must_also_hold_holds_in_every_term() -> None:
    wanted: Any = {"key": "x", "operator": "Exists"}

    for found in (gpu_affinity([], also=[wanted]), gpu_affinity([pool("a", selector={"a": "b"})], also=[wanted])):
        assert [each["matchExpressions"][-1] for each in terms(found)] == [wanted] * len(terms(found))


def test_taints_of_pools_are_borne_once_beside_upstreams() -> None:
    tainted = [pool(name, taints=["gpu=yes:NoSchedule"]) for name in "ab"]
    found = gpu_tolerations(tainted)

    assert [each["key"] for each in found] == ["CriticalAddonsOnly", "nvidia.com/gpu", "gpu"]
    assert {"operator": "Exists"}.items() <= found[0].items()


def test_a_controller_prefers_the_control_plane_and_nothing_else() -> None:
    found = prefer_control_plane({"containers": [], "tolerations": [{"key": "other", "operator": "Exists"}]})

    assert found["tolerations"] == [{"key": CONTROL_PLANE, "operator": "Exists", "effect": "NoSchedule"}]
    assert found["containers"] == []


def rendered_by(made: str, *others: tuple[str, str], name: str = "mine", provided: bool = False, **facts: Any) -> bool:
    """Whether a component that offers the class so renders it, beside others that offer it so."""

    class Mine(Component[ComponentConfig]):
        slug = name
        gives = (RuntimeClass,)

        @classmethod
        def offers(cls, at: Setting[ComponentConfig]) -> Offers:  # noqa: ARG003
            return Offers(capabilities=(RuntimeClass.from_file({"name": "nvidia", "made": made}),) if made else ())

        def build(self) -> None:
            found.append(renders_runtime_class(self))

    found: list[bool] = []
    given = tuple(
        Provision.of(RuntimeClass.from_file({"name": "nvidia", "made": how}), by, provided=provided)
        for by, how in ((name, made), *others)
        if how
    )
    render(lambda scope: Mine(scope, platform=Platform(provisions=given, **facts)))
    return found[0]


@pytest.mark.parametrize(
    ("made", "others", "renders"),
    [
        ("rendered", (), True),
        ("fallback", (), True),
        ("", (), False),
        ("existing", (), False),
        ("runtime", (), False),
        ("rendered", (("other", "runtime"),), False),
        ("rendered", (("other", "fallback"),), True),
        ("fallback", (("other", "rendered"),), False),
        ("rendered", (("a", "rendered"),), False),
        ("rendered", (("z", "rendered"),), True),
    ],
)
def test_who_comes_first_renders_the_class(made: str, others: tuple[tuple[str, str], ...], renders: bool) -> None:
    assert rendered_by(made, *others) is renders


def test_nobody_renders_a_class_that_the_cluster_or_its_distribution_has() -> None:
    assert not rendered_by("rendered", ("z", "fallback"), provided=True)
    assert not rendered_by("rendered", distribution="k3s")
