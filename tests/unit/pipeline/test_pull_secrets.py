"""Secrets for a registry: every account names them, nothing misses them, and bootstrap says where they are to be."""

from __future__ import annotations

from pathlib import Path

from platform_def.delivery.prerequisites import prerequisites
from tests.unit.pipeline.repository import synthesise, write

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36", pullSecrets: [registry]}
teams: [{name: vision}]
components: {training-operator: {}}
"""


def test_bootstrap_lists_the_secret_once_for_each_namespace_and_no_check_misses_it(tmp_path: Path) -> None:
    made = synthesise(write(tmp_path, {"stacks/a.yaml": STACK}))
    wanted = [(each.kind, each.namespace, each.name) for each in prerequisites(made.stacks[0])]

    assert made.findings["a"] == ()
    assert wanted == [("Secret", "kubeflow", "registry"), ("Secret", "team-vision", "registry")]
