"""Which panels and alerts real programs feed in the cluster tests, as the page about Prometheus shows it.

What no program feeds is listed with the reason: of `tests/cluster/fed.yaml` comes every word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.cluster.fed import Shown, Source, shown, sources
from tests.cluster.observed import ASKED
from tests.cluster.whole import whole

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "components" / "prometheus.md"
_BLOCK = re.compile(r"(?<=<!-- fed -->\n).*?(?=<!-- /fed -->)", re.DOTALL)


def block() -> str:
    """The lines of the page."""
    every = [(name, each) for name in ASKED for each in shown(whole(name)) if each.programs and not _choice(each)]
    fed = [(name, each) for name, each in every if not each.played]
    played = [(name, each) for name, each in every if each.played]
    return "\n".join([*_fed(fed), "", *_played(played), ""])


def page() -> str:
    """The whole page, with these lines."""
    return _BLOCK.sub(lambda _: block(), PAGE.read_text(encoding="utf-8"))


def _choice(each: Shown) -> bool:
    return ": choice " in each.title


def _fed(every: list[tuple[str, Shown]]) -> Iterator[str]:
    yield "| program | panels | alerts | test | but for |"
    yield "|---|---|---|---|---|"
    for source in sources().values():
        for pattern, proof in source.proofs.items():
            own = [each for _, each in every if each.programs == {source.name} and each.of(source) == pattern]
            link = f"[`{Path(proof).name}`](../../tests/cluster/{proof})"
            panels, alerts = (_number(own, alert=each) for each in (False, True))
            yield f"| {source.name} | {panels} | {alerts} | {link} | {_but(source, own)} |"


def _but(source: Source, own: list[Shown]) -> str:
    reasons: dict[str, list[str]] = {}
    titles = {each.title for each in own}
    for title, why in source.empty.items():
        if title in titles:
            reasons.setdefault(why, []).append(title.rpartition(": ")[2])
    return "; ".join(f"{', '.join(titles)}: {why}" for why, titles in reasons.items())


def _played(every: list[tuple[str, Shown]]) -> Iterator[str]:
    yield "| played | panels | alerts | why |"
    yield "|---|---|---|---|"
    groups: dict[tuple[str, str], list[Shown]] = {}
    for name, each in every:
        program, why = next(iter(each.played.items()))
        groups.setdefault((program if program == name else f"{name}, with {program}", why), []).append(each)
    for (what, why), found in groups.items():
        panels, alerts = (_number(found, alert=each) for each in (False, True))
        yield f"| {what} | {panels} | {alerts} | {why} |"


def _number(every: list[Shown], *, alert: bool) -> int:
    return len({each.title for each in every if each.alert == alert})


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
