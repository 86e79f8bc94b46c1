"""Images on the host of the previous registry, which were pulled as written and which another registry renames.

Images that this tool itself names are meant to follow the registry: what counts is what the stack writes, and what
components and templates of people's own packages name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from platform_def.checks.fault import Fault
from platform_def.components import catalogue
from platform_def.config.mirror import Mirror
from platform_def.jobs.templates import template
from platform_def.manifests.images import named_images
from platform_def.manifests.paths import dotted, strings
from platform_def.manifests.rendered import JOBS, RenderedObject, RenderedStack
from platform_def.pipeline.findings.causes import texts
from platform_def.pipeline.load import Loaded
from platform_def.pipeline.output.index import Index

_TOOL = "platform_def."


def left(stack: RenderedStack, previous: Iterable[Index]) -> Sequence[Mirror]:
    """The mirrors that the stack had, where it has another one now."""
    now = stack.platform.mirror
    return [mirror for one in previous if (mirror := _mirror(one)).any and mirror != now] if now.any else []


def renamed(stack: RenderedStack, loaded: Loaded, before: Sequence[Mirror]) -> Iterator[tuple[RenderedObject, Fault]]:
    """The fields with an image that one of these mirrors had on its own host, and that goes through the new one."""
    now = stack.platform.mirror
    written = {text for _, text in texts(loaded.traced, ())}
    for item in stack.objects():
        for path, text in dict.fromkeys([*strings(item.manifest), *named_images(item.manifest)]):
            source = now.source(text) if now.target(text) == text else text
            if source == text or now.rule(source) or not any(mirror.reachable(source) for mirror in before):
                continue
            if source in written or not _is_of_the_tool(item, stack, loaded):
                yield item, Fault(dotted(path), _text(source, text, before), _hint(source, now, before))


def _mirror(one: Index) -> Mirror:
    """The mirror that an index speaks of; what is no registry there counts as none."""
    registry, rules = one.cluster.get("registry"), one.cluster.get("mirrors")
    known: dict[Any, Any] = rules if isinstance(rules, dict) else {}
    plain = {prefix: there for prefix, there in known.items() if isinstance(there, str)}
    return Mirror(registry if isinstance(registry, str) else None, tuple(sorted(plain.items())))


def _is_of_the_tool(item: RenderedObject, stack: RenderedStack, loaded: Loaded) -> bool:
    if item.component == JOBS:
        named = (raw.get("template") for raw in loaded.stack.jobs if raw.get("name") == item.job)
        return all(isinstance(name, str) and template(name).__module__.startswith(_TOOL) for name in named)
    fact = stack.facts.get(item.component)
    return not fact or not fact.component or catalogue.component(fact.component).__module__.startswith(_TOOL)


def _text(image: str, target: str, before: Iterable[Mirror]) -> str:
    registry = next((mirror.registry for mirror in before if mirror.registry and mirror.reachable(image)), None)
    reason = f"with `registry: {registry}` it was pulled as written" if registry else "it was pulled as written before"
    return f"image {image} is now pulled as {target}; {reason}"


def _hint(image: str, now: Mirror, before: Iterable[Mirror]) -> str:
    host, _, path = image.partition("/")
    mirrored = (mirror.source(image) for mirror in before if mirror.source(image) != image)
    moved = next(mirrored, f"{(now.registry or '…').partition('/')[0]}/{path}")
    stays = f"`mirrors: {{{host}: {host}}}` in `cluster` where it stays on {host}"
    follows = f", `mirrors: {{{host}: {now.registry}/{host}}}` where the new registry serves what {host} has"
    return f"write {moved} where it moves as well; {stays}{follows if now.registry else ''}"
