"""What each provider adds to external-dns' pod: flags, variables, files.

A flag is a variable too (`--pdns-api-key` is EXTERNAL_DNS_PDNS_API_KEY): what is secret goes by variables.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from platform_def.apis.core.core_v1 import EnvVar, Volume, VolumeMount
from platform_def.components.gateways.external_dns.providers import (
    Aws,
    Azure,
    CloudflareProvider,
    GoogleProvider,
    PowerDns,
    Provider,
    Rfc2136Provider,
)
from platform_def.config.secrets import SecretSource
from platform_def.constructs import Scope, SecretUse, config_map, env, mounts, restart_on_change, secret_of

AZURE_FILE, GOOGLE_FILE, AUTHORITY_FILE = "azure.json", "credentials.json", "ca.crt"
FOLDERS = {"azure": "/etc/kubernetes", "credentials": "/etc/credentials", "authority": "/etc/authority"}


@dataclass
class Access:
    """How the pod reaches a provider."""

    provider: str
    """The provider as `--provider` names it."""
    flags: list[str] = field(default_factory=list)
    env: list[EnvVar] = field(default_factory=list)
    volumes: list[Volume] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)

    @property
    def mounts(self) -> list[VolumeMount]:
        """Where the files are."""
        return mounts({each["name"]: FOLDERS[each["name"]] for each in self.volumes}, read_only=True)


def access_to(scope: Scope, provider: Provider, name: str) -> Access:
    """What the pod needs; Secrets and files that are made for it are called after `name`."""
    chosen = provider.chosen

    def secret(source: SecretSource, *keys: str) -> SecretUse:
        return secret_of(scope, f"{name}-credentials", source, keys=keys)

    match chosen:
        case Aws():
            made = _aws(chosen)
            if chosen.credentials:
                use = secret(chosen.credentials, "accessKeyId", "secretAccessKey")
                made.env += [use.env("AWS_ACCESS_KEY_ID", "accessKeyId")]
                made.env += [use.env("AWS_SECRET_ACCESS_KEY", "secretAccessKey")]
        case Azure():
            made = _azure(scope, chosen, f"{name}-azure")
            if chosen.credentials:
                made.volumes.append(secret(chosen.credentials, AZURE_FILE).volume("azure", AZURE_FILE))
        case CloudflareProvider():
            made = Access("cloudflare", ["--cloudflare-proxied"] if chosen.proxied else [])
            made.env.append(secret(chosen.credentials, "apiToken").env("CF_API_TOKEN", "apiToken"))
        case GoogleProvider():
            made = Access("google", [f"--google-project={chosen.project}"])
            if chosen.zone_visibility != "any":
                made.flags.append(f"--google-zone-visibility={chosen.zone_visibility}")
            if chosen.credentials:
                made.volumes.append(secret(chosen.credentials, GOOGLE_FILE).volume("credentials", GOOGLE_FILE))
                made.env += env({"GOOGLE_APPLICATION_CREDENTIALS": f"{FOLDERS['credentials']}/{GOOGLE_FILE}"})
        case PowerDns():
            made = _pdns(chosen)
            made.env.append(secret(chosen.credentials, "apiKey").env("EXTERNAL_DNS_PDNS_API_KEY", "apiKey"))
        case Rfc2136Provider():
            made = _rfc2136(chosen)
            made.env.append(
                secret(chosen.credentials, "tsigSecret").env("EXTERNAL_DNS_RFC2136_TSIG_SECRET", "tsigSecret")
            )
    return made


def _aws(aws: Aws) -> Access:
    made = Access("aws")
    if aws.zone_type != "any":
        made.flags.append(f"--aws-zone-type={aws.zone_type}")
    if aws.assume_role:
        made.flags.append(f"--aws-assume-role={aws.assume_role}")
    if aws.region:
        made.env += env({"AWS_REGION": aws.region})
    return made


def _azure(scope: Scope, azure: Azure, name: str) -> Access:
    """Azure is configured by a file. With workload identity nothing in it is secret, and a webhook of Azure's adds the
    token to pods with the label."""
    made = Access("azure-private-dns" if azure.private else "azure")
    if azure.credentials:
        made.flags += [f"--azure-resource-group={azure.resource_group}"] if azure.resource_group else []
        return made
    told = {
        "tenantId": azure.tenant_id,
        "subscriptionId": azure.subscription_id,
        "resourceGroup": azure.resource_group,
        "useWorkloadIdentityExtension": True,
    }
    text = json.dumps(told, indent=2) + "\n"
    config_map(scope, name, {AZURE_FILE: text})
    made.volumes.append({"name": "azure", "configMap": {"name": name}})
    made.labels = {"azure.workload.identity/use": "true"}
    made.annotations = restart_on_change(text)
    return made


def _pdns(pdns: PowerDns) -> Access:
    made = Access("pdns", [f"--pdns-server={pdns.server}", f"--pdns-server-id={pdns.server_id}"])
    if pdns.ca:
        files = [{"key": pdns.ca.key, "path": AUTHORITY_FILE}]
        made.volumes.append({"name": "authority", "configMap": {"name": pdns.ca.config_map, "items": files}})  # type: ignore[typeddict-item]
        made.flags.append(f"--tls-ca={FOLDERS['authority']}/{AUTHORITY_FILE}")
    return made


def _rfc2136(server: Rfc2136Provider) -> Access:
    zones = [f"--rfc2136-zone={zone}" for zone in server.zones]
    return Access(
        "rfc2136",
        [
            f"--rfc2136-host={server.host}",
            f"--rfc2136-port={server.port}",
            *zones,
            f"--rfc2136-tsig-keyname={server.key_name}",
            f"--rfc2136-tsig-secret-alg={server.algorithm}",
            "--rfc2136-axfr",  # else it sees no record, and neither updates nor deletes one
        ],
    )
