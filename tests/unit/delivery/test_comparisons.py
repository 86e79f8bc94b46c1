"""Which comparisons Argo CD makes again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from platform_def.config.cluster import Delivery
from platform_def.config.kubernetes import Kubernetes
from platform_def.delivery.comparisons import EARLY, NAME, PASSING, UNKNOWN
from platform_def.delivery.deliver import deliver
from platform_def.delivery.target import BOOTSTRAP, MANAGED
from platform_def.manifests.rendered import Manifest

from .samples import ARGOCD, GATES, NAMESPACES, ordered
from .verdicts import holds

CHANGES, REFUSES = (
    [(f"{kind}AdmissionPolicy{end}", NAME) for end in ("", "Binding")] for kind in ("Mutating", "Validating")
)
AWAY = 'failed to calculate diff: Internal error occurred: failed calling webhook "webhook.cert-manager.io": refused'
BEFORE = {"sync": {"status": "Synced", "revision": "1"}}


def application(status: Manifest) -> Manifest:
    return {"metadata": {"name": "a"}, "status": status}


def unknown(why: str, revision: str = "2", condition: str = "ComparisonError") -> Manifest:
    return {
        "sync": {"status": "Unknown", "revision": revision},
        "conditions": [{"type": condition, "message": why}],
    }


def forgets(status: Manifest) -> bool:
    return holds(UNKNOWN, {"object": application(status)})


def refuses(status: Manifest, before: Manifest = BEFORE) -> bool:
    return holds(PASSING, {"object": application(status), "oldObject": application(before)})


def test_an_application_that_could_not_be_compared_forgets_the_commit() -> None:
    assert forgets(unknown(AWAY))
    assert not forgets(unknown(AWAY, revision=""))


@pytest.mark.parametrize("status", [{}, {"sync": {"status": "Unknown"}}, BEFORE, {"sync": {"status": "OutOfSync"}}])
def test_every_other_status_stays_as_argo_cd_writes_it(status: Manifest) -> None:
    assert not forgets(status)
    assert not refuses(status)


@pytest.mark.parametrize(
    "why",
    [
        AWAY,
        "conversion webhook for cert-manager.io/v1, Kind=Issuer failed: EOF",
        'Get "https://10.0.0.1:443/api": dial tcp 10.0.0.1:443: connect: connection refused',
        "read tcp: connection reset by peer",
        "etcdserver: request timed out",
        "net/http: TLS handshake timeout",
        "context deadline exceeded",
        "the server is currently unable to handle the request",
    ],
)
def test_an_older_cluster_does_not_let_it_know_a_commit_that_could_not_be_compared_for_a_while(why: str) -> None:
    assert refuses(unknown(why))
    assert not refuses(unknown(why, condition="SyncError"))


@pytest.mark.parametrize(
    "why",
    [
        'Deployment.apps "a" is invalid: spec.selector: field is immutable',
        'admission webhook "webhook.cert-manager.io" denied the request: spec.issuerRef.name: Required value',
        ".spec.colour: field not declared in schema",
    ],
)
def test_what_is_wrong_with_an_object_is_told_there_too(why: str) -> None:
    assert not refuses(unknown(why))


@pytest.mark.parametrize(
    "why",
    [
        AWAY,
        "error calculating server side diff: .spec.colour: field not declared in schema",
        'Widget.example.com "a" is invalid: spec.size: Unsupported value: "huge": supported values: "small", "large"',
        'no matches for kind "Widget" in version "example.com/v2"',
        "the server could not find the requested resource",
    ],
)
def test_where_no_gate_keeps_the_order_an_older_cluster_waits_for_definitions_too(why: str) -> None:
    def early(status: Manifest) -> bool:
        return holds(EARLY, {"object": application(status), "oldObject": application(BEFORE)})

    assert early(unknown(why))
    assert not early(unknown('Deployment.apps "a" is invalid: spec.selector: field is immutable'))


@pytest.mark.parametrize("version", ["1.35", "1.36"])
def test_both_forms_have_failed_comparisons_made_again(version: str) -> None:
    plain, gated = delivered(version), delivered(version, GATES)

    assert [key for key in plain if key[1] == NAME] == (CHANGES if version == "1.36" else REFUSES)
    if version == "1.36":
        assert {key: plain[key] for key in CHANGES} == {key: gated[key] for key in CHANGES}
    else:
        for form, expression in ((plain, EARLY), (gated, PASSING)):
            (condition,) = form[REFUSES[0]]["spec"]["matchConditions"]
            assert condition["expression"] == expression


def test_what_was_told_once_may_be_told_again() -> None:
    assert not refuses(unknown(AWAY), before=unknown(AWAY))
    assert not refuses(unknown(AWAY), before={})
    assert not refuses(unknown(AWAY), before={"sync": {"status": "Unknown"}})


@pytest.mark.parametrize(("version", "policies"), [("1.30", REFUSES), ("1.35", REFUSES), ("1.36", CHANGES)])
@pytest.mark.parametrize("form", [ARGOCD, GATES], ids=["retries", "gates"])
def test_objects_are_changed_from_the_first_version_on_that_can(
    version: str, policies: list[tuple[str, str]], form: Delivery
) -> None:
    found = delivered(version, form)

    assert [key for key in found if key[1] == NAME] == policies
    assert all(found[key]["metadata"]["labels"].items() >= BOOTSTRAP.items() for key in policies)
    policy, binding = (found[key]["spec"] for key in policies)
    assert policy["matchConstraints"]["resourceRules"][0]["resources"] == ["applications"]
    assert policy["matchConstraints"]["resourceRules"][0]["operations"] == ["UPDATE"]
    assert binding["matchResources"]["objectSelector"] == {"matchLabels": MANAGED}


@pytest.mark.parametrize(("version", "kind"), [("1.35", "Validating"), ("1.36", "Mutating")])
@pytest.mark.parametrize("form", [ARGOCD, GATES], ids=["retries", "gates"])
def test_a_policy_that_fails_refuses_nothing(version: str, kind: str, form: Delivery) -> None:
    assert delivered(version, form)[f"{kind}AdmissionPolicy", NAME]["spec"]["failurePolicy"] == "Ignore"


def delivered(version: str, delivery: Delivery = ARGOCD) -> dict[tuple[str, str], Manifest]:
    stack = ordered(NAMESPACES)
    stack = replace(stack, platform=stack.platform.with_facts(kubernetes=Kubernetes(version)))
    return {(item.kind, item.name): item.manifest for item in deliver(stack, delivery, {}).delivery}
