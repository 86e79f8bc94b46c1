"""A real Envoy counts requests under the names and labels that Emissary's alerts and dashboard ask for.

Its configuration is the test's own: one listener, a server that answers, and one that is gone.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from platform_def.components.gateways.emissary.metrics import ENVOY
from tests.cluster.conftest import or_skip
from tests.cluster.control_plane import until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.door import ECHO, Door, envoy_program
from tests.cluster.fed import unfed
from tests.cluster.sandbox import Sandbox
from tests.cluster.scrape import Page, faults, page_at

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

LISTENS, ADMIN, ANSWERS, GONE = 8443, 8001, 8005, 8006
EXTENSIONS = "type.googleapis.com/envoy.extensions.filters"


@dataclass(frozen=True)
class Gateway:
    """Envoy with its ports."""

    sandbox: Sandbox
    folder: Path

    @property
    def door(self) -> Door:
        """Where it listens."""
        return Door(self.folder / "door.sock", "")


def cluster(name: str, port: int) -> dict[str, Any]:
    """Where requests go."""
    address = {"socket_address": {"address": "127.0.0.1", "port_value": port}}
    endpoints = [{"lb_endpoints": [{"endpoint": {"address": address}}]}]
    return {
        "name": name,
        "type": "STATIC",
        "connect_timeout": "1s",
        "load_assignment": {"cluster_name": name, "endpoints": endpoints},
    }


def configuration() -> dict[str, Any]:
    """One listener in front of both."""
    routes = [{"match": {"prefix": f"/{name}/"}, "route": {"cluster": name}} for name in ("there", "gone")]
    manager = {
        "@type": f"{EXTENSIONS}.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "ingress_https",
        "route_config": {"virtual_hosts": [{"name": "all", "domains": ["*"], "routes": routes}]},
        "http_filters": [
            {"name": "router", "typed_config": {"@type": f"{EXTENSIONS}.http.router.v3.Router"}},
        ],
    }
    listener = {
        "address": {"socket_address": {"address": "127.0.0.1", "port_value": LISTENS}},
        "filter_chains": [{"filters": [{"name": "http", "typed_config": manager}]}],
    }
    admin = {"address": {"socket_address": {"address": "127.0.0.1", "port_value": ADMIN}}}
    clusters = [cluster("there", ANSWERS), cluster("gone", GONE)]
    return {"admin": admin, "static_resources": {"listeners": [listener], "clusters": clusters}}


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """Envoy, once it answers."""
    envoy, folder = or_skip(envoy_program), tmp_path_factory.mktemp("envoy")
    file = folder / "envoy.json"
    file.write_text(json.dumps(configuration()))
    with Sandbox() as sandbox:
        echo = [sys.executable, "-I", str(ECHO), "there", "127.0.0.1", str(ANSWERS)]
        sandbox.start("echo", echo, log=folder / "echo.log")
        argv = [str(envoy), "-c", str(file), "--log-level", "warning", "--concurrency", "1"]
        sandbox.start("envoy", argv, log=folder / "envoy.log")
        sandbox.forward(folder / "door.sock", port=LISTENS)
        found = Gateway(sandbox, folder)

        def answers() -> bool:
            try:
                return found.door.get("/there/x").status == 200
            except OSError:
                return False

        until(answers, seconds=START_SECONDS, what="Envoy answers")
        yield found


def times(page: Page) -> float:
    """How many requests for the server that answers it has timed."""
    name = "envoy_cluster_upstream_rq_time_count"
    counts = zip(page.samples.get(name, []), page.values.get(name, []), strict=True)
    return sum(float(count) for labels, count in counts if labels["envoy_cluster_name"] == "there")


def timed(gateway: Gateway, before: float) -> Page:
    """What it says once it has timed more requests; it gathers times every few seconds."""
    found: list[Page] = []

    def more() -> bool:
        found.append(page_at(gateway, ADMIN, path="/stats/prometheus"))
        return times(found[-1]) > before

    until(more, seconds=START_SECONDS, what="Envoy has gathered what it timed")
    return found[-1]


def test_what_envoy_counts_is_what_its_table_says(gateway: Gateway, programs: Mapping[str, Path]) -> None:
    pages: list[Page] = []
    for _ in range(2):
        assert [gateway.door.get(f"/{name}/x").status for name in ("there", "gone")] == [200, 503]
        pages.append(timed(gateway, times(pages[-1]) if pages else 0))
    page = pages[-1]

    assert faults(page, [ENVOY], program=envoy_program()) == []
    codes = [
        each["envoy_response_code_class"]
        for each in page.samples["envoy_http_downstream_rq_xx"]
        if each["envoy_http_conn_manager_prefix"] == "ingress_https"
    ]
    assert {"2", "5"} <= {*codes}
    behind = {each["envoy_cluster_name"] for each in page.samples["envoy_cluster_upstream_cx_connect_fail"]}
    assert behind >= {"there", "gone"}
    assert unfed("emissary", pages, engine=programs["prometheus-engine"]) == []
