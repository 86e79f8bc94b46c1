"""A namespace or pod that asks for an Istio proxy names a revision that a webhook serves.

Facts: a label that no injector's selector takes is passed over without a word; on a namespace `istio-injection` goes
before `istio.io/rev`, whose injectors leave such a namespace alone (Istio's charts at 1.29).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault, Severity
from platform_def.checks.given import meshes
from platform_def.checks.meshed import INJECTION, REVISION, takes_proxy
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import every_pods, labels_of
from platform_def.errors import nearest
from platform_def.manifests.admission import GROUP
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    served = context.once(_served)
    if not served:
        return
    for item in context.index.by_kind.get(("", "Namespace"), ()):
        yield from ((item, fault) for fault in _namespace(context, labels_of(item)))
    for pods in context.once(every_pods):
        revision = text(pods.labels.get(REVISION))
        if revision and takes_proxy(pods) and (REVISION, revision) not in served:
            yield pods.item, _nobody(context, dotted((*pods.path[:-1], "metadata", "labels")), revision)


def _namespace(context: Context, labels: Mapping[str, Any]) -> Iterator[Fault]:
    path, served = "metadata.labels", context.once(_served)
    revision, injection = text(labels.get(REVISION)), labels.get(INJECTION)
    if revision and injection:
        said = f"{INJECTION} takes precedence over {REVISION}, so the revision '{revision[:60]}' is not used"
        yield Fault(path, said, f"write one of the two: `{REVISION}: {revision[:60]}`")
    elif revision and labels.get("istio.io/dataplane-mode") != "ambient" and (REVISION, revision) not in served:
        yield _nobody(context, path, revision)
    elif injection == "enabled" and (INJECTION, "enabled") not in served:
        known = ", ".join(sorted(value for key, value in served if key == REVISION))
        said = f"{INJECTION} is for the default revision, which does not exist here"
        yield Fault(path, said, f"write `{REVISION}: …`; revisions are: {known}", _severity(context))


def _nobody(context: Context, path: str, revision: str) -> Fault:
    known = sorted(value for key, value in context.once(_served) if key == REVISION)
    said = f"the mesh has no revision '{revision[:60]}'"
    return Fault(path, said, nearest(revision, known) or f"revisions are: {', '.join(known)}", _severity(context))


def _severity(context: Context) -> Severity | None:
    """Of a mesh that the cluster has already, tags of revisions may be known to it alone."""
    from platform_def.config.capability import EXTERNAL

    outside = any(given.provided or given.by == EXTERNAL for given in meshes(context))
    return "warning" if outside else None


def _served(context: Context) -> frozenset[tuple[str, str]]:
    """Labels that a webhook injects a proxy for."""
    found: set[tuple[str, str]] = set()
    for given in meshes(context):
        revision = given.value.revision
        found |= {(REVISION, revision)} if revision else {(REVISION, "default"), (INJECTION, "enabled")}
    for item in context.index.by_kind.get((GROUP, "MutatingWebhookConfiguration"), ()):
        for hook in items(item.manifest.get("webhooks")):
            for field in ("namespaceSelector", "objectSelector"):
                found |= set(_labels(at(hook, field)))
    return frozenset(found)


def _labels(selector: object) -> Iterator[tuple[str, str]]:
    yield from ((key, text(value)) for key, value in mapping(at(selector, "matchLabels")).items() if key in _KEYS)
    for each in items(at(selector, "matchExpressions")):
        if text(at(each, "key")) in _KEYS and at(each, "operator") == "In":
            yield from ((text(at(each, "key")), text(value)) for value in items(at(each, "values")))


_KEYS = (INJECTION, REVISION)

MESH_REVISION = StackRule(
    id="mesh-revision",
    severity="error",
    title="The mesh revision that a namespace or pod names exists",
    why="The pods start without a proxy, and a strict mesh refuses their connections.",
    fix="name a revision of the stack, or add the one that is meant",
    check=_check,
    without_stack="as a warning",
)
