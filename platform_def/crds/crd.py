"""From types to CRDs: exactly what the API server stores, so that no GitOps engine sees drift.

No `status`, no `preserveUnknownFields: false`, no default that the server would add on its own.
"""

from __future__ import annotations

from typing import Any

import orjson

from platform_def.crds.model import Api, Column, Definition, WebhookConversion
from platform_def.crds.schema import Manifest, Schema
from platform_def.crds.structure import object_schema


def crd(definition: Definition) -> Manifest:
    """The CustomResourceDefinition; a fresh copy with sorted keys."""
    api = definition.api
    names: Manifest = {
        "kind": api.kind,
        "listKind": definition.list_kind or f"{api.kind}List",
        "plural": api.plural,
        "singular": definition.singular or api.kind.lower(),
        "shortNames": list(definition.short_names),
        "categories": list(definition.categories),
    }
    spec: Manifest = {
        "group": api.group,
        "names": _filled(names),
        "scope": "Namespaced" if api.namespaced else "Cluster",
        "versions": [_version(version) for version in definition.versions],
    }
    if definition.conversion:
        spec["conversion"] = _conversion(definition.conversion)
    metadata = {
        "name": definition.name,
        "annotations": dict(definition.annotations),
        "labels": dict(definition.labels),
    }
    whole = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": _filled(metadata),
        "spec": spec,
    }
    fresh: Manifest = orjson.loads(orjson.dumps(whole, option=orjson.OPT_SORT_KEYS))
    return fresh


def _filled(values: Manifest) -> Manifest:
    return {key: value for key, value in values.items() if value not in ("", 0, None, [], {})}


def _version(api: Api[Any]) -> Manifest:
    subresources: Manifest = {"status": {}} if api.status_subresource else {}
    if api.scale:
        paths = {"specReplicasPath": api.scale.spec, "statusReplicasPath": api.scale.status}
        subresources["scale"] = _filled({**paths, "labelSelectorPath": api.scale.selector})
    schema: Schema = object_schema(api)
    more = {
        "additionalPrinterColumns": [_column(column) for column in api.columns],
        "subresources": subresources,
        "selectableFields": [{"jsonPath": path} for path in api.selectable],
        "deprecated": api.deprecated or None,
        "deprecationWarning": api.deprecation_warning,
    }
    return {
        "name": api.version,
        "served": api.served,
        "storage": api.storage,
        "schema": {"openAPIV3Schema": schema},
        **_filled(more),
    }


def _column(column: Column) -> Manifest:
    optional = {"priority": column.priority, "format": column.format, "description": column.doc}
    return {"name": column.name, "type": column.type, "jsonPath": column.path, **_filled(optional)}


def _conversion(webhook: WebhookConversion) -> Manifest:
    service = {"name": webhook.service, "namespace": webhook.namespace, "path": webhook.path, "port": webhook.port}
    client = {"service": _filled(service), "url": webhook.url, "caBundle": webhook.ca_bundle}
    return {
        "strategy": "Webhook",
        "webhook": {"clientConfig": _filled(client), "conversionReviewVersions": list(webhook.review_versions)},
    }
