"""What `node-port` says of ports of the nodes is what a real API server does."""

from __future__ import annotations

import pytest

from platform_def.checks.examples import Case, cases
from platform_def.yaml import load_all
from tests.cluster.control_plane import ControlPlane

pytestmark = pytest.mark.cluster
CASES = cases("node-port")


def _refusals(cluster: ControlPlane, text: str) -> list[str]:
    """What the server says against each of some Services, which are gone afterwards."""
    services = [each for each in load_all(text) if isinstance(each, dict)]
    said = [cluster.api.apply(each).refusal for each in services]
    for each in services:
        cluster.api.request("DELETE", cluster.api.path(each) or "", None)
    return said


@pytest.mark.parametrize("case", CASES, ids=[each.case for each in CASES])
def test_a_server_refuses_what_breaks_the_rule_and_takes_what_keeps_it(cluster: ControlPlane, case: Case) -> None:
    assert isinstance(case.breaking, str)
    assert isinstance(case.keeping, str)

    assert "provided port is" in _refusals(cluster, case.breaking)[-1]
    assert [said for said in _refusals(cluster, case.keeping) if said] == []
