"""The stacks that defects are put into: the sample stacks as synthesised, and with manifests of others beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import cast

from platform_def.config.platform import ComponentFact, Platform
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedObject, RenderedStack
from platform_def.yaml import load_all
from tests.renders.store import Store, names_of

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
CAMPUS, CLOUD, ONPREM, QUICK = "campus-gpu", "cloud-gpu", "onprem-gpu", "quickstart"
GUESTS, TENANTS, MESH, TOOLS = "onprem-gpu with guests", "cloud-gpu with tenants", "others'", "operators'"
STARTED = "cloud-gpu whose job pretrain is started by Flux"


@cache
def stacks() -> Mapping[str, RenderedStack]:
    """By name; rendered once."""
    store, names = Store(), names_of("stacks")
    sound = {stack.name: stack for stack in (store.get(name, beside=names) for name in names)}
    others, tools = (
        RenderedComponent("manifests", _read(file, "manifests")) for file in ("mesh.yaml", "operators.yaml")
    )
    return {
        **sound,
        GUESTS: _with_folder(sound[ONPREM], GUESTS, "guests"),
        TENANTS: _with_folder(sound[CLOUD], TENANTS, "tenants"),
        STARTED: replace(sound[CLOUD], name=STARTED, synced_jobs=frozenset({"pretrain"})),
        MESH: RenderedStack(MESH, Platform(stack=MESH), {"manifests": others}, foreign=True),
        TOOLS: RenderedStack(TOOLS, Platform(stack=TOOLS), {"manifests": tools}, foreign=True),
    }


def _with_folder(host: RenderedStack, name: str, folder: str) -> RenderedStack:
    """A stack with one more component, whose manifests lie beside this file and whose namespace bears its name."""
    return replace(
        host,
        name=name,
        platform=host.platform.with_facts(components={**host.platform.components, folder: ComponentFact("", folder)}),
        components={**host.components, folder: RenderedComponent(folder, _read(f"{folder}.yaml", folder))},
    )


def _read(file: str, component: str) -> tuple[RenderedObject, ...]:
    manifests = cast(list[Manifest], load_all((HERE / file).read_text(), file=file))
    return tuple(RenderedObject(each, component, "main", file) for each in manifests)
