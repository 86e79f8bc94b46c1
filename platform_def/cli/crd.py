"""`platformctl crd`: CRDs in, types out, and back."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from platform_def.cli import completion
from platform_def.cli.command import Command
from platform_def.cli.place import PATH, counted, save, say, show, write
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

SUFFIXES = (".yaml", ".yml", ".json")


@click.group("crd", help="CRDs to Python types, and types to CRDs.", no_args_is_help=True)
def crd() -> None:
    """The commands about CRDs."""


@crd.command("import", cls=Command, epilog=IMPORT_EXAMPLES)
@click.argument("source", metavar="FILE|FOLDER|-", help="CRDs in YAML or JSON; - reads standard input.")
@click.option("--out", metavar="DIR", type=PATH, help="Folder for the modules; by default stdout.")
@click.option("--descriptions/--no-descriptions", default=True, help="Keep the fields' descriptions.")
@click.option("--data", is_flag=True, help="Schemas as compact data: for kinds not written by hand.")
def import_(source: str, out: Path | None, descriptions: bool, data: bool) -> None:
    """Write a module of types for the APIs of CRDs; the same CRDs are generated from it."""
    from platform_def.crds.importer import import_crds

    found = documents_of(source)
    files, documents = [name for name, _ in found], [document for _, document in found]
    modules = import_crds(documents, files=files, descriptions=descriptions, data=data)
    if not modules:
        raise ConfigError(f"{source} holds no CustomResourceDefinition")
    for name, text in sorted(modules.items()):
        if out is None:
            write(text)
            continue
        save(out / name, text)
        show(str(out / name))
    say(counted(len(modules), "module"))
    if old := sum(document.get("apiVersion") == "apiextensions.k8s.io/v1beta1" for document in documents):
        said = "written as v1, which asks for more; unknown fields are kept where they were"
        say(f"{counted(old, 'CRD')} of v1beta1: {said}")


def documents_of(source: str) -> list[tuple[str, dict[str, Any]]]:
    """Each document with the name of its file; files of a folder that speak of no CRD are not even parsed."""
    from platform_def.yaml import load_all

    found: list[tuple[str, dict[str, Any]]] = []
    problems: list[Problem] = []
    for name, content in _texts(source):
        try:
            found += [(name, document) for document in load_all(content, file=name) if isinstance(document, dict)]
        except ConfigError as error:
            problems += [_not_rendered(problem, content) for problem in error.problems]
    if problems:
        raise ConfigError(problems)
    return found


def _not_rendered(problem: Problem, content: bytes) -> Problem:
    """The problem, with what its cause most often is."""
    from platform_def.pipeline.applications.charts import not_rendered

    if content.startswith(b"\x1f\x8b"):
        return replace(problem, text="compressed", hint="unpack it: gunzip -c FILE | platformctl crd import -")
    return not_rendered(problem, content, command="helm template CHART --include-crds | platformctl crd import -")


def _texts(source: str) -> Iterator[tuple[str, bytes]]:
    if source == "-":
        yield "<stdin>", sys.stdin.buffer.read()
        return
    given = Path(source)
    if not given.is_dir():
        if not given.exists():
            raise ConfigError(f"{source} is not there")
        yield source, given.read_bytes()
        return
    for path in sorted(path for path in given.rglob("*") if path.suffix in SUFFIXES and path.is_file()):
        content = path.read_bytes()
        if b"CustomResourceDefinition" in content:
            yield str(path), content


@crd.command("export", cls=Command, epilog=EXPORT_EXAMPLES)
@click.argument(
    "components",
    nargs=-1,
    metavar="[COMPONENT]...",
    help="By default all with APIs.",
    shell_complete=completion.components,
)
@click.option("--out", metavar="DIR", type=PATH, required=True, help="Folder: DIR/<component>-<release>/<crd>.yaml.")
def export(components: tuple[str, ...], out: Path) -> None:
    """Write the CRDs of components, every release of them."""
    from platform_def.pipeline.crds import export_crds

    count = 0
    for path, text in export_crds(components):
        save(out / path, text)
        count += 1
    say(f"{counted(count, 'CRD')} in {out}")
