"""Who people are, and which programs ask for them."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from platform_def.config.capability import Capability
from platform_def.config.model import Host, Name, Port, Subdomain, Url
from platform_def.config.secrets import KeyName

ClientId = Annotated[str, Field(pattern=r"^[A-Za-z0-9._:/-]+$", max_length=200)]
ClaimName = Annotated[str, Field(pattern=r"^[A-Za-z0-9._:/-]+$", max_length=200)]


class Identity(Capability):
    """An OpenID Connect issuer, and how a request says who sent it once the gateway has asked."""

    title: ClassVar[str] = "an identity provider"

    issuer: Url
    """The issuer's address, as tokens name it."""
    user_header: str = "kubeflow-userid"
    """Header in which the gateway hands on the user's name; it strips the header from what comes from outside."""
    user_prefix: str = ""
    """What stands before the name in that header."""
    groups_header: str = ""
    """Header with the user's groups; empty where there is none."""
    user_claim: ClaimName = "email"
    """Claim of its tokens with the user's name."""
    groups_claim: ClaimName = "groups"
    """Claim of its tokens with the user's groups, a list."""
    authorization_url: Url | None = None
    """Where browsers sign in. This and the next two are for an issuer that pods cannot reach at its own address; left
    out, programs ask the issuer for its endpoints."""
    token_url: Url | None = None
    """Where pods fetch tokens."""
    keys_url: Url | None = None
    """Where pods fetch the keys that sign tokens."""
    clients_namespace: Name | None = None
    """Namespace in which the issuer reads the secrets of its clients, which it takes from the stack; absent: its owner
    registers each client by hand."""
    kubectl_client: ClientId | None = None
    """Public client by which people's kubectl signs in, for the API server; `platformctl bootstrap` then prints its
    flags and what people add to their kubeconfig."""
    kubectl_scopes: tuple[ClaimName, ...] = ("email", "profile", "groups")
    """Scopes that it asks for besides `openid`."""


class OidcClient(Capability):
    """A program that signs people in at the stack's identity provider."""

    title: ClassVar[str] = "clients of the identity provider"
    gathered: ClassVar[bool] = True

    id: ClientId
    """Its client id."""
    name: str = ""
    """What the sign-in page calls it; by default the id."""
    redirect_uris: list[Url] = Field(default_factory=list)
    """Where browsers return to after they signed in."""
    public: bool = False
    """It runs on people's own machines and keeps no secret."""
    secret: Subdomain | None = None
    """Secret with its client secret, in the namespace where the issuer reads them; a public client has none."""
    secret_key: KeyName = "client-secret"  # noqa: S105 - its name
    """The secret's key."""


class TeamRoles(Capability):
    """Gives members and groups of teams their roles in the team's namespaces."""

    title: ClassVar[str] = "roles for members of teams"


class AccessManagement(Capability):
    """Kubeflow's access management (KFAM): which namespaces a person has, and who else works there."""

    title: ClassVar[str] = "access management"

    host: Host
    """Its host inside the cluster."""
    port: Port = 8081
    """Its port."""
    registration: bool = False
    """People may make a namespace of their own."""


class MeshCaller(Capability):
    """A program whose requests in the mesh policies let in by its account."""

    title: ClassVar[str] = "programs that the mesh's policies let in"
    gathered: ClassVar[bool] = True

    purpose: Literal["dashboard", "notebook-activity", "artifacts"]
    """Why it calls: `dashboard` asks access management which namespaces a person has, `notebook-activity` asks
    notebooks in teams' namespaces whether they are idle, `artifacts` fetches what pipelines left there."""
    namespace: Name
    """Namespace of its account."""
    account: Subdomain
    """Its service account."""

    def principal(self, trust_domain: str) -> str:
        """How a mesh of that trust domain names it."""
        return f"{trust_domain}/ns/{self.namespace}/sa/{self.account}"
