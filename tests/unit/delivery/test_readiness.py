"""Readiness of kinds, in Argo CD's Lua and Flux's CEL."""

from __future__ import annotations

from platform_def.config.storage import ExistingStorage
from platform_def.crds.health import READY, HealthConditions, StateHealth
from platform_def.delivery.health import cel, lua
from platform_def.delivery.health.readiness import Readiness, readiness
from platform_def.manifests.rendered import RenderedStack

from .samples import body, component, nothing_declared, stack


def _rules(rendered: RenderedStack) -> dict[str, Readiness]:
    return {rule.kind: rule for rule in readiness(rendered.objects(), rendered, nothing_declared)}


def test_kinds_without_a_rule_are_left_to_the_engine() -> None:
    assert _rules(stack(component("a", main=(body("v1", "ConfigMap", "a", "a"),)))) == {}


def test_the_health_of_an_api_type_becomes_a_rule_in_both_languages() -> None:
    rendered = stack(component("a", main=(body("cert-manager.io/v1", "Certificate", "a", "a"),)))

    (rule,) = readiness(rendered.objects(), rendered, lambda *kind: READY if "Certificate" in kind else None)

    assert (rule.api_version, rule.group) == ("cert-manager.io/v1", "cert-manager.io")
    assert 'ipairs({"Ready"})' in rule.lua
    assert "c.type == 'Ready' && c.status == 'True'" in rule.current
    assert rule.failed == ""


def test_a_webhook_configuration_is_ready_once_its_ca_is_there() -> None:
    hook = body("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "a", webhooks=[{"name": "a"}])

    found = _rules(stack(component("a", main=(hook,))))

    assert found["ValidatingWebhookConfiguration"].current == cel.WEBHOOKS
    assert found["ValidatingWebhookConfiguration"].lua == lua.WEBHOOKS


def test_a_webhook_configuration_without_webhooks_has_no_rule() -> None:
    hook = body("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "a")

    assert _rules(stack(component("a", main=(hook,)))) == {}


def test_only_claims_of_classes_that_bind_at_once_are_waited_for() -> None:
    claim = body("v1", "PersistentVolumeClaim", "data", "a", spec={})
    late = body("storage.k8s.io/v1", "StorageClass", "late", volumeBindingMode="WaitForFirstConsumer")
    rendered = stack(
        component("a", main=(claim, late, body("storage.k8s.io/v1", "StorageClass", "cephfs"))),
        storage={
            "nfs": ExistingStorage(driver="existing", binding="Immediate"),
            "local": ExistingStorage(driver="existing"),
        },
    )

    found = _rules(rendered)["PersistentVolumeClaim"]

    assert "spec.storageClassName in ['cephfs', 'nfs']" in found.current
    assert '{["cephfs"] = true, ["nfs"] = true}' in found.lua


def test_every_condition_that_health_names_is_in_both_languages() -> None:
    health = HealthConditions(ready=("Up",), failed=("Broken",), suspended=("Paused",), false_is_failed=("Valid",))

    together = (lua.judged(health), cel.current(health) + cel.failed(health))

    assert all(name in text for name in ("Up", "Broken", "Paused", "Valid") for text in together)
    assert not any("observedGeneration ==" in text for text in together[1:])


def test_a_kind_that_only_fails_has_no_failing_expression_for_flux() -> None:
    assert cel.failed(HealthConditions(failed=("Failed",))) == ""
    assert cel.current(HealthConditions(failed=("Failed",))) == "true"


def test_a_state_is_read_at_its_path_in_both_languages() -> None:
    health = StateHealth("status.state.phase", ready=("Done",), failed=("Failed",), suspended=("Held",))

    assert cel.current(health) == (
        "has(status.state) && has(status.state.phase) && status.state.phase in ['Done', 'Held']"
    )
    assert cel.failed(health).endswith("in ['Failed']")
    assert 'ipairs({"status", "state", "phase"})' in lua.judged(health)
    assert '{["Done"] = "Healthy", ["Failed"] = "Degraded", ["Held"] = "Suspended"}' in lua.judged(health)


def test_a_state_may_be_a_boolean_or_a_number() -> None:
    assert cel.current(StateHealth("status.ready", ready=(True,))) == "has(status.ready) && status.ready in [true]"
    assert '{[1] = "Healthy"}' in lua.judged(StateHealth("status.readyReplicas", ready=(1,)))


def test_rules_are_sorted_by_group_and_kind_and_given_once() -> None:
    claims = [body("v1", "PersistentVolumeClaim", name, "a", spec={}) for name in ("x", "y")]
    hooks = [
        body("admissionregistration.k8s.io/v1", kind, "a", webhooks=[{"name": "a"}])
        for kind in ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")
    ]
    rendered = stack(component("a", main=(*hooks, *claims)))

    assert list(_rules(rendered)) == [
        "PersistentVolumeClaim",
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
    ]
    assert len(readiness(rendered.objects(), rendered, nothing_declared)) == 3


def test_webhook_configurations_are_judged_together() -> None:
    served, empty = (
        body("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", name, webhooks=webhooks)
        for name, webhooks in (("a", [{"name": "a"}]), ("b", []))
    )

    assert _rules(stack(component("a", main=(served, empty)))) == {}


def test_other_kinds_of_admission_are_left_to_the_engine() -> None:
    policy = body("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "a", webhooks=[{"name": "a"}])
    other = body("example.com/v1", "ValidatingWebhookConfiguration", "a", webhooks=[{"name": "a"}])

    assert _rules(stack(component("a", main=(policy, other)))) == {}


def test_a_claim_of_another_group_is_no_claim() -> None:
    assert _rules(stack(component("a", main=(body("example.com/v1", "PersistentVolumeClaim", "a", "a"),)))) == {}


def test_a_class_of_storage_is_known_by_its_own_name_and_binds_at_once_unless_it_says_otherwise() -> None:
    claim = body("v1", "PersistentVolumeClaim", "data", "a", spec={})
    other = body("example.com/v1", "StorageClass", "other")
    plain = body("storage.k8s.io/v1", "StorageClass", "plain")
    at_once = body("storage.k8s.io/v1", "StorageClass", "at-once", volumeBindingMode="Immediate")
    rendered = stack(
        component("a", main=(claim, other, plain, at_once)),
        storage={"nfs": ExistingStorage(driver="existing", binding="Immediate", class_name="nfs-client")},
    )

    assert "in ['at-once', 'nfs-client', 'plain']" in _rules(rendered)["PersistentVolumeClaim"].current


def test_a_rule_carries_what_its_kind_declares() -> None:
    rendered = stack(component("a", main=(body("example.com/v1", "Thing", "a", "a"),)))
    health = HealthConditions(ready=("Up",), failed=("Broken",))

    [rule] = readiness(rendered.objects(), rendered, lambda *_: health)

    assert (rule.kind, rule.group, rule.lua) == ("Thing", "example.com", lua.judged(health))
    assert (rule.current, rule.failed) == (cel.current(health), cel.failed(health))


def test_health_is_asked_for_by_group_and_kind() -> None:
    rendered = stack(component("a", main=(body("example.com/v1", "Thing", "a", "a"),)))
    asked: list[tuple[str, str]] = []

    readiness(rendered.objects(), rendered, lambda group, kind: asked.append((group, kind)))

    assert asked == [("example.com", "Thing")]
