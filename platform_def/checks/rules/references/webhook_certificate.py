"""The API server trusts who answers it: webhooks, conversions and aggregated APIs have the certificate of their CA.

A certificate comes written down, by cert-manager's injector, or from the program itself, which then may change the
configuration: by the drift that its component declares, or by a role of the set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import labels_of
from platform_def.manifests.admission import selects
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import Path, dotted
from platform_def.manifests.rendered import RenderedObject

_ADMISSION, _RBAC = "admissionregistration.k8s.io", "rbac.authorization.k8s.io"
_KINDS: Mapping[tuple[str, str], str] = {
    (_ADMISSION, "MutatingWebhookConfiguration"): "mutatingwebhookconfigurations",
    (_ADMISSION, "ValidatingWebhookConfiguration"): "validatingwebhookconfigurations",
    ("apiextensions.k8s.io", "CustomResourceDefinition"): "customresourcedefinitions",
    ("apiregistration.k8s.io", "APIService"): "apiservices",
}
_CERTIFICATE = "cert-manager.io/inject-ca-from"
_INJECTED = (
    _CERTIFICATE,
    "cert-manager.io/inject-ca-from-secret",
    "cert-manager.io/inject-apiserver-ca",
    "service.beta.openshift.io/inject-cabundle",
    "certmanager.k8s.io/inject-ca-from",
)


class _Client(NamedTuple):
    """How the API server reaches a Service."""

    path: Path
    service: Mapping[str, Any]
    trusts: bool
    """Whether the certificate of the CA is there, or none is asked for."""


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    for kind, plural in _KINDS.items():
        for item in context.index.by_kind.get(kind, ()):
            clients = [each for each in _clients(item) if each.service]
            annotations = mapping(at(item.manifest, "metadata.annotations"))
            for client in clients:
                if any(annotations.get(name) for name in _INJECTED):
                    if fault := _misnamed(client, text(annotations.get(_CERTIFICATE)), context):
                        yield item, fault
                elif not client.trusts and not _written_at_run_time(item, client, plural, context):
                    yield item, Fault(dotted(client.path), "the API server is given no CA to trust the Service by")


def _clients(item: RenderedObject) -> Iterator[_Client]:
    body = item.manifest
    if item.group == _ADMISSION:
        for index, hook in enumerate(items(body.get("webhooks"))):
            config = mapping(at(hook, "clientConfig"))
            yield _Client(
                ("webhooks", index, "clientConfig"), mapping(config.get("service")), bool(config.get("caBundle"))
            )
    elif item.kind == "APIService":
        trusts = bool(at(body, "spec.caBundle") or at(body, "spec.insecureSkipTLSVerify"))
        yield _Client(("spec",), mapping(at(body, "spec.service")), trusts)
    elif at(body, "spec.conversion.strategy") == "Webhook":
        config = mapping(at(body, "spec.conversion.webhook.clientConfig"))
        path = ("spec", "conversion", "webhook", "clientConfig")
        yield _Client(path, mapping(config.get("service")), bool(config.get("caBundle")))


def _misnamed(client: _Client, named: str, context: Context) -> Fault | None:
    """A certificate that is for other names than that of the Service."""
    found = context.index.by_key.get(("cert-manager.io", "Certificate", *named.partition("/")[::2]))
    if not found:
        return None
    names = items(at(found[0].manifest, "spec.dnsNames"))
    asked = f"{text(client.service.get('name'))}.{text(client.service.get('namespace'))}.svc"
    if not names or _TEMPLATED in "".join(map(str, names)) or any(_covers(name, asked) for name in names):
        return None
    path = f'metadata.annotations["{_CERTIFICATE}"]'
    return Fault(path, f"the Certificate {named} is not for {asked}", f"add {asked} to its dnsNames")


_TEMPLATED = "$("
"""A name that kustomize fills in."""


def _covers(name: object, asked: str) -> bool:
    return name in (asked, "*." + asked.partition(".")[2])


def _written_at_run_time(item: RenderedObject, client: _Client, plural: str, context: Context) -> bool:
    component = context.stack.components.get(item.component)
    drifting = component.drifting if component else ()
    declared = any(each.kind == item.kind and each.name in ("", item.name) for each in drifting)
    return declared or (text(client.service.get("namespace")), plural) in context.once(_writers)


def _writers(context: Context) -> frozenset[tuple[str, str]]:
    """Namespaces of accounts that may change such configurations, by their kind's plural."""
    found = set()
    for kind in ("ClusterRoleBinding", "RoleBinding"):
        for binding in context.index.by_kind.get((_RBAC, kind), ()):
            named = mapping(binding.manifest.get("roleRef"))
            home = binding.namespace or "" if named.get("kind") == "Role" else ""
            roles = context.index.by_key.get((_RBAC, text(named.get("kind")), home, text(named.get("name"))), ())
            plurals = {plural for role in roles for each in _parts(role, context) for plural in _writable(each)}
            homes = {text(mapping(each).get("namespace")) for each in items(binding.manifest.get("subjects"))}
            found |= {(each, plural) for each in homes for plural in plurals}
    return frozenset(found)


def _parts(role: RenderedObject, context: Context) -> Iterator[RenderedObject]:
    """A role, or those that are gathered into it."""
    yield role
    for selector in items(at(role.manifest, "aggregationRule.clusterRoleSelectors")):
        for each in context.index.by_kind.get((_RBAC, "ClusterRole"), ()):
            if selects(selector, labels_of(each)):
                yield each


def _writable(role: RenderedObject) -> Iterator[str]:
    for rule in map(mapping, items(role.manifest.get("rules"))):
        if _has(rule, "verbs", ("update", "patch", "*")):
            yield from (plural for plural in _KINDS.values() if _has(rule, "resources", (plural, "*")))


def _has(rule: Mapping[str, Any], field: str, any_of: Sequence[str]) -> bool:
    return any(each in any_of for each in items(rule.get(field)))


WEBHOOK_CERTIFICATE = StackRule(
    id="webhook-certificate",
    severity="error",
    title="The API server has the CA of every Service that it calls, and the certificate is for that Service",
    why="Every call fails the handshake: with failurePolicy Fail all objects of those kinds are refused.",
    fix="annotate it with `cert-manager.io/inject-ca-from: <namespace>/<certificate>`, or write caBundle",
    kinds=frozenset(kind for _, kind in _KINDS),
    check=_check,
    without_stack="as a warning",
)
