"""Encrypted Secrets that a stack names by file: read before anything is built, refused where they are readable.

What is read goes into the platform's facts, so that a build stays a function of data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from pydantic import JsonValue

from platform_def.config.secrets import SecretSource
from platform_def.errors import ConfigError, PlatformError, Problem
from platform_def.manifests.ciphertext import misfit
from platform_def.pipeline.load import Loaded
from platform_def.pipeline.resolve.doubts import Doubts
from platform_def.pipeline.resolve.sources import Found
from platform_def.pipeline.user_files import followed, is_there, reading
from platform_def.yaml import load_all

_LARGEST_BYTES = 1 << 20

Documents = Mapping[str, tuple[dict[str, JsonValue], ...]]


def ciphertexts(loaded: Loaded, found: list[Found], problems: list[Problem], doubts: Doubts) -> Documents:
    """The documents of every file that a source names, by file; what is wrong goes to `problems`."""
    made: dict[str, tuple[dict[str, JsonValue], ...]] = {}
    for path, source in found:
        if source.file is None:
            continue
        try:
            made[source.file] = tuple(_documents(source, loaded))
        except PlatformError as error:
            doubts.reads.add(f"ciphertext:{source.file}")
            place = loaded.where(*path, "sealed" if source.sealed else "sops")
            where = ".".join(map(str, path))
            for each in error.problems:
                inside = f"{each.where}: " if each.where else ""
                problems.append(Problem(f"{where}: {inside}{each.text}", place, each.hint))
    return made


def _documents(source: SecretSource, loaded: Loaded) -> Iterator[dict[str, JsonValue]]:
    file = source.file or ""
    path = followed(loaded.root / file)
    if not path.is_relative_to(followed(loaded.root)):
        raise ConfigError(f"{file} is outside the repository")
    if any(part.startswith(".") for part in path.relative_to(followed(loaded.root)).parts[:-1]):
        raise ConfigError(f"{file} is in a hidden folder, which the repository may not hold")
    if not is_there(path) or not path.is_file():
        raise ConfigError(f"{file} is not there, or is no file")
    with reading(file):
        data = path.read_bytes()[: _LARGEST_BYTES + 1]
    if len(data) > _LARGEST_BYTES:
        raise ConfigError(f"{file} is larger than a Secret can be")
    names = set()
    for found in load_all(data, file=file):
        if found is None:
            continue
        document = cast("dict[str, Any]", found)  # or else it does not fit
        wrong = misfit(document, "sealed" if source.sealed else "sops")
        if wrong:
            raise ConfigError(f"{file}: {wrong.text}", hint=wrong.hint)
        names.add(document["metadata"]["name"])
        yield document
    if len(names) != 1:
        text = f"holds Secrets of {len(names)} names" if names else "holds no Secret"
        raise ConfigError(f"{file} {text}", hint="keep one Secret in it, as one document for each namespace")
