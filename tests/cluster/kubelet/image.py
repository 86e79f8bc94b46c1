"""What an image is to the kubelet of the tests."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from tests.cluster.client import Manifest


@dataclass(frozen=True)
class Image:
    """What an image is here: folders of programs, variables, files that are copied into containers, a command."""

    programs: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    command: tuple[str, ...] = ()
    """What it runs where its container says nothing."""
    entrypoint: tuple[str, ...] = ()
    """What runs its arguments where its container names no command."""
    pulled: str = ""
    """File that is there once a node has it; by default nodes have it at once."""
    keeps: bool = False
    """Whether its program listens at all addresses: no other Service is shown to its pods at a port that they name or probe."""


def runs(pod: Manifest, images: Iterable[str], *, apart: Collection[str] = ()) -> bool:
    """Whether a pod is in none of the namespaces `apart`, and all its containers of these images, which may end before the tag does."""
    known = tuple(images)
    every = [*pod["spec"]["containers"], *(pod["spec"].get("initContainers") or ())]
    return pod["metadata"]["namespace"] not in apart and all(each["image"].startswith(known) for each in every)
