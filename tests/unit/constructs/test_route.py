"""Routes in each gateway's own words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from platform_def.capabilities import Gateway
from platform_def.config.capability import Provision
from platform_def.config.component import ComponentConfig
from platform_def.config.platform import Platform
from platform_def.constructs import Component, Route, render
from platform_def.constructs.resource import Manifest
from platform_def.constructs.routes.routing import Canary, Redirect
from platform_def.errors import ConfigError

EMISSARY = Gateway(api="emissary", name="default", namespace="emissary")


class Web(Component[ComponentConfig]):
    """A component with one route."""

    slug = "web"
    routes: Callable[[Component[ComponentConfig]], object]

    def build(self) -> None:
        """Nothing but what a test asks for."""
        type(self).routes(self)


def made(gateway: str = "emissary", *, given: tuple[Provision, ...] | None = None, **options: Any) -> tuple[Any, ...]:
    arguments = {"path": "/katib/", "service": "katib-ui", **options}

    class Tested(Web):
        slug = "web"
        routes = staticmethod(lambda scope: Route(scope, "katib", **arguments))

    config = ComponentConfig(namespace="kubeflow")
    platform = Platform(gateway=gateway, provisions=(Provision.of(EMISSARY, "emissary"),) if given is None else given)
    return render(lambda scope: Tested(scope, config=config, platform=platform)).objects


def mapping(**options: Any) -> Manifest:
    (item,) = made(**options)
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


def virtual(**options: Any) -> Manifest:
    """What Istio is told, by the gateway `istio-system/public`."""
    given = (Provision.of(Gateway(api="istio", name="public", namespace="istio-system"), "ingress"),)
    return mapping(gateway="ingress", given=given, **options)


def test_istio_is_told_at_which_of_its_gateways() -> None:
    spec = virtual(host="katib.example.com")

    assert spec["gateways"] == ["istio-system/public"]
    assert spec["hosts"] == ["katib.example.com"]


def test_istio_is_told_the_same_in_its_own_words() -> None:
    (usual,) = virtual()["http"]
    (other,) = virtual(exact=True, rewrite="/", timeout_seconds=0, namespace="other", port=8080)["http"]

    assert usual == {
        "match": [{"uri": {"prefix": "/katib/"}}],
        "route": [{"destination": {"host": "katib-ui.kubeflow.svc.cluster.local", "port": {"number": 80}}}],
        "timeout": "60s",
    }
    assert other == {
        "match": [{"uri": {"exact": "/katib/"}}],
        "route": [{"destination": {"host": "katib-ui.other.svc.cluster.local", "port": {"number": 8080}}}],
        "rewrite": {"uri": "/"},
    }


def test_a_gateway_that_nobody_gives_is_said_so() -> None:
    with pytest.raises(ConfigError, match="gateway 'contour': nothing in the stack of that name serves routes"):
        made("contour")


def test_a_route_names_the_gateway_where_another_reads_the_same_objects() -> None:
    inner = Gateway(api="emissary", name="inside", namespace="inside", identified=True)
    both = (Provision.of(EMISSARY, "emissary"), Provision.of(inner, "inside"))

    assert mapping(gateway="inside", given=both)["ambassador_id"] == ["inside"]
    assert "ambassador_id" not in mapping(gateway="emissary", given=both)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"path": "katib/"}, "path 'katib/' does not begin with '/'"),
        ({"path": "/katib"}, "path '/katib' leads all that is below it and does not end with '/'"),
        ({"rewrite": "/app"}, "rewrite '/app' takes the place of a prefix and does not end with '/'"),
        ({"grpc": True, "rewrite": "/"}, "the path of a gRPC call is its method"),
        ({"redirect": Redirect(path="/")}, "it leads to a service, or is a redirect"),
        ({"service": "", "redirect": Redirect(path="home")}, "redirect 'home' does not begin with '/'"),
    ],
)
def test_what_gateways_would_read_differently_is_a_mistake_in_the_component(options: Any, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        made(**options)


def test_a_share_is_between_one_and_ninety_nine_percent() -> None:
    with pytest.raises(ValueError, match="100 percent is no share"):
        Canary(service="next", percent=100)
