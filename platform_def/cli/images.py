"""`platformctl images`: what a cluster pulls, from where, and for whom."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from platform_def.cli import completion
from platform_def.cli.command import Command
from platform_def.cli.place import OUTPUT, ROOT, STATE, Output, show

EXAMPLES = """
Examples:

  platformctl images gpu-prod        each image, where it is pulled, by whom

  platformctl images -o json | jq -r '.[].target'
"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("images", cls=Command, epilog=EXAMPLES)(images)


def images(
    stacks: list[str] = typer.Argument(
        None,
        metavar="[STACK]...",
        help="Stacks to list; all of stacks/ when left out.",
        show_default=False,
        autocompletion=completion.stacks,
    ),
    root: Path = ROOT,
    output: Output = OUTPUT,
) -> None:
    """List every image of the stacks: in pods, in the configuration of operators, in what they create."""
    from platform_def.explain import images as listed

    found = listed.images(root, tuple(stacks or ()), state=root / STATE)
    show(json.dumps([each.row() for each in found], indent=1) if output is Output.json else listed.as_text(found))
