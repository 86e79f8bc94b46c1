"""The releases of Istio that its components share: where their images are, and what upstream says of them.

Images are Docker Hub's: from 1.31 on upstream publishes to no other registry, and it closes those that it had,
registry.istio.io and gcr.io/istio-release, in December 2026.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from platform_def.constructs import Support, Upkeep, Vulnerability, Withdrawn

HUB = "docker.io/istio"
KUBERNETES = "1.32-1.36"

_PLAIN_TEXT = "where its authority is missing, a BackendTLSPolicy lets sidecars send in plain text"
_LINE_1_31 = Upkeep(Support.CURRENT, (Vulnerability("GHSA-qm8v-g4f9-qhjx", _PLAIN_TEXT, "1.31.1"),))
_LINE_1_30 = Upkeep(
    Support.CURRENT,
    (
        Vulnerability("ISTIO-SECURITY-2026-004", "cookies over HTTP/2 use up the memory of a proxy", "1.30.1"),
        Vulnerability("ISTIO-SECURITY-2026-005", "requests crash a proxy or use up its memory", "1.30.3"),
        Vulnerability("ISTIO-SECURITY-2026-006", "paths get past policies, and requests crash a proxy", "1.30.4"),
        Vulnerability("GHSA-qm8v-g4f9-qhjx", _PLAIN_TEXT, "1.30.4"),
    ),
)
_LINE_1_29 = Upkeep(
    date(2026, 10, 12),
    (
        Vulnerability("ISTIO-SECURITY-2026-003", "policies take dots of service accounts for any letter", "1.29.2"),
        Vulnerability("ISTIO-SECURITY-2026-004", "cookies over HTTP/2 use up the memory of a proxy", "1.29.4"),
        Vulnerability("ISTIO-SECURITY-2026-005", "requests crash a proxy or use up its memory", "1.29.6"),
        Vulnerability("ISTIO-SECURITY-2026-006", "paths get past policies, and requests crash a proxy", "1.29.7"),
    ),
)
UPKEEP: Mapping[str, Upkeep] = {"1.31.1": _LINE_1_31, "1.30.4": _LINE_1_30}
"""The default release, which the tests run, and the one of the line before it. A line ends six weeks after the second
that follows it."""

_KUBERNETES = "it needs Kubernetes 1.32, and its images come from docker.io/istio"


def withdrawn(changes: str) -> tuple[Withdrawn, ...]:
    """The releases that were offered of each of Istio's components; `changes` is what else is new with the next one."""
    return (Withdrawn("1.29.1", instead="1.30.4", changes=f"{_KUBERNETES}; {changes}", upkeep=_LINE_1_29),)


def image(program: str, version: str) -> str:
    """The image of one of Istio's programs."""
    return f"{HUB}/{program}:{version}"
