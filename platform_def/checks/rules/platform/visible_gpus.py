"""No container helps itself to NVIDIA's cards: one that names devices asks for as many."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule, SignWords, reads_nothing
from platform_def.manifests.paths import containers, dotted
from platform_def.manifests.rendered import Manifest

VARIABLE = "NVIDIA_VISIBLE_DEVICES"
_NONE = frozenset(("", "none", "void"))
_GPUS = ("nvidia.com/", "tencent.com/vcuda-")
"""How the names of resources begin that stand for NVIDIA's cards."""
_NODE_AGENTS = frozenset(("DaemonSet",))
"""Kinds that look after all cards of a node: device plugins, discovery, exporters."""


def _check(manifest: Manifest, _: None) -> Iterator[Fault]:
    if manifest.get("kind") in _NODE_AGENTS:
        return
    for path, container in containers(manifest):
        env = container.get("env")
        for index, variable in enumerate(env if isinstance(env, list) else ()):
            if not isinstance(variable, dict) or variable.get("name") != VARIABLE:
                continue
            value = variable.get("value")
            if isinstance(value, str) and value not in _NONE and not _asks(container):
                text = f"{VARIABLE} is '{value[:40]}', and the container asks for no GPU: it uses other pods' cards"
                yield Fault(dotted((*path, "env", index)), text)


def _asks(container: Manifest) -> bool:
    """Whether the container is given cards, by a resource or a claim."""
    resources = container.get("resources")
    if not isinstance(resources, dict):
        return False
    limits = resources.get("limits")
    return bool(resources.get("claims")) or any(
        name.startswith(_GPUS) for name in (limits if isinstance(limits, dict) else ())
    )


VISIBLE_GPUS = ObjectRule(
    id="visible-gpus",
    severity="error",
    title="A container that names NVIDIA devices asks for them",
    why="The nvidia runtime exposes the cards that the variable names, even if the scheduler gave them to other pods.",
    fix="ask for `nvidia.com/gpu` under resources.limits and leave the variable out, or set it to `void`",
    reads=reads_nothing,
    sign=SignWords((VARIABLE,)),
    check=_check,
)
