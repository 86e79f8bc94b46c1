"""`platformctl job`: job templates, and one job rendered to be created by hand."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from platform_def.cli import completion
from platform_def.cli.command import Command
from platform_def.cli.list_ import What, list_
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


def register(app: typer.Typer) -> None:
    """Add the command and its two parts."""
    job = typer.Typer(name="job", help="Training jobs from templates.", no_args_is_help=True)
    job.command("list", cls=Command, epilog=LIST_EXAMPLES)(templates)
    job.command("render", cls=Command, epilog=EXAMPLES)(render)
    app.add_typer(job)


def templates(output: Output = OUTPUT) -> None:
    """List the job templates; their parameters are in docs/reference/jobs.md."""
    list_(What.templates, Path(), output, releases=False)


def render(
    template: str = typer.Argument(metavar="TEMPLATE", help="Name of a template.", autocompletion=completion.templates),
    stack: str = typer.Option(
        ..., "--stack", "-s", metavar="STACK", help="The cluster it is for.", autocompletion=completion.stacks
    ),
    setting: list[str] = typer.Option(
        [],
        "--set",
        metavar="KEY=VALUE",
        help="A parameter; the value is YAML, and dots lead into maps. May be repeated.",
    ),
    root: Path = ROOT,
    output: Output = OUTPUT,
) -> None:
    """Print the objects of one job, placed and checked like a stack's own jobs; nothing is written or started."""
    from platform_def.pipeline.jobs.one import render_job
    from platform_def.yaml import dump_all

    objects = render_job(root, stack, template, setting)
    show(json.dumps(objects, indent=1) if output is Output.json else dump_all(objects).rstrip("\n"))
