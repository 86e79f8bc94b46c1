"""Claims of devices that containers name are the pod's, and their requests are the claim's.

Facts: Kubernetes 1.36 (pkg/apis/core/validation: a container's claim is one of the pod's; a request that the claim
does not have leaves the pod unschedulable, or its container without the device).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.selection import every_pods
from platform_def.crds.core.kinds import CORE_KINDS
from platform_def.errors import nearest
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods

_GROUP = "resource.k8s.io"
_SOURCES = (
    ("resourceClaimTemplateName", "ResourceClaimTemplate", "spec.spec.devices.requests"),
    ("resourceClaimName", "ResourceClaim", "spec.devices.requests"),
)


def chosen(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    """Containers' claims that the pod does not have, and requests that the claim does not have."""
    for pods in context.once(every_pods):
        claims = {text(mapping(each).get("name")): mapping(each) for each in items(pods.spec.get("resourceClaims"))}
        for path, container in pods.containers():
            for index, each in enumerate(map(mapping, items(at(container, "resources.claims")))):
                where = (*path, "resources", "claims", index)
                name, request = text(each.get("name")), text(each.get("request"))
                if name and name not in claims:
                    # The API server itself refuses it in its own kinds.
                    if (pods.item.api_version, pods.item.kind) not in CORE_KINDS:
                        said = f"the pod has no resourceClaims entry '{name[:60]}': the API server refuses the pod"
                        yield pods.item, Fault(dotted((*where, "name")), said, nearest(name, claims))
                elif name and request and (fault := _unknown(context, pods, claims[name], request)):
                    yield pods.item, fault._replace(path=dotted((*where, "request")))


def _unknown(context: Context, pods: Pods, claim: Mapping[str, Any], request: str) -> Fault | None:
    for field, kind, path in _SOURCES:
        named = text(claim.get(field))
        found = context.index.by_key.get((_GROUP, kind, pods.namespace, named), ()) if named else ()
        if found:
            known = _requests(items(at(found[0].manifest, path)))
            if request not in known:
                said = f"{found[0]} has no request '{request[:60]}': the container gets no device of it"
                return Fault("", said, nearest(request, known))
    return None


def _requests(requests: Sequence[object]) -> list[str]:
    """Names of requests, and of a request's alternatives."""
    found = [text(at(each, "name")) for each in requests]
    for each in requests:
        found += [f"{text(at(each, 'name'))}/{text(at(sub, 'name'))}" for sub in items(at(each, "firstAvailable"))]
    return found
