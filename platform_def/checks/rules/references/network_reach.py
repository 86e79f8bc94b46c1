"""Network policies leave open what must be reached: Services, what the API server calls, and DNS.

Facts: the API server runs outside the pods' network, so that no selector names it; policies are about pods, and those
in the node's network are none. DNS is asked at port 53 of pods in kube-system.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import pods_by_namespace
from platform_def.manifests.access.network_policies import Direction, PolicyOpening, openings, ports_of, targets
from platform_def.manifests.admission import selects
from platform_def.manifests.backends import backends
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods

_KIND = ("networking.k8s.io", "NetworkPolicy")
_CALLED = frozenset(
    {"APIService", "CustomResourceDefinition", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}
)
"""Kinds whose Services the API server calls."""
_DNS = {"kubernetes.io/metadata.name": "kube-system"}


class _Closed(NamedTuple):
    """Pods that policies have closed, but for what these open."""

    pods: Pods
    policies: tuple[RenderedObject, ...]
    openings: tuple[PolicyOpening, ...]

    def opened(self, number: int) -> list[PolicyOpening]:
        """What opens a port of theirs, to any peer."""
        names = [text(port.get("name")) for port in ports_of(self.pods) if port.get("containerPort") == number]
        return [each for each in self.openings if each.covers(number, names)]


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    for home, policies in context.once(_policies).items():
        for pods in context.once(pods_by_namespace).get(home, ()):
            if pods.core and pods.spec.get("hostNetwork") is not True:
                if closed := _closed(pods, policies, "ingress"):
                    yield from _services(context, home, closed)
                if closed := _closed(pods, policies, "egress"):
                    yield from _names(closed)


def _policies(context: Context) -> Mapping[str, Sequence[RenderedObject]]:
    found: dict[str, list[RenderedObject]] = {}
    for policy in context.index.by_kind.get(_KIND, ()):
        found.setdefault(policy.namespace or "", []).append(policy)
    return found


def _closed(pods: Pods, policies: Sequence[RenderedObject], direction: Direction) -> _Closed | None:
    about = [each for each in policies if selects(at(each.manifest, "spec.podSelector"), pods.labels)]
    rules = [(each, found) for each in about if (found := openings(each, direction)) is not None]
    if not any(mapping(at(each.manifest, "spec.podSelector")) for each, _ in rules):
        # What closes a whole namespace leaves it to others to open ports, who may be elsewhere.
        return None
    return _Closed(pods, tuple(each for each, _ in rules), tuple(each for _, found in rules for each in found))


def _services(context: Context, home: str, closed: _Closed) -> Iterator[tuple[RenderedObject, Fault]]:
    called = context.once(_called)
    for service in context.index.by_kind.get(("", "Service"), ()):
        selector = mapping(at(service.manifest, "spec.selector"))
        if service.namespace != home or not selector or not selects({"matchLabels": selector}, closed.pods.labels):
            continue
        for port, number in targets(service, closed.pods):
            opened = closed.opened(number)
            caller = next((called[key] for key in _keys(service, port) if key in called), None)
            said = ""
            # What opens nothing at all closes the pods on purpose.
            if not opened and (closed.openings or caller):
                said = f"no rule opens port {number} of {closed.pods.item}, to which {service} leads"
            elif opened and caller and not any(_lets_in_nodes(each) for each in opened):
                said = f"port {number} of {closed.pods.item} is open to pods alone, and the API server calls it"
                said += f" for {caller}"
            if said:
                hint = f"add a rule with `ports: [{{port: {number}}}]`, and without `from:` where the API server calls"
                yield closed.policies[-1], Fault("spec.ingress", said, hint)


def _keys(service: RenderedObject, port: Mapping[str, Any]) -> Iterator[tuple[str, str, int | str]]:
    for known in (port.get("port"), port.get("name")):
        if isinstance(known, int | str):
            yield service.namespace or "", service.name, known


def _called(context: Context) -> Mapping[tuple[str, str, int | str], RenderedObject]:
    """What the API server calls: the namespace, the name and the port of Services, with what tells it to."""
    return {
        (each.namespace, each.name, each.port): item
        for item in context.index.objects
        if item.kind in _CALLED
        for each in backends(item)
    }


def _lets_in_nodes(opening: PolicyOpening) -> bool:
    return opening.for_everybody or any("ipBlock" in peer for _, peer in opening.peers)


def _names(closed: _Closed) -> Iterator[tuple[RenderedObject, Fault]]:
    if closed.openings and not any(_lets_ask(each) for each in closed.openings):
        said = f"{closed.pods.item} may reach others, and not DNS: it finds none of them by name"
        hint = "add `egress: [{ports: [{port: 53, protocol: UDP}, {port: 53}]}]`"
        yield closed.policies[-1], Fault("spec.egress", said, hint)


def _lets_ask(opening: PolicyOpening) -> bool:
    """Whether it lets through what asks for names; labels of pods and namespaces may be anybody's."""
    if not opening.covers(53, protocol="UDP"):
        return False
    return opening.for_everybody or any(_may_be_dns(peer) for _, peer in opening.peers)


def _may_be_dns(peer: Mapping[str, Any]) -> bool:
    selector = peer.get("namespaceSelector")
    if not isinstance(selector, dict):
        return "ipBlock" in peer
    named = "kubernetes.io/metadata.name" in mapping(selector.get("matchLabels")) or any(
        mapping(each).get("key") == "kubernetes.io/metadata.name" for each in items(selector.get("matchExpressions"))
    )
    return selects(selector, _DNS) or not named


NETWORK_REACH = StackRule(
    id="network-reach",
    severity="warning",
    title="Network policies allow required connections: Services, webhooks, DNS",
    why="The connection hangs until it times out: requests fail, webhooks refuse everything, names are not found.",
    fix="open the port of the pod to its callers",
    kinds=frozenset({_KIND[1]}),
    check=_check,
)
