"""Metacontroller: rights on its own kinds alone, a proxy in a mesh, and who it is to those with hooks."""

from __future__ import annotations

from platform_def.capabilities import HookControllers, Mesh
from platform_def.components.pipelines.metacontroller.component import Metacontroller
from platform_def.config.capability import EXTERNAL, Provision
from platform_def.config.platform import Platform
from tests.unit.built import built, setting

MESHED = Platform(
    provisions=(Provision.of(Mesh(api="istio", root_namespace="istio-system", redirected=True), EXTERNAL),)
)


def test_it_has_no_right_on_what_hooks_ask_for() -> None:
    rules = built(Metacontroller).rules("ClusterRole", "metacontroller")

    groups = {group for rule in rules for group in rule["apiGroups"]}
    core = {resource for rule in rules if rule["apiGroups"] == [""] for resource in rule["resources"]}
    assert groups == {"metacontroller.k8s.io", "apiextensions.k8s.io", ""}
    assert core == {"events"}


def test_one_pod_needs_no_lease_and_two_agree_by_one() -> None:
    alone, several = built(Metacontroller), built(Metacontroller, Platform(availability="ha"))

    assert "--leader-election" not in alone.arguments("Deployment")
    assert "--leader-election" in several.arguments("Deployment")
    assert several.one("Role", "metacontroller-leader-election")


def test_in_a_mesh_hooks_know_it_by_its_account() -> None:
    pod = built(Metacontroller, MESHED).one("Deployment")["spec"]["template"]["metadata"]
    given = Metacontroller.offers(setting(Metacontroller)).capabilities[0]

    assert pod["labels"]["sidecar.istio.io/inject"] == "true"
    assert isinstance(given, HookControllers)
    assert given.principal("cluster.local") == "cluster.local/ns/metacontroller/sa/metacontroller"


def test_workers_are_told_and_objects_stay_out_of_the_log() -> None:
    arguments = built(Metacontroller, workers=9).arguments("Deployment")

    assert arguments == ["--zap-log-level=info", "--workers=9"]
