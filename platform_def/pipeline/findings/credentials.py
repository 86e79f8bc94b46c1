"""What stack files say beside what becomes objects, comments included: nothing in them looks like a credential.

What is found in a stack file is not told once more of the object that it came to.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from platform_def.checks.rule import Finding
from platform_def.checks.rules.policy.credential_shape import CREDENTIAL_SHAPE, in_object
from platform_def.manifests.credentials import Credential, credentials
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedStack
from platform_def.pipeline.load import Loaded

KIND = "Stack"
"""What waivers call the files of a stack: `object: Stack gpu-prod`."""


def with_own_text(findings: tuple[Finding, ...], loaded: Loaded, stack: RenderedStack) -> tuple[Finding, ...]:
    """The findings, with those of the stack's own files, sorted."""
    found = list(_in_files(loaded))
    if not found:
        return findings
    known = {credential.secret for _, _, credential in found}
    own = {_finding(loaded.name, file, line, credential) for file, line, credential in found}
    rest = [finding for finding in findings if not _repeats(finding, stack, known)]
    return tuple(sorted({*own, *rest}, key=lambda finding: (finding.order[0], finding.line, finding.order)))


def _in_files(loaded: Loaded) -> Iterator[tuple[str, int, Credential]]:
    """What the stack file and all that it extends hold, with the line; the first of several on one line."""
    for file in dict.fromkeys(place.file for place in loaded.traced.chain):
        text = ""
        with suppress(OSError, UnicodeDecodeError):  # it has been read before; what is lost since is reported elsewhere
            text = (loaded.root / file).read_text(encoding="utf-8")
        lines: dict[int, Credential] = {}
        for credential in credentials(text):
            lines.setdefault(text.count("\n", 0, credential.at) + 1, credential)
        yield from ((file, line, credential) for line, credential in sorted(lines.items()))


def _finding(stack: str, file: str, line: int, credential: Credential) -> Finding:
    return Finding(
        rule=CREDENTIAL_SHAPE.id,
        severity=CREDENTIAL_SHAPE.severity,
        object=f"{KIND} {stack}",
        key=("platform-def", KIND, "", stack),
        path="",
        text=f"holds what looks like {credential.title}",
        hint=CREDENTIAL_SHAPE.fix,
        component="",
        origin=file,
        file=file,
        line=line,
    )


def _repeats(finding: Finding, stack: RenderedStack, known: set[str]) -> bool:
    if finding.rule != CREDENTIAL_SHAPE.id:
        return False
    items = (item for item in stack.objects() if item.key == finding.key and item.component == finding.component)
    return any(
        credential.secret in known
        for item in items
        for path, credential in in_object(item.manifest)
        if dotted(path) == finding.path
    )
