"""What engines and servers meet in every stack of this repository: the order of its parts, and nothing that never settles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from platform_def.capabilities import Gateway, Identity, Mesh, TeamRoles
from platform_def.checks.context import Context, Memo
from platform_def.checks.engine import check
from platform_def.checks.meshed import meshed_pods
from platform_def.checks.rules.references.monitor_selected import MONITOR_SELECTED
from platform_def.checks.rules.references.monitor_target import MONITOR_TARGET
from platform_def.config.cluster import Delivery
from platform_def.config.kubernetes import Kubernetes
from platform_def.constructs.mesh import PROXY_METRICS
from platform_def.delivery.deadlocks import deadlocks
from platform_def.delivery.deliver import deliver
from platform_def.delivery.gates import AFTER
from platform_def.delivery.order import job_wave, order
from platform_def.delivery.pods.definitions import NAME as DEFINITIONS
from platform_def.delivery.pods.definitions import PROGRAMS, awaiting
from platform_def.delivery.pods.injectors import NAME as INJECTORS
from platform_def.delivery.pods.injectors import changed_pods
from platform_def.delivery.skeleton import skeleton
from platform_def.delivery.target import ROOT, part_names
from platform_def.manifests.access.network_policies import openings
from platform_def.manifests.admission import selects
from platform_def.manifests.graph import Graph
from platform_def.manifests.rendered import Manifest, RenderedObject, RenderedStack
from platform_def.manifests.workloads import Pods
from platform_def.pipeline.files import files_of
from tests.renders.store import Store, names_of

REPOSITORY = "https://git.example.com/platform.git"
NEW = Kubernetes("1.36")
"""A version of Kubernetes that both engines can order with."""
STORE = Store()
ALL = [*names_of("stacks"), *names_of("coverage")]
WITH_PROFILES = ("cloud-gpu", "kubeflow")
"""Stacks whose teams are Profiles and have jobs."""
WITH_INJECTORS = ("cloud-gpu", "kubeflow", "kubeflow-classic")
"""Stacks with pods that a webhook must change."""
WITH_WAITING_PROGRAMS = ("kubeflow", "kubeflow-classic", "katib", "monitoring")
"""Stacks with programs that look for definitions only when they start."""
WITH_CLOSED_PROXIES = ("notebooks", "pipelines-registered")
"""Stacks with pods in a mesh that network policies close."""
WITH_CLAIMS = ("storage",)
"""Stacks whose claims parts or jobs name."""


@pytest.fixture(scope="module", params=ALL)
def stack(request: pytest.FixtureRequest) -> RenderedStack:
    """Each of those that people start from, and of those that have every component."""
    chosen = {
        each
        for item in request.session.items
        if hasattr(item, "callspec") and isinstance(each := item.callspec.params.get("stack"), str)
    }
    found = STORE.get(request.param, beside=chosen & {*ALL})
    return replace(found, platform=found.platform.with_facts(kubernetes=NEW))


def test_every_stack_is_looked_at() -> None:
    assert len(ALL) > 90


@pytest.mark.parametrize("engine", ["argocd with gates", "flux"])
def test_a_part_waits_for_nothing_that_nothing_in_it_needs(stack: RenderedStack, engine: str) -> None:
    needed = dict(_needed(stack))
    waits = _gates(stack) if engine == "argocd with gates" else _dependencies(stack)

    assert waits.keys() == needed.keys()
    assert {part: names ^ needed[part] for part, names in waits.items() if names != needed[part]} == {}


def test_what_the_order_is_computed_from_leaves_nothing_out_that_it_depends_on(stack: RenderedStack) -> None:
    whole, reduced = order(stack), order(skeleton(stack))

    assert (whole.waves, whole.needs) == (reduced.waves, reduced.needs)
    assert (whole.servers, whole.job_needs) == (reduced.servers, reduced.job_needs)


def test_no_stack_needs_gates_to_come_up(stack: RenderedStack) -> None:
    """Plain Applications, tried again and again, end up with everything there."""
    assert deadlocks(stack) == []


def test_every_pod_that_a_webhook_must_change_is_kept_back_until_it_is_there(stack: RenderedStack) -> None:
    """Plain Applications have a policy for it, which chooses what the webhook chooses."""
    hooks = changed_pods(stack)
    delivered = deliver(stack, Delivery(engine="argocd", repository=REPOSITORY), {}).delivery
    bindings = [item.manifest["spec"] for item in delivered if item.name.startswith(f"{INJECTORS}.")]
    asked = [(each["paramRef"]["name"], each["matchResources"].get("objectSelector")) for each in bindings]

    assert hooks or stack.name not in WITH_INJECTORS
    assert asked == [(each.configuration.name, each.body.get("objectSelector") or None) for each in hooks]


def test_every_program_that_looks_for_definitions_at_start_is_kept_back_until_they_are_there(
    stack: RenderedStack,
) -> None:
    """Plain Applications have a policy for it, which chooses the pods of these programs and of no other component."""
    waiting = {
        definition.name: {str(item) for item in programs if item.namespace != "argocd"}
        for definition, programs in awaiting(stack, Graph.of(stack)).items()
    }
    delivered = deliver(stack, Delivery(engine="argocd", repository=REPOSITORY), {}).delivery
    bindings = [item.manifest["spec"] for item in delivered if item.name.startswith(f"{DEFINITIONS}.")]
    programs = [item for item in stack.objects() if (item.group, item.kind) in PROGRAMS]
    chosen = {
        each["paramRef"]["name"]: {str(item) for item in programs if _is_chosen(item, each["matchResources"])}
        for each in bindings
    }

    assert waiting or stack.name not in WITH_WAITING_PROGRAMS
    assert chosen == {name: items for name, items in waiting.items() if items}


def _is_chosen(item: RenderedObject, match: Manifest) -> bool:
    home = {"kubernetes.io/metadata.name": item.namespace or ""}
    return selects(match["namespaceSelector"], home) and selects(match["objectSelector"], _pod_labels(item))


def _pod_labels(item: RenderedObject) -> Manifest:
    labels: Manifest = item.manifest["spec"]["template"]["metadata"]["labels"]
    return labels


def test_only_parts_and_jobs_that_name_a_claim_wait_for_one(stack: RenderedStack) -> None:
    """A claim may stay pending; a part that others wait for holds one only where a workload beside it cannot start
    without it."""
    waiting, naming = _waiting_for_claims(stack)

    assert naming or stack.name not in WITH_CLAIMS
    assert waiting == []


def test_every_monitor_is_read_by_a_prometheus_and_finds_its_port(stack: RenderedStack) -> None:
    monitors = [*_objects(stack, "ServiceMonitor"), *_objects(stack, "PodMonitor")]

    assert monitors or "prometheus" not in stack.components
    assert [str(each) for each in check(stack, rules=(MONITOR_SELECTED, MONITOR_TARGET))] == []


def test_policies_of_a_pod_in_the_mesh_let_its_proxy_be_read(stack: RenderedStack) -> None:
    """Injected ports are in no rendered pod: a policy that names the program's alone would close the proxy's."""
    policies = [each for each in _objects(stack, "NetworkPolicy") if openings(each, "ingress") is not None]
    closed = {
        str(pods.item): mine
        for pods in meshed_pods(Context(stack, Memo()))
        if (mine := [each for each in policies if each.namespace == pods.namespace and _chooses(each, pods)])
    }

    assert closed or stack.name not in WITH_CLOSED_PROXIES
    assert [
        name
        for name, mine in closed.items()
        if not any(opening.covers(PROXY_METRICS[1]) for each in mine for opening in openings(each, "ingress") or ())
    ] == []


def _chooses(policy: RenderedObject, pods: Pods) -> bool:
    return selects(policy.manifest["spec"]["podSelector"], pods.labels)


def test_a_role_that_gathers_others_has_no_rules_of_its_own(stack: RenderedStack) -> None:
    gathering = [item for item in _objects(stack, "ClusterRole") if "aggregationRule" in item.manifest]

    assert gathering or "kubeflow-roles" not in stack.components
    assert [str(item) for item in gathering if "rules" in item.manifest] == []


def test_a_definition_has_nothing_that_the_server_writes_or_drops(stack: RenderedStack) -> None:
    definitions = [item.manifest for item in _objects(stack, "CustomResourceDefinition")]

    assert definitions or stack.name != "everything"
    assert [each["metadata"]["name"] for each in definitions if "status" in each] == []
    assert [each["metadata"]["name"] for each in definitions if "preserveUnknownFields" in each["spec"]] == []


def test_argo_cd_reads_no_folder_that_is_larger_than_its_limit(stack: RenderedStack) -> None:
    to = Delivery.model_validate({"engine": "argocd", "repository": REPOSITORY})
    delivered = stack if stack.platform.delivery == "argocd" else deliver(stack, to, {})
    folders = [item.manifest["spec"]["source"]["path"] for item in _objects(delivered, "Application")]
    files = files_of(delivered)
    sizes = {
        path: [
            len(data) for name, data in files.items() if name.startswith(path.removeprefix(f"dist/{stack.name}/") + "/")
        ]
        for path in folders
    }

    assert folders
    assert [path for path, found in sizes.items() if not found] == []
    assert {path: sum(found) for path, found in sizes.items() if sum(found) > 10_000_000} == {}


def test_a_definition_comes_in_an_earlier_wave_than_objects_of_its_kind(stack: RenderedStack) -> None:
    served = {
        (item.manifest["spec"]["group"], item.manifest["spec"]["names"]["kind"]): _wave(stack, item)
        for item in _objects(stack, "CustomResourceDefinition")
    }
    custom = [item for each in stack.components.values() for item in each.objects if (item.group, item.kind) in served]

    assert custom or stack.name != "everything"
    assert [str(item) for item in custom if served[item.group, item.kind] >= _wave(stack, item)] == []


def test_a_webhook_configuration_comes_in_no_earlier_wave_than_who_answers_it(stack: RenderedStack) -> None:
    services = {(item.namespace, item.name): item for item in _objects(stack, "Service")}
    early, seen = [], 0
    for item in _objects(stack, "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"):
        for hook in item.manifest.get("webhooks", ()):
            named = hook["clientConfig"].get("service") or {}
            service = services.get((named.get("namespace"), named.get("name", "")))
            if service:
                seen += 1
                early += [str(item)] if _wave(stack, item) < _wave(stack, service) else []

    assert seen or stack.name != "everything"
    assert early == []


def test_contents_of_a_profiles_namespace_wait_for_the_profile_and_what_limits_them_does_not(
    stack: RenderedStack,
) -> None:
    profiles = {item.name: item for item in _objects(stack, "Profile")}
    inside = [item for each in stack.components.values() for item in each.objects if item.namespace in profiles]
    contents, limits = (
        [item for item in inside if not item.links.guards],
        [item for item in inside if item.component == "namespaces" and item.links.guards],
    )
    after = {item for item in inside if _wave(stack, item) > _wave(stack, profiles[item.namespace or ""])}
    jobs = {
        job: profiles[item.namespace or ""]
        for job, items in stack.jobs.items()
        for item in items
        if item.namespace in profiles
    }

    assert (contents and limits and jobs) or stack.name not in WITH_PROFILES
    assert [str(item) for item in contents if item not in after] == []
    assert [str(item) for item in limits if item in after] == []
    assert [job for job, profile in jobs.items() if job_wave(stack, job) <= _wave(stack, profile)] == []


def test_nothing_that_the_controller_of_profiles_needs_waits_for_a_profile(stack: RenderedStack) -> None:
    """It writes policies of the mesh, reads a header of who signed in, and binds roles, whoever comes first."""
    kinds = {each.kind() for each in (Gateway, Identity, Mesh, TeamRoles)}
    needed = {each.by for each in stack.platform.provisions if each.kind in kinds} | {"profiles", "namespaces"}
    profiles = {_part(item) for item in _objects(stack, "Profile")}
    parts = {part for part in stack.needs if part.partition("/")[0] in needed} - profiles

    assert parts or stack.name not in WITH_PROFILES
    # Datasets of teams are contents of their namespaces.
    assert {part for part in parts if profiles & _awaited(stack, part)} <= {"namespaces/after"}


def _awaited(stack: RenderedStack, part: str) -> set[str]:
    """All parts for which one waits, directly or not."""
    found, left = set[str](), [part]
    while left:
        more = stack.needs[left.pop()].keys() - found
        found |= more
        left += more
    return found


def _waiting_for_claims(stack: RenderedStack) -> tuple[list[str], int]:
    """Who waits for a claim that it does not name, and how many claims anyone names."""
    waiting, naming = [], 0
    users = {part: [item for item in stack.objects() if _part(item) == part] for part in stack.needs}
    users |= {f"_jobs/{job}": list(items) for job, items in stack.jobs.items()}
    needs = {**stack.needs, **{f"_jobs/{job}": found for job, found in stack.job_needs.items()}}
    for claim in _objects(stack, "PersistentVolumeClaim"):
        named_by = {who for who, items in users.items() for item in items if _names(item, claim)}
        awaited_by = {who for who, found in needs.items() if _part(claim) in found}
        naming += bool(named_by)
        if claim.job or _part(claim) in named_by:
            continue
        claims_beside = [item for item in users[_part(claim)] if item.kind == claim.kind]
        for who in awaited_by - named_by:
            if not any(_names(item, other) for item in users[who] for other in claims_beside):
                waiting.append(f"{who} waits for {claim} of {_part(claim)}")
    return waiting, naming


def _objects(stack: RenderedStack, *kinds: str) -> list[RenderedObject]:
    return [item for item in stack.objects() if item.kind in kinds]


def _wave(stack: RenderedStack, item: RenderedObject) -> int:
    return stack.waves[_part(item)]


def _part(item: RenderedObject) -> str:
    return f"{item.component}/{item.part}"


def _names(item: RenderedObject, claim: RenderedObject) -> bool:
    return any((name.kind, name.namespace, name.name) == claim.key[1:] for name in item.links.names)


def _with_claims(stack: RenderedStack) -> set[tuple[str, str]]:
    """Parts `after` that hold claims, which nobody waits for who names none of them."""
    claims = _objects(stack, "PersistentVolumeClaim")
    return {(item.component, item.part) for item in claims if item.part == "after"}


def _needed(stack: RenderedStack) -> Iterator[tuple[str, set[str]]]:
    """By delivery object the others that come before it: its component's earlier part, what the component declares, and
    where its objects lead to."""
    names, graph = part_names(stack), Graph.of(stack)
    for component in stack.components.values():
        for index, part in enumerate(component.parts):
            here = f"{component.name}/{part}"
            found = {f"{component.name}/{earlier}" for earlier in component.parts[:index][-1:]}
            led = {
                f"{edge.target.component}/{edge.target.part}"
                for item in component.objects
                if item.part == part
                for edge in graph.edges(item)
                if not edge.weak and edge.target.component in stack.components
            }
            declared = {
                f"{name}/{ready[-1]}"
                for name in component.requires
                if name in stack.components
                if (ready := [each for each in stack.components[name].parts if (name, each) not in _with_claims(stack)])
            }
            served = {graph.definition(name) for name in component.awaits}
            looked_for = {f"{each.component}/{each.part}" for each in served if each}
            possible = found | led | declared | looked_for
            yield names[here], {names[need] for need in stack.needs[here] if need in possible}


def _gates(stack: RenderedStack) -> Mapping[str, set[str]]:
    """By Application those without which Argo CD cannot create it."""
    objects = [item["metadata"] | {"kind": item["kind"]} for item in _delivered(stack, engine="argocd", order="gates")]
    assert not any("wave" in key for each in objects for key in each.get("annotations", {}))
    waits = {
        each["name"]: {key.removeprefix(AFTER) for key in each["labels"] if key.startswith(AFTER)}
        for each in objects
        if each["kind"] == "Application" and each["name"] != ROOT
    }
    assert {name for names in waits.values() for name in names} <= waits.keys()
    return waits


def _dependencies(stack: RenderedStack) -> Mapping[str, set[str]]:
    """By Kustomization those that Flux waits for."""
    return {
        item["metadata"]["name"]: {each["name"] for each in item["spec"].get("dependsOn", ())}
        for item in _delivered(stack, engine="flux")
        if item["kind"] == "Kustomization" and item["metadata"]["name"] != ROOT
    }


def _delivered(stack: RenderedStack, **delivery: str) -> list[Manifest]:
    to = Delivery.model_validate({**delivery, "repository": REPOSITORY})
    return [item.manifest for item in deliver(stack, to, {}).delivery]
