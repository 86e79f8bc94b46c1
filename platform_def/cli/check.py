"""`platformctl check`: everything that synth checks, without writing."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from platform_def.cli.interrupt import held
from platform_def.cli.place import CACHE, JOBS, OUTPUT, ROOT, STACKS, Output, Place, counted, say
from platform_def.pipeline.code import code_digest

EXAMPLES = """
Examples:

  platformctl check                      would a cluster take it?

  platformctl check gpu-prod -o json     one stack, for another program
"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check", epilog=EXAMPLES)(check)


def check(
    stacks: list[str] = STACKS, root: Path = ROOT, cache: bool = CACHE, jobs: int = JOBS, output: Output = OUTPUT
) -> None:
    """Check stacks and say what a cluster would refuse; exit code 1 when there is an error."""
    from platform_def.pipeline.prefetch import prefetched

    with held(), prefetched():
        from platform_def.checks.report.as_json import json
        from platform_def.checks.report.as_text import summary, text
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
    found = [finding for findings in rendered.findings.values() for finding in findings]
    sys.stdout.write(json(found) if output is Output.json else text(found))
    if output is Output.text:
        say(f"{counted(len(rendered.stacks), 'stack')} checked: {summary(found)}")
    if any(finding.severity == "error" for finding in found):
        raise typer.Exit(1)
