"""Selectors of labels, of nodes and of fields."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.manifests.loose import at, items, text
from platform_def.manifests.names import label_key_problem, label_value_problem, subdomain_problem
from platform_def.manifests.schemas.server.words import LABELS, Limits, Rules, Value, Wrong, choice, needed
from platform_def.manifests.schemas.server.words import text as filled

META = "io.k8s.apimachinery.pkg.apis.meta.v1"
_KEY = needed(filled("label-key"))

LIMITS: Limits = {
    f"{META}.LabelSelector": {"matchLabels": LABELS},
    f"{META}.LabelSelectorRequirement": {"key": _KEY, "operator": choice("In", "NotIn", "Exists", "DoesNotExist")},
    "core.v1.NodeSelectorRequirement": {
        "operator": choice("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"),
    },
}


def requirement(value: Value) -> Iterator[Wrong]:
    """What is compared with labels is a label's value."""
    yield from comparison(value)
    for index, each in enumerate(items(value.get("values"))):
        if isinstance(each, str) and (problem := label_value_problem(each)):
            yield Wrong(("values", index), problem)


def labelled(labels: Value, path: tuple[str | int, ...]) -> Iterator[Wrong]:
    """Keys and values of labels."""
    for key, each in labels.items():
        problem = label_key_problem(key) or (label_value_problem(each) if isinstance(each, str) else "")
        if problem:
            yield Wrong((*path, key), problem)


def comparison(value: Value) -> Iterator[Wrong]:
    """Values stand where the operator compares with some."""
    operator, values = value.get("operator"), items(value.get("values"))
    if operator in ("In", "NotIn") and not values:
        yield Wrong(("values",), f"is missing: {operator} compares with some")
    if operator in ("Exists", "DoesNotExist") and values:
        yield Wrong(("values",), f"{operator} compares with none", "leave them out")
    if operator in ("Gt", "Lt") and len(values) != 1:
        yield Wrong(("values",), f"must be one number: {operator} compares with it")


def term(value: Value) -> Iterator[Wrong]:
    """The keys of labels, and the one field of a node that can be asked for."""
    for index, each in enumerate(items(value.get("matchExpressions"))):
        key = text(each.get("key")) if isinstance(each, dict) else ""
        if isinstance(each, dict) and (problem := label_key_problem(key)):
            yield Wrong(("matchExpressions", index, "key"), problem)
        if isinstance(each, dict):
            yield from (wrong._replace(path=("matchExpressions", index, *wrong.path)) for wrong in comparison(each))
    for index, each in enumerate(items(value.get("matchFields"))):
        if not isinstance(each, dict):
            continue
        if each.get("key") != "metadata.name":
            yield Wrong(("matchFields", index, "key"), "must be metadata.name, the one field that can be asked for")
        if each.get("operator") not in ("In", "NotIn"):
            yield Wrong(("matchFields", index, "operator"), "must be In or NotIn for a field")
        if len(items(each.get("values"))) != 1:
            yield Wrong(("matchFields", index, "values"), "must be the name of one node")
        for place, name in enumerate(items(each.get("values"))):
            if isinstance(name, str) and (problem := subdomain_problem(name)):
                yield Wrong(("matchFields", index, "values", place), problem)


def required(value: Value) -> Iterator[Wrong]:
    """Terms that nodes must meet compare with values that labels can have; wishes may compare with anything."""
    for index, each in enumerate(items(value.get("nodeSelectorTerms"))):
        for place, expression in enumerate(items(at(each, "matchExpressions"))):
            for number, one in enumerate(items(at(expression, "values"))):
                if isinstance(one, str) and (problem := label_value_problem(one)):
                    yield Wrong(("nodeSelectorTerms", index, "matchExpressions", place, "values", number), problem)


RULES: Rules = {
    f"{META}.LabelSelectorRequirement": requirement,
    "core.v1.NodeSelectorTerm": term,
    "core.v1.NodeSelector": required,
}
