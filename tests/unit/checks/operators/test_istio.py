"""VirtualServices and Gateways that istiod's webhook refuses; `tests/cluster/test_gateways.py` asks istiod about them."""

from __future__ import annotations

import pytest

from platform_def.checks.rules.operators.value_refused import VALUE_REFUSED
from tests.unit.checks.operators.judged import findings, told
from tests.unit.checks.operators.mesh_objects import (
    EVERYWHERE,
    TAKEN,
    TWO,
    WRONG,
    WRONG_RULES,
    WRONG_SERVERS,
    gateway,
    server,
    service,
)

REFUSED = "istiod's webhook refuses it"


def errors(written: str) -> list[tuple[str, str]]:
    return [(path, text.removesuffix(f": {REFUSED}")) for _, path, text in told(VALUE_REFUSED, written)]


@pytest.mark.parametrize("written", TAKEN)
def test_what_istiod_takes_passes(written: str) -> None:
    assert errors(written) == []


@pytest.mark.parametrize("written", WRONG)
def test_what_istiod_refuses_is_an_error(written: str) -> None:
    assert [(each.severity, each.text.endswith(REFUSED)) for each in findings(VALUE_REFUSED, written)] == [
        ("error", True)
    ]


@pytest.mark.parametrize(("rule", "path", "said"), WRONG_RULES)
def test_rules_of_a_virtual_service(rule: str, path: str, said: str) -> None:
    assert errors(service(rule)) == [(f"spec.http[0]{path}", said)]


def test_every_protocol_of_a_virtual_service_is_read() -> None:
    assert errors(service(f"{{{TWO}}}", kind="tcp")) == [
        ("spec.tcp[0].route", "has several destinations and no weight")
    ]
    assert errors(service("").replace(", http: []", "")) == [("spec", "has no http, tcp or tls")]


def test_all_hosts_are_for_gateways_alone() -> None:
    (finding,) = findings(VALUE_REFUSED, EVERYWHERE)

    assert (finding.path, finding.text) == ("spec.hosts", f"'*' is no host of pods in the mesh: {REFUSED}")
    assert finding.hint == "name the Services, or the gateways that it is for"


@pytest.mark.parametrize(("one", "path", "said"), WRONG_SERVERS)
def test_servers_that_istiod_refuses(one: str, path: str, said: str) -> None:
    assert errors(gateway(one)) == [(f"spec.servers[0]{path}", said)]


def test_ports_of_a_gateway_have_names_of_their_own() -> None:
    assert errors(gateway(server("HTTP"), server("HTTP"))) == [
        ("spec.servers[1].port.name", "'one' is the name of two ports")
    ]
    assert errors(gateway(server("HTTP"), server("HTTP", name="two"))) == []
