"""What browsers write before the path, at each host of the gateway that has one name."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.config.cluster import Ingress

SECOND = {"host": "two.example.com"}
ANY = {"host": "*.apps.example.com"}


@pytest.mark.parametrize(
    ("ingress", "expected"),
    [
        ({}, []),
        ({"host": "one.example.com"}, ["http://one.example.com"]),
        (
            {"host": "one.example.com", "furtherHosts": [SECOND, ANY]},
            ["http://one.example.com", "http://two.example.com"],
        ),
        (
            {"kind": "nodePort", "host": "one.example.com", "httpPort": 30080, "furtherHosts": [SECOND]},
            ["http://one.example.com:30080", "http://two.example.com:30080"],
        ),
    ],
)
def test_each_host_of_one_name_has_an_address(ingress: dict[str, Any], expected: list[str]) -> None:
    found = Ingress.model_validate(ingress)

    assert found.all_addresses() == expected
    assert found.address() == (expected[0] if expected else None)
