"""The file that tells TensorFlow Serving its models, read by the types of its own package.

Real: `ModelServerConfig` of tensorflow-serving-api 2.20.0. The package has no types of the files for batching and metrics: these are
held against a description of ours (`tests/components/tf_serving/messages.py`). No server runs.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.conftest import or_skip
from tests.cluster.environments import obtain
from tests.cluster.stacks import rendered_stack

pytestmark = pytest.mark.cluster

READER = Path(__file__).with_name("programs") / "models" / "config.py"
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36", existing: [PersistentVolumeClaim tf-serving/models]}
components:
  tf-serving:
    claim: models
    models:
      - {name: digits, labels: {canary: 4, stable: 3}, versions: [3, 4]}
      - {name: faces, folder: people/faces, latest: 2}
      - {name: words, allVersions: true}
      - {name: plain}
"""


def read(text: str) -> subprocess.CompletedProcess[str]:
    """What TensorFlow Serving's types make of a file."""
    python = or_skip(lambda: obtain("tf-serving"))
    return subprocess.run([str(python), str(READER)], input=text, capture_output=True, text=True, check=False)


def test_the_rendered_file_says_to_the_server_what_the_stack_says(tmp_path: Path) -> None:
    stack = rendered_stack(tmp_path, STACK, name="models")
    files = [each.manifest["data"] for each in stack.components["tf-serving"].objects if "data" in each.manifest]
    (text,) = (data["models.config"] for data in files if "models.config" in data)
    told = read(text)
    assert told.returncode == 0, told.stderr
    models: list[dict[str, Any]] = json.loads(told.stdout)["model_config_list"]["config"]

    assert {each["name"]: each["model_version_policy"] for each in models} == {
        "digits": {"specific": {"versions": ["3", "4"]}},
        "faces": {"latest": {"num_versions": 2}},
        "words": {"all": {}},
        "plain": {"latest": {"num_versions": 1}},
    }
    assert models[0]["version_labels"] == {"canary": "4", "stable": "3"}
    assert models[1]["base_path"] == "/models/people/faces"


def test_a_field_that_the_server_does_not_know_is_refused() -> None:
    told = read('model_config_list { config { name: "digits" folder: "digits" } }')

    assert 'has no field named "folder"' in told.stderr
