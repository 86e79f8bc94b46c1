"""Backups of databases as CronJobs of a stack make them, and what pods of a test say that fetch them."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from copy import deepcopy
from itertools import count
from typing import Any

from platform_def.constructs.security import RESTRICTED
from tests.cluster.flows import TOOLS, FlowBench

FETCHES = """\
set -eu
curl -sSf -o /tmp/dump.sql.gz --aws-sigv4 "aws:amz:$REGION:s3" -u "$ID:$KEY" "$FROM"
"""
"""Fetches a dump with the key of who made it."""
NUMBERS = count()


def said(bench: FlowBench, script: str, *, namespace: str, spec: Mapping[str, Any], **container: Any) -> str:
    """What a pod says that ends well."""
    name = f"asks-{next(NUMBERS)}"
    main = {
        "name": "main",
        "image": TOOLS,
        "command": ["sh", "-c", script, "sh"],
        "securityContext": {**RESTRICTED, "runAsUser": 999},
        **container,
    }
    whole = {"containers": [main], "restartPolicy": "Never", "activeDeadlineSeconds": 240, **spec}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace}, "spec": whole}
    bench.store(pod)
    bench.wait(lambda: bench.status(pod).get("phase") in ("Succeeded", "Failed"), f"{name} ends", pod)
    text = bench.log(namespace, name)
    assert bench.status(pod)["phase"] == "Succeeded", text + bench.told(pod)
    return text


def backed_up(bench: FlowBench, server: str) -> str:
    """What the CronJob of a server in the namespace of its name says of the dump that it has kept, run once."""
    cron = bench.object("CronJob", f"{server}-backup", server)
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "try", "namespace": server}}
    tried = bench.store({**job, "spec": deepcopy(cron["spec"]["jobTemplate"]["spec"])})
    bench.wait(lambda: bool(bench.status(tried).get("succeeded")), "the backup ends", tried)
    return bench.log(server, "try")


def fetching(bench: FlowBench, server: str, told: str) -> dict[str, str]:
    """Variables of who fetches that dump."""
    plan = json.loads(bench.object("ConfigMap", f"{server}-backup-program", server)["data"]["plan.json"])
    (kept,) = re.findall(r"^kept (\S+),", told, re.MULTILINE)
    cron = bench.object("CronJob", f"{server}-backup", server)
    volumes = cron["spec"]["jobTemplate"]["spec"]["template"]["spec"]["volumes"]
    key = next(each["secret"]["secretName"] for each in volumes if each["name"] == "key")
    return {
        "REGION": plan["region"],
        "FROM": f"http://{plan['host']}:{plan['port']}/{kept}",
        "ID": secret(bench, server, key, "accessKey"),
        "KEY": secret(bench, server, key, "secretKey"),
    }


def secret(bench: FlowBench, namespace: str, name: str, key: str) -> str:
    """What a Secret holds."""
    found = bench.control_plane.api.get(f"/api/v1/namespaces/{namespace}/secrets/{name}").body["data"]
    return base64.b64decode(found[key]).decode()
