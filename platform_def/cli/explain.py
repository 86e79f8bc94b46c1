"""`platformctl explain`: where a value of a stack comes from, or what made an object."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from platform_def.cli.place import OUTPUT, ROOT, Output, show

EXAMPLES = """
Examples:

  platformctl explain gpu-prod components.training-operator.replicas

  platformctl explain gpu-prod Deployment/training-operator
"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("explain", epilog=EXAMPLES)(explain)


def explain(
    stack: str = typer.Argument(metavar="STACK", help="Name of a stack."),
    what: str = typer.Argument(metavar="PATH|KIND/NAME", help="Path of a value, or an object."),
    root: Path = ROOT,
    output: Output = OUTPUT,
) -> None:
    """Print a value with its type, documentation and the files and lines it came from, or who made an object."""
    from platform_def.pipeline.explain import explain_object, explain_value

    rows = explain_object(root, stack, what) if "/" in what and what[:1].isupper() else explain_value(root, stack, what)
    if output is Output.json:
        show(json.dumps(rows, indent=1))
        return
    for index, row in enumerate(rows):
        if index:
            show("")
        width = max(map(len, row))
        for name, value in row.items():
            show(f"{name:{width}}  {value if isinstance(value, str) else json.dumps(value)}")
