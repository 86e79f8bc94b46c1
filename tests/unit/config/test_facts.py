"""The facts that components share, which of them were read, and images through a mirror."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from platform_def.config.mirror import Mirror, qualified
from platform_def.config.platform import (
    ExistingObject,
    NamespaceNeed,
    Platform,
)
from platform_def.config.pools import NodePool
from platform_def.config.reads import observed
from platform_def.config.written.watch import watched
from platform_def.pipeline.load import load
from platform_def.pipeline.resolve.resolve import resolve

OF_THE_STACK = ("stack", "cluster", "kubernetes", "components", "namespaces")


def test_without_a_word_a_platform_is_what_a_stack_without_a_word_is(tmp_path: Path) -> None:
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks" / "a.yaml").write_text('apiVersion: platform-def/v1\ncluster: {kubernetes: "1.36"}\n')

    [stack] = load(tmp_path)

    assert without(resolve(stack).platform) == without(Platform())


def without(platform: Platform) -> dict[str, Any]:
    """The facts beside those that every stack names."""
    return {name: getattr(platform, name) for name in Platform.model_fields if name not in OF_THE_STACK}


def test_only_what_is_read_inside_is_recorded_and_by_the_innermost_reader_alone() -> None:
    platform = Platform(registry="mirror.example.com")

    with observed() as outer:
        platform.image("a:1")
        with observed() as inner:
            platform.pool("train")
        assert platform.availability
    assert platform.stack

    assert outer == {"registry", "mirrors", "availability"}
    assert inner == {"node_pools"}


def test_methods_are_no_facts() -> None:
    with observed() as reads:
        assert callable(Platform().image)

    assert reads == set()


def test_reading_ends_with_an_error_too() -> None:
    with pytest.raises(RuntimeError), observed():
        raise RuntimeError
    with observed() as reads:
        pass

    assert Platform().stack == "stack"
    assert reads == set()


def test_a_digest_is_of_the_named_facts_alone() -> None:
    one, other = Platform(stack="one", registry="r"), Platform(stack="other", registry="r")

    assert one.digest(("registry",)) == other.digest(("registry",))
    assert one.digest(("stack",)) != other.digest(("stack",))
    assert one.digest() != other.digest()
    assert one.digest(("registry", "stack")) == one.digest(("stack", "registry"))


def test_a_digest_does_not_depend_on_an_order_that_means_nothing() -> None:
    apis = [f"Kind{number}.example.com" for number in range(20)]
    gates = dict.fromkeys("ab", True)

    assert Platform(apis=frozenset(apis)).digest() == Platform(apis=frozenset(reversed(apis))).digest()
    assert Platform(feature_gates=gates).digest() == Platform(feature_gates=dict(reversed(gates.items()))).digest()


def test_a_digest_sees_into_models() -> None:
    pools = [NodePool(name="train", nodes=nodes) for nodes in (1, 2)]

    assert len({Platform(node_pools=(pool,)).digest(("node_pools",)) for pool in pools}) == 2


def test_a_fact_without_a_canonical_form_is_refused() -> None:
    with pytest.raises(TypeError) as caught:
        Platform.model_construct(package_indexes={"pip": object()}).digest()  # type: ignore[dict-item]

    assert str(caught.value.__cause__) == "a fact of type object has no canonical form"


@pytest.mark.parametrize(
    ("reference", "whole"),
    [
        ("mysql:8", "docker.io/library/mysql:8"),
        ("team/app:1", "docker.io/team/app:1"),
        ("team/sub/app:1", "docker.io/team/sub/app:1"),
        ("quay.io/team/app:1", "quay.io/team/app:1"),
        ("localhost/app", "localhost/app"),
        ("mirror:5000/app", "mirror:5000/app"),
        ("app:1.2", "docker.io/library/app:1.2"),
    ],
)
def test_an_image_without_a_host_is_docker_hubs(reference: str, whole: str) -> None:
    assert qualified(reference) == whole


def test_an_image_goes_through_the_mirror_once() -> None:
    mirror = Mirror("mirror.example.com/cache/all")
    target = mirror.target("quay.io/a/b:1")

    assert target == "mirror.example.com/cache/all/quay.io/a/b:1"
    assert mirror.target(target) == target
    assert mirror.source(target) == "quay.io/a/b:1"
    assert Mirror().target("quay.io/a/b:1") == "quay.io/a/b:1"
    assert Platform(registry=mirror.registry).image("a:1") == f"{mirror.registry}/docker.io/library/a:1"


def test_what_is_on_the_mirrors_host_is_within_reach_and_a_host_that_begins_alike_is_not() -> None:
    assert Mirror("mirror.example.com/cache/all").reachable("mirror.example.com/team/app")
    assert not Mirror("mirror.example.com").reachable("mirror.example.com.evil/app")


RULES = Mirror(
    "mirror.example.com",
    (
        ("quay.io", "hub.example.com/quay"),
        ("quay.io/jetstack", "hub.example.com/certificates"),
        ("docker.io/library/busybox", "hub.example.com/base/box"),
    ),
)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("quay.io/a/b:1", "hub.example.com/quay/a/b:1"),
        ("quay.io/jetstack/c:1", "hub.example.com/certificates/c:1"),
        ("quay.io/jetstacked/c:1", "hub.example.com/quay/jetstacked/c:1"),
        ("busybox:1.37", "hub.example.com/base/box:1.37"),
        ("busybox@sha256:ab", "hub.example.com/base/box@sha256:ab"),
        ("docker.io/library/busybox-extras:1", "mirror.example.com/docker.io/library/busybox-extras:1"),
    ],
)
def test_the_longest_rule_that_fits_says_where_an_image_comes_from(source: str, target: str) -> None:
    assert RULES.target(source) == target
    assert RULES.target(target) == target
    assert RULES.source(target) == qualified(source)


def test_rules_alone_leave_other_images_where_they_are() -> None:
    assert Platform(mirrors={"quay.io": "hub.example.com"}).image("ghcr.io/a/b:1") == "ghcr.io/a/b:1"


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("StorageClass fast", ExistingObject("StorageClass", "fast")),
        ("Secret vision/registry", ExistingObject("Secret", "registry", "vision")),
        (
            "Gateway.networking.istio.io istio/public",
            ExistingObject("Gateway", "public", "istio", "networking.istio.io"),
        ),
    ],
)
def test_an_existing_object_is_written_with_its_kind_first(text: str, parsed: ExistingObject) -> None:
    assert ExistingObject.parse(text) == parsed


def test_resources_are_offered_by_name_or_pattern() -> None:
    platform = Platform(resources=frozenset({"nvidia.com/mig-*", "rdma/hca"}))

    assert platform.offers_resource("nvidia.com/mig-1g.10gb")
    assert platform.offers_resource("rdma/hca")
    assert not platform.offers_resource("nvidia.com/gpu")
    assert not platform.offers_resource("NVIDIA.com/mig-1g.10gb")


def test_pools_are_found_by_name_and_apis_by_kind_and_group() -> None:
    platform = Platform(node_pools=(NodePool(name="a"), NodePool(name="b")), apis=frozenset({"Thing.example.com"}))

    assert (found := platform.pool("b")) is not None
    assert found.name == "b"
    assert platform.pool("c") is None
    assert platform.serves("Thing.example.com")
    assert not platform.serves("Thing")


def test_a_namespace_is_at_the_baseline_level_for_no_reason_unless_somebody_needs_more() -> None:
    assert NamespaceNeed("a") == NamespaceNeed("a", "baseline", (), "")


def test_other_facts_leave_what_is_in_doubt_watched() -> None:
    pools = (NodePool(name="a"), NodePool(name="b"))
    platform = watched(Platform(node_pools=pools), {("node_pools", 1, "gpu"): "the cards of b"})
    made = platform.with_facts(gateway="istio")

    with observed() as reads:
        found = [pool.gpu for pool in made.node_pools]

    assert (made.gateway, found) == ("istio", [None, None])
    assert reads == {"node_pools", "the cards of b"}
    assert made.digest(("node_pools",)) == Platform(node_pools=pools).digest(("node_pools",))
    assert type(Platform().with_facts(gateway="istio")) is Platform
