"""`platformctl list`: what there is to choose from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

import click

from platform_def.cli.command import Command
from platform_def.cli.place import OUTPUT, ROOT, Output, show
from platform_def.errors import ConfigError

EXAMPLES = """
Examples:

  platformctl list components            the catalogue, with releases

  platformctl list components --releases

  platformctl list apis -o json          every custom resource

  platformctl list checks                what `check` looks for
"""


class What(StrEnum):
    """What can be listed."""

    components = "components"
    stacks = "stacks"
    templates = "templates"
    apis = "apis"
    checks = "checks"


@click.command("list", cls=Command, epilog=EXAMPLES)
@click.argument(
    "what", type=click.Choice(What), default=What.components, help="What to list; components when left out."
)
@ROOT
@OUTPUT
@click.option(
    "--releases",
    is_flag=True,
    help="Of components: each release, its end of support, its known vulnerabilities, its licence.",
)
def list_(what: What, root: Path, output: Output, releases: bool) -> None:
    """List components, stacks, templates of jobs and models, APIs or checks."""
    if releases:
        _releases(what, output)
    else:
        show_list(what, root, output)


def show_list(what: What, root: Path, output: Output) -> None:
    """Print what can be chosen."""
    rows = {
        What.components: _components,
        What.templates: _templates,
        What.apis: _apis,
        What.checks: _checks,
    }.get(what)
    found = rows() if rows else _stacks(root)
    if output is Output.json:
        show(json.dumps(found, indent=1))
        return
    width = max((len(name) for name in found), default=0)
    for name, facts in found.items():
        show(f"{name:{width}}  " + "  ".join(text for text in map(_text, facts.values()) if text))


def _releases(what: What, output: Output) -> None:
    from platform_def.components.catalogue import catalogue, component
    from platform_def.explain.releases import HEADINGS, offered

    if what is not What.components:
        raise ConfigError("--releases belongs to components", hint="platformctl list components --releases")
    found = {name: [*offered(component(name).config_model())] for name in catalogue()}
    if output is Output.json:
        show(json.dumps({name: [each.row() for each in each_of] for name, each_of in found.items()}, indent=1))
        return
    for name, each_of in found.items():
        for each in each_of:
            release, *cells = each.cells()
            told = (f"  {heading}: {cell}" for heading, cell in zip(HEADINGS[1:], cells, strict=True))
            show("\n".join((f"{name} {release}", *told)))


def _text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _components() -> dict[str, Mapping[str, object]]:
    from platform_def.components.catalogue import catalogue, component
    from platform_def.config.written.explain import about

    return {
        name: {
            "releases": [release.version for release in component(name).config_model().releases],
            "about": about(component(name)),
        }
        for name in catalogue()
    }


def _templates() -> dict[str, Mapping[str, object]]:
    from platform_def.config.written.explain import about
    from platform_def.jobs.templates import template, templates
    from platform_def.serving import templates as served

    jobs: dict[str, Mapping[str, object]] = {name: {"about": about(template(name))} for name in templates()}
    return jobs | {name: {"about": about(served.template(name)), "list": "serving"} for name in served.BUILT_IN}


def _apis() -> dict[str, Mapping[str, object]]:
    from platform_def.explain.api_resources import custom_resources

    found: dict[str, dict[str, dict[str, None]]] = {}
    kinds: dict[str, str] = {}
    for row in custom_resources():
        kinds[row.full_name] = row.kind
        entry = found.setdefault(row.full_name, {"versions": {}, "components": {}})
        entry["versions"][row.version] = None
        entry["components"][f"{row.component} {row.release}"] = None
    return {
        name: {"kind": kinds[name], **{key: list(values) for key, values in entry.items()}}
        for name, entry in sorted(found.items())
    }


def _checks() -> dict[str, Mapping[str, object]]:
    from platform_def.explain.check import rows

    return {**rows()}


def _stacks(root: Path) -> dict[str, Mapping[str, object]]:
    from platform_def.pipeline.load import load

    return {
        each.name: {"kubernetes": each.stack.cluster.kubernetes, "components": sorted(each.stack.components)}
        for each in load(root)
    }
