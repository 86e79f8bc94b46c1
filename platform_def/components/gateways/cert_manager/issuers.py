"""Who signs certificates: ClusterIssuers that a stack names, by one of four ways.

Credentials stay in Secrets of cert-manager's namespace, where ClusterIssuers look for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from pydantic import Field

from platform_def.apis.cert_manager.v1 import CERTIFICATE, CLUSTER_ISSUER, IssuerSpec
from platform_def.apis.core.core_v1 import SERVICE, ServicePort, ServiceSpec
from platform_def.apis.core.rbac_v1 import ROLE, ROLE_BINDING, PolicyRule
from platform_def.apis.emissary.v3alpha1 import MAPPING, MappingSpec
from platform_def.capabilities import Gateway
from platform_def.config.model import Model, Name, Subdomain, Url, conflict
from platform_def.config.workloads import SecretKey
from platform_def.constructs import Account, ExistingObject, Problem, Resource, Scope, allow
from platform_def.constructs.route import gateway_of
from platform_def.constructs.routes.emissary import ANY_HOST, mapping

if TYPE_CHECKING:
    from platform_def.config.platform import Platform

SERVERS = {
    "letsencrypt": "https://acme-v02.api.letsencrypt.org/directory",
    "letsencrypt-staging": "https://acme-staging-v02.api.letsencrypt.org/directory",
}
SOLVER = "acme-http01"
"""The Service of what answers challenges behind Emissary, and the class of Ingresses that it is not to read."""
SOLVER_LABEL, SOLVER_PORT = "acme.cert-manager.io/http01-solver", 8089
"""Of the pods that cert-manager makes for challenges; compiled in."""
CHALLENGES = "/.well-known/acme-challenge/"
Zone = Annotated[str, Field(min_length=1, max_length=253)]


class Authority(Model):
    """An authority of the cluster's own."""

    secret: Subdomain | None = None
    """Existing `kubernetes.io/tls` Secret with its certificate and key; by default one is made in the cluster."""
    common_name: Annotated[str, Field(min_length=1, max_length=64)] = "platform authority"
    """Name in the certificate of one that is made."""
    years: Annotated[int, Field(ge=1, le=30)] = 10
    """Validity of the CA certificate; it is renewed before, and clients must then trust the new one."""


class Cloudflare(Model):
    """Records at Cloudflare."""

    api_token: SecretKey
    """API token that may edit the zone."""


class Route53(Model):
    """Records in AWS Route 53, with the identity of cert-manager's pod unless a key is named."""

    region: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")]
    """Region of the API."""
    hosted_zone_id: Zone | None = None
    """Zone; found by the host's name where it is left out."""
    role: str | None = None
    """Role that is assumed."""
    access_key_id: SecretKey | None = None
    """Access key."""
    secret_access_key: SecretKey | None = None
    """Its secret half."""

    @conflict
    def _both_halves(self) -> Iterator[ValueError]:
        if (self.access_key_id is None) != (self.secret_access_key is None):
            yield ValueError("accessKeyId and secretAccessKey belong together")


class CloudDns(Model):
    """Records in Google Cloud DNS, with the identity of cert-manager's pod unless a key is named."""

    project: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
    """Project of the zone."""
    service_account: SecretKey | None = None
    """Key of a Google service account."""


class Rfc2136(Model):
    """Records by dynamic update, at a name server of one's own."""

    nameserver: Annotated[str, Field(pattern=r"^[^\s]+$")]
    """Its address, with a port where that is not 53."""
    key_name: str
    """Name of the TSIG key."""
    algorithm: Literal["HMACSHA256", "HMACSHA512", "HMACSHA1", "HMACMD5"] = "HMACSHA512"
    """Its algorithm."""
    key: SecretKey
    """The key."""


class AzureDns(Model):
    """Records in Azure DNS, with the identity of cert-manager's pod unless a service principal is named."""

    subscription_id: Annotated[str, Field(min_length=1)]
    """Subscription of the zone."""
    resource_group: Annotated[str, Field(min_length=1)]
    """Its resource group."""
    hosted_zone: Zone | None = None
    """Zone; found by the host's name where it is left out."""
    environment: Literal["AzurePublicCloud", "AzureChinaCloud", "AzureUSGovernmentCloud"] | None = None
    """Which Azure cloud; the public one unless given."""
    identity_client_id: str | None = None
    """Client id of a managed identity, where the pod has several."""
    tenant_id: str | None = None
    """Tenant of the service principal."""
    client_id: str | None = None
    """The service principal."""
    client_secret: SecretKey | None = None
    """Its password."""

    @conflict
    def _one_login(self) -> Iterator[ValueError]:
        principal = (self.tenant_id, self.client_id, self.client_secret)
        if any(principal) and not all(principal):
            yield ValueError("tenantId, clientId and clientSecret belong together")
        if self.client_id and self.identity_client_id:
            yield ValueError("name a service principal or a managed identity")


class WebhookSolver(Model):
    """Records by a webhook of yours or a provider's, which the cluster has and which cert-manager may call."""

    group_name: Subdomain
    """API group under which it is served."""
    solver_name: Name
    """Its name in that group."""
    config: dict[str, Any] = Field(default_factory=dict)
    """What it is told; Secrets by name, never their content."""


class Dns01(Model):
    """Proof by a record in the domain, at one of these."""

    cloudflare: Cloudflare | None = None
    """Cloudflare."""
    route53: Route53 | None = None
    """AWS Route 53."""
    cloud_dns: CloudDns | None = None
    """Google Cloud DNS."""
    rfc2136: Rfc2136 | None = None
    """A name server of one's own, by dynamic update."""
    azure_dns: AzureDns | None = None
    """Azure DNS."""
    webhook: WebhookSolver | None = None
    """Another provider, by a webhook."""

    @conflict
    def _one(self) -> Iterator[ValueError]:
        if sum(getattr(self, name) is not None for name in type(self).model_fields) != 1:
            yield ValueError("name one of cloudflare, route53, cloudDns, rfc2136, azureDns, webhook")


class ZoneSolver(Model):
    """Where the records of some zones are written."""

    zones: Annotated[list[Subdomain], Field(min_length=1)]
    """Zones, such as `[example.com]`: the names below them are proved here; the longest zone wins."""
    dns01: Dns01
    """How."""


class AccountBinding(Model):
    """An account that the authority knows already (EAB), as authorities of companies want it."""

    key_id: Annotated[str, Field(min_length=1)]
    """Its name there."""
    key: SecretKey
    """Its key, as the authority gave it (base64url)."""


class Acme(Model):
    """A public authority that wants a proof of the domain."""

    server: Literal["letsencrypt", "letsencrypt-staging"] | Url = "letsencrypt"
    """Its directory; `letsencrypt-staging` for tests, whose certificates no client trusts."""
    email: Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+$")] | None = None
    """Whom it tells of certificates that run out."""
    dns01: Dns01 | None = None
    """Prove the domain by a record; by default by an answer over HTTP through the stack's gateway (HTTP-01)."""
    by_zone: list[ZoneSolver] = Field(default_factory=list)
    """Zones whose records are written elsewhere; for all other names `dns01`, or HTTP-01, holds."""
    account_binding: AccountBinding | None = None
    """An account that the authority knows already, where it asks for one."""
    preferred_chain: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    """Common name of the root whose chain is taken, where the authority offers several."""

    @conflict
    def _each_zone_once(self) -> Iterator[ValueError]:
        named = [zone for each in self.by_zone for zone in each.zones]
        if twice := sorted({zone for zone in named if named.count(zone) > 1}):
            yield ValueError(f"byZone: {', '.join(twice)} is written in two places")


class Vault(Model):
    """HashiCorp Vault, which is logged in to with a token of an account of its own."""

    server: Url
    """Its address."""
    path: Annotated[str, Field(pattern=r"^[^\s/][^\s]*$")]
    """Where it signs: `pki/sign/platform`."""
    role: Annotated[str, Field(min_length=1)]
    """Role of the Kubernetes login."""
    mount: Annotated[str, Field(pattern=r"^/v1/auth/[^\s]+$")] = "/v1/auth/kubernetes"
    """Where that login is mounted."""
    account: Name = "vault-issuer"
    """ServiceAccount in cert-manager's namespace that the role is bound to; it is made here."""
    ca: SecretKey | None = None
    """Authority of Vault's own certificate, where no public one signed it."""


class Issuer(Model):
    """Who signs; one of them."""

    authority: Authority | None = None
    """An authority of the cluster's own."""
    acme: Acme | None = None
    """A public authority, Let's Encrypt or another that speaks ACME."""
    vault: Vault | None = None
    """HashiCorp Vault."""

    @conflict
    def _one(self) -> Iterator[ValueError]:
        if sum(getattr(self, name) is not None for name in type(self).model_fields) != 1:
            yield ValueError("name one of authority, acme, vault: an authority of the cluster's own is `authority: {}`")


def over_http(issuers: Mapping[str, Issuer]) -> list[str]:
    """Names of those that ask over HTTP."""
    return [name for name, each in issuers.items() if each.acme and each.acme.dns01 is None]


def secrets(issuers: dict[Subdomain, Issuer], namespace: str) -> Iterator[ExistingObject]:
    """Secrets that they name and the cluster has."""
    for each in issuers.values():
        if each.authority and each.authority.secret:
            yield ExistingObject("Secret", each.authority.secret, namespace)
        for key in _keys(each):
            yield ExistingObject("Secret", key.secret, namespace)


def _keys(value: Model) -> Iterator[SecretKey]:
    for _, inner in value:
        if isinstance(inner, SecretKey):
            yield inner
        elif isinstance(inner, Model):
            yield from _keys(inner)
        elif isinstance(inner, list):
            yield from (key for each in inner if isinstance(each, Model) for key in _keys(each))


def problems(chosen: Mapping[str, Issuer], platform: Platform, where: str) -> Iterator[Problem]:
    """Issuers that could never prove a domain in this stack; `where` is the field of the stack that has them."""
    asked = over_http(chosen)
    if not asked:
        return
    gateway = gateway_of(platform)
    where = f"{where}.{asked[0]}"
    hint = "prove the domain by a record instead: `acme: {dns01: …}`"
    if gateway is None:
        text = f"{where}: its authority asks over HTTP, and the stack has no gateway that would answer"
        yield Problem(text, hint=hint)
    elif gateway.api == "istio":
        text = f"{where}: its authority asks over HTTP before there is a certificate, and {platform.gateway} sends "
        text += "plain requests to HTTPS, challenges too"
        yield Problem(text, hint=f"{hint}, or write `api: gateway-api` for the gateway")


def issuer(scope: Scope, name: str, chosen: Issuer, gateway: Gateway | None) -> None:
    """A ClusterIssuer with what stands behind it; `gateway` answers for ACME over HTTP."""
    if chosen.authority:
        spec = _authority(scope, name, chosen.authority)
    elif chosen.vault:
        spec = _vault(scope, chosen.vault)
    else:
        assert chosen.acme
        spec = _acme(name, chosen.acme, gateway)
    Resource(scope, CLUSTER_ISSUER, name, spec=spec, part="after")


def _authority(scope: Scope, name: str, chosen: Authority) -> IssuerSpec:
    """One that is made is signed by itself, through an issuer that signs nothing else."""
    if chosen.secret:
        return {"ca": {"secretName": chosen.secret}}
    root, secret = f"{name}-root", f"{name}-authority"
    Resource(scope, CLUSTER_ISSUER, root, spec={"selfSigned": {}}, part="after")
    hours = chosen.years * 365 * 24
    Resource(
        scope,
        CERTIFICATE,
        secret,
        spec={
            "isCA": True,
            "commonName": chosen.common_name,
            "secretName": secret,
            "duration": f"{hours}h0m0s",
            "privateKey": {"algorithm": "ECDSA", "size": 256, "rotationPolicy": "Always"},
            "issuerRef": {"group": "cert-manager.io", "kind": "ClusterIssuer", "name": root},
        },
        part="after",
    )
    return {"ca": {"secretName": secret}}


def _vault(scope: Scope, chosen: Vault) -> IssuerSpec:
    """The account whose tokens Vault is shown, and cert-manager's right to ask for those and no others."""
    Account(scope, chosen.account)
    controller = scope.owner.namespace
    tokens = allow("", "serviceaccounts/token", verbs="create", names=chosen.account)
    _grant(scope, f"{chosen.account}-tokens", tokens, account="cert-manager", namespace=controller)
    made: dict[str, Any] = {
        "server": chosen.server,
        "path": chosen.path,
        "auth": {
            "kubernetes": {
                "role": chosen.role,
                "mountPath": chosen.mount,
                "serviceAccountRef": {"name": chosen.account},
            }
        },
    }
    if chosen.ca:
        made["caBundleSecretRef"] = _reference(chosen.ca)
    return cast(IssuerSpec, {"vault": made})


def _grant(scope: Scope, name: str, rule: PolicyRule, *, account: str, namespace: str) -> None:
    Resource(scope, ROLE, name, fields={"rules": [rule]})
    Resource(
        scope,
        ROLE_BINDING,
        name,
        fields={
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
        },
    )


def _acme(name: str, chosen: Acme, gateway: Gateway | None) -> IssuerSpec:
    made: dict[str, Any] = {
        "server": SERVERS.get(chosen.server, chosen.server),
        "privateKeySecretRef": {"name": f"{name}-account"},
        "solvers": [
            *({"selector": {"dnsZones": [*each.zones]}, "dns01": _records(each.dns01)} for each in chosen.by_zone),
            {"dns01": _records(chosen.dns01)} if chosen.dns01 else {"http01": _answers(gateway)},
        ],
    }
    if chosen.account_binding:
        known = chosen.account_binding
        made["externalAccountBinding"] = {"keyID": known.key_id, "keySecretRef": _reference(known.key)}
    if chosen.preferred_chain:
        made["preferredChain"] = chosen.preferred_chain
    if chosen.email:
        made["email"] = chosen.email
    return cast(IssuerSpec, {"acme": made})


def _answers(gateway: Gateway | None) -> dict[str, Any]:
    """A Gateway has a listener for HTTP. Emissary would rewrite the path of an Ingress to `/`, which the solver does
    not answer: the Ingress has a class that it does not read, and `answered` leads there instead."""
    if gateway and gateway.api == "gateway-api":
        parent = {"group": "gateway.networking.k8s.io", "kind": "Gateway"}
        route = {**parent, "name": gateway.name, "namespace": gateway.namespace, "sectionName": "http"}
        return {"gatewayHTTPRoute": {"parentRefs": [route]}}
    return {"ingress": {"ingressClassName": SOLVER}}


def answered(scope: Scope, gateway: Gateway) -> None:
    """Emissary's way to the solver of a challenge, whose pod is in the gateway's namespace, as the certificate is.

    No login is asked for and the path stays as it is. HTTP is sent to HTTPS before, where the gateway shows a temporary
    certificate until there is the first one: a CA follows such a redirect whatever its certificate.
    """
    spec = mapping(CHALLENGES, f"{SOLVER}.{gateway.namespace}:80", exact=False, rewrite=None, host=ANY_HOST)
    told: dict[str, Any] = {**spec, "bypass_auth": True, "timeout_ms": 10_000}
    if gateway.identified:
        told["ambassador_id"] = [gateway.name]
    Resource(scope, MAPPING, SOLVER, spec=cast(MappingSpec, told), namespace=gateway.namespace, part="after")
    ports: list[ServicePort] = [{"name": "http", "port": 80, "protocol": "TCP", "targetPort": SOLVER_PORT}]
    service: ServiceSpec = {"type": "ClusterIP", "selector": {SOLVER_LABEL: "true"}, "ports": ports}
    Resource(scope, SERVICE, SOLVER, spec=service, namespace=gateway.namespace, part="after")


def _records(chosen: Dns01) -> dict[str, Any]:
    if chosen.cloudflare:
        return {"cloudflare": {"apiTokenSecretRef": _reference(chosen.cloudflare.api_token)}}
    if chosen.route53:
        aws = chosen.route53
        found: dict[str, Any] = {"region": aws.region}
        if aws.hosted_zone_id:
            found["hostedZoneID"] = aws.hosted_zone_id
        if aws.role:
            found["role"] = aws.role
        if aws.access_key_id and aws.secret_access_key:
            found["accessKeyIDSecretRef"] = _reference(aws.access_key_id)
            found["secretAccessKeySecretRef"] = _reference(aws.secret_access_key)
        return {"route53": found}
    if chosen.cloud_dns:
        google = chosen.cloud_dns
        key = {"serviceAccountSecretRef": _reference(google.service_account)} if google.service_account else {}
        return {"cloudDNS": {"project": google.project, **key}}
    if chosen.azure_dns:
        return {"azureDNS": _azure(chosen.azure_dns)}
    if chosen.webhook:
        named = {"groupName": chosen.webhook.group_name, "solverName": chosen.webhook.solver_name}
        return {"webhook": {**named, **({"config": chosen.webhook.config} if chosen.webhook.config else {})}}
    assert chosen.rfc2136
    own = chosen.rfc2136
    return {
        "rfc2136": {
            "nameserver": own.nameserver,
            "tsigKeyName": own.key_name,
            "tsigAlgorithm": own.algorithm,
            "tsigSecretSecretRef": _reference(own.key),
        }
    }


def _azure(chosen: AzureDns) -> dict[str, Any]:
    made: dict[str, Any] = {"subscriptionID": chosen.subscription_id, "resourceGroupName": chosen.resource_group}
    if chosen.hosted_zone:
        made["hostedZoneName"] = chosen.hosted_zone
    if chosen.environment:
        made["environment"] = chosen.environment
    if chosen.identity_client_id:
        made["managedIdentity"] = {"clientID": chosen.identity_client_id}
    if chosen.client_secret:
        made |= {"tenantID": chosen.tenant_id, "clientID": chosen.client_id}
        made["clientSecretSecretRef"] = _reference(chosen.client_secret)
    return made


def _reference(key: SecretKey) -> dict[str, str]:
    return {"name": key.secret, "key": key.key}
