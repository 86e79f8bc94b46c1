"""Waves and edges of parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from platform_def.delivery.order import edges, job_edges, job_wave, order, waves
from platform_def.errors import ConfigError
from platform_def.manifests.rendered import Manifest, RenderedComponent

from .samples import CERT_MANAGER, EMISSARY, JOB, NAMESPACES, TRAINING, body, component, crd, deployment, stack


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


def test_programs_that_look_for_kinds_only_when_they_start_come_after_their_definitions() -> None:
    found_later = body("v1", "ConfigMap", "searched", "ml")
    search = component("search", main=(deployment("search", "ml"),), after=(found_later,))
    search = replace(search, awaits=("PyTorchJob.kubeflow.org",))
    own = replace(TRAINING, awaits=("PyTorchJob.kubeflow.org", "Absent.example.com"))

    found = edges(stack(own, search))

    assert found["search/main"]["training-operator/crds"] == "search looks for PyTorchJob.kubeflow.org when it starts"
    assert set(found["search/after"]) == {"search/main"}
    assert set(found["training-operator/main"]) == {"training-operator/crds"}


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


WORKLOAD = deployment("web", "vision") | {
    "spec": {"template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": []}}}
}
CLASS = body("storage.k8s.io/v1", "StorageClass", "shared")
CLAIM = body("v1", "PersistentVolumeClaim", "faces", "vision", spec={"storageClassName": "shared"})
HOMES = component(
    "namespaces", main=(body("v1", "Namespace", "vision"), body("v1", "Namespace", "nfs")), after=(CLAIM,)
)
DRIVER = component(
    "nfs",
    main=(deployment("nfs", "nfs"), CLASS),
    after=(body("v1", "PersistentVolumeClaim", "home", "vision"),),
    requires=("namespaces",),
)
READS_FACES = {"template": {"spec": {"volumes": [{"name": "faces", "persistentVolumeClaim": {"claimName": "faces"}}]}}}
READER = deployment("reader", "vision") | {"spec": READS_FACES}


def test_a_claim_behind_a_class_whose_driver_needs_a_namespace_closes_no_circle() -> None:
    found = order(stack(HOMES, DRIVER)).waves

    assert found["namespaces/main"] < found["nfs/main"] < found["namespaces/after"]


def test_who_requires_a_component_does_not_wait_for_its_claims() -> None:
    web = component("web", main=(deployment("web", "web"),), requires=("namespaces", "nfs"))

    assert set(edges(stack(HOMES, DRIVER, web))["web/main"]) == {"namespaces/main", "nfs/main"}


def test_a_component_of_claims_alone_is_waited_for_only_by_who_names_one() -> None:
    claims = component("claims", after=(CLAIM,), requires=("nfs",))
    web = component("web", main=(deployment("web", "web"),), requires=("claims",))
    reader = component("reader", main=(READER,), requires=("claims",))
    found = edges(stack(DRIVER, claims, web, reader))

    assert found["web/main"] == {}
    assert set(found["reader/main"]) == {"claims/after"}


def test_a_part_that_names_a_claim_waits_for_it() -> None:
    reader = component("reader", main=(READER,), requires=("namespaces",))

    found = edges(stack(HOMES, DRIVER, reader))["reader/main"]

    assert found["namespaces/after"].startswith("Deployment vision/reader names the PersistentVolumeClaim faces in ")


@pytest.mark.parametrize(
    ("item", "waits"), [(WORKLOAD, {"namespaces/main"}), (READER, {"namespaces/main", "namespaces/after"})]
)
def test_a_job_waits_for_claims_only_where_it_names_one(item: Manifest, waits: set[str]) -> None:
    assert set(job_edges(stack(HOMES, DRIVER, jobs={"it": (item,)}), "it")) == waits


def test_a_job_that_makes_a_claim_waits_for_the_driver_and_not_for_its_claims() -> None:
    own = body("v1", "PersistentVolumeClaim", "output", "vision", spec={"storageClassName": "shared"})

    assert set(job_edges(stack(HOMES, DRIVER, jobs={"it": (own,)}), "it")) == {"namespaces/main", "nfs/main"}


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


SERVICE = body("v1", "Service", "web", "vision", spec={"selector": {"app": "web"}})


def test_a_service_does_not_wait_for_the_pods_that_it_selects() -> None:
    found = order(stack(component("entry", main=(SERVICE,)), component("web", main=(WORKLOAD,))))

    assert found.needs["entry/main"] == {}
    assert found.waves == {"entry/main": 0, "web/main": 0}


def test_a_pod_does_not_wait_for_what_it_may_start_without() -> None:
    volumes = [{"name": "v", "configMap": {"name": "settings", "optional": True}}]
    pod = {"template": {"spec": {"volumes": volumes}}}
    settings = component("settings", main=(body("v1", "ConfigMap", "settings", "vision"),))
    web = component("web", main=({**deployment("web", "vision"), "spec": pod},))

    assert edges(stack(settings, web))["web/main"] == {}


def test_nothing_waits_for_a_webhook_that_may_be_away() -> None:
    policy = guard()
    webhook = policy.objects[0].manifest
    webhook["webhooks"][0]["failurePolicy"] = "Ignore"

    assert edges(stack(policy, component("web", main=(WORKLOAD,))))["web/main"] == {}


def test_a_job_waits_for_no_more_than_the_components_do() -> None:
    found = job_edges(stack(component("web", main=(WORKLOAD,)), jobs={"entry": (SERVICE,)}), "entry")

    assert found == {}


def test_a_job_waits_for_the_last_part_of_what_it_needs_with_the_first_reason() -> None:
    found = job_edges(
        stack(NAMESPACES, CERT_MANAGER, jobs={"it": (body("v1", "ConfigMap", "it", "vision"), JOB_CERTIFICATE)}), "it"
    )

    assert found == {
        "cert-manager/after": "Certificate vision/it is served by the CRD certificates.cert-manager.io",
        "namespaces/main": "ConfigMap vision/it lives in the namespace vision",
    }
    assert list(found) == sorted(found)


JOB_CERTIFICATE = body("cert-manager.io/v1", "Certificate", "it", "vision")


def test_nothing_waits_for_a_job() -> None:
    settings = body("v1", "ConfigMap", "settings", "vision")
    pod = {"template": {"spec": {"volumes": [{"name": "v", "configMap": {"name": "settings"}}]}}}
    web = component("web", main=({**deployment("web", "vision"), "spec": pod},))

    found = order(stack(web, jobs={"it": (settings,)}))

    assert found.needs == {"web/main": {}}
    assert found.job_needs == {"it": {}}


def test_a_part_gives_the_reason_that_was_found_first_and_lists_needs_by_name() -> None:
    found = edges(stack(NAMESPACES, CERT_MANAGER, EMISSARY))["emissary/main"]

    assert list(found) == sorted(found)
    assert found["cert-manager/crds"] == "Certificate emissary/web is served by the CRD certificates.cert-manager.io"
    assert edges(stack(CERT_MANAGER))["cert-manager/after"]["cert-manager/main"] == "after comes after main"


def test_only_the_first_part_of_a_component_waits_for_what_it_requires() -> None:
    found = edges(stack(NAMESPACES, CERT_MANAGER, EMISSARY))

    assert "namespaces/main" in found["cert-manager/main"]
    assert set(found["cert-manager/after"]) >= {"cert-manager/crds", "cert-manager/main"}
    assert [need for need, why in found["cert-manager/after"].items() if "requires" in why] == []


def test_a_component_that_requires_itself_or_an_empty_one_waits_for_neither() -> None:
    own = component("own", main=(deployment("own", "x"),), requires=("own", "empty"))

    assert edges(stack(own, component("empty"))) == {"own/main": {}}


def test_a_webhook_is_not_waited_for_by_what_it_needs_through_others() -> None:
    """The policy needs a certificate, whose controller needs a disk, which the policy would have to admit."""
    certificate = body("cert-manager.io/v1", "Certificate", "policy", "policy")
    disk = component("disk", main=(deployment("disk", "disk"),))
    cert_manager = component(
        "cert-manager",
        crds=tuple(item.manifest for item in CERT_MANAGER.objects if item.part == "crds"),
        main=(deployment("cert-manager", "cert-manager"),),
        requires=("disk",),
    )

    found = order(stack(disk, cert_manager, guard(certificate))).waves

    assert found["disk/main"] < found["cert-manager/main"] < found["policy/main"]


def test_a_circle_is_told_from_its_first_part_with_every_reason_and_a_way_out() -> None:
    pairs = (("b", "c"), ("c", "a"), ("a", "b"))
    parts = [component(name, main=(deployment(name, "x"),), requires=(need,)) for name, need in pairs]

    with pytest.raises(ConfigError) as caught:
        order(stack(*parts))

    [problem] = caught.value.problems
    assert problem.text.splitlines() == [
        "parts wait for each other in a circle: a/main → b/main → c/main → a/main",
        "    a/main waits for b/main: a requires b",
        "    b/main waits for c/main: b requires c",
        "    c/main waits for a/main: c requires a",
    ]
    assert "drop one of these requirements" in problem.hint


def test_what_leads_into_a_circle_is_not_part_of_it() -> None:
    pairs = (("a", "b"), ("b", "c"), ("c", "b"))
    parts = [component(name, main=(deployment(name, "x"),), requires=(need,)) for name, need in pairs]

    with pytest.raises(ConfigError) as caught:
        order(stack(*parts))

    [problem] = caught.value.problems
    assert "circle: b/main → c/main → b/main" in problem.text


def test_waves_are_listed_by_name() -> None:
    found = order(stack(NAMESPACES, CERT_MANAGER, EMISSARY)).waves

    assert list(found) == sorted(found)


def test_a_part_that_a_webhook_admits_says_which() -> None:
    found = edges(stack(guard(), component("web", main=(deployment("web", "web"),))))["web/main"]

    assert found == {"policy/main": "Deployment web/web must be admitted by the webhook hook.example.com"}


def test_who_serves_custom_resources_outlives_the_parts_that_hold_them() -> None:
    found = order(stack(*(kinds_of_each_other("after"))))

    assert found.served_by == {"left/after": ["right/main"], "right/after": ["left/main"]}
    assert "right/main" not in found.needs["left/after"]


def test_where_two_would_outlive_each_other_the_first_does() -> None:
    assert order(stack(*kinds_of_each_other("main"))).served_by == {"left/main": ["right/main"]}


def test_who_is_needed_anyway_and_who_is_outside_is_not_said_to_outlive() -> None:
    assert order(stack(NAMESPACES, CERT_MANAGER, TRAINING)).served_by == {}


def test_everything_that_serves_custom_resources_is_known_whether_needed_or_not() -> None:
    assert order(stack(NAMESPACES, CERT_MANAGER, TRAINING)).servers == {"cert-manager/after": ["cert-manager/main"]}
    assert order(stack(*kinds_of_each_other("after"))).servers == {
        "left/after": ["right/main"],
        "right/after": ["left/main"],
    }


def kinds_of_each_other(part: str) -> Iterator[RenderedComponent]:
    for one, other in (("left", "right"), ("right", "left")):
        held = body(f"{other}.example.com/v1", other.title(), "held", one)
        yield component(
            one,
            crds=(crd(one.title(), f"{one}.example.com"),),
            main=(deployment(one, one), *((held,) if part == "main" else ())),
            after=(held,) if part == "after" else (),
        )


PROFILES = component(
    "profiles",
    main=(deployment("profiles", "kubeflow"),),
    after=(body("kubeflow.org/v1", "Profile", "vision", spec={"owner": {"kind": "User", "name": "ada"}}),),
    requires=("namespaces",),
)
PREPARED_HOMES = component(
    "namespaces",
    main=(
        body("v1", "Namespace", "kubeflow"),
        body("v1", "Namespace", "vision"),
        body("v1", "LimitRange", "defaults", "vision"),
        body("v1", "ConfigMap", "beside-them", "vision"),
    ),
)
QUEUE = body("v1", "ConfigMap", "queue", "vision")


def test_contents_and_jobs_of_a_profiles_namespace_wait_for_the_profile() -> None:
    found = order(stack(PREPARED_HOMES, PROFILES, component("queues", main=(QUEUE,)), jobs={"it": (QUEUE,)}))

    assert found.waves == {"namespaces/main": 0, "profiles/main": 1, "profiles/after": 2, "queues/main": 3}
    assert found.needs["queues/main"]["profiles/after"] == (
        "ConfigMap vision/queue lives in the namespace vision, which Profile vision takes over"
    )
    assert job_wave(found, "it") == 3


def test_what_the_controller_of_profiles_waits_for_waits_for_no_profile() -> None:
    mesh = component("mesh", main=(deployment("mesh", "mesh"), body("v1", "ConfigMap", "settings", "vision")))
    profiles = replace(PROFILES, requires=("mesh", "namespaces"))

    found = order(stack(PREPARED_HOMES, profiles, mesh))

    assert "profiles/after" not in found.needs["mesh/main"]
    assert found.waves["mesh/main"] < found.waves["profiles/main"]


def test_a_webhook_that_the_profile_needs_comes_before_it_whatever_else_its_part_holds() -> None:
    """The webhook's part has contents of the namespace, and its name comes first."""
    for name in ("a-policy", "z-policy"):
        found = order(stack(PREPARED_HOMES, PROFILES, guard(QUEUE, name=name)))

        assert found.waves[f"{name}/main"] < found.waves["profiles/after"]
