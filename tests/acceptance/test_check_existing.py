"""`platformctl check --existing`: references into a cluster are judged against what it has."""

from __future__ import annotations

import json

import pytest

from tests.acceptance.repository import HEAD, Repository

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: vision, labels: {app: web}}
spec:
  runtimeClassName: nvidia
  containers:
  - name: web
    image: registry.example.com/web:1.0
    env: [{name: USER, valueFrom: {secretKeyRef: {name: database, key: user}}}]
"""


def dump(**names: str) -> str:
    """What `kubectl get … -o json` prints."""
    secret = {"kind": "Secret", "metadata": {"name": "database", "namespace": "vision"}, "data": {"user": "YQ=="}}
    items = [
        {"kind": "Namespace", "metadata": {"name": "vision"}},
        {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"},
        secret,
    ]
    for item in items:
        kind = str(item["kind"])
        item["metadata"] = {**item["metadata"], "name": names.get(kind, item["metadata"]["name"])}  # type: ignore[dict-item, index]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", **each} for each in items]})


def found(repository: Repository, cluster: str, manifests: str = POD) -> list[tuple[str, str]]:
    repository.write({"cluster.json": cluster})
    asked = repository.ask("check", "-f", "-", "--existing", "cluster.json", "-o", "json", stdin=manifests, code=None)
    return [(each["rule"], each["text"]) for each in asked.json["findings"]]


def test_what_the_cluster_has_is_there(repository: Repository) -> None:
    assert found(repository, dump()) == []


def test_a_name_that_the_cluster_does_not_have_is_found(repository: Repository) -> None:
    assert sorted(found(repository, dump(Secret="databse", RuntimeClass="nvidia-cdi"))) == [
        ("reference-exists", "names the RuntimeClass 'nvidia', which does not exist"),
        ("reference-exists", "names the Secret 'database', which does not exist in its namespace"),
    ]


def test_the_keys_of_its_secrets_are_known(repository: Repository) -> None:
    assert found(repository, dump().replace('"user"', '"username"')) == [
        ("reference-exists", "the Secret database has no key 'user'")
    ]


def test_its_namespaces_are_known(repository: Repository) -> None:
    assert ("namespace-exists", "the namespace 'vision' does not exist") in found(
        repository, dump(Namespace="sound").replace('"namespace": "vision"', '"namespace": "sound"')
    )


def test_of_kinds_that_were_not_told_nothing_is_said(repository: Repository) -> None:
    spaces = {"apiVersion": "v1", "kind": "NamespaceList", "items": [{"metadata": {"name": "vision"}}]}

    assert found(repository, json.dumps(spaces)) == []


def test_its_crds_serve_their_kinds(repository: Repository) -> None:
    thing = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: it, namespace: vision}\nspec: {size: large}\n"
    spec = {"type": "object", "properties": {"size": {"type": "integer"}}}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": "Thing", "plural": "things"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }

    assert found(repository, json.dumps(crd), thing) == [("schema", "must be an integer, not 'large'")]


def test_what_the_cluster_has_is_not_judged_itself(repository: Repository) -> None:
    broken = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: it, namespace: vision}\ndta: {}\n"

    assert found(repository, broken) == []


def test_an_object_that_is_applied_takes_the_place_of_the_clusters(repository: Repository) -> None:
    assert found(repository, POD) == []


def test_stacks_are_judged_against_their_cluster(repository: Repository) -> None:
    repository.write({"stacks/a.yaml": f"{HEAD}components: {{web: {{path: web}}}}\n", "web/pod.yaml": POD})

    repository.write({"cluster.json": dump()})
    assert "namespace 'vision'" in repository.ask("check", code=1).out
    assert "no findings" in repository.ask("check", "--existing", "cluster.json").err

    repository.write({"cluster.json": dump(Secret="other")})
    assert "names the Secret 'database'" in repository.ask("check", "--existing", "cluster.json", code=1).out


@pytest.mark.parametrize(
    ("text", "said"), [("[", "cluster.json:2: "), ("", "no Kubernetes object there"), ("a: 1\n", "without apiVersion")]
)
def test_a_cluster_that_cannot_be_read_is_no_answer(repository: Repository, text: str, said: str) -> None:
    repository.write({"cluster.json": text})

    assert said in repository.ask("check", "-f", "-", "--existing", "cluster.json", stdin=POD, code=2).err


def hooks(name: str) -> str:
    """A mutating webhook as Kubeflow has it."""
    return f"""\
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {{name: {name}}}
webhooks:
- name: pods.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Fail
  clientConfig: {{url: "https://hooks.example.com/"}}
  rules: [{{apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}}]
"""


def test_a_webhook_that_an_earlier_release_of_kubeflow_left_is_found(repository: Repository) -> None:
    before = "admission-webhook-mutating-webhook-configuration"
    now = hooks("poddefaults-webhook-mutating-webhook-configuration")
    left = [text for rule, text in found(repository, hooks(before), now) if rule == "left-behind"]

    (text,) = left
    assert text.startswith(f"the cluster still has the MutatingWebhookConfiguration {before} of Kubeflow 1.10: ")
    assert text.endswith("every new pod in namespaces of Profiles is refused")
    assert "left-behind" not in {rule for rule, _ in found(repository, hooks("another"), now)}
