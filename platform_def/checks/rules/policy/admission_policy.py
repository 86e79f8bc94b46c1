"""Objects pass the ValidatingAdmissionPolicies of their own set, where bindings put these into force.

Of a workload the pods are asked about too. What only a cluster knows (who creates an object, parameters that are not
in the set, or what has become of them) is left to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.crds.core.kinds import CORE_KINDS
from platform_def.manifests.admission import GROUP, KINDS, selects
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import strings
from platform_def.manifests.rendered import Kind, Manifest, RenderedObject

_POLICY, _BINDING = "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"
_NAMESPACE = "kubernetes.io/metadata.name"
_ID = "admission-policy"
_FIELD_READ = re.compile(r"\bobject\b(?:\.(\w+))?")


@dataclass(frozen=True, eq=False)
class _Asked:
    """Something that is created: an object, or the pods of a workload."""

    item: RenderedObject
    manifest: Manifest
    api_version: str
    resource: str
    path: str
    """Where in the object it is written."""

    @cached_property
    def what(self) -> _What:
        group, _, version = self.api_version.rpartition("/")
        return _What(group, version, self.resource, bool(at(self.manifest, "metadata.namespace")))

    def said(self, fields: tuple[str, ...] | None) -> str:
        """What it is, with these of its fields; None: all that its object says."""
        if fields is None:
            return self.item.text
        known = self.item.once(_said)
        if (self.path, fields) not in known:
            kept = [self.manifest.get(field) for field in fields]
            known[self.path, fields] = repr((self.api_version, self.manifest.get("kind"), kept))
        return known[self.path, fields]


def _said(_: RenderedObject) -> dict[tuple[str, tuple[str, ...]], str]:
    """What is said of an object, held with it: stacks share objects, which must not lead back to themselves."""
    return {}


class _What(NamedTuple):
    """What is created, as the rules of policies call it."""

    group: str
    version: str
    resource: str
    namespaced: bool


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    found = context.index.by_kind.get((GROUP, _POLICY), ())
    policies = {item.name: item for item in found if not _asks_the_cluster(mapping(item.manifest.get("spec")))}
    bindings = context.index.by_kind.get((GROUP, _BINDING), ())
    if not policies or not bindings:
        return
    asked = _created_by_kind(context)
    for binding in bindings:
        spec = mapping(binding.manifest.get("spec"))
        policy = policies.get(text(spec.get("policyName")))
        severity = _severity(spec)
        if policy is None or severity is None:
            continue
        rules = mapping(policy.manifest.get("spec"))
        chosen = (mapping(rules.get("matchConstraints")), mapping(spec.get("matchResources")))
        every = _Parameters(context, rules, spec)
        fields = _fields_read(rules)
        for each in (one for what, several in asked.items() if _may_match(chosen, what) for one in several):
            if not all(_matches(context, resources, each) for resources in chosen):
                continue
            key = (_ID, policy.text, binding.text, each.said(fields), each.resource, each.path, _home(context, each))
            judge: _Judge | None = None
            for params, written in every.of(each):
                faults = context.memo.faults.get((*key, written))
                if faults is None:
                    judge = judge or _Judge(context, policy, binding, each)
                    faults = tuple(judge.faults(params))
                    context.memo.faults.put((*key, written), faults)
                for fault in faults:
                    yield each.item, fault._replace(severity=fault.severity or severity)


def _fields_read(spec: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The fields of an object that its expressions read: all objects that have the same there have one answer.

    None where an expression takes the object as a whole.
    """
    read = {field for _, written in strings(spec) for field in _FIELD_READ.findall(written)}
    return None if "" in read else tuple(sorted(read | {"metadata"}))


def _asks_the_cluster(spec: Mapping[str, Any]) -> bool:
    """Whether it depends on what has become of its parameters, which no set of manifests says: their status, or the CA
    that a controller writes into a webhook's configuration."""
    asked = [mapping(each) for field in ("variables", "validations") for each in items(spec.get(field))]
    written = (*("clientConfig.caBundle",) * (at(spec, "paramKind.kind") in KINDS), "params.status")
    return any(fact in text(each.get("expression")) for each in asked for fact in written)


def _severity(spec: Mapping[str, Any]) -> Any:
    """What a broken policy is here; None for a binding that only writes it into the audit log."""
    actions = items(spec.get("validationActions"))
    return "error" if "Deny" in actions else "warning" if "Warn" in actions else None


def _created_by_kind(context: Context) -> Mapping[_What, Sequence[_Asked]]:
    found: dict[_What, list[_Asked]] = {}
    for item in context.index.objects:
        for each in _created(context, item) if item.group != GROUP else ():
            found.setdefault(each.what, []).append(each)
    return found


def _created(context: Context, item: RenderedObject) -> Iterator[_Asked]:
    plural = context.of_kind(_plural, item.versioned_kind)
    if plural:
        yield _Asked(item, item.manifest, item.api_version, plural, "")
    if pod := item.once(_pod):
        yield _Asked(item, pod, "v1", "pods", "spec.template")


def _pod(item: RenderedObject) -> Manifest | None:
    """A pod of a workload."""
    template = mapping(at(item.manifest, "spec.template"))
    if not template.get("spec") or item.versioned_kind not in CORE_KINDS:
        return None
    metadata = {
        **mapping(template.get("metadata")),
        "namespace": item.namespace or "",
        "generateName": f"{item.name}-",
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}


def _plural(context: Context, kind: Kind) -> str:
    core = CORE_KINDS.get(kind)
    custom = None if core else context.custom_kind(kind.group, kind.kind)
    return core.plural if core else custom.plural if custom else ""


def _may_match(chosen: Iterable[Mapping[str, Any]], what: _What) -> bool:
    """Whether rules name what is created, by whatever name."""
    for resources in chosen:
        rules = items(resources.get("resourceRules"))
        if rules and not any(_covers(mapping(rule), what) for rule in rules):
            return False
    return True


def _matches(context: Context, resources: Mapping[str, Any], asked: _Asked) -> bool:
    rules = items(resources.get("resourceRules"))
    if rules and not any(_names(mapping(rule), asked) for rule in rules):
        return False
    if any(_names(mapping(rule), asked) for rule in items(resources.get("excludeResourceRules"))):
        return False
    labels = mapping(at(asked.manifest, "metadata.labels"))
    if not selects(resources.get("objectSelector"), labels):
        return False
    namespace = _namespace(context, asked)
    return namespace is None or selects(resources.get("namespaceSelector"), namespace["metadata"]["labels"])


def _names(rule: Mapping[str, Any], asked: _Asked) -> bool:
    names = items(rule.get("resourceNames"))
    return _covers(rule, asked.what) and (not names or at(asked.manifest, "metadata.name") in names)


def _covers(rule: Mapping[str, Any], what: _What) -> bool:
    def has(key: str, *values: str) -> bool:
        return any(each in ("*", *values) for each in items(rule.get(key)))

    return (
        has("operations", "CREATE")
        and has("apiGroups", what.group)
        and has("apiVersions", what.version)
        and has("resources", what.resource, "*/*")
        and rule.get("scope", "*") in ("*", "Namespaced" if what.namespaced else "Cluster")
    )


def _home(context: Context, asked: _Asked) -> str:
    """All that `_namespace` looks at: the Namespace's text, or its name where the set has none."""
    name = text(at(asked.manifest, "metadata.namespace"))
    found = context.index.by_key.get(("", "Namespace", "", name), ()) if name else ()
    return found[0].text if found else name


def _namespace(context: Context, asked: _Asked) -> dict[str, Any] | None:
    """The Namespace that it is created in, as far as the set says; None for what belongs to the cluster."""
    name = text(at(asked.manifest, "metadata.namespace"))
    if not name:
        return None
    found = context.index.by_key.get(("", "Namespace", "", name), ())
    manifest = found[0].manifest if found else {"apiVersion": "v1", "kind": "Namespace"}
    metadata = mapping(manifest.get("metadata"))
    labels = {**mapping(metadata.get("labels")), _NAMESPACE: name}
    return {**manifest, "metadata": {**metadata, "name": name, "labels": labels}}


class _Judge:
    """What a bound policy says against something that is created, with one parameter after the other."""

    def __init__(self, context: Context, policy: RenderedObject, binding: RenderedObject, asked: _Asked):
        from platform_def.manifests.cel.admission import Creation, Judge

        self._path = asked.path
        self._where = f"{_POLICY} {policy.name}, bound by {binding.name}"
        what = asked.what
        creation = Creation(asked.manifest, what.group, what.version, what.resource, _namespace(context, asked))
        self._judge = Judge(mapping(policy.manifest.get("spec")), creation)

    def faults(self, params: Mapping[str, Any] | None) -> Iterator[Fault]:
        """Those with a parameter; with None where the policy asks for none."""
        for verdict in self._judge.verdicts(params):
            if verdict.judged:
                yield Fault(self._path, verdict.text, f"asked for by {self._where}")
            else:
                hint = f"write the field, or let {self._where} ask whether it is there: the API server may fill it in"
                yield Fault(self._path, verdict.text, hint, "warning")


class _Parameters:
    """The parameters with which a bound policy is asked, one after the other; none where the set does not hold them."""

    def __init__(self, context: Context, spec: Mapping[str, Any], binding: Mapping[str, Any]):
        self._kind, self._reference = mapping(spec.get("paramKind")), mapping(binding.get("paramRef"))
        group = text(self._kind.get("apiVersion")).rpartition("/")[0]
        self._there = context.index.by_kind.get((group, text(self._kind.get("kind"))), ())
        self._found: dict[str, list[RenderedObject]] = {}

    def of(self, asked: _Asked) -> Iterable[tuple[Mapping[str, Any] | None, str]]:
        """Those for something that is created, each with its text; None where the policy asks for none."""
        if not self._kind or not self._reference:
            return [(None, "")]
        return [(item.manifest, item.text) for item in self._for(text(at(asked.manifest, "metadata.namespace")))]

    def _for(self, namespace: str) -> Sequence[RenderedObject]:
        where = text(self._reference.get("namespace")) or namespace
        if where not in self._found:
            self._found[where] = [
                item for item in self._there if self._chooses(item) and item.namespace in (None, where)
            ]
        return self._found[where]

    def _chooses(self, item: RenderedObject) -> bool:
        if self._reference.get("selector") is not None:
            return selects(self._reference["selector"], mapping(at(item.manifest, "metadata.labels")))
        return bool(item.name == self._reference.get("name"))


ADMISSION_POLICY = StackRule(
    id=_ID,
    severity="error",
    title="Objects pass the ValidatingAdmissionPolicies that are applied with them",
    why="The API server refuses what a bound policy denies; a workload is taken, and its pods are not.",
    fix="write the object so that the policy passes, or leave it out of the binding",
    kinds=frozenset({_BINDING}),
    check=_check,
)
