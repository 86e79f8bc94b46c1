"""The commands of `platformctl`, and the options that all of them share.

What a command needs is imported when it is called: one that has nothing to do ends before models or cdk8s are loaded.
"""

from __future__ import annotations

import click

from platform_def import __version__
from platform_def.cli import (
    bootstrap,
    check,
    component,
    crd,
    explain,
    images,
    init,
    job,
    list_,
    order,
    schema,
    shell,
    synth,
)
from platform_def.cli.command import DEBUG, PROGRAM, Commands


@click.group(
    PROGRAM,
    cls=Commands,
    help="Declare a GPU machine-learning platform in a stack file; get plain, checked Kubernetes manifests.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(__version__, message=f"{PROGRAM} %(version)s", help="Print the version and exit.")
@click.option(DEBUG, is_flag=True, help="Print the traceback of a problem in the code of a package.")
@click.pass_context
def app(ctx: click.Context, debug: bool) -> None:
    """The program."""
    ctx.meta[DEBUG] = debug


for _command in (
    synth.synth,
    check.check,
    init.init,
    explain.explain,
    schema.schema,
    list_.list_,
    bootstrap.bootstrap,
    order.graph,
    order.waves,
    images.images,
    crd.crd,
    component.component,
    job.job,
    shell.completion,
):
    app.add_command(_command)
