"""`platformctl bootstrap`: the steps that a person takes once, before an engine does the rest."""

from __future__ import annotations

from pathlib import Path

import click

from platform_def.cli import completion
from platform_def.cli.command import Command
from platform_def.cli.place import CACHE, ROOT, RunFolders, write
from platform_def.pipeline.code import code_digest

EXAMPLES = """
Examples:

  platformctl bootstrap gpu-prod         what to do once, in order

  platformctl bootstrap gpu-prod > BOOTSTRAP.txt
"""


@click.command("bootstrap", cls=Command, epilog=EXAMPLES)
@click.argument("stack", metavar="STACK", help="Name of a stack with `delivery:`.", shell_complete=completion.stacks)
@ROOT
@CACHE
def bootstrap(stack: str, root: Path, cache: bool) -> None:
    """Print the one-time steps that have Argo CD or Flux apply a stack; prints no credential, changes nothing."""
    from platform_def.delivery.setup.bootstrap import bootstrap as steps
    from platform_def.pipeline.load import load
    from platform_def.pipeline.synth import Options, render

    place = RunFolders.of(root, None)
    delivery = load(root, [stack])[0].stack.delivery
    options = Options(root, (stack,), place.cache if cache else None, code_digest(place.state))
    write(steps(render(options).stacks[0], delivery))
