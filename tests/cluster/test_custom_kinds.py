"""The check agrees with a real API server on custom resources: mutants of every kind's example, and the rules of CRDs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path

import pytest

from platform_def.checks.engine import check
from platform_def.checks.rule import Finding
from platform_def.checks.rules.server.custom_rule import CUSTOM_RULE
from platform_def.checks.rules.server.name_valid import NAME_VALID
from platform_def.checks.rules.server.schema import SCHEMA
from platform_def.config.platform import Platform
from platform_def.manifests.rendered import RenderedComponent, RenderedObject, RenderedStack
from tests.cluster.client import Api, Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.custom_kinds import as_served, examples, grown, schema_of, together
from tests.cluster.mutants import mutants
from tests.cluster.rule_pairs import RULES, candidates, level_of
from tests.cluster.snapshots import snapshot

pytestmark = [pytest.mark.cluster, pytest.mark.slow]

EVERY = 3
"""One mutant of so many is sent, or the test would take minutes."""
LEAST = 4000
AGREEMENT = 0.995
DECIDED = 100
ALARMS: Mapping[str, str] = {
    r"getambassador\.io/v[12]: misspelt": "below a field that keeps unknown fields, the server drops others in silence",
}
"""What only the check calls an error: pattern of the mutant, and why that is left. Nothing that it misses is left."""


@pytest.fixture(scope="module")
def crds() -> Mapping[str, Manifest]:
    """The CRD of every example, by kind and API version."""
    definitions = together()
    return dict(zip(examples(definitions), map(as_served, definitions), strict=True))


@pytest.fixture(scope="module")
def every_example() -> Mapping[str, Manifest]:
    return examples(together())


@pytest.fixture(scope="module")
def api(binaries: Mapping[str, Path], crds: Mapping[str, Manifest]) -> Iterator[Api]:
    """A server that serves every kind of the catalogue."""
    with ControlPlane(binaries, data=snapshot(binaries, [*crds.values()])) as control_plane:
        yield control_plane.api


def test_mutants_of_every_custom_kind_are_judged_as_the_server_judges_them(
    api: Api, crds: Mapping[str, Manifest], every_example: Mapping[str, Manifest]
) -> None:
    schemas = {name: schema_of(crd, name) for name, crd in crds.items()}
    every = [*islice(chain(mutants(every_example), grown(every_example, schemas)), 0, None, EVERY)]
    refused = api.refusals([mutant.manifest for mutant in every])
    found = judged(crds, [(mutant.example, mutant.manifest) for mutant in every])
    differing = [
        f"{mutant.example}: {mutant.how}: {('refused: ' + refusal if refusal else str(findings[0]))[:300]}"
        for mutant, refusal, findings in zip(every, refused, found, strict=True)
        if bool(refusal) != bool(findings)
    ]
    unknown = [line for line in differing if "refused: " in line or not any(re.search(each, line) for each in ALARMS)]

    assert unknown == []
    assert len(every) >= LEAST
    assert 1 - len(differing) / len(every) >= AGREEMENT


def test_rules_of_crds_are_decided_as_the_server_decides_them(
    api: Api, crds: Mapping[str, Manifest], every_example: Mapping[str, Manifest]
) -> None:
    schemas = {name: schema_of(crd, name) for name, crd in crds.items()}
    asked = [*candidates(every_example, schemas)]
    found = judged(crds, [(each.kind, each.manifest) for each in asked])
    fitting = [pair for pair in zip(asked, found, strict=True) if all(one.rule == CUSTOM_RULE.id for one in pair[1])]
    refused = api.refusals([candidate.manifest for candidate, _ in fitting])
    kept, broken, differing = set(), set(), []
    for (candidate, findings), refusal in zip(fitting, refused, strict=True):
        rules = {
            (candidate.kind, rule["message"]) for rule in level_of(schemas[candidate.kind], candidate.level)[RULES]
        }
        said = [finding.text for finding in findings if not finding.text.endswith("where a rule is evaluated")]
        if bool(findings) != bool(refusal) or any(text not in refusal for text in said):
            differing.append(f"{candidate}: {[finding.text for finding in findings]}, {refusal[:300] or 'taken'}")
        elif not findings:
            kept |= rules
        broken |= {(candidate.kind, finding.text) for finding in findings}

    assert differing == []
    assert len(kept & broken) >= DECIDED


def judged(crds: Mapping[str, Manifest], asked: Sequence[tuple[str, Manifest]]) -> list[list[Finding]]:
    """The errors of each object, which stands beside the CRD of its kind."""
    kinds: defaultdict[str, list[int]] = defaultdict(list)
    for index, (kind, _) in enumerate(asked):
        kinds[kind].append(index)
    found: list[list[Finding]] = [[] for _ in asked]
    for kind, places in kinds.items():
        objects = [RenderedObject(asked[place][1], "app", "main", "", document=place + 1) for place in places]
        component = RenderedComponent("app", (RenderedObject(crds[kind], "app", "main", ""), *objects))
        stack = RenderedStack("test", Platform(), {"app": component}, foreign=True)
        for finding in check(stack, rules=(SCHEMA, NAME_VALID, CUSTOM_RULE)):
            if finding.severity == "error" and finding.document:
                found[finding.document - 1].append(finding)
    return found
