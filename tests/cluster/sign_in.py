"""How people sign in at a gateway that asks oauth2-proxy: what a browser is sent through, and tokens that open nothing."""

from __future__ import annotations

from collections.abc import Mapping
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlsplit

from tests.cluster.door import Answer, Door
from tests.cluster.issuer import PERSON, new_key, token
from tests.cluster.who import CLIENT, ISSUER, USER, Who

ROUTES: Mapping[str, dict[str, Any]] = {
    "people": {"path": "/people/", "service": "a"},
    "sign-in": {"path": "/oauth2/", "service": "who", "namespace": "auth", "auth": "public"},
}
"""What a browser goes through: a page for those who are known, and where oauth2-proxy itself answers."""


HOSTS = ("any.example.com", "more.example.com")
"""Hosts of the gateway at which browsers sign in."""


def refuses_strangers(door: Door, who: Who) -> None:
    """A token opens nothing that another one signed, that is for another client, or whose time is over."""
    assert door.get("/plain/x").status == 200
    strange = {
        "of another issuer": token(new_key(), issuer=ISSUER, client=CLIENT),
        "for another client": token(who.key, issuer=ISSUER, client="somebody"),
        "of long ago": token(who.key, issuer=ISSUER, client=CLIENT, exp=1),
    }
    for what, each in strange.items():
        assert Door(door.path, each, door.tls).get("/plain/x").status == 401, what


def lets_a_browser_sign_in(door: Door, who: Who, host: str) -> None:
    """It is sent to the issuer, back to the host that it came from with a code, and is then known by a cookie."""
    home = f"{'https' if door.tls else 'http'}://{host}"
    sent = door.get("/people/x?y=1", known=False, host=host)
    assert (sent.status, sent.asked) == (302, {}), sent
    page = sent.headers.get("location", "")
    assert page.startswith(f"{ISSUER}/authorize?"), sent
    back = _issuer(who, page).headers["location"]
    assert back.startswith(f"{home}/oauth2/callback?"), back
    known = _browse(door, host, back.removeprefix(home), _cookies(sent))
    assert (known.status, known.headers.get("location")) == (302, "/people/x?y=1"), known
    cookies = _cookies(known)
    found = _browse(door, host, "/people/x?y=1", cookies)
    assert (found.status, found.asked["user"], found.asked["path"]) == (200, PERSON, "/people/x?y=1"), found
    assert (
        _browse(door, host, "/people/x", {name: value[:-9] + "forged-by" for name, value in cookies.items()}).status
        != 200
    )
    # The same code a second time, and the page of the callback for one who was never sent there.
    assert _browse(door, host, back.removeprefix(home), _cookies(sent)).status in (403, 500)
    assert _browse(door, host, back.removeprefix(home), {}).status == 403


def _issuer(who: Who, page: str) -> Answer:
    parts = urlsplit(page)
    return Door(who.issuer, "").get(f"{parts.path}?{parts.query}", host=parts.netloc, known=False)


def _browse(door: Door, host: str, path: str, cookies: Mapping[str, str]) -> Answer:
    shown = "; ".join(f"{name}={value}" for name, value in cookies.items())
    # Who names somebody is nobody by that.
    return door.get(path, known=False, host=host, headers={**({"cookie": shown} if shown else {}), USER: "somebody"})


def _cookies(answer: Answer) -> dict[str, str]:
    read = SimpleCookie(answer.headers["set-cookie"])
    return {name: each.value for name, each in read.items() if each.value}
