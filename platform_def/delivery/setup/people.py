"""How people use kubectl under their own names: flags of the API server, and the user of their kubeconfig."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.capabilities import Identity
from platform_def.config.platform import Platform


def kubectl_steps(platform: Platform) -> Iterator[str]:
    """The lines of `platformctl bootstrap` about it, where the identity provider has a client for kubectl."""
    for given in platform.all(Identity):
        identity = given.value
        if identity.kubectl_client:
            yield from ("", "People use kubectl under their own names once the API server has these flags:", "")
            yield from (f"   {flag}" for flag in api_server_flags(identity))
            yield from (
                "",
                "Where a private authority signed the certificate of that address, also --oidc-ca-file. Each person",
                "installs the plug-in oidc-login, and adds a user to their kubeconfig:",
                "",
            )
            yield f"   {_credentials(identity)}"


def api_server_flags(identity: Identity) -> tuple[str, ...]:
    """By which the API server knows people by the names that members and groups of teams have."""
    return (
        f"--oidc-issuer-url={identity.issuer}",
        f"--oidc-client-id={identity.kubectl_client}",
        f"--oidc-username-claim={identity.user_claim}",
        "--oidc-username-prefix=-",
        f"--oidc-groups-claim={identity.groups_claim}",
    )


def _credentials(identity: Identity) -> str:
    """kubectl's own plug-in interface: it asks for a token when the last one has expired."""
    plugin = (
        "oidc-login",
        "get-token",
        f"--oidc-issuer-url={identity.issuer}",
        f"--oidc-client-id={identity.kubectl_client}",
        *(f"--oidc-extra-scope={each}" for each in identity.kubectl_scopes),
    )
    arguments = " ".join(f"--exec-arg={each}" for each in plugin)
    exec_ = "--exec-api-version=client.authentication.k8s.io/v1 --exec-interactive-mode=IfAvailable"
    return f"kubectl config set-credentials oidc {exec_} --exec-command=kubectl {arguments}"
