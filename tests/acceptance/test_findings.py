"""What people read of findings: at which line, how often, in which order."""

from __future__ import annotations

import shutil

from tests.acceptance.repository import HEAD, PROJECT, Repository

BASE = f"""\
{HEAD}nodePools:
  - {{name: train, nodes: 2, gpu: {{model: t4, perNode: 4}}}}
components:
  training-operator: {{}}
  nvidia-device-plugin: {{provided: true}}
jobs:
  - {{template: pytorch-ddp, name: hello, pool: train, image: registry.example.com/hello, command: [train.py], workers: 2, gpusPerWorker: 1}}
"""
OWN = """\
apiVersion: platform-def/v1
extends: [base/shared.yaml]
jobs:
  - template: gpu-job
    name: smi
    pool: train
    image: registry.example.com/smi:1
    command: [nvidia-smi]
    priorityClass: absent
"""


def two_stacks(repository: Repository, own: str) -> Repository:
    return repository.write({"stacks/base/shared.yaml": BASE, "stacks/a.yaml": own, "stacks/b.yaml": own})


def line_of(text: str, start: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if line.startswith(start))


def test_an_error_in_a_job_names_the_stacks_line_and_no_file_that_was_not_written(repository: Repository) -> None:
    two_stacks(repository, OWN)
    base, own = line_of(BASE, "  - {template: pytorch"), line_of(OWN, "    priorityClass")

    synth, check = repository.ask("synth", code=1), repository.ask("check", code=1)

    for said in (synth.err, check.out):
        assert "PriorityClass 'absent'" in said
        assert f"  stacks/a.yaml:{own}: Job default/smi-" in said
        assert f"  stacks/b.yaml:{own}: Job default/smi-" in said
        assert f"  stacks/base/shared.yaml:{base}: PyTorchJob default/hello-" in said
        assert "dist/" not in said
    assert not (repository.root / "dist").exists()
    found = repository.ask("check", "-o", "json", code=1).json["findings"]
    assert {(each["stack"], each["asked"]["file"]) for each in found if each["rule"] == "reference-exists"} == {
        ("a", "stacks/a.yaml"),
        ("b", "stacks/b.yaml"),
    }


def test_a_warning_that_stacks_share_is_told_once_with_their_names(repository: Repository) -> None:
    said = two_stacks(repository, OWN.replace("    priorityClass: absent\n", "")).ask("synth").err

    assert said.count("has no tag [image-tag]") == 1
    assert "hello-1a4c87d7.yaml:39: PyTorchJob default/hello-" in said
    assert said.count("(stacks a, b)") == 2
    assert "1 warning" in repository.ask("check").err


def test_sample_stacks_have_no_warnings(repository: Repository) -> None:
    for folder in ("stacks", "overlays"):
        shutil.copytree(PROJECT / folder, repository.root / folder)

    done = repository.ask("check", "--fail-on", "warning")

    assert "error" not in done.err
    assert "warning" not in done.err
