"""`platformctl graph` and `platformctl waves`: in which order the parts of a stack are applied, and why."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path

import click

from platform_def.cli import completion
from platform_def.cli.command import Command
from platform_def.cli.place import OUTPUT, ROOT, STATE, Output, show

GRAPH_EXAMPLES = """
Examples:

  platformctl graph gpu-prod              what parts wait for, and why

  platformctl graph gpu-prod katib/main   what that part waits for

  platformctl graph gpu-prod --waves -o mermaid

  platformctl graph gpu-prod -o dot | dot -Tsvg > order.svg
"""
WAVES_EXAMPLES = """
Examples:

  platformctl waves gpu-prod

  platformctl waves gpu-prod -o json
"""


class Drawing(StrEnum):
    """How a graph is printed."""

    text = "text"
    dot = "dot"
    mermaid = "mermaid"
    json = "json"


STACK = click.argument("stack", metavar="STACK", help="Name of the stack.", shell_complete=completion.stacks)


@click.command("graph", cls=Command, epilog=GRAPH_EXAMPLES)
@STACK
@click.argument(
    "part",
    metavar="[PART|COMPONENT]",
    default="",
    help="Only this, and what it waits for.",
    shell_complete=completion.parts,
)
@click.option("--waves", "by_wave", is_flag=True, help="Draw the waves, too; for dot and mermaid.")
@ROOT
@click.option("--output", "-o", type=click.Choice(Drawing), default=Drawing.text, help="How to print the graph.")
def graph(stack: str, part: str, by_wave: bool, root: Path, output: Drawing) -> None:
    """Print what each part of a stack waits for, with the reason; both engines keep this order."""
    from platform_def.explain import order

    found = order.steps(root, stack, part, state=root / STATE)
    if output is Drawing.json:
        show(json.dumps([each.row() for each in found], indent=1))
    elif output is Drawing.dot:
        show(order.as_dot(found, waves=by_wave))
    elif output is Drawing.mermaid:
        show(order.as_mermaid(found, waves=by_wave))
    else:
        show(order.as_text(found))


@click.command("waves", cls=Command, epilog=WAVES_EXAMPLES)
@STACK
@ROOT
@OUTPUT
def waves(stack: str, root: Path, output: Output) -> None:
    """Print the parts of a stack wave by wave, each with what it waits for."""
    from platform_def.explain import order

    found = order.steps(root, stack, state=root / STATE)
    show(json.dumps([each.row() for each in found], indent=1) if output is Output.json else order.table(found))
