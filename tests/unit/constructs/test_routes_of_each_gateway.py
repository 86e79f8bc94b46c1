"""The same routes on every gateway: what each rendered object says is read back into one form and compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from platform_def.capabilities import AuthorizationService, Gateway, GatewayPath, Identity
from platform_def.config.capability import Provision
from platform_def.config.cluster import Ingress
from platform_def.config.platform import Platform
from platform_def.constructs import Route
from platform_def.constructs.routes.routing import Canary, Redirect
from platform_def.errors import ConfigError
from tests.unit.constructs.samples import built

PODS = {"app": "door"}
GATEWAYS = {
    "emissary": Gateway(api="emissary", name="default", namespace="doors"),
    "gateway-api": Gateway(api="gateway-api", controller="istio", name="door", namespace="doors", pods=PODS),
    "istio": Gateway(api="istio", name="door", namespace="doors", pods=PODS),
}
ASKED = AuthorizationService(name="who", host="who.auth.svc.cluster.local", port=4180)
KNOWN = Identity(issuer="https://people.example.com", groups_header="kubeflow-groups")

ROUTES: dict[str, dict[str, Any]] = {
    "plain": {"path": "/plain/", "service": "a"},
    "rewritten": {"path": "/old/", "service": "a", "rewrite": "/"},
    "hosted": {"path": "/", "service": "a", "host": "models.example.com"},
    "socket": {"path": "/socket/", "service": "a", "websocket": True, "timeout_seconds": 0},
    "calls": {"path": "/pkg.Models/", "service": "a", "port": 9000, "grpc": True, "timeout_seconds": 0},
    "slow": {"path": "/slow", "service": "a", "exact": True, "timeout_seconds": 600},
    "shared": {"path": "/shared/", "service": "a", "canary": Canary(service="b", percent=10)},
    "public": {"path": "/healthz", "service": "a", "exact": True, "rewrite": "/ready", "auth": "public"},
}


class Read(NamedTuple):
    """What an object says of a route."""

    host: str
    path: str
    exact: bool
    rewrite: str
    seconds: int
    backends: tuple[tuple[str, int, int], ...]
    authenticated: bool
    stripped: tuple[str, ...]


def rendered(api: str, name: str, *, given: tuple[Any, ...] = (ASKED, KNOWN), **options: Any) -> list[Any]:
    """The objects of one route."""
    gateway = options.pop("gateway", GATEWAYS[api])
    ingress = options.pop("ingress", Ingress())
    provisions = (Provision.of(gateway, "door"), *(Provision.of(each, "people") for each in given))
    platform = Platform(gateway="door", provisions=provisions, ingress=ingress)
    return [each.manifest for each in built(lambda self: Route(self, name, **options), platform=platform).objects]


def from_emissary(objects: list[Any]) -> Read:
    """A route as Mappings: the one without a weight gets what the others leave."""
    first = objects[0]["spec"]
    weights = [each["spec"].get("weight", 0) for each in objects]
    weights[0] = 100 - sum(weights)
    called = [each["spec"]["service"].replace(".here:", ":").partition(":") for each in objects]
    return Read(
        host=first["hostname"],
        path=first["prefix"],
        exact=first.get("prefix_exact", False),
        rewrite=first["rewrite"] or first["prefix"],
        seconds=first["timeout_ms"] // 1000,
        backends=tuple(
            (service, int(port), weight) for (service, _, port), weight in zip(called, weights, strict=True)
        ),
        authenticated=not first.get("bypass_auth", False),
        stripped=tuple(first.get("remove_request_headers", ())),
    )


def from_istio(objects: list[Any]) -> Read:
    """A route as a VirtualService and a policy."""
    spec = objects[0]["spec"]
    (rule,) = spec["http"]
    (match,) = rule["match"]
    ((way, path),) = match["uri"].items()
    return Read(
        host=spec["hosts"][0],
        path=path,
        exact=way == "exact",
        rewrite=rule.get("rewrite", {}).get("uri", path),
        seconds=int(rule.get("timeout", "0s").removesuffix("s")),
        backends=tuple(
            (
                each["destination"]["host"].removesuffix(".here.svc.cluster.local"),
                each["destination"]["port"]["number"],
                each.get("weight", 100),
            )
            for each in rule["route"]
        ),
        authenticated=asked(objects, spec["hosts"][0], [f"{path}*" if way == "prefix" else path]),
        stripped=tuple(rule.get("headers", {}).get("request", {}).get("remove", ())),
    )


def from_gateway_api(objects: list[Any]) -> Read:
    """A route as an HTTPRoute and a policy."""
    spec = objects[0]["spec"]
    (rule,) = spec["rules"]
    (match,) = rule["matches"]
    host = spec.get("hostnames", ["*"])[0]
    path, exact = match["path"]["value"], match["path"]["type"] == "Exact"
    rewritten, stripped = path, ()
    for each in rule.get("filters", ()):
        if each["type"] == "URLRewrite":
            change = each["urlRewrite"]["path"]
            rewritten = change["replaceFullPath" if exact else "replacePrefixMatch"]
        else:
            stripped = tuple(each["requestHeaderModifier"]["remove"])
    below = [path] if exact else sorted({path.rstrip("/") or f"{path}*", f"{path}*"})
    return Read(
        host=host,
        path=path,
        exact=exact,
        rewrite=rewritten,
        seconds=int(rule.get("timeouts", {}).get("request", "0s").removesuffix("s")),
        backends=tuple((each["name"], each["port"], each["weight"]) for each in rule["backendRefs"]),
        authenticated=asked(objects, host, below),
        stripped=stripped,
    )


def asked(objects: list[Any], host: str, paths: list[str]) -> bool:
    """Whether a policy has somebody decide about exactly these paths, at the gateway."""
    policies = objects[1:]
    for policy in policies:
        spec = policy["spec"]
        assert policy["metadata"]["namespace"] == "doors"
        assert (spec["action"], spec["provider"]) == ("CUSTOM", {"name": "who"})
        assert spec["selector"] == {"matchLabels": PODS}
        (rule,) = spec["rules"]
        (to,) = rule["to"]
        assert to["operation"]["paths"] == paths
        assert to["operation"].get("hosts", ["*"])[0] == host
    return bool(policies)


READERS: dict[str, Callable[[list[Any]], Read]] = {
    "emissary": from_emissary,
    "gateway-api": from_gateway_api,
    "istio": from_istio,
}


@pytest.mark.parametrize("name", ROUTES)
def test_a_route_says_the_same_on_every_gateway(name: str) -> None:
    read = {api: READERS[api](rendered(api, name, **ROUTES[name])) for api in GATEWAYS}

    assert len(set(read.values())) == 1, read
    wanted = ROUTES[name]
    one = read["emissary"]
    assert (one.path, one.exact, one.host) == (
        wanted["path"],
        wanted.get("exact", False),
        wanted.get("host", "*"),
    )
    assert one.rewrite == wanted.get("rewrite", wanted["path"])
    assert one.seconds == wanted.get("timeout_seconds", 60)
    assert one.authenticated == (wanted.get("auth") != "public")
    assert sum(percent for _, _, percent in one.backends) == 100


@pytest.mark.parametrize("api", ["istio", "gateway-api"])
def test_a_route_of_everything_does_not_ask_on_public_paths_below_it(api: str) -> None:
    given = (ASKED, KNOWN, GatewayPath(path="/dex/", access="public"), GatewayPath(path="/api/", access="api"))

    (policy,) = [each for each in rendered(api, "all", given=given, path="/", service="a") if "action" in each["spec"]]
    assert policy["spec"]["rules"][0]["to"][0]["operation"]["notPaths"] == ["/dex/*"]
    made = rendered(api, "katib", given=given, path="/katib/", service="a")
    (other,) = [each for each in made if "action" in each["spec"]]
    assert "notPaths" not in other["spec"]["rules"][0]["to"][0]["operation"]


@pytest.mark.parametrize("api", ["istio", "gateway-api"])
def test_a_public_path_alone_is_left_out_as_itself(api: str) -> None:
    given = (ASKED, KNOWN, GatewayPath(path="/argocd/api/webhook", access="public"))
    made = rendered(api, "pages", given=given, path="/argocd/", service="a")
    (policy,) = [each for each in made if "action" in each["spec"]]

    assert policy["spec"]["rules"][0]["to"][0]["operation"]["notPaths"] == ["/argocd/api/webhook"]


@pytest.mark.parametrize(
    ("seconds", "idle"), [(0, 0), (301, 301_000), (300, None), (60, None)], ids=["never", "long", "usual", "short"]
)
def test_emissary_ends_no_stream_before_its_time(seconds: int, idle: int | None) -> None:
    """Envoy ends one on which nothing moves after 5 minutes, whatever the route's limit is."""
    (mapping,) = rendered("emissary", "slow", given=(), path="/slow/", service="a", timeout_seconds=seconds)

    assert mapping["spec"].get("idle_timeout_ms") == idle


def test_a_canary_gets_its_share() -> None:
    read = from_emissary(rendered("emissary", "shared", **ROUTES["shared"]))

    assert read.backends == (("a", 80, 90), ("b", 80, 10))


def test_nobody_can_name_a_user_on_a_public_route() -> None:
    read = from_istio(rendered("istio", "public", **ROUTES["public"]))

    assert read.stripped == ("kubeflow-userid", "kubeflow-groups")


def test_emissary_is_told_of_upgrades_and_grpc() -> None:
    (socket,) = rendered("emissary", "socket", **ROUTES["socket"])
    (calls,) = rendered("emissary", "calls", **ROUTES["calls"])

    assert socket["spec"]["allow_upgrade"] == ["websocket"]
    assert calls["spec"]["grpc"] is True


def test_calls_of_grpc_share_their_host_with_other_routes() -> None:
    """A GRPCRoute beside an HTTPRoute for the same hosts is accepted and never served."""
    (route, _) = rendered("gateway-api", "calls", **ROUTES["calls"])

    assert route["kind"] == "HTTPRoute"
    assert route["spec"]["rules"][0]["matches"] == [{"path": {"type": "PathPrefix", "value": "/pkg.Models/"}}]


def test_a_redirect_asks_no_service() -> None:
    wanted: dict[str, Any] = {"path": "/", "exact": True, "redirect": Redirect(path="/katib/", code=301)}
    (mapping,) = rendered("emissary", "home", given=(), ingress=Ingress(host="ml.example.com"), **wanted)
    (virtual,) = rendered("istio", "home", given=(), **wanted)
    (route,) = rendered("gateway-api", "home", given=(), **wanted)

    assert mapping["spec"] == {
        "hostname": "*",
        "prefix": "/",
        "prefix_exact": True,
        "service": "ml.example.com",
        "host_redirect": True,
        "path_redirect": "/katib/",
        "redirect_response_code": 301,
    }
    assert virtual["spec"]["http"] == [
        {"match": [{"uri": {"exact": "/"}}], "redirect": {"uri": "/katib/", "redirectCode": 301}}
    ]
    (rule,) = route["spec"]["rules"]
    assert "backendRefs" not in rule
    assert rule["filters"][0]["requestRedirect"] == {
        "path": {"type": "ReplaceFullPath", "replaceFullPath": "/katib/"},
        "statusCode": 301,
    }


def test_a_redirect_of_emissary_needs_a_host() -> None:
    with pytest.raises(ConfigError, match="route home: Emissary sends clients to a host by its name"):
        rendered("emissary", "home", path="/", redirect=Redirect(path="/katib/"))


def test_a_route_that_must_be_authenticated_is_refused_where_nobody_asks() -> None:
    with pytest.raises(ConfigError, match="route plain: it is for people who are known"):
        rendered("istio", "plain", given=(), auth="required", **ROUTES["plain"])


def test_a_gateway_whose_pods_istiod_makes_is_referred_to() -> None:
    """Its pods bear a label that leads from the reference to them; pods of others do not."""
    made_by_istiod = Gateway(api="gateway-api", controller="istio", name="door", namespace="doors")
    (_, policy) = rendered("gateway-api", "plain", gateway=made_by_istiod, **ROUTES["plain"])

    assert policy["spec"]["targetRefs"] == [{"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "door"}]
    assert "selector" not in policy["spec"]


def test_a_route_is_open_where_nobody_asks() -> None:
    assert [each["kind"] for each in rendered("istio", "plain", given=(), **ROUTES["plain"])] == ["VirtualService"]


def test_a_controller_that_cannot_be_told_whom_to_ask_is_refused_by_the_routes_name() -> None:
    other = Gateway(api="gateway-api", name="door", namespace="doors")

    with pytest.raises(ConfigError, match="route plain: it is authenticated, and Gateway API has no words for that"):
        rendered("gateway-api", "plain", gateway=other, **ROUTES["plain"])
    assert len(rendered("gateway-api", "plain", gateway=other, given=(), **ROUTES["plain"])) == 1


@pytest.mark.parametrize(
    ("exact", "path", "rewrite", "rewrites"),
    [
        (False, "/old/", "/new/", {"type": "ReplacePrefixMatch", "replacePrefixMatch": "/new/"}),
        (True, "/old", "/new", {"type": "ReplaceFullPath", "replaceFullPath": "/new"}),
    ],
)
def test_a_rewrite_of_gateway_api_is_written_out(
    exact: bool, path: str, rewrite: str, rewrites: dict[str, str]
) -> None:
    [route, *_] = rendered("gateway-api", "old", given=(), path=path, service="a", rewrite=rewrite, exact=exact)

    assert route["spec"]["rules"] == [
        {
            "matches": [{"path": {"type": "Exact" if exact else "PathPrefix", "value": path}}],
            "filters": [{"type": "URLRewrite", "urlRewrite": {"path": rewrites}}],
            "backendRefs": [{"group": "", "kind": "Service", "name": "a", "port": 80, "weight": 100}],
            "timeouts": {"request": "60s"},
        }
    ]


def test_a_route_of_gateway_api_stands_beside_its_service() -> None:
    [route, *_] = rendered("gateway-api", "people", given=(), path="/people/", service="who", namespace="auth")

    assert route["metadata"]["namespace"] == "auth"


def test_a_redirect_of_gateway_api_is_written_out() -> None:
    [route, *_] = rendered(
        "gateway-api", "moved", given=(), path="/old", exact=True, redirect=Redirect(path="/new", code=302)
    )

    path = {"type": "ReplaceFullPath", "replaceFullPath": "/new"}
    assert route["spec"]["rules"] == [
        {
            "matches": [{"path": {"type": "Exact", "value": "/old"}}],
            "filters": [{"type": "RequestRedirect", "requestRedirect": {"path": path, "statusCode": 302}}],
        }
    ]
