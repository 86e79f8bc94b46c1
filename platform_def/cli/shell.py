"""`platformctl completion`: what a shell reads to offer commands, stacks, components and kinds on TAB."""

from __future__ import annotations

from enum import StrEnum

import click

from platform_def.cli.command import COMPLETE, PROGRAM, Command
from platform_def.cli.place import write

EXAMPLES = """
Examples:

  platformctl completion bash > ~/.platformctl.bash   source it in ~/.bashrc

  platformctl completion zsh > ~/.zfunc/_platformctl  fpath has ~/.zfunc

  platformctl completion fish > ~/.config/fish/completions/platformctl.fish
"""


class Shell(StrEnum):
    """The shells that can be taught."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"


@click.command("completion", cls=Command, epilog=EXAMPLES)
@click.argument("shell", type=click.Choice(Shell), help="Your shell.")
@click.pass_context
def completion(ctx: click.Context, shell: Shell) -> None:
    """Print a script that teaches a shell the commands, and the stacks, components and kinds that there are."""
    from click.shell_completion import get_completion_class

    of_shell = get_completion_class(shell.value)
    assert of_shell is not None, "click knows these three"
    program = ctx.find_root().command
    write(of_shell(program, {}, PROGRAM, COMPLETE).source())
