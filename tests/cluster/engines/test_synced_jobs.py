"""Jobs of the former training operator, MXJobs, that an engine starts: made once, and left alone from then on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cluster.engines.conftest import EmptyCluster
from tests.cluster.engines.either import ENGINES
from tests.cluster.engines.repository import SAMPLE
from tests.cluster.engines.story import handed_over, starts_a_job_once

pytestmark = [pytest.mark.cluster, pytest.mark.thorough]

PLAIN = (
    '{template: mxnet, name: plain, team: vision, image: "registry.example.com/mxnet:1", command: [python, train.py]}'
)
FACES = '{template: insightface, name: faces, team: vision, image: "registry.example.com/faces:1", workers: 2}'
STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36", nvidiaRuntime: default, registry: none.example.com}}
delivery: {{engine: ENGINE, repository: "{SAMPLE}"}}
nodePools:
  - {{name: train, nodes: 4, selector: {{pool: train}}, gpu: {{model: v100, perNode: 8}}}}
storage:
  shared: {{driver: existing, accessModes: [ReadWriteMany], default: true, binding: WaitForFirstConsumer}}
components:
  training-operator: {{release: "1.7.0"}}
  nvidia-device-plugin: {{}}
teams:
  - {{name: vision}}
jobs:
  - {PLAIN}
  - {FACES}
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_an_mxjob_is_made_once_and_stays_the_same_when_all_images_move(
    engine: str, empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    start = lambda cluster: ENGINES[engine](cluster, programs)  # noqa: E731 - it is passed on
    text = STACK.replace("ENGINE", engine)
    with handed_over(empty_cluster, "trained", tmp_path, start, text=text) as there:
        there.engine.wait(there.repository, there.repository.revision)
        registry = "none"
        for name, line in (("plain", PLAIN), ("faces", FACES)):
            moved = (f"registry: {registry}.", f"registry: {name}.")
            starts_a_job_once(there, name, (line, line.replace("}", ", sync: true}")), moved, kind="MXJob")
            registry = name
