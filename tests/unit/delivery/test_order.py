"""Waves and edges of parts."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from platform_def.delivery.order import edges, job_edges, order, waves
from platform_def.errors import ConfigError
from platform_def.manifests.rendered import Manifest, RenderedComponent

from .samples import CERT_MANAGER, EMISSARY, JOB, NAMESPACES, TRAINING, body, component, deployment, stack


def test_parts_of_a_component_follow_each_other() -> None:
    found = order(stack(CERT_MANAGER)).waves

    assert found == {"cert-manager/crds": 0, "cert-manager/main": 1, "cert-manager/after": 2}


def test_a_required_component_is_waited_for_up_to_its_last_part() -> None:
    found = edges(stack(NAMESPACES, CERT_MANAGER, EMISSARY))["emissary/main"]

    assert found["cert-manager/after"] == "emissary requires cert-manager"
    assert found["namespaces/main"] == "emissary requires namespaces"


def test_crds_do_not_wait_for_what_their_component_requires() -> None:
    found = edges(stack(NAMESPACES, CERT_MANAGER))

    assert found["cert-manager/crds"] == {}
    assert set(found["cert-manager/main"]) == {"cert-manager/crds", "namespaces/main"}


def test_a_component_that_is_provided_is_not_waited_for() -> None:
    assert not any("external-secrets" in need for need in edges(stack(EMISSARY))["emissary/main"])


def test_an_object_waits_for_the_crd_of_its_kind() -> None:
    web = component("web", main=(body("cert-manager.io/v1", "Certificate", "web", "web"),))

    found = edges(stack(CERT_MANAGER, web))["web/main"]

    assert found["cert-manager/crds"] == "Certificate web/web is served by the CRD certificates.cert-manager.io"


def test_an_object_that_engines_judge_waits_for_its_controller() -> None:
    web = component("web", main=(body("cert-manager.io/v1", "Certificate", "web", "web"),))

    found = edges(stack(CERT_MANAGER, web))["web/main"]

    assert found["cert-manager/main"] == "Certificate web/web is made ready by Deployment cert-manager/cert-manager"


def test_a_part_waits_for_what_its_pods_mount() -> None:
    pod = {"template": {"spec": {"volumes": [{"name": "v", "configMap": {"name": "settings"}}]}}}
    web = component("web", main=({**deployment("web", "vision"), "spec": pod},))
    base = component("base", main=(body("v1", "ConfigMap", "settings", "vision"),))

    found = edges(stack(base, web))["web/main"]

    assert found == {
        "base/main": "Deployment vision/web names the ConfigMap settings in "
        "spec.template.spec.volumes[0].configMap.name"
    }


@pytest.mark.parametrize("spec", [5, None, {"names": 5}, {"group": ["a"], "names": {"kind": {}}}])
def test_a_broken_crd_orders_nothing(spec: object) -> None:
    broken = body("apiextensions.k8s.io/v1", "CustomResourceDefinition", "things.example.com", spec=spec)
    own = component("own", crds=(broken,), main=(body("example.com/v1", "Thing", "it", "own"),))

    assert order(stack(own)).waves == {"own/crds": 0, "own/main": 1}


def test_an_object_waits_for_the_namespace_that_a_component_renders() -> None:
    web = component("web", main=(deployment("web", "vision"),))

    found = edges(stack(NAMESPACES, web))["web/main"]

    assert found == {"namespaces/main": "Deployment vision/web lives in the namespace vision"}


def test_a_part_does_not_wait_for_itself() -> None:
    own = component("own", main=(body("v1", "Namespace", "own"), deployment("own", "own")))

    assert edges(stack(own)) == {"own/main": {}}


def test_components_may_need_each_other_where_their_parts_do_not() -> None:
    secrets = component(
        "external-secrets",
        main=(deployment("es", "es"), body("cert-manager.io/v1", "Certificate", "es", "es")),
        after=(body("v1", "Namespace", "issuer"),),
    )
    certificates = component(
        "cert-manager", crds=CERT_MANAGER_CRDS, main=(deployment("cm", "cm"),), after=(deployment("issuer", "issuer"),)
    )

    found = order(stack(secrets, certificates)).waves

    assert found["cert-manager/crds"] < found["external-secrets/main"] < found["cert-manager/after"]


CERT_MANAGER_CRDS = tuple(item.manifest for item in CERT_MANAGER.objects if item.part == "crds")


def test_an_insertion_moves_only_what_depends_on_it() -> None:
    base = component("base", main=(deployment("base", "x"),))
    top = component("top", main=(deployment("top", "x"),), requires=("base",))
    aside = component("aside", main=(deployment("aside", "x"),), requires=("base",))
    between = component("between", main=(deployment("between", "x"),), requires=("base",))
    moved = component("top", main=(deployment("top", "x"),), requires=("between",))

    before = order(stack(base, top, aside)).waves
    after = order(stack(base, moved, aside, between)).waves

    assert before["aside/main"] == after["aside/main"] == 1
    assert (before["top/main"], after["top/main"]) == (1, 2)


def test_the_order_of_components_in_the_stack_changes_nothing() -> None:
    forward = order(stack(NAMESPACES, CERT_MANAGER, EMISSARY))
    backward = order(stack(EMISSARY, CERT_MANAGER, NAMESPACES))

    assert list(forward.waves.items()) == list(backward.waves.items())


def test_a_circle_of_parts_names_the_parts_and_the_reasons() -> None:
    one = component("one", main=(deployment("one", "x"),), requires=("two",))
    two = component("two", main=(deployment("two", "x"),), requires=("one",))
    downstream = component("downstream", main=(deployment("d", "x"),), requires=("one",))

    with pytest.raises(ConfigError) as caught:
        order(stack(one, two, downstream))

    text = str(caught.value)
    assert "one/main → two/main → one/main" in text
    assert "one/main waits for two/main: one requires two" in text
    assert "downstream" not in text


def guard(*needs: Manifest, name: str = "policy") -> RenderedComponent:
    """A component whose webhook is asked about everything outside its namespace."""
    hook = {
        "name": "hook.example.com",
        "rules": [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "operations": ["CREATE"]}],
        "namespaceSelector": {
            "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": [name]}]
        },
    }
    webhook = body("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", name, webhooks=[hook])
    return component(name, main=(webhook, deployment(name, name), *needs))


def test_what_a_webhook_needs_itself_comes_before_it_and_all_else_after_it() -> None:
    web = component("web", main=(deployment("web", "web"),))
    certificate = body("cert-manager.io/v1", "Certificate", "policy", "policy")

    found = order(stack(NAMESPACES, CERT_MANAGER, guard(certificate), web)).waves

    assert found["namespaces/main"] < found["cert-manager/main"] < found["policy/main"] < found["web/main"]


def test_two_webhooks_that_are_asked_about_each_others_pods_have_an_order() -> None:
    found = order(stack(guard(name="one"), guard(name="two"))).waves

    assert sorted(found.values()) == [0, 1]


def test_circles_apart_are_reported_together() -> None:
    pairs = (("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"))
    parts = [component(name, main=(deployment(name, "x"),), requires=(need,)) for name, need in pairs]

    with pytest.raises(ConfigError) as caught:
        order(stack(*parts))

    assert len(caught.value.problems) == 2


def test_a_job_waits_for_its_operator_and_its_namespace() -> None:
    found = job_edges(stack(NAMESPACES, TRAINING, jobs={"faces": (JOB,)}), "faces")

    assert set(found) == {"namespaces/main", "training-operator/main"}


GRAPHS = st.dictionaries(st.integers(0, 12), st.sets(st.integers(0, 12), max_size=4), max_size=13)


def _graph(numbers: dict[int, set[int]]) -> dict[str, dict[str, str]]:
    return {f"{n}/main": {f"{m}/main": "" for m in sorted(needs) if m in numbers} for n, needs in numbers.items()}


@given(GRAPHS)
def test_a_wave_is_one_above_the_highest_that_it_waits_for(numbers: dict[int, set[int]]) -> None:
    graph = _graph({n: {need for need in needs if need < n} for n, needs in numbers.items()})

    found = waves(graph)

    assert all(found[part] == 1 + max((found[need] for need in needs), default=-1) for part, needs in graph.items())


@given(GRAPHS.filter(bool))
def test_a_circle_that_is_reported_is_one(numbers: dict[int, set[int]]) -> None:
    graph = _graph({n: needs | {n} for n, needs in numbers.items()})

    with pytest.raises(ConfigError) as caught:
        waves(graph)

    ways = [problem.text.splitlines()[0].partition(": ")[2].split(" → ") for problem in caught.value.problems]
    assert all(way[0] == way[-1] for way in ways)
    assert all(later in graph[part] for way in ways for part, later in pairwise(way))
