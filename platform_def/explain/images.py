"""What `platformctl images` lists: every image of a stack, where the cluster pulls it from, and who uses it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from platform_def.manifests.images import named_images
from platform_def.manifests.index import CRD
from platform_def.manifests.paths import containers, dotted
from platform_def.manifests.rendered import RenderedObject, RenderedStack
from platform_def.pipeline.code import code_digest
from platform_def.pipeline.synth import Options, render


@dataclass(frozen=True)
class Used:
    """An image."""

    source: str
    """As its maker calls it, host written out."""
    target: str
    """As the cluster pulls it; the same without a mirror."""
    users: tuple[str, ...]
    """`gpu-prod: Deployment kubeflow/training-operator`, with the field where that is not a container's, or
    `gpu-prod: training-operator, in what it makes`."""

    def row(self) -> dict[str, object]:
        """As JSON has it."""
        return {"source": self.source, "target": self.target, "users": list(self.users)}


def images(root: Path, stacks: tuple[str, ...], *, state: Path) -> list[Used]:
    """All images of these stacks, or of all, by source. `state`: the folder with results of earlier runs."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for stack in render(Options(root, stacks, state / "cache", code_digest(state))).stacks:
        for target, user in named(stack):
            key = (stack.platform.mirror.source(target), target)
            found.setdefault(key, {})[f"{stack.name}: {user}"] = None
    return [Used(source, target, tuple(users)) for (source, target), users in sorted(found.items())]


def named(stack: RenderedStack) -> Iterator[tuple[str, str]]:
    """Each image that a stack uses, as the cluster pulls it, with its user."""
    for item in stack.objects():
        if item.kind != CRD:
            yield from _of_object(item)
    for component, listed in stack.runtime_images.items():
        for image in listed:
            yield image, f"{component}, in what it makes"


def _of_object(item: RenderedObject) -> Iterator[tuple[str, str]]:
    in_pods = {(*path, "image"): container.get("image") for path, container in containers(item.manifest)}
    yield from ((image, str(item)) for image in in_pods.values() if isinstance(image, str) and image)
    body = {key: value for key, value in item.manifest.items() if key != "metadata"}
    for path, image in named_images(body):
        if path not in in_pods:
            yield image, f"{item}, {dotted(path)}"


def as_text(found: list[Used]) -> str:
    """As people read it: the source, where it is pulled from if that is elsewhere, and who uses it."""
    lines: list[str] = []
    for each in found:
        lines.append(each.source if each.source == each.target else f"{each.source} -> {each.target}")
        lines += [f"  {user}" for user in each.users]
    return "\n".join(lines)
