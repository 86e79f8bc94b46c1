from __future__ import annotations

from typing import TypedDict

import pytest

from platform_def.crds.catalogue import Served, definitions, known, newest_definitions
from platform_def.crds.index import entry_of
from platform_def.crds.model import Api, Definition
from platform_def.errors import ConfigError
from platform_def.explain import api_resources
from platform_def.explain.api import ApiField, Explained, explain_api
from platform_def.explain.api_text import text


class WidgetSpec(TypedDict, total=False):
    """What a widget is."""

    size: int


def widget(version: str, *, served: bool, storage: bool) -> Api[WidgetSpec]:
    return Api(
        group="example.com",
        version=version,
        kind="Widget",
        plural="widgets",
        spec=WidgetSpec,
        metadata={"type": "object", "properties": {"name": {"type": "string", "maxLength": 20}}},
        served=served,
        storage=storage,
        deprecated=True,
        deprecation_warning="use gadgets",
    )


@pytest.fixture
def widgets(monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalogue with one API of our own making, whose better version is not served."""
    versions = (widget("v1beta1", served=True, storage=True), widget("v1", served=False, storage=False))
    entry = Served("widget-operator", "1.0.0", ())
    monkeypatch.setattr(api_resources, "known", lambda: {"widget-operator-1.0.0": entry})
    definition = Definition(versions, short_names=("wdg",))
    monkeypatch.setattr(api_resources, "entries", lambda _: (entry_of(definition),))
    monkeypatch.setattr(api_resources, "definitions", lambda _: (definition,))


def kind_of(explained: Explained) -> str:
    return f"{explained.found.served.api_version} {explained.found.served.kind}"


def inside(field: ApiField, name: str) -> ApiField:
    return next(inner for inner in field.fields if inner.name == name)


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("pytorchjobs", "kubeflow.org/v1 PyTorchJob"),
        ("pytorchjob", "kubeflow.org/v1 PyTorchJob"),
        ("PyTorchJob", "kubeflow.org/v1 PyTorchJob"),
        ("pytorchjobs.kubeflow.org", "kubeflow.org/v1 PyTorchJob"),
        ("pytorchjobs.v1.kubeflow.org", "kubeflow.org/v1 PyTorchJob"),
        ("ksvc", "serving.knative.dev/v1 Service"),
        ("deploy", "apps/v1 Deployment"),
        ("netpol", "networking.k8s.io/v1 NetworkPolicy"),
        ("po", "v1 Pod"),
        ("Job.batch.volcano.sh", "batch.volcano.sh/v1alpha1 Job"),
        ("events", "v1 Event"),
        ("events.events.k8s.io", "events.k8s.io/v1 Event"),
    ],
)
def test_a_resource_goes_by_all_its_names(word: str, kind: str) -> None:
    assert kind_of(explain_api(word)) == kind


def test_a_core_kind_comes_before_custom_ones_which_are_mentioned() -> None:
    found = explain_api("services")

    assert kind_of(found) == "v1 Service"
    assert found.found.namesakes == ("services.serving.knative.dev",)


def test_custom_resources_of_one_name_must_be_told_apart() -> None:
    with pytest.raises(ConfigError) as error:
        explain_api("gateways")

    assert "gateways.gateway.networking.k8s.io or gateways.networking.istio.io" in str(error.value)


def test_the_newest_release_is_explained() -> None:
    found = explain_api("pytorchjobs")

    assert found.found.served.source == "training-operator-1.9.4"
    assert found.other_releases == ["training-operator-1.7.0"]


def test_a_channel_of_a_release_comes_after_the_release_itself() -> None:
    assert explain_api("httproutes").found.served.source == "gateway-api-1.7.0"
    assert newest_definitions("gateway-api", "1.6") == definitions("gateway-api-1.6.1")


def test_another_release_is_explained_when_asked_for() -> None:
    found = explain_api("mxjobs", release="mxnet-operator-1.1.0")

    assert found.found.served.source == "mxnet-operator-1.1.0"


def test_a_component_s_newest_release_counts_before_the_stability_of_its_versions() -> None:
    found = explain_api("mappings")

    assert found.found.served.source == "emissary-4.1.0"
    assert found.found.served.version == "v3alpha1"


def test_an_older_version_is_explained_when_asked_for() -> None:
    found = explain_api("mpijobs", api_version="kubeflow.org/v2beta1")

    assert found.found.served.source == "mpi-operator-0.8.2"
    assert found.other_versions == ["v1"]


def test_core_kinds_are_known_by_version_of_kubernetes() -> None:
    assert explain_api("flowschemas", release="kubernetes-1.27").found.served.version == "v1beta3"
    assert explain_api("flowschemas", release="kubernetes-1.30").found.served.version == "v1"


def test_apis_that_only_a_component_brings_are_found_too() -> None:
    assert explain_api("nvidiadrivers.nvidia.com").found.served.component == "gpu-operator"


def test_items_of_lists_and_keys_of_maps_are_passed_over() -> None:
    found = explain_api("pytorchjobs.spec.pytorchReplicaSpecs.template.spec.containers.resources.limits")

    assert found.field.type == "map[string]Quantity"
    assert found.path == "spec.pytorchReplicaSpecs.template.spec.containers.resources.limits"


def test_an_index_in_the_path_does_no_harm() -> None:
    assert explain_api("pods.spec.containers[0].image").field == explain_api("pods.spec.containers.image").field


def test_core_types_inside_custom_resources_have_their_names_and_descriptions() -> None:
    spec = explain_api("pytorchjobs.spec.pytorchReplicaSpecs.template.spec").field

    assert spec.type == "PodSpec"
    assert inside(spec, "containers").type == "[]Container"
    assert inside(spec, "containers").required
    assert inside(spec, "containers").description


def test_core_types_inside_custom_resources_have_the_defaults_of_the_crd() -> None:
    ports = explain_api("pytorchjobs.spec.pytorchReplicaSpecs.template.spec.containers.ports").field

    assert inside(ports, "protocol").constraints == {"default": "TCP"}


def test_constraints_are_those_of_the_crd() -> None:
    queue = explain_api("pytorchjobs.spec.runPolicy.schedulingPolicy.queue").field
    matches = explain_api("httproutes.spec.rules.matches").field

    assert queue.constraints == {
        "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "the queue of a job stays what it is"}]
    }
    assert matches.constraints["maxItems"] == 64
    assert "GET" in str(inside(matches, "method").constraints["enum"])


def test_constraints_of_items_are_told_from_those_of_the_list() -> None:
    modes = explain_api("persistentvolumeclaims.spec.accessModes").field
    names = explain_api("httproutes.spec.hostnames").field

    assert modes.type == "[]string"
    assert names.constraints["maxItems"]
    assert isinstance(names.constraints["items"], dict)
    assert names.constraints["items"]["maxLength"] == 253


def test_quantities_and_numbers_or_text_have_names_of_their_own() -> None:
    service = explain_api("services.spec.ports").field

    assert inside(service, "targetPort").type == "IntOrString"
    assert explain_api("pods.spec.overhead").field.type == "map[string]Quantity"
    assert explain_api("pods.spec.overhead").field.constraints == {}


def test_every_object_has_metadata_whatever_its_crd_says() -> None:
    for word in ("pytorchjobs", "experiments.kubeflow.org", "chainerjobs"):
        assert explain_api(f"{word}.metadata.labels").field.type == "map[string]string"


def test_what_an_api_asks_of_metadata_is_said(widgets: None) -> None:
    metadata = explain_api("widgets.metadata").field

    assert metadata.type == "ObjectMeta"
    assert inside(metadata, "name").constraints == {"maxLength": 20}
    assert inside(metadata, "name").description
    assert inside(metadata, "labels").type == "map[string]string"


def test_a_version_that_is_not_served_is_not_explained(widgets: None) -> None:
    found = explain_api("wdg")

    assert found.found.served.version == "v1beta1"
    assert found.other_versions == []


def test_a_deprecated_version_says_so(widgets: None) -> None:
    assert "DEPRECATED: use gadgets" in text(explain_api("widgets"))
    assert explain_api("widgets").row()["deprecated"] == "use gadgets"


@pytest.mark.slow
def test_every_resource_of_the_catalogue_is_explained_by_its_full_name() -> None:
    for release in known():
        for api in (api for one in definitions(release) for api in one.versions if api.served):
            found = explain_api(api.crd_name, api_version=api.api_version, release=release)

            assert found.found.served.api is api
            assert found.field.fields


def test_one_level_is_explained_or_all() -> None:
    one, every = explain_api("pods"), explain_api("pods", recursive=True)

    assert inside(one.field, "spec").fields == ()
    assert inside(inside(every.field, "spec"), "containers").fields


def test_a_type_that_contains_itself_is_opened_once() -> None:
    schema = explain_api("crds.spec.versions.schema.openAPIV3Schema", recursive=True).field
    deeper = explain_api("crds.spec.versions.schema.openAPIV3Schema.properties.items").field

    assert inside(schema, "not").fields == ()
    assert inside(schema, "externalDocs").fields
    assert deeper.name == "items"


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("pytorchjos", "did you mean 'pytorchjobs'?"),
        ("pytorchjobs.sepc", "did you mean 'spec'?"),
        ("pytorchjobs.spec.elasticPolice", "did you mean 'elasticPolicy'?"),
        ("pytorchjobs.kubeflw.org", "did you mean 'kubeflow.org'?"),
        ("pytorchjobs.spec.pytorchReplicaSpecs.Worker.template", "keys of a map are left out"),
        ("workflows.spec.entrypoint", "--release argo-workflows-3.7.18-full"),
        ("", "pytorchjobs.spec"),
        ("pods..spec", "spec"),
    ],
)
def test_what_is_not_known_gets_the_nearest_name(path: str, hint: str) -> None:
    with pytest.raises(ConfigError) as error:
        explain_api(path)

    assert hint in error.value.problems[0].hint


def test_a_scalar_has_no_fields() -> None:
    with pytest.raises(ConfigError, match=r"Pod.metadata.name is <string> and has no field 'first'"):
        explain_api("pods.metadata.name.first")


@pytest.mark.parametrize(
    ("api_version", "release", "said"),
    [
        ("kubeflow.org/v2", "", "did you mean 'kubeflow.org/v1'?"),
        ("", "training-operator-1.9", "did you mean 'training-operator-1.9.4'?"),
        ("", "jobset-0.12.0", "served by training-operator-1.7.0, training-operator-1.9.4"),
    ],
)
def test_unknown_versions_and_releases_get_the_nearest_name(api_version: str, release: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        explain_api("pytorchjobs", api_version=api_version, release=release)

    assert said in str(error.value)


def test_the_text_reads_as_kubectl_s_does() -> None:
    lines = text(explain_api("pytorchjobs.spec.runPolicy.suspend")).splitlines()

    assert lines[:3] == ["GROUP:      kubeflow.org", "KIND:       PyTorchJob", "VERSION:    v1"]
    assert "FIELD: suspend <boolean>" in lines
    assert "    default: false" in lines


def test_required_fields_and_rules_are_marked_in_the_text() -> None:
    policy = text(explain_api("pytorchjobs.spec.runPolicy.schedulingPolicy"))

    assert "    rule: self == oldSelf  (the queue of a job stays what it is)" in policy
    assert "  pytorchReplicaSpecs <map[string]Object> -required-" in text(explain_api("pytorchjobs.spec"))


def test_the_recursive_text_is_a_tree_without_descriptions() -> None:
    tree = text(explain_api("pytorchjobs.spec.elasticPolicy", recursive=True), recursive=True).splitlines()

    assert "  rdzvConf <[]Object>" in tree
    assert "    key <string>" in tree
    assert not any("Fewest workers" in line for line in tree)


def test_the_row_says_where_and_what() -> None:
    row = explain_api("pytorchjobs.spec.elasticPolicy.minReplicas").row()

    assert row["group"] == "kubeflow.org"
    assert row["path"] == "spec.elasticPolicy.minReplicas"
    assert row["constraints"] == {"format": "int32"}
    assert "fields" not in row
