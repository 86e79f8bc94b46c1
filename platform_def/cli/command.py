"""A command that ends in one of the documented ways, whatever the code that it runs does.

Code of packages neither writes into the data nor ends the run; with `-o json` another program reads the problems of a
run that failed as it reads results.
"""

from __future__ import annotations

import json
from typing import Any

import click

from platform_def.cli.place import Output, say, show
from platform_def.cli.streams import data_alone
from platform_def.errors import PlatformError, Problem
from platform_def.packages import blamed, ended

PROGRAM = "platformctl"
COMPLETE = "_PLATFORMCTL_COMPLETE"
"""Variable by which a shell asks what to offer."""
DEBUG = "--debug"


class Command(click.Command):
    """Prints problems to stdout as JSON where that is asked for; `main` prints them for people as well."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """`--debug`, an option of the program, may also follow the command."""
        if DEBUG in args[: args.index("--") if "--" in args else None]:
            args.remove(DEBUG)
            ctx.meta[DEBUG] = True
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with data_alone():
            try:
                with blamed():
                    return super().invoke(ctx)
            except SystemExit as end:  # the command line's own are raised outside of this
                error: PlatformError = PlatformError(ended(end))
            except PlatformError as found:
                error = found
            if ctx.meta.get(DEBUG):
                say("\n".join(problem.trace.rstrip() for problem in error.problems if problem.trace))
            if ctx.params.get("output") == Output.json:
                show(json.dumps({"problems": [_plain(problem) for problem in error.problems]}, indent=1))
        raise error


class Commands(click.Group):
    """Lists its commands in the order in which a newcomer wants them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """As they were added."""
        return list(self.commands)


def _plain(problem: Problem) -> dict[str, object]:
    where = problem.where
    return {
        "file": where.file if where else None,
        "line": where.line if where else 0,
        "text": problem.text,
        "hint": problem.hint,
    }
