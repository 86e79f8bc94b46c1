"""Where a cluster pulls images from: the one place that says how a reference is rewritten, and where it came from."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HOST_PART, _PATH_PART = r"[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?", r"[a-z0-9]+((\.|__?|-+)[a-z0-9]+)*"
IMAGE = re.compile(
    rf"((?=[^/]*[.:]|[^/A-Z]*/)({_HOST_PART}(\.{_HOST_PART})*|\[[0-9a-fA-F:]+\])(:[0-9]+)?/)?"
    rf"{_PATH_PART}(/{_PATH_PART})*(:[A-Za-z0-9_][A-Za-z0-9_.-]{{0,127}})?"
    r"(@(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}))?"
)
"""What a container runtime reads as an image (distribution/reference). Capitals are for hosts with a dot or a port."""


@dataclass(frozen=True)
class Mirror:
    """A mirror of everything, and what takes another way: whole registries, paths of them, single images."""

    registry: str | None = None
    """Everything that no rule knows goes through it: `quay.io/a/b:1` becomes `<registry>/quay.io/a/b:1`."""
    rules: tuple[tuple[str, str], ...] = ()
    """What stands instead of a registry, a path in it or an image: the longest match counts."""

    @property
    def any(self) -> bool:
        """Whether images are rewritten at all."""
        return self.registry is not None or bool(self.rules)

    def target(self, reference: str) -> str:
        """The reference as the cluster pulls it. One that comes from a mirror already is left as it is."""
        if self.reachable(reference):
            return reference
        source = qualified(reference)
        if rule := self.rule(source):
            return rule[1] + source.removeprefix(rule[0])
        return f"{self.registry}/{source}" if self.registry else reference

    def rule(self, source: str) -> tuple[str, str] | None:
        """The rule for an image, by its reference with host; None where it goes through the registry."""
        fitting = (rule for rule in self.rules if _below(source, rule[0]))
        return max(fitting, key=lambda rule: len(rule[0]), default=None)

    def source(self, target: str) -> str:
        """Where an image comes from that the cluster pulls by this reference, host written out."""
        fitting = [rule for rule in self.rules if _below(target, rule[1])]
        if fitting:
            prefix, there = max(fitting, key=lambda rule: len(rule[1]))
            return prefix + target.removeprefix(there)
        if self.registry and target.startswith(f"{self.registry}/"):
            return qualified(target.removeprefix(f"{self.registry}/"))
        return qualified(target)

    def reachable(self, reference: str) -> bool:
        """Whether it is on the mirror's own host, where teams push too, or where a rule leads."""
        if self.registry and reference.startswith(self.registry.partition("/")[0] + "/"):
            return True
        return any(_below(reference, there) for _, there in self.rules)


def _below(reference: str, prefix: str) -> bool:
    return reference.startswith(prefix) and reference[len(prefix) : len(prefix) + 1] in ("", "/", ":", "@")


def qualified(reference: str) -> str:
    """The reference with host and, for Docker Hub's own images, `library/` written out, as runtimes read it."""
    head, slash, _ = reference.partition("/")
    if slash and ("." in head or ":" in head or head == "localhost"):
        return reference
    return f"docker.io/{reference}" if slash else f"docker.io/library/{reference}"
