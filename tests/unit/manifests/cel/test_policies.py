"""Expressions of policies, webhooks and device selectors compile, or are told with the reason; policies judge objects."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.manifests.cel import admission
from platform_def.manifests.cel.admission import Creation, Judge, Verdict
from platform_def.manifests.cel.policies import policy_problems
from platform_def.manifests.cel.programs import CompiledExpression, program

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "namespace": "default", "labels": {"gpus": "4"}},
    "spec": {"containers": [{"name": "web", "image": "example.com/web:1"}]},
}


def policy(*expressions: str, kind: str = "ValidatingAdmissionPolicy", **spec: Any) -> dict[str, Any]:
    return {"kind": kind, "spec": {**spec, "validations": [{"expression": each} for each in expressions]}}


def problems(manifest: dict[str, Any]) -> list[tuple[str, str]]:
    return [(".".join(map(str, each.path)), each.text) for each in policy_problems(manifest, 36)]


@pytest.mark.parametrize(
    "expression",
    [
        "object.spec.replicas <= 5 && !has(object.spec.paused)",
        "request.operation == 'CREATE' && request.userInfo.groups.exists(g, g == 'admins')",
        "request.userInfo.extra['scopes'].size() == 1",
        "namespaceObject.metadata.labels['team'] == 'vision' && namespaceObject.status.conditions.size() == 0",
        "authorizer.group('').resource('pods').namespace('a').check('create').allowed()",
        "authorizer.requestResource.check('approve').allowed()",
        "oldObject == null || oldObject.spec == object.spec",
    ],
)
def test_what_a_policy_may_ask_compiles(expression: str) -> None:
    assert problems(policy(expression)) == []


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("spec.replicas <= 5", "'spec' is not known"),
        ("request.user == ''", "there is no field 'user'"),
        ("namespaceObject.labels == {}", "there is no field 'labels'"),
        ("params.data.a == 'b'", "'params' is not known"),
        ("object.spec.replicas", "must give true or false, and gives any value"),
        ("variables.a == 1", "there is no field 'a'"),
    ],
)
def test_what_it_may_not_is_told(expression: str, said: str) -> None:
    [(path, text)] = problems(policy(expression))

    assert path == "spec.validations.0.expression"
    assert said in text


def test_variables_are_known_to_those_behind_them_with_their_types() -> None:
    images = {"name": "images", "expression": "object.spec.containers.map(c, c.image)"}
    first = {"name": "first", "expression": "string(variables.images[0])"}

    assert problems(policy("variables.first.startsWith('a')", variables=[images, first])) == []
    assert [path for path, _ in problems(policy("true", variables=[first, images]))] == ["spec.variables.0.expression"]
    assert [path for path, _ in problems(policy("variables.first > 1", variables=[images, first]))] == [
        "spec.validations.0.expression"
    ]


def test_parameters_are_known_where_the_policy_has_some() -> None:
    assert problems(policy("params.data.a == 'b'", paramKind={"apiVersion": "v1", "kind": "ConfigMap"})) == []


@pytest.mark.parametrize(
    ("expression", "fine"),
    [
        ("device.driver == 'gpu.example.com' && device.attributes['gpu.example.com'].model == 'a100'", True),
        ("device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) >= 0", True),
        ("cel.bind(a, device.attributes['gpu.example.com'], a.mig && a.index == 1)", True),
        ("device.driver = 'gpu.example.com'", False),
        ("device.name == 'a'", False),
        ("device.driver", False),
    ],
)
def test_selectors_of_devices_speak_of_a_device(expression: str, *, fine: bool) -> None:
    selectors = [{"cel": {"expression": expression}}]
    asked = {"kind": "DeviceClass", "spec": {"selectors": selectors}}
    request = {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu", "selectors": selectors}}]}
    claim = {"kind": "ResourceClaimTemplate", "spec": {"spec": {"devices": request}}}

    assert (problems(asked) == []) == fine
    assert (problems(claim) == []) == fine


def test_of_patches_that_build_objects_the_syntax_is_judged() -> None:
    def patch(source: str) -> dict[str, Any]:
        mutations = [{"applyConfiguration": {"expression": source}}]
        return {"kind": "MutatingAdmissionPolicy", "spec": {"mutations": mutations}}

    assert problems(patch("Object{metadata: Object.metadata{labels: {'a': 'b'}}}")) == []
    assert "Syntax error" in problems(patch("Object{metadata: "))[0][1]


def said(spec: dict[str, Any], *params: dict[str, Any]) -> list[Verdict]:
    creation = Creation(POD, "", "v1", "pods", {"metadata": {"name": "default", "labels": {"team": "vision"}}})
    judge = Judge(spec, creation)
    return [verdict for each in params or [None] for verdict in judge.verdicts(each)]


@pytest.mark.parametrize(
    ("spec", "texts"),
    [
        (policy("object.metadata.name == 'web'")["spec"], []),
        (policy("object.metadata.name == 'db'")["spec"], ["failed expression: object.metadata.name == 'db'"]),
        (
            policy("request.resource.resource == 'jobs'", failurePolicy="Ignore")["spec"],
            ["failed expression: request.resource.resource == 'jobs'"],
        ),
        (policy("namespaceObject.metadata.labels.team == 'vision'")["spec"], []),
        (
            policy("int(object.metadata.labels.gpus) <= int(params.gpus)")["spec"],
            ["failed expression: int(object.metadata.labels.gpus) <= int(params.gpus)"],
        ),
        (policy("false", matchConditions=[{"name": "jobs", "expression": "object.kind == 'Job'"}])["spec"], []),
        (policy("request.userInfo.username == 'me'", "authorizer.path('/').check('get').allowed()")["spec"], []),
        (
            policy("false", matchConditions=[{"name": "me", "expression": "request.userInfo.username == 'me'"}])[
                "spec"
            ],
            [],
        ),
        (policy("int(object.metadata.name) > 1", failurePolicy="Ignore")["spec"], []),
        (
            policy(
                "variables.a", variables=[{"name": "a", "expression": "authorizer.path('/').check('get').allowed()"}]
            )["spec"],
            [],
        ),
    ],
)
def test_a_policy_says_what_the_object_breaks(spec: dict[str, Any], texts: list[str]) -> None:
    assert [each.text for each in said(spec, {"gpus": "2"})] == texts


def test_a_policy_that_reads_what_is_not_there_leaves_it_to_the_server() -> None:
    [verdict] = said(policy("object.spec.hostNetwork == false")["spec"])

    assert not verdict.judged
    assert verdict.text == 'no such key: "hostNetwork", which the policy reads'


def test_a_policy_that_cannot_be_evaluated_denies() -> None:
    [verdict] = said(policy("int(object.metadata.name) > 1")["spec"])

    assert verdict.judged
    assert verdict.text.endswith("where the policy is evaluated")


@pytest.mark.parametrize(
    ("validation", "text"),
    [
        ({"message": "plain"}, "plain"),
        ({"message": "plain", "messageExpression": "'name ' + object.metadata.name"}, "name web"),
        ({"message": "plain", "messageExpression": "object.nothing"}, "plain"),
    ],
)
def test_a_policy_speaks_in_its_own_words(validation: dict[str, str], text: str) -> None:
    assert [each.text for each in said({"validations": [{"expression": "false", **validation}]})] == [text]


@pytest.mark.parametrize(
    ("expression", "variables"),
    [
        ("int(params.gpus) < 3", {}),
        ("variables.most < 3", {"most": "int(params.gpus)"}),
        ("variables.few", {"few": "variables.most < 3", "most": "int(params.gpus)"}),
    ],
)
def test_each_of_several_parameters_is_asked_about(expression: str, variables: dict[str, str]) -> None:
    named = [{"name": name, "expression": source} for name, source in variables.items()]
    spec = policy(expression, variables=named)["spec"]

    assert [len(said(spec, {"gpus": gpus})) for gpus in ("2", "4")] == [0, 1]
    assert len(said(spec, {"gpus": "2"}, {"gpus": "4"}, {"gpus": "5"}, {"gpus": "1"})) == 2


def test_matching_is_asked_with_each_of_several_parameters() -> None:
    condition = {"name": "many", "expression": "int(params.gpus) > 3"}
    spec = policy("false", matchConditions=[condition])["spec"]

    assert len(said(spec, {"gpus": "2"}, {"gpus": "4"})) == 1


def test_what_asks_for_no_parameter_is_evaluated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluated: list[str] = []

    def noted(source: str, variables: tuple[str, ...]) -> CompiledExpression:
        evaluated.append(source)
        return program(source, variables)

    monkeypatch.setattr(admission, "program", noted)
    pod, gpus = "object.kind == 'Pod'", "int(params.gpus) < 3"
    spec = policy(gpus, "variables.pod", variables=[{"name": "pod", "expression": pod}])["spec"]
    said(spec, {"gpus": "2"}, {"gpus": "1"}, {"gpus": "0"})

    assert sorted(evaluated) == sorted([gpus, gpus, gpus, pod, "variables.pod"])


def test_variable_that_names_itself_is_left_to_the_server() -> None:
    both = [{"name": "a", "expression": "variables.b"}, {"name": "b", "expression": "variables.a"}]

    assert said(policy("variables.a", variables=both)["spec"], {"gpus": "2"}, {"gpus": "1"}) == []
