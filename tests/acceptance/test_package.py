"""A component that a package of its own brings is one like those of the catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.acceptance.repository import HEAD, PROJECT, Repository, installed

PACKAGE = PROJECT / "tests" / "example_package"
STACK = f"{HEAD}components:\n  greeting-operator: {{firstWords: good morning}}\n"

CRD = "a/greeting-operator/crds/_cluster/customresourcedefinition.apiextensions.k8s.io-greetings.example.com.yaml"
DEPLOYMENT = "a/greeting-operator/main/greetings/deployment.apps-greeting-operator.yaml"
FIRST = "a/greeting-operator/after/greetings/greeting.example.com-first.yaml"


@pytest.fixture
def having(packages: Path, repository: Repository) -> Mapping[str, str]:
    """The environment in which the package is installed, for what a start has to do with."""
    repository.write({"stacks/a.yaml": STACK})
    return {"PYTHONPATH": str(packages)}


@pytest.fixture
def here(packages: Path, having: Mapping[str, str]) -> Iterator[None]:
    """It is installed for commands within this process."""
    with installed(packages):
        yield


def test_its_component_is_rendered_and_passes_the_checks(repository: Repository, having: Mapping[str, str]) -> None:
    repository.run("synth", environment=having)
    made = {path: text.decode() for path, text in repository.files().items()}

    assert "kind: CustomResourceDefinition" in made[CRD]
    assert "image: registry.example.com/greeting-operator:1.1.0" in made[DEPLOYMENT]
    assert "text: good morning" in made[FIRST]
    assert "a/namespaces/main/_cluster/namespace-greetings.yaml" in made
    assert "no findings" in repository.run("check", environment=having).err


def test_without_the_package_its_component_is_unknown(repository: Repository, having: Mapping[str, str]) -> None:
    assert "components.greeting-operator: unknown component" in repository.ask("synth", code=2).err


@pytest.mark.usefixtures("here")
def test_its_fields_are_checked_and_known_to_editors(repository: Repository) -> None:
    repository.write({"stacks/a.yaml": STACK.replace("firstWords: good morning", "frstWords: hi, labels: {a: 1}")})
    said = repository.ask("synth", code=2).err

    assert "stacks/a.yaml:4: components.greeting-operator.frstWords: unknown field" in said
    assert "did you mean 'firstWords'?" in said
    assert "stacks/a.yaml:4: components.greeting-operator.labels.a:" in said
    assert '"firstWords"' in repository.ask("schema").out
    assert "greeting-operator" in repository.ask("list", "components").out


@pytest.mark.usefixtures("here")
def test_objects_of_its_kind_are_checked_against_its_types(repository: Repository) -> None:
    repository.write({
        "stacks/a.yaml": f"{STACK}  words: {{path: apps/words, namespace: greetings}}\n",
        "apps/words/wrong.yaml": "apiVersion: example.com/v1\nkind: Greeting\n"
        "metadata: {name: wrong}\nspec: {text: hi, times: often}\n",
    })  # fmt: skip

    said = repository.ask("check", code=1).out

    assert "apps/words/wrong.yaml" in said
    assert "times" in said


@pytest.mark.usefixtures("here")
def test_what_its_operator_makes_may_be_named(repository: Repository) -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {{name: {0}}}\nspec: {{containers: [{{name: a, image: 'r.example.com/a:1'}}], "
    pod += "volumes: [{{name: v, configMap: {{name: {1}}}}}]}}\n"
    repository.write({
        "stacks/a.yaml": f"{STACK}  words: {{path: apps/words, namespace: greetings}}\n",
        "apps/words/pods.yaml": f"{pod.format('one', 'first')}---\n{pod.format('two', 'frst')}",
    })  # fmt: skip

    said = repository.ask("check", code=1).out

    assert "names the ConfigMap 'frst'" in said
    assert "'first'" not in said


def test_a_change_of_its_code_renders_anew(
    repository: Repository, having: Mapping[str, str], packages: Path, tmp_path: Path
) -> None:
    repository.run("synth", environment=having)
    before = repository.files()[DEPLOYMENT]
    changed = tmp_path / "changed"
    for path in (each for each in packages.rglob("*") if each.is_file() and each.suffix != ".pyc"):
        copy = changed / path.relative_to(packages)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes().replace(b'cpu": "10m', b'cpu": "20m'))
    repository.run("synth", environment={"PYTHONPATH": str(changed)})

    assert repository.files()[DEPLOYMENT] == before.replace(b"cpu: 10m", b"cpu: 20m") != before
