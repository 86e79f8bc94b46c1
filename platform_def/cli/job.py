"""`platformctl job`: job templates, and one job rendered to be created by hand."""

from __future__ import annotations

import json
from pathlib import Path

import click

from platform_def.cli import completion
from platform_def.cli.command import Command
from platform_def.cli.list_ import What, show_list
from platform_def.cli.place import OUTPUT, ROOT, Output, show

LIST_EXAMPLES = """
Examples:

  platformctl job list

  platformctl job list -o json
"""
EXAMPLES = """
Examples:

  platformctl job render gpu-job --stack gpu-prod --set name=smi \\
    --set image=docker.io/nvidia/cuda:12.8.1-base-ubuntu24.04 \\
    --set 'command=[nvidia-smi]' --set pool=train

  platformctl job render development --stack gpu-prod --set name=desk \\
    --set image=... | kubectl create -f -
"""


@click.group("job", help="Training jobs from templates.", no_args_is_help=True)
def job() -> None:
    """The commands about jobs."""


@job.command("list", cls=Command, epilog=LIST_EXAMPLES)
@OUTPUT
def templates(output: Output) -> None:
    """List the job templates; their parameters are in docs/reference/jobs.md."""
    show_list(What.templates, Path(), output)


@job.command("render", cls=Command, epilog=EXAMPLES)
@click.argument("template", metavar="TEMPLATE", help="Name of a template.", shell_complete=completion.templates)
@click.option(
    "--stack",
    "-s",
    metavar="STACK",
    required=True,
    help="The cluster it is for.",
    shell_complete=completion.stacks,
)
@click.option(
    "--set",
    "setting",
    metavar="KEY=VALUE",
    multiple=True,
    help="A parameter; the value is YAML, and dots lead into maps. May be repeated.",
)
@ROOT
@OUTPUT
def render(template: str, stack: str, setting: tuple[str, ...], root: Path, output: Output) -> None:
    """Print the objects of one job, placed and checked like a stack's own jobs; nothing is written or started."""
    from platform_def.pipeline.jobs.one import render_job
    from platform_def.yaml import dump_all

    objects = render_job(root, stack, template, setting)
    show(json.dumps(objects, indent=1) if output is Output.json else dump_all(objects).rstrip("\n"))
