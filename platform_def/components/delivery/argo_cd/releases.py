"""Releases of Argo CD, and those that are no longer offered.

Upstream mends its three newest minor versions: a line ends when the third one after it appears, each first Tuesday of
February, May, August and November. Ranges of Kubernetes: what upstream's table says of each minor version. Facts of 3.4
and 3.5 are those of 3.4.13 and 3.5.7; the notes of the patch after each tell of no change to flags, rights or objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal

from platform_def.components.delivery.argo_cd.added_parameters import OF_3_4, OF_3_5, OF_3_6
from platform_def.components.delivery.argo_cd.parameters import Table
from platform_def.constructs import APACHE, Release, Upkeep, Vulnerability, Withdrawn, releases

REDIS_LICENSE = "LicenseRef-RSALv2 OR SSPL-1.0 OR AGPL-3.0-only"
"""Of Redis since 8.0; who installs it chooses one."""


@dataclass(frozen=True, kw_only=True)
class ArgoCdRelease(Release):
    """What differs between releases."""

    parameters: Table = field(default_factory=dict)
    kubernetes_by: Literal["upstream", "us"] = "upstream"
    licenses: Mapping[str, str] = field(default_factory=lambda: {"redis": REDIS_LICENSE})
    mutual_tls: bool = True
    """Whether the repo server may ask who calls it, by certificates in the Secret argocd-repo-server-mtls."""
    updates_finalizers: bool = True
    """Whether the server may, and so may make objects that block the deletion of what owns them."""
    collector_certificates: bool = True
    """Whether the application controller looks up the certificate of a collector of traces."""
    request_timestamps: bool = True
    """Whether a request to refresh an Application carries its time, in a second annotation."""


_REMOTE = Vulnerability("CVE-2026-113708", "who may write a kustomization runs commands in the repo server")
_HOOKS = Vulnerability("CVE-2026-77459", "hooks that delete are applied past the limits of an AppProject")
_PROXY = Vulnerability("CVE-2026-55797", "who may add a repository runs commands in the repo server, by its proxy URL")
_LINKS = Vulnerability("CVE-2026-45738", "who may write an Application acts as the administrator who opens its links")
_DIFFS = Vulnerability("CVE-2026-42880", "who may read an Application reads Secrets, by a server-side diff")


def _upkeep(end: date, **fixes: str) -> Upkeep:
    known = {"links": _LINKS, "diffs": _DIFFS, "remote": _REMOTE, "hooks": _HOOKS, "proxy": _PROXY}
    return Upkeep(end, tuple(replace(known[name], fixed_in=fix) for name, fix in fixes.items()))


def _argocd(version: str) -> str:
    return f"quay.io/argoproj/argocd:v{version}"


def _redis(version: str) -> dict[str, str]:
    return {"redis": f"public.ecr.aws/docker/library/redis:{version}-alpine"}


_3_6 = ArgoCdRelease(
    "3.6.1",
    image=_argocd("3.6.1"),
    images=_redis("8.10.1"),
    kubernetes="1.34-1.37",
    parameters=OF_3_6,
    upkeep=_upkeep(date(2027, 8, 3)),
)
_3_5 = ArgoCdRelease(
    "3.5.8",
    image=_argocd("3.5.8"),
    images=_redis("8.2.3"),
    kubernetes="1.33-1.36",
    parameters=OF_3_5,
    updates_finalizers=False,
    collector_certificates=False,
    request_timestamps=False,
    upkeep=_upkeep(date(2027, 5, 4), remote="3.5.4", hooks="3.5.4", proxy="3.5.4"),
)
# The default is the newest whose order was seen (`proven` of `words.py`).
RELEASES = releases(
    _3_6,
    replace(_3_6, version="3.6.2", image=_argocd("3.6.2")),
    _3_5,
    replace(
        _3_5,
        version="3.4.14",
        image=_argocd("3.4.14"),
        kubernetes="1.32-1.35",
        parameters=OF_3_4,
        mutual_tls=False,
        upkeep=_upkeep(date(2027, 2, 2), links="3.4.2", remote="3.4.10", hooks="3.4.10", proxy="3.4.10"),
    ),
    license=APACHE,
)
WITHDRAWN = (
    Withdrawn("3.5.7", instead="3.5.8", changes="the images alone", upkeep=_3_5.upkeep),
    Withdrawn(
        "3.3.4",
        instead="3.4.14",
        changes="ApplicationSets get a health in their status; no setting of 3.3 is gone",
        upkeep=_upkeep(
            date(2026, 11, 3), links="3.3.10", diffs="3.3.9", remote="3.3.15", hooks="3.3.15", proxy="3.3.15"
        ),
    ),
)
