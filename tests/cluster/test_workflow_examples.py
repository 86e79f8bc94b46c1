"""Upstream's own examples of Argo Workflows, about 200 a release, are valid by the CRDs that the full releases bring and by the checks of
manifests from other tools.

They are in the Go modules of Argo Workflows, which are fetched and not built.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from platform_def.crds.catalogue import definitions_of
from platform_def.crds.crd import crd
from platform_def.errors import PlatformError
from platform_def.manifests.custom_kind import CustomKind
from platform_def.manifests.schemas import Schemas
from platform_def.yaml import load_all
from tests.acceptance.repository import Repository
from tests.cluster.conftest import or_skip
from tests.cluster.tools import module_folder

pytestmark = pytest.mark.cluster

RELEASES = {"4.0.10-full": "workflow-controller-4.0", "3.7.18-full": "workflow-controller"}
"""Of the component, each with the program whose module has the examples of its line."""
UNREADABLE: Mapping[str, list[str]] = {"4.0.10-full": ["k8s-patch-json-workflow.yaml"], "3.7.18-full": []}
"""A key is there twice, which the API server refuses too where clients ask it to be strict."""
NAMELESS: Mapping[str, set[str]] = {"4.0.10-full": {"fun-with-gifs.yaml", "k8s-jobs.yaml"}, "3.7.18-full": set()}
"""They have no name, one of them because that stands among its labels."""
UNFIT: Mapping[str, set[str]] = {
    "4.0.10-full": set(),
    "3.7.18-full": {"memoize-simple.yaml", "github-path-filter-workflowtemplate.yaml"},
}
"""Upstream's own definitions refuse them: a key of a ConfigMap is missing, and a parameter is a list. 4.0 has mended both."""
SCHEMAS = Schemas()


def examples(release: str) -> Path:
    """The folder of a release's examples."""
    return or_skip(lambda: module_folder(RELEASES[release])) / "examples"


def documents(release: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Objects of Argo's kinds, each with its file."""
    for file in sorted(examples(release).rglob("*.yaml")):
        try:
            found = [*load_all(file.read_bytes(), file=file.name)]
        except PlatformError:
            assert file.name in UNREADABLE[release]
            continue
        for each in found:
            if isinstance(each, dict) and str(each.get("apiVersion")).startswith("argoproj.io/"):
                yield file.name, each


def mismatches(release: str, manifest: dict[str, Any]) -> list[str]:
    """What the CRD of a release does not take."""
    (definition,) = (each for each in definitions_of("argo-workflows", release) if each.api.kind == manifest["kind"])
    kind = CustomKind.of(crd(definition), f"{definition.name} {release}")
    schema = SCHEMAS.custom("1.36", kind, "v1alpha1") if kind else None
    assert schema
    return [str(each) for each in schema.mismatches(manifest)]


@pytest.mark.parametrize("release", RELEASES)
def test_upstreams_examples_fit_the_full_definitions(release: str) -> None:
    found = [*documents(release)]

    assert len(found) >= 200
    assert {file for file, manifest in found if mismatches(release, manifest)} == UNFIT[release]


@pytest.mark.parametrize("release", RELEASES)
def test_a_misspelt_field_of_an_example_does_not_fit(release: str) -> None:
    one = next(each for file, each in documents(release) if file == "hello-world.yaml")
    (template,) = one["spec"]["templates"]
    template["container"]["comand"] = template["container"].pop("command")

    assert any("comand" in each for each in mismatches(release, one))


@pytest.mark.parametrize("release", RELEASES)
def test_the_checks_of_manifests_find_only_what_the_server_refuses_too(release: str, tmp_path: Path) -> None:
    told = Repository(tmp_path).hear("check", "-f", str(examples(release)), "-o", "json").json
    errors = [each for each in told["findings"] if each["severity"] == "error" and each["text"]]

    assert [Path(each["where"].rpartition(":")[0]).name for each in told["unreadable"]] == UNREADABLE[release]
    assert {(each["rule"], Path(each["file"]).name) for each in errors} == {
        ("name-valid", name) for name in NAMELESS[release]
    }
