"""Programs of pods whose volumes are laid out where their containers mount them, below /etc."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tests.cluster.client import Manifest
from tests.cluster.pods import Program


@dataclass(frozen=True)
class Mounted(Program):
    """A program with the ConfigMaps and Secrets of its pod as files, read from the API server."""

    def start(self, binary: Path, flags: Sequence[str], *, settings: Mapping[str, str] | None = None) -> None:
        """Start it with its files in place."""
        for path, content in self.files().items():
            target = self.tmp.parent / path.relative_to("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        (self.tmp.parent / "etc" / "hosts").touch()
        super().start(binary, flags, settings=settings)

    def files(self) -> dict[PurePosixPath, bytes]:
        """Its files, by the path that its container sees."""
        volumes = {each["name"]: each for each in self.pod.get("volumes", [])}
        return {
            PurePosixPath(mount["mountPath"], path): content
            for mount in self.spec.get("volumeMounts", [])
            for path, content in self._content(volumes[mount["name"]]).items()
        }

    def _content(self, volume: Manifest) -> dict[str, bytes]:
        if "configMap" in volume:
            source = volume["configMap"]
            data = self._read("configmaps", source["name"])
            found = {key: text.encode() for key, text in data.items()}
        else:
            source = volume["secret"]
            data = self._read("secrets", source["secretName"])
            found = {key: base64.b64decode(text) for key, text in data.items()}
        paths = {each["key"]: each["path"] for each in source.get("items", [])} or {key: key for key in found}
        return {path: found[key] for key, path in paths.items()}

    def _read(self, plural: str, name: str) -> dict[str, str]:
        reply = self.control_plane.api.get(f"/api/v1/namespaces/{self.home}/{plural}/{name}")
        assert reply.status == 200, reply.message
        return dict(reply.body.get("data", {}))


@dataclass(frozen=True)
class Beside(Mounted):
    """A further container of a pod, with files of its own."""

    @property
    def name(self) -> str:
        """What it is called among what runs in the test."""
        return f"{self.deployment}-{self.container}"

    @property
    def tmp(self) -> Path:
        """What is /tmp for the program."""
        return self.control_plane.folder / self.name / "tmp"
