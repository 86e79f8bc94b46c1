"""Where artifacts and logs of workflows are kept: a bucket, of which each team's key opens the team's part alone.

A workflow reads its repository from the ConfigMap of its namespace, and else from the controller's configuration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from platform_def.apis.core.core_v1 import CONFIG_MAP
from platform_def.capabilities import WorkflowNamespaces
from platform_def.constructs import Bucket, Resource, yaml_file
from platform_def.constructs.bucket import BucketKey
from platform_def.constructs.secrets import SecretUse

if TYPE_CHECKING:
    from platform_def.components.pipelines.argo_workflows.config import AnyArgoWorkflows

NAME = "argo-workflows"
REPOSITORIES, DEFAULT = "artifact-repositories", "default"
DEFAULT_KEY = "workflows.argoproj.io/default-artifact-repository"
_BELOW = "{{workflow.name}}/{{pod.name}}"


def artifact_bucket(component: AnyArgoWorkflows) -> Bucket:
    """The bucket, keys, and the repository of each team's namespace, unless another component keeps one there."""
    elsewhere = {
        home
        for each in component.platform.all(WorkflowNamespaces)
        if each.by != component.name and each.value.artifacts
        for home in each.value.namespaces
    }
    homes = [team.home for team in component.platform.teams if team.home not in elsewhere]
    keys = [BucketKey(f"{NAME}-{home}", home, f"{home}/") for home in homes]
    bucket = Bucket(component, NAME, keys=keys)
    for home in homes:
        repository = {"archiveLogs": True, "s3": store(bucket, bucket.keys[home], namespace=home)}
        Resource(
            component,
            CONFIG_MAP,
            REPOSITORIES,
            namespace=home,
            annotations={DEFAULT_KEY: DEFAULT},
            fields={"data": {DEFAULT: yaml_file(repository)}},
        )
    return bucket


def store(bucket: Bucket, secret: SecretUse | None, *, namespace: str = "{{workflow.namespace}}") -> dict[str, Any]:
    """The bucket; its Secret is read in the namespace of each workflow."""
    made: dict[str, Any] = {
        "endpoint": bucket.endpoint,
        "bucket": bucket.bucket,
        "region": bucket.region,
        "insecure": not bucket.tls,
        "keyFormat": f"{namespace}/{_BELOW}",
    }
    if bucket.ca:
        made["caSecret"] = {"name": bucket.ca.secret, "key": bucket.ca.key}
    if secret is None:
        return {**made, "useSDKCreds": True}
    return {**made, "accessKeySecret": secret.ref("accessKey"), "secretKeySecret": secret.ref("secretKey")}
