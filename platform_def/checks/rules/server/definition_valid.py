"""CRDs are what the API server establishes: names, versions, conversion, subresources, columns, structural schemas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.proven import is_proven
from platform_def.checks.rule import ObjectRule, OfKind
from platform_def.checks.rules.server.definition_schema import Walk, field_at
from platform_def.manifests.index import CRD, CRD_GROUP
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.names import GRAMMARS
from platform_def.manifests.paths import Path, dotted
from platform_def.manifests.rendered import Kind, Manifest
from platform_def.manifests.schemas.structural import passes

_COLUMN_TYPES = ("boolean", "date", "integer", "number", "string")
_SIMPLE_PATH = re.compile(r"(?:\.[^.\[\]'\"() ]+)+")
_APPROVED = "api-approved.kubernetes.io"
_PROTECTED = (".k8s.io", ".kubernetes.io")
_MOST_SELECTABLE = 8


def _reads(context: Context, _: Kind) -> int:
    """The minor version of Kubernetes."""
    return int(context.stack.platform.kubernetes.partition(".")[2])


def _check(manifest: Manifest, minor: int) -> Iterator[Fault]:
    if manifest.get("apiVersion") != f"{CRD_GROUP}/v1" or not isinstance(manifest.get("spec"), dict):
        return
    spec: Mapping[str, Any] = manifest["spec"]
    yield from _names(spec)
    yield from _approval(manifest, text(spec.get("group")))
    yield from _versions(spec)
    yield from _conversion(mapping(spec.get("conversion")))
    if spec.get("preserveUnknownFields") is True:
        hint = "leave it out, and write x-kubernetes-preserve-unknown-fields: true into the schema"
        yield Fault("spec.preserveUnknownFields", "cannot be true in apiextensions.k8s.io/v1", hint)
    for index, version in enumerate(items(spec.get("versions"))):
        yield from _version(mapping(version), ("spec", "versions", index), minor)


def _named(value: object, grammar: str, path: Path, *, needed: bool = False) -> Iterator[Fault]:
    if value in (None, "") and needed:
        yield Fault(dotted(path), "is empty", "")
    elif isinstance(value, str) and value and (problem := GRAMMARS[grammar](value)):
        yield Fault(dotted(path), problem, "")


def _names(spec: Mapping[str, Any]) -> Iterator[Fault]:
    group, names = text(spec.get("group")), mapping(spec.get("names"))
    yield from _named(spec.get("group"), "subdomain", ("spec", "group"), needed="group" in spec)
    if group and "." not in group:
        yield Fault("spec.group", f"'{group[:60]}' must be a domain with a dot", "")
    if isinstance(spec.get("scope"), str) and spec["scope"] not in ("Cluster", "Namespaced"):
        yield Fault("spec.scope", f"'{spec['scope'][:60]}' is none of Cluster, Namespaced", "")
    for field, grammar in (("plural", "service"), ("singular", "service"), ("kind", "kind"), ("listKind", "kind")):
        needed = field in ("plural", "kind") and field in names
        yield from _named(names.get(field), grammar, ("spec", "names", field), needed=needed)
    for field in ("shortNames", "categories"):
        for index, name in enumerate(items(names.get(field))):
            yield from _named(name, "service", ("spec", "names", field, index), needed=True)
    if text(names.get("kind")) and names.get("kind") == names.get("listKind"):
        yield Fault("spec.names.listKind", "is the kind itself", "write the kind with List behind it")


def _approval(manifest: Manifest, group: str) -> Iterator[Fault]:
    if not group.endswith(_PROTECTED) and group not in ("k8s.io", "kubernetes.io"):
        return
    said = text(mapping(at(manifest, "metadata.annotations")).get(_APPROVED))
    if not said.startswith(("https://", "http://", "unapproved")):
        path = dotted(("metadata", "annotations", _APPROVED))
        yield Fault(path, f"is missing: groups like {group} are Kubernetes' own", "take another group")


def _versions(spec: Mapping[str, Any]) -> Iterator[Fault]:
    versions = [mapping(each) for each in items(spec.get("versions"))]
    if not isinstance(spec.get("versions"), list):
        return
    stored = [index for index, each in enumerate(versions) if each.get("storage") is True]
    if len(stored) != 1:
        text_ = "no version is stored" if not stored else f"{len(stored)} versions are stored"
        yield Fault(
            "spec.versions",
            f"{text_}, and exactly one must be",
            "write storage: true at the newest, and false at the others",
        )
    names = [text(each.get("name")) for each in versions]
    for index, name in enumerate(names):
        yield from _named(name, "service", ("spec", "versions", index, "name"), needed="name" in versions[index])
        if name and name in names[:index]:
            yield Fault(dotted(("spec", "versions", index, "name")), f"{name} is listed twice", "")


def _conversion(conversion: Mapping[str, Any]) -> Iterator[Fault]:
    strategy = conversion.get("strategy")
    if isinstance(strategy, str) and strategy not in ("None", "Webhook"):
        yield Fault("spec.conversion.strategy", f"'{strategy[:60]}' is none of None, Webhook", "")
    hook = mapping(conversion.get("webhook"))
    if strategy == "None" and hook:
        yield Fault("spec.conversion.webhook", "goes with strategy Webhook alone", "leave it out")
    if strategy != "Webhook":
        return
    client = mapping(hook.get("clientConfig"))
    if (client.get("url") is None) == (client.get("service") is None):
        yield Fault("spec.conversion.webhook.clientConfig", "needs url or service, and only one of them", "")
    if isinstance(client.get("url"), str) and (problem := GRAMMARS["web-address"](client["url"])):
        yield Fault("spec.conversion.webhook.clientConfig.url", problem, "")
    for field in ("name", "namespace"):
        if client.get("service") is not None and not text(at(client, f"service.{field}")):
            yield Fault(f"spec.conversion.webhook.clientConfig.service.{field}", "is missing", "")
    reviews = items(hook.get("conversionReviewVersions"))
    if not {"v1", "v1beta1"} & {each for each in reviews if isinstance(each, str)}:
        yield Fault("spec.conversion.webhook.conversionReviewVersions", "needs v1 or v1beta1", "write [v1]")


def _version(version: Mapping[str, Any], path: Path, minor: int) -> Iterator[Fault]:
    schema = mapping(version.get("schema")).get("openAPIV3Schema")
    if schema is None:
        yield Fault(
            dotted((*path, "schema", "openAPIV3Schema")), "is missing", "write type: object, and its properties"
        )
    elif not is_proven(schema, minor):
        yield from schema_faults(schema, (*path, "schema", "openAPIV3Schema"), minor)
    yield from _deprecation(version, path)
    yield from _scale(mapping(at(version, "subresources.scale")), (*path, "subresources", "scale"))
    for index, column in enumerate(items(version.get("additionalPrinterColumns"))):
        yield from _column(mapping(column), (*path, "additionalPrinterColumns", index))
    yield from _selectable(version, schema, path)


def schema_faults(schema: object, path: Path, minor: int) -> Iterator[Fault]:
    """What the API server of Kubernetes 1.`minor` refuses in the schema of a version, which stands at `path`."""
    walk = Walk(lambda node, value: passes(node, value, minor))
    walk.root(schema, path)
    yield from walk.found
    if walk.has_rules and not walk.found:
        from platform_def.manifests.cel.compiling import problems_of
        from platform_def.manifests.cel.costs import dear, said

        for problem in problems_of(mapping(schema), minor):
            yield Fault(dotted((*path, *problem.path)), problem.text, "")
        for found in dear(dict(mapping(schema))):
            hint = "write maxItems, maxProperties and maxLength where lists, maps and texts are declared"
            yield Fault(dotted((*path, *found.path)), said(found), hint)


def _deprecation(version: Mapping[str, Any], path: Path) -> Iterator[Fault]:
    warning = version.get("deprecationWarning")
    if not isinstance(warning, str):
        return
    where = dotted((*path, "deprecationWarning"))
    if version.get("deprecated") is not True:
        yield Fault(where, "goes with deprecated: true alone", "")
    if not warning or len(warning) > 256 or not warning.isprintable():
        yield Fault(where, "must be one line of 1 to 256 characters", "")


def _scale(scale: Mapping[str, Any], path: Path) -> Iterator[Fault]:
    for field, root in (("specReplicasPath", ".spec."), ("statusReplicasPath", ".status."), ("labelSelectorPath", "")):
        given = scale.get(field)
        where = dotted((*path, field))
        if not isinstance(given, str) or (not given and field == "labelSelectorPath"):
            continue
        if not given:
            yield Fault(where, "is empty", "")
        elif not _SIMPLE_PATH.fullmatch(given):
            yield Fault(where, f"'{given[:60]}' is no simple path, as .spec.replicas", "")
        elif not given.startswith(root or (".spec.", ".status.")):
            yield Fault(where, f"'{given[:60]}' must begin with {root or '.spec. or .status.'}", "")


def _column(column: Mapping[str, Any], path: Path) -> Iterator[Fault]:
    for field in ("name", "type", "jsonPath"):
        if column.get(field) == "":
            yield Fault(dotted((*path, field)), "is empty", "")
    kind, where = text(column.get("type")), text(column.get("jsonPath"))
    if kind and kind not in _COLUMN_TYPES:
        yield Fault(dotted((*path, "type")), f"'{kind[:60]}' is none of {', '.join(_COLUMN_TYPES)}", "")
    if where and not where.startswith("."):
        yield Fault(dotted((*path, "jsonPath")), f"'{where[:60]}' must begin with a dot, as .spec.size", "")


def _selectable(version: Mapping[str, Any], schema: object, path: Path) -> Iterator[Fault]:
    given = [text(mapping(each).get("jsonPath")) for each in items(version.get("selectableFields"))]
    if len(given) > _MOST_SELECTABLE:
        yield Fault(dotted((*path, "selectableFields")), f"has more than {_MOST_SELECTABLE} fields", "")
    for index, each in enumerate(given):
        where = dotted((*path, "selectableFields", index, "jsonPath"))
        field = field_at(schema, each)
        if field is None or not each.startswith("."):
            yield Fault(where, f"'{each[:60]}' is no field of the schema", "")
        elif field.get("type") not in ("string", "boolean", "integer"):
            yield Fault(where, f"'{each[:60]}' is neither text, integer nor true or false", "")
        elif each in given[:index]:
            yield Fault(where, f"'{each[:60]}' is listed twice", "")


DEFINITION_VALID = ObjectRule(
    id="crd-valid",
    severity="error",
    title="The API server establishes every CRD",
    why="The API server refuses it, or never serves its kind, and everything of that kind fails after it.",
    fix="correct it where it is generated",
    reads=OfKind(_reads),
    check=_check,
    kinds=frozenset({CRD}),
    lasting=True,
)
