"""Pods on a network whose device a plugin hands out ask for that device.

Facts: SR-IOV network device plugin 3.9 and Multus 4.2 (the network's annotation names the resource; without a request
the CNI plugin gets no device). The network resources injector adds the request where it runs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.selection import every_pods
from platform_def.crds.quantity import amount
from platform_def.manifests.loose import at, mapping, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods, devices_asked

_NETWORKS, _RESOURCE = "k8s.v1.cni.cncf.io/networks", "k8s.v1.cni.cncf.io/resourceName"
_KIND = ("k8s.cni.cncf.io", "NetworkAttachmentDefinition")
_ENTRY = re.compile(r"(?:(?P<namespace>[a-z0-9.-]+)/)?(?P<name>[a-z0-9.-]+)(?:@[a-zA-Z0-9_.-]+)?")


def chosen(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    """Pods that ask for fewer devices than their networks need."""
    if not context.index.by_kind.get(_KIND) or _injected(context):
        return
    for pods in context.once(every_pods):
        needed = Counter(_resources(context, pods))
        if not needed:
            continue
        asked: Counter[str] = Counter()
        for _, container in pods.containers():
            asked.update({name: int(amount(value) or 0) for name, value in devices_asked(container).items()})
        for resource, count in sorted(needed.items()):
            if asked[resource] < count:
                said = f"its networks need {count} of {resource}, and its containers ask for {asked[resource]}"
                hint = f"add `{resource}: {count}` under resources.limits, or run the network resources injector"
                path = dotted((*pods.path[:-1], "metadata", "annotations", _NETWORKS))
                yield pods.item, Fault(path, f"{said}: no device is attached", hint, "warning")


def _resources(context: Context, pods: Pods) -> Iterator[str]:
    """Resources of the networks that a pod names; of networks as JSON nothing is said."""
    for entry in text(pods.annotations.get(_NETWORKS)).split(","):
        found = _ENTRY.fullmatch(entry.strip())
        if found:
            key = (*_KIND, found["namespace"] or pods.namespace, found["name"])
            for network in context.index.by_key.get(key, ())[:1]:
                resource = text(mapping(at(network.manifest, "metadata.annotations")).get(_RESOURCE))
                if resource:
                    yield resource


def _injected(context: Context) -> bool:
    """Whether something adds the requests."""
    hooks = context.index.by_kind.get(("admissionregistration.k8s.io", "MutatingWebhookConfiguration"), ())
    configs = context.index.by_kind.get(("sriovnetwork.openshift.io", "SriovOperatorConfig"), ())
    return any("network-resources-injector" in item.name for item in hooks) or any(
        at(item.manifest, "spec.enableInjector") is True for item in configs
    )
