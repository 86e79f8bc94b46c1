"""`platformctl images`: what a cluster pulls, from where, and for whom."""

from __future__ import annotations

import json
from pathlib import Path

import click

from platform_def.cli.command import Command
from platform_def.cli.place import OUTPUT, ROOT, STACKS, STATE, Output, show

EXAMPLES = """
Examples:

  platformctl images gpu-prod        each image, where it is pulled, by whom

  platformctl images -o json | jq -r '.[].target'
"""


@click.command("images", cls=Command, epilog=EXAMPLES)
@STACKS
@ROOT
@OUTPUT
def images(stacks: tuple[str, ...], root: Path, output: Output) -> None:
    """List every image of the stacks: in pods, in the configuration of operators, in what they create."""
    from platform_def.explain import images as listed

    found = listed.images(root, stacks, state=root / STATE)
    show(json.dumps([each.row() for each in found], indent=1) if output is Output.json else listed.as_text(found))
