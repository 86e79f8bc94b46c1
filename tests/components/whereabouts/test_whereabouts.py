"""whereabouts: addresses in its own namespace, a plugin on the nodes that need it, one reconciler."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.components.fabrics.whereabouts.component import Whereabouts, WhereaboutsConfig
from platform_def.config.platform import Platform
from platform_def.constructs.render import render
from tests.components.multus.test_multus import RAILS
from tests.unit.built import setting


def objects(config: dict[str, Any] | None = None, **facts: Any) -> dict[str, Any]:
    chosen, platform = WhereaboutsConfig.from_file(config or {}), Platform(**facts)
    build = render(lambda scope: Whereabouts(scope, config=chosen, platform=platform))
    return {f"{made.manifest['kind']}/{made.manifest['metadata']['name']}": made.manifest for made in build.objects}


def pod(made: dict[str, Any], name: str = "DaemonSet/whereabouts") -> dict[str, Any]:
    spec: dict[str, Any] = made[name]["spec"]["template"]["spec"]
    return spec


def test_addresses_are_written_in_its_own_namespace_alone() -> None:
    made = objects({"namespace": "addresses"})
    everywhere = {verb for rule in made["ClusterRole/whereabouts-cni"]["rules"][:3] for verb in rule["verbs"]}
    (own, leases) = made["Role/whereabouts-cni"]["rules"]

    assert everywhere == {"get", "list", "watch"}
    assert made["Role/whereabouts-cni"]["metadata"]["namespace"] == "addresses"
    assert {"create", "patch", "delete"} <= set(own["verbs"])
    assert leases["verbs"] == ["create", "get", "update"]


def test_one_reconciler_is_replaced_before_the_next_starts() -> None:
    spec = objects(availability="ha")["Deployment/whereabouts-reconciler"]["spec"]

    assert spec["replicas"] == 1
    assert spec["strategy"] == {"type": "Recreate"}


def test_the_schedule_is_a_file_of_the_reconciler() -> None:
    made = objects({"schedule": "0 * * * *"})
    (volume,) = pod(made, "Deployment/whereabouts-reconciler")["volumes"]

    assert made["ConfigMap/whereabouts-config"]["data"] == {"cron-expression": "0 * * * *"}
    assert volume["configMap"]["items"] == [{"key": "cron-expression", "path": "config"}]
    with pytest.raises(ValueError, match="schedule"):
        WhereaboutsConfig.from_file({"schedule": "daily"})


def test_it_runs_where_pods_get_functions() -> None:
    assert "affinity" in pod(objects(node_pools=(RAILS,)))
    assert "affinity" not in pod(objects({"everyNode": True}, node_pools=(RAILS,)))


def test_where_the_folder_is_elsewhere_the_plugin_and_the_control_loop_both_find_it() -> None:
    usual, moved = pod(objects())["containers"][0], pod(objects(distribution="k3s"))["containers"][0]
    folder = "/host/var/lib/rancher/k3s/agent/etc/cni/net.d"

    assert [mount["mountPath"] for mount in usual["volumeMounts"]] == ["/host/opt/cni/bin", "/host/etc/cni/net.d"]
    assert [mount["mountPath"] for mount in moved["volumeMounts"]][1:] == ["/host/etc/cni/net.d", folder]
    assert {"name": "CNI_CONF_DIR", "value": folder} in moved["env"]


def test_the_log_level_is_that_of_all_its_programs() -> None:
    made = objects({"logLevel": "error"})

    assert "/ip-control-loop -log-level error" in pod(made)["containers"][0]["args"][1]
    assert pod(made, "Deployment/whereabouts-reconciler")["containers"][0]["args"] == ["-log-level", "error"]


def test_it_waits_for_the_api_of_networks() -> None:
    assert [each.where for each in Whereabouts.needs_of(setting(Whereabouts))] == [{"part": "attach"}]


def test_a_second_one_on_openshift_is_refused() -> None:
    (problem,) = Whereabouts.problems(setting(Whereabouts, distribution="openshift"))

    assert problem.hint == "write `whereabouts: {provided: true}`"
