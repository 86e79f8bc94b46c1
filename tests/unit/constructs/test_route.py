"""Routes in each gateway's own words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from platform_def.config.component import ComponentConfig
from platform_def.config.platform import Platform
from platform_def.config.stack import Gateway
from platform_def.constructs.component import Component
from platform_def.constructs.render import Made, render
from platform_def.constructs.resource import Manifest
from platform_def.constructs.route import Route, gateway_components
from platform_def.errors import ConfigError


class Web(Component[ComponentConfig]):
    """A component with one route."""

    slug = "web"
    routes: Callable[[Component[ComponentConfig]], object]

    def build(self) -> None:
        """Nothing but what a test asks for."""
        type(self).routes(self)


def made(gateway: Gateway = "emissary", **options: object) -> tuple[Made, ...]:
    arguments = {"path": "/katib/", "service": "katib-ui", **options}

    class Tested(Web):
        slug = "web"
        routes = staticmethod(lambda scope: Route(scope, "katib", **arguments))  # type: ignore[arg-type]

    config = ComponentConfig(namespace="kubeflow")
    return render(lambda scope: Tested(scope, config=config, platform=Platform(gateway=gateway))).objects


def mapping(**options: object) -> Manifest:
    (item,) = made(**options)  # type: ignore[arg-type]
    spec: Manifest = item.manifest["spec"]
    return spec


def test_a_route_is_a_mapping_beside_its_service() -> None:
    (item,) = made()

    assert (item.manifest["apiVersion"], item.manifest["kind"]) == ("getambassador.io/v3alpha1", "Mapping")
    assert item.manifest["metadata"]["namespace"] == "kubeflow"
    assert item.manifest["spec"]["service"] == "katib-ui.kubeflow:80"


def test_a_route_waits_for_the_gateway() -> None:
    assert [item.part for item in made()] == ["after"]


def test_the_path_is_kept_unless_a_rewrite_is_given() -> None:
    """An empty rewrite leaves the path in Emissary, a missing one makes it `/`."""
    assert mapping()["rewrite"] == ""
    assert mapping(rewrite="/")["rewrite"] == "/"


def test_the_gateways_short_time_limit_never_applies() -> None:
    assert mapping()["timeout_ms"] == 60_000
    assert mapping(timeout_seconds=0)["timeout_ms"] == 0


def test_a_route_is_for_every_host_unless_it_names_one() -> None:
    assert mapping()["hostname"] == "*"
    assert mapping(host="katib.example.com")["hostname"] == "katib.example.com"


def test_websockets_are_allowed_where_asked_for() -> None:
    assert "allow_upgrade" not in mapping()
    assert mapping(websocket=True)["allow_upgrade"] == ["websocket"]


def test_an_exact_path_opens_nothing_below_it() -> None:
    assert "prefix_exact" not in mapping()
    assert mapping(path="/healthz", exact=True)["prefix_exact"] is True


def test_a_service_of_another_namespace_is_named_in_full() -> None:
    assert mapping(namespace="istio-system", port=8080)["service"] == "katib-ui.istio-system:8080"


def test_without_a_gateway_there_are_no_routes() -> None:
    assert made(gateway="none") == ()


@pytest.mark.parametrize("gateway", ["istio", "gateway-api"])
def test_a_gateway_without_its_routes_is_said_so(gateway: Gateway) -> None:
    with pytest.raises(ConfigError, match=f"gateway '{gateway}'"):
        made(gateway=gateway)


def test_a_path_that_is_none_is_a_mistake_in_the_component() -> None:
    with pytest.raises(ValueError, match="does not begin with '/'"):
        made(path="katib/")


def test_components_with_routes_wait_for_the_gateway_of_the_stack() -> None:
    assert gateway_components(Platform(gateway="emissary")) == ("emissary",)
    assert gateway_components(Platform(gateway="none")) == ()
