"""Components by names of their own, what the cluster has already, and releases that do not go together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from platform_def.components import catalogue
from platform_def.components.gateways.cert_manager.component import RELEASES as CERT_MANAGER
from platform_def.crds.catalogue import components_with_apis
from platform_def.errors import ConfigError
from platform_def.pipeline.load import load
from platform_def.pipeline.resolve.resolve import Resolved, resolve
from tests.unit.pipeline.repository import HEAD, synthesise, write


def resolved(folder: Path, text: str) -> Resolved:
    write(folder, {"stacks/a.yaml": HEAD + text})
    return resolve(load(folder)[0])


def refused(folder: Path, text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        resolved(folder, text)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("kubeflow-pipelines", "kfp"),
        ("ambassador", "emissary"),
        ("nfd", "node-feature-discovery"),
        ("gfd", "gpu-feature-discovery"),
        ("ray-operator", "kuberay-operator"),
    ],
)
def test_another_name_of_a_component_is_no_misspelt_one(tmp_path: Path, name: str, meant: str) -> None:
    said = refused(tmp_path, f"components: {{{name}: {{}}}}\n")

    assert f"components.{name}: unknown component\n  hint: did you mean '{meant}'?" in said


# --- instances


def test_a_component_may_stand_twice_under_a_name_of_its_own(tmp_path: Path) -> None:
    found = resolved(tmp_path, "components: {mysql: {}, orders: {component: mysql, namespace: orders}}\n")

    assert {name: chosen.kind.slug for name, chosen in found.chosen.items() if name != "namespaces"} == {
        "mysql": "mysql",
        "orders": "mysql",
    }
    assert found.platform.instances("mysql") == ("mysql", "orders")
    assert {need.name for need in found.platform.namespaces} >= {"mysql", "orders"}


def test_a_component_that_a_cluster_has_once_is_refused_under_another_name(tmp_path: Path) -> None:
    said = refused(tmp_path, "components:\n  second:\n    component: training-operator\n")

    assert "stacks/a.yaml:5" in said
    assert "components.second: a cluster has training-operator once" in said
    assert "write `training-operator:` instead" in said


def test_a_component_that_nobody_knows_is_refused_under_any_name(tmp_path: Path) -> None:
    said = refused(tmp_path, "components: {second: {component: mysq}}\n")

    assert "components.second: unknown component 'mysq'" in said
    assert "did you mean 'mysql'?" in said


def test_a_kind_that_is_known_and_not_installed_is_no_typing_mistake(tmp_path: Path) -> None:
    name = min(components_with_apis() - catalogue.catalogue().keys())
    said = refused(tmp_path, f"components: {{{name}: {{}}, mine: {{component: {name}}}}}\n")

    assert f"components.{name}: this tool knows the kinds of {name} and does not install it" in said
    assert f"write `{name}: {{provided: true}}`" in said
    assert f"components.mine: this tool knows the kinds of {name}" in said


def test_who_requires_it_is_told_the_same(tmp_path: Path) -> None:
    name = min(components_with_apis() - catalogue.catalogue().keys())
    said = refused(tmp_path, f"components: {{mine: {{path: apps/mine, requires: [{name}]}}}}\n")

    assert f"add `{name}: {{provided: true}}` when the cluster has it; this tool does not install it" in said


def test_a_misspelt_name_of_what_the_cluster_has_gets_the_nearest_of_all(tmp_path: Path) -> None:
    name = min(components_with_apis() - catalogue.catalogue().keys())

    assert f"did you mean '{name}'?" in refused(tmp_path, f"components: {{{name}x: {{provided: true}}}}\n")


# --- what the cluster has already


def test_whatever_has_kinds_that_are_known_may_be_provided(tmp_path: Path) -> None:
    found = resolved(tmp_path, "components: {external-secrets: {provided: true}}\n")

    assert found.platform.serves("ExternalSecret.external-secrets.io")
    assert "external-secrets" not in found.chosen


@pytest.mark.parametrize(
    "own",
    [
        "components: {prometheus-operator: {provided: true}}\n",
        "components: {mine: {path: apps/mine, serves: [ServiceMonitor.monitoring.coreos.com]}}\n",
        "external: {metrics: {}}\n",
        "components: {mine: {path: apps/mine, provides: {metrics: {}}}}\n",
    ],
)
def test_a_prometheus_of_ones_own_is_as_good_as_one_of_the_catalogue(tmp_path: Path, own: str) -> None:
    write(
        tmp_path,
        {"apps/mine/empty.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine, namespace: default}\n"},
    )
    write(
        tmp_path,
        {"stacks/a.yaml": HEAD + own + ("" if "components" in own else "components: {training-operator: {}}\n")},
    )
    found = synthesise(tmp_path)

    assert found.stacks[0].platform.serves("ServiceMonitor.monitoring.coreos.com")
    assert [each for each in found.findings["a"] if each.severity == "error"] == []


def test_a_capability_that_there_is_not_is_refused_with_the_nearest(tmp_path: Path) -> None:
    said = refused(tmp_path, "external:\n  objectStor: {host: s3.example.com}\n")

    assert "external.objectStor: unknown capability" in said
    assert "did you mean 'objectStore'?" in said
    assert "stacks/a.yaml:4" in said


def test_what_lies_outside_is_held_against_its_model(tmp_path: Path) -> None:
    said = refused(tmp_path, "external: {sqlDatabase: {engine: oracle, host: db, port: 99999}}\n")

    assert "external.sqlDatabase.engine" in said
    assert "external.sqlDatabase.port" in said


def test_reasons_for_a_level_are_joined(tmp_path: Path) -> None:
    text = """\
nodePools: [{name: p, selector: {pool: p}, gpu: {model: a100-80gb, perNode: 8}}]
components:
  nvidia-device-plugin: {namespace: gpu}
  dcgm-exporter: {namespace: gpu}
"""
    (need,) = [each for each in resolved(tmp_path, text).platform.namespaces if each.name == "gpu"]

    assert need.pod_security == "privileged"
    assert len(need.why.split("; ")) >= 2


# --- releases


def test_a_release_for_newer_kubernetes_is_refused_with_those_that_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = (
        replace(CERT_MANAGER[0], version=v, kubernetes=k) for v, k in (("2.0", "1.35-1.36"), ("3.0", "1.37-1.37"))
    )
    _with_releases(monkeypatch, "cert-manager", (new, old))

    said = refused(tmp_path, "components: {cert-manager: {release: '3.0'}}\n")

    assert "release 3.0 works with Kubernetes 1.37 to 1.37, not 1.36" in said
    assert "releases that do: 2.0" in said


@pytest.mark.parametrize(("known", "told"), [("1.25-1.35", True), ("1.25-1.36", False)])
def test_kubernetes_that_is_newer_than_those_a_release_was_tried_with_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: str, told: bool
) -> None:
    _with_releases(monkeypatch, "cert-manager", (replace(CERT_MANAGER[0], kubernetes=known),))
    write(tmp_path, {"stacks/a.yaml": HEAD + "components: {cert-manager: {}}\n"})
    findings = [each for each in synthesise(tmp_path).findings["a"] if each.rule == "release-range"]

    assert [(each.severity, each.component) for each in findings] == ([("warning", "cert-manager")] if told else [])


@pytest.mark.parametrize(("wanted", "fits"), [(">=1.9,<2", True), (">=2", False)])
def test_releases_that_do_not_work_together_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: str, fits: bool
) -> None:
    picky = replace(CERT_MANAGER[0], needs={"training-operator": wanted})
    _with_releases(monkeypatch, "cert-manager", (picky,))
    text = "components: {cert-manager: {}, training-operator: {}}\n"

    if fits:
        resolved(tmp_path, text)
    else:
        said = refused(tmp_path, text)
        assert f"works with training-operator {wanted}, and training-operator is" in said


def _with_releases(monkeypatch: pytest.MonkeyPatch, name: str, releases: tuple[Any, ...]) -> None:
    monkeypatch.setattr(catalogue.component(name).config_model(), "releases", releases)


def releases_of(found: Resolved) -> dict[str, str]:
    return {name: config.version for name, config in found.components.items()}


MESH = "gateway: istio-ingress-gateway\ncomponents: {%s, istio-ingress-gateway: {%s}, istio-cni: {}}\n"


@pytest.mark.parametrize(
    ("istio", "gateway"),
    [
        ("istio: {}", "1.31.1"),
        ("istio: {release: 1.30.4}", "1.30.4"),
        ("istio: {release: 1.30.4}, istio-next: {component: istio}, istio-other: {component: istio}", "1.30.4"),
        ("istio: {provided: 1.30.4, provides: {mesh: {api: istio, rootNamespace: istio-system}}}", "1.30.4"),
    ],
)
def test_a_component_without_a_release_takes_one_that_works_with_its_partners(
    tmp_path: Path, istio: str, gateway: str
) -> None:
    uses = "uses: {mesh: istio}\n" if "next" in istio else ""
    found = releases_of(resolved(tmp_path, uses + MESH % (istio, "")))

    assert (found["istio-ingress-gateway"], found["istio-cni"]) == (gateway, "1.31.1")


@pytest.mark.parametrize(
    ("istio", "bundle"),
    [
        ("", "1.6.1"),
        ("istio: {}", "1.6.1"),
        ("istio: {release: 1.30.4}", "1.5.1"),
        ("istio: {release: 1.30.4}, istio-next: {component: istio}", "1.5.1"),
        ("istio: {provided: 1.29.3, provides: {mesh: {api: istio, rootNamespace: istio-system}}}", "1.5.1"),
        ("istio: {provided: 1.33.0, provides: {mesh: {api: istio, rootNamespace: istio-system}}}", "1.7.0"),
    ],
)
def test_gateway_api_is_the_bundle_that_every_istio_of_the_stack_reads(tmp_path: Path, istio: str, bundle: str) -> None:
    uses = "uses: {mesh: istio}\n" if "next" in istio else ""
    given = f"{istio}, " if istio else ""
    found = releases_of(resolved(tmp_path, f"{uses}components: {{{given}gateway-api: {{}}}}\n"))

    assert found["gateway-api"] == bundle


def test_a_release_that_is_named_is_taken_though_a_partner_is_older(tmp_path: Path) -> None:
    said = refused(tmp_path, MESH % ("istio: {release: 1.30.4}", "release: 1.31.1"))

    assert "release 1.31.1 works with istio >=1.31,<1.33, and istio is 1.30.4" in said


def test_a_default_that_works_with_no_partner_is_told_of(tmp_path: Path) -> None:
    said = refused(tmp_path, MESH % ("istio: {provided: 1.20.0, provides: {mesh: {api: istio}}}", ""))

    assert "release 1.31.1 works with istio >=1.31,<1.33, and istio is 1.20.0" in said
