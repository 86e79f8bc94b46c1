"""External Secrets 2.9: pushing, and generators of secrets."""

from __future__ import annotations

from pathlib import Path

from platform_def.apis.external_secrets.names import cluster_generator_names, generator_names
from platform_def.crds.health import HealthConditions
from platform_def.crds.model import AGE, Api, Column, DataSchema, Definition
from platform_def.crds.schema import Ref

_DATA = Path(__file__).with_name("rest_v1.json")

_GENERATOR = Ref("Password", group="generators.external-secrets.io", kind_field="kind", group_field="apiVersion")
_STORE = Ref("SecretStore", group="external-secrets.io", kind_field="kind")
_TEMPLATES = {"configMap.name": Ref("ConfigMap"), "secret.name": Ref("Secret")}
_EXTERNAL_SECRET = {
    "spec.externalSecretSpec.secretStoreRef.name": _STORE,
    **{
        f"spec.externalSecretSpec.{data}[].sourceRef.{path}": ref
        for data in ("data", "dataFrom")
        for path, ref in {"storeRef.name": _STORE, "generatorRef.name": _GENERATOR}.items()
    },
    **{f"spec.externalSecretSpec.target.template.templateFrom[].{path}": ref for path, ref in _TEMPLATES.items()},
}


def _pushed(before: str) -> dict[str, Ref]:
    return {
        f"{before}.dataTo[].storeRef.name": _STORE,
        f"{before}.secretStoreRefs[].name": _STORE,
        f"{before}.selector.generatorRef.name": _GENERATOR,
        f"{before}.selector.secret.name": Ref("Secret"),
        **{f"{before}.template.templateFrom[].{path}": ref for path, ref in _TEMPLATES.items()},
    }


CLUSTER_EXTERNAL_SECRET = Api(
    group="external-secrets.io",
    version="v1",
    kind="ClusterExternalSecret",
    plural="clusterexternalsecrets",
    namespaced=False,
    spec=dict[str, object],
    data=DataSchema(_DATA, "clusterexternalsecrets/v1"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Store", ".spec.externalSecretSpec.secretStoreRef.name"),
        Column("Refresh Interval", ".spec.refreshTime"),
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
    ),
    health=HealthConditions(ready=("Ready",)),
    references=_EXTERNAL_SECRET,
)

CLUSTER_EXTERNAL_SECRET_V1BETA1 = Api(
    group="external-secrets.io",
    version="v1beta1",
    kind="ClusterExternalSecret",
    plural="clusterexternalsecrets",
    namespaced=False,
    spec=dict[str, object],
    data=DataSchema(_DATA, "clusterexternalsecrets/v1beta1"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Store", ".spec.externalSecretSpec.secretStoreRef.name"),
        Column("Refresh Interval", ".spec.refreshTime"),
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
    ),
    served=False,
    storage=False,
    deprecated=True,
    health=HealthConditions(ready=("Ready",)),
    references=_EXTERNAL_SECRET,
)

CLUSTER_PUSH_SECRET = Api(
    group="external-secrets.io",
    version="v1alpha1",
    kind="ClusterPushSecret",
    plural="clusterpushsecrets",
    namespaced=False,
    spec=dict[str, object],
    data=DataSchema(_DATA, "clusterpushsecrets/v1alpha1"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("AGE", ".metadata.creationTimestamp", type="date"),
        Column("Status", '.status.conditions[?(@.type=="Ready")].reason'),
    ),
    references=_pushed("spec.pushSecretSpec"),
    health=HealthConditions(ready=("Ready",)),
)

PUSH_SECRET = Api(
    group="external-secrets.io",
    version="v1alpha1",
    kind="PushSecret",
    plural="pushsecrets",
    spec=dict[str, object],
    data=DataSchema(_DATA, "pushsecrets/v1alpha1"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("AGE", ".metadata.creationTimestamp", type="date"),
        Column("Status", '.status.conditions[?(@.type=="Ready")].reason'),
        Column("Last Sync", ".status.refreshTime", type="date"),
    ),
    health=HealthConditions(ready=("Ready",)),
    references=_pushed("spec"),
)

ACR_ACCESS_TOKEN = Api(
    group="generators.external-secrets.io",
    version="v1alpha1",
    kind="ACRAccessToken",
    plural="acraccesstokens",
    spec=dict[str, object],
    data=DataSchema(_DATA, "acraccesstokens/v1alpha1"),
    core="1.37",
    status_subresource=True,
    references=generator_names("acrAccessToken"),
)

BEYONDTRUST_WORKLOAD_CREDENTIALS_DYNAMIC_SECRET = Api(
    group="generators.external-secrets.io",
    version="v1alpha1",
    kind="BeyondtrustWorkloadCredentialsDynamicSecret",
    plural="beyondtrustworkloadcredentialsdynamicsecrets",
    spec=dict[str, object],
    data=DataSchema(_DATA, "beyondtrustworkloadcredentialsdynamicsecrets/v1alpha1"),
    core="1.37",
    status_subresource=True,
    references=generator_names("beyondtrustWorkloadCredentialsDynamicSecret"),
)

CLOUDSMITH_ACCESS_TOKEN = Api(
    group="generators.external-secrets.io",
    version="v1alpha1",
    kind="CloudsmithAccessToken",
    plural="cloudsmithaccesstokens",
    spec=dict[str, object],
    data=DataSchema(_DATA, "cloudsmithaccesstokens/v1alpha1"),
    core="1.37",
    status_subresource=True,
    references=generator_names("cloudsmithAccessToken"),
)

CLUSTER_GENERATOR = Api(
    group="generators.external-secrets.io",
    version="v1alpha1",
    kind="ClusterGenerator",
    plural="clustergenerators",
    namespaced=False,
    spec=dict[str, object],
    data=DataSchema(_DATA, "clustergenerators/v1alpha1"),
    core="1.37",
    status_subresource=True,
    references=cluster_generator_names(),
)

ECR_AUTHORIZATION_TOKEN = Api(
    group="generators.external-secrets.io",
    version="v1alpha1",
    kind="ECRAuthorizationToken",
    plural="ecrauthorizationtokens",
    spec=dict[str, object],
    data=DataSchema(_DATA, "ecrauthorizationtokens/v1alpha1"),
    core="1.37",
    status_subresource=True,
    references=generator_names("ecrAuthorizationToken"),
)

FAKE = Api(
    group="generators.external-secrets.io",
    version="v1alpha1",
    kind="Fake",
    plural="fakes",
    spec=dict[str, object],
    data=DataSchema(_DATA, "fakes/v1alpha1"),
    core="1.37",
    status_subresource=True,
)

GCR_ACCESS_TOKEN = Api(
    group="generators.external-secrets.io",
    version="v1alpha1",
    kind="GCRAccessToken",
    plural="gcraccesstokens",
    spec=dict[str, object],
    data=DataSchema(_DATA, "gcraccesstokens/v1alpha1"),
    core="1.37",
    status_subresource=True,
    references=generator_names("gcrAccessToken"),
)

GENERATOR_STATE = Api(
    group="generators.external-secrets.io",
    version="v1alpha1",
    kind="GeneratorState",
    plural="generatorstates",
    spec=dict[str, object],
    data=DataSchema(_DATA, "generatorstates/v1alpha1"),
    core="1.37",
    columns=(Column("GC Deadline", ".spec.garbageCollectionDeadline"), AGE),
)

GITHUB_ACCESS_TOKEN = Api(
    group="generators.external-secrets.io",
    version="v1alpha1",
    kind="GithubAccessToken",
    plural="githubaccesstokens",
    spec=dict[str, object],
    data=DataSchema(_DATA, "githubaccesstokens/v1alpha1"),
    core="1.37",
    status_subresource=True,
    references=generator_names("githubAccessToken"),
)

GITLAB_DEPLOY_TOKEN = Api(
    group="generators.external-secrets.io",
    version="v1alpha1",
    kind="GitlabDeployToken",
    plural="gitlabdeploytokens",
    spec=dict[str, object],
    data=DataSchema(_DATA, "gitlabdeploytokens/v1alpha1"),
    core="1.37",
    status_subresource=True,
    references=generator_names("gitlabDeployToken"),
)

GRAFANA = Api(
    group="generators.external-secrets.io",
    version="v1alpha1",
    kind="Grafana",
    plural="grafanas",
    spec=dict[str, object],
    data=DataSchema(_DATA, "grafanas/v1alpha1"),
    core="1.37",
    status_subresource=True,
    references=generator_names("grafana"),
)

MFA = Api(
    group="generators.external-secrets.io",
    version="v1alpha1",
    kind="MFA",
    plural="mfas",
    spec=dict[str, object],
    data=DataSchema(_DATA, "mfas/v1alpha1"),
    core="1.37",
    status_subresource=True,
    references=generator_names("mfa"),
)

PASSWORD = Api(
    group="generators.external-secrets.io",
    version="v1alpha1",
    kind="Password",
    plural="passwords",
    spec=dict[str, object],
    data=DataSchema(_DATA, "passwords/v1alpha1"),
    core="1.37",
    status_subresource=True,
)

QUAY_ACCESS_TOKEN = Api(
    group="generators.external-secrets.io",
    version="v1alpha1",
    kind="QuayAccessToken",
    plural="quayaccesstokens",
    spec=dict[str, object],
    data=DataSchema(_DATA, "quayaccesstokens/v1alpha1"),
    core="1.37",
    status_subresource=True,
    references=generator_names("quayAccessToken"),
)

SSH_KEY = Api(
    group="generators.external-secrets.io",
    version="v1alpha1",
    kind="SSHKey",
    plural="sshkeys",
    spec=dict[str, object],
    data=DataSchema(_DATA, "sshkeys/v1alpha1"),
    core="1.37",
    status_subresource=True,
)

STS_SESSION_TOKEN = Api(
    group="generators.external-secrets.io",
    version="v1alpha1",
    kind="STSSessionToken",
    plural="stssessiontokens",
    spec=dict[str, object],
    data=DataSchema(_DATA, "stssessiontokens/v1alpha1"),
    core="1.37",
    status_subresource=True,
    references=generator_names("stsSessionToken"),
)

UUID = Api(
    group="generators.external-secrets.io",
    version="v1alpha1",
    kind="UUID",
    plural="uuids",
    spec=dict[str, object],
    data=DataSchema(_DATA, "uuids/v1alpha1"),
    core="1.37",
    status_subresource=True,
)

VAULT_DYNAMIC_SECRET = Api(
    group="generators.external-secrets.io",
    version="v1alpha1",
    kind="VaultDynamicSecret",
    plural="vaultdynamicsecrets",
    spec=dict[str, object],
    data=DataSchema(_DATA, "vaultdynamicsecrets/v1alpha1"),
    core="1.37",
    status_subresource=True,
    references=generator_names("vaultDynamicSecret"),
)

WEBHOOK = Api(
    group="generators.external-secrets.io",
    version="v1alpha1",
    kind="Webhook",
    plural="webhooks",
    spec=dict[str, object],
    data=DataSchema(_DATA, "webhooks/v1alpha1"),
    core="1.37",
    status_subresource=True,
    references=generator_names("webhook"),
)

CRDS = (
    Definition(
        (CLUSTER_EXTERNAL_SECRET, CLUSTER_EXTERNAL_SECRET_V1BETA1),
        short_names=("ces",),
        categories=("external-secrets",),
    ),
    Definition((CLUSTER_PUSH_SECRET,), categories=("external-secrets",)),
    Definition((PUSH_SECRET,), short_names=("ps",), categories=("external-secrets",)),
    Definition((ACR_ACCESS_TOKEN,), categories=("external-secrets", "external-secrets-generators")),
    Definition(
        (BEYONDTRUST_WORKLOAD_CREDENTIALS_DYNAMIC_SECRET,),
        categories=("external-secrets", "external-secrets-generators"),
    ),
    Definition((CLOUDSMITH_ACCESS_TOKEN,), categories=("external-secrets", "external-secrets-generators")),
    Definition((CLUSTER_GENERATOR,), categories=("external-secrets", "external-secrets-generators")),
    Definition((ECR_AUTHORIZATION_TOKEN,), categories=("external-secrets", "external-secrets-generators")),
    Definition((FAKE,), categories=("external-secrets", "external-secrets-generators")),
    Definition((GCR_ACCESS_TOKEN,), categories=("external-secrets", "external-secrets-generators")),
    Definition((GENERATOR_STATE,), short_names=("gs",), categories=("external-secrets", "external-secrets-generators")),
    Definition((GITHUB_ACCESS_TOKEN,), categories=("external-secrets", "external-secrets-generators")),
    Definition((GITLAB_DEPLOY_TOKEN,), categories=("external-secrets", "external-secrets-generators")),
    Definition((GRAFANA,), categories=("external-secrets", "external-secrets-generators")),
    Definition((MFA,), categories=("external-secrets", "external-secrets-generators")),
    Definition((PASSWORD,), categories=("external-secrets", "external-secrets-generators")),
    Definition((QUAY_ACCESS_TOKEN,), categories=("external-secrets", "external-secrets-generators")),
    Definition((SSH_KEY,), categories=("external-secrets", "external-secrets-generators")),
    Definition((STS_SESSION_TOKEN,), categories=("external-secrets", "external-secrets-generators")),
    Definition((UUID,), categories=("external-secrets", "external-secrets-generators")),
    Definition((VAULT_DYNAMIC_SECRET,), categories=("external-secrets", "external-secrets-generators")),
    Definition((WEBHOOK,), categories=("external-secrets", "external-secrets-generators")),
)
