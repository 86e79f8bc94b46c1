"""The same objects at several versions of Kubernetes: what an upgrade of the cluster would break, and where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from platform_def.checks.context import Memo
from platform_def.checks.engine import check
from platform_def.checks.report.as_table import VersionRow
from platform_def.checks.rule import Finding
from platform_def.checks.waivers import PlacedWaiver, settled
from platform_def.config.kubernetes import SUPPORTED_KUBERNETES, Kubernetes
from platform_def.errors import ConfigError
from platform_def.manifests.rendered import RenderedObject, RenderedStack


@dataclass(frozen=True, eq=False)
class JudgedStack:
    """A stack as it stands, with its waivers and the files of its objects."""

    stack: RenderedStack
    file_of: Callable[[RenderedObject], str]
    waivers: Sequence[PlacedWaiver]


def versions_of(text: str) -> tuple[str, ...]:
    """The versions of `1.31,1.34`, in their order; ConfigError for one that is not known here."""
    found = tuple(dict.fromkeys(each.strip() for each in text.split(",")))
    for each in found:
        if each not in SUPPORTED_KUBERNETES:
            known = f"{SUPPORTED_KUBERNETES[0]} to {SUPPORTED_KUBERNETES[-1]}"
            raise ConfigError(f"Kubernetes {each[:20]} is not known here", hint=f"{known} are, written 1.36")
    return found


def verdicts(stacks: Iterable[JudgedStack], versions: Sequence[str], *, day: str = "") -> list[VersionRow]:
    """A row for each finding that counts at any of the versions, by place."""
    memo = Memo()
    rows: dict[object, VersionRow] = {}
    for each in stacks:
        for version in versions:
            platform = each.stack.platform.with_facts(kubernetes=Kubernetes(version))
            stack = replace(each.stack, platform=platform)
            found = check(stack, memo=memo, file_of=each.file_of)
            for finding in settled(found, stack, each.waivers, file_of=each.file_of, day=day):
                if not finding.waived:
                    row = rows.setdefault(_same(finding), VersionRow(finding, {}))
                    row.verdicts.setdefault(version, finding)
    return sorted(rows.values(), key=lambda row: row.finding.order)


def _same(finding: Finding) -> object:
    """What makes findings of two versions one: what they say may name the version."""
    return (finding.file, finding.line, finding.document, finding.key, finding.rule, finding.path)
