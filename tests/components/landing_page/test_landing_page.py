"""The page at `/`: which links it has, that it is safe to show, and where it is."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

from platform_def.capabilities import Gateway, WebLink
from platform_def.components.people.landing_page.component import LandingPage, LandingPageConfig
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.constructs.component import Setting
from tests.unit.built import Objects, built, platform

NOTEBOOKS = WebLink(text="Notebooks", path="/jupyterhub/")
WIKI = {"text": "Our <wiki>", "address": "https://wiki.example.com/?a=1&b=2"}


def facts(*links: WebLink, api: str = "emissary") -> Platform:
    gateway = Gateway(api=api, name="edge", namespace="edge", host="ml.example.com")  # type: ignore[arg-type]
    provisions = (Provision.of(gateway, "edge"), *(Provision.of(each, "somebody") for each in links))
    return platform(gateway="edge", provisions=provisions)


class Links(HTMLParser):
    """Links of a page: text by address; and its other tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self.tags: list[str] = []
        self._at = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._at = dict(attrs).get("href") or "" if tag == "a" else ""

    def handle_data(self, data: str) -> None:
        if self._at:
            self.found[self._at] = self.found.get(self._at, "") + data

    def handle_endtag(self, tag: str) -> None:
        self._at = "" if tag == "a" else self._at


def html(made: Objects) -> str:
    text: str = made.one("ConfigMap")["data"]["index.html"]
    return text


def test_it_links_to_pages_of_components_and_to_those_that_are_written() -> None:
    found = Links(html(built(LandingPage, facts(NOTEBOOKS), links=[WIKI]))).found

    assert found == {"/jupyterhub/": "Notebooks", "https://wiki.example.com/?a=1&b=2": "Our <wiki>"}


def test_text_of_others_is_text_and_no_script_runs() -> None:
    link = WebLink(text="<script>alert(1)</script>", path="/a/")
    page = html(built(LandingPage, facts(link), title="<b>", text='"&'))

    assert "script" not in Links(page).tags
    assert "default-src &#x27;none&#x27;" in page


@pytest.mark.parametrize("address", ["javascript:alert(1)", "//evil.example.com/", "ftp://x", "data:text/html,x"])
def test_a_link_is_a_path_or_an_address_of_the_web(address: str) -> None:
    with pytest.raises(ValueError, match="neither a path"):
        LandingPageConfig.from_file({"links": [{"text": "x", "address": address}]})


def test_without_pages_it_says_so() -> None:
    assert "No component of the platform has pages yet." in html(built(LandingPage, facts()))


@pytest.mark.parametrize("api", ["emissary", "istio", "gateway-api"])
def test_it_is_at_the_root_alone_on_every_gateway(api: str) -> None:
    made = built(LandingPage, facts(api=api))
    kind = {"emissary": "Mapping", "istio": "VirtualService", "gateway-api": "HTTPRoute"}[api]
    spec: dict[str, Any] = made.one(kind)["spec"]
    if api == "emissary":
        where = (spec["prefix"], spec["prefix_exact"])
    elif api == "istio":
        where = (spec["http"][0]["match"][0]["uri"]["exact"], True)
    else:
        path = spec["rules"][0]["matches"][0]["path"]
        where = (path["value"], path["type"] == "Exact")

    assert where == ("/", True)


def test_a_component_at_the_root_is_a_problem() -> None:
    there = facts(WebLink(text="Home", path="/"))
    found = [str(each) for each in LandingPage.problems(Setting("landing-page", LandingPageConfig(), there))]

    assert len(found) == 1
    assert "somebody serves / already" in found[0]
    assert not [*LandingPage.problems(Setting("landing-page", LandingPageConfig(), facts(NOTEBOOKS)))]
