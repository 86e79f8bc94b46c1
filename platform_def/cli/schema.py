"""`platformctl schema`: the JSON Schema of stack files, for editors."""

from __future__ import annotations

import json

import click

from platform_def.cli.command import Command
from platform_def.cli.place import show

EXAMPLES = """
Examples:

  platformctl schema > stack.schema.json

  platformctl schema | jq '.properties.cluster'

An editor that knows YAML schemas uses it when a stack file begins with

  # yaml-language-server: $schema=../stack.schema.json
"""


@click.command("schema", cls=Command, epilog=EXAMPLES)
def schema() -> None:
    """Print the JSON Schema of stack files."""
    from platform_def.reference.schema import stack_schema

    show(json.dumps(stack_schema(), indent=1))
