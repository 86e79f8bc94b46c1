"""Argo CD 3.4: the kinds of 3.5 without what that added."""

from __future__ import annotations

from platform_def.apis.argocd import release_3_5, v1alpha1
from platform_def.apis.argocd.release_3_5 import NESTED, in_application_sets, in_applications, older

SOURCE, HYDRATOR = "tagPrefix", "syncSource.repoURL"
ARCHIVED = ("gitea.excludeArchivedRepos", "github.excludeArchivedRepos", "gitlab.includeArchivedRepos")
ADDED = {
    "Application": (
        *in_applications(SOURCE, HYDRATOR),
        "status.sourceHydrator.lastComparedDryRevision",
        "status.summary.isAppOfApps",
    ),
    "ApplicationSet": (
        *in_application_sets(SOURCE, HYDRATOR),
        *(f"{place}.generators[].scmProvider.{field}" for place in ("spec", *NESTED) for field in ARCHIVED),
    ),
    "AppProject": ("spec.sourceIntegrity", "spec.syncWindows[].syncOverrun"),
}
LACKS = {kind: (*release_3_5.LACKS[kind], *added) for kind, added in ADDED.items()}
CRDS = tuple(older(newer, LACKS, core="1.34") for newer in v1alpha1.CRDS)
