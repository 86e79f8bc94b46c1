"""Overlays, and folders of the user's own, as nobody would write them."""

from __future__ import annotations

import json
from typing import Any

import yaml
from hypothesis import strategies as st

from tests.acceptance.mutated import NAMES, TEXTS, _change_some, _written, garble

_COMPONENT = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
_DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: training-operator, namespace: kubeflow%s}\n"

OVERLAYS = (
    _COMPONENT
    + "patches:\n- target: {group: apps, kind: Deployment, name: training-operator}\n  patch: |-\n"
    + "    - {op: replace, path: /spec/replicas, value: 2}\n    - {op: add, path: /metadata/labels/a, value: b}\n",
    _COMPONENT + "patches:\n- path: patch.yaml\n  target: {kind: Deployment, labelSelector: 'a!=b,c'}\n",
    _COMPONENT + "patches:\n- path: patch.yaml\n",
    _COMPONENT
    + "patches:\n- patch: |-\n"
    + "".join(f"    {line}\n" for line in (_DEPLOYMENT % ", annotations: {platform-def/delete: why}").splitlines())
    + "    $patch: delete\n",
    _COMPONENT + "images:\n- {name: ghcr.io/kubeflow/training-v1/training-operator, newName: example.com/mine, newTag: v2}\n",
    _COMPONENT + "replicas: [{name: training-operator, count: 3}]\nlabels:\n- pairs: {team: a}\n  includeTemplates: true\n",
    _COMPONENT + "commonAnnotations: {a: b}\nresources: [patch.yaml, base]\n",
)  # fmt: skip
"""Overlays of the training operator; `patch.yaml` and a folder `base` lie beside them."""

PATCHES = (
    _DEPLOYMENT % "" + "spec: {template: {spec: {priorityClassName: system-cluster-critical}}}\n",
    "- op: replace\n  path: /spec/replicas\n  value: 2\n- {op: remove, path: /spec/template/metadata/annotations}\n",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: kubeflow}\ndata: {a: b}\n",
)

_GENERATING = """\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: x
namePrefix: a-
resources: [objects.yaml]
configMapGenerator: [{name: c, literals: [a=b]}]
generatorOptions: {disableNameSuffixHash: true}
"""
_REPLACING = """\
resources: [objects.yaml]
replacements:
- source: {kind: ConfigMap, fieldPath: metadata.name}
  targets: [{select: {kind: ConfigMap}, fieldPaths: [metadata.labels.a], options: {create: true}}]
"""
KUSTOMIZATIONS = ("resources: [objects.yaml]\n", _GENERATING, _REPLACING)
"""Kustomizations of a folder of the user's own; `objects.yaml` lies beside them."""

OBJECTS = (
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: b}\n---\n"
    "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Service, metadata: {name: s}, spec: {ports: [{port: 80}]}}\n"
)

_ENTRIES = st.sampled_from((
    {"patch": "[]"}, {"path": "/dev/zero"}, {"path": "../../../stacks/fuzzed.yaml"}, {"patch": "- {op: remove, path: /metadata/name}", "target": {}},
    {"patch": "- {op: replace, path: /metadata/name, value: x}", "target": {"kind": ".*"}}, {"patch": "$patch: delete", "target": {"kind": ".*"}},
    {"patch": "- {op: move, from: /spec, path: /spec/a}", "target": {"kind": "Deployment"}},
    {"patch": "- {op: copy, from: '', path: /spec}", "target": {"name": "(.*)*"}}, {"target": {"kind": "Deployment"}},
    {"patch": "{{{", "target": {"name": "["}}, {"patch": "- {op: add, path: /spec/template/metadata/labels, value: null}", "target": {"kind": "D.*"}},
))  # fmt: skip
"""Patches that kustomize may not expect."""


_POINTERS = (
    *("/metadata/name", "/metadata/namespace", "/metadata/labels", "/metadata/annotations", "/metadata", "/kind", "/apiVersion", "/spec", ""),
    *("/spec/replicas", "/spec/selector", "/spec/selector/matchLabels/app.kubernetes.io~1name", "/spec/template", "/spec/template/spec"),
    *("/spec/template/metadata/labels/app.kubernetes.io~1name", "/spec/template/metadata/labels/a", "/spec/template/spec/containers/0"),
    *("/spec/template/spec/containers/-", "/spec/template/spec/containers/0/image", "/spec/template/spec/containers/9", "/rules/0/verbs/-", "/data/a"),
)  # fmt: skip
_VALUES: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from((*TEXTS[:30], *NAMES, 0, 2, True, None)),
    st.just({"name": "x", "image": "example.com/x:1"}),
    st.just([]),
    st.just({}),
)
_TARGETS = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from((*["Deployment"] * 4, "Service", ".*", "ClusterRole.*")),
        "name": st.sampled_from((*["training-operator"] * 4, ".*", "kubeflow-.*", "none")),
        "labelSelector": st.sampled_from((*["app.kubernetes.io/name=training-operator", "!a"] * 3, "a", "a in (b")),
    },
)
_OPERATIONS = st.fixed_dictionaries(
    {
        "op": st.sampled_from((*["add", "replace"] * 3, "remove", "test", "move", "copy", "none")),
        "path": st.sampled_from(_POINTERS),
    },
    optional={"value": _VALUES, "from": st.sampled_from(_POINTERS)},
)
_BODIES = st.fixed_dictionaries(
    {
        "apiVersion": st.just("apps/v1"),
        "kind": st.just("Deployment"),
        "metadata": st.fixed_dictionaries(
            {"name": st.sampled_from((*["training-operator"] * 5, "x")), "namespace": st.just("kubeflow")},
            optional={"annotations": st.just({"platform-def/delete": "why"}), "labels": _VALUES},
        ),
    },
    optional={
        "$patch": st.sampled_from(("delete", "replace", "merge", "x")),
        "spec": st.one_of(_VALUES, st.just({"template": {"metadata": {"labels": {"app.kubernetes.io/name": None}}}})),
    },
)  # fmt: skip
_PATCH = st.one_of(
    st.builds(lambda operations, target: {"patch": json.dumps(operations), "target": target}, st.lists(_OPERATIONS, min_size=1, max_size=3), _TARGETS),
    st.builds(lambda body: {"patch": json.dumps(body)}, _BODIES),
    st.builds(lambda body, target: {"patch": json.dumps(body), "target": target, "options": {"allowNameChange": True}}, _BODIES, _TARGETS),
)  # fmt: skip


@st.composite
def overlays(draw: st.DrawFn) -> tuple[str, str]:
    """A kustomization of an overlay and the file beside it."""
    if draw(st.booleans()):
        return _mutated(draw, OVERLAYS), _mutated(draw, PATCHES, whole=3)
    tree: dict[str, Any] = yaml.safe_load(_COMPONENT)
    tree["patches"] = draw(st.lists(_PATCH, min_size=1, max_size=3))
    if draw(st.integers(0, 3)) == 0:
        tree["labels"] = [
            {
                "pairs": draw(
                    st.dictionaries(st.sampled_from(("a", "app.kubernetes.io/name")), st.sampled_from(NAMES))
                ),
                "includeTemplates": True,
            }
        ]
    return _written(draw, tree), PATCHES[2]


@st.composite
def kustomizations(draw: st.DrawFn) -> tuple[str, str]:
    """A kustomization of a folder of the user's own and the objects beside it."""
    return _mutated(draw, KUSTOMIZATIONS), _mutated(draw, (OBJECTS,), whole=2)


@st.composite
def folders(draw: st.DrawFn) -> tuple[str, str]:
    """Two files of a folder without a kustomization."""
    return _mutated(draw, (OBJECTS, *PATCHES)), _mutated(draw, (OBJECTS,), whole=2)


def _mutated(draw: st.DrawFn, seeds: tuple[str, ...], *, whole: int = 0) -> str:
    """One of the seeds garbled or with values replaced; untouched in `whole` of so many more cases."""
    seed = draw(st.sampled_from(seeds))
    how = draw(st.sampled_from(("garbled", "replaced", "replaced", *["whole"] * whole)))
    if how == "whole":
        return seed
    return garble(draw, seed) if how == "garbled" else _replaced(draw, seed)


def _replaced(draw: st.DrawFn, seed: str) -> str:
    trees: list[Any] = json.loads(json.dumps(list(yaml.safe_load_all(seed))))
    _change_some(draw, trees, ("odd", "text", "text", "remove", "rename", "double"))
    for tree in trees:
        if isinstance(tree, dict) and isinstance(tree.get("patches"), list) and draw(st.booleans()):
            tree["patches"].append(draw(_ENTRIES))
        if isinstance(tree, dict) and draw(st.integers(0, 5)) == 0:
            tree["resources"] = [draw(st.sampled_from((*TEXTS, *NAMES)))]
    return "---\n".join(f"{_written(draw, tree)}\n" for tree in trees)
