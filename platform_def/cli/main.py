"""`platformctl`: finds the command, runs it, turns errors into messages and exit codes.

Commands are imported when they are called: one that has nothing to do ends before models or cdk8s are loaded.
"""

from __future__ import annotations

import gc
import io
import sys

import typer

from platform_def import __version__
from platform_def.cli import bootstrap, crd, explain, init, list_, schema, synth
from platform_def.cli import check as check_command
from platform_def.errors import PlatformError

app = typer.Typer(
    name="platformctl",
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
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that cannot show a letter gets its number, as stderr does by default.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app()
    except PlatformError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; nothing was written\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
