"""`platformctl check`: everything that synth checks, without writing; also on manifests that others made."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from platform_def.cli.checked import CheckedFiles, Manifests, Stacks
from platform_def.cli.command import Command
from platform_def.cli.place import BASE, CACHE, JOBS, ROOT, STACKS, counted, say, write
from platform_def.errors import ConfigError

if TYPE_CHECKING:
    from platform_def.checks.report.answer import Answer

EXAMPLES = """
Examples:

  platformctl check                      would a cluster take it?

  platformctl check gpu-prod -o json     one stack, for another program

  helm template mine chart/ | platformctl check -f - --kubernetes 1.34

  platformctl check -f . --exclude charts --exclude '*.secret.yaml'

  platformctl check --kubernetes 1.36,1.37    what would an upgrade break?
"""

FILES = typer.Option(
    [],
    "--filename",
    "-f",
    metavar="PATH",
    help="Instead of stacks: manifests from other tools; a file, a folder with all below it, or - for standard input.",
    show_default=False,
)
KUBERNETES = typer.Option(
    "",
    "--kubernetes",
    metavar="VERSION[,…]",
    help="With -f the cluster's minor version; of stacks, and of several versions, a table of what each would refuse.",
    show_default=False,
)
NAMESPACE = typer.Option(
    "default", "--namespace", "-n", metavar="NAME", help="With -f: namespace of objects that name none."
)

EXCLUDE = typer.Option(
    [],
    "--exclude",
    metavar="PATTERN",
    help="With -f: files and folders below a folder that are left out, by path or name; may be repeated.",
    show_default=False,
)

PREVIOUS = typer.Option(
    "",
    "--previous",
    metavar="DIR",
    help="What the cluster has now: manifests, or of stacks a folder like dist/. Changes that the API server refuses "
    "are errors.",
    show_default=False,
)


class FailOn(StrEnum):
    """The lowest severity that makes the command exit with 1."""

    error = "error"
    warning = "warning"


class Report(StrEnum):
    """How findings are written."""

    text = "text"
    json = "json"
    sarif = "sarif"
    junit = "junit"
    github = "github"


OUTPUT = typer.Option(
    Report.text,
    "--output",
    "-o",
    help="How to print the result: text, json, SARIF 2.1.0, JUnit XML, or workflow commands of GitHub Actions.",
)
WAIVERS = typer.Option(
    None,
    "--waivers",
    metavar="FILE",
    help="With -f: a file with `waive:`, as in `checks:` of a stack.",
    show_default=False,
)
EXISTING = typer.Option(
    [],
    "--existing",
    metavar="PATH",
    help="What the cluster has, as `kubectl get … -o yaml` prints it: references to it are checked. A file, a folder, "
    "or - for standard input; may be repeated.",
    show_default=False,
)
DATE = typer.Option(
    "", "--date", metavar="DAY", help="The day (2027-01-31) for which waivers are evaluated.", show_default=False
)
FAIL_ON = typer.Option(FailOn.error, "--fail-on", help="Lowest severity that makes the command exit with 1.")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check", cls=Command, epilog=EXAMPLES)(check)


def check(
    stacks: list[str] = STACKS,
    root: Path = ROOT,
    files: list[str] = FILES,
    kubernetes: str = KUBERNETES,
    namespace: str = NAMESPACE,
    exclude: list[str] = EXCLUDE,
    waivers: Path | None = WAIVERS,
    existing: list[str] = EXISTING,
    date: str = DATE,
    previous: str = PREVIOUS,
    base: str = BASE,
    fail_on: FailOn = FAIL_ON,
    cache: bool = CACHE,
    jobs: int = JOBS,
    output: Report = OUTPUT,
) -> None:
    """Check stacks, or manifests from other tools, and say what a cluster would refuse; exit code 1 on an error."""
    if files and stacks:
        raise ConfigError("-f is for manifests, and stacks are named without it", hint="run the command once for each")
    if waivers and not files:
        raise ConfigError("--waivers is for manifests (-f): a stack says it itself, under checks.waive")
    if exclude and not files:
        raise ConfigError("--exclude is for manifests (-f)")
    if "-" in files and "-" in existing:
        raise ConfigError("standard input is either the manifests (-f -) or what the cluster has (--existing -)")
    day = _day(date)
    several = kubernetes if not files or "," in kubernetes else ""
    if several and (previous or base):
        told = "--previous" if previous else "--base"
        raise ConfigError(f"{told} is for one version of Kubernetes", hint="leave one of the two out")
    if base and (previous or files):
        raise ConfigError("--base is for stacks, and instead of --previous", hint="leave one of the two out")
    given = (
        Manifests(files, "" if several else kubernetes, namespace, waivers, tuple(existing), previous, tuple(exclude))
        if files
        else Stacks(tuple(stacks or ()), root, cache, jobs, tuple(existing), previous, base)
    )
    if several:
        _at_versions(given, several, day, output, fail_on)
    else:
        _tell(given.found(day), output, fail_on)


def _day(text: str) -> str:
    """The day; ConfigError for a text that is none."""
    if not text:
        return ""
    from pydantic import TypeAdapter, ValidationError

    from platform_def.config.stack import Day

    try:
        return TypeAdapter(Day).validate_python(text)
    except ValidationError:
        raise ConfigError(f"--date: '{text[:40]}' is no day", hint="write 2027-01-31") from None


def _tell(found: CheckedFiles, output: Report, fail_on: FailOn) -> None:
    from platform_def.checks.report.as_text import summary, uncovered

    answer = found.answer
    write(_written(answer, output, fail_on))
    for line in uncovered(answer):
        say(line)
    say(f"{found.what} checked: {summary(answer)}")
    if answer.unreadable and output is Report.text:
        raise ConfigError(answer.unreadable)
    if answer.unreadable:  # the answer names them: a second one would not be JSON
        for problem in answer.unreadable:
            say(str(problem))
        raise typer.Exit(2)
    if answer.fails(fail_on.value):
        raise typer.Exit(1)


def _written(answer: Answer, output: Report, fail_on: FailOn) -> str:
    if output is not Report.text:
        answer = answer.located
    if output is Report.sarif:
        from platform_def.checks.report.as_sarif import sarif

        return sarif(answer)
    if output is Report.junit:
        from platform_def.checks.report.as_junit import junit

        return junit(answer, fail_on=fail_on.value)
    if output is Report.github:
        from platform_def.checks.report.as_github import github

        return github(answer)
    from platform_def.checks.report.as_json import json
    from platform_def.checks.report.as_text import text

    return json(answer) if output is Report.json else text(answer)


def _at_versions(given: Stacks | Manifests, kubernetes: str, day: str, output: Report, fail_on: FailOn) -> None:
    from platform_def.pipeline.findings.at_versions import versions_of

    versions = versions_of(kubernetes)
    if output not in (Report.text, Report.json):
        raise ConfigError(f"-o {output.value} is for one version", hint="a table of versions is text or json")
    asked = given.at_versions(versions, day)
    from platform_def.checks.report.as_table import counts, fails, table, table_json

    write((table_json if output is Report.json else table)(asked.rows, versions))
    for version, found in counts(asked.rows, versions).items():
        said = ", ".join(counted(count, severity) for severity, count in found.items() if count) or "no findings"
        say(f"{asked.what} checked for Kubernetes {version}: {said}")
    for problem in asked.unreadable:
        say(str(problem))
    if asked.unreadable:
        raise typer.Exit(2)
    if fails(asked.rows, fail_on.value):
        raise typer.Exit(1)
