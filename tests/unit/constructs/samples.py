"""Components for tests: what a construct makes inside one, without a stack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from platform_def.config.component import ComponentConfig
from platform_def.config.platform import Platform
from platform_def.constructs.component import AnyComponent, Component
from platform_def.constructs.render import Build, render

Made = dict[tuple[str, str], dict[str, Any]]


def built(
    build: Callable[[Any], object],
    *,
    platform: Platform | None = None,
    name: str = "",
    slug: str = "sample",
    **config: Any,
) -> Build:
    """A component called `sample` that makes what `build` says; `config` is what a stack file says of it."""

    class Sample(Component[ComponentConfig]):
        """A component for tests."""

        def build(self) -> None:
            build(self)

    Sample.slug = slug
    chosen = ComponentConfig.from_file({"namespace": "here", **config})
    return render(lambda scope: Sample(scope, config=chosen, platform=platform, name=name))


def objects(build: Callable[[Any], object], **options: Any) -> Made:
    """Its objects by kind and name."""
    found = built(build, **options).objects
    return {(each.manifest["kind"], each.manifest["metadata"]["name"]): each.manifest for each in found}


def container(component: AnyComponent, name: str = "main", **fields: Any) -> dict[str, Any]:
    """A container of a component."""
    return {"name": name, "image": "example.com/app:1", **fields}
