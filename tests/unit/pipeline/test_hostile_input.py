"""What a second hostile round found: files that never end, what must not be written, and words without effect."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from platform_def.errors import PlatformError
from tests.unit.pipeline.repository import HEAD, OPERATOR, synthesise, write

COMPONENT = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
OVERLAY = "overlays/a/training-operator/kustomization.yaml"
FLUX = 'delivery: {engine: flux, repository: "https://git.example.com/platform.git"}\n'
OWN = HEAD + "components: {x: {path: apps/x, namespace: x}}\n"
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%s}\n"
JOB = (
    "components: {training-operator: {}}\nteams: [{name: t}]\njobs:\n"
    "  - {template: pytorch-ddp, name: j, image: 'r.example.com/i:1', command: [t.py], gpusPerWorker: 0, %s}\n"
)


def told(root: Path, files: dict[str, str], pipe: str = "") -> str:
    """What is said of these files, one of which may be a pipe that nobody writes to."""
    write(root, files)
    if pipe:
        os.mkfifo(root / pipe)
    with pytest.raises(PlatformError) as caught:
        synthesise(root)
    return "\n".join(map(str, caught.value.problems))


def patched(target: str, *operations: str) -> str:
    lines = "".join(f"    - {each}\n" for each in operations)
    return f"{COMPONENT}patches:\n- target: {{{target}}}\n  patch: |-\n{lines}"


@pytest.mark.parametrize(
    ("files", "pipe"),
    [
        ({"stacks/a.yaml": OWN, "apps/x/o.yaml": CONFIG % ""}, "apps/x/p.yaml"),
        ({"stacks/a.yaml": OWN, "apps/x/o.yaml": CONFIG % ""}, "apps/x/kustomization.yaml"),
        (
            {
                "stacks/a.yaml": OWN,
                "apps/x/o.yaml": CONFIG % "",
                "apps/x/kustomization.yaml": "resources: [o.yaml]\nconfigMapGenerator: [{name: g, files: [p.txt]}]\n",
            },
            "apps/x/p.txt",
        ),
        (
            {
                "stacks/a.yaml": OPERATOR,
                OVERLAY: f"{COMPONENT}patches: [{{path: p.yaml, target: {{kind: Deployment}}}}]\n",
            },
            "overlays/a/training-operator/p.yaml",
        ),
    ],
)
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path, files: dict[str, str], pipe: str) -> None:
    said = told(tmp_path, files, pipe)

    assert pipe in said
    assert "it is no regular file" in said or "is neither a file nor a folder" in said


@pytest.mark.parametrize(
    ("overlay", "words"),
    [
        (
            patched(
                "kind: CustomResourceDefinition, name: pytorchjobs.kubeflow.org",
                "{op: remove, path: /metadata/annotations}",
            ),
            "takes kustomize.toolkit.fluxcd.io/prune from CustomResourceDefinition pytorchjobs.kubeflow.org",
        ),
        (
            patched("kind: Deployment", "{op: add, path: /metadata/resourceVersion, value: '1'}"),
            "writes metadata.resourceVersion of Deployment kubeflow/training-operator, which the API server writes alone",
        ),
        (
            patched("kind: Deployment", "{op: add, path: /metadata/annotations, value: {platform-def/delete: why}}"),
            "says why Deployment kubeflow/training-operator goes, and deletes nothing",
        ),
    ],
)
def test_an_overlay_leaves_what_protects_and_what_the_server_writes(tmp_path: Path, overlay: str, words: str) -> None:
    said = told(tmp_path, {"stacks/a.yaml": OPERATOR + FLUX, OVERLAY: overlay})

    assert f"{OVERLAY}:6: " in said
    assert words in said


@pytest.mark.parametrize(
    ("manifest", "words"),
    [
        (CONFIG % ", uid: some", "metadata.uid is the API server's to write"),
        ((CONFIG % "").replace("v1", "../../x/v1"), "are no apiVersion and kind"),
        ((CONFIG % "").replace("ConfigMap", "../ConfigMap"), "are no apiVersion and kind"),
    ],
)
def test_a_manifest_of_ones_own_is_one(tmp_path: Path, manifest: str, words: str) -> None:
    said = told(tmp_path, {"stacks/a.yaml": OWN, "apps/x/o.yaml": manifest})

    assert "apps/x/o.yaml" in said
    assert words in said


@pytest.mark.parametrize(
    ("stack", "words"),
    [
        ("components: {x: {path: dist}}\n", "components.x.path: dist is this tool's own: take a folder"),
        ("components: {x: {path: stacks/base}}\n", "stacks/base is this tool's own"),
        ("components: {namespaces: {provided: true}}\n", "components.namespaces: every stack renders it"),
        (
            "components: {cert-manager: {provided: latest}}\n",
            "provided: write true, or the version that the cluster has",
        ),
        ("components: {cert-manager: {provided: 1.19}}\n", "provided: write true, or the version that the cluster has"),
        (JOB % "namespace: kube-system", "namespace kube-system belongs to Kubernetes itself"),
        (JOB % "team: t, namespace: other", "belongs to team 't', and would run outside of its namespace and quota"),
        (JOB % "team: t, cpu: '-1'", "jobs[0].cpu: '-1' is not a quantity"),
        ("teams: [{name: t, quota: {cpu: '-5'}}]\n", "teams[0].quota.cpu: '-5' is not a quantity"),
    ],
)
def test_what_cannot_be_meant_is_told_once_at_its_line(tmp_path: Path, stack: str, words: str) -> None:
    said = told(tmp_path, {"stacks/a.yaml": HEAD + stack})

    assert said.count("error: ") == said.count("error: stacks/a.yaml:") == 1
    assert words in said
