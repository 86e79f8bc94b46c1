"""Runs a program over the shards of its input that belong to a pod; runs in the container, on Python's own library.

`shard_runner.py SETTINGS PROGRAM…`. A shard is a file, or so many rows of one. Its result goes to a spare file, and
takes its place in one step when it is whole. What is there already is left alone, so a pod that was killed goes on.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

Shard = tuple[str, int, int]
"""A file below the input's folder, and the rows of it: from, and how many; 0: all of the file."""


def shards(settings: dict[str, Any]) -> Iterator[Shard]:
    """All shards, for every pod in the same order."""
    root, rows = Path(settings["input"]), settings["rows"]
    for file in sorted(each for each in root.rglob(settings["pattern"]) if each.is_file()):
        name = file.relative_to(root).as_posix()
        if not rows:
            yield name, 0, 0
            continue
        with file.open("rb") as opened:
            count = sum(1 for _ in opened)
        yield from ((name, start, rows) for start in range(0, count, rows))


def result_of(settings: dict[str, Any], shard: Shard) -> Path:
    """Where the result of a shard lies."""
    name, start, rows = shard
    part = f".{start // rows:06d}" if rows else ""
    return Path(settings["results"]) / f"{name}{part}{settings['suffix']}"


def taken(settings: dict[str, Any], shard: Shard, spare: Path) -> Path:
    """The input of a shard: the file, or a copy of its rows beside the result."""
    name, start, rows = shard
    whole = Path(settings["input"]) / name
    if not rows:
        return whole
    cut = spare.with_name(f"{spare.name}.rows")
    with whole.open("rb") as source, cut.open("wb") as target:
        target.writelines(itertools.islice(source, start, start + rows))
    return cut


class Program:
    """The program: run for each shard where its words say `{input}` and `{output}`, else once, and gets both."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = [*words]
        self.each = any("{input}" in word or "{output}" in word for word in words)
        self.running: subprocess.Popen[str] | None = None

    def run(self, source: Path, target: Path) -> None:
        """Make one result; CalledProcessError where the program fails."""
        if self.each:
            words = [word.replace("{input}", str(source)).replace("{output}", str(target)) for word in self.words]
            subprocess.run(words, check=True)
            return
        if self.running is None:
            pipe = subprocess.PIPE
            self.running = subprocess.Popen(self.words, stdin=pipe, stdout=pipe, text=True)
        assert self.running.stdin
        assert self.running.stdout
        self.running.stdin.write(json.dumps({"input": str(source), "output": str(target)}) + "\n")
        self.running.stdin.flush()
        answer = self.running.stdout.readline()
        if not answer.strip():
            raise subprocess.CalledProcessError(self.running.wait() or 1, self.words)

    def end(self) -> None:
        """Let a program that runs go on to its end."""
        if self.running and self.running.stdin:
            self.running.stdin.close()
            if self.running.wait():
                raise subprocess.CalledProcessError(self.running.returncode, self.words)


def main() -> None:
    """Every shard of this pod, one after the other."""
    settings, program = json.loads(sys.argv[1]), Program(sys.argv[2:])
    index, parts = int(os.environ.get("JOB_COMPLETION_INDEX", "0")), int(os.environ.get("PARTS", "1"))
    made = there = 0
    for shard in itertools.islice(shards(settings), index, None, parts):
        result = result_of(settings, shard)
        if result.exists():
            there += 1
            continue
        result.parent.mkdir(parents=True, exist_ok=True)
        spare = result.with_name(f".{result.name}.part")
        spare.unlink(missing_ok=True)
        source = taken(settings, shard, spare)
        program.run(source, spare)
        if source.name.endswith(".part.rows"):
            source.unlink()
        spare.replace(result)
        made += 1
    program.end()
    print(f"part {index} of {parts}: {made} results made, {there} were there", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
