"""`platformctl explain`: where a value comes from, what made an object, what APIs' fields and checks mean."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click

from platform_def.cli import completion
from platform_def.cli.command import Command
from platform_def.cli.place import OUTPUT, ROOT, STATE, Output, show
from platform_def.errors import ConfigError
from platform_def.explain.lines import Lines

API, CHECK, CAPACITY = "api", "check", "capacity"

EXAMPLES = """
Examples:

  platformctl explain gpu-prod components.training-operator.threads

  platformctl explain gpu-prod Deployment/training-operator

  platformctl explain gpu-prod capacity

  platformctl explain gpu-prod teams.vision

  platformctl explain api pytorchjobs.spec.elasticPolicy

  platformctl explain api mxjobs.spec --release training-operator-1.7.0

  platformctl explain api pytorchjobs --example > job.yaml

  platformctl explain check service-target
"""


_TEAM = re.compile(r"teams(?:\.([^.\[\]/]+)|\[([0-9]{1,9})\])")


@click.command("explain", cls=Command, epilog=EXAMPLES)
@click.argument(
    "stack",
    metavar="STACK|api|check",
    help="Name of a stack; or `api` or `check`, for which no stack is needed. Where a stack is called so, it is "
    "that stack, unless --api-version, --release, --recursive or --example is given.",
    shell_complete=completion.stacks_and_words,
)
@click.argument(
    "what",
    metavar="PATH|KIND/NAME|FILE|capacity|RESOURCE[.FIELD]|ID",
    help="Path of a value, an object or the file of one, or `capacity`: how big the stack is, what pools, queues "
    "and teams have, and what jobs ask for; after `api` a resource by plural, singular, short name or kind, with "
    "its group where that is needed, and the path of a field without the items of lists and the keys of maps; "
    "after `check` the id of a rule.",
    shell_complete=completion.explained,
)
@ROOT
@OUTPUT
@click.option(
    "--api-version", metavar="GROUP/VERSION", default="", show_default=False, help="After `api`: this version."
)
@click.option(
    "--release",
    metavar="COMPONENT-VERSION",
    default="",
    show_default=False,
    help="After `api`: as this release serves it, instead of the newest; `kubernetes-1.36` for core kinds.",
)
@click.option("--recursive", is_flag=True, help="After `api`: all fields, not one level.")
@click.option(
    "--example", is_flag=True, help="After `api`: a small valid object of a custom kind instead, to start from."
)
def explain(
    stack: str,
    what: str,
    root: Path,
    output: Output,
    api_version: str,
    release: str,
    recursive: bool,
    example: bool,
) -> None:
    """Print where a value comes from, what made an object, which fields an API has, what a check does."""
    asked = bool(api_version or release or recursive or example)
    if stack == API and (asked or not _is_stack(root, API)):
        if example:
            _show_example(what, output, api_version=api_version, release=release, recursive=recursive)
            return
        _explain_api(what, output, api_version=api_version, release=release, recursive=recursive)
        return
    if asked:
        raise ConfigError(
            "--api-version, --release, --recursive and --example are for APIs",
            hint="platformctl explain api RESOURCE[.FIELD]",
        )
    if stack == CHECK and not _is_stack(root, CHECK):
        _explain_check(what, output)
        return
    if what == CAPACITY:
        _explain_capacity(root, stack, output)
        return
    from platform_def.explain.objects import explain_object
    from platform_def.explain.value import explain_value

    rows = explain_object(root, stack, what, state=root / STATE) if "/" in what else explain_value(root, stack, what)
    if team := _TEAM.fullmatch(what):
        from platform_def.explain.team import explain_team

        name = team[1] or team[2]
        rows[0] |= explain_team(root, stack, int(name) if name.isdigit() else name, state=root / STATE)
    if output is Output.json:
        show(json.dumps(rows, indent=1))
        return
    for index, row in enumerate(rows):
        if index:
            show("")
        width = max(map(len, row))
        for name, value in row.items():
            show(f"{name:{width}}  {_shown(value, width)}")


def _shown(value: object, width: int) -> str:
    """A list of sentences or lines takes a line each; anything else that is no text stands as JSON."""
    sentences = isinstance(value, list) and value and all(isinstance(each, str) and ": " in each for each in value)
    if isinstance(value, list) and (sentences or (isinstance(value, Lines) and value)):
        return f"\n{'':{width}}  ".join(value)
    return value if isinstance(value, str) else json.dumps(value)


def _is_stack(root: Path, name: str) -> bool:
    return any((root / "stacks" / f"{name}{suffix}").exists() for suffix in (".yaml", ".yml"))


def _explain_api(path: str, output: Output, *, api_version: str, release: str, recursive: bool) -> None:
    from platform_def.explain.api import explain_api
    from platform_def.explain.api_text import text

    found = explain_api(path, api_version=api_version, release=release, recursive=recursive)
    show(json.dumps([found.row()], indent=1) if output is Output.json else text(found, recursive=recursive))


def _explain_check(name: str, output: Output) -> None:
    from platform_def.explain.check import plain, text

    show(json.dumps([plain(name)], indent=1) if output is Output.json else text(name))


def _explain_capacity(root: Path, stack: str, output: Output) -> None:
    from platform_def.explain import capacity, size

    found = capacity.explain_capacity(root, stack)
    big = size.size(root, stack, state=root / STATE)
    if output is Output.json:
        show(json.dumps({"size": size.as_json(big), **capacity.as_json(found)}, indent=1))
    else:
        show("\n\n".join(filter(None, (size.as_text(big), capacity.as_text(found)))))


def _show_example(resource: str, output: Output, *, api_version: str, release: str, recursive: bool) -> None:
    from platform_def.explain.api_example import explain_example

    if recursive:
        raise ConfigError("--example prints a whole object, --recursive all fields", hint="leave one of them out")
    text, manifest = explain_example(resource, api_version=api_version, release=release)
    show(json.dumps(manifest, indent=1) if output is Output.json else text.rstrip())
