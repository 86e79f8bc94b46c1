"""Where secret stores and generators of External Secrets 2.9 name Secrets, service accounts and authorities.

Their schemas are kept as data, so the places are a table; what a path ends with says which of the three it names.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from platform_def.crds.schema import Ref

_KINDS = {
    "serviceAccountRef": Ref("ServiceAccount", namespace="namespace"),
    "serviceAccount": Ref("ServiceAccount", namespace="namespace"),
    "caProvider": Ref("Secret", kind_field="type", namespace="namespace", key="key"),
}
_SECRET = Ref("Secret", namespace="namespace", key="key")

_PROVIDERS = {
    "akeyless": (
        "authSecretRef.kubernetesAuth.secretRef authSecretRef.kubernetesAuth.serviceAccountRef "
        "authSecretRef.secretRef.accessID authSecretRef.secretRef.accessType "
        "authSecretRef.secretRef.accessTypeParam authSecretRef.serviceAccountRef caProvider"
    ),
    "alibaba": "auth.secretRef.accessKeyIDSecretRef auth.secretRef.accessKeySecretSecretRef",
    "aws": (
        "auth.jwt.serviceAccountRef auth.secretRef.accessKeyIDSecretRef "
        "auth.secretRef.secretAccessKeySecretRef auth.secretRef.sessionTokenSecretRef"
    ),
    "azurekv": (
        "authSecretRef.clientCertificate authSecretRef.clientId authSecretRef.clientSecret "
        "authSecretRef.tenantId serviceAccountRef"
    ),
    "barbican": "auth.password.secretRef auth.username.secretRef",
    "beyondtrust": (
        "auth.apiKey.secretRef auth.certificate.secretRef auth.certificateKey.secretRef "
        "auth.clientId.secretRef auth.clientSecret.secretRef"
    ),
    "beyondtrustworkloadcredentials": "auth.apikey.token caProvider",
    "bitwardensecretsmanager": "auth.secretRef.credentials caProvider",
    "chef": "auth.secretRef.privateKeySecretRef",
    "cloudrusm": "auth.secretRef.accessKeyIDSecretRef auth.secretRef.accessKeySecretSecretRef",
    "conjur": (
        "auth.apikey.apiKeyRef auth.apikey.userRef auth.cert.clientCertRef auth.cert.clientKeyRef "
        "auth.jwt.secretRef auth.jwt.serviceAccountRef caProvider"
    ),
    "crd": (
        "auth.cert.clientCert auth.cert.clientKey auth.serviceAccount auth.token.bearerToken authRef server.caProvider"
    ),
    "delinea": "clientId.secretRef clientSecret.secretRef",
    "device42": "auth.secretRef.credentials",
    "doppler": "auth.oidcConfig.serviceAccountRef auth.secretRef.dopplerToken",
    "dvls": "auth.secretRef.appId auth.secretRef.appSecret",
    "fortanix": "apiKey.secretRef",
    "gcpsm": (
        "auth.secretRef.secretAccessKeySecretRef auth.workloadIdentity.serviceAccountRef "
        "auth.workloadIdentityFederation.awsSecurityCredentials.awsCredentialsSecretRef "
        "auth.workloadIdentityFederation.credConfig auth.workloadIdentityFederation.serviceAccountRef"
    ),
    "github": "auth.privateKey",
    "gitlab": "auth.SecretRef.accessToken caProvider",
    "ibm": "auth.secretRef.secretApiKeySecretRef",
    "infisical": (
        "auth.awsAuthCredentials.identityId auth.azureAuthCredentials.identityId "
        "auth.azureAuthCredentials.resource auth.gcpIamAuthCredentials.identityId "
        "auth.gcpIamAuthCredentials.serviceAccountKeyFilePath auth.gcpIdTokenAuthCredentials.identityId "
        "auth.jwtAuthCredentials.identityId auth.jwtAuthCredentials.jwt "
        "auth.kubernetesAuthCredentials.identityId auth.kubernetesAuthCredentials.serviceAccountTokenPath "
        "auth.ldapAuthCredentials.identityId auth.ldapAuthCredentials.ldapPassword "
        "auth.ldapAuthCredentials.ldapUsername auth.ociAuthCredentials.fingerprint "
        "auth.ociAuthCredentials.identityId auth.ociAuthCredentials.privateKey "
        "auth.ociAuthCredentials.privateKeyPassphrase auth.ociAuthCredentials.region "
        "auth.ociAuthCredentials.tenancyId auth.ociAuthCredentials.userId "
        "auth.tokenAuthCredentials.accessToken auth.universalAuthCredentials.clientId "
        "auth.universalAuthCredentials.clientSecret caProvider"
    ),
    "keepersecurity": "authRef",
    "kubernetes": (
        "auth.cert.clientCert auth.cert.clientKey auth.serviceAccount auth.token.bearerToken authRef server.caProvider"
    ),
    "nebiusmysterybox": "auth.serviceAccountCredsSecretRef auth.tokenSecretRef caProvider.certSecretRef",
    "ngrok": "auth.apiKey.secretRef",
    "onboardbase": "auth.apiKeyRef auth.passcodeRef",
    "onepassword": "auth.secretRef.connectTokenSecretRef",
    "onepasswordSDK": "auth.serviceAccountSecretRef",
    "openBao": "auth.appRole.roleRef auth.appRole.secretRef auth.tokenSecretRef auth.userPass.secretRef caProvider",
    "oracle": "auth.secretRef.fingerprint auth.secretRef.privatekey serviceAccountRef",
    "ovh": "auth.mtls.caProvider auth.mtls.certSecretRef auth.mtls.keySecretRef auth.token.tokenSecretRef",
    "passbolt": "auth.passwordSecretRef auth.privateKeySecretRef caProvider",
    "passworddepot": "auth.secretRef.credentials",
    "previder": "auth.secretRef.accessToken",
    "pulumi": "accessToken.secretRef auth.accessToken.secretRef auth.oidcConfig.serviceAccountRef",
    "scaleway": "accessKey.secretRef secretKey.secretRef",
    "secretserver": "caProvider password.secretRef token.secretRef username.secretRef",
    "senhasegura": "auth.clientSecretSecretRef",
    "vault": (
        "auth.appRole.roleRef auth.appRole.secretRef auth.cert.clientCert auth.cert.secretRef "
        "auth.gcp.secretRef.secretAccessKeySecretRef auth.gcp.serviceAccountRef "
        "auth.gcp.workloadIdentity.serviceAccountRef auth.iam.jwt.serviceAccountRef "
        "auth.iam.secretRef.accessKeyIDSecretRef auth.iam.secretRef.secretAccessKeySecretRef "
        "auth.iam.secretRef.sessionTokenSecretRef auth.jwt.kubernetesServiceAccountToken.serviceAccountRef "
        "auth.jwt.secretRef auth.kubernetes.secretRef auth.kubernetes.serviceAccountRef auth.ldap.secretRef "
        "auth.tokenSecretRef auth.userPass.secretRef caProvider tls.certSecretRef tls.keySecretRef"
    ),
    "volcengine": "auth.secretRef.accessKeyID auth.secretRef.secretAccessKey auth.secretRef.token",
    "webhook": "auth.ntlm.passwordSecret auth.ntlm.usernameSecret caProvider secrets[].secretRef",
    "yandexcertificatemanager": "auth.authorizedKeySecretRef caProvider.certSecretRef",
    "yandexlockbox": "auth.authorizedKeySecretRef caProvider.certSecretRef",
}
"""By provider of a store: paths below it, with spaces between."""

_GENERATORS = {
    "acrAccessToken": (
        "auth.servicePrincipal.secretRef.clientId auth.servicePrincipal.secretRef.clientSecret "
        "auth.workloadIdentity.serviceAccountRef"
    ),
    "beyondtrustWorkloadCredentialsDynamicSecret": "provider.auth.apikey.token provider.caProvider",
    "cloudsmithAccessToken": "serviceAccountRef",
    "ecrAuthorizationToken": (
        "auth.jwt.serviceAccountRef auth.secretRef.accessKeyIDSecretRef "
        "auth.secretRef.secretAccessKeySecretRef auth.secretRef.sessionTokenSecretRef"
    ),
    "gcrAccessToken": (
        "auth.secretRef.secretAccessKeySecretRef auth.workloadIdentity.serviceAccountRef "
        "auth.workloadIdentityFederation.awsSecurityCredentials.awsCredentialsSecretRef "
        "auth.workloadIdentityFederation.credConfig auth.workloadIdentityFederation.serviceAccountRef"
    ),
    "githubAccessToken": "auth.privateKey.secretRef",
    "gitlabDeployToken": "auth.token.secretRef",
    "grafana": "auth.basic.password auth.token",
    "mfa": "secret",
    "quayAccessToken": "serviceAccountRef",
    "stsSessionToken": (
        "auth.jwt.serviceAccountRef auth.secretRef.accessKeyIDSecretRef "
        "auth.secretRef.secretAccessKeySecretRef auth.secretRef.sessionTokenSecretRef"
    ),
    "vaultDynamicSecret": (
        "provider.auth.appRole.roleRef provider.auth.appRole.secretRef provider.auth.cert.clientCert "
        "provider.auth.cert.secretRef provider.auth.gcp.secretRef.secretAccessKeySecretRef "
        "provider.auth.gcp.serviceAccountRef provider.auth.gcp.workloadIdentity.serviceAccountRef "
        "provider.auth.iam.jwt.serviceAccountRef provider.auth.iam.secretRef.accessKeyIDSecretRef "
        "provider.auth.iam.secretRef.secretAccessKeySecretRef "
        "provider.auth.iam.secretRef.sessionTokenSecretRef "
        "provider.auth.jwt.kubernetesServiceAccountToken.serviceAccountRef provider.auth.jwt.secretRef "
        "provider.auth.kubernetes.secretRef provider.auth.kubernetes.serviceAccountRef "
        "provider.auth.ldap.secretRef provider.auth.tokenSecretRef provider.auth.userPass.secretRef "
        "provider.caProvider provider.tls.certSecretRef provider.tls.keySecretRef"
    ),
    "webhook": "auth.ntlm.passwordSecret auth.ntlm.usernameSecret caProvider secrets[].secretRef",
}
"""By generator, as a ClusterGenerator calls it."""


def _names(before: str, paths: str) -> dict[str, Ref]:
    return {f"{before}.{path}.name": _KINDS.get(path.rpartition(".")[2], _SECRET) for path in paths.split()}


@cache
def store_names() -> Mapping[str, Ref]:
    """What a SecretStore or ClusterSecretStore names, by path."""
    return {
        path: ref
        for provider, paths in _PROVIDERS.items()
        for path, ref in _names(f"spec.provider.{provider}", paths).items()
    }


def generator_names(generator: str) -> Mapping[str, Ref]:
    """What a generator names, by path."""
    return _names("spec", _GENERATORS[generator])


def cluster_generator_names() -> Mapping[str, Ref]:
    """What a ClusterGenerator names, by path."""
    return {
        path: ref
        for generator, paths in _GENERATORS.items()
        for path, ref in _names(f"spec.generator.{generator}Spec", paths).items()
    }
