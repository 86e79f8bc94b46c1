"""The commands of `platformctl`, and the options that all of them share.

What a command needs is imported when it is called: one that has nothing to do ends before models or cdk8s are loaded.
"""

from __future__ import annotations

import typer

from platform_def import __version__
from platform_def.cli import bootstrap, component, crd, explain, images, init, job, list_, order, schema, synth
from platform_def.cli import check as check_command
from platform_def.cli.command import DEBUG

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
    ctx: typer.Context,
    version: bool = typer.Option(  # noqa: ARG001 - its callback has acted already
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
    debug: bool = typer.Option(False, DEBUG, help="Print the traceback of a problem in the code of a package."),
) -> None:
    ctx.meta[DEBUG] = debug


synth.register(app)
check_command.register(app)
init.register(app)
explain.register(app)
schema.register(app)
list_.register(app)
crd.register(app)
component.register(app)
bootstrap.register(app)
job.register(app)
order.register(app)
images.register(app)
