"""The cluster, how traffic enters it, and where it is delivered from."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.config.cluster import Cluster, Delivery, Ingress, Tls, holds_credentials
from platform_def.config.kubernetes import SUPPORTED_KUBERNETES


def cluster(**fields: Any) -> Cluster:
    return Cluster.from_file({"name": "c", "kubernetes": "1.36", **fields})


def test_the_versions_are_those_whose_schemas_are_there() -> None:
    assert (SUPPORTED_KUBERNETES[0], SUPPORTED_KUBERNETES[-1]) == ("1.25", "1.37")
    assert [cluster(kubernetes=version).kubernetes for version in SUPPORTED_KUBERNETES] == [*SUPPORTED_KUBERNETES]


@pytest.mark.parametrize("version", ["1.24", "1.38", "1.36.2", "v1.36", "36"])
def test_another_version_is_told_the_known_ones(version: str) -> None:
    with pytest.raises(ValidationError, match=f"'{version}' is not a supported .*1.25 to 1.37") as caught:
        cluster(kubernetes=version)

    assert '"1.36"' in str(caught.value)


@pytest.mark.parametrize("registry", ["mirror.example.com", "localhost:5000", "10.0.0.1:5000/a/b_c-d.e"])
def test_a_registry_is_a_host_with_a_port_and_a_path(registry: str) -> None:
    assert cluster(registry=registry).registry == registry


@pytest.mark.parametrize(
    "registry", ["https://mirror.example.com", "mirror:port", "mirror/", "mirror:123456", "Mirror"]
)
def test_anything_else_is_no_registry(registry: str) -> None:
    with pytest.raises(ValidationError, match=f"'{registry}' is not a registry"):
        cluster(registry=registry)


@pytest.mark.parametrize("tls", [{}, {"secret": "tls", "issuer": "ca"}])
def test_a_certificate_comes_from_a_secret_or_an_issuer(tls: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match="either a secret or an issuer"):
        Tls.from_file(tls)


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "metallb", "addresses": ["10.0.0.200-10.0.0.210"]},
        {"kind": "metallb", "addresses": ["10.0.0.1 - 10.0.0.1", "10.1.0.0/28", "fd00::1-fd00::9"]},
        {"kind": "cloud", "tls": {"secret": "tls"}},
        {"kind": "cloud", "host": "a.example", "tls": {"issuer": "ca"}},
        {"kind": "nodePort", "httpPort": 30080},
        {"kind": "hostNetwork", "httpPort": 80, "httpsPort": 443, "tls": {"secret": "tls"}},
    ],
)
def test_ways_in_that_go_together(fields: dict[str, Any]) -> None:
    assert Ingress.from_file(fields).kind == fields["kind"]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"kind": "cloud", "addresses": ["10.0.0.0/28"]}, "addresses are MetalLB's: kind is 'cloud'"),
        ({"kind": "metallb"}, "metallb needs addresses"),
        ({"kind": "metallb", "addresses": ["10.0.0.9-10.0.0.8"]}, "'10.0.0.9-10.0.0.8' ends before it begins"),
        ({"kind": "metallb", "addresses": ["10.0.0.9-fd00::1"]}, "is no range or network of addresses"),
        ({"kind": "metallb", "addresses": ["10.0.0.1/28"]}, "'10.0.0.1/28' is no range or network of addresses"),
        ({"kind": "metallb", "addresses": ["10.0.0.1-"]}, "is no range or network of addresses"),
        ({"kind": "metallb", "addresses": ["a-b-c"]}, "'a-b-c' is no range or network of addresses"),
        ({"kind": "metallb", "addresses": ["begins"]}, "'begins' is no range or network of addresses"),
        ({"kind": "cloud", "tls": {"issuer": "ca"}}, "an issuer signs a name"),
        ({"kind": "cloud", "httpPort": 80}, "httpPort are ports of the nodes: kind is 'cloud'"),
        ({"kind": "none", "httpPort": 80, "httpsPort": 443, "tls": {"secret": "a"}}, "httpPort and httpsPort are"),
        ({"kind": "nodePort", "httpsPort": 30443}, "httpsPort needs `tls:`"),
    ],
)
def test_ways_in_that_do_not(fields: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Ingress.from_file(fields)

    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("address", "holds"),
    [
        ("https://git.example.com/a", False),
        ("https://user@git.example.com/a", True),
        ("http://user@git.example.com/a", True),
        ("oci://user@registry.example.com/a", True),
        ("https://git.example.com/a@b", False),
        ("ssh://git@git.example.com/a", False),
        ("ssh://git:word@git.example.com/a", True),
        ("git@git.example.com:a", False),
    ],
)
def test_a_user_is_half_a_credential_but_not_of_ssh(address: str, holds: bool) -> None:
    assert holds_credentials(address) is holds


def test_a_repository_with_credentials_is_refused() -> None:
    with pytest.raises(ValidationError, match="holds credentials"):
        Delivery.from_file({"engine": "flux", "repository": "https://user@git.example.com/a"})


@pytest.mark.parametrize("engine", ["argocd", "flux"])
def test_an_engine_needs_to_know_the_repository(engine: str) -> None:
    with pytest.raises(ValidationError, match=f"engine '{engine}' needs `repository:`"):
        Delivery.from_file({"engine": engine})


@pytest.mark.parametrize("path", ["/dist", "dist/", "../dist/..//x", "a b"])
def test_a_path_stays_inside_the_repository(path: str) -> None:
    with pytest.raises(ValidationError):
        Delivery.from_file({"path": path})


@pytest.mark.parametrize("minutes", [0, 1441])
def test_an_interval_is_a_minute_to_a_day(minutes: int) -> None:
    assert [Delivery.from_file({"intervalMinutes": each}).interval_minutes for each in (1, 1440)] == [1, 1440]
    with pytest.raises(ValidationError):
        Delivery.from_file({"intervalMinutes": minutes})


def test_what_is_refused_is_shown_in_part() -> None:
    for fields, shown in (
        ({"registry": "X" * 90}, "X" * 80),
        ({"kubernetes": "9" * 30}, "9" * 20),
    ):
        with pytest.raises(ValidationError, match=f"'{shown}' is not a"):
            cluster(**fields)
    with pytest.raises(ValidationError, match=f"'{'x' * 80}' is no range"):
        Ingress.from_file({"kind": "metallb", "addresses": ["x" * 90]})
    with pytest.raises(ValidationError, match=f"'{'0' * 39}10.0.0.9") as caught:
        Ingress.from_file({"kind": "metallb", "addresses": [f"{'0' * 39}10.0.0.9-{'0' * 39}10.0.0.8"]})

    assert "is no range" in str(caught.value)
