"""A name that leads nowhere is told with the name that was probably meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.pipeline.repository import HEAD, refused, write

STACK = """\
teams: [{name: vision, queue: night}]
nodePools: [{name: train, nodes: 2, selector: {pool: train}, gpu: {model: t4, perNode: 4}}]
storage: {shared: {driver: existing, accessModes: [ReadWriteMany]}}
"""
KATIB = "katib: {certificates: katib, ui: {enabled: false}}"


@pytest.mark.parametrize(
    ("stack", "text", "name"),
    [
        ("storageKinds: {shared: sharde}", "storageKinds.shared: storage 'sharde' is not in the stack; ", "shared"),
        ("gateway: emisary", "gateway: emisary cannot be rendered yet", "emissary"),
        (f"uses: {{sqlDatabase: mysq}}\ncomponents: {{mysql: {{}}, {KATIB}}}", "katib: uses mysq as", "mysql"),
        ("components: {kueue: {fairSharing: true, weights: {nigth: 2}}}", "no team has the queue 'nigth'", "night"),
        (
            "components: {tf-serving: {pool: tran, claim: models, models: [{name: m}]}}",
            "tf-serving.pool: there is no pool 'tran'",
            "train",
        ),
        (
            "components: {cert-manager: {}, kserve: {caches: {pools: [tran]}}}",
            "the stack has no node pool 'tran'",
            "train",
        ),
    ],
)
def test_the_nearest_name_is_offered(tmp_path: Path, stack: str, text: str, name: str) -> None:
    problems = refused(write(tmp_path, {"stacks/a.yaml": f"{HEAD}{STACK}{stack}\n"}))
    told = [f"{problem.text}{problem.hint}" for problem in problems if text in problem.text]

    assert len(told) == 1, problems
    assert f"did you mean '{name}'?" in told[0]
