"""Configuration as it reaches a program: the file that its container finds on a node, read with upstream's own package.

A reader is a small program of `go/` that imports that package; it takes texts and says what it made of each.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from platform_def.manifests.admission import selects
from tests.cluster.client import Manifest

READ_SECONDS = 60.0


@dataclass(frozen=True)
class Placed:
    """A container of a pod, which a workload of some objects brings."""

    objects: Sequence[Manifest]
    workload: Manifest
    container: Manifest

    @property
    def pod(self) -> Manifest:
        """The pod, as the template has it."""
        return _pod(self.workload)

    @property
    def image(self) -> str:
        """The container's image, without tag, by its last two words: a mirror puts others in front."""
        name = str(self.container["image"]).partition("@")[0]
        folder, _, last = name.rpartition("/")
        return f"{folder.rpartition('/')[2]}/{last.partition(':')[0]}"

    @property
    def command(self) -> list[str]:
        """Command and arguments."""
        return [*self.container.get("command", []), *self.container.get("args", [])]

    @property
    def variables(self) -> dict[str, str]:
        """Variables whose value stands in the manifest."""
        return {each["name"]: each["value"] for each in self.container.get("env", []) if "value" in each}

    def file(self, path: str) -> str:
        """The text at a path of the container; it comes from a ConfigMap."""
        where = PurePosixPath(path)
        mounts = [each for each in self.container["volumeMounts"] if where.is_relative_to(each["mountPath"])]
        mount = max(mounts, key=lambda each: len(each["mountPath"]))
        (volume,) = (each for each in self.pod["volumes"] if each["name"] == mount["name"])
        source = volume["configMap"]
        inside = mount.get("subPath") or str(where.relative_to(mount["mountPath"]))
        keys = {each["path"]: each["key"] for each in source.get("items", [])}
        return self.data(source["name"])[keys[inside] if keys else inside]

    def data(self, config_map: str) -> dict[str, str]:
        """What a ConfigMap of the pod's namespace holds."""
        wanted = (config_map, self.workload["metadata"]["namespace"])
        (found,) = (
            item
            for item in self.objects
            if item["kind"] == "ConfigMap" and (item["metadata"]["name"], item["metadata"]["namespace"]) == wanted
        )
        return dict(found["data"])

    def runs_on(self, labels: Mapping[str, str]) -> bool:
        """Whether a Node with these labels is one of the pod's."""
        affinity = self.pod.get("affinity", {}).get("nodeAffinity", {})
        required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
        chosen = not required or any(selects(term, labels) for term in required["nodeSelectorTerms"])
        return chosen and selects({"matchLabels": self.pod.get("nodeSelector", {})}, labels)


def placed(objects: Sequence[Manifest]) -> Iterator[Placed]:
    """The containers of all workloads, those that run first too."""
    for item in objects:
        pod = _pod(item)
        for container in [*pod.get("initContainers", []), *pod.get("containers", [])]:
            yield Placed(objects, item, container)


def _pod(workload: Manifest) -> Manifest:
    """Its pod's template; nothing for other kinds, whoever else's job they are."""
    if workload["apiVersion"] not in ("apps/v1", "batch/v1"):
        return {}
    spec = workload["spec"]["jobTemplate"]["spec"] if workload["kind"] == "CronJob" else workload["spec"]
    return dict(spec["template"]["spec"])


def ask(reader: Path, question: object) -> list[Manifest]:
    """What a reader answers; AssertionError with what it says where it ends in another way."""
    # Upstream's packages may write logs among the system's temporary files.
    with TemporaryDirectory() as scratch:
        environment = {**os.environ, "TMPDIR": scratch}
        done = subprocess.run(
            [reader],
            input=json.dumps(question),
            env=environment,
            capture_output=True,
            text=True,
            timeout=READ_SECONDS,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    answers: list[Manifest] = json.loads(done.stdout)
    return answers


def lost(written: object, understood: object, at: str = "") -> Iterator[str]:
    """What of a file its reader does not hold, or holds as something else, by path; keys as Go takes them, in any case.

    A reader may hold more: its defaults. Entries with a name may come in another order, and Go leaves out what is empty.
    """
    if isinstance(written, Mapping) and isinstance(understood, Mapping):
        held = {str(key).lower(): value for key, value in understood.items()}
        for key, value in written.items():
            yield from lost(value, held.get(str(key).lower()), f"{at}.{key}".lstrip("."))
    elif isinstance(written, list) and isinstance(understood, list) and _named(written):
        by_name = {each.get("name"): each for each in understood}
        for each in written:
            yield from lost(each, by_name.get(each["name"]), f"{at}[{each['name']}]")
    elif isinstance(written, list) and isinstance(understood, list) and len(written) == len(understood):
        for index, (one, other) in enumerate(zip(written, understood, strict=True)):
            yield from lost(one, other, f"{at}[{index}]")
    elif not written and understood is None:
        return
    elif written != understood and (_duration(written) is None or _duration(written) != _duration(understood)):
        yield f"{at}: {written!r} is understood as {understood!r}"


def _duration(value: object) -> float | None:
    """Seconds of a duration as people write it (`60s`), as Go prints it (`1m0s`) or as a field of Go's own type."""
    if isinstance(value, Mapping):
        return value["Duration"] / 1e9 if value.keys() == {"Duration"} else None
    if not isinstance(value, str) or not re.fullmatch(r"(\d+(h|ms|m|s))+", value):
        return None
    units = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
    return sum(int(number) * units[unit] for number, unit in re.findall(r"(\d+)(h|ms|m|s)", value))


def _named(items: Sequence[Any]) -> bool:
    return bool(items) and all(isinstance(each, Mapping) and "name" in each for each in items)
