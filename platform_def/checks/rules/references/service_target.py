"""What Services lead to is there: pods that they select, ports of theirs, and what routes and webhooks ask of them."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import (
    MADE,
    NOBODY,
    Neighbours,
    may_come_to_match,
    operated_namespaces,
    pods_by_namespace,
)
from platform_def.errors import nearest
from platform_def.manifests.backends import WantedPort, backends
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject

_PORT_HINT = "write `targetPort:` as the container's port; if it opens both, list both under its `ports:`"


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    pods, operated = context.once(pods_by_namespace), context.once(operated_namespaces)
    for item in context.index.by_kind.get(("", "Service"), ()):
        home = item.namespace or ""
        yield from ((item, fault) for fault in _service(item, pods.get(home, NOBODY), operated=home in operated))
    for item in context.index.objects:
        for backend in backends(item):
            if fault := _port(context, backend):
                yield item, fault


def _service(item: RenderedObject, pods: Neighbours, *, operated: bool) -> Iterator[Fault]:
    selector = at(item.manifest, "spec.selector")
    if not isinstance(selector, dict) or not selector or at(item.manifest, "spec.type") == "ExternalName":
        return
    chosen = pods.selected({"matchLabels": selector})
    if not chosen:
        if operated or may_come_to_match(selector, pods):
            return
        labels = ", ".join(f"{key}={value}" for key, value in selector.items())
        yield Fault("spec.selector", f"no pod here has the labels {labels[:120]}", MADE, "warning")
        return
    opened = [
        mapping(port) for each in chosen for _, container in each.containers() for port in items(container.get("ports"))
    ]
    names = {text(port.get("name")) for port in opened} - {""}
    numbers = {number for port in opened if isinstance(number := port.get("containerPort"), int)}
    ports = items(at(item.manifest, "spec.ports"))
    for index, port in enumerate(ports):
        target = mapping(port).get("targetPort", mapping(port).get("port"))
        if isinstance(target, int) and len(ports) == len(numbers) == 1 and target not in numbers:
            # Containers may open ports that they do not list: only where both have but one is it likely a mistake.
            text_of = f"the selected pods list the port {', '.join(map(str, numbers))} alone, not {target}"
            yield Fault(dotted(("spec", "ports", index)), text_of, _PORT_HINT, "warning")
        if isinstance(target, str) and target and target not in names:
            hint = nearest(target, names) or "name the port in the container, or write its number"
            yield Fault(
                dotted(("spec", "ports", index, "targetPort")), f"no selected pod names a port '{target[:60]}'", hint
            )


def _port(context: Context, backend: WantedPort) -> Fault | None:
    """What is wrong with asking a Service of the stack for a port; a missing Service is another rule's."""
    found = context.index.by_key.get(("", "Service", backend.namespace, backend.name))
    ports = [mapping(port) for port in items(at(found[0].manifest, "spec.ports"))] if found else []
    known = [value for port in ports for value in (port.get("name"), port.get("port")) if value]
    if not ports or backend.port in known:
        return None
    shown = ", ".join(dict.fromkeys(map(str, known)))
    text = f"the Service {backend.name} has no port {str(backend.port)[:60]}"
    return Fault(dotted(backend.path), text, f"it has {shown}")


SERVICE_TARGET = StackRule(
    id="service-target",
    severity="error",
    title="Services select pods and their ports; routes and webhooks use ports that the Service has",
    why="Callers of the Service are refused the connection, and nothing reports it at sync.",
    fix="correct the selector or the port",
    check=_check,
    without_stack="as a warning",
)
