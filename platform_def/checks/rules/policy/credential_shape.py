"""Nothing in an object looks like a credential: what is in Git is known to everybody who ever reads it.

Of Secrets the content is another rule's; here it is whatever stands in ConfigMaps, variables, commands, annotations.
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule, reads_nothing
from platform_def.manifests.credentials import Credential, credentials_of, may_hold_one
from platform_def.manifests.index import CRD
from platform_def.manifests.paths import Path, dotted
from platform_def.manifests.rendered import Manifest

_CONTENT = ("data", "stringData")


def in_object(manifest: Manifest) -> Iterator[tuple[Path, Credential]]:
    """The first thing in each of an object's texts that looks like a credential."""
    if manifest.get("kind") == "Secret":
        manifest = {key: value for key, value in manifest.items() if key not in _CONTENT}
    found: dict[Path, Credential] = {}
    for path, credential in credentials_of(manifest):
        found.setdefault(path, credential)
    yield from found.items()


def _check(manifest: Manifest, _: None) -> Iterator[Fault]:
    if manifest.get("kind") == CRD:  # the largest objects there are, and nothing but types and descriptions
        return
    for path, credential in in_object(manifest):
        yield Fault(dotted(path), f"holds what looks like {credential.title}")


CREDENTIAL_SHAPE = ObjectRule(
    id="credential-shape",
    severity="error",
    title="Nothing outside of Secrets looks like a credential",
    why="A credential in Git stays readable in its history, and in the cluster to everyone who may read the object.",
    fix="name a Secret (`valueFrom: {secretKeyRef: …}`) and have its issuer revoke it; waive what only looks like one",
    reads=reads_nothing,
    sign=lambda kind, text: kind.kind != CRD and may_hold_one(text),
    check=_check,
    without_stack="as a warning",
)
