"""Configurations that a ClusterPolicy of the GPU operator chooses are keys of ConfigMaps in the operator's namespace.

Facts: GPU operator 26.7 (the device plugin's config manager reads the key `default` names; the MIG manager reads
config.yaml, and a layout of it by the label nvidia.com/mig.config).
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.errors import nearest
from platform_def.manifests.loose import at, mapping, text
from platform_def.manifests.paths import containers
from platform_def.manifests.rendered import RenderedObject

_NAME = "gpu-operator"
_PARTS = ("devicePlugin.config", "migManager.config")


def chosen(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    """Keys and ConfigMaps that a policy names in vain."""
    policies = context.index.by_kind.get(("nvidia.com", "ClusterPolicy"), ())
    maps = context.index.by_kind.get(("", "ConfigMap"), ())
    home = _namespace(context) if policies else ""
    for item in policies:
        for part in _PARTS:
            config = mapping(at(item.manifest, f"spec.{part}"))
            name, default = text(config.get("name")), text(config.get("default"))
            named = [each for each in maps if each.name == name]
            if not name or not named:
                continue
            there = [each for each in named if each.namespace == home] if home else named
            if not there:
                said = f"ConfigMap {name} is in namespace {named[0].namespace}, and the operator runs in {home}"
                hint = f"put it into namespace {home}"
                yield item, Fault(f"spec.{part}.name", f"{said}: it reads ConfigMaps of its own alone", hint)
                continue
            keys = {*mapping(there[0].manifest.get("data"))}
            if part.startswith("devicePlugin") and default and keys and default not in keys:
                said = f"{there[0]} has no key '{default[:60]}': the device plugin finds no configuration"
                yield item, Fault(f"spec.{part}.default", said, nearest(default, keys))
            if part.startswith("migManager") and keys and "config.yaml" not in keys:
                said = f"{there[0]} has no key config.yaml, which the MIG manager reads"
                yield item, Fault(f"spec.{part}.name", said, "call the key config.yaml")


def _namespace(context: Context) -> str:
    """Where the operator runs; empty where the objects do not say it."""
    for item in context.index.by_kind.get(("apps", "Deployment"), ()):
        images = (text(container.get("image")) for _, container in containers(item.manifest))
        if item.name == _NAME or any(f"/{_NAME}:" in image for image in images):
            return item.namespace or ""
    releases = context.index.by_kind.get(("helm.toolkit.fluxcd.io", "HelmRelease"), ())
    for item in releases:
        if text(at(item.manifest, "spec.chart.spec.chart")) == _NAME:
            return text(at(item.manifest, "spec.targetNamespace")) or item.namespace or ""
    return ""
