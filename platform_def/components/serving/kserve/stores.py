"""Where models come from: what KServe knows of the stack's object store, and what opens it in teams' namespaces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from platform_def.apis.core.core_v1 import SERVICE_ACCOUNT, ServiceAccount
from platform_def.capabilities import ObjectStore
from platform_def.constructs import AnyComponent, Bucket, Problem, Resource, Setting

BUCKET = ACCOUNT = "models"
CA_KEY = "cabundle.crt"
"""Key under which KServe looks for authorities: compiled into it."""


def store_problems(at: Setting[Any]) -> Iterator[Problem]:
    """An authority under a key where KServe does not look."""
    given = at.maybe(ObjectStore)
    if given and given.value.ca and given.value.ca.key != CA_KEY:
        text = f"components.{at.name}: KServe reads authorities from the key {CA_KEY} alone, and the object store's is"
        text += f" in {given.value.ca.key}"
        hint = f"write `ca: {{configMap: {given.value.ca.config_map}, key: {CA_KEY}}}`, with the key in that ConfigMap"
        yield Problem(text, hint=hint, at=("components", at.name))


def credentials(component: AnyComponent) -> dict[str, object]:
    """KServe's settings of the store; per team a Secret with its keys, and an account that KServe finds it by."""
    bucket = _bucket(component)
    secret = bucket.secret if bucket else None
    s3: dict[str, str] = {
        "s3AccessKeyIDName": secret.key("accessKey") if secret else "AWS_ACCESS_KEY_ID",
        "s3SecretAccessKeyName": secret.key("secretKey") if secret else "AWS_SECRET_ACCESS_KEY",
    }
    if bucket:
        s3 |= {
            "s3Endpoint": bucket.endpoint,
            "s3UseHttps": "1" if bucket.tls else "0",
            "s3Region": bucket.region,
            "s3VerifySSL": "1",
            "s3UseVirtualBucket": "false" if bucket.path_style else "true",
            "s3UseAccelerate": "false",
            "s3UseAnonymousCredential": "false",
        }
    return {
        "storageSpecSecretName": "storage-config",
        "storageSecretNameAnnotation": "serving.kserve.io/storageSecretName",
        "gcs": {"gcsCredentialFileName": "gcloud-application-credentials.json"},
        "s3": s3,
    }


def authority(component: AnyComponent) -> str:
    """ConfigMap with the authority of the store, which KServe copies into namespaces of services; empty: none."""
    given = component.maybe(ObjectStore)
    return given.value.ca.config_map if given and given.value.ca else ""


def account_of(at: Setting[Any]) -> str | None:
    """The account in teams' namespaces, where the stack has a store and teams."""
    return ACCOUNT if at.platform.teams and at.maybe(ObjectStore) else None


def bucket_of(at: Setting[Any]) -> str:
    """Name of the bucket of models; empty without a store."""
    given = at.maybe(ObjectStore)
    share = given.value.buckets.get(BUCKET) if given else None
    return (share.bucket if share else None) or (BUCKET if given else "")


def _bucket(component: AnyComponent) -> Bucket | None:
    homes = [team.home for team in component.platform.teams]
    if component.maybe(ObjectStore) is None or not homes:
        return None
    bucket = Bucket(component, BUCKET, namespaces=homes)
    fields: ServiceAccount = {"automountServiceAccountToken": False}
    if bucket.secret:
        fields["secrets"] = [{"name": bucket.secret.name}]
    for home in homes:
        Resource(component, SERVICE_ACCOUNT, ACCOUNT, namespace=home, fields=fields)
    return bucket
