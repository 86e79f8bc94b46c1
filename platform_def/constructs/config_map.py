"""ConfigMaps, and configuration files inside them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from platform_def.apis.core.core_v1 import CONFIG_MAP
from platform_def.constructs.component import Scope
from platform_def.constructs.resource import Resource
from platform_def.yaml import dump


def config_map(
    scope: Scope,
    name: str,
    data: Mapping[str, str],
    *,
    namespace: str | None = None,
    labels: Mapping[str, str] | None = None,
) -> Resource:
    """A ConfigMap with these files."""
    return Resource(scope, CONFIG_MAP, name, fields={"data": dict(data)}, namespace=namespace, labels=labels)


def yaml_file(content: object) -> str:
    """A configuration file in YAML: sorted keys, the same bytes for the same content."""
    return dump(content, kubernetes=False)


def restart_on_change(*files: str) -> dict[str, str]:
    """A pod annotation that changes with these files, for programs that read them only when they start."""
    digest = hashlib.sha256("\0".join(files).encode()).hexdigest()
    return {"platform-def.dev/configuration": digest[:16]}
