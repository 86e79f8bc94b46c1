from __future__ import annotations

import pytest

from platform_def.components.catalogue import catalogue, component
from platform_def.crds import catalogue as apis
from platform_def.errors import ConfigError
from platform_def.pipeline.crds import export_crds


def test_folders_are_component_and_release() -> None:
    paths = [path for path, _ in export_crds(["training-operator"])]

    assert "training-operator-1.9.4/jaxjobs.kubeflow.org.yaml" in paths
    assert "training-operator-1.7.0/mxjobs.kubeflow.org.yaml" in paths
    assert len(paths) == len(set(paths))


def test_apis_without_a_component_are_written_too() -> None:
    paths = [path for path, _ in export_crds(["argo-workflows"])]

    assert "argo-workflows-3.7.18/workflows.argoproj.io.yaml" in paths
    assert "argo-workflows-3.7.18-full/workflows.argoproj.io.yaml" in paths


def test_a_component_and_the_table_never_disagree() -> None:
    for name in catalogue():
        for release in component(name).config_model().releases:
            entry = f"{name}-{release.version}"
            said = {one.name: one for one in getattr(release, "apis", ())}
            if entry in apis.known():
                known = {one.name: one for one in apis.definitions(entry)}

                assert said.items() <= known.items(), entry


def test_unknown_component_is_named_with_its_neighbour() -> None:
    with pytest.raises(ConfigError) as caught:
        [*export_crds(["kueu"])]

    assert "kueue" in caught.value.problems[0].hint
