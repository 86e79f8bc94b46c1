"""Verbs that rules use again and again have one name each."""

from __future__ import annotations

import pytest

from platform_def.constructs import READ, WRITE
from tests.unit.apis.test_facts_once import written


@pytest.mark.parametrize("verbs", [READ, WRITE])
def test_components_name_the_verbs_that_constructs_have_a_name_for(verbs: str) -> None:
    again = {file for file, text in written() if {*text.split()} == {*verbs.split()} and file.startswith("components/")}

    assert not again
