"""`platformctl`: finds the command, runs it, turns errors into messages and exit codes.

Commands are imported when they are called: one that has nothing to do ends before models or cdk8s are loaded.
"""

from __future__ import annotations

import gc
import os
import sys

import typer
from typer.core import TyperGroup

from platform_def import __version__
from platform_def.cli import bootstrap, crd, explain, init, list_, schema, streams, synth
from platform_def.cli import check as check_command
from platform_def.cli.interrupt import INTERRUPTED
from platform_def.cli.place import say
from platform_def.errors import PlatformError


class _Commands(TyperGroup):
    """Says that it was interrupted, where Typer would end without a word."""

    def invoke(self, ctx: typer.Context) -> object:  # type: ignore[override]
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            say("interrupted")
            raise typer.Exit(INTERRUPTED) from None


app = typer.Typer(
    name="platformctl",
    cls=_Commands,
    help="Declare a GPU machine-learning platform in a stack file; get plain, checked Kubernetes manifests.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"platformctl {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    pass


synth.register(app)
check_command.register(app)
init.register(app)
explain.register(app)
schema.register(app)
list_.register(app)
crd.register(app)
bootstrap.register(app)


def main() -> None:
    """The console script."""
    gc.disable()  # a run is short, and makes many objects that all live to its end
    streams.prepare()
    sys.exit(streams.finish(_run()))


def _run() -> int:
    """Run the command; its exit code."""
    try:
        app()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except PlatformError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    except OSError as error:
        place = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
        sys.stderr.write(f"error: {place}{error.strerror or error}\n")
        return 2
    return 0


if __name__ == "__main__":
    main()
