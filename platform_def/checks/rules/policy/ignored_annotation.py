"""Annotations by which a pod changes its proxy are read, by the stack's injector or by the programs of the proxy.

Facts (Istio 1.29 to 1.31): most of these annotations mean what the injector's template makes of them, and a stack's
template has those that upstream's users need most. istiod's code, pilot-agent and the CNI plugin read the others below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.meshed import meshed_pods
from platform_def.checks.rule import StackRule
from platform_def.errors import nearest
from platform_def.manifests.loose import mapping, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject

_OF_PROXIES = re.compile(r"((readiness\.)?(status|traffic)\.)?sidecar\.istio\.io/.+|proxy\.istio\.io/.+")
_IN_TEMPLATE = re.compile(r"annotation \.ObjectMeta `([^`]+)`")
_BY_CNI = ("excludeInterfaces", "kubevirtInterfaces")
_BY_PROGRAMS = frozenset(
    {
        "proxy.istio.io/config",
        "proxy.istio.io/overrides",
        "sidecar.istio.io/discoveryAddress",
        "sidecar.istio.io/extraStatTags",
        "sidecar.istio.io/inject",
        "sidecar.istio.io/nativeSidecar",
        "sidecar.istio.io/rewriteAppHTTPProbers",
        "sidecar.istio.io/statsCompression",
        "sidecar.istio.io/statsEvictionInterval",
        "sidecar.istio.io/statsFlushInterval",
        "sidecar.istio.io/statsHistogramBins",
        "sidecar.istio.io/statsHistogramBuckets",
        "sidecar.istio.io/statsInclusionPrefixes",
        "sidecar.istio.io/statsInclusionRegexps",
        "sidecar.istio.io/statsInclusionSuffixes",
        "sidecar.istio.io/status",
    }
)
"""Those of istiod's code and of pilot-agent, which finds them in the pod's own annotations."""


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    known = context.once(_read)
    for pods in context.once(meshed_pods) if known else ():
        for name in sorted(map(str, pods.annotations)):
            if _OF_PROXIES.fullmatch(name) and name not in known:
                place = dotted((*pods.path[:-1], "metadata", "annotations", name))
                yield pods.item, Fault(place, f"the stack's injector does not read {name}", nearest(name, known))


def _read(context: Context) -> frozenset[str]:
    """The annotations that are read; none where the stack does not render the injector."""
    injectors = [
        text(mapping(item.manifest.get("data")).get("config"))
        for item in context.index.by_kind.get(("", "ConfigMap"), ())
        if item.name.startswith("istio-sidecar-injector")
    ]
    found = frozenset(name for each in injectors for name in _IN_TEMPLATE.findall(each))
    redirected = any("--skip-rule-apply" in each for each in injectors)
    by_cni = {f"traffic.sidecar.istio.io/{name}" for name in _BY_CNI} if redirected else frozenset()
    return found | _BY_PROGRAMS | by_cni if found else found


IGNORED_ANNOTATION = StackRule(
    id="ignored-annotation",
    severity="warning",
    title="Annotations by which a pod changes its Istio proxy are read",
    why="An annotation that the injector does not read is stored, and the proxy is as if it were not there.",
    fix="leave it out; `proxy.istio.io/config` sets most of what is said of a proxy alone",
    check=_check,
)
