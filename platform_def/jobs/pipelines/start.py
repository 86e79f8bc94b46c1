"""Starts a run of a pipeline, or sees that it runs by the clock; runs in a container, on Python's own library.

`start.py PLAN`. It may run any number of times: what is there already under its name is left alone. Calls, fields and
codes are those of backend/api/v2beta1 of KFP 2.17.0.
"""

from __future__ import annotations

import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

TOKEN = Path("/var/run/secrets/kubeflow/pipelines/token")
TRIES, PAUSE_SECONDS = 30, 10
API = "/apis/v2beta1"
Found = dict[str, Any]


class Server:
    """The server's API, with the account's token, which the kubelet renews."""

    def __init__(self, url: str) -> None:
        self.url = url

    def call(self, method: str, path: str, body: Found | None = None, query: Found | None = None) -> Found:
        """One request; RuntimeError with the server's own words where it is refused."""
        asked = urllib.parse.urlencode({key: value for key, value in (query or {}).items() if value})
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(f"{self.url}{API}{path}?{asked}", data, method=method)  # noqa: S310
        request.add_header("Content-Type", "application/json")
        request.add_header("Authorization", f"Bearer {TOKEN.read_text().strip()}")
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310 - the plan's own server
                return dict(json.loads(answer.read() or b"{}"))
        except urllib.error.HTTPError as error:
            raise RuntimeError(
                f"{method} {path}: {error.code} {error.read().decode(errors='replace')[:2000]}"
            ) from None

    def all(self, path: str, key: str, **query: object) -> list[Found]:
        """All pages of a list."""
        found: list[Found] = []
        token = ""
        while True:
            page = self.call("GET", path, query={"page_size": 100, "page_token": token, **query})
            found += page.get(key, [])
            token = str(page.get("next_page_token", ""))
            if not token:
                return found


def named(name: str) -> str:
    """A filter for a display name."""
    return json.dumps({"predicates": [{"key": "display_name", "operation": "EQUALS", "string_value": name}]})


def experiment(server: Server, plan: Found) -> str:
    """The experiment of that name; it is made where it is missing."""
    name, namespace = plan["experiment"], plan["namespace"]
    for each in server.all("/experiments", "experiments", namespace=namespace, filter=named(name)):
        if each["display_name"] == name:
            return str(each["experiment_id"])
    made = server.call("POST", "/experiments", {"display_name": name, "namespace": namespace})
    return str(made["experiment_id"])


def source(server: Server, plan: Found) -> Found:
    """What is to run: a version of a pipeline that the server knows, or the pipeline itself."""
    if not plan.get("version"):
        return {"pipeline_spec": plan["pipeline_spec"]}
    name = urllib.parse.quote(plan["pipeline"])
    pipeline = server.call("GET", f"/pipelines/names/{name}", query={"namespace": plan["namespace"]})["pipeline_id"]
    for each in server.all(f"/pipelines/{pipeline}/versions", "pipeline_versions"):
        if plan["version"] in (each.get("name"), each.get("display_name")):
            version = each["pipeline_version_id"]
            return {"pipeline_version_reference": {"pipeline_id": pipeline, "pipeline_version_id": version}}
    raise RuntimeError(f"the server does not know version {plan['version']} of {plan['pipeline']} yet")


def run(server: Server, plan: Found) -> str:
    """One run of this name."""
    where = {"experiment_id": experiment(server, plan)}
    for each in server.all("/runs", "runs", **where, filter=named(plan["run"])):
        if each["display_name"] == plan["run"]:
            return f"run {plan['run']} is there: {each['run_id']}"
    wanted = {"display_name": plan["run"], **where, **common(plan), **source(server, plan)}
    return f"run {plan['run']} is started: {server.call('POST', '/runs', wanted)['run_id']}"


def recurring(server: Server, plan: Found) -> str:
    """The one recurring run of this content; those of former contents go once it is there."""
    where = {"experiment_id": experiment(server, plan)}
    prefix, clock = plan["name"], plan["schedule"]
    every = [
        each
        for each in server.all("/recurringruns", "recurringRuns", **where)
        if each["display_name"].rpartition("-")[0] == prefix and each.get("description") == plan["mark"]
    ]
    mine = [each for each in every if each["display_name"] == plan["run"]]
    if not mine:
        wanted = {
            "display_name": plan["run"],
            "description": plan["mark"],
            **where,
            **common(plan),
            **source(server, plan),
            "trigger": {"cron_schedule": {"cron": clock["cron"]}},
            "max_concurrency": str(clock["concurrent"]),
            "no_catchup": not clock["catchup"],
            "mode": "ENABLE" if clock["enabled"] else "DISABLE",
        }
        mine = [server.call("POST", "/recurringruns", wanted)]
    kept = mine[0]["recurring_run_id"]
    gone = sorted({each["recurring_run_id"] for each in every} - {kept})
    for each in gone:
        server.call("DELETE", f"/recurringruns/{each}")
    return f"recurring run {plan['run']}: {kept}; {len(gone)} of former contents deleted"


def common(plan: Found) -> Found:
    """What both kinds of runs say."""
    config: Found = {"parameters": plan["parameters"]}
    if plan.get("root"):
        config["pipeline_root"] = plan["root"]
    return {"runtime_config": config, "service_account": plan["account"]}


def main() -> int:
    """Try until the server answers, for five minutes."""
    plan = json.loads(Path(sys.argv[1]).read_text())
    server = Server(plan["url"])
    for left in reversed(range(TRIES)):
        try:
            print(recurring(server, plan) if plan.get("schedule") else run(server, plan))
        except (OSError, RuntimeError) as error:
            print(error, file=sys.stderr)
            if left:
                time.sleep(PAUSE_SECONDS)
        else:
            return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
