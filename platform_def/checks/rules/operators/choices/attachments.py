"""Pods on a network whose device a plugin hands out ask for that device, which some node policy makes.

Facts: SR-IOV network device plugin 3.9 and Multus 4.2 (the network's annotation names the resource; without a request
the CNI plugin gets no device). The network resources injector adds the request where it runs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

import orjson

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.selection import every_pods
from platform_def.crds.quantity import amount
from platform_def.errors import nearest
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods, devices_asked

_NETWORKS, _RESOURCE = "k8s.v1.cni.cncf.io/networks", "k8s.v1.cni.cncf.io/resourceName"
_KIND = ("k8s.cni.cncf.io", "NetworkAttachmentDefinition")
_OPERATOR = "sriovnetwork.openshift.io"
_ENTRY = re.compile(r"(?:(?P<namespace>[a-z0-9.-]+)/)?(?P<name>[a-z0-9.-]+)(?:@[a-zA-Z0-9_.-]+)?")


def chosen(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    """Pods that ask for fewer devices than their networks need, and networks on devices that no policy makes."""
    yield from _made(context)
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
    """Resources of the networks that a pod names."""
    for namespace, name in _named(text(pods.annotations.get(_NETWORKS))):
        for network in context.index.by_key.get((*_KIND, namespace or pods.namespace, name), ())[:1]:
            resource = text(mapping(at(network.manifest, "metadata.annotations")).get(_RESOURCE))
            if resource:
                yield resource


def _named(written: str) -> Iterator[tuple[str, str]]:
    """Namespace and name of each network, which are listed as words or as JSON."""
    if written.lstrip().startswith("["):
        with suppress(orjson.JSONDecodeError):
            for each in map(mapping, items(orjson.loads(written))):
                yield text(each.get("namespace")), text(each.get("name"))
        return
    for entry in written.split(","):
        if found := _ENTRY.fullmatch(entry.strip()):
            yield found["namespace"] or "", found["name"]


def _made(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    """Networks of the SR-IOV operator on resources of which no policy here makes any."""
    policies = context.index.by_kind.get((_OPERATOR, "SriovNetworkNodePolicy"), ())
    known = {text(at(item.manifest, "spec.resourceName")) for item in policies}
    for item in context.index.by_kind.get((_OPERATOR, "SriovNetwork"), ()) if known else ():
        resource = text(at(item.manifest, "spec.resourceName"))
        if resource and resource not in known:
            said = f"no SriovNetworkNodePolicy makes '{resource[:60]}': pods on the network never start"
            yield item, Fault("spec.resourceName", said, nearest(resource, known))


def _injected(context: Context) -> bool:
    """Whether something adds the requests."""
    hooks = context.index.by_kind.get(("admissionregistration.k8s.io", "MutatingWebhookConfiguration"), ())
    configs = context.index.by_kind.get((_OPERATOR, "SriovOperatorConfig"), ())
    return any("network-resources-injector" in item.name for item in hooks) or any(
        at(item.manifest, "spec.enableInjector") is True for item in configs
    )
