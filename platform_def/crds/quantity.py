"""What quantities of Kubernetes amount to."""

from __future__ import annotations

from decimal import Decimal

GIB = 1024**3
_SUFFIXES: dict[str, int | Decimal] = {"": 1, "n": Decimal("1e-9"), "u": Decimal("1e-6"), "m": Decimal("1e-3")}
_SUFFIXES |= {letter: 1000 ** (power + 1) for power, letter in enumerate("kMGTPE")}
_SUFFIXES |= {f"{letter}i": 1024 ** (power + 1) for power, letter in enumerate("KMGTPE")}


_MOST = 2**63


def amount(value: object) -> Decimal | None:
    """What a quantity (`500m`, `4Gi`, 2) amounts to; None where it is none, or beyond what anybody counts."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    written = str(value)
    head = written.rstrip("numkKMGTPEi")
    factor = _SUFFIXES.get(written[len(head) :])
    try:
        found = Decimal(head) * factor if factor else Decimal(written)
        return found if abs(found) < _MOST else None
    except (ArithmeticError, ValueError):
        return None
