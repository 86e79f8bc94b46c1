"""PodDefaults of each team: what a pod with the label of one gets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from platform_def.apis.core.core_v1 import EnvVar
from platform_def.apis.kubeflow.pod_default_v1alpha1 import POD_DEFAULT
from platform_def.capabilities import PipelineServer
from platform_def.constructs import Bucket, Resource, env
from platform_def.constructs.environment import proxied

if TYPE_CHECKING:
    from platform_def.components.notebooks.admission_webhook.config import AnyAdmissionWebhook

TOKEN_FOLDER, TOKEN = "/var/run/secrets/kubeflow/pipelines", "token"
AUDIENCE = "pipelines.kubeflow.org"
"""Whom the token is for where nothing says it: what the API server of pipelines asks for by default."""
INDEXES: Mapping[str, str] = {
    "pip": "PIP_INDEX_URL",
    "npm": "NPM_CONFIG_REGISTRY",
    "conda": "CONDA_CHANNEL_ALIAS",
    "goproxy": "GOPROXY",
}
"""Variables by which programs find a package index; R reads none of its own."""


@dataclass(frozen=True, kw_only=True)
class NamedPodDefault:
    """A PodDefault, chosen by the label of its name."""

    name: str
    title: str
    variables: list[EnvVar]
    fields: Mapping[str, object] = field(default_factory=dict)


def defaults(component: AnyAdmissionWebhook) -> None:
    """Those of every team, in its namespace and in those of its members."""
    store = Bucket(component, "teams", namespaces=_homes(component)) if component.config.object_store else None
    for home in _homes(component):
        for each in (*_of_stack(component), *(_of_store(store) if store else ())):
            spec: Any = {
                "desc": each.title,
                "selector": {"matchLabels": {each.name: "true"}},
                "env": each.variables,
                **each.fields,
            }
            Resource(component, POD_DEFAULT, each.name, spec=spec, namespace=home, part="after")


def _homes(component: AnyAdmissionWebhook) -> list[str]:
    return [home for team in component.platform.teams for home in team.homes]


def _of_stack(component: AnyAdmissionWebhook) -> Iterator[NamedPodDefault]:
    given = component.platform.maybe(PipelineServer)
    if given or component.platform.serves("ScheduledWorkflow.kubeflow.org"):
        yield pipelines(given.value.audience if given else AUDIENCE)
    indexes = component.platform.package_indexes
    variables = {INDEXES[kind]: address for kind, address in sorted(indexes.items()) if kind in INDEXES}
    if variables:
        yield NamedPodDefault(
            name="package-indexes", title="Use the platform's package indexes", variables=env(variables)
        )
    if component.config.team_proxy:
        yield NamedPodDefault(
            name="proxy",
            title="Reach the internet through the proxy",
            variables=env(proxied(component.config.team_proxy, component.platform.dns_domain)),
        )


def pipelines(audience: str) -> NamedPodDefault:
    """A token for the API of pipelines, where their Python client looks for it."""
    source = {"serviceAccountToken": {"path": TOKEN, "expirationSeconds": 7200, "audience": audience}}
    volume = {"name": "volume-kf-pipeline-token", "projected": {"sources": [source]}}
    mount = {"name": "volume-kf-pipeline-token", "mountPath": TOKEN_FOLDER, "readOnly": True}
    return NamedPodDefault(
        name="access-ml-pipeline",
        title="Allow access to Kubeflow Pipelines",
        variables=env({"KF_PIPELINES_SA_TOKEN_PATH": f"{TOKEN_FOLDER}/{TOKEN}"}),
        fields={"volumes": [volume], "volumeMounts": [mount]},
    )


def _of_store(bucket: Bucket) -> Iterator[NamedPodDefault]:
    where = {"AWS_ENDPOINT_URL": bucket.url, "AWS_DEFAULT_REGION": bucket.region, "S3_BUCKET": bucket.bucket}
    keys = bucket.env(access_key="AWS_ACCESS_KEY_ID", secret_key="AWS_SECRET_ACCESS_KEY")  # noqa: S106 - names
    authority = bucket.authority_env("AWS_CA_BUNDLE")
    volumes, mounted = bucket.authority_volumes(), bucket.authority_mounts()
    yield NamedPodDefault(
        name="object-store",
        title="Use the platform's object store",
        variables=[*env(where), *keys, *authority],
        fields={"volumes": volumes, "volumeMounts": mounted} if volumes else {},
    )
