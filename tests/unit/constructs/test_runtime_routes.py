"""Routes that a program writes while it runs."""

from __future__ import annotations

import pytest

from platform_def.capabilities import AuthorizationService, Gateway
from platform_def.config.capability import Capability, Provision
from platform_def.config.component import ComponentConfig
from platform_def.config.platform import Platform
from platform_def.constructs import Setting
from platform_def.constructs.route import runtime_routes

ASKED = AuthorizationService(name="asked", host="asked.example.com", port=80)


def told(api: str, *others: Capability) -> list[str]:
    """What is said against a gateway."""
    gateway = Gateway(api=api, name="door", namespace="doors")  # type: ignore[arg-type]
    provisions = (Provision.of(gateway, "door"), *(Provision.of(each, "other") for each in others))
    platform = Platform(gateway="door", provisions=provisions)
    at = Setting("notebook-controller", ComponentConfig(), platform)
    return [f"{each.text}; {each.hint}" for each in runtime_routes(at, "notebooks", instead="jupyterhub")]


def test_the_gateway_of_their_api_serves_them() -> None:
    assert told("istio", ASKED) == []


def test_where_nothing_asks_who_people_are_they_would_be_open() -> None:
    (text,) = told("istio")

    assert text.startswith("components.notebook-controller: nothing asks who people are before they reach notebooks; ")


@pytest.mark.parametrize(
    ("api", "there"),
    [
        ("emissary", "door serves those of emissary"),
        ("gateway-api", "door serves those of gateway-api"),
    ],
)
def test_another_gateway_does_not(api: str, there: str) -> None:
    assert told(api) == [
        (
            f"components.notebook-controller: it writes the routes to notebooks itself, in the API of istio, and {there}; "
            "choose a gateway of istio, or use the component jupyterhub instead"
        )
    ]


def test_no_gateway_does_not() -> None:
    at = Setting("notebook-controller", ComponentConfig(), Platform())
    (problem,) = runtime_routes(at, "notebooks")

    assert problem.text.endswith("in the API of istio, and the stack has no gateway")
    assert problem.hint == "choose a gateway of istio"
