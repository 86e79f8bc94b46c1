"""`platformctl check`: everything that synth checks, without writing; also on manifests that others made."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from platform_def.cli.interrupt import held
from platform_def.cli.place import CACHE, JOBS, OUTPUT, ROOT, STACKS, Output, Place, counted, say
from platform_def.errors import ConfigError
from platform_def.pipeline.code import code_digest

if TYPE_CHECKING:
    from platform_def.checks.rule import Finding

EXAMPLES = """
Examples:

  platformctl check                      would a cluster take it?

  platformctl check gpu-prod -o json     one stack, for another program

  helm template mine chart/ | platformctl check -f - --kubernetes 1.34
"""

FILES = typer.Option(
    [],
    "--filename",
    "-f",
    metavar="PATH",
    help="Instead of stacks: manifests that others made, a file, a folder with all below it, or - for standard input.",
    show_default=False,
)
KUBERNETES = typer.Option(
    "", "--kubernetes", metavar="VERSION", help="With -f: the cluster's minor version.", show_default="1.36"
)
NAMESPACE = typer.Option(
    "default", "--namespace", "-n", metavar="NAME", help="With -f: namespace of objects that name none."
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check", epilog=EXAMPLES)(check)


def check(
    stacks: list[str] = STACKS,
    root: Path = ROOT,
    files: list[str] = FILES,
    kubernetes: str = KUBERNETES,
    namespace: str = NAMESPACE,
    cache: bool = CACHE,
    jobs: int = JOBS,
    output: Output = OUTPUT,
) -> None:
    """Check stacks, or manifests of others, and say what a cluster would refuse; exit code 1 when there is an error."""
    if files and stacks:
        raise ConfigError("-f is for manifests, and stacks are named without it", hint="run the command once for each")
    if kubernetes and not files:
        raise ConfigError("--kubernetes is for manifests (-f): a stack says it itself, under cluster.kubernetes")
    found = _of_manifests(files, kubernetes, namespace) if files else _of_stacks(stacks, root, cache, jobs)
    from platform_def.checks.report.as_json import json
    from platform_def.checks.report.as_text import summary, text

    sys.stdout.write(json(found.findings) if output is Output.json else text(found.findings))
    if output is Output.text:
        say(f"{found.what} checked: {summary(found.findings)}")
    if any(finding.severity == "error" for finding in found.findings):
        raise typer.Exit(1)


class _Found:
    """What was checked, in words, and what was found."""

    def __init__(self, what: str, findings: list[Finding]):
        self.what = what
        self.findings = findings


def _of_stacks(stacks: list[str], root: Path, cache: bool, jobs: int) -> _Found:
    from platform_def.pipeline.prefetch import prefetched

    with held(), prefetched():
        from platform_def.cli.progress import Ticker
        from platform_def.pipeline.synth import Options, render

    place = Place.of(root, None)
    ticker = Ticker()
    code = code_digest(place.state) if (root / "stacks").is_dir() else ""
    options = Options(root, tuple(stacks or ()), place.cache if cache else None, code, jobs, ticker)
    try:
        rendered = render(options)
    finally:
        ticker.done()
    findings = [finding for each in rendered.findings.values() for finding in each]
    return _Found(counted(len(rendered.stacks), "stack"), findings)


def _of_manifests(files: list[str], kubernetes: str, namespace: str) -> _Found:
    from platform_def.checks.engine import NOT_COVERED_ALONE, check
    from platform_def.pipeline.foreign import STANDARD_INPUT, foreign_stack

    piped = sys.stdin.buffer.read() if STANDARD_INPUT in files else b""
    stack = foreign_stack(files, kubernetes=kubernetes, namespace=namespace, standard_input=piped)
    findings = check(stack, file_of=lambda item: item.origin)
    objects = counted(sum(1 for _ in stack.objects()), "object")
    say(f"not covered without a stack: {', '.join(NOT_COVERED_ALONE)}")
    return _Found(f"{objects} for Kubernetes {stack.platform.kubernetes}", findings)
