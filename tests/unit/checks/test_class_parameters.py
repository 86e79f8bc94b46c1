"""Parameters of StorageClasses, and classes that are the default."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.checks.rules.platform.class_parameters import CLASS_PARAMETERS
from platform_def.manifests.rendered import Manifest
from tests.unit.checks.samples import found, rendered

_LOGIN = {
    f"csi.storage.k8s.io/{step}-secret-{part}": "ceph"
    for step in ("provisioner", "node-stage")
    for part in ("name", "namespace")
}
_SOUND: dict[str, dict[str, str]] = {
    "cephfs.csi.ceph.com": {"clusterID": "a", "fsName": "b", **_LOGIN},
    "nfs.csi.k8s.io": {"server": "nfs.example.com", "share": "/e"},
    "rbd.csi.ceph.com": {"clusterID": "a", "pool": "b", **_LOGIN},
}
_MARK = "storageclass.kubernetes.io/is-default-class"


def _class(provisioner: str, parameters: dict[str, str], name: str = "it", **metadata: Any) -> Manifest:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name, **metadata},
        "provisioner": provisioner,
        "parameters": parameters,
    }


@pytest.mark.parametrize("provisioner", _SOUND)
def test_each_driver_gets_what_it_needs(provisioner: str) -> None:
    sound = _SOUND[provisioner]

    assert found(CLASS_PARAMETERS, rendered(_class(provisioner, sound))) == []
    for name in sound:
        rest = {key: value for key, value in sound.items() if key != name}
        [finding] = found(CLASS_PARAMETERS, rendered(_class(provisioner, rest)))
        assert (finding.severity, finding.path, finding.hint) == ("error", "parameters", f"add {name}")


def test_secrets_that_are_missing_are_one_finding() -> None:
    [finding] = found(CLASS_PARAMETERS, rendered(_class("rbd.csi.ceph.com", {"clusterID": "a", "pool": "b"})))

    assert finding.text == "rbd.csi.ceph.com has no Secret to log in to Ceph"
    assert finding.hint == f"add {', '.join(_LOGIN)}"


def test_pools_by_place_stand_for_the_pool() -> None:
    parameters = {"clusterID": "a", "topologyConstrainedPools": "[]", **_LOGIN}

    assert found(CLASS_PARAMETERS, rendered(_class("rbd.csi.ceph.com", parameters))) == []


@pytest.mark.parametrize(
    ("features", "added"),
    [
        ("layering", []),
        ("layering, exclusive-lock,object-map,fast-diff", []),
        ("fast-diff", ["object-map"]),
        ("fast-diff,object-map", ["exclusive-lock"]),
        ("journaling", ["exclusive-lock"]),
    ],
)
def test_features_of_an_image_need_others(features: str, added: list[str]) -> None:
    parameters = {**_SOUND["rbd.csi.ceph.com"], "imageFeatures": features}
    findings = found(CLASS_PARAMETERS, rendered(_class("rbd.csi.ceph.com", parameters)))

    assert [each.hint for each in findings] == [f"add {name}" for name in added]
    assert all(each.path == "parameters.imageFeatures" for each in findings)


def test_a_second_default_is_told() -> None:
    first = _class("x.example.com", {}, "one", annotations={_MARK: "true"})
    second = _class("x.example.com", {}, "two", annotations={_MARK: "true"})
    third = _class("x.example.com", {}, "three", annotations={_MARK: "false"})
    [finding] = found(CLASS_PARAMETERS, rendered(first, second, third))

    assert (finding.severity, finding.object) == ("warning", "StorageClass two")
    assert finding.text == "is the default as one is: claims without a class get the one that was made last"


def test_a_second_default_of_ingresses_is_told() -> None:
    both = [
        {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "IngressClass",
            "metadata": {"name": name, "annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}},
        }
        for name in ("one", "two")
    ]
    [finding] = found(CLASS_PARAMETERS, rendered(*both))

    assert finding.text == "is the default as one is: an Ingress without a class is refused"
