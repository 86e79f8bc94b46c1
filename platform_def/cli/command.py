"""A command whose `-o json` is kept where it fails, too: another program reads the problems as it reads results."""

from __future__ import annotations

import json
from typing import Any

from typer.core import TyperCommand

from platform_def.cli.place import Output, show
from platform_def.errors import PlatformError, Problem


class Command(TyperCommand):
    """Prints problems to stdout as JSON where that is asked for; `main` tells them to people all the same."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except PlatformError as error:
            if ctx.params.get("output") == Output.json:
                show(json.dumps({"problems": [_plain(problem) for problem in error.problems]}, indent=1))
            raise


def _plain(problem: Problem) -> dict[str, object]:
    where = problem.where
    return {
        "file": where.file if where else None,
        "line": where.line if where else 0,
        "text": problem.text,
        "hint": problem.hint,
    }
