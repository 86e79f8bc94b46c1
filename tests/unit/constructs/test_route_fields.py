"""CORS, retries, headers and the length of bodies: in each gateway's words, or an error at the line that asks for it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.capabilities import AuthorizationService, Gateway, Identity
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.config.routing import Cors, Retries, RouteConfig
from platform_def.constructs import Route
from platform_def.constructs.routes.routing import Redirect
from platform_def.errors import ConfigError, Problem
from tests.unit.constructs.samples import built

PODS = {"app": "door"}
DOORS = {
    "emissary": Gateway(api="emissary", name="default", namespace="doors"),
    "gateway-api": Gateway(
        api="gateway-api", controller="istio", name="door", namespace="doors", pods=PODS, retries=True
    ),
    "istio": Gateway(api="istio", name="door", namespace="doors", pods=PODS),
}
ASKED = AuthorizationService(name="who", host="who.auth.svc.cluster.local", port=4180, adds=("x-user",))
KNOWN = Identity(issuer="https://people.example.com", user_header="kubeflow-userid")

CORS = Cors(
    origins=["https://app.example.com"],
    methods=["GET", "PUT"],
    headers=["x-asked-by"],
    expose_headers=["x-told"],
    credentials=True,
    max_age_seconds=900,
)
RETRIES = Retries(attempts=3, after="gateway-error", per_try_seconds=5)


def objects(
    door: str | Gateway, *, given: tuple[Any, ...] = (), routing: dict[str, Any] | None = None, **options: Any
) -> list[Any]:
    """What one route called `web` is rendered as; `routing` is what the stack says of it."""
    gateway = DOORS[door] if isinstance(door, str) else door
    provisions = (Provision.of(gateway, "door"), *(Provision.of(each, "people") for each in given))
    said: dict[str, Any] = {"routing": {"web": routing}} if routing is not None else {}
    options = {"path": "/web/", "service": "web", **options}
    made = built(
        lambda self: Route(self, "web", **options), platform=Platform(gateway="door", provisions=provisions), **said
    )
    return [each.manifest for each in made.objects]


def spec(door: str, **options: Any) -> Any:
    return objects(door, **options)[0]["spec"]


def refused(door: str | Gateway, **options: Any) -> list[Problem]:
    with pytest.raises(ConfigError) as raised:
        objects(door, **options)
    return list(raised.value.problems)


def test_cors_is_said_in_every_gateways_words() -> None:
    assert spec("emissary", cors=CORS)["cors"] == {
        "origins": ["https://app.example.com"],
        "methods": ["GET", "PUT"],
        "headers": ["x-asked-by"],
        "exposed_headers": ["x-told"],
        "credentials": True,
        "max_age": "900",
    }
    assert spec("istio", cors=CORS)["http"][0]["corsPolicy"] == {
        "allowOrigins": [{"exact": "https://app.example.com"}],
        "allowMethods": ["GET", "PUT"],
        "allowHeaders": ["x-asked-by"],
        "exposeHeaders": ["x-told"],
        "allowCredentials": True,
        "maxAge": "900s",
    }
    (rule,) = spec("gateway-api", cors=CORS)["rules"]
    assert rule["filters"] == [
        {
            "type": "CORS",
            "cors": {
                "allowOrigins": ["https://app.example.com"],
                "allowMethods": ["GET", "PUT"],
                "allowHeaders": ["x-asked-by"],
                "exposeHeaders": ["x-told"],
                "allowCredentials": True,
                "maxAge": 900,
            },
        }
    ]


def test_cors_says_no_more_than_it_must() -> None:
    few = Cors(origins=["*"])

    assert spec("emissary", cors=few)["cors"] == {
        "origins": ["*"],
        "methods": ["GET", "HEAD", "POST"],
        "max_age": "600",
    }
    assert spec("istio", cors=few)["http"][0]["corsPolicy"] == {
        "allowOrigins": [{"exact": "*"}],
        "allowMethods": ["GET", "HEAD", "POST"],
        "maxAge": "600s",
    }
    assert spec("gateway-api", cors=few)["rules"][0]["filters"][0]["cors"] == {
        "allowOrigins": ["*"],
        "allowMethods": ["GET", "HEAD", "POST"],
        "maxAge": 600,
    }


@pytest.mark.parametrize("door", ["istio", "gateway-api"])
def test_only_the_question_of_a_named_site_passes_unasked(door: str) -> None:
    """Envoy asks who a request is from before it answers such a question, which carries no login."""
    _, policy = objects(door, given=(ASKED,), cors=CORS)
    rules = policy["spec"]["rules"]
    paths = rules[0]["to"][0]["operation"]["paths"]

    assert rules == [
        {"to": [{"operation": {"paths": paths, "notMethods": ["OPTIONS"]}}]},
        {
            "to": [{"operation": {"paths": paths}}],
            "when": [{"key": "request.headers[origin]", "notValues": ["https://app.example.com"]}],
        },
        {
            "to": [{"operation": {"paths": paths}}],
            "when": [{"key": "request.headers[access-control-request-method]", "notValues": ["GET", "PUT"]}],
        },
    ]
    assert paths[-1] == "/web/*"


def test_the_question_of_any_site_names_one() -> None:
    _, policy = objects("istio", given=(ASKED,), cors=Cors(origins=["*"]))

    assert policy["spec"]["rules"][1]["when"] == [{"key": "request.headers[origin]", "notValues": ["http*"]}]


def test_retries_are_said_in_every_gateways_words() -> None:
    assert spec("emissary", retries=RETRIES)["retry_policy"] == {
        "retry_on": "gateway-error",
        "num_retries": 3,
        "per_try_timeout": "5s",
    }
    assert spec("istio", retries=RETRIES)["http"][0]["retries"] == {
        "attempts": 3,
        "retryOn": "gateway-error",
        "perTryTimeout": "5s",
    }
    (rule,) = spec("gateway-api", retries=Retries(attempts=3, after="gateway-error"))["rules"]
    assert rule["retry"] == {"attempts": 3, "codes": [502, 503, 504]}
    assert rule["timeouts"] == {"request": "60s"}


def test_gateway_api_has_no_limit_for_each_try() -> None:
    """Istio ends the request then, where the other two send it again."""
    (problem,) = refused("gateway-api", retries=RETRIES)

    assert problem.text == (
        "route web: Istio sends a request of an HTTPRoute again after a status, and not after a try that took too long"
    )
    assert problem.hint == "leave `perTrySeconds` out, or choose the gateway's `api: istio`"


def test_retries_without_a_limit_for_each_try_set_none() -> None:
    few = Retries()

    assert spec("emissary", retries=few)["retry_policy"] == {"retry_on": "connect-failure", "num_retries": 2}
    assert spec("istio", retries=few)["http"][0]["retries"] == {"attempts": 2, "retryOn": "connect-failure"}
    (rule,) = spec("gateway-api", retries=few)["rules"]
    assert (rule["retry"], rule["timeouts"]) == ({"attempts": 2}, {"request": "60s"})


def test_all_statuses_from_500_are_named_for_gateway_api() -> None:
    codes = spec("gateway-api", retries=Retries(after="5xx"))["rules"][0]["retry"]["codes"]

    assert codes == list(range(500, 600))


def test_headers_are_said_in_every_gateways_words() -> None:
    wanted = {"x-tenant": "a b"}

    assert spec("emissary", headers=wanted)["headers"] == wanted
    assert spec("istio", headers=wanted)["http"][0]["match"] == [
        {"uri": {"prefix": "/web/"}, "headers": {"x-tenant": {"exact": "a b"}}}
    ]
    assert spec("gateway-api", headers=wanted)["rules"][0]["matches"] == [
        {
            "path": {"type": "PathPrefix", "value": "/web/"},
            "headers": [{"type": "Exact", "name": "x-tenant", "value": "a b"}],
        }
    ]


@pytest.mark.parametrize(("door", "called"), [("istio", "here.web"), ("gateway-api", "here.web.0")])
def test_a_limit_of_bodies_is_envoys_filter_at_that_route_alone(door: str, called: str) -> None:
    route, limit = objects(door, max_body_bytes=1000)
    buffer = "type.googleapis.com/envoy.extensions.filters.http.buffer.v3.Buffer"

    assert (limit["kind"], limit["metadata"]["name"], limit["metadata"]["namespace"]) == (
        "EnvoyFilter",
        "here-web",
        "doors",
    )
    assert limit["spec"] == {
        "workloadSelector": {"labels": PODS},
        "configPatches": [
            {
                "applyTo": "HTTP_FILTER",
                "match": {
                    "context": "GATEWAY",
                    "listener": {
                        "filterChain": {
                            "filter": {
                                "name": "envoy.filters.network.http_connection_manager",
                                "subFilter": {"name": "envoy.filters.http.router"},
                            }
                        }
                    },
                },
                "patch": {
                    "operation": "INSERT_BEFORE",
                    "value": {
                        "name": "here-web",
                        "disabled": True,
                        "typed_config": {"@type": buffer, "max_request_bytes": 1000},
                    },
                },
            },
            {
                "applyTo": "HTTP_ROUTE",
                "match": {"context": "GATEWAY", "routeConfiguration": {"vhost": {"route": {"name": called}}}},
                "patch": {
                    "operation": "MERGE",
                    "value": {
                        "typed_per_filter_config": {
                            "here-web": {"@type": f"{buffer}PerRoute", "buffer": {"max_request_bytes": 1000}}
                        }
                    },
                },
            },
        ],
    }
    if door == "istio":
        assert route["spec"]["http"][0]["name"] == called


def test_a_limit_at_pods_that_istiod_makes_refers_to_their_gateway() -> None:
    door = Gateway(api="gateway-api", controller="istio", name="door", namespace="doors")
    _, limit = objects(door, max_body_bytes=1)

    assert limit["spec"]["targetRefs"] == [{"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "door"}]
    assert "workloadSelector" not in limit["spec"]


@pytest.mark.parametrize("door", DOORS)
def test_what_the_stack_says_of_a_route_wins(door: str) -> None:
    said = {"timeoutSeconds": 0, "headers": {"x-a": "1"}, "retries": {"attempts": 4}}
    stack = spec(door, routing=said, timeout_seconds=30, headers={"x-b": "2"}, retries=Retries(attempts=1))

    assert stack == spec(door, timeout_seconds=0, headers={"x-a": "1"}, retries=Retries(attempts=4))
    cors: dict[str, Any] = {"origins": ["https://a.example.com"]}
    assert spec(door, routing={"cors": cors}, cors=CORS) == spec(door, cors=Cors(**cors))


def test_a_route_that_the_stack_leaves_alone_is_the_components() -> None:
    assert spec("istio", routing={}, cors=CORS, retries=RETRIES) == spec("istio", cors=CORS, retries=RETRIES)
    assert objects("istio", routing={"maxBodyBytes": 1048576}) == objects("istio", max_body_bytes=1048576)


@pytest.mark.parametrize(
    ("options", "text", "hint"),
    [
        (
            {"retries": Retries(per_try_seconds=60)},
            "route web: a try may take 60 s, and the request with all its tries 60 s",
            "shorten `perTrySeconds`, or raise `timeoutSeconds`",
        ),
        (
            {"cors": CORS, "headers": {"x-a": "1"}},
            "route web: browsers ask for leave without headers of their own, so this route would not answer them",
            "leave `cors` or `headers` out",
        ),
        (
            {"max_body_bytes": 1, "websocket": True},
            "route web: the gateway holds a body until it is whole, and this route carries streams",
            "limit messages in the program",
        ),
        (
            {"max_body_bytes": 1, "grpc": True},
            "route web: the gateway holds a body until it is whole, and this route carries streams",
            "limit messages in the program",
        ),
        (
            {"headers": {"x-user": "ada"}},
            "route web: x-user names a user: clients could write it themselves when the route is chosen",
            "leave x-user out, and let the program decide by it",
        ),
        (
            {"headers": {"kubeflow-userid": "ada"}},
            "route web: kubeflow-userid names a user: clients could write it themselves when the route is chosen",
            "leave kubeflow-userid out, and let the program decide by it",
        ),
    ],
)
def test_what_no_gateway_can_serve_is_refused(options: dict[str, Any], text: str, hint: str) -> None:
    (problem,) = refused("istio", given=(ASKED, KNOWN), **options)

    assert (problem.text, problem.hint) == (text, hint)


def test_a_try_may_be_long_where_the_request_has_no_limit() -> None:
    assert spec("istio", retries=Retries(per_try_seconds=60), timeout_seconds=0)["http"][0]["retries"]
    assert spec("istio", retries=Retries(per_try_seconds=59))["http"][0]["retries"]


@pytest.mark.parametrize(
    ("knob", "value"),
    [("cors", {"origins": ["*"]}), ("retries", {"attempts": 1}), ("maxBodyBytes", 1048576)],
)
def test_a_redirect_asks_no_service_again_or_for_less(knob: str, value: Any) -> None:
    (problem,) = refused("istio", routing={knob: value}, service="", redirect=Redirect(path="/home/"))

    assert problem.text == f"components.sample.routing.web.{knob}: it is a redirect, which asks no Service"
    assert (problem.hint, problem.at) == (f"leave `{knob}` out", ("components", "sample", "routing", "web", knob))


def test_emissary_has_no_limit_of_bodies_for_one_route() -> None:
    (problem,) = refused("emissary", routing={"maxBodyBytes": 1048576})

    assert problem.text == (
        "components.sample.routing.web.maxBodyBytes: Emissary limits bodies for all routes at once, those that carry "
        "streams too"
    )
    assert problem.hint == "limit them in the program, or choose a gateway of Istio's"
    assert problem.at == ("components", "sample", "routing", "web", "maxBodyBytes")


def test_what_a_component_says_is_refused_by_the_routes_name() -> None:
    (problem,) = refused("emissary", max_body_bytes=5)

    assert problem.text.startswith("route web: Emissary limits bodies")
    assert problem.at == ()


def test_retries_need_a_release_of_gateway_api_that_has_them() -> None:
    plain = Gateway(api="gateway-api", controller="istio", name="door", namespace="doors")
    (problem,) = refused(plain, routing={"retries": {}, "timeoutSeconds": 5})

    assert problem.text == (
        "components.sample.routing.web.retries: HTTPRoutes of the stack's release of Gateway API have no retries"
    )
    assert problem.hint == "install `gateway-api: {release: 1.6.1-experimental}`, or leave them out"
    assert problem.at == ("components", "sample", "routing", "web", "retries")


def test_other_controllers_have_no_limit_of_bodies() -> None:
    plain = Gateway(api="gateway-api", name="door", namespace="doors")
    (problem,) = refused(plain, max_body_bytes=5)

    assert problem.text == (
        "route web: Gateway API has no words for the length of bodies; of the controllers behind a Gateway, only Istio "
        "is supported here"
    )
    assert problem.hint == "limit them in the program, or have Istio serve the Gateway"


def test_all_that_cannot_be_served_is_said_at_once() -> None:
    plain = Gateway(api="gateway-api", name="door", namespace="doors")
    said = {"retries": {"attempts": 1, "perTrySeconds": 90}, "maxBodyBytes": 1048576}

    assert len(refused(plain, routing=said)) == 4


def test_a_stack_without_a_gateway_says_nothing_of_routes() -> None:
    with pytest.raises(ConfigError) as raised:
        built(lambda self: Route(self, "web", path="/web/", service="web"), routing={"web": {"timeoutSeconds": 5}})

    (problem,) = raised.value.problems
    assert problem.text == "components.sample.routing.web.timeoutSeconds: the stack has no gateway"
    assert problem.hint == "name the gateway under `gateway:`, or leave this out"


def test_a_route_that_the_component_does_not_have_is_refused_with_those_that_it_has() -> None:
    def build(self: Any) -> None:
        Route(self, "web", path="/web/", service="web")

    with pytest.raises(ConfigError) as raised:
        built(build, routing={"wep": {}})

    (problem,) = raised.value.problems
    assert problem.text == "components.sample.routing.wep: there is no such route"
    assert (problem.hint, problem.at) == ("did you mean 'web'?", ("components", "sample", "routing", "wep"))


def test_a_further_instance_calls_its_routes_as_the_first_does() -> None:
    provisions = (Provision.of(DOORS["emissary"], "door"),)

    def build(self: Any) -> None:
        Route(self, self.named("sample-ui"), path="/b/", service="web")

    made = built(
        build,
        platform=Platform(gateway="door", provisions=provisions),
        name="b",
        routing={"sample-ui": {"timeoutSeconds": 5}},
    )

    (route,) = (each.manifest for each in made.objects)
    assert (route["metadata"]["name"], route["spec"]["timeout_ms"]) == ("b-ui", 5000)


@pytest.mark.parametrize(
    ("data", "wrong"),
    [
        ({"cors": {"origins": ["https://a.example.com", "*"]}}, "'*' is every site: leave the others out"),
        ({"cors": {"origins": ["*"], "credentials": True}}, "every site could act as the person: name the sites"),
        ({"cors": {"origins": ["https://a.example.com/"]}}, "should match pattern"),
        ({"cors": {"origins": []}}, "at least 1 item"),
        ({"headers": {"X-A": "1"}}, "should match pattern"),
        ({"headers": {"x-a": " 1"}}, "should match pattern"),
        ({"retries": {"after": "500"}}, "'connect-failure', 'gateway-error' or '5xx'"),
        ({"maxBodyBytes": 2**32}, "less than or equal to 4294967295"),
        ({"maxBodyBytes": 1048575}, "greater than or equal to 1048576"),
        ({"timeoutSeconds": 86401}, "less than or equal to 86400"),
    ],
)
def test_a_strange_value_is_refused(data: Any, wrong: str) -> None:
    with pytest.raises(ValidationError) as raised:
        RouteConfig.from_file(data)

    assert wrong in str(raised.value)
