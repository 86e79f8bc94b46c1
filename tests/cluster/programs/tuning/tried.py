"""A trial: fits a line by gradient descent at the learning rate that the search chose, and reports its loss step by step.

A rate that is too high makes the line run away, and the training fails, as trainings do.
"""

from __future__ import annotations

import argparse
import math
import random
import time

STEPS = 40


def main() -> None:
    """Train."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rate", type=float, required=True)
    # Longer than it takes until the collector of its metrics looks for it, which fails where it is gone by then.
    parser.add_argument("--pause", type=float, default=0.05)
    parser.add_argument("--steps", type=int, default=STEPS)
    chosen = parser.parse_args()
    dice = random.Random(7)
    data = [(x, 3 * x - 1) for x in (dice.uniform(-1, 1) for _ in range(64))]
    slope = start = 0.0
    for _ in range(chosen.steps):
        errors = [(slope * x + start - y, x) for x, y in data]
        loss = sum(error**2 for error, _ in errors) / len(errors)
        if not math.isfinite(loss) or loss > 1e9:
            raise SystemExit(f"the line ran away at a rate of {chosen.rate}")
        print(f"loss={loss:.12f}", flush=True)
        slope -= chosen.rate * sum(2 * error * x for error, x in errors) / len(errors)
        start -= chosen.rate * sum(2 * error for error, _ in errors) / len(errors)
        time.sleep(chosen.pause)


if __name__ == "__main__":
    main()
