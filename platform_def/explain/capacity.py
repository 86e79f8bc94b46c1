"""What `platformctl explain STACK capacity` prints: pools, queues, quotas of teams, jobs and models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from platform_def.jobs.capacity import Capacity, JobLine, capacity
from platform_def.pipeline.load import load
from platform_def.pipeline.resolve.resolve import resolve


def explain_capacity(root: Path, stack: str) -> Capacity:
    """Count a stack; ConfigError where it cannot be resolved, as for a job that can never be met."""
    resolved = resolve(load(root, [stack])[0])
    served = {f"serving/{name}": model for name, model in resolved.services.items()}
    return capacity(resolved.platform, {**resolved.jobs, **served})


def as_json(found: Capacity) -> dict[str, list[dict[str, Any]]]:
    """As other programs read it."""
    plain = asdict(found)
    return {kind: [_renamed(line) for line in lines] for kind, lines in plain.items()}


def _renamed(line: dict[str, Any]) -> dict[str, Any]:
    return {_camel(key): value for key, value in line.items()}


def _camel(name: str) -> str:
    head, *tail = name.rstrip("_").split("_")
    return head + "".join(word.title() for word in tail)


def as_text(found: Capacity) -> str:
    """As people read it: a table for each kind of line that there is."""
    return "\n\n".join(filter(None, (table(title, rows) for title, rows in _tables(found))))


def _tables(found: Capacity) -> Iterator[tuple[Sequence[str], list[Sequence[object]]]]:
    yield (
        ("POOL", "DEVICES", "RESOURCE", "NODES", "EACH", "ALL", "OWNED", "ASKED", "LEFT"),
        [tuple(asdict(each).values()) for each in found.pools],
    )
    yield (
        ("QUEUE", "TEAMS", "POOL", "RESOURCE", "OWN", "BORROWS", "MOST", "ASKED", "LEFT"),
        [
            tuple({**asdict(each), "teams": ",".join(each.teams), "borrows": _borrows(each.borrows)}.values())
            for each in found.queues
        ],
    )
    yield (
        ("TEAM", "RESOURCE", "QUOTA", "ASKED", "LEFT"),
        [tuple(asdict(each).values()) for each in found.teams],
    )
    yield (
        ("POOL", "CARD", "WHO", "CARDS", "PRICE OF AN HOUR"),
        [(each.pool, each.card, each.who, f"{each.cards:.6g}", f"{each.per_hour:.6g}") for each in found.prices],
    )
    yield ("JOB", "TEAM", "QUEUE", "POOL", "ASKS", "STARTED", "FROM"), [tuple(_job(each)) for each in found.jobs]


def _job(line: JobLine) -> Iterator[str]:
    yield line.job
    yield from (value or "-" for value in (line.team, line.queue))
    yield line.pool or "any"
    yield ", ".join(f"{amount} {resource}" for resource, amount in sorted(line.asks.items()))
    yield "by the engine" if line.started else "by hand"
    yield line.from_


def _borrows(amount: int | None) -> str:
    return "all idle" if amount is None else str(amount)


def table(titles: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Rows below their titles, numbers to the right; empty without rows."""
    if not rows:
        return ""
    texts = [list(titles), *([str(cell) for cell in row] for row in rows)]
    numbers = [all(isinstance(row[index], int) for row in rows) for index in range(len(titles))]
    widths = [max(len(row[index]) for row in texts) for index in range(len(titles))]
    lines = [
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(row, widths, numbers, strict=True)
        ).rstrip()
        for row in texts
    ]
    return "\n".join(lines)
