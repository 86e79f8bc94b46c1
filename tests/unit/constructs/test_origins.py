"""Where objects say that they come from, and files inside them."""

from __future__ import annotations

from platform_def.constructs import Crds
from platform_def.constructs.config_map import config_map, restart_on_change, yaml_file
from platform_def.crds.catalogue import definitions_of
from tests.unit.constructs.samples import built, objects

DEFINITIONS = [each for each in definitions_of("training-operator", "1.9.4") if each.api.kind == "PyTorchJob"]


def test_an_object_names_the_pieces_that_made_it() -> None:
    [crd] = built(lambda scope: Crds(scope, DEFINITIONS)).objects

    assert crd.origin == "sample/Crds(apis)/CustomResourceDefinition(pytorchjobs.kubeflow.org)"


def test_annotations_of_whoever_converts_are_on_the_crd() -> None:
    made = objects(lambda scope: Crds(scope, DEFINITIONS, annotations={"inject": "x"}))

    assert made["CustomResourceDefinition", "pytorchjobs.kubeflow.org"]["metadata"]["annotations"]["inject"] == "x"


def test_a_configuration_file_has_its_keys_in_plain_order() -> None:
    assert yaml_file({"status": 1, "kind": "Config", "a": {"z": 1, "b": 2}}) == (
        "a:\n  b: 2\n  z: 1\nkind: Config\nstatus: 1\n"
    )


def test_a_config_map_has_files_namespace_and_labels() -> None:
    made = objects(lambda scope: config_map(scope, "files", {"a": "b"}, namespace="there", labels={"x": "y"}))
    [only] = made.values()

    assert only["data"] == {"a": "b"}
    assert only["metadata"]["namespace"] == "there"
    assert only["metadata"]["labels"]["x"] == "y"


def test_a_pod_starts_anew_where_one_of_its_files_changes() -> None:
    [value] = restart_on_change("a", "b").values()

    assert len(value) == 16
    assert {value} != {*restart_on_change("ab", "").values()}
