"""Which pods get a proxy of Istio's beside them, as far as manifests say it.

Facts: Istio injects where the namespace is labelled `istio-injection: enabled` or `istio.io/rev`, unless the pod says
`sidecar.istio.io/inject: "false"`, as a label or as an annotation; where the namespace says nothing, the pod's label
may ask for one. Pods on the node's network get none.
"""

from __future__ import annotations

from platform_def.checks.context import Context
from platform_def.checks.selection import every_pods, labels_of
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods

INJECT, INJECTION, REVISION = "sidecar.istio.io/inject", "istio-injection", "istio.io/rev"


def injecting_namespaces(context: Context) -> frozenset[str]:
    """Namespaces whose pods get a proxy unless they refuse it."""
    return frozenset(item.name for item in context.index.by_kind.get(("", "Namespace"), ()) if injects(item))


def injects(namespace: RenderedObject) -> bool:
    """Whether a namespace has its pods get proxies."""
    labels = labels_of(namespace)
    by_revision = labels.get(REVISION) and labels.get("istio.io/dataplane-mode") != "ambient"
    return bool(labels.get(INJECTION) == "enabled" or by_revision)


def takes_proxy(pods: Pods) -> bool:
    """Whether pods of a namespace that injects get one."""
    said = {str(pods.labels.get(INJECT)).lower(), str(pods.annotations.get(INJECT)).lower()}
    return "false" not in said and pods.spec.get("hostNetwork") is not True


def meshed_pods(context: Context) -> tuple[Pods, ...]:
    """All that get one, by their namespace's word or their own."""
    homes = context.once(injecting_namespaces)
    return tuple(
        pods
        for pods in context.once(every_pods)
        if takes_proxy(pods) and (pods.namespace in homes or str(pods.labels.get(INJECT)).lower() == "true")
    )
