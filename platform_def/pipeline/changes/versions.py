"""Steps over minor versions, of Kubernetes and of components, from what the index of the previous dist/ says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from platform_def.checks.rule import Finding
from platform_def.checks.rules.releases.facts import shown
from platform_def.checks.rules.releases.version_skip import VERSION_SKIP
from platform_def.components import catalogue
from platform_def.config.platform import ComponentFact
from platform_def.config.written.provenance import Path
from platform_def.errors import Source
from platform_def.manifests.index import Key
from platform_def.manifests.rendered import RenderedStack
from platform_def.pipeline.findings.credentials import KIND
from platform_def.pipeline.load import Loaded
from platform_def.pipeline.output.index import Index

_MINOR = re.compile(r"v?(\d+)\.(\d+)(?:\D|\Z)")
_CONTROL_PLANE = (
    "upgrade the control plane through each of them, and write here what it has reached; kubelets may stay up to three "
    "minor versions behind"
)
_BACK = "a control plane cannot go back: make another cluster of that version, and restore what you backed up into it"


def steps_over(stack: RenderedStack, loaded: Loaded, previous: Iterable[Index]) -> Iterator[Finding]:
    """A finding for each version that skips others, or that Kubernetes goes back to."""
    for one in previous:
        yield from _of_kubernetes(stack, loaded, one.cluster.get("kubernetes"))
        for name, fact in stack.facts.items():
            before = one.components.get(name, {}).get("release")
            if isinstance(before, str) and fact.component:
                yield from _of_component(stack, loaded, name, fact, before)


def _of_kubernetes(stack: RenderedStack, loaded: Loaded, before: object) -> Iterator[Finding]:
    now = str(stack.platform.kubernetes)
    if not isinstance(before, str) or not (old := _minor(before)) or not (new := _minor(now)):
        return
    at: Path = ("cluster", "kubernetes")
    key = ("platform-def", KIND, "", stack.name)
    if new < old:
        yield _finding(f"Kubernetes goes back from {before} to {now}", _BACK, loaded.where(*at), key)
    elif skipped := _between(old, new):
        text = f"Kubernetes goes from {before} to {now}, past {', '.join(skipped)}"
        yield _finding(text, _CONTROL_PLANE, loaded.where(*at), key)


def _of_component(
    stack: RenderedStack, loaded: Loaded, name: str, fact: ComponentFact, before: str
) -> Iterator[Finding]:
    old, new = _minor(before), _minor(fact.release)
    skipped = _between(old, new) if old and new else []
    component = stack.components.get(name)
    if not skipped:
        return
    text = f"{name} goes from {before} to {fact.release}, past {', '.join(skipped)}"
    key = shown(component).key if component and component.objects else ("platform-def", KIND, "", stack.name)
    yield _finding(text, _hint(fact.component, skipped), loaded.where("components", name, "release"), key)


def _hint(component: str, skipped: Sequence[str]) -> str:
    """Which releases to take between, where the catalogue has any."""
    releases = catalogue.component(component).config_model().releases
    offered = [each.version for each in releases if (found := _minor(each.version)) and _text(found) in skipped]
    if offered:
        return (
            f"take release {', then '.join(reversed(offered))} first, a commit each, unless upstream supports the step"
        )
    several = "any of them" if len(skipped) > 1 else "it"
    return f"read what upstream says about upgrades to {' and '.join(skipped)}: this tool has no release of {several}"


def _minor(version: str) -> tuple[int, int] | None:
    found = _MINOR.match(version)
    return (int(found[1]), int(found[2])) if found else None


def _text(minor: tuple[int, int]) -> str:
    return f"{minor[0]}.{minor[1]}"


def _between(old: tuple[int, int], new: tuple[int, int]) -> list[str]:
    """The minor versions between two of one major version."""
    return [f"{old[0]}.{minor}" for minor in range(old[1] + 1, new[1])] if old[0] == new[0] else []


def _finding(text: str, hint: str, where: Source | None, key: Key) -> Finding:
    _, kind, namespace, name = key
    return Finding(
        rule=VERSION_SKIP.id,
        severity=VERSION_SKIP.severity,
        object=f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}",
        key=key,
        path="",
        text=text,
        hint=hint,
        component="",
        origin="",
        file=where.file if where else None,
        line=where.line if where else 0,
    )
