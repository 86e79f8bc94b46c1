"""Of a cluster that no stack describes, facts are what `Platform` has where nothing is said, and few models are loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from platform_def.config.platform import Platform
from platform_def.pipeline.applications.unknown import DEFAULT_KUBERNETES, PLAIN, unknown_platform

SMALL = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "registry.example.com/web:1"}]}
"""


def test_each_fact_is_that_of_a_platform_of_defaults() -> None:
    assert {name: getattr(Platform.of_defaults(), name) for name in PLAIN} == PLAIN
    assert Platform.of_defaults().kubernetes == DEFAULT_KUBERNETES


@pytest.mark.parametrize("name", sorted(Platform.model_fields))
def test_a_platform_of_nothing_answers_as_one_of_defaults(name: str) -> None:
    whole = Platform.of_defaults().model_copy(update={"stack": "manifests"})

    assert getattr(unknown_platform("manifests", ""), name) == getattr(whole, name)


def test_nothing_is_given_there() -> None:
    unknown, whole = unknown_platform("manifests", "1.34"), Platform.of_defaults()

    assert unknown.gives("devices") == whole.gives("devices")
    assert not unknown.gives("devices")
    assert unknown.kubernetes == "1.34"


def test_a_small_check_loads_no_model_of_stacks(tmp_path: Path) -> None:
    file = tmp_path / "web.yaml"
    file.write_text(SMALL, encoding="utf-8")
    code = (
        "import sys\n"
        "from platform_def.cli.main import main\n"
        f"sys.argv = ['platformctl', 'check', '-f', {str(file)!r}]\n"
        "try:\n    main()\nexcept SystemExit as end:\n    code = end.code\n"
        "print(code, sorted({'platform_def.config.model', 'platform_def.config.platform'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.endswith("0 []\n"), done.stdout + done.stderr
