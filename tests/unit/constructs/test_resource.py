"""The one place that creates objects: what it adds, and what it refuses to pass on."""

from __future__ import annotations

from typing import Any

import cdk8s
import jsii
import pytest
from constructs import Construct, IValidation, Node

from platform_def.apis.core.apps_v1 import DEPLOYMENT
from platform_def.apis.core.core_v1 import CONFIG_MAP, NAMESPACE, PERSISTENT_VOLUME_CLAIM, SERVICE_ACCOUNT
from platform_def.config.component import ComponentConfig
from platform_def.config.platform import Platform
from platform_def.config.reads import observed
from platform_def.constructs.component import Component
from platform_def.constructs.resource import Resource
from tests.unit.constructs.samples import built


class Plain(Component[ComponentConfig]):
    """A component without objects."""

    slug = "plain"

    def build(self) -> None:
        """Nothing."""


def component(**facts: Any) -> Plain:
    chart = cdk8s.Chart(cdk8s.App(), "chart", disable_resource_name_hashes=True)
    return Plain(chart, config=ComponentConfig(labels={"team": "x"}), platform=Platform(**facts))


def test_namespaced_kinds_get_the_components_namespace_and_others_none() -> None:
    scope = component()

    assert (
        Resource(scope, CONFIG_MAP, "a", fields={"data": {"k": "v"}}).manifest["metadata"]["namespace"]
        == "platform-system"
    )
    assert "namespace" not in Resource(scope, NAMESPACE, "b").manifest["metadata"]


@pytest.mark.parametrize(("api", "namespace"), [(DEPLOYMENT, "platform-system"), (NAMESPACE, None)])
def test_cdk8s_knows_of_it_what_it_knows_of_its_own_objects(api: Any, namespace: str | None) -> None:
    scope = component()
    ours = Resource(scope, api, "a")
    metadata = cdk8s.ApiObjectMetadata(name="a", namespace=namespace)
    theirs = cdk8s.ApiObject(scope, "theirs", api_version=api.api_version, kind=api.kind, metadata=metadata)

    for known in ("api_group", "api_version", "kind", "name"):
        assert getattr(ours, known) == getattr(theirs, known)
    assert ours.metadata.to_json() == theirs.metadata.to_json()
    assert cdk8s.ApiObject.is_api_object(ours)
    assert Node.of(ours).id == (f"{api.kind}-{namespace}-a" if namespace else f"{api.kind}-a")
    assert Node.of(ours).scope is scope


def test_labels_say_who_made_it_and_carry_the_stacks_own() -> None:
    labels = Resource(component(), CONFIG_MAP, "a", fields={}).manifest["metadata"]["labels"]

    assert labels == {
        "app.kubernetes.io/instance": "plain",
        "app.kubernetes.io/managed-by": "platform-def",
        "app.kubernetes.io/name": "plain",
        "team": "x",
    }


@pytest.mark.parametrize(
    ("engine", "words"), [("argocd", ["Delete=false,Prune=false", "IgnoreExtraneous"]), ("flux", ["disabled"])]
)
def test_what_cannot_be_made_again_is_never_deleted_nor_missed_by_an_engine(engine: str, words: list[str]) -> None:
    claim = Resource(component(delivery=engine), PERSISTENT_VOLUME_CLAIM, "data", spec={"resources": {}})

    assert sorted(claim.manifest["metadata"]["annotations"].values()) == words


def test_only_protected_kinds_read_the_engine() -> None:
    scope = component()

    with observed() as reads:
        Resource(scope, CONFIG_MAP, "a", fields={})

    assert "delivery" not in reads


@pytest.mark.parametrize(
    ("value", "words"), [(None, "leave the field out"), (2**60, "round integers"), ({1: "x"}, "is not text")]
)
def test_what_json_readers_lose_is_refused_with_its_path(value: object, words: str) -> None:
    with pytest.raises(TypeError, match=words) as caught:
        Resource(component(), DEPLOYMENT, "a", spec={"selector": value, "template": {}})  # type: ignore[typeddict-item]

    assert "Deployment/a.spec.selector" in str(caught.value)


@pytest.mark.parametrize("items", [["a", None], ("a", None)])
def test_what_is_lost_in_a_list_is_refused_with_its_place(items: object) -> None:
    with pytest.raises(TypeError, match=r"ConfigMap/a\.data\.k\[1\] is None"):
        Resource(component(), CONFIG_MAP, "a", fields={"data": {"k": items}})  # type: ignore[dict-item]


@jsii.implements(IValidation)
class Unfit:
    """Finds two things wrong."""

    def validate(self) -> list[str]:
        """What is wrong."""
        return ["it does not fit", "at all"]


def test_what_is_wrong_in_a_construct_of_cdk8s_is_told_with_its_owner() -> None:
    with pytest.raises(ValueError, match="sample: it does not fit; at all"):
        built(lambda self: self.node.add_validation(Unfit()))


def test_stock_cdk8s_sees_the_same_object() -> None:
    scope = component()
    item = Resource(scope, CONFIG_MAP, "a", fields={"data": {"k": "v"}})

    assert cdk8s.Testing.synth(cdk8s.Chart.of(scope)) == [item.manifest]


def test_json_patches_of_cdk8s_apply() -> None:
    item = Resource(component(), CONFIG_MAP, "a", fields={"data": {"k": "v"}})

    item.add_json_patch(cdk8s.JsonPatch.replace("/data/k", "w"))

    assert item.manifest["data"] == {"k": "w"}


def test_a_plain_cdk8s_object_in_a_component_is_collected_too() -> None:
    from platform_def.constructs.render import render

    def make(scope: Construct) -> Plain:
        made = Plain(scope, config=ComponentConfig(), platform=Platform())
        cdk8s.ApiObject(made, "x", api_version="v1", kind="ConfigMap", metadata=cdk8s.ApiObjectMetadata(name="x"))
        return made

    build = render(make)

    assert [item.manifest["metadata"]["name"] for item in build.objects] == ["x"]
    assert build.objects[0].origin == "plain/x"


def test_accounts_name_the_stacks_pull_secrets_and_other_kinds_read_nothing_of_them() -> None:
    account = Resource(component(pull_secrets=["registry"]), SERVICE_ACCOUNT, "a", fields={}).manifest

    assert account["imagePullSecrets"] == [{"name": "registry"}]
    assert "imagePullSecrets" not in Resource(component(), SERVICE_ACCOUNT, "a", fields={}).manifest
    with observed() as reads:
        Resource(component(pull_secrets=["registry"]), CONFIG_MAP, "a", fields={})
    assert "pull_secrets" not in reads
