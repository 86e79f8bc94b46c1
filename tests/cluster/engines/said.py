"""What platformctl says in a repository, for tests that do what it says."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.acceptance.repository import Repository
from tests.cluster.engines.repository import PlatformRepository
from tests.proofs.rendering import noted


def say(repository: PlatformRepository, *words: str) -> str:
    """What a command says about the stack of a repository."""
    done = Repository(repository.folder).run(*words, repository.stack)
    return done.out + done.err


@noted
def said(files: str, *words: str) -> str:
    """What a command says where these files are, in JSON, texts by paths."""
    with TemporaryDirectory() as folder:
        return Repository(Path(folder) / "platform").write(json.loads(files)).run(*words).out
