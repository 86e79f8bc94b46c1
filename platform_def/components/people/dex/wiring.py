"""Connectors as Dex's configuration file has them, and the variables and files by which their secrets get there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from platform_def.apis.core.core_v1 import EnvVar, Volume, VolumeMount
from platform_def.components.people.dex.connectors import (
    Connector,
    Github,
    Google,
    Kind,
    Ldap,
    LdapGroups,
    Microsoft,
    Oidc,
    Saml,
)
from platform_def.config.secrets import CaSource, SecretSource
from platform_def.constructs import Scope, secret_of

ROOT = "/etc/dex/connectors"
CA, ACCOUNT = "ca.crt", "serviceAccount.json"


@dataclass
class Wired:
    """What Dex's pod gets for its connectors."""

    connectors: list[dict[str, object]] = field(default_factory=list)
    env: list[EnvVar] = field(default_factory=list)
    volumes: list[Volume] = field(default_factory=list)
    mounts: list[VolumeMount] = field(default_factory=list)

    def secret(self, scope: Scope, connector: Connector, source: SecretSource, key: str) -> str:
        """A key of a connector's Secret as a variable; the reference by which its text is replaced."""
        variable = f"CONNECTOR_{connector.id.upper().replace('-', '_')}"
        use = secret_of(scope, f"dex-connector-{connector.id}", source, keys=(key,))
        self.env.append(use.env(variable, key))
        return f"${variable}"

    def account(self, scope: Scope, connector: Connector, source: SecretSource) -> str:
        """A file of a connector's Secret; its path."""
        use = secret_of(scope, f"dex-connector-{connector.id}-account", source, keys=(ACCOUNT,))
        return self._mounted(use.volume(f"{connector.id}-account", ACCOUNT), ACCOUNT)

    def authority(self, connector: Connector, ca: CaSource) -> str:
        """The certificate of a private authority; its path."""
        items: list[dict[str, str]] = [{"key": ca.key, "path": CA}]
        volume = {"name": f"{connector.id}-ca", "configMap": {"name": ca.config_map, "items": items}}
        return self._mounted(volume, CA)  # type: ignore[arg-type]

    def _mounted(self, volume: Volume, file: str) -> str:
        folder = f"{ROOT}/{volume['name']}"
        self.volumes.append(volume)
        self.mounts.append({"name": volume["name"], "mountPath": folder, "readOnly": True})
        return f"{folder}/{file}"


def wire(scope: Scope, connectors: list[Connector], redirect: str) -> Wired:
    """All connectors; `redirect` is where providers send browsers back to."""
    wired = Wired()
    for each in connectors:
        config = _config(wired, scope, each, redirect)
        wired.connectors.append({"type": each.kind, "id": each.id, "name": each.name or each.id, "config": config})
    return wired


def _config(wired: Wired, scope: Scope, connector: Connector, redirect: str) -> dict[str, object]:
    chosen: Kind = connector.chosen
    config: dict[str, object] = {} if isinstance(chosen, Ldap) else {"redirectURI": redirect}
    ca = getattr(chosen, "ca", None)
    authority = wired.authority(connector, ca) if ca else None
    match chosen:
        case Ldap():
            secret = wired.secret(scope, connector, chosen.password, "password") if chosen.password else None
            return _kept({**_ldap(chosen), "bindPW": secret, "rootCA": authority})
        case Saml():
            return _kept({**config, **_saml(chosen), "ca": authority})
    secret = wired.secret(scope, connector, chosen.secret, "clientSecret")
    config |= {"clientID": chosen.client_id, "clientSecret": secret}
    match chosen:
        case Oidc():
            return _kept({**config, **_oidc(chosen), "rootCAs": [authority] if authority else None})
        case Github():
            orgs = [_kept({"name": each.name, "teams": [*each.teams] or None}) for each in chosen.orgs]
            told = {"orgs": orgs, "hostName": chosen.host, "rootCA": authority, "teamNameField": chosen.team_name}
            return _kept({**config, **told})
        case Google():
            config["hostedDomains"] = [*chosen.domains]
            if chosen.service_account:
                config["serviceAccountFilePath"] = wired.account(scope, connector, chosen.service_account)
                config["domainToAdminEmail"] = {"*": chosen.admin_email}
            return _kept({**config, "groups": [*chosen.groups] or None})
        case Microsoft():
            tenant: dict[str, object] = {"tenant": chosen.tenant, "onlySecurityGroups": chosen.only_security_groups}
            return _kept({**config, **tenant, "groups": [*chosen.groups] or None})


def _ldap(ldap: Ldap) -> dict[str, object]:
    users, port = ldap.users, ldap.port or (636 if ldap.tls == "ldaps" else 389)
    return {
        "host": f"{ldap.host}:{port}",
        "insecureNoSSL": True if ldap.tls == "none" else None,
        "startTLS": True if ldap.tls == "startTLS" else None,
        "bindDN": ldap.bind_dn,
        "userSearch": _kept(
            {
                "baseDN": users.base_dn,
                "filter": users.filter,
                "username": users.username,
                "idAttr": users.id,
                "emailAttr": users.email,
                "nameAttr": users.name,
                "preferredUsernameAttr": users.username,
            }
        ),
        "groupSearch": _groups(ldap.groups) if ldap.groups else None,
    }


def _groups(groups: LdapGroups) -> dict[str, object]:
    matchers = [{"userAttr": groups.user, "groupAttr": groups.member}]
    told = {"baseDN": groups.base_dn, "filter": groups.filter, "nameAttr": groups.name, "userMatchers": matchers}
    return _kept(told)


def _oidc(oidc: Oidc) -> dict[str, object]:
    claims = _kept({"email": oidc.email_claim, "groups": oidc.groups_claim})
    return {
        "issuer": oidc.issuer,
        "scopes": [*oidc.scopes] or None,
        "insecureEnableGroups": oidc.groups or None,
        "insecureSkipEmailVerified": oidc.unverified_email or None,
        "claimMapping": claims or None,
        "overrideClaimMapping": True if claims else None,
    }


def _saml(saml: Saml) -> dict[str, object]:
    return {
        "ssoURL": saml.sso_url,
        "entityIssuer": saml.entity_issuer,
        "ssoIssuer": saml.sso_issuer,
        "usernameAttr": saml.username,
        "emailAttr": saml.email,
        "groupsAttr": saml.groups,
        "allowedGroups": [*saml.allowed_groups] or None,
    }


def _kept(told: Mapping[str, object]) -> dict[str, object]:
    """Without what is not said: Dex's own defaults hold there."""
    return {key: value for key, value in told.items() if value is not None}
