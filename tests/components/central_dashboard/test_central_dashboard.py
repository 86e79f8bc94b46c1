"""The dashboard: its menu is what the stack has, and whom it asks about people."""

from __future__ import annotations

import json
from typing import Any

from platform_def.capabilities import AccessManagement, DashboardReader, MeshCaller, Metrics, WebLink
from platform_def.components.people.central_dashboard.component import CentralDashboard, DashboardLink
from platform_def.config.capability import Capability
from platform_def.constructs import Setting
from tests.unit.built import Objects, built, grants
from tests.unit.meshed import KFAM, meshed, variables


def dashboard(*more: Capability, access: AccessManagement = KFAM, **config: Any) -> Objects:
    return built(CentralDashboard, meshed(*more, access=access), **config)


def links(made: Objects) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(made.one("ConfigMap", "dashboard-config")["data"]["links"])
    return found


def test_the_menu_is_what_components_offer_then_the_stacks_own_links() -> None:
    own = DashboardLink(text="Wiki", link="https://wiki.example.com", group="menu", icon="book")
    found = links(dashboard(WebLink(text="Notebooks", path="/jupyter/", icon="book"), links=[own]))

    assert found["menuLinks"] == [
        {"type": "item", "text": "Notebooks", "link": "/jupyter/", "icon": "book"},
        {"type": "item", "text": "Wiki", "link": "https://wiki.example.com", "icon": "book"},
    ]


def test_a_link_stands_in_the_list_of_its_group() -> None:
    found = links(
        dashboard(
            WebLink(text="Docs", path="/docs/", group="documentation"),
            links=[
                DashboardLink(text="Chat", link="https://chat.example.com"),
                DashboardLink(text="New notebook", link="/jupyter/new", group="shortcut", description="Start here"),
            ],
        )
    )

    assert found["documentationItems"] == [{"text": "Docs", "desc": "", "link": "/docs/"}]
    assert found["externalLinks"][0] | {"icon": ""} == {
        "type": "item",
        "iframe": False,
        "text": "Chat",
        "link": "https://chat.example.com",
        "icon": "",
    }
    assert found["quickLinks"] == [{"text": "New notebook", "desc": "Start here", "link": "/jupyter/new"}]


def test_all_lists_that_the_page_reads_are_there_when_they_are_empty() -> None:
    assert {*links(dashboard())} == {"menuLinks", "externalLinks", "documentationItems", "quickLinks"}


def test_it_asks_the_access_management_of_the_stack_and_policies_know_it() -> None:
    found = variables(dashboard())
    config = CentralDashboard.config_model()()
    (caller,) = CentralDashboard.offers(Setting("central-dashboard", config, meshed())).capabilities

    assert found["PROFILES_KFAM_SERVICE_HOST"] == KFAM.host
    assert found["PROFILES_KFAM_SERVICE_PORT"] == "8081"
    assert isinstance(caller, MeshCaller)
    assert (caller.purpose, caller.account) == ("dashboard", dashboard().one("ServiceAccount")["metadata"]["name"])


def test_the_page_of_registration_is_shown_only_where_people_may_register() -> None:
    opened = KFAM.model_copy(update={"registration": True})

    assert variables(dashboard())["REGISTRATION_FLOW"] == "false"
    assert variables(dashboard(access=opened))["REGISTRATION_FLOW"] == "true"


def test_charts_are_those_of_the_stacks_prometheus() -> None:
    given = (Metrics(address="http://prometheus.example.com"), DashboardReader(address="https://grafana.example.com"))
    found = variables(dashboard(*given))

    assert found["PROMETHEUS_URL"] == "http://prometheus.example.com"
    assert found["METRICS_DASHBOARD"] == "https://grafana.example.com"
    assert "PROMETHEUS_URL" not in variables(dashboard())


def test_the_gateway_alone_reaches_it() -> None:
    made = dashboard()
    (rule,) = made.one("AuthorizationPolicy", "dashboard")["spec"]["rules"]

    assert rule["from"] == [{"source": {"principals": ["ml.example.com/ns/front/sa/front"]}}]
    assert made.one("VirtualService")["spec"]["http"][0]["match"] == [{"uri": {"prefix": "/"}}]


def test_it_reads_no_secret_and_changes_nothing() -> None:
    made = dashboard()
    rules = [*made.rules("ClusterRole"), *made.rules("Role")]

    assert grants(rules, "", "secrets") == set()
    assert {verb for each in rules for verb in each["verbs"]} == {"get", "list", "watch"}
