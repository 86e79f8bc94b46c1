"""`platformctl init`: a platform repository that synthesises and passes its own check at once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import click

from platform_def.cli.command import Command
from platform_def.cli.installed import FILE, FOLDER, installed
from platform_def.cli.place import PATH, copy, save, say, show
from platform_def.errors import ConfigError

EXAMPLES = """
Examples:

  platformctl init my-platform                        a new folder

  platformctl init . --stack gpu-prod --engine flux   in this folder

  platformctl init my-platform --ci gitlab            checked by GitLab
"""

TEMPLATE = "init_files"
NEEDED = (FILE, "requirements.txt")
"""What CI installs the tool by."""
CI = {"github": (".github/",), "gitlab": (".gitlab-ci.yml", ".gitlab/"), "none": ()}
"""Where the files of each CI system are."""


@click.command("init", cls=Command, epilog=EXAMPLES)
@click.argument("folder", metavar="DIR", type=PATH, help="Folder of the new repository; made if missing.")
@click.option("--stack", metavar="STACK", default="main", help="Name of the first stack: your cluster's.")
@click.option("--engine", metavar="ENGINE", default="argocd", help="Who applies dist/: argocd, flux or none.")
@click.option("--ci", metavar="CI", default="github", help="What checks each change: github, gitlab or none.")
def init(folder: Path, stack: str, engine: str, ci: str) -> None:
    """Write a stack, an overlay, cdk8s.yaml, what CI installs and runs, a pre-commit hook, a Dockerfile and a README.

    Existing files stay as they are.
    """
    from platform_def.config.written.explain import name_problem

    problem = name_problem(stack)
    if problem:
        raise ConfigError(f"--stack: {problem}")
    if engine not in ("argocd", "flux", "none"):
        raise ConfigError(f"--engine: one of argocd, flux, none is wanted, not '{engine}'")
    if ci not in CI:
        raise ConfigError(f"--ci: one of {', '.join(CI)} is wanted, not '{ci}'")
    others = tuple(start for name, starts in CI.items() if name != ci for start in starts)
    values = {"STACK": stack, "ENGINE": engine}
    whole = dict(_files(files(__package__) / TEMPLATE, "", values))
    made = {path: text for path, text in whole.items() if not path.startswith(others)}
    tool = installed()
    made[FILE] = tool.text
    wheel = f"{FOLDER}/{tool.wheel.name}" if tool.wheel else ""
    kept = _kept(folder, made)
    written = {path: text for path, text in made.items() if path not in kept}
    for path, text in written.items():
        save(folder / path, text)
    if tool.wheel and not (folder / wheel).exists():
        copy(tool.wheel, folder / wheel)
    for path in sorted([*written, *filter(None, [wheel])]):
        show(str(folder / path))
    for path in kept:
        say(f"{folder / path} is there already and stays as it is{_lines_to_add(folder / path, made[path])}")
    if not tool.known:
        say(f"{folder / FILE}: say there where platformctl comes from; CI installs it from that")
    say(f"next: cd {folder} && platformctl synth")


def _kept(folder: Path, made: Mapping[str, str]) -> list[str]:
    """Files that are there already; ConfigError where the new repository could not work with one of them."""
    stacks = sorted(path.name for path in (folder / "stacks").glob("*.y*ml"))
    if stacks:
        hint = "a further cluster is one more file there; init is for a new repository"
        raise ConfigError(f"{folder} has stacks already: {', '.join(stacks[:5])}", hint=hint)
    kept = sorted(path for path in made if os.path.lexists(folder / path))
    needed = [path for path in kept if path in NEEDED and _text(folder / path) != made[path]]
    if needed:
        hint = "rename it, or choose another folder: CI installs platformctl by files of these names"
        raise ConfigError(f"{folder} has a {' and a '.join(needed)} of its own", hint=hint)
    return kept


def _lines_to_add(path: Path, text: str) -> str:
    """What a list that git reads lacks."""
    if path.name not in (".gitignore", ".gitattributes"):
        return ""
    there = _text(path).splitlines()
    lacking = [line for line in text.splitlines() if line and not line.startswith("#") and line not in there]
    return "; add to it:\n  " + "\n  ".join(lacking) if lacking else ""


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


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
