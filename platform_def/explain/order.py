"""What `platformctl graph` and `platformctl waves` say: in which order a stack's parts are applied, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from platform_def.delivery.order import job_wave
from platform_def.errors import ConfigError, nearest
from platform_def.manifests.rendered import RenderedStack
from platform_def.pipeline.code import code_digest
from platform_def.pipeline.synth import Options, render


@dataclass(frozen=True)
class Step:
    """A part of a component, or a training job, as an engine applies it."""

    name: str
    """`cert-manager/crds`, or `jobs/hello`."""
    wave: int
    """Parts of one wave wait for none of each other. Jobs come after all that they need."""
    objects: int
    needs: Mapping[str, str]
    """What it waits for directly, each with the first reason found."""

    def row(self) -> dict[str, object]:
        """As JSON has it."""
        return {"part": self.name, "wave": self.wave, "objects": self.objects, "needs": dict(self.needs)}


def steps(root: Path, stack: str, part: str = "", *, state: Path) -> list[Step]:
    """The steps of a stack in the order of their waves; with `part` that one and all that it waits for.

    `state`: the folder with results of earlier runs. ConfigError where there is no such part or component.
    """
    rendered = render(Options(root, (stack,), state / "cache", code_digest(state))).stacks[0]
    found = sorted(_steps(rendered), key=lambda each: (each.wave, each.name))
    return found if not part else list(_needed(found, stack, part))


def _steps(stack: RenderedStack) -> Iterator[Step]:
    sizes = Counter(f"{item.component}/{item.part}" for item in stack.objects())
    for part, wave in stack.waves.items():
        yield Step(part, wave, sizes[part], stack.needs[part])
    for name, needs in stack.job_needs.items():
        yield Step(f"jobs/{name}", job_wave(stack, name), len(stack.jobs[name]), needs)


def _needed(found: Iterable[Step], stack: str, wanted: str) -> Iterator[Step]:
    by_name = {each.name: each for each in found}
    left = [name for name in by_name if wanted in (name, name.rpartition("/")[0])]
    if not left:
        components = {name.rpartition("/")[0] for name in by_name}
        raise ConfigError(f"{stack} has no part or component {wanted}", hint=nearest(wanted, [*by_name, *components]))
    seen: set[str] = set()
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            left += by_name[name].needs
    yield from (each for name, each in by_name.items() if name in seen)


def as_text(found: Iterable[Step]) -> str:
    """A line for each step, and beneath it a line for each thing that it waits for."""
    lines = []
    for each in found:
        lines.append(f"{each.name}  (wave {each.wave}, {_counted(each.objects)})")
        width = max(map(len, each.needs), default=0)
        lines += [f"  after {need:{width}}  {why}" for need, why in each.needs.items()]
    return "\n".join(lines)


def as_dot(found: Iterable[Step], *, waves: bool) -> str:
    """A graph for Graphviz; an arrow leads from what is applied first to what waits for it."""
    known = list(found)
    lines = ["digraph order {", "  rankdir=LR;", "  node [shape=box];"]
    lines += [f"  {_quoted(each.name)};" for each in known]
    lines += [
        f"  {_quoted(need)} -> {_quoted(each.name)} [tooltip={_quoted(why)}];"
        for each in known
        for need, why in each.needs.items()
    ]
    for wave, members in _by_wave(known) if waves else ():
        names = " ".join(f"{_quoted(each.name)};" for each in members)
        lines.append(f'  subgraph "cluster_{wave}" {{ label="wave {wave}"; {names} }}')
    return "\n".join([*lines, "}"])


def as_mermaid(found: Iterable[Step], *, waves: bool) -> str:
    """The same for Mermaid, which Git hosts draw in Markdown."""
    known = list(found)
    ids = {each.name: f"n{number}" for number, each in enumerate(known)}
    nodes = {each.name: f'{ids[each.name]}["{each.name}"]' for each in known}
    lines = ["flowchart LR"]
    if waves:
        for wave, members in _by_wave(known):
            lines += [f'  subgraph w{wave}["wave {wave}"]', *(f"    {nodes[each.name]}" for each in members), "  end"]
    else:
        lines += [f"  {node}" for node in nodes.values()]
    lines += [f"  {ids[need]} --> {ids[each.name]}" for each in known for need in each.needs]
    return "\n".join(lines)


def table(found: Iterable[Step]) -> str:
    """Wave by wave the parts, each with the latest of what it waits for: what keeps it from coming earlier."""
    known = list(found)
    waves = {each.name: each.wave for each in known}
    width = max((len(each.name) for each in known), default=0)
    lines = []
    for wave, members in _by_wave(known):
        for index, each in enumerate(members):
            last = next((need for need in each.needs if waves[need] == each.wave - 1), None)
            why = f"after {last}: {each.needs[last]}" if last else ""
            lines.append(f"{wave if index == 0 else '':>4}  {each.name:{width}}  {why}".rstrip())
    return "\n".join(lines)


def _by_wave(found: Iterable[Step]) -> list[tuple[int, list[Step]]]:
    waves: dict[int, list[Step]] = {}
    for each in found:
        waves.setdefault(each.wave, []).append(each)
    return sorted(waves.items())


def _counted(objects: int) -> str:
    return "1 object" if objects == 1 else f"{objects} objects"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
