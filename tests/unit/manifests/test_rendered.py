"""Objects of a stack with where they came from, what the cluster has without them, and objects that the tool writes."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from platform_def.apis.core import CONFIG_MAP
from platform_def.config.kubernetes import Kubernetes
from platform_def.config.objects import Made
from platform_def.config.platform import ExistingObject, Platform
from platform_def.crds.model import Api
from platform_def.manifests import rendered
from platform_def.manifests.author import manifest
from platform_def.manifests.custom_kind import CustomKind
from platform_def.manifests.existing import exists
from platform_def.manifests.index import ObjectIndex
from platform_def.manifests.links import Links, Name
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedObject, RenderedStack
from platform_def.yaml import UnwritableError, dump
from tests.unit.checks.samples import crd

POD: Manifest = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "it", "namespace": "vision"},
    "spec": {"serviceAccountName": "runner", "containers": []},
}


def item(body: Manifest = POD, part: Any = "main", **more: Any) -> RenderedObject:
    return RenderedObject(body, "app", part, "here", **more)


def test_an_object_is_the_same_by_group_kind_namespace_and_name() -> None:
    deployment = item({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "namespace": "b"}})
    role = item({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "a"}})

    assert deployment.key == ("apps", "Deployment", "b", "a")
    assert role.key == ("rbac.authorization.k8s.io", "ClusterRole", "", "a")
    assert item().key == ("", "Pod", "vision", "it")
    assert (str(deployment), str(role)) == ("Deployment b/a", "ClusterRole a")
    assert (deployment.namespace, role.namespace) == ("b", None)


def test_an_object_without_anything_has_empty_names() -> None:
    empty = item({})

    assert (empty.kind, empty.api_version, empty.group, empty.name, empty.namespace) == ("", "", "", "", None)


def test_what_a_former_run_knows_is_not_found_out_again() -> None:
    known = Links((Name("a", "", "Secret", "x", "y"),), (Made("", "Secret", "x", "z"),), judged=True)

    kept = item(file_text="as it was\n", known_links=orjson.loads(orjson.dumps(known.to_json())))

    assert kept.text == "as it was\n"
    assert kept.links == known
    assert item(file_text="").text == ""
    assert item(known_links=[[], [], False, False]).links == Links()


def test_without_a_former_run_text_and_links_are_those_of_the_object() -> None:
    assert "serviceAccountName: runner" in item().text
    assert [name.name for name in item().links.names] == ["runner"]


def test_an_overlay_changes_the_object_and_is_remembered() -> None:
    before = item(overlays=("first",), file_text="old", known_links=[[], [], False, False])
    other = POD | {"spec": {"serviceAccountName": "other", "containers": []}}

    after = before.changed(other, "second")

    assert after.overlays == ("first", "second")
    assert "other" in after.text
    assert [name.name for name in after.links.names] == ["other"]
    assert (before.overlays, before.text) == (("first",), "old")


def test_parts_come_in_the_order_of_delivery_whatever_that_of_the_objects() -> None:
    parts: tuple[Any, ...] = ("after", "main", "crds", "main")

    assert RenderedComponent("app", tuple(item(part=part) for part in parts)).parts == ("crds", "main", "after")
    assert RenderedComponent("app", (item(part="after"),)).parts == ("after",)


def test_what_pods_make_stands_with_the_last_object() -> None:
    made = Made("", "Secret", "vision", "token")
    first, last = item(part="crds"), item()

    assert list(RenderedComponent("app", (first, last), makes=(made,)).made()) == [(made, last)]


def test_a_stack_lists_components_then_jobs_then_delivery() -> None:
    one, two, three = item(), item(), item()
    stack = RenderedStack(
        "a", Platform(), {"app": RenderedComponent("app", (one,))}, jobs={"job": (two,)}, delivery=(three,)
    )

    assert list(stack.objects()) == [one, two, three]


def name(kind: str, called: str, *, group: str = "", namespace: str = "vision") -> Name:
    return Name("spec", group, kind, namespace, called)


RBAC = "rbac.authorization.k8s.io"
READER = "extension-apiserver-authentication-reader"


@pytest.mark.parametrize(
    "known",
    [
        name("ServiceAccount", "default"),
        name("ConfigMap", "kube-root-ca.crt"),
        name("ConfigMap", "istio-ca-root-cert"),
        name("ConfigMap", "openshift-service-ca.crt"),
        name("PriorityClass", "system-cluster-critical", group="scheduling.k8s.io"),
        name("PriorityClass", "system-node-critical", group="scheduling.k8s.io"),
        name("Queue", "default", group="scheduling.volcano.sh"),
        name("Queue", "root", group="scheduling.volcano.sh"),
        name("Gateway", "mesh", group="networking.istio.io"),
        name("GatewayClass", "istio", group="gateway.networking.k8s.io"),
        name("GatewayClass", "istio-remote", group="gateway.networking.k8s.io"),
        name("GatewayClass", "istio-waypoint", group="gateway.networking.k8s.io"),
        *(name("ClusterRole", role, group=RBAC) for role in ("admin", "cluster-admin", "edit", "view")),
        name("ClusterRole", "system:auth-delegator", group=RBAC),
        name("Role", "system:controller:any", group=RBAC),
        name("Role", READER, namespace="kube-system", group=RBAC),
    ],
    ids=lambda known: f"{known.kind}-{known.name}",
)
def test_every_cluster_has_these(known: Name) -> None:
    assert exists(known, Platform())


@pytest.mark.parametrize(
    "unknown",
    [
        name("ServiceAccount", "runner"),
        name("ConfigMap", "default"),
        name("ClusterRole", "reader", group=RBAC),
        name("ConfigMap", "system:x"),
        name("Role", READER, namespace="default", group=RBAC),
        name("RuntimeClass", "nvidia", group="node.k8s.io"),
    ],
    ids=lambda unknown: f"{unknown.kind}-{unknown.name}",
)
def test_no_cluster_has_these_of_itself(unknown: Name) -> None:
    assert not exists(unknown, Platform())


@pytest.mark.parametrize(
    ("distribution", "kubernetes", "there"),
    [("k3s", "1.30", True), ("rke2", "1.36", True), ("k3s", "1.29", False), ("kubeadm", "1.36", False)],
)
def test_some_distributions_bring_the_runtimes_that_they_find(distribution: Any, kubernetes: str, there: bool) -> None:
    platform = Platform(distribution=distribution, kubernetes=Kubernetes(kubernetes))

    for called in ("nvidia", "nvidia-experimental", "nvidia-cdi"):
        assert exists(name("RuntimeClass", called, group="node.k8s.io"), platform) is there
    assert not exists(name("RuntimeClass", "gvisor", group="node.k8s.io"), platform)
    assert not exists(name("RuntimeClass", "nvidia", group="example.com"), platform)


@pytest.mark.parametrize(
    ("said", "there"),
    [
        (ExistingObject("Secret", "key"), True),
        (ExistingObject("Secret", "key", "vision"), True),
        (ExistingObject("Secret", "key", "speech"), False),
        (ExistingObject("Secret", "other"), False),
        (ExistingObject("ConfigMap", "key"), False),
        (ExistingObject("Secret", "key", "vision", "example.com"), False),
    ],
)
def test_what_a_stack_says_exists_does_by_kind_name_namespace_and_group(said: ExistingObject, there: bool) -> None:
    assert exists(name("Secret", "key"), Platform(existing=(said,))) is there


def test_an_object_is_written_with_what_it_has_and_nothing_empty() -> None:
    bare = manifest(CONFIG_MAP, "a", labels={"app": "a"}, fields={"data": {"k": "v"}})

    assert bare == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "a", "labels": {"app": "a"}},
        "data": {"k": "v"},
    }


def test_an_object_is_written_with_all_that_it_is_given() -> None:
    api: Api[dict[str, Any]] = Api(
        group="example.com", version="v1", kind="Thing", plural="things", spec=dict[str, Any]
    )
    labels = {"app": "a"}

    whole = manifest(
        api, "a", namespace="b", labels=labels, annotations={"x": "y"}, finalizers=("hold",), spec={"size": 1}
    )

    assert (whole["apiVersion"], whole["kind"], whole["spec"]) == ("example.com/v1", "Thing", {"size": 1})
    assert whole["metadata"] == {
        "name": "a",
        "namespace": "b",
        "labels": {"app": "a"},
        "annotations": {"x": "y"},
        "finalizers": ["hold"],
    }
    assert whole["metadata"]["labels"] is not labels
    assert manifest(api, "a", labels={}, spec={})["spec"] == {}


def test_a_crd_serves_a_kind_in_its_served_versions() -> None:
    body = crd({"type": "object"}, versions=("v1", "v2", "v3"))
    body["spec"]["versions"][1]["served"] = False
    del body["spec"]["versions"][2]["schema"]

    kind = CustomKind.of(body, "identity")

    assert kind is not None
    assert (kind.group, kind.kind, kind.plural, kind.namespaced) == ("example.com", "Thing", "things", True)
    assert set(kind.schemas) == {"v1", "v3"}
    assert kind.schemas["v1"]["properties"] == {"spec": {"type": "object"}}
    assert kind.schemas["v3"] == {}
    assert kind.identity == "identity"


@pytest.mark.parametrize("schema", [None, {}, {"openAPIV3Schema": None}])
def test_a_version_without_a_schema_takes_anything(schema: object) -> None:
    body = crd({"type": "object"})
    body["spec"]["versions"][0]["schema"] = schema

    kind = CustomKind.of(body, "")

    assert kind is not None
    assert kind.schemas == {"v1": {}}


@pytest.mark.parametrize(
    "change", [{"group": 5}, {"names": {"plural": "x"}}, {"versions": [{}]}, {"names": []}, {"versions": 5}]
)
def test_a_crd_that_is_too_broken_serves_nothing(change: dict[str, Any]) -> None:
    body = crd({"type": "object"})

    assert CustomKind.of(body | {"spec": body["spec"] | change}, "") is None
    assert CustomKind.of({"spec": None}, "") is None


def test_objects_are_looked_up_by_key_kind_and_namespace() -> None:
    twin, other = (
        item(POD | {"spec": {}}),
        item({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "vision"}}),
    )
    first = item()
    index = ObjectIndex([first, twin, other, item(crd({"type": "object"}))])

    assert index.by_key["", "Pod", "vision", "it"] == (first, twin)
    assert index.by_kind["", "Pod"] == (first, twin)
    assert index.namespaces == {"vision"}
    assert set(index.custom) == {("example.com", "Thing")}
    assert index.custom["example.com", "Thing"].identity == index.objects[-1].text


@pytest.mark.parametrize("part", ["crds", "classes", "main", "after"])
def test_an_object_that_is_kept_is_found_again_as_it_was(part: str) -> None:
    one = item(part=part)
    kept = orjson.loads(orjson.dumps(one.to_json()))

    again = RenderedObject(**kept)

    assert (again.key, again.component, again.part, again.origin, again.job) == (one.key, "app", part, "here", one.job)
    assert (again.text, again.links) == (one.text, one.links)


def definition(spec: object, **more: object) -> Manifest:
    head = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "a"}}
    return {**head, "spec": spec, **more}


@pytest.mark.parametrize(
    "body",
    [
        *(
            definition({"b": [1, 2.0, 1e300, True, "no", {"z": {}, "a": []}], "a": given})
            for given in ("1", 1, 1.0, True)
        ),
        definition({"default": None}),
        definition({}),
        definition([]),
        definition("text"),
        definition({"é": "a\nb\n"}, status={"stored": []}),
        definition({"a": 1}, more=1),
        {"kind": "CustomResourceDefinition"},
    ],
)
def test_a_definition_is_written_as_any_object(body: Manifest) -> None:
    for _ in range(2):
        assert item(body).text == dump(body)


def test_a_specification_that_definitions_share_is_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[object] = []

    def noted(value: object) -> str:
        written.append(value)
        return dump(value)

    monkeypatch.setattr(rendered, "dump", noted)
    spec = {"only": "here", "nullable": True}
    texts = {item(definition(spec) | {"metadata": {"name": name}}).text for name in ("a", "b", "c")}

    assert len(texts) == 3
    assert sum("spec" in each for each in written if isinstance(each, dict)) == 1


@pytest.mark.parametrize("wrong", [float("nan"), [float("nan")], [1, float("inf")], 2**63, {1: "a"}])
def test_a_definition_that_cannot_be_written_is_refused_though_another_was(wrong: object) -> None:
    assert item(definition({"a": None})).text
    assert item(definition({"a": [None]})).text
    assert item(definition({"a": [1, None]})).text

    with pytest.raises(UnwritableError):
        _ = item(definition({"a": wrong})).text
