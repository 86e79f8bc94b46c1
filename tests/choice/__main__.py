"""`python -m tests.choice COMMIT`: choose the tests that a change since a commit may break, and say which and why."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.choice.chosen import choose


def main(root: Path, commit: str) -> None:
    """Keep the choice for `tests.choice.plugin`."""
    choice = choose(root, commit)
    choice.write(root)
    print(f"==> since {commit}: {choice.why}", flush=True)


if __name__ == "__main__":
    main(Path.cwd(), sys.argv[1])
