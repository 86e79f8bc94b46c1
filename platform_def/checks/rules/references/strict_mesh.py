"""A client without an identity in a strict mesh is refused: the API server and Prometheus find closed ports there.

Facts: a PeerAuthentication that selects pods goes before one of their namespace, that before the mesh's own; only the
first has modes for ports; ports in `traffic.sidecar.istio.io/excludeInboundPorts` never meet the proxy (Istio 1.31).
Probes of the kubelet are led past it by the injector.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from platform_def.checks.callers import Call, calls
from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.given import meshes
from platform_def.checks.meshed import meshed_pods
from platform_def.checks.rule import StackRule
from platform_def.manifests.admission import selects
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods

_GROUP, _ROOT = "security.istio.io", "istio-system"
_TRAFFIC = "traffic.sidecar.istio.io"


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    meshed = {id(each) for each in context.once(meshed_pods)}
    if not meshed:
        return
    for call in context.once(calls):
        if id(call.pods) in meshed and call.port and _is_closed(context, call.pods, call.port):
            yield call.pods.item, _fault(call)


def _fault(call: Call) -> Fault:
    said = f"{call.who} calls port {call.port} for {call.why}, and the mesh takes connections of its own alone"
    hint = (
        f'annotate the pods `{_TRAFFIC}/excludeInboundPorts: "{call.port}"`, have a PeerAuthentication of theirs say '
        f'`portLevelMtls: {{"{call.port}": {{mode: PERMISSIVE}}}}`, or leave them without a proxy: '
        '`sidecar.istio.io/inject: "false"`'
    )
    where = dotted((*call.pods.path[:-1], "metadata", "annotations"))
    return Fault(where, said, hint, None if call.who == "the API server" else "warning")


def _is_closed(context: Context, pods: Pods, port: int) -> bool:
    """Whether the proxy of these pods takes the port, and nothing plain there."""
    excluded = text(pods.annotations.get(f"{_TRAFFIC}/excludeInboundPorts")).split(",")
    included = text(pods.annotations.get(f"{_TRAFFIC}/includeInboundPorts", "*")).split(",")
    if str(port) in map(str.strip, excluded) or not {"*", str(port)} & {*map(str.strip, included)}:
        return False
    return _mode(context, pods, port) == "STRICT"


def _mode(context: Context, pods: Pods, port: int) -> str:
    given = meshes(context)
    policies = context.index.by_kind.get((_GROUP, "PeerAuthentication"), ())
    near = [each for each in policies if each.namespace == pods.namespace]
    root = {each.value.root_namespace for each in given} or {_ROOT}
    own = [each for each in near if _selector(each) and selects(_selector(each), pods.labels)]
    of_ports = (mapping(at(each.manifest, "spec.portLevelMtls")).get(str(port)) for each in own)
    said = [
        *(text(at(each, "mode")) for each in of_ports),
        *_modes(own),
        *_modes([each for each in near if not _selector(each)]),
        *_modes([each for each in policies if each.namespace in root and not _selector(each)]),
        *("STRICT" for each in given if each.value.strict and each.provided),
    ]
    return next((mode for mode in said if mode not in ("", "UNSET")), "PERMISSIVE")


def _modes(policies: Sequence[RenderedObject]) -> list[str]:
    return [text(at(each.manifest, "spec.mtls.mode")) for each in policies]


def _selector(policy: RenderedObject) -> Mapping[str, Any]:
    """Which pods a policy is for; empty: all of its namespace."""
    chosen = mapping(at(policy.manifest, "spec.selector"))
    return chosen if mapping(chosen.get("matchLabels")) or items(chosen.get("matchExpressions")) else {}


STRICT_MESH = StackRule(
    id="strict-mesh",
    severity="error",
    title="Pods called by the API server or Prometheus accept plain connections in a strict mesh",
    why="The proxy closes the connection: a required webhook refuses all objects, a scrape target stays down.",
    fix="let the port past the proxy, or leave the pods without one",
    check=_check,
    without_stack="as a warning",
)
