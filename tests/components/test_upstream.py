"""What upstream has, by the names and rights in `upstream.yaml`, is here as well, or is told on the component's page."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
import yaml

from platform_def.reference.sample import rendered

FOLDER = Path(__file__).parent
PAGES = FOLDER.parent.parent / "docs" / "components"
SHEETS = {path.parent.name: yaml.safe_load(path.read_text()) for path in sorted(FOLDER.glob("*/upstream.yaml"))}
Right = tuple[str, str, str]


@pytest.fixture(scope="module", params=sorted(SHEETS))
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture(scope="module")
def objects(name: str) -> list[dict[str, Any]]:
    return [each.manifest for each in rendered(name.replace("_", "-")).objects]


def called(objects: list[dict[str, Any]]) -> set[str]:
    return {f"{each['kind']} {each['metadata']['name']}" for each in objects}


def page(name: str) -> str:
    return (PAGES / f"{name.replace('_', '-')}.md").read_text()


def test_every_object_of_upstream_is_here_or_left_out_with_a_reason(name: str, objects: list[dict[str, Any]]) -> None:
    sheet = SHEETS[name]
    missing = {each for each in sheet["objects"] if not any(fnmatchcase(own, each) for own in called(objects))}

    assert missing == set(sheet["absent"])


def test_the_page_shows_what_is_left_out(name: str) -> None:
    for table in ("absent", "fewer"):
        for what, why in SHEETS[name][table].items():
            assert f"| {what} | {why} |" in page(name)


def test_every_account_has_upstreams_rights_or_fewer_for_a_reason(name: str, objects: list[dict[str, Any]]) -> None:
    sheet = SHEETS[name]
    spared = {right[:2] for each in sheet["fewer"] for right in parsed(f"{each}: -")}
    lacking = {
        right
        for account, lines in sheet.get("rights", {}).items()
        for line in lines
        for right in parsed(line)
        if right not in granted(account, objects)
    }

    assert {right[:2] for right in lacking} == spared


def parsed(line: str) -> list[Right]:
    """`apps daemonsets deployments: list watch` as tuples; a role that is only named is one as well."""
    if line.startswith("role "):
        return [("", line, "")]
    what, _, verbs = line.rpartition(": ")
    group, kinds = (what.split()[0], what.split()[1:]) if _is_group(what.split()[0]) else ("", what.split())
    return [(group, kind, verb) for kind in kinds for verb in verbs.split()]


def _is_group(word: str) -> bool:
    return word in ("apps", "autoscaling", "batch", "extensions", "policy", "url") or "." in word


def granted(account: str, objects: list[dict[str, Any]]) -> set[Right]:
    """What the account may do, by the roles that are bound to it; or what a role of its own grants (`ClusterRole NAME`)."""
    roles = {(each["kind"], each["metadata"]["name"]): each for each in objects if each["kind"].endswith("Role")}
    kind, _, name = account.partition(" ")
    if (kind, name) in roles:
        return _of_role(roles[kind, name])
    found: set[Right] = set()
    for binding in objects:
        if not any(each["name"] == account for each in binding.get("subjects", [])):
            continue
        reference = binding["roleRef"]["kind"], binding["roleRef"]["name"]
        found.add(("", f"role {reference[1]}", ""))
        found |= _of_role(roles.get(reference, {}))
    return found


def _of_role(role: dict[str, Any]) -> set[Right]:
    found: set[Right] = set()
    for rule in role.get("rules", []):
        found |= {("url", url, verb) for url in rule.get("nonResourceURLs", []) for verb in rule["verbs"]}
        for group in rule.get("apiGroups", []):
            found |= {(group, kind, verb) for kind in rule.get("resources", []) for verb in rule["verbs"]}
    return found
