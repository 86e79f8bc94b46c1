"""The kinds of object that the delivery engines read."""

from __future__ import annotations

from typing import Any

from platform_def.crds.model import Api


def _custom(group: str, version: str, kind: str, plural: str) -> Api[dict[str, Any]]:
    return Api(group=group, version=version, kind=kind, plural=plural, spec=dict[str, Any])


APPLICATION = _custom("argoproj.io", "v1alpha1", "Application", "applications")
APP_PROJECT = _custom("argoproj.io", "v1alpha1", "AppProject", "appprojects")
GIT_REPOSITORY = _custom("source.toolkit.fluxcd.io", "v1", "GitRepository", "gitrepositories")
OCI_REPOSITORY = _custom("source.toolkit.fluxcd.io", "v1", "OCIRepository", "ocirepositories")
KUSTOMIZATION = _custom("kustomize.toolkit.fluxcd.io", "v1", "Kustomization", "kustomizations")
