"""`platformctl`: runs the command, turns errors into messages and exit codes.

Little is imported before main is at work, so that Ctrl-C finds it there.
"""

from __future__ import annotations

import gc
import os
import sys

from platform_def.cli.exit_codes import INTERRUPTED


def main() -> None:
    """The console script."""
    gc.disable()  # a run is short, and makes many objects that all live to its end
    # Pydantic would look through everything installed for programs that watch what it validates; a run has none.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        from platform_def.cli import streams

        streams.prepare()
        code = streams.finish(_run())
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        code = INTERRUPTED
    sys.exit(code)


def _run() -> int:
    """Run the command; its exit code. Click's own `main` would say in its words what ended it."""
    import click

    from platform_def.cli import streams
    from platform_def.cli.app import app
    from platform_def.cli.command import COMPLETE, PROGRAM
    from platform_def.errors import PlatformError
    from platform_def.packages import exits_raise

    if wanted := os.environ.get(COMPLETE):
        from click.shell_completion import shell_complete

        return shell_complete(app, {}, PROGRAM, COMPLETE, wanted)
    try:
        with exits_raise(), app.make_context(PROGRAM, sys.argv[1:]) as context:
            app.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            sys.stderr.write(f"{end.code}\n")
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BrokenPipeError:
        return streams.UNREAD
    except PlatformError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    except OSError as error:
        place = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
        sys.stderr.write(f"error: {place}{error.strerror or error}\n")
        return 2
    return 0


if __name__ == "__main__":
    main()
