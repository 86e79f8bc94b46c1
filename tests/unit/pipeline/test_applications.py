"""Components of the user's own: folders of YAML and kustomizations pass through the same steps as the catalogue."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def import tools
from platform_def.checks.rules.server.schema import SCHEMA
from platform_def.checks.rules.server.scope import SCOPE
from platform_def.config.component import Application
from platform_def.errors import PlatformError
from platform_def.pipeline.applications.render import folders_of
from tests.unit.pipeline.repository import stack, synthesise, write

HEAD = 'apiVersion: platform-def/v1\ncluster: {kubernetes: "1.36", registry: registry.example.com/mirror}\n'
STACK = HEAD + "components: {shop: {path: apps/shop, namespace: shop}}\n"
WEB = """apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "quay.io/shop/web:1"}]}
"""


def problem(root: Path) -> str:
    with pytest.raises(PlatformError) as caught:
        synthesise(root)
    return str(caught.value)


def test_plain_yaml_gets_the_namespace_and_the_mirror(tmp_path: Path) -> None:
    root = write(tmp_path, {"stacks/a.yaml": STACK, "apps/shop/deep/web.yaml": WEB})

    web = next(item for item in stack(root).objects() if item.kind == "Deployment")

    assert web.namespace == "shop"
    assert (
        web.manifest["spec"]["template"]["spec"]["containers"][0]["image"]
        == "registry.example.com/mirror/quay.io/shop/web:1"
    )
    assert web.origin == "apps/shop/deep/web.yaml"


def test_its_namespace_is_made(tmp_path: Path) -> None:
    root = write(tmp_path, {"stacks/a.yaml": STACK, "apps/shop/web.yaml": WEB})

    assert "Namespace shop" in [str(item) for item in stack(root).objects()]


def test_a_kustomization_is_built_by_kustomize(tmp_path: Path) -> None:
    files = {
        "stacks/a.yaml": STACK,
        "apps/shop/kustomization.yaml": "resources: [../base]\nnamePrefix: my-\n",
        "apps/base/kustomization.yaml": "resources: [web.yaml]\n",
        "apps/base/web.yaml": WEB,
    }

    names = [str(item) for item in stack(write(tmp_path, files)).objects()]

    assert "Deployment shop/my-web" in names


def test_a_remote_base_of_a_base_is_refused(tmp_path: Path) -> None:
    files = {
        "stacks/a.yaml": STACK,
        "apps/shop/kustomization.yaml": "resources: [../base]\n",
        "apps/base/kustomization.yaml": "resources: ['https://example.com/web.yaml']\n",
    }

    assert "apps/base/kustomization.yaml:1: 'https://example.com/web.yaml' is remote" in problem(write(tmp_path, files))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("just text\n", "not an object"),
        ("kind: ConfigMap\nmetadata: {name: x}\n", "without apiVersion and kind"),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: x-}\n", "no metadata.name"),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: n}\n", "ConfigMap: metadata.name is not text"),
        (
            "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\nstringData: {token: abc}\n",
            "no credential may be in the repository",
        ),
        ("", "holds no Kubernetes object"),
        ("apiVersion: v1\nkind: Pod\nmetadata: {name: x, annotations: [a]}\n", "Pod x: metadata.annotations is a map"),
        ("apiVersion: v1\nkind: Pod\nmetadata: {name: x, labels: a}\n", "Pod x: metadata.labels is a map"),
        ("apiVersion: v1\nkind: Pod\nmetadata: {name: x, namespace: [a]}\n", "Pod x: metadata.namespace is text"),
    ],
)
def test_what_cannot_be_delivered_is_refused(tmp_path: Path, text: str, words: str) -> None:
    assert words in problem(write(tmp_path, {"stacks/a.yaml": STACK, "apps/shop/x.yaml": text}))


def test_a_folder_outside_the_repository_is_refused(tmp_path: Path) -> None:
    root = write(tmp_path / "repository", {"stacks/a.yaml": HEAD + "components: {shop: {path: apps/../../x}}\n"})

    assert "components.shop" in problem(root)


def test_an_overlay_patches_it_like_any_component(tmp_path: Path) -> None:
    overlay = (
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
        "patches: [{target: {kind: Deployment}, patch: '- {op: add, path: /spec/replicas, value: 3}'}]\n"
    )
    root = write(
        tmp_path, {"stacks/a.yaml": STACK, "apps/shop/web.yaml": WEB, "overlays/a/shop/kustomization.yaml": overlay}
    )

    web = next(item for item in stack(root).objects() if item.kind == "Deployment")

    assert web.manifest["spec"]["replicas"] == 3


CRD = """apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: fleets.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Fleet, listKind: FleetList, plural: fleets, singular: fleet}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
"""
FLEET = "apiVersion: example.com/v1\nkind: Fleet\nmetadata: {name: all}\n"


@pytest.mark.parametrize("home", ["shop", "operator"])
def test_an_object_of_the_cluster_gets_no_namespace_whoever_brings_its_crd(tmp_path: Path, home: str) -> None:
    both = HEAD + "components: {operator: {path: apps/operator}, shop: {path: apps/shop, namespace: shop}}\n"
    files = {"apps/operator/role.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n"}
    root = write(tmp_path, files | {"stacks/a.yaml": both, f"apps/{home}/crd.yaml": CRD, "apps/shop/fleet.yaml": FLEET})

    rendered = synthesise(root)

    fleet = next(item for item in rendered.stacks[0].objects() if item.kind == "Fleet")
    assert fleet.namespace is None
    assert not [each for each in rendered.findings["a"] if each.rule in (SCOPE.id, SCHEMA.id)]


@pytest.mark.parametrize("brings", ["{}", "{provided: true}"])
def test_kinds_of_the_catalogue_are_known_too(tmp_path: Path, brings: str) -> None:
    both = HEAD + f"components: {{cert-manager: {brings}, shop: {{path: apps/shop, namespace: shop}}}}\n"
    objects = "apiVersion: cert-manager.io/v1\nkind: %s\nmetadata: {name: own}\n"
    files = {"apps/shop/a.yaml": objects % "ClusterIssuer", "apps/shop/b.yaml": objects % "Issuer"}

    own = [str(item) for item in stack(write(tmp_path, files | {"stacks/a.yaml": both})).components["shop"].objects]

    assert own == ["ClusterIssuer own", "Issuer shop/own"]


@pytest.mark.parametrize(
    "spec", ["5", "{names: 5}", "{group: [a], names: {kind: [b]}}", "{group: example.com, names: {kind: Fleet}}"]
)
@pytest.mark.parametrize("engine", ["none", "argocd", "flux"])
def test_a_broken_crd_is_a_finding(tmp_path: Path, spec: str, engine: str) -> None:
    head = STACK + f"delivery: {{engine: {engine}, repository: https://git.example.com/platform.git}}\n"
    crd = f"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: x}}\nspec: {spec}\n"

    findings = synthesise(write(tmp_path, {"stacks/a.yaml": head, "apps/shop/crd.yaml": crd})).findings["a"]

    assert any(each.rule == SCHEMA.id and each.path.startswith("spec") for each in findings)


def test_containers_of_another_type_are_a_finding(tmp_path: Path) -> None:
    odd = WEB.replace("spec: {containers:", "spec: {initContainers: true, containers:")

    findings = synthesise(write(tmp_path, {"stacks/a.yaml": STACK, "apps/shop/web.yaml": odd})).findings["a"]

    assert "spec.template.spec.initContainers" in [each.path for each in findings]


@pytest.mark.parametrize(("link", "target"), [("x.yaml", "../../x.yaml"), ("deep", "../base"), ("y.json", "y.json")])
def test_links_are_problems_and_not_left_out(tmp_path: Path, link: str, target: str) -> None:
    root = write(tmp_path, {"stacks/a.yaml": STACK, "apps/shop/web.yaml": WEB, "x.yaml": WEB, "apps/base/b.yaml": WEB})
    (root / "apps/shop" / link).symlink_to(target)

    assert f"apps/shop/{link}: is a link, which is not followed" in problem(root)


def test_a_helm_chart_is_refused_with_what_to_do_instead(tmp_path: Path) -> None:
    chart = {"apps/shop/mine/Chart.yaml": "name: mine\n", "apps/shop/mine/templates/it.yaml": "{{- include x }}\n"}
    root = write(tmp_path, {"stacks/a.yaml": STACK, "apps/shop/web.yaml": WEB, **chart})

    assert "error: apps/shop/mine: is a Helm chart, and synth runs no Helm" in problem(root)
    assert "helm template NAME CHART > apps/shop/all.yaml" in problem(root)


def test_what_begins_with_a_dot_is_left_out(tmp_path: Path) -> None:
    odd = "just text\n"
    files = {"apps/shop/.git/c.yaml": odd, "apps/shop/.x.yaml": odd, "apps/shop/web.yaml": WEB}

    assert len(stack(write(tmp_path, files | {"stacks/a.yaml": STACK})).components["shop"].objects) == 1


@pytest.mark.parametrize("path", [".", "apps/..", ".platformctl", "apps/.git", "apps/loop", "apps/root"])
def test_the_repository_itself_and_hidden_folders_are_no_applications(tmp_path: Path, path: str) -> None:
    head = HEAD + f"components:\n  shop:\n    path: {path}\n"
    root = write(tmp_path, {"stacks/a.yaml": head, ".platformctl/a.yaml": WEB, "apps/.git/a.yaml": WEB})
    (root / "apps/loop").symlink_to("loop")
    (root / "apps/root").symlink_to("..")

    assert f"stacks/a.yaml:5: components.shop: the folder {path} is not there" in problem(root)


def test_a_linked_folder_is_read_under_both_of_its_names(tmp_path: Path) -> None:
    root = write(tmp_path, {"shared/web.yaml": WEB, "apps/x": ""})
    (root / "apps/shop").symlink_to("../shared")

    assert set(folders_of(Application(path="apps/shop"), root)) == {"apps/shop", "shared"}


def test_a_file_outside_the_folder_of_its_kustomization_is_refused_before_kustomize_does(tmp_path: Path) -> None:
    files = {
        "apps/shop/kustomization.yaml": "resources:\n- ../web.yaml\n",
        "apps/web.yaml": WEB,
        "stacks/a.yaml": STACK,
    }

    text = problem(write(tmp_path, files))

    assert "apps/shop/kustomization.yaml:2: '../web.yaml' is a file outside the folder of its kustomization" in text


def test_a_missing_kustomize_is_said_with_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"apps/shop/kustomization.yaml": "resources: [web.yaml]\n", "apps/shop/web.yaml": WEB}
    monkeypatch.setattr(tools, "KUBECTL_PACKAGE", "no-such-package")

    text = problem(write(tmp_path, files | {"stacks/a.yaml": STACK}))

    assert text.startswith("error: kubectl is missing")
    assert "hint: pip install" in text


def test_problems_of_all_files_come_together(tmp_path: Path) -> None:
    files = {"stacks/a.yaml": STACK, "apps/shop/a.yaml": "a: [", "apps/shop/b.yaml": "a: {"}

    text = problem(write(tmp_path, files))

    assert "apps/shop/a.yaml" in text
    assert "apps/shop/b.yaml" in text


def test_two_files_of_one_object_are_both_named(tmp_path: Path) -> None:
    root = write(tmp_path, {"stacks/a.yaml": STACK, "apps/shop/one.yaml": WEB, "apps/shop/two.yaml": WEB})

    with pytest.raises(PlatformError) as caught:
        synthesise(root).files()

    assert "apps/shop/one.yaml" in str(caught.value)
    assert "apps/shop/two.yaml" in str(caught.value)
