"""Writes the commands' own help into the docs.

`make docs` runs it; a test fails when a page lags.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

import click

from platform_def.cli.app import app


def commands() -> dict[str, click.Command]:
    """Every command by its words after `platformctl`, groups before what they hold; the empty name is the program."""
    return dict(_walk("", app))


def _walk(name: str, command: object) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Command):
        yield name, command
    if isinstance(command, click.Group):
        for word, inner in command.commands.items():
            yield from _walk(f"{name} {word}".strip(), inner)


def pages(root: Path) -> Iterator[tuple[Path, str]]:
    """Path and text of every page that is generated here, below the project's root."""
    yield root / "docs" / "reference" / "cli.md", _commands_page()


def _commands_page() -> str:
    """The same at any width of the terminal."""
    sections = ["\n".join(_section(name, command)) for name, command in commands().items()]
    head = [
        "# Commands",
        "",
        "Generated from the commands' own help (`make docs`). Exit codes and output formats: [errors](../errors.md).",
        "",
    ]
    return "\n".join(head) + "\n" + "\n\n".join(sections) + "\n"


def _section(name: str, command: click.Command) -> Iterator[str]:
    full = f"platformctl {name}".strip()
    context = command.context_class(command, info_name=full, show_default=True)
    rows = [(item, item.get_help_record(context)) for item in command.params]
    arguments = [record for item, record in rows if record and isinstance(item, click.Argument)]
    options = [record for item, record in rows if record and not isinstance(item, click.Argument)]
    inner = list(command.commands) if isinstance(command, click.Group) else []
    usage = [full, *(left.partition(" ")[0] for left, _ in arguments)]
    usage += [word for word, wanted in (("COMMAND", inner), ("[OPTIONS]", options)) if wanted]
    yield from (f"## `{full}`", "", cleandoc(command.help or ""), "", f"    {' '.join(usage)}")
    if inner:
        yield from ("", f"Commands: {', '.join(f'`{word}`' for word in inner)}.")
    if arguments or options:
        yield from ("", "| argument or option | meaning |", "|---|---|")
        yield from (f"| `{_cell(left)}` | {_prose(right)} |" for left, right in [*arguments, *options])
    if command.epilog:
        yield from ("", "```text", *filter(None, command.epilog.splitlines()[2:]), "```")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _prose(text: str) -> str:
    """Outside backticks a `<word>` would be taken for HTML."""
    return _cell(text).replace("<", r"\<")


def main() -> None:
    """Write the pages; with `--check` only say which lag."""
    root = Path(__file__).resolve().parent.parent.parent
    stale = [(path, text) for path, text in pages(root) if not path.exists() or path.read_text("utf-8") != text]
    for path, text in stale:
        sys.stdout.write(f"{path.relative_to(root)}\n")
        if "--check" not in sys.argv:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    sys.exit(1 if stale and "--check" in sys.argv else 0)


if __name__ == "__main__":
    main()
