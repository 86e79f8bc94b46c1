"""Every stack that Argo CD can deliver converges in either form without a person, and loses nothing; without policies it
comes up all the same.

`make delivery-table` keeps what was measured; `docs/reference/delivery.md` shows it.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from maintenance.delivery_table import (
    BARE,
    EXPERIMENTS,
    FORMS,
    LOOKS_SECONDS,
    MEASURED,
    ROOT,
    SURE,
    Record,
    deliverable,
    possible,
    write,
)
from tests.cluster.engines.argocd import RELEASE, ArgoCd
from tests.cluster.engines.conftest import starting
from tests.cluster.engines.experiments import measured
from tests.cluster.engines.prepared import prepare
from tests.cluster.engines.repository import SAMPLE
from tests.cluster.engines.turns import Turns
from tests.cluster.stacks import COVERAGE, REPOSITORY

pytestmark = [pytest.mark.cluster, pytest.mark.thorough, pytest.mark.timeout(7200)]

RECORD = "PLATFORM_DEF_RECORD"
"""Variable that says `yes` where what is measured is to be kept."""


def forms() -> Iterator[tuple[str, str]]:
    """Each stack in each form that its cluster knows."""
    yield from ((name, form) for name in deliverable(ROOT) for form in FORMS if possible(ROOT, name, form))


@pytest.fixture(scope="module")
def turns(programs: Mapping[str, Path]) -> Iterator[Turns]:
    """Has stacks take turns on one such cluster, whose Argo CD looks often."""
    install = lambda cluster: ArgoCd(cluster, programs, flags=(f"--app-resync={LOOKS_SECONDS}",))  # noqa: E731 - passed on
    with ExitStack() as until:
        yield Turns(starting(programs), install, until)


@pytest.mark.parametrize(("name", "form"), list(forms()))
def test_a_stack_converges_without_a_person_and_loses_nothing(
    name: str, form: str, turns: Turns, tmp_path: Path
) -> None:
    source = COVERAGE if (COVERAGE / f"stacks/{name}.yaml").exists() else REPOSITORY
    text = delivered_by(form, (source / f"stacks/{name}.yaml").read_text(encoding="utf-8"))
    with turns.turn(name, tmp_path, text=text, source=source, prepare=prepare) as there:
        parts = sum(each["kind"] == "Application" for each in there.repository.manifests("_delivery")) - 1
        began = time.monotonic()
        found = measured(there, lambda: time.monotonic() - began)
    if os.environ.get(RECORD) == "yes":
        write(ROOT / MEASURED, Record(name, RELEASE, parts, {form: found}))

    sure = EXPERIMENTS if form in SURE else ("empty",)
    wrong = {EXPERIMENTS[key]: found.experiments[key] for key in sure if not found.experiments[key].sound}
    assert wrong == {}


def delivered_by(form: str, text: str) -> str:
    """The text of a stack whatever delivers it otherwise."""
    text = re.sub(r"^delivery:.*\n(?:[ \t]+.*\n)*", "", text, flags=re.MULTILINE)
    said = "policies: false" if form == BARE else f"order: {form}"
    return f'{text}delivery: {{engine: argocd, {said}, repository: "{SAMPLE}"}}\n'
