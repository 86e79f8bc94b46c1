"""Taints nodes of pools that have a condition of node problem detector, and takes the taint away afterwards; runs as a
CronJob, from a ConfigMap, on Python's own library.

Nothing but this one taint is written, and only while the node is as it was read. Where more nodes of a pool are sick
than the plan lets it taint, some stay as they are: all cards seldom break at once, but a driver's update may look so.
"""

from __future__ import annotations

import http.client
import json
import os
import ssl
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
SECONDS = 30
CONFLICT = 409


class Nodes:
    """The API server, asked under the pod's account."""

    def __init__(self) -> None:
        self.token = (ACCOUNT / "token").read_text().strip()
        self.tls = ssl.create_default_context(cafile=str(ACCOUNT / "ca.crt"))
        # Python 3.13 asks for extensions that authorities of many clusters lack; who signed is checked all the same.
        self.tls.verify_flags &= ~ssl.VERIFY_X509_STRICT

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, dict[str, Any]]:
        """Status and body of an answer."""
        host, port = os.environ["KUBERNETES_SERVICE_HOST"], int(os.environ["KUBERNETES_SERVICE_PORT"])
        connection = http.client.HTTPSConnection(host, port, timeout=SECONDS, context=self.tls)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/merge-patch+json"}
        try:
            connection.request(method, path, json.dumps(body) if body else None, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def of_pool(self, selector: dict[str, str]) -> list[dict[str, Any]]:
        """The nodes with these labels."""
        asked = urlencode({"labelSelector": ",".join(f"{key}={value}" for key, value in selector.items())})
        status, body = self.ask("GET", f"/api/v1/nodes?{asked}")
        if status != http.client.OK:
            raise OSError(f"nodes cannot be listed: {status} {body.get('message', '')}")
        return list(body["items"])

    def write(self, node: dict[str, Any], taints: list[dict[str, Any]]) -> str:
        """Write the taints of a node as it was read; what went wrong, if anything did."""
        metadata = node["metadata"]
        patch = {"metadata": {"resourceVersion": metadata["resourceVersion"]}, "spec": {"taints": taints}}
        status, body = self.ask("PATCH", f"/api/v1/nodes/{quote(metadata['name'])}", patch)
        # Who else wrote the node meanwhile is no fault: the next run reads it again.
        return "" if status in (http.client.OK, CONFLICT) else f"{status} {body.get('message', '')}"


def sick(node: dict[str, Any], conditions: list[str]) -> str:
    """The first of these conditions that a node has; empty where it has none."""
    found = {each["type"]: each["status"] for each in node.get("status", {}).get("conditions", [])}
    return next((each for each in conditions if found.get(each) == "True"), "")


def wanted(plan: dict[str, Any], nodes: list[dict[str, Any]]) -> dict[str, str]:
    """Why each node of a pool is to have the taint, by name; those that have it already come first."""
    reasons = {each["metadata"]["name"]: sick(each, plan["conditions"]) for each in nodes}
    ailing = [each for each in nodes if reasons[each["metadata"]["name"]]]
    ailing.sort(key=lambda node: (not tainted(node, plan["key"]), node["metadata"]["name"]))
    most = max(1, len(nodes) * plan["mostPercent"] // 100)
    return {each["metadata"]["name"]: reasons[each["metadata"]["name"]] for each in ailing[:most]}


def tainted(node: dict[str, Any], key: str) -> bool:
    """Whether a node has the taint."""
    return any(each["key"] == key for each in node["spec"].get("taints", []))


def changes(plan: dict[str, Any], nodes: list[dict[str, Any]]) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """The nodes of a pool whose taints must change, with what they become."""
    chosen, made = wanted(plan, nodes), []
    for node in nodes:
        reason = chosen.get(node["metadata"]["name"], "")
        now = list(node["spec"].get("taints", []))
        kept = [each for each in now if each["key"] != plan["key"]]
        mine = [{"key": plan["key"], "value": reason, "effect": plan["effect"]}] if reason else []
        # A node stays tainted for what it was tainted for first: an added reason would be one more write.
        if bool(mine) != tainted(node, plan["key"]):
            made.append((node, [*kept, *mine]))
    return made


def main(file: str) -> int:
    """Look at all pools once. 0 where every node is as it should be."""
    plan, api = json.loads(Path(file).read_text()), Nodes()
    failed = False
    for selector in plan["pools"]:
        nodes = api.of_pool(selector)
        ailing = sum(1 for each in nodes if sick(each, plan["conditions"]))
        if ailing > (most := len(wanted(plan, nodes))):
            print(f"{ailing} nodes of {selector} are sick, and no more than {most} are tainted", flush=True)
        for node, taints in changes(plan, nodes):
            wrong = api.write(node, taints)
            verb = "taint" if len(taints) > len(node["spec"].get("taints", [])) else "take the taint from"
            said = (
                f"cannot {verb} {node['metadata']['name']}: {wrong}" if wrong else f"{verb} {node['metadata']['name']}"
            )
            print(said, flush=True)
            failed = failed or bool(wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
