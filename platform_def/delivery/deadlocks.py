"""What could keep plain Applications from ever coming up: objects that wait for each other through a webhook.

Without gates every object is tried from the beginning on, so a webhook may be registered long before the pods that
answer it run, and pods that it must change are refused before that too (`injectors`). Where something that the
webhook's own pods need is then refused for its sake, no retry helps. So it is where pods wait for definitions
(`definitions`), and a webhook that these pods answer must admit one. Nothing else lasts: what is refused for another
reason is taken once what it waits for is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from platform_def.delivery.pods.definitions import awaiting
from platform_def.manifests.admission import GROUP, Gate, StackWebhooks
from platform_def.manifests.graph import Graph
from platform_def.manifests.index import ObjectIndex
from platform_def.manifests.loose import at, text
from platform_def.manifests.rendered import RenderedObject, RenderedStack


class State(Enum):
    """What is waited for."""

    TAKEN = "is taken"
    READY = "is ready"
    ANSWERED = "is answered"


@dataclass(frozen=True)
class Awaited:
    """A state of an object; of a webhook configuration, that one of its webhooks is answered."""

    item: RenderedObject
    state: State
    hook: str = ""

    def __str__(self) -> str:
        return f"the webhook {self.hook}" if self.hook else str(self.item)


Waits = Mapping[Awaited, Mapping[Awaited, str]]
"""What each state waits for, each with the reason."""
DeadlocksOf = Callable[[RenderedStack], list[list[str]]]
"""What finds the circles of a stack, each as the steps that make it."""


def deadlocks(stack: RenderedStack) -> list[list[str]]:
    """The circles of a stack, each as the steps that make it."""
    waits = _Waits(stack).found
    return [[f"{here} waits for {there}: {waits[here][there]}" for here, there in each] for each in _circles(waits)]


@dataclass
class _Waits:
    """Filled in object by object."""

    stack: RenderedStack
    found: dict[Awaited, dict[Awaited, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._index = _index(self.stack)
        components = [component for _, component in sorted(self.stack.components.items())]
        self._graph = Graph(self._index, (made for component in components for made in component.made()))
        webhooks = StackWebhooks(self._index)
        for item in self._index.objects:
            self._object(item)
            for hook in webhooks.of_object(item):
                self._hook(Awaited(item, State.TAKEN), hook)
            for hook in webhooks.of_pods(item):
                self._hook(Awaited(item, State.READY), hook)
        for definition, programs in awaiting(self.stack, self._graph).items():
            for item in programs:
                self._add(
                    Awaited(item, State.READY),
                    Awaited(definition, State.TAKEN),
                    "its program looks for it only when it starts",
                )

    def _add(self, here: Awaited, there: Awaited, why: str) -> None:
        self.found.setdefault(here, {}).setdefault(there, why)

    def _object(self, item: RenderedObject) -> None:
        """Refused without its namespace, its definition and what converts its version; not ready without the rest."""
        taken, ready = Awaited(item, State.TAKEN), Awaited(item, State.READY)
        self._add(ready, taken, "it must exist")
        for edge in self._graph.edges(item):
            if edge.weak or edge.gives_way or item.group == GROUP:
                continue
            if edge.target.kind in ("Namespace", "CustomResourceDefinition") and not edge.path:
                self._add(taken, Awaited(edge.target, State.TAKEN), edge.why)
            elif edge.target.kind == "Service" and not edge.path:
                self._add(taken, self._served(edge.target), edge.why)
            else:
                self._add(ready, Awaited(edge.target, State.READY), edge.why)

    def _hook(self, here: Awaited, hook: Gate) -> None:
        """A webhook that refuses needs its Service, and the certificate that its configuration names."""
        if not hook.refuses:
            return
        answered = Awaited(hook.configuration, State.ANSWERED, hook.name)
        self._add(here, answered, "it must admit it" if here.state is State.TAKEN else "it must admit its pods")
        service = at(hook.body, "clientConfig.service")
        key = ("", "Service", text(at(service, "namespace")), text(at(service, "name")))
        for found in self._index.by_key.get(key, ())[:1]:
            self._add(answered, self._served(found), "its Service answers it")
        for edge in self._graph.edges(hook.configuration):
            if not edge.weak and not edge.gives_way:
                self._add(answered, Awaited(edge.target, State.READY), f"its configuration {edge.why}")

    def _served(self, service: RenderedObject) -> Awaited:
        """A Service with the pods that it selects."""
        answered = Awaited(service, State.ANSWERED)
        self._add(answered, Awaited(service, State.TAKEN), "it must exist")
        for edge in self._graph.edges(service):
            if edge.target.group == "apps":
                self._add(answered, Awaited(edge.target, State.READY), "its pods must run")
        return answered


def _index(stack: RenderedStack) -> ObjectIndex:
    return ObjectIndex(item for _, component in sorted(stack.components.items()) for item in component.objects)


def _circles(waits: Waits) -> Iterator[list[tuple[Awaited, Awaited]]]:
    """One circle of each group of states that wait for each other."""
    done: set[Awaited] = set()
    for start in waits:
        if start in done:
            continue
        left, path, on = [(start, iter(waits[start]))], [start], {start}
        while left:
            here, more = left[-1]
            there = next((each for each in more if each not in done), None)
            if there is None:
                left.pop()
                done.add(path.pop())
                on.discard(here)
            elif there in on:
                circle = path[path.index(there) :]
                yield list(zip(circle, [*circle[1:], there], strict=True))
                done |= on
                break
            else:
                left.append((there, iter(waits.get(there, ()))))
                path.append(there)
                on.add(there)
