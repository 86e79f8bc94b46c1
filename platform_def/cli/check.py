"""`platformctl check`: everything that synth checks, without writing; also on manifests that others made."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import click

from platform_def.cli.checked import CheckedFiles, Manifests, Stacks
from platform_def.cli.command import Command
from platform_def.cli.place import BASE, CACHE, JOBS, PATH, ROOT, STACKS, counted, say, write
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


@click.command("check", cls=Command, epilog=EXAMPLES)
@STACKS
@ROOT
@click.option(
    "--filename",
    "-f",
    "files",
    metavar="PATH",
    multiple=True,
    help="Instead of stacks: manifests from other tools; a file, a folder with all below it, or - for standard input.",
)
@click.option(
    "--kubernetes",
    metavar="VERSION[,…]",
    default="",
    show_default=False,
    help="With -f the cluster's minor version; of stacks, and of several versions, a table of what each would refuse.",
)
@click.option(
    "--namespace", "-n", metavar="NAME", default="default", help="With -f: namespace of objects that name none."
)
@click.option(
    "--exclude",
    metavar="PATTERN",
    multiple=True,
    help="With -f: files and folders below a folder that are left out, by path or name; may be repeated.",
)
@click.option("--waivers", metavar="FILE", type=PATH, help="With -f: a file with `waive:`, as in `checks:` of a stack.")
@click.option(
    "--existing",
    metavar="PATH",
    multiple=True,
    help="What the cluster has, as `kubectl get … -o yaml` prints it: references to it are checked. A file, a folder, "
    "or - for standard input; may be repeated.",
)
@click.option(
    "--date",
    metavar="DAY",
    default="",
    show_default=False,
    help="The day (2027-01-31) for which waivers are evaluated.",
)
@click.option(
    "--previous",
    metavar="DIR",
    default="",
    show_default=False,
    help="What the cluster has now: manifests, or of stacks a folder like dist/. Changes that the API server refuses "
    "are errors.",
)
@BASE
@click.option(
    "--fail-on",
    type=click.Choice(FailOn),
    default=FailOn.error,
    help="Lowest severity that makes the command exit with 1.",
)
@CACHE
@JOBS
@click.option(
    "--output",
    "-o",
    type=click.Choice(Report),
    default=Report.text,
    help="How to print the result: text, json, SARIF 2.1.0, JUnit XML, or workflow commands of GitHub Actions.",
)
def check(
    stacks: tuple[str, ...],
    root: Path,
    files: tuple[str, ...],
    kubernetes: str,
    namespace: str,
    exclude: tuple[str, ...],
    waivers: Path | None,
    existing: tuple[str, ...],
    date: str,
    previous: str,
    base: str,
    fail_on: FailOn,
    cache: bool,
    jobs: int,
    output: Report,
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
        Manifests(files, "" if several else kubernetes, namespace, waivers, existing, previous, exclude)
        if files
        else Stacks(stacks, root, cache, jobs, existing, previous, base)
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
        raise click.exceptions.Exit(2)
    if answer.fails(fail_on.value):
        raise click.exceptions.Exit(1)


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
        raise click.exceptions.Exit(2)
    if fails(asked.rows, fail_on.value):
        raise click.exceptions.Exit(1)
