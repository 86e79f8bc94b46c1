"""`platformctl crd`: CRDs in, types out, and back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import typer

from platform_def.cli.place import counted, save, say, show
from platform_def.errors import ConfigError, Problem

IMPORT_EXAMPLES = """
Examples:

  platformctl crd import widgets.crd.yaml --out my_platform/apis

  kubectl get crd -o yaml | platformctl crd import - --out my_platform/apis
"""

EXPORT_EXAMPLES = """
Examples:

  platformctl crd export --out crds                 all, in every release

  platformctl crd export training-operator --out crds
"""

app = typer.Typer(help="CRDs to Python types, and types to CRDs.", no_args_is_help=True)


def register(parent: typer.Typer) -> None:
    """Add the commands."""
    app.command("import", epilog=IMPORT_EXAMPLES)(import_)
    app.command("export", epilog=EXPORT_EXAMPLES)(export)
    parent.add_typer(app, name="crd")


def import_(
    source: str = typer.Argument(metavar="FILE|FOLDER|-", help="CRDs in YAML or JSON; - reads standard input."),
    out: Path | None = typer.Option(None, "--out", metavar="DIR", help="Folder for the modules; by default stdout."),
    descriptions: bool = typer.Option(True, "--descriptions/--no-descriptions", help="Keep the fields' descriptions."),
    data: bool = typer.Option(False, "--data", help="Schemas as compact data: for kinds nobody writes by hand."),
) -> None:
    """Write a module of types for the APIs of CRDs; their CRDs come out of it again."""
    from platform_def.apis.importer import import_crds

    found = _documents(source)
    if not found:
        raise ConfigError(f"{source} holds nothing")
    modules = import_crds(found, descriptions=descriptions, data=data)
    if not modules:
        raise ConfigError(f"{source} holds no CustomResourceDefinition")
    for name, text in sorted(modules.items()):
        if out is None:
            sys.stdout.write(text)
            continue
        save(out / name, text)
        show(str(out / name))
    say(counted(len(modules), "module"))


def _documents(source: str) -> list[dict[str, Any]]:
    from platform_def.yaml import load_all

    texts = (
        [("<stdin>", sys.stdin.buffer.read())]
        if source == "-"
        else [(str(path), path.read_bytes()) for path in _paths(Path(source))]
    )
    found: list[dict[str, Any]] = []
    problems: list[Problem] = []
    for name, text in texts:
        try:
            documents = load_all(text, file=name)
        except ConfigError as error:
            problems += error.problems
            continue
        found += [document for document in documents if isinstance(document, dict)]
    if problems:
        raise ConfigError(problems)
    return found


def _paths(source: Path) -> list[Path]:
    if source.is_dir():
        return sorted(path for path in source.rglob("*") if path.suffix in (".yaml", ".yml", ".json"))
    if not source.is_file():
        raise ConfigError(f"{source} is not there")
    return [source]


def export(
    components: list[str] = typer.Argument(
        None, metavar="COMPONENT", help="By default all with APIs.", show_default=False
    ),
    out: Path = typer.Option(..., "--out", metavar="DIR", help="Folder: DIR/<component>-<release>/<crd>.yaml."),
) -> None:
    """Write the CRDs of components, every release of them."""
    from platform_def.pipeline.crds import export_crds

    count = 0
    for path, text in export_crds(components or ()):
        save(out / path, text)
        count += 1
    say(f"{counted(count, 'CRD')} in {out}")
