"""SeaweedFS: who reaches which port, whose key opens what, and what it gives."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.capabilities import ObjectStore
from platform_def.components.storage.seaweedfs.component import Seaweedfs
from platform_def.components.storage.seaweedfs.config import SeaweedfsConfig
from platform_def.config.platform import Platform
from platform_def.constructs import Setting
from tests.unit.built import Objects, built


def given(name: str = "seaweedfs", **knobs: Any) -> ObjectStore:
    (store,) = Seaweedfs.offered(Setting(name, SeaweedfsConfig.from_file(knobs))).capabilities
    assert isinstance(store, ObjectStore)
    return store


def openings(made: Objects, name: str) -> list[Any]:
    return [rule.get("ports", "all") for rule in made.one("NetworkPolicy", name)["spec"]["ingress"]]


def test_in_one_pod_all_but_s3_and_metrics_listen_on_loopback() -> None:
    arguments = built(Seaweedfs).arguments("StatefulSet", "seaweedfs")

    assert "-ip.bind=127.0.0.1" in arguments
    assert [each for each in arguments if "0.0.0.0" in each] == ["-s3.ip.bind=0.0.0.0", "-metricsIp=0.0.0.0"]
    assert "-iam" not in arguments


def test_the_administrators_key_is_there_before_the_first_request() -> None:
    variables = {each["name"]: each for each in built(Seaweedfs).container("StatefulSet", "seaweedfs")["env"]}

    assert variables["AWS_SECRET_ACCESS_KEY"]["valueFrom"]["secretKeyRef"] == {
        "name": "seaweedfs-administrator",
        "key": "secretKey",
    }


def test_keys_are_made_at_the_endpoint_and_nothing_is_reported_to_upstream() -> None:
    arguments = built(Seaweedfs).arguments("StatefulSet", "seaweedfs")

    assert {"-s3.iam.readOnly=false", "-master.telemetry=false"} <= {*arguments}


def test_a_bucket_takes_one_volume_of_a_small_disk() -> None:
    variables = built(Seaweedfs).container("StatefulSet", "seaweedfs")["env"]

    assert {"name": "WEED_MASTER_VOLUME_GROWTH_COPY_1", "value": "1"} in variables


def test_spread_servers_know_each_other_by_names_that_outlive_their_pods() -> None:
    made = built(Seaweedfs, spread={"volumeServers": 4, "copies": 3})
    peers = ",".join(f"seaweedfs-master-{n}.seaweedfs-master-pods.seaweedfs.svc.cluster.local:9333" for n in range(3))

    assert f"-peers={peers}" in made.arguments("StatefulSet", "seaweedfs-master")
    assert "-defaultReplication=002" in made.arguments("StatefulSet", "seaweedfs-master")
    assert f"-master={peers}" in made.arguments("StatefulSet", "seaweedfs-volume")
    assert made.one("StatefulSet", "seaweedfs-volume")["spec"]["replicas"] == 4
    assert "-ip=$(POD_NAME).seaweedfs-filer-pods.seaweedfs.svc.cluster.local" in made.arguments(
        "StatefulSet", "seaweedfs-filer"
    )


def test_spread_servers_are_shut_to_others_though_no_stack_asks_for_policies() -> None:
    made = built(Seaweedfs, spread={})

    assert openings(made, "seaweedfs-master") == ["all", [{"port": 9327, "protocol": "TCP"}]]
    assert [each["port"] for each in openings(made, "seaweedfs-filer")[1]] == [8333, 9327]
    assert built(Seaweedfs).names("NetworkPolicy") == []


def test_where_policies_are_asked_for_consumers_alone_reach_s3() -> None:
    platform = Platform(network_policies=True)

    assert openings(built(Seaweedfs, platform), "seaweedfs") == [[{"port": 9327, "protocol": "TCP"}]]
    assert openings(built(Seaweedfs, platform, spread={}), "seaweedfs-filer")[1] == [{"port": 9327, "protocol": "TCP"}]


def test_old_pipelines_find_minio_where_they_look_for_it() -> None:
    made = built(Seaweedfs, minioService=["kubeflow", "seaweedfs"])
    alias, own = (
        next(each for each in made.of("Service") if each["metadata"] | at == each["metadata"])["spec"]
        for at in ({"name": "minio-service", "namespace": home} for home in ("kubeflow", "seaweedfs"))
    )

    assert (alias["type"], alias["externalName"]) == ("ExternalName", "seaweedfs.seaweedfs.svc.cluster.local")
    assert (own["ports"][0]["port"], own["ports"][0]["targetPort"]) == (9000, 8333)
    assert {each["port"]: each["targetPort"] for each in made.one("Service", "seaweedfs")["spec"]["ports"]} == {
        8333: 8333,
        9000: 8333,
    }


@pytest.mark.parametrize(("spread", "pods"), [(None, "seaweedfs"), ({}, "seaweedfs-filer")])
def test_what_it_gives_is_what_it_renders(spread: Any, pods: str) -> None:
    store, made = given(spread=spread), built(Seaweedfs, spread=spread)
    service = made.one("Service", "seaweedfs")["spec"]

    assert store.host == "seaweedfs.seaweedfs.svc.cluster.local"
    assert store.port in {each["port"] for each in service["ports"]}
    assert store.pods == service["selector"] == made.one("StatefulSet", pods)["spec"]["selector"]["matchLabels"]


def test_an_administrator_of_the_stacks_own_reaches_those_who_make_buckets() -> None:
    store = given(administrator={"existing": "boss", "keys": {"accessKey": "id"}})

    assert store.administrator is not None
    assert (store.administrator.secret, store.administrator.keys) == ("boss", {"accessKey": "id"})


def test_a_second_store_shares_no_name() -> None:
    def names(name: str) -> set[tuple[str, str]]:
        return {(each["kind"], each["metadata"]["name"]) for each in built(Seaweedfs, name=name).all}

    assert not names("seaweedfs") & names("seaweedfs-b")
