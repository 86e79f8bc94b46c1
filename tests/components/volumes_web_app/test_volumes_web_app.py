"""The page of volumes: what a viewer of files looks like, and what it needs."""

from __future__ import annotations

from string import Template
from typing import Any

import yaml

from platform_def.apis.kubeflow.pvc_viewer_v1alpha1 import PVCViewerSpec
from platform_def.components.notebooks.volumes_web_app.component import VolumesWebApp
from tests.unit.built import Objects, built
from tests.unit.meshed import meshed, problems


def app(**config: Any) -> Objects:
    return built(VolumesWebApp, meshed(registry="mirror.example.com"), **config)


def spec(made: Objects) -> dict[str, Any]:
    """As the program reads it: it replaces variables in all texts of the file."""
    text = made.one("ConfigMap", "volumes-web-app-viewer-spec")["data"]["viewer-spec.yaml"]
    found: dict[str, Any] = yaml.safe_load(Template(text).substitute(NAME="data", NAMESPACE="team-vision"))
    return found


def test_a_viewer_shows_the_volume_that_it_was_opened_for() -> None:
    found = spec(app())
    (volume,) = found["podSpec"]["volumes"]
    (container,) = found["podSpec"]["containers"]
    base = next(each["value"] for each in container["env"] if each["name"] == "FB_BASEURL")

    assert found["pvc"] == volume["persistentVolumeClaim"]["claimName"] == "data"
    assert base == "/pvcviewers/team-vision/data/"
    assert container["image"].startswith("mirror.example.com/docker.io/filebrowser/")


def test_its_fields_are_those_of_the_kind() -> None:
    assert {*spec(app())} <= {*PVCViewerSpec.__annotations__}


def test_it_is_refused_where_the_kinds_that_it_lists_are_not_there() -> None:
    assert problems(VolumesWebApp, meshed()) == []
    assert len(problems(VolumesWebApp, meshed(apis=frozenset()))) == 2
