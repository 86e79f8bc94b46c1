"""Routes, and the requests that show what each says: an assertion that fails once a field of the route is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from itertools import count
from typing import Any

from platform_def.config.routing import Cors, Retries
from tests.cluster.client import Manifest
from tests.cluster.door import Answer, Door
from tests.unit.constructs.test_routes_of_each_gateway import ROUTES as SAID

SITE = "https://app.example.com"
CROSSED = Cors(
    origins=[SITE],
    methods=["GET", "PUT"],
    headers=["x-asked-by"],
    expose_headers=["x-told"],
    credentials=True,
    max_age_seconds=900,
)
ROUTES: Mapping[str, dict[str, Any]] = {
    **SAID,
    "brief": {"path": "/brief/", "service": "a", "timeout_seconds": 1},
    "crossed": {"path": "/crossed/", "service": "a", "cors": CROSSED},
    "retried": {"path": "/retried/", "service": "a", "retries": Retries(attempts=3, after="gateway-error")},
    "carrying": {"path": "/carrying/", "service": "a", "headers": {"x-tenant": "blue"}},
}
"""Those that are compared in words, one that nobody has to wait for long, and those of each further field."""
SHORT, LONG = 1 << 20, 4 << 20
_TIMES = 6
LIMITED: Mapping[str, dict[str, Any]] = {"limited": {"path": "/limited/", "service": "a", "max_body_bytes": SHORT}}
"""A route that Emissary does not serve."""
HASTY: Mapping[str, dict[str, Any]] = {
    "hasty": {"path": "/hasty/", "service": "a", "retries": Retries(after="gateway-error", per_try_seconds=1)}
}
"""A route that Gateway API does not serve."""
REFUSED = ("/page", "/limited/", "/hasty/", *(str(each["path"]) for each in ROUTES.values() if each["path"] != "/"))
"""Paths of theirs, at which nobody is sent to a page to sign in."""
CALL = {"content-type": "application/grpc", "te": "trailers"}


def plain(door: Door) -> None:
    """All below a prefix reaches the Service, as it came, for those who are known."""
    found = door.get("/plain/x?y=1", headers={"kubeflow-userid": "somebody"})
    asked = {"name": "a", "path": "/plain/x?y=1", "host": "any.example.com", "user": "ada"}
    assert (found.status, {key: found.asked.get(key) for key in asked}) == (200, asked)
    assert door.get("/plainer").status == 404
    assert door.get("/plain/x", known=False).status == 401
    for path in ("//plain/x", "/plain/./x", "/x/../plain/x"):
        # Whether that is the same path is the gateway's own affair; that nobody passes by it is not.
        assert door.get(path, known=False).status in (401, 404), path


def rewritten(door: Door) -> None:
    """The prefix is replaced."""
    assert door.get("/old/deep/er").asked["path"] == "/deep/er"
    assert door.get("/older").status == 404
    assert door.get("/old/x", known=False).status == 401


def hosted(door: Door) -> None:
    """It is for one host, and for no other."""
    found = door.get("/page", host="models.example.com")
    assert (found.asked["host"], found.asked["path"]) == ("models.example.com", "/page")
    assert door.get("/page", host="models.example.com", known=False).status == 401
    assert door.get("/page").status == 404
    assert door.get("/").status == 404


def opened(door: Door) -> None:
    """A websocket stays open."""
    assert door.upgraded("/socket/s", b"said") == b"said"
    assert door.get("/socket/s").asked["path"] == "/socket/s"
    assert door.get("/sockets").status == 404
    assert door.get("/socket/s", known=False).status == 401


def calls(door: Door) -> None:
    """Calls are made by HTTP/2, which alone the server takes, and the name of the method stays."""
    found = door.get("/pkg.Models/Predict", headers=CALL)
    assert (found.status, found.headers.get("grpc-status")) == (200, "0")
    assert (found.headers["x-asked"], found.headers["x-protocol"]) == ("/pkg.Models/Predict", "HTTP/2")
    assert "x-asked" not in door.get("/pkg.Models/Predict", known=False, headers=CALL).headers
    assert door.get("/pkg.Other/Predict", headers=CALL).headers.get("grpc-status") != "0"


def slow(door: Door) -> None:
    """One path alone."""
    assert door.get("/slow").asked["path"] == "/slow"
    assert door.get("/slow/x").status == 404
    assert door.get("/slow", known=False).status == 401


def shared(door: Door) -> None:
    """Of 400 requests 40 on average; fewer than 10 or more than 80 would be chance once in millions."""
    assert door.get("/shared/x", known=False).status == 401
    every = [door.get("/shared/x").asked for _ in range(400)]
    assert {(each["path"], each["user"]) for each in every} == {("/shared/x", "ada")}
    served = Counter(each["name"] for each in every)
    assert 10 <= served["b"] <= 80, served
    assert served["a"] == 400 - served["b"]


def public(door: Door) -> None:
    """Nobody is asked, and nobody's name is believed."""
    found = door.get("/healthz", known=False, headers={"kubeflow-userid": "somebody"})
    assert (found.status, found.asked["path"], found.asked["user"]) == (200, "/ready", None)
    assert door.get("/healthz/x", known=False).status in (401, 404)


def brief(door: Door) -> None:
    """An answer that takes longer is not waited for."""
    assert door.get("/brief/x").asked["path"] == "/brief/x"
    assert door.get("/briefly").status == 404
    assert door.get("/brief/x", known=False).status == 401
    assert door.get("/brief/x?wait=2").status == 504


def crossed(door: Door) -> None:
    """Pages of one site may ask, and browsers learn that before anyone signs in; nothing else passes unasked."""
    question = {"origin": SITE, "access-control-request-method": "PUT"}
    found = door.get("/crossed/x", method="OPTIONS", known=False, headers=question)
    assert (found.status, found.asked) == (200, {})
    told = {name.removeprefix("access-control-"): value for name, value in found.headers.items()}
    assert (told["allow-origin"], told["allow-credentials"], told["max-age"]) == (SITE, "true", "900")
    assert [each.strip() for each in told["allow-methods"].split(",")] == ["GET", "PUT"]
    assert told["allow-headers"] == "x-asked-by"
    answer = door.get("/crossed/x", headers={"origin": SITE})
    assert (answer.asked["user"], answer.asked["path"]) == ("ada", "/crossed/x")
    assert (answer.headers["access-control-allow-origin"], answer.headers["access-control-expose-headers"]) == (
        SITE,
        "x-told",
    )
    foreign = {**question, "origin": "https://evil.example.com"}
    for method, headers in (
        ("OPTIONS", foreign),
        ("OPTIONS", {**question, "origin": ""}),
        ("OPTIONS", {**question, "access-control-request-method": ""}),
        ("OPTIONS", {"origin": SITE}),
        ("OPTIONS", {}),
        ("PUT", question),
    ):
        assert door.get("/crossed/x", method=method, known=False, headers=headers).status == 401, (method, headers)
    assert "access-control-allow-origin" not in door.get("/crossed/x", method="OPTIONS", headers=foreign).headers
    assert "access-control-allow-origin" not in door.get("/crossed/x", headers=foreign).headers


_NEXT = count()


def retried(door: Door) -> None:
    """A Service that fails three times is asked again; twice is Istio's own default."""
    found = door.get(f"/retried/{next(_NEXT)}?fails")
    assert (found.status, found.asked["times"]) == (200, 4)
    assert found.asked["path"].startswith("/retried/")
    assert door.get("/retried/x", known=False).status == 401


def hasty(door: Door) -> None:
    """A Service that does not answer twice is asked again."""
    found = door.get(f"/hasty/{next(_NEXT)}?hangs")
    assert (found.status, found.asked["times"]) == (200, 3)
    assert found.asked["path"].startswith("/hasty/")
    assert door.get("/hasty/x", known=False).status == 401


def carrying(door: Door) -> None:
    """A request without the header, or with another value, is for another route."""
    assert door.get("/carrying/x", headers={"x-tenant": "blue"}).asked["path"] == "/carrying/x"
    assert door.get("/carrying/x", headers={"x-tenant": "red"}).status == 404
    assert door.get("/carrying/x").status == 404
    assert door.get("/carrying/x", headers={"x-tenant": "blue"}, known=False).status == 401


def _answered(ask: Callable[[], Answer]) -> Answer:
    """An answer that a gateway gives while it is still being written to: it closes then, and may take the answer along."""
    for _ in range(_TIMES - 1):
        with suppress(OSError):
            return ask()
    return ask()


def limited(door: Door) -> None:
    """A longer body does not reach the Service; at other routes it does."""
    assert door.get("/limited/x", method="POST", body=b"x" * SHORT).asked["method"] == "POST"
    found = _answered(lambda: door.get("/limited/x", method="POST", body=b"x" * LONG))
    assert (found.status, found.asked) == (413, {}), found
    assert door.get("/plain/x", method="POST", body=b"x" * LONG).asked["path"] == "/plain/x"
    assert door.get("/limited/x", known=False).status == 401


HOLDS: Mapping[str, Callable[[Door], None]] = {
    "plain": plain,
    "rewritten": rewritten,
    "hosted": hosted,
    "socket": opened,
    "calls": calls,
    "slow": slow,
    "shared": shared,
    "public": public,
    "brief": brief,
    "crossed": crossed,
    "retried": retried,
    "hasty": hasty,
    "carrying": carrying,
    "limited": limited,
}
"""What shows that a route is served as it says; AssertionError, KeyError or OSError where it is not."""


def holds(route: str, door: Door) -> bool:
    """Whether a route is served as it says."""
    try:
        HOLDS[route](door)
    except (AssertionError, KeyError, OSError):
        return False
    return True


def leaves(value: object, path: str = "spec") -> Iterator[str]:
    """Fields that hold a value of their own, by their paths: `spec.http.0.timeout`."""
    entries = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    for key, inner in entries:
        here = f"{path}.{key}"
        nested = isinstance(inner, dict) or (isinstance(inner, list) and any(isinstance(each, dict) for each in inner))
        if nested:
            yield from leaves(inner, here)
        elif isinstance(value, dict):
            yield here


def without(manifest: Manifest, path: str) -> Manifest:
    """The object with one field less."""
    made = deepcopy(manifest)
    *way, last = path.split(".")
    found: Any = made
    for key in way:
        found = found[int(key)] if isinstance(found, list) else found[key]
    del found[last]
    return made


def removals(objects: Mapping[str, Sequence[Manifest]], same: Mapping[str, str]) -> list[dict[str, tuple[int, str]]]:
    """Rounds, in each of which every route lacks one field: by route the object's index, and the field.

    `same` has the reasons why a route says the same without a field: by `Kind path`, or `route Kind path`.
    """
    fields: dict[str, list[tuple[int, str]]] = {}
    known = set(same)
    for route, made in objects.items():
        every = [(index, path) for index, each in enumerate(made) for path in leaves(each["spec"])]
        names = {field: f"{made[field[0]]['kind']} {field[1]}" for field in every}
        fields[route] = [field for field in every if not {names[field], f"{route} {names[field]}"} & set(same)]
        known -= {*names.values(), *(f"{route} {name}" for name in names.values())}
    assert not known, f"no route has {sorted(known)}"
    count = max(map(len, fields.values()))
    return [{route: found[turn] for route, found in fields.items() if turn < len(found)} for turn in range(count)]


def lacking(
    objects: Mapping[str, Sequence[Manifest]], fields: Mapping[str, tuple[int, str]]
) -> dict[str, list[Manifest]]:
    """The routes' objects without those fields."""
    made = {route: list(each) for route, each in objects.items()}
    for route, (index, path) in fields.items():
        made[route][index] = without(made[route][index], path)
    return made
