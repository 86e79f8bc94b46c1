"""Overlays of jobs: their patches change the job's objects, and their bytes its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def.errors import PlatformError
from platform_def.explain.value import explain_value
from platform_def.manifests.rendered import RenderedObject
from platform_def.pipeline.jobs.one import render_job
from tests.unit.pipeline.repository import HEAD, stack, synthesise, write

JOB = '{template: gpu-job, name: %s, gpusPerWorker: 0, image: "registry.example.com/a:1", command: [run]}'
STACK = f"{HEAD}jobs:\n- {JOB % 'smi'}\n- {JOB % 'other'}\n"
COMPONENT = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
PATCH = COMPONENT + (
    "patches:\n- target: {kind: Job}\n  patch: |-\n    - {op: add, path: /spec/template/spec/priorityClassName, value: high}\n"
)
PLACE = "a/_jobs/smi"


def repository(root: Path, overlay: str = PATCH, *, where: str = PLACE, **more: str) -> Path:
    files = {"stacks/a.yaml": STACK, f"overlays/{where}/kustomization.yaml": overlay}
    return write(root, files | {f"overlays/{where}/{name}.yaml": text for name, text in more.items()})


def job(root: Path, name: str = "smi") -> RenderedObject:
    found: RenderedObject = next(item for item in stack(root).jobs[name] if item.kind == "Job")
    return found


def problem(root: Path) -> str:
    with pytest.raises(PlatformError) as caught:
        synthesise(root)
    return str(caught.value)


def test_an_overlay_changes_its_job_and_no_other(tmp_path: Path) -> None:
    plain = write(tmp_path / "plain", {"stacks/a.yaml": STACK})
    root = repository(tmp_path / "overlaid")
    changed = job(root)

    assert changed.manifest["spec"]["template"]["spec"]["priorityClassName"] == "high"
    assert (changed.overlays, changed.component, changed.job) == ((f"overlays/{PLACE}",), "_jobs", "smi")
    assert job(root, "other").text == job(plain, "other").text


def test_the_bytes_of_an_overlay_are_part_of_the_job_s_name(tmp_path: Path) -> None:
    names = [
        job(write(tmp_path / "none", {"stacks/a.yaml": STACK})).name,
        job(repository(tmp_path / "one")).name,
        job(repository(tmp_path / "two", PATCH.replace("high", "low"))).name,
        job(repository(tmp_path / "remark", PATCH + "# why\n")).name,
    ]

    assert len({*names}) == 4
    assert job(repository(tmp_path / "again")).name == names[1]
    assert all(name.startswith("smi-") and len(name) == len("smi-12345678") for name in names)


def test_overlays_for_all_stacks_come_first_and_count_as_well(tmp_path: Path) -> None:
    alone = job(repository(tmp_path / "alone")).name
    root = repository(tmp_path / "both", PATCH.replace("high", "low"), where="_all/_jobs/smi")
    both = job(repository(root))

    assert both.manifest["spec"]["template"]["spec"]["priorityClassName"] == "high"
    assert both.overlays == ("overlays/_all/_jobs/smi", f"overlays/{PLACE}")
    assert both.name != alone


def test_what_an_overlay_adds_and_takes_out_is_the_job_s(tmp_path: Path) -> None:
    made = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: topology, namespace: default}\ndata: {a: b}\n"
    added = stack(repository(tmp_path / "add", COMPONENT + "resources: [map.yaml]\n", map=made)).jobs["smi"]
    gone = "$patch: delete\napiVersion: batch/v1\nkind: Job\nmetadata: {name: any, annotations: {platform-def/delete: run by hand}}"
    lines = gone.replace("\n", "\n    ")
    taken = stack(
        repository(tmp_path / "take", f"{COMPONENT}patches:\n- target: {{kind: Job}}\n  patch: |-\n    {lines}\n")
    )

    assert [(item.kind, item.component, item.job) for item in added] == [
        ("Job", "_jobs", "smi"),
        ("ConfigMap", "_jobs", "smi"),
    ]
    assert taken.jobs["smi"] == ()
    assert [each.reason for each in taken.deleted_of_jobs] == ["run by hand"]


def test_a_patch_that_names_the_object_is_told_to_choose_it_by_kind(tmp_path: Path) -> None:
    patch = "patches:\n- patch: |-\n    apiVersion: batch/v1\n    kind: Job\n    metadata: {name: smi, namespace: default}\n"
    text = problem(repository(tmp_path, COMPONENT + patch))

    assert f"overlays/{PLACE}/kustomization.yaml:4: the patch matches no object of job smi" in text
    assert (
        "the name of a job's object ends in a hash of its overlays, so write `target: {kind: …}`; objects of job smi: Job default/smi-"
        in text
    )


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("a/_jobs/smo", "overlays/a/_jobs/smo: overlay for a job 'smo' that stack a does not have"),
        ("_all/_jobs/smo", "overlays/_all/_jobs/smo: overlay for a job 'smo' that no stack has"),
    ],
)
def test_an_overlay_without_its_job_is_an_error_with_the_nearest_name(tmp_path: Path, where: str, words: str) -> None:
    text = problem(repository(tmp_path, where=where))

    assert words in text
    assert "did you mean 'smi'?" in text


def test_overlays_of_stacks_that_are_not_read_are_left_alone(tmp_path: Path) -> None:
    root = repository(write(tmp_path, {"stacks/b.yaml": STACK.replace("smi", "own")}), where="b/_jobs/own")
    repository(root, where="_all/_jobs/own")

    assert job(root, "smi").overlays == ()


def test_a_link_that_leaves_the_repository_is_refused(tmp_path: Path) -> None:
    root = repository(tmp_path / "root")
    (tmp_path / "outside").write_text("secret")
    (root / f"overlays/{PLACE}/link.yaml").symlink_to(tmp_path / "outside")

    assert f"overlays/{PLACE}/link.yaml: is a link to outside the repository" in problem(root)


def test_explain_names_the_overlays_and_a_job_rendered_alone_has_them(tmp_path: Path) -> None:
    root = repository(tmp_path)
    (row,) = explain_value(root, "a", "jobs.smi")
    settings = ["name=smi", "gpusPerWorker=0", "image=registry.example.com/a:1", "command=[run]"]
    (alone,) = render_job(root, "a", "gpu-job", settings)

    assert row["overlays"] == f"overlays/{PLACE}"
    assert alone == job(root).manifest
