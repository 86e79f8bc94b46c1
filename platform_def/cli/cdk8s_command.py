"""What the `cdk8s` command wants of its app: manifests in the folder that it names, beside those that synth writes.

`cdk8s synth` lists them, its validation plug-ins read them, `--stdout` prints them (of one stack: it would mix several
files); dist/ does not depend on it.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from platform_def.cli.place import say

VARIABLE = "CDK8S_OUTDIR"


def hand_over(out: Path, stacks: Collection[str]) -> None:
    """Copy these stacks, or all, each into one file in the folder that cdk8s names; without one do nothing."""
    named = os.environ.get(VARIABLE)
    if not named:
        return
    folder = Path(named)
    if folder.absolute() == out.absolute():
        say(f"warning: cdk8s empties {named}/ before synth can write it; set `output: .cdk8s` in cdk8s.yaml")
        return
    folder.mkdir(parents=True, exist_ok=True)
    for index in sorted(out.glob("*/index.json")):
        if not stacks or index.parent.name in stacks:
            (folder / f"{index.parent.name}.yaml").write_bytes(_together(index))


def _together(index: Path) -> bytes:
    from platform_def.pipeline.output.index import decode

    paths = [index.parent / path for found in decode(index.read_bytes()) for path in found.files]
    return b"---\n".join(path.read_bytes() for path in sorted(paths))
