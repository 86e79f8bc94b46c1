"""Rights of External Secrets' programs."""

from __future__ import annotations

from platform_def.constructs import READ, allow

_GROUP, _GENERATORS = "external-secrets.io", "generators.external-secrets.io"
_FOLLOWED = "get list patch update watch"
_MADE = f"create delete {_FOLLOWED}"
_ALL = "clusterexternalsecrets clusterpushsecrets clustersecretstores externalsecrets pushsecrets secretstores"

CONTROLLER = (
    allow("", "configmaps serviceaccounts", verbs=READ),
    allow("", "serviceaccounts/token", verbs="create"),  # a store may know the cluster's accounts
    allow("", "events", verbs="create patch"),
    allow("", "namespaces", verbs=_FOLLOWED),  # finalizers of ClusterExternalSecrets
    allow("", "secrets", verbs=_MADE),
    allow(_GROUP, "clusterexternalsecrets clusterpushsecrets clustersecretstores secretstores", verbs=_FOLLOWED),
    allow(_GROUP, "externalsecrets pushsecrets", verbs=_MADE),
    allow(_GROUP, " ".join(f"{each}/finalizers {each}/status" for each in _ALL.split()), verbs="get patch update"),
    allow(
        _GENERATORS,
        "acraccesstokens beyondtrustworkloadcredentialsdynamicsecrets cloudsmithaccesstokens clustergenerators "
        "ecrauthorizationtokens fakes gcraccesstokens githubaccesstokens gitlabdeploytokens grafanas mfas passwords "
        "quayaccesstokens sshkeys stssessiontokens uuids vaultdynamicsecrets webhooks",
        verbs=READ,
    ),
    allow(_GENERATORS, "generatorstates", verbs=f"{_MADE} deletecollection"),
)
CERTIFICATES = (
    allow("", "endpoints secrets", verbs=READ),
    allow("discovery.k8s.io", "endpointslices", verbs=READ),
    allow("", "secrets", verbs="patch update", names="external-secrets-webhook"),
    allow("", "events", verbs="create patch"),
    allow("admissionregistration.k8s.io", "validatingwebhookconfigurations", verbs=READ),
    allow(
        "admissionregistration.k8s.io",
        "validatingwebhookconfigurations",
        verbs="patch update",
        names="externalsecret-validate secretstore-validate",
    ),
    allow("apiextensions.k8s.io", "customresourcedefinitions", verbs=READ),
    allow(
        "apiextensions.k8s.io",
        "customresourcedefinitions",
        verbs="patch update",
        names="clustersecretstores.external-secrets.io externalsecrets.external-secrets.io "
        "secretstores.external-secrets.io",
    ),
    allow("coordination.k8s.io", "leases", verbs="create get patch update"),
)
