"""Repositories that several tests look at, or copy and change."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.acceptance.repository import HEAD, PROJECT, SMALL, Repository

PATCH = """\
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches:
  - target: {kind: Deployment, name: training-operator}
    patch: |-
      - {op: replace, path: /spec/template/spec/terminationGracePeriodSeconds, value: 30}
"""

CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: greeting}
data: {text: grüße}
"""

FILES = {
    "stacks/base/shared.yaml": SMALL.replace("{}", "{threads: 2}"),
    "stacks/one.yaml": f"""\
{HEAD}extends: [base/shared.yaml]
nodePools:
  - {{name: train, nodes: 2, gpu: {{model: t4, perNode: 4}}}}
components:
  training-operator:
    threads: 3
  greeter: {{path: apps/greeter, namespace: greeter}}
  nvidia-device-plugin: {{provided: true}}
teams: [{{name: vision}}]
jobs:
  - {{template: pytorch-ddp, name: hello, team: vision, pool: train, image: "registry.example.com/hello:1",
     command: [train.py, "--text=žluťoučký"], workers: 2, gpusPerWorker: 1}}
""",
    "stacks/two.yaml": SMALL,
    "overlays/one/training-operator/kustomization.yaml": PATCH,
    "apps/greeter/greeting.yaml": CONFIG_MAP,
}
"""Two stacks with everything that a repository may hold: a base, an overlay, an application, a job, letters beyond ASCII."""


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """An empty one."""
    return Repository(tmp_path)


@pytest.fixture
def small(repository: Repository) -> Repository:
    """One stack, `a`, not yet synthesised."""
    return repository.write({"stacks/a.yaml": SMALL})


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the example package is installed into, by pip and without a network; not to be changed."""
    folder = tmp_path_factory.mktemp("packages")
    here = Repository(tmp_path_factory.mktemp("elsewhere"))
    options = ("--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check", "--no-cache-dir")
    package = str(PROJECT / "tests" / "example_package")
    here.call(sys.executable, "-m", "pip", "install", "-q", *options, "--target", str(folder), package)
    return folder


@pytest.fixture(scope="session")
def synthesised(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Two stacks in dist/; not to be changed."""
    made = Repository(tmp_path_factory.mktemp("synthesised")).write(FILES)
    made.run("synth")
    return made


@pytest.fixture
def built(synthesised: Repository, tmp_path: Path) -> Repository:
    """A copy of it to change."""
    return synthesised.copy(tmp_path / "built")
