"""`platformctl component`: the files of a new component, with what a person must decide marked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

import click

from platform_def.cli.command import Command
from platform_def.cli.crd import documents_of
from platform_def.cli.place import PATH, counted, save, say, show
from platform_def.errors import ConfigError

EXAMPLES = """
Examples:

  platformctl component new widget-operator --crd widgets.crd.yaml \\
    --image registry.example.com/widget-operator:2.1.0

  platformctl component new widget-operator --crd crds \\
    --image registry.example.com/widget-operator:2.1.0 --package my_widgets
"""

DECIDE = "DECIDE:"
"""What stands where a person must decide; the tests of the catalogue refuse files that still have it."""
TEMPLATES = "component_files"
CATALOGUE, SOURCES = Path("platform_def", "components"), Path("maintenance", "sources.yaml")
_VERSION = re.compile(r"v?(\d+\.\d+(?:\.\d+)*)")


@click.group("component", help="Components of your own, and of the catalogue.", no_args_is_help=True)
def component() -> None:
    """The commands about components."""


@dataclass(frozen=True, kw_only=True)
class NewComponent:
    """What the new component is called, and what it serves."""

    name: str
    image: str
    package: str
    """Import string of the folder that gets its modules of API types."""
    area: str
    """Its area of the catalogue; empty in a package of one's own."""
    modules: Mapping[str, str]
    """Source of each module of API types by the module's name."""
    kinds: Mapping[str, str]
    """Kind by name of the CRD."""

    @property
    def module(self) -> str:
        """The name in Python."""
        return self.name.replace("-", "_")

    def values(self) -> dict[str, str]:
        """What the templates are filled with."""
        repository, _, version = self.image.rpartition(":")
        groups = sorted(crd.partition(".")[2] for crd in self.kinds)
        return {
            "NAME": self.name,
            "TITLE": self.name.replace("-", " ").capitalize(),
            "CLASS": "".join(part.capitalize() for part in self.name.split("-")),
            "MODULE": self.module,
            "AREA": self.area,
            "PACKAGE": self.package,
            "APIS": ", ".join(sorted(self.modules)),
            "DEFINITIONS": self._definitions(),
            "IMAGE": self.image,
            "REPOSITORY": "/".join(repository.split("/")[-2:]),
            "RELEASE": found[1] if (found := _VERSION.fullmatch(version)) else version,
            "KINDS": " and ".join(sorted(self.kinds.values())),
            "CRDS": " ".join(sorted(self.kinds)),
            "LEASE": f"{self.name}.{groups[0]}",
            "DECIDE": DECIDE,
        }

    def _definitions(self) -> str:
        every = [f"{name}.DEFINITIONS" for name in sorted(self.modules)]
        return every[0] if len(every) == 1 else f"({', '.join(f'*{each}' for each in every)})"


@component.command("new", cls=Command, epilog=EXAMPLES)
@click.argument("name", metavar="NAME", help="Name of the component, such as widget-operator.")
@click.option(
    "--crd", metavar="FILE|FOLDER", multiple=True, required=True, help="CRDs that it serves; may be repeated."
)
@click.option("--image", metavar="IMAGE", required=True, help="Image of its controller, with the release as tag.")
@click.option(
    "--area",
    metavar="AREA",
    default="",
    show_default=False,
    help="In a clone of platform-def: folder of the catalogue, such as training.",
)
@click.option(
    "--source",
    metavar="KIND:NAME",
    default="",
    show_default=False,
    help="There also: what is asked for newer versions, such as go:sigs.k8s.io/lws; or none:REASON.",
)
@click.option(
    "--package",
    metavar="PACKAGE",
    default="",
    show_default=False,
    help="Elsewhere: your Python package; by default NAME with _platform.",
)
@click.option("--root", "-C", metavar="DIR", type=PATH, default=".", help="Folder to write into; by default this one.")
def new(name: str, crd: tuple[str, ...], image: str, area: str, source: str, package: str, root: Path) -> None:
    """Write a component that serves CRDs: its types, an operator, tests, and in a clone of platform-def its page.

    What a person must decide is marked with DECIDE. No file that exists is changed, except that a clone's table of
    sources gets its line.
    """
    from platform_def.crds.importer import import_crds

    _known(name, "NAME", r"[a-z][a-z0-9]*(-[a-z0-9]+)*", "write it in lower case with dashes, such as widget-operator")
    _known(image, "--image", r".+:[^/:@]+", "name its tag, such as registry.example.com/widget-operator:2.1.0")
    found = [each for source in crd for each in documents_of(source)]
    documents = [document for _, document in found]
    kinds = {name: kind for document in documents for name, kind in _kinds(document)}
    if not kinds:
        raise ConfigError(f"{', '.join(crd)} holds no CustomResourceDefinition")
    sources = import_crds(documents, files=[file for file, _ in found], descriptions=False)
    modules = {file.removesuffix(".py"): text for file, text in sources.items()}
    catalogue = (root / CATALOGUE).is_dir()
    home = _area(root, area) if catalogue else ""
    sources_table = _with_source(root, name, source) if catalogue else ""
    module = name.replace("-", "_")
    own = f"platform_def.apis.{module}" if catalogue else package or f"{module}_platform"
    wanted = NewComponent(name=name, image=image, package=own, area=home, modules=modules, kinds=kinds)
    texts = dict(in_catalogue(wanted) if catalogue else in_package(wanted))
    new_files = {path: text for path, text in texts.items() if path.name != "__init__.py" or not (root / path).exists()}
    if there := [str(path) for path in new_files if (root / path).exists()]:
        raise ConfigError(f"{there[0]} exists already", hint="choose another name, or remove it first")
    for path, text in new_files.items():
        save(root / path, text)
        show(str(path))
    if catalogue:
        save(root / SOURCES, sources_table)
    _next_steps(new_files, wanted, catalogue=catalogue)


def in_catalogue(wanted: NewComponent) -> Iterator[tuple[Path, str]]:
    """The files of a component of the catalogue: its two folders, its types, a stack and a page."""
    values, module = wanted.values(), wanted.module
    apis, home, tests = Path("platform_def", "apis", module), CATALOGUE / wanted.area / module, Path("tests/components")
    yield apis / "__init__.py", f'"""API types of {wanted.name}."""\n'
    yield from ((apis / f"{name}.py", text) for name, text in wanted.modules.items())
    yield home / "__init__.py", f'"""{values["TITLE"]}."""\n'
    yield home / "component.py", _filled("catalogue/component.py", values)
    yield home / "kinds.yaml", kinds_file(wanted, values["RELEASE"])
    yield tests / module / f"test_{module}.py", _filled("catalogue/test.py", values)
    yield tests / module / "read_by.yaml", _filled("catalogue/read_by.yaml", values)
    yield Path("tests/coverage/stacks") / f"{wanted.name}.yaml", _filled("catalogue/stack.yaml", values)
    yield Path("docs/components") / f"{wanted.name}.md", _filled("catalogue/page.md", values)


def in_package(wanted: NewComponent) -> Iterator[tuple[Path, str]]:
    """The files of a component of one's own package."""
    values, home = wanted.values(), Path(wanted.package)
    yield home / "__init__.py", f'"""Components of our own: {wanted.name}."""\n'
    yield from ((home / f"{name}.py", text) for name, text in wanted.modules.items())
    yield home / f"{wanted.module}.py", _filled("package/component.py", values)
    yield Path("tests") / f"test_{wanted.module}.py", _filled("package/test.py", values)


def kinds_file(wanted: NewComponent, release: str) -> str:
    """The table of CRDs by release, with a sentence to write for each kind."""
    listed = ", ".join(f'"{wanted.module}.{name}:DEFINITIONS"' for name in sorted(wanted.modules))
    said = "".join(
        f'  {crd}: "{DECIDE} what a {kind} is, in one sentence."\n' for crd, kind in sorted(wanted.kinds.items())
    )
    return (
        "# The CRDs that each release installs, by module of platform_def/apis.\n"
        f'releases:\n  "{release}": [{listed}]\n'
        f"# What a kind is, where its types do not say it.\nsummaries:\n{said}"
    )


def _filled(name: str, values: Mapping[str, str]) -> str:
    source = files("platform_def.cli").joinpath(TEMPLATES, *f"{name}.txt".split("/"))
    return Template(source.read_text(encoding="utf-8")).substitute(values)


def _kinds(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if document.get("kind") == "CustomResourceDefinition":
        yield document["metadata"]["name"], document["spec"]["names"]["kind"]


def _known(value: str, option: str, pattern: str, hint: str) -> None:
    if not re.fullmatch(pattern, value):
        raise ConfigError(f"{option}: '{value}' cannot be used here", hint=hint)


def _area(root: Path, area: str) -> str:
    areas = sorted(path.parent.name for path in (root / CATALOGUE).glob("*/__init__.py"))
    if area not in areas:
        raise ConfigError(
            f"--area: there is no '{area}'" if area else "--area is missing", hint=f"one of {', '.join(areas)}"
        )
    return area


def _with_source(root: Path, name: str, source: str) -> str:
    """The table of sources with the component's line."""
    kind, _, where = source.partition(":")
    if kind not in ("go", "pypi", "npm", "helm", "none") or not where:
        raise ConfigError(
            f"--source: '{source}' cannot be used here" if source else "--source is missing",
            hint="go:, pypi:, npm: or helm: with a name, or none: with the reason",
        )
    lines = (root / SOURCES).read_text(encoding="utf-8").splitlines()
    later = (at for at, line in enumerate(lines) if not line.startswith("#") and line.partition(":")[0] > name)
    lines.insert(next(later, len(lines)), f"{name}: {{{kind}: {json.dumps(where)}}}")
    return "\n".join(lines) + "\n"


def _next_steps(texts: Mapping[Path, str], wanted: NewComponent, *, catalogue: bool) -> None:
    marked = [path for path, text in texts.items() if DECIDE in text]
    say(f"{counted(len(texts), 'file')}; {len(marked)} with {DECIDE}, where you decide")
    if catalogue:
        say("then: make docs, make golden, make test")
        return
    for line in _entry_points(wanted):
        say(line)


def _entry_points(wanted: NewComponent) -> Sequence[str]:
    values = wanted.values()
    return (
        "then, in pyproject.toml:",
        '[project.entry-points."platform_def.components"]',
        f'{wanted.name} = "{wanted.package}.{wanted.module}:{values["CLASS"]}"',
        '[project.entry-points."platform_def.apis"]',
        *(f'{name} = "{wanted.package}.{name}:DEFINITIONS"' for name in sorted(wanted.modules)),
    )
