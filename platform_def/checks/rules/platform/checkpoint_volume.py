"""What a job that is started again wants to read lies on a volume that outlives the pod."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule, reads_nothing
from platform_def.checks.rules.platform.training_job import TRAINING_JOBS
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import Path, dotted
from platform_def.manifests.rendered import Manifest, RenderedObject
from platform_def.manifests.workloads import Pods, pods_of

_NAME = r"-{0,2}[\w.-]*(check-?_?point|ckpt|save|snapshot)s?[-_]?(dir|path|folder|directory)?"
_FLAG = re.compile(_NAME, re.IGNORECASE)
_TOGETHER = re.compile(rf"({_NAME})[= ](?P<path>/\S+)", re.IGNORECASE)
_LOST = frozenset({"emptyDir", "configMap", "secret", "downwardAPI", "projected"})
_KINDS = frozenset({"Job"}) | frozenset(TRAINING_JOBS)


def _check(manifest: Manifest, _: None) -> Iterator[Fault]:
    for pods in pods_of(RenderedObject(manifest, "", "main", "")):
        if _starts_again(manifest, pods):
            for path, container in pods.containers(("containers",)):
                for place, folder in _folders(path, container):
                    if not _lasts(folder, container, pods):
                        said = f"{folder[:80]} is on no volume that outlives the pod: the next one starts from nothing"
                        yield Fault(dotted(place), said)


def _starts_again(manifest: Manifest, pods: Pods) -> bool:
    """Whether pods that fail are replaced by others."""
    if manifest.get("kind") == "Job":
        return at(manifest, "spec.backoffLimit") != 0
    role: Any = manifest
    for step in pods.path[:-2]:
        role = role[step]
    return mapping(role).get("restartPolicy") in ("OnFailure", "Always", "ExitCode")


def _folders(path: Path, container: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    for field in ("command", "args"):
        said = [text(each) for each in items(container.get(field))]
        for index, word in enumerate(said):
            found = _TOGETHER.fullmatch(word)
            following = said[index + 1] if index + 1 < len(said) else ""
            if found:
                yield (*path, field, index), found["path"]
            elif word.startswith("-") and _FLAG.fullmatch(word) and following.startswith("/"):
                yield (*path, field, index + 1), following
    for index, variable in enumerate(items(container.get("env"))):
        name, value = text(mapping(variable).get("name")), text(mapping(variable).get("value"))
        if value.startswith("/") and _FLAG.fullmatch(name):
            yield (*path, "env", index), value


def _lasts(folder: str, container: Mapping[str, Any], pods: Pods) -> bool:
    volumes = {text(volume.get("name")): volume for _, volume in pods.volumes()}
    best = ""
    kept = False
    for mount in map(mapping, items(container.get("volumeMounts"))):
        root = text(mount.get("mountPath"))
        if root and PurePosixPath(folder).is_relative_to(root) and len(root) > len(best):
            best, volume = root, volumes.get(text(mount.get("name")))
            kept = volume is None or not _LOST & {*volume}
    return kept


CHECKPOINT_VOLUME = ObjectRule(
    id="checkpoint-volume",
    severity="warning",
    title="Checkpoints of a restartable job are on a volume that outlives its pods",
    why="A pod that fails after three days is replaced by one that starts from the beginning.",
    fix="mount a claim there, or write to an object store",
    kinds=_KINDS,
    reads=reads_nothing,
    check=_check,
)
