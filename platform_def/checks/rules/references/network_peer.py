"""Network policies refer to namespaces, pods and ports that exist.

Facts: every namespace has the label `kubernetes.io/metadata.name`, and none has `name` by itself; the ports of a policy
are those of the pods. Where a namespace's pods are not rendered here, or an operator makes some, it is not judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.given import access_managements
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import (
    MADE,
    NOBODY,
    labels_of,
    may_come_to_match,
    operated_namespaces,
    pods_by_namespace,
)
from platform_def.errors import nearest
from platform_def.manifests.access.network_policies import PolicyOpening, openings, ports_of, targets
from platform_def.manifests.admission import selects
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods

_KIND = ("networking.k8s.io", "NetworkPolicy")
_NAME = "kubernetes.io/metadata.name"
_OF_EVERY_CLUSTER = ("default", "kube-system", "kube-public", "kube-node-lease")


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    for item in context.index.by_kind.get(_KIND, ()):
        chosen = context.once(pods_by_namespace).get(item.namespace or "", NOBODY)
        pods = chosen.selected(mapping(at(item.manifest, "spec.podSelector")))
        for opening in openings(item, "ingress") or ():
            yield from ((item, fault) for fault in _ports(context, item, opening, pods))
        for direction in ("ingress", "egress"):
            for opening in openings(item, direction) or ():
                for path, peer in opening.peers:
                    if fault := _peer(context, item.namespace or "", peer):
                        field, said, hint = fault
                        yield item, Fault(dotted((*path, field)), said, hint)


def _peer(context: Context, home: str, peer: Mapping[str, Any]) -> tuple[str, str, str] | None:
    """The field at fault, what is wrong, and what to write."""
    labels = context.once(_labels)
    selector = peer.get("namespaceSelector")
    if isinstance(selector, dict) and (fault := _nowhere(context, selector, labels)):
        return "namespaceSelector", *fault
    wanted = peer.get("podSelector")
    if not isinstance(wanted, dict) or not wanted:
        return None
    homes = (
        [name for name, given in labels.items() if selects(selector, given)] if "namespaceSelector" in peer else [home]
    )
    complete = "namespaceSelector" not in peer or (homes and set(_named(selector)) <= {*homes})
    if not complete or any(_may_have(context, name, wanted) for name in homes):
        return None
    said = (
        ", ".join(f"{key}={value}" for key, value in mapping(wanted.get("matchLabels")).items()) or "that it asks for"
    )
    return "podSelector", f"no pod of {', '.join(homes)[:80]} has the labels {said[:120]}", MADE


def _labels(context: Context) -> Mapping[str, Mapping[str, Any]]:
    """The labels of every namespace that is known."""
    used = {*_OF_EVERY_CLUSTER, *context.existing_namespaces, *context.once(pods_by_namespace)} - {""}
    found = {item.name: labels_of(item) for item in context.index.by_kind.get(("", "Namespace"), ())}
    return {name: {**found.get(name, {}), _NAME: name} for name in sorted(used | {*found})}


def _named(selector: object) -> Sequence[str]:
    """Namespaces that a selector names; it means no other."""
    one = mapping(at(selector, "matchLabels")).get(_NAME)
    several = [
        text(each)
        for expression in map(mapping, items(at(selector, "matchExpressions")))
        if (expression.get("key"), expression.get("operator")) == (_NAME, "In")
        for each in items(expression.get("values"))
    ]
    return [one, *several] if isinstance(one, str) else several


def _nowhere(
    context: Context, selector: Mapping[str, Any], labels: Mapping[str, Mapping[str, Any]]
) -> tuple[str, str] | None:
    """Why no namespace can be meant: one is named by a label that it has not, or, of a stack, none has the label."""
    if any(selects(selector, given) for given in labels.values()):
        return None
    wanted = mapping(selector.get("matchLabels"))
    for key, value in ((key, value) for key, value in wanted.items() if isinstance(value, str)):
        if value in labels and key != _NAME and key not in labels[value]:
            said = f"namespace {value} has no label {key}, and no namespace of the set is chosen"
            return said, f"write `{_NAME}: {value}`, which every namespace has"
        near = nearest(value, {text(given[key]) for given in labels.values() if key in given}) if key != _NAME else ""
        if near:
            return f"no namespace of the set has the label {key}={value}", near
    if not context.stack.foreign and not _named(selector) and not context.once(_registers):
        said = ", ".join(f"{key}={value}" for key, value in wanted.items()) or "that it asks for"
        return f"no namespace of the stack has the labels {said[:120]}", f"write `{_NAME}:` with its name"
    return None


def _registers(context: Context) -> bool:
    """Whether people make namespaces, with labels that no one knows here."""
    return any(given.value.registration for given in access_managements(context))


def _may_have(context: Context, namespace: str, selector: Mapping[str, Any]) -> bool:
    pods = context.once(pods_by_namespace).get(namespace, NOBODY)
    if not pods or namespace in context.once(operated_namespaces) or pods.selected(selector):
        return True
    return may_come_to_match(mapping(selector.get("matchLabels")), pods)


def _ports(context: Context, item: RenderedObject, opening: PolicyOpening, pods: Sequence[Pods]) -> Iterator[Fault]:
    """Ports that none of the pods has: by name, or by the number that a Service of theirs has instead."""
    pods = [each for each in pods if each.core]
    names = {text(port.get("name")) for each in pods for port in ports_of(each)} - {""}
    behind = {port: target for each in pods for port, target in _services(context, item.namespace or "", each)}
    for path, port in opening.ports if pods else ():
        said = port.get("port")
        if isinstance(said, str) and said not in names:
            hint = nearest(said, names) or "write the number, or the name that the container gives the port"
            yield Fault(dotted((*path, "port")), f"no chosen pod names a port '{said[:60]}'", hint)
        elif isinstance(said, int) and said in behind and "endPort" not in port:
            target = behind[said]
            text_ = f"is the Service's port, and its pods are reached at {target}: that stays closed"
            if not any(each.covers(target) for each in openings(item, "ingress") or ()):
                yield Fault(dotted((*path, "port")), text_, f"write {target}: policies look at the port of the pod")


def _services(context: Context, namespace: str, pods: Pods) -> Iterator[tuple[int, int]]:
    """Ports that Services of the pods have and the pods do not, with those of the pods."""
    listed = [port.get("containerPort") for port in ports_of(pods)]
    for service in context.once(_services_by_namespace).get(namespace, ()):
        selector = mapping(at(service.manifest, "spec.selector"))
        if selector and selects({"matchLabels": selector}, pods.labels):
            for port, target in targets(service, pods):
                number = port.get("port")
                if isinstance(number, int) and number != target and number not in listed:
                    yield number, target


def _services_by_namespace(context: Context) -> Mapping[str, Sequence[RenderedObject]]:
    found: dict[str, list[RenderedObject]] = {}
    for service in context.index.by_kind.get(("", "Service"), ()):
        found.setdefault(service.namespace or "", []).append(service)
    return found


NETWORK_PEER = StackRule(
    id="network-peer",
    severity="warning",
    title="Network policies refer to namespaces, pods and ports that exist",
    why="A policy that opens nothing is accepted, and the client it was written for is refused the connection.",
    fix="write the labels and the port as the namespace and the pods have them",
    kinds=frozenset({_KIND[1]}),
    check=_check,
)
