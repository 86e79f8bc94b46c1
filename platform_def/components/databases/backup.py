"""Backups of a SQL server on a schedule: its own client dumps everything, and the dump goes to the object store."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from pydantic import Field

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.components.databases.security import CONTEXT
from platform_def.components.databases.server import ROOT_FILE, ROOT_FOLDER
from platform_def.config.model import Model
from platform_def.constructs import RESTRICTED, AnyComponent, Bucket, SecretUse, config_map, env, mounts, scratch
from platform_def.constructs.bucket import KEYS, store_program
from platform_def.constructs.secrets import PYTHON
from platform_def.constructs.volumes import config_files
from platform_def.constructs.workloads.jobs import CronJob
from platform_def.errors import ConfigError

Schedule = Annotated[str, Field(pattern=r"^(\S+ ){4}\S+$|^@(hourly|daily|weekly|monthly)$", max_length=100)]
FOLDER, DUMP = "/dump", "/dump/dump.sql.gz"
PROGRAMS = {
    "mysql": r"""
set -euo pipefail
umask 077
b='\' d='"'
password=$(<"$ROOT")
password=${password//"$b"/"$b$b"}
printf '[client]\nuser="root"\npassword="%s"\n' "${password//"$d"/"$b$d"}" > /tmp/client.cnf
mysqldump --defaults-extra-file=/tmp/client.cnf "--host=$HOST" --protocol=TCP --all-databases --single-transaction \
  --routines --events --triggers --hex-blob --flush-privileges | gzip > "$DUMP"
""",
    "postgresql": r"""
set -eu
PGPASSWORD=$(cat "$ROOT")
export PGPASSWORD
pg_dumpall --host="$HOST" --username=postgres --no-password --clean --if-exists --file=/dump/dump.sql
gzip /dump/dump.sql
""",
}
"""What writes the dump, with the server's own client; one that fails leaves no backup behind."""


class BackupConfig(Model):
    """Backups to the stack's object store."""

    schedule: Schedule = "17 2 * * *"
    """When, as a cron line in UTC."""
    keep: Annotated[int, Field(ge=1, le=900)] = 14
    """How many of the newest are kept."""


def backup(
    component: AnyComponent,
    name: str,
    wanted: BackupConfig,
    *,
    engine: Literal["mysql", "postgresql"],
    image: str,
    user: int,
    root: SecretUse,
) -> None:
    """A bucket of the server's own, and a CronJob that dumps and uploads; `user` is the image's."""
    called = f"{name}-backup"
    bucket = Bucket(component, called)
    plan = {"host": bucket.host, "port": bucket.port, "tls": bucket.tls, "region": bucket.region}
    plan |= {"bucket": bucket.bucket, "prefix": f"{name}/", "keep": wanted.keep, "user": "key", "file": DUMP}
    files = {"store.py": store_program(), "plan.json": json.dumps(plan, indent=2, sort_keys=True) + "\n"}
    config_map(component, f"{called}-program", files)
    dump: Container = {
        "name": "dump",
        "image": image,
        "command": ["bash" if engine == "mysql" else "sh", "-c", PROGRAMS[engine].lstrip()],
        "env": env({"HOST": component.service_host(name), "ROOT": ROOT_FILE, "DUMP": DUMP}),
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}},
        "securityContext": CONTEXT,
        "volumeMounts": [
            *mounts({"dump": FOLDER, "tmp": "/tmp"}),  # noqa: S108 - in the container
            *mounts({"root": ROOT_FOLDER}, read_only=True),
        ],
    }
    upload: Container = {
        "name": "upload",
        "image": PYTHON,
        "command": ["python3", "-B", "/program/store.py", "/program/plan.json"],
        "resources": {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"memory": "512Mi"}},
        "securityContext": RESTRICTED,
        "volumeMounts": [
            *mounts({"dump": FOLDER, f"{called}-program": "/program", "key": "/run/secrets/key"}, read_only=True),
            *bucket.authority_mounts(),
        ],
    }
    if bucket.ca:
        upload["env"] = bucket.authority_env("SSL_CERT_FILE")
    if bucket.secret is None:
        raise ConfigError(
            f"components.{component.name}.backup: {bucket.given.by} gives an object store without a key, and what "
            "uploads knows no identity of a cloud's",
            hint=f"name one for it: `buckets: {{{called}: {{credentials: {{existing: …}}}}}}`",
        )
    pod: PodSpec = {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "securityContext": {"runAsUser": user, "runAsGroup": user, "fsGroup": user, "runAsNonRoot": True},
        "initContainers": [dump],
        "containers": [upload],
        "volumes": [
            *scratch("dump", "tmp"),
            *config_files(f"{called}-program"),
            root.volume("root", "password"),
            bucket.secret.volume("key", *KEYS),
            *bucket.authority_volumes(),
        ],
    }
    # Two at once would dump twice what one has.
    CronJob(component, called, pod=pod, schedule=wanted.schedule, extra_spec={"timeZone": "Etc/UTC"})
