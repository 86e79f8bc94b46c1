"""The smallest objects and stacks that the tests of the rules start from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from platform_def.checks.context import Memo
from platform_def.checks.engine import check
from platform_def.checks.rule import Finding, Rule
from platform_def.config.platform import ComponentFact, Platform
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedObject, RenderedStack


def rendered(
    *manifests: Manifest,
    component: str = "app",
    platform: Platform | None = None,
    facts: Mapping[str, ComponentFact] | None = None,
) -> RenderedStack:
    """A stack of one component that holds the manifests."""
    platform = (platform or Platform()).with_facts(components=facts or {})
    objects = tuple(RenderedObject(manifest, component, "main", f"{component}/made") for manifest in manifests)
    return RenderedStack("test", platform, {component: RenderedComponent(component, objects)}, platform.components)


def found(rule: Rule, stack: RenderedStack, *, memo: Memo | None = None) -> list[Finding]:
    """What one rule finds."""
    return check(stack, rules=(rule,), memo=memo)


def config_map(name: str = "settings", *, namespace: str | None = "default", **fields: Any) -> Manifest:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, **fields}


def deployment(name: str = "web", *, pod: Mapping[str, Any] | None = None, **container: Any) -> Manifest:
    """A Deployment of one container; keywords are the container's fields."""
    only = {"name": "main", "image": "registry.example.com/web:1.0", **container}
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [only], **(pod or {})}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": name}}, "template": template},
    }


def crd(spec: Manifest, *, scope: str = "Namespaced", versions: tuple[str, ...] = ("v1",)) -> Manifest:
    """A CRD that serves `Thing` of example.com; `spec` is the schema of its field of that name."""
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Thing", "listKind": "ThingList", "plural": "things", "singular": "thing"},
            "scope": scope,
            "versions": [
                {"name": version, "served": True, "storage": version == versions[0], "schema": schema}
                for version in versions
            ],
        },
    }


def thing(spec: object = None, *, version: str = "v1", namespace: str | None = "default", **fields: Any) -> Manifest:
    """An object of the kind that `crd` serves."""
    metadata = {"name": "it"} | ({"namespace": namespace} if namespace else {})
    body = {} if spec is None else {"spec": spec}
    return {"apiVersion": f"example.com/{version}", "kind": "Thing", "metadata": metadata, **body, **fields}
