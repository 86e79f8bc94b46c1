"""Small helpers for containers: variables, probes, volumes, security, and policies around them."""

from __future__ import annotations

from platform_def.constructs import (
    ImageFacts,
    config_files,
    env,
    exec_probe,
    from_cluster,
    from_everywhere,
    from_field,
    from_namespace,
    from_pods,
    host_paths,
    http_probe,
    memory,
    mounts,
    scratch,
    secured,
    tcp_probe,
)
from platform_def.constructs.environment import from_amount, from_config, from_secret
from platform_def.constructs.probes import grpc_probe


def test_variables_come_from_values_fields_secrets_files_and_amounts() -> None:
    assert env({"LEVEL": 3, "NODE": from_field("spec.nodeName")}) == [
        {"name": "LEVEL", "value": "3"},
        {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
    ]
    assert from_secret("db", "password") == {"secretKeyRef": {"name": "db", "key": "password"}}
    assert from_secret("db", "ca", optional=True)["secretKeyRef"]["optional"] is True
    assert from_config("db", "host") == {"configMapKeyRef": {"name": "db", "key": "host"}}
    assert from_config("db", "host", optional=True)["configMapKeyRef"]["optional"] is True
    assert from_amount("limits.memory") == {"resourceFieldRef": {"resource": "limits.memory"}}


def test_probes_say_only_what_is_said() -> None:
    assert http_probe("/healthz", 8081) == {"httpGet": {"path": "/healthz", "port": 8081}}
    assert http_probe("/", "https", scheme="HTTPS", delay=1, period=2, timeout=3, failures=4) == {
        "httpGet": {"path": "/", "port": "https", "scheme": "HTTPS"},
        "initialDelaySeconds": 1,
        "periodSeconds": 2,
        "timeoutSeconds": 3,
        "failureThreshold": 4,
    }
    assert tcp_probe("db", period=5) == {"tcpSocket": {"port": "db"}, "periodSeconds": 5}
    assert grpc_probe(6789, service="manager") == {"grpc": {"port": 6789, "service": "manager"}}
    assert exec_probe("ls") == {"exec": {"command": ["ls"]}}
    assert tcp_probe(1) == {"tcpSocket": {"port": 1}}
    assert grpc_probe(1) == {"grpc": {"port": 1}}
    assert exec_probe("ls", "/", timeout=5) == {"exec": {"command": ["ls", "/"]}, "timeoutSeconds": 5}


def test_volumes_and_mounts_go_by_name() -> None:
    assert host_paths({"dev": "/dev"}) == [{"name": "dev", "hostPath": {"path": "/dev"}}]
    assert host_paths({"dev": "/dev"}, "Directory")[0]["hostPath"]["type"] == "Directory"
    assert memory("keys") == [{"name": "keys", "emptyDir": {"medium": "Memory"}}]
    assert scratch("tmp") == [{"name": "tmp", "emptyDir": {}}]
    assert config_files("ceph") == [{"name": "ceph", "configMap": {"name": "ceph"}}]
    assert mounts({"dev": "/dev"}) == [{"name": "dev", "mountPath": "/dev"}]
    assert mounts({"pods": "/pods"}, read_only=True, propagation="Bidirectional") == [
        {"name": "pods", "mountPath": "/pods", "readOnly": True, "mountPropagation": "Bidirectional"}
    ]


def test_an_image_of_which_nothing_is_known_keeps_what_upstream_gives_it() -> None:
    assert secured(None) == {}
    assert secured(None, {"privileged": True}) == {"privileged": True}


def test_a_container_is_closed_as_far_as_facts_go() -> None:
    root = secured(ImageFacts(source="its Dockerfile", user=0, capabilities=("NET_ADMIN",)))

    assert root["capabilities"] == {"drop": ["ALL"], "add": ["NET_ADMIN"]}
    assert root["seccompProfile"] == {"type": "RuntimeDefault"}
    assert "runAsNonRoot" not in root
    assert "readOnlyRootFilesystem" not in root


def test_the_kubelet_is_asked_to_refuse_root_only_where_it_can_tell() -> None:
    assert "runAsNonRoot" not in secured(ImageFacts(source="a name in its Dockerfile"))
    told = secured(ImageFacts(source="upstream's manifests", runs_as=1000))
    assert (told["runAsUser"], told["runAsNonRoot"]) == (1000, True)
    assert "runAsNonRoot" not in secured(ImageFacts(source="upstream's manifests", user=65532, runs_as=0))


def test_policies_open_ports_to_those_who_are_named() -> None:
    assert from_everywhere(443).rule() == {"ports": [{"port": 443, "protocol": "TCP"}]}
    assert from_cluster("metrics").rule()["from"] == [{"namespaceSelector": {}}]
    assert from_namespace().rule() == {"from": [{"podSelector": {}}]}
    other = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "istio-system"}}}
    assert from_namespace(name="istio-system").rule()["from"] == [other]
    assert from_pods({"app": "ui"}, 3306).rule()["from"] == [{"podSelector": {"matchLabels": {"app": "ui"}}}]
    assert from_pods({"app": "gateway"}, namespace="istio-system").rule()["from"] == [
        {"podSelector": {"matchLabels": {"app": "gateway"}}, **other}
    ]
