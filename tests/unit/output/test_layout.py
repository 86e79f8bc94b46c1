"""Paths of objects' files."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from platform_def.errors import ConfigError, Source
from platform_def.pipeline.output.layout import LONGEST, PlacedObject, lay_out, path_of


def manifest(kind: str = "Deployment", name: str = "x", api_version: str = "apps/v1") -> dict[str, object]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}}


def test_path_holds_component_part_namespace_kind_group_and_name() -> None:
    path = path_of(manifest(), component="emissary", part="main", namespace="gateway")

    assert path == "emissary/main/gateway/deployment.apps-x.yaml"


def test_core_objects_have_no_group_in_their_name() -> None:
    path = path_of(manifest("ConfigMap", "x", "v1"), component="a", part="main", namespace="b")

    assert path == "a/main/b/configmap-x.yaml"


def test_cluster_scoped_objects_lie_in_a_folder_that_no_namespace_can_have() -> None:
    clustered = path_of(
        manifest("ClusterRole", api_version="rbac.authorization.k8s.io/v1"), component="a", part="crds", namespace=None
    )
    named_like_it = path_of(manifest(), component="a", part="crds", namespace="_cluster")

    assert clustered == "a/crds/_cluster/clusterrole.rbac.authorization.k8s.io-x.yaml"
    assert named_like_it.split("/")[2] == "%5fcluster"


def test_a_version_does_not_change_the_path() -> None:
    paths = {
        path_of(manifest(api_version=f"apps/{v}"), component="a", part="main", namespace="b") for v in ("v1", "v2")
    }

    assert len(paths) == 1


@pytest.mark.parametrize(
    ("name", "encoded"),
    [
        ("system:node", "system%3anode"),
        ("Upper", "%55pper"),
        ("a/b", "a%2fb"),
        ("50%", "50%25"),
        ("ä", "%c3%a4"),
        ("..", "%2e%2e"),
        ("a.b", "a.b"),
    ],
)
def test_odd_characters_are_percent_encoded(name: str, encoded: str) -> None:
    path = path_of(manifest("Role", name, "v1"), component="a", part="main", namespace="b")

    assert path == f"a/main/b/role-{encoded}.yaml"


def test_names_that_differ_by_case_alone_stay_apart_on_any_file_system() -> None:
    paths = {
        path_of(manifest(name=name), component="a", part="main", namespace="b").lower() for name in ("aa", "aA", "AA")
    }

    assert len(paths) == 3


def test_a_part_may_be_left_out_and_own_folders_keep_their_underscore() -> None:
    assert (
        path_of(manifest("App", "x", "v1"), component="_delivery", part="", namespace="argocd")
        == "_delivery/argocd/app-x.yaml"
    )


def test_long_names_are_cut_and_told_apart_by_a_hash() -> None:
    one = path_of(manifest(name="a" * 253), component="a", part="main", namespace="b")
    other = path_of(manifest(name="a" * 252 + "b"), component="a", part="main", namespace="b")

    assert len(one.rpartition("/")[2]) == LONGEST
    assert one.endswith(".yaml")
    assert one != other


@given(st.text(min_size=1, max_size=300), st.text(max_size=300), st.text(min_size=1, max_size=50))
def test_no_name_leads_out_of_its_folder(name: str, namespace: str, kind: str) -> None:
    path = path_of(manifest(kind, name), component="a", part="main", namespace=namespace or None)

    assert re.fullmatch(r"a/main/(_cluster|[a-z0-9%.-]+)/[a-z0-9%.-]+\.yaml", path)
    assert not {".", "..", ""} & set(path.split("/"))
    assert max(map(len, path.split("/"))) <= LONGEST


def test_generate_name_is_refused() -> None:
    generated = {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "x-"}}

    with pytest.raises(ConfigError, match="generateName"):
        path_of(generated, component="a", part="main", namespace="b")


@pytest.mark.parametrize(
    "broken", [{"kind": "Pod"}, {"kind": "Pod", "metadata": None}, {"metadata": {"name": "x"}}, {}]
)
def test_an_object_without_kind_or_name_is_refused(broken: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=r"no kind|no metadata\.name"):
        path_of(broken, component="a", part="main", namespace="b")


def test_two_objects_on_one_path_are_an_error_that_names_both() -> None:
    first = PlacedObject(manifest(), "a", "main", "b", Source("one.yaml", 3))
    second = PlacedObject(manifest(api_version="apps/v2"), "a", "main", "b", Source("two.yaml", 4))

    with pytest.raises(ConfigError) as caught:
        lay_out([first, second])

    assert "a/main/b/deployment.apps-x.yaml" in str(caught.value)
    assert "apps/v1 Deployment b/x of a (one.yaml:3)" in str(caught.value)
    assert "apps/v2 Deployment b/x of a (two.yaml:4)" in str(caught.value)


def test_all_objects_without_a_path_are_reported_together() -> None:
    nameless = PlacedObject({"kind": "Pod"}, "a", "main", "b", Source("one.yaml", 1))
    kindless = PlacedObject({}, "c", "main", "b", Source("two.yaml", 1))

    with pytest.raises(ConfigError) as caught:
        lay_out([nameless, kindless])

    assert [str(problem.where) for problem in caught.value.problems] == ["one.yaml:1", "two.yaml:1"]


def test_adding_an_object_moves_no_other() -> None:
    before = lay_out([PlacedObject(manifest(name="a"), "a", "main", "b")])
    after = lay_out(
        [PlacedObject(manifest(name="b"), "a", "main", "b"), PlacedObject(manifest(name="a"), "a", "main", "b")]
    )

    assert before.items() <= after.items()
