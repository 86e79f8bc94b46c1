"""A change of `cluster.registry` that would rename an image on the previous registry's host is reported at its line."""

from __future__ import annotations

import pytest

from tests.acceptance.repository import Repository
from tests.acceptance.test_base import commit, git

STACK = """\
apiVersion: platform-def/v1
cluster:
  kubernetes: "1.36"
  registry: %s
components: {training-operator: {}, nvidia-device-plugin: {provided: true}}
jobs:
  - name: faces
    template: gpu-job
    image: "%s"
    command: [python3, train.py]
"""
OLD, NEW = "old.example.com/mirror", "new.example.com/m"
FACES = "old.example.com/vision/faces:3"


def written(repository: Repository, registry: str, image: str = FACES, mirrors: str = "") -> Repository:
    """A stack with this mirror and a team's image."""
    said = f"{registry}\n  mirrors: {mirrors}" if mirrors else registry
    return repository.write({"stacks/a.yaml": STACK % (said, image)})


@pytest.fixture
def delivered(repository: Repository) -> Repository:
    """dist/ with the old registry, committed."""
    written(repository, OLD).ask("synth")
    git(repository, "init", "-q", "-b", "main")
    commit(repository)
    return repository


@pytest.mark.parametrize("words", ["synth", "synth --check", "check", "synth --check --base HEAD", "check --base HEAD"])
def test_an_image_on_the_old_registry_is_not_renamed_silently(delivered: Repository, words: str) -> None:
    before = delivered.files()
    done = written(delivered, NEW).ask(*words.split(), code=1)
    said = done.out + done.err

    assert f"error: stacks/a.yaml:9: spec.template.spec.containers[0].image: image {FACES} is now pulled as" in said
    assert f"{NEW}/{FACES}; with `registry: {OLD}` it was pulled as written [registry-move]" in said
    assert "write new.example.com/vision/faces:3 where it moves as well" in said
    assert "`mirrors: {old.example.com: old.example.com}` in `cluster` where it stays on old.example.com" in said
    assert f"`mirrors: {{old.example.com: {NEW}/old.example.com}}` where the new registry serves what" in said
    assert "training-operator" not in said
    assert delivered.files() == before


@pytest.mark.parametrize(
    ("image", "mirrors", "pulled"),
    [
        ("new.example.com/vision/faces:3", "", "new.example.com/vision/faces:3"),
        (FACES, "{old.example.com: old.example.com}", FACES),
        (FACES, f"{{old.example.com: {NEW}/old.example.com}}", f"{NEW}/{FACES}"),
    ],
)
def test_each_way_that_the_hint_names_is_taken(delivered: Repository, image: str, mirrors: str, pulled: str) -> None:
    written(delivered, NEW, image, mirrors).ask("synth")
    [job] = [text for path, text in delivered.files().items() if path.startswith("a/_jobs/faces/")]

    assert f"image: {pulled}\n" in job.decode()
    assert f"image: {NEW}/ghcr.io/kubeflow/" in "".join(map(bytes.decode, delivered.files().values()))


def test_an_image_written_with_the_whole_mirror_is_named_without_it(repository: Repository) -> None:
    image = f"{OLD}/docker.io/library/python:3.13"
    written(repository, OLD, image).ask("synth")
    said = written(repository, NEW, image).ask("synth", code=1).err

    assert "write docker.io/library/python:3.13 where it moves as well" in said


def test_a_first_registry_renames_every_image_as_it_should(repository: Repository) -> None:
    repository.write({"stacks/a.yaml": (STACK % (OLD, FACES)).replace(f"  registry: {OLD}\n", "")}).ask("synth")

    written(repository, NEW).ask("synth")


def test_what_was_written_once_is_not_asked_again(delivered: Repository) -> None:
    written(delivered, NEW).ask("synth", "--no-check")

    delivered.ask("synth", "--check")
    assert "registry-move" in delivered.ask("check", "--base", "HEAD", code=1).out
