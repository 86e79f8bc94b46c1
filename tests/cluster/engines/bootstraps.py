"""A cluster brought to follow its repository, as `platformctl bootstrap` says."""

from __future__ import annotations

import json
from typing import Any

from tests.cluster.engines.commands import run, second_step
from tests.cluster.engines.repository import ANY_HOST, PlatformRepository
from tests.cluster.engines.said import said
from tests.cluster.engines.story import Delivered
from tests.proofs.rendering import files_of


def bootstrap_text(repository: PlatformRepository) -> str:
    """What the command says about the stack of a repository."""
    with repository.apart() as root:
        files = json.dumps(files_of(root))
    return said(files, "bootstrap", repository.stack).replace(ANY_HOST, repository.host)


def hand_over(there: Delivered[Any]) -> None:
    """Do the second step."""
    run(there.control_plane, second_step(bootstrap_text(there.repository)), folder=there.repository.top)
