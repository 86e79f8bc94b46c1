"""Argo CD's ConfigMaps, and the Secrets that it fills itself; it reads only what is labelled as a part of it.

Health checks of the stack's kinds come into argocd-cm when the stack is delivered: they follow from all its objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from platform_def.apis.core.core_v1 import CONFIG_MAP, SECRET
from platform_def.capabilities import Identity
from platform_def.components.delivery.argo_cd.config import ArgoCdConfig, ArgoCdOidc
from platform_def.components.delivery.argo_cd.parameters import PARAMETERS, SETTINGS
from platform_def.components.delivery.argo_cd.rules import NOTIFICATIONS_SECRET, NOTIFICATIONS_SETTINGS
from platform_def.constructs import Drift, Resource, Setting, scale, secret_of, yaml_file

if TYPE_CHECKING:
    from platform_def.components.delivery.argo_cd.config import AnyArgoCd

PART_OF = {"app.kubernetes.io/part-of": "argocd"}
OWN_SECRET = "argocd-secret"  # noqa: S105 - its name, compiled in
PATH = "/argocd"
"""Where the gateway serves the pages."""
KNOWN_HOSTS, CERTIFICATES, KEYS = "argocd-ssh-known-hosts-cm", "argocd-tls-certs-cm", "argocd-gpg-keys-cm"

# What changes all the time and says nothing of an object's state, as upstream has it: no reason to compare it again.
_NOTIFIED = '.metadata.annotations."notified.notifications.argoproj.io"'
_SCALED = ("deployment.kubernetes.io/desired-replicas", "deployment.kubernetes.io/max-replicas")
_AUTOSCALED = ("behavior", "conditions", "metrics", "current-metrics")
_APPLICATION = "argoproj.io_Application"
_UNINTERESTING: Mapping[str, Mapping[str, list[str]]] = {
    "all": {"jsonPointers": ["/status"]},
    "ConfigMap": {
        "jqPathExpressions": [
            '.metadata.annotations."cluster-autoscaler.kubernetes.io/last-updated"',
            '.metadata.annotations."control-plane.alpha.kubernetes.io/leader"',
        ]
    },
    "Endpoints": {"jsonPointers": ["/metadata", "/subsets"]},
    "apps_ReplicaSet": {
        "jqPathExpressions": [
            f'.metadata.annotations."{each}"' for each in (*_SCALED, "rollout.argoproj.io/desired-replicas")
        ]
    },
    _APPLICATION: {
        "jqPathExpressions": [
            _NOTIFIED,
            '.metadata.annotations."argocd.argoproj.io/refresh"',
            '.metadata.annotations."argocd.argoproj.io/hydrate"',
            ".operation",
        ]
    },
    "argoproj.io_Rollout": {"jqPathExpressions": [_NOTIFIED]},
    "autoscaling_HorizontalPodAutoscaler": {
        "jqPathExpressions": [f'.metadata.annotations."autoscaling.alpha.kubernetes.io/{each}"' for each in _AUTOSCALED]
    },
    "discovery.k8s.io_EndpointSlice": {"jsonPointers": ["/metadata", "/endpoints", "/ports"]},
}
_TIMES = [f'.metadata.annotations."argocd.argoproj.io/{request}-timestamp"' for request in ("refresh", "hydrate")]

_REVIEWS = ("SelfSubject", "SelfSubjectAccess", "SelfSubjectRules", "SubjectAccess", "LocalSubjectAccess", "Token")
_REPORTS = ("Policy", "ClusterPolicy", "Ephemeral", "ClusterEphemeral", "Admission", "ClusterAdmission")
_SCANS = ("BackgroundScan", "ClusterBackgroundScan")
_UNWATCHED = (
    (("", "discovery.k8s.io"), ("Endpoints", "EndpointSlice")),
    (("coordination.k8s.io",), ("Lease",)),
    (("authentication.k8s.io", "authorization.k8s.io"), tuple(f"{each}Review" for each in _REVIEWS)),
    (("certificates.k8s.io",), ("CertificateSigningRequest",)),
    (("cert-manager.io",), ("CertificateRequest",)),
    (("cilium.io",), ("CiliumIdentity", "CiliumEndpoint", "CiliumEndpointSlice")),
    (
        ("kyverno.io", "reports.kyverno.io", "wgpolicyk8s.io"),
        (*(f"{each}Report" for each in (*_REPORTS, *_SCANS)), "UpdateRequest"),
    ),
)
"""Kinds by API groups that Argo CD does not watch: many, short-lived, and never in Git."""


def address(at: Setting[ArgoCdConfig]) -> str:
    """Where people reach the pages; empty where the stack does not say."""
    ingress = at.platform.ingress
    if at.config.url or at.config.access == "administrators" or not ingress.host:
        return at.config.url or ""
    return f"{ingress.scheme}://{ingress.host}{PATH}"


def issuer(at: Setting[ArgoCdConfig], oidc: ArgoCdOidc) -> str:
    """The issuer of people's identities; empty without an identity provider."""
    given = at.maybe(Identity)
    return oidc.issuer or (given.value.issuer if given else "")


def argocd_cm(component: AnyArgoCd) -> dict[str, str]:
    """What argocd-cm holds beside the health checks."""
    config, url = component.config, address(component.setting)
    updates = {
        f"resource.customizations.ignoreResourceUpdates.{kind}": yaml_file(dict(rule))
        for kind, rule in _uninteresting(component).items()
    }
    exclusions = [{"apiGroups": [*groups], "kinds": [*kinds]} for groups, kinds in _UNWATCHED]
    return {
        **updates,
        "resource.exclusions": yaml_file(exclusions),
        **({"url": url} if url else {}),
        **({} if config.admin else {"admin.enabled": "false"}),
        **({"oidc.config": yaml_file(_oidc(component, config.oidc))} if config.oidc else {}),
        **config.settings,
    }


def _uninteresting(component: AnyArgoCd) -> Mapping[str, Mapping[str, list[str]]]:
    if not component.release.request_timestamps:
        return _UNINTERESTING
    known = _UNINTERESTING[_APPLICATION]["jqPathExpressions"]
    return {**_UNINTERESTING, _APPLICATION: {"jqPathExpressions": [*known, *_TIMES]}}


def _oidc(component: AnyArgoCd, oidc: ArgoCdOidc) -> dict[str, Any]:
    known: dict[str, Any] = {
        "name": oidc.name,
        "issuer": issuer(component.setting, oidc),
        "clientID": oidc.client_id,
        "requestedScopes": oidc.scopes,
    }
    if oidc.client_secret is None:
        return {**known, "enablePKCEAuthentication": True}
    use = secret_of(component, "argocd-oidc", oidc.client_secret, keys=("clientSecret",))
    return {**known, "clientSecret": f"${use.name}:{use.key('clientSecret')}"}


def parameters(component: AnyArgoCd) -> dict[str, str]:
    """What argocd-cmd-params-cm holds: flags of the programs, by Argo CD's names for them."""
    served = component.config.access == "everyone"
    # The gateway speaks plain HTTP to its Services.
    pages = {"server.insecure": "true", "server.rootpath": PATH} if served else {}
    several = scale(component, "argocd-applicationset-controller", ha_replicas=2).several
    election = {"applicationsetcontroller.enable.leader.election": "true"} if several else {}
    return {**pages, **election, **component.config.parameters}


def policy(config: ArgoCdConfig) -> dict[str, str]:
    """What argocd-rbac-cm holds."""
    role = {"policy.default": config.default_role} if config.default_role else {}
    return {**role, **({"policy.csv": config.policy} if config.policy else {})}


def settings(component: AnyArgoCd) -> None:
    """All of them, and the Secrets that Argo CD writes into."""
    config = component.config
    hosts = {"ssh_known_hosts": "".join(f"{line}\n" for line in config.known_hosts)} if config.known_hosts else {}
    maps: dict[str, Mapping[str, str]] = {
        SETTINGS: argocd_cm(component),
        PARAMETERS: parameters(component),
        "argocd-rbac-cm": policy(config),
        KNOWN_HOSTS: hosts,
        CERTIFICATES: config.certificates,
        KEYS: config.gpg_keys,
    }
    if config.notifications:
        maps[NOTIFICATIONS_SETTINGS] = config.notification_settings
    for name, data in maps.items():
        # The server drops an empty map, which would always count as drift.
        Resource(component, CONFIG_MAP, name, fields={"data": dict(data)} if data else {}, labels=PART_OF)
    for name in (OWN_SECRET, *([NOTIFICATIONS_SECRET] if config.notifications else [])):
        # Empty: the server fills its own when it starts, and does not start where there is none.
        Resource(component, SECRET, name, fields={"type": "Opaque"}, labels=PART_OF)
        component.mutated(Drift("v1", "Secret", name, ("/data",)))
