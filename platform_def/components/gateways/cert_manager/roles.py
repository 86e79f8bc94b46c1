"""What cert-manager's three programs and the cluster's users may do with certificates: upstream's rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.constructs import READ, allow

CHANGE = "get list patch update watch"
MAKE = "create delete get list update watch"
USER = "create delete deletecollection patch update"

EVENTS = allow("", "events", verbs="create patch")
READ_ISSUERS = allow("cert-manager.io", "clusterissuers issuers", verbs=READ)
SIGNERS = "clusterissuers.cert-manager.io/* issuers.cert-manager.io/*"

CONTROLLER: Mapping[str, Sequence[PolicyRule]] = {
    "cert-manager-controller-approve:cert-manager-io": (
        allow("cert-manager.io", "signers", verbs="approve", names=SIGNERS),
    ),
    "cert-manager-controller-certificates": (
        EVENTS,
        READ_ISSUERS,
        allow("", "secrets", verbs=f"{MAKE} patch"),
        allow("acme.cert-manager.io", "orders", verbs="create delete get list watch"),
        allow("cert-manager.io", "certificaterequests certificates", verbs=CHANGE),
        allow("cert-manager.io", "certificaterequests/finalizers certificates/finalizers", verbs="update"),
        allow("cert-manager.io", "certificaterequests/status certificates/status", verbs="patch update"),
    ),
    "cert-manager-controller-certificatesigningrequests": (
        allow("authorization.k8s.io", "subjectaccessreviews", verbs="create"),
        allow("certificates.k8s.io", "certificatesigningrequests", verbs=f"{READ} update"),
        allow("certificates.k8s.io", "certificatesigningrequests/status", verbs="patch update"),
        allow("certificates.k8s.io", "signers", verbs="sign", names=SIGNERS),
    ),
    "cert-manager-controller-challenges": (
        EVENTS,
        READ_ISSUERS,
        allow("", "pods services", verbs="create delete get list watch"),  # solvers of HTTP-01 challenges
        allow("", "secrets", verbs=READ),
        allow("acme.cert-manager.io", "challenges", verbs=CHANGE),
        allow("acme.cert-manager.io", "challenges/finalizers", verbs="update"),
        allow("acme.cert-manager.io", "challenges/status", verbs="patch update"),
        allow("gateway.networking.k8s.io", "httproutes", verbs=MAKE),
        allow("networking.k8s.io", "ingresses", verbs=MAKE),
        allow("route.openshift.io", "routes/custom-host", verbs="create"),
    ),
    "cert-manager-controller-clusterissuers": (
        EVENTS,
        allow("", "secrets", verbs=MAKE),
        allow("cert-manager.io", "clusterissuers", verbs=CHANGE),
        allow("cert-manager.io", "clusterissuers/status", verbs="patch update"),
    ),
    "cert-manager-controller-ingress-shim": (
        EVENTS,
        READ_ISSUERS,
        allow("cert-manager.io", "certificaterequests certificates", verbs=MAKE),
        allow("gateway.networking.k8s.io", "gateways httproutes", verbs=READ),
        allow("gateway.networking.k8s.io", "gateways/finalizers httproutes/finalizers", verbs="update"),
        allow("networking.k8s.io", "ingresses", verbs=READ),
        allow("networking.k8s.io", "ingresses/finalizers", verbs="update"),
    ),
    "cert-manager-controller-issuers": (
        EVENTS,
        allow("", "secrets", verbs=MAKE),
        allow("cert-manager.io", "issuers", verbs=CHANGE),
        allow("cert-manager.io", "issuers/status", verbs="patch update"),
    ),
    "cert-manager-controller-orders": (
        EVENTS,
        READ_ISSUERS,
        allow("", "secrets", verbs=READ),
        allow("acme.cert-manager.io", "challenges", verbs="create delete get list watch"),
        allow("acme.cert-manager.io", "orders", verbs=CHANGE),
        allow("acme.cert-manager.io", "orders/finalizers", verbs="update"),
        allow("acme.cert-manager.io", "orders/status", verbs="patch update"),
    ),
}
"""Cluster roles of the controller, one for each of its loops: what all releases need."""

SINCE_1_21: Mapping[str, Sequence[PolicyRule]] = {
    "cert-manager-controller-ingress-shim": (
        allow("gateway.networking.k8s.io", "listenersets", verbs=READ),
        allow("gateway.networking.k8s.io", "listenersets/finalizers", verbs="update"),
    ),
    "cert-manager-controller-orders": (
        allow("cert-manager.io", "clusterissuers/finalizers issuers/finalizers", verbs="update"),
    ),
}
"""What 1.21 needs beyond that, by role."""

CAINJECTOR = (
    allow("", "events", verbs="create get patch update"),
    allow("", "secrets", verbs=READ),
    allow("admissionregistration.k8s.io", "mutatingwebhookconfigurations", verbs=CHANGE),
    allow("admissionregistration.k8s.io", "validatingwebhookconfigurations", verbs=CHANGE),
    allow("apiextensions.k8s.io", "customresourcedefinitions", verbs=CHANGE),
    allow("apiregistration.k8s.io", "apiservices", verbs=CHANGE),
    allow("cert-manager.io", "certificates", verbs=READ),
)

WEBHOOK = (allow("authorization.k8s.io", "subjectaccessreviews", verbs="create"),)

USERS: Mapping[str, tuple[str, Sequence[PolicyRule]]] = {
    "cert-manager-cluster-view": (
        "cluster-reader",
        (allow("cert-manager.io", "clusterissuers", verbs=READ),),
    ),
    "cert-manager-view": (
        "view edit admin cluster-reader",
        (
            allow("acme.cert-manager.io", "challenges orders", verbs=READ),
            allow("cert-manager.io", "certificaterequests certificates issuers", verbs=READ),
        ),
    ),
    "cert-manager-edit": (
        "edit admin",
        (
            # Not to make them: who may, signs with the credentials of any ClusterIssuer (GHSA-8rvj-mm4h-c258).
            allow("acme.cert-manager.io", "challenges", verbs="delete deletecollection patch update"),
            allow("acme.cert-manager.io", "orders", verbs="delete deletecollection"),
            allow("cert-manager.io", "certificaterequests certificates issuers", verbs=USER),
            allow("cert-manager.io", "certificates/status", verbs="update"),  # `cmctl renew` sets a condition
        ),
    ),
}
"""Cluster roles that Kubernetes adds to its own `view`, `edit` and `admin`: those roles, then the rules."""


def leader_election(leases: str) -> Sequence[PolicyRule]:
    """Rights on the leases that the replicas of one program compete for."""
    return (
        allow("coordination.k8s.io", "leases", verbs="create"),  # no name can be given before it exists
        allow("coordination.k8s.io", "leases", verbs="get patch update", names=leases),
    )


def serving_secret(name: str) -> Sequence[PolicyRule]:
    """Rights on the Secret in which the webhook keeps the authority that it makes for itself."""
    return (
        allow("", "secrets", verbs="create"),
        allow("", "secrets", verbs=f"{READ} update", names=name),
    )


def tokens_of(account: str) -> Sequence[PolicyRule]:
    """The right to ask for tokens of one account, which issuers like Vault are shown."""
    return (allow("", "serviceaccounts/token", verbs="create", names=account),)
