"""`platformctl init`: a platform repository that synthesises and passes its own check at once."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import typer

from platform_def.cli.command import Command
from platform_def.cli.installed import FILE, FOLDER, installed
from platform_def.cli.place import copy, save, say, show
from platform_def.errors import ConfigError

EXAMPLES = """
Examples:

  platformctl init my-platform                        a new folder

  platformctl init . --stack gpu-prod --engine flux   in this folder
"""

TEMPLATE = "init_files"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("init", cls=Command, epilog=EXAMPLES)(init)


def init(
    folder: Path = typer.Argument(metavar="DIR", help="Folder of the new repository; made if missing."),
    stack: str = typer.Option("main", "--stack", help="Name of the first stack: your cluster's."),
    engine: str = typer.Option("argocd", "--engine", help="Who applies dist/: argocd, flux or none."),
) -> None:
    """Write a stack, an overlay, cdk8s.yaml, what CI installs and runs, and a README."""
    from platform_def.config.explain import name_problem

    problem = name_problem(stack)
    if problem:
        raise ConfigError(f"--stack: {problem}")
    if engine not in ("argocd", "flux", "none"):
        raise ConfigError(f"--engine: one of argocd, flux, none is wanted, not '{engine}'")
    made = dict(_files(files(__package__) / TEMPLATE, "", {"STACK": stack, "ENGINE": engine}))
    tool = installed()
    made[FILE] = tool.text
    wheel = f"{FOLDER}/{tool.wheel.name}" if tool.wheel else ""
    present = [path for path in (*made, *filter(None, [wheel])) if (folder / path).exists()]
    if present:
        raise ConfigError(
            f"{folder} has {', '.join(sorted(present))} already", hint="init never overwrites; choose another folder"
        )
    for path, text in made.items():
        save(folder / path, text)
    if tool.wheel:
        copy(tool.wheel, folder / wheel)
    for path in sorted([*made, *filter(None, [wheel])]):
        show(str(folder / path))
    if not tool.known:
        say(f"{folder / FILE}: say there where platformctl comes from; CI installs it from that")
    say(f"next: cd {folder} && platformctl synth")


def _files(source: Traversable, prefix: str, values: dict[str, str]) -> list[tuple[str, str]]:
    found = []
    for entry in sorted(source.iterdir(), key=lambda each: each.name):
        name = entry.name.replace("STACK", values["STACK"]).removesuffix(".txt")
        name = f".{name.removeprefix('dot-')}" if name.startswith("dot-") else name
        if entry.is_dir():
            if entry.name != "__pycache__":
                found += _files(entry, f"{prefix}{name}/", values)
        else:
            text = entry.read_text(encoding="utf-8")
            for key, value in values.items():
                text = text.replace(f"@{key}@", value)
            found.append((prefix + name, text))
    return found
