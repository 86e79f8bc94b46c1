"""KAI as a stack renders it, on a real API server: its operator, and the programs that it makes Deployments of.

The Go module proxy has no KAI, so nobody builds it here: $PLATFORM_DEF_KAI names a folder with its programs, built from
a checkout of the release by `CGO_ENABLED=0 go build -o FOLDER ./cmd/operator ./cmd/scheduler …`; without it the tests
are skipped. Played: kubelets, the way from Services to programs, and mounted files.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from platform_def.components.queues.kai_scheduler.metrics import BINDER, QUEUE_CONTROLLER
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.gangs import GangCluster
from tests.cluster.pods import Program, start_operator
from tests.cluster.scrape import Page, page_at
from tests.cluster.waves import DEFINITIONS, apply_in_waves, refusals, wave

FOLDER = os.environ.get("PLATFORM_DEF_KAI", "")
HOME, OPERATOR, SCHEDULER = "kai-scheduler", "kai-operator", "kai-scheduler-default"
CERTIFICATES = "k8s-webhook-server/serving-certs"
ADMISSION_PORT = 9444
METRICS = {OPERATOR: 18081, SCHEDULER: 18082, QUEUE_CONTROLLER: 18083, BINDER: 18084}
"""Ports of the metrics that Prometheus reads, here: programs of several pods share one network."""
# The PodGroup controller has its metrics at 8080 whatever it is told.
UNREAD, PROBES = ("--metrics-bind-address=127.0.0.1:0",), ("--health-probe-bind-address=127.0.0.1:0",)
ELSEWHERE: Mapping[str, Sequence[str]] = {
    "admission": (*UNREAD, *PROBES, f"--webhook-addr={ADMISSION_PORT}"),
    BINDER: (f"--metrics-bind-address=127.0.0.1:{METRICS[BINDER]}", *PROBES),
    OPERATOR: (f"--metrics-bind-address=127.0.0.1:{METRICS[OPERATOR]}", *PROBES),
    "pod-grouper": (*UNREAD, *PROBES),
    "podgroup-controller": (*UNREAD, *PROBES, "--enable-podgroup-webhook=false"),
    QUEUE_CONTROLLER: (f"--metrics-listen-address=127.0.0.1:{METRICS[QUEUE_CONTROLLER]}", "--enable-webhook=false"),
    SCHEDULER: (f"--listen-address=127.0.0.1:{METRICS[SCHEDULER]}", "--plugin-server-port=0"),
}
BINARIES = {
    "admission": "admission",
    BINDER: "binder",
    "pod-grouper": "podgrouper",
    "podgroup-controller": "podgroupcontroller",
    QUEUE_CONTROLLER: "queuecontroller",
    SCHEDULER: "scheduler",
}


@dataclass
class KaiCluster(GangCluster):
    """An API server on which KAI works."""

    groups: ClassVar[str] = "/apis/scheduling.run.ai/v2alpha2"

    def refused(self, job: Manifest) -> str:
        """Why the gang has no place now, as the scheduler says it; empty while it says nothing."""
        said = self.group(job).get("status", {}).get("schedulingConditions", [])
        return " ".join(str(reason.get("reason", "")) for each in said for reason in each.get("reasons", []))

    def pages(self) -> dict[str, Page]:
        """What its programs serve to Prometheus, by the names of these."""
        return {name: page_at(self.control_plane, port) for name, port in METRICS.items()}

    def held_back(self, job: Manifest) -> bool:
        """Whether the scheduler has said that the gang's queue has no room for it."""
        return "OverLimit" in self.refused(job)


def start_kai(control_plane: ControlPlane, binaries: Mapping[str, Path], objects: Sequence[Manifest]) -> KaiCluster:
    """Install the objects of a stack in the order of their delivery, and start operator and programs between them."""
    api, folder = control_plane.api, Path(FOLDER)
    after = [item for item in objects if item["kind"] in ("Config", "SchedulingShard", "Queue")]
    results = apply_in_waves(api, [item for item in objects if item not in after and wave(item) != DEFINITIONS])
    assert not refusals(results), "\n".join(refusals(results))
    operator = Program(control_plane, objects, OPERATOR, "operator")
    operator.start(folder / "operator", [*operator.spec["args"], *ELSEWHERE[OPERATOR]])
    for item in after:
        reply = api.apply(_without_two_servers(item))
        assert not reply.refusal, reply.refusal
    programs = {OPERATOR: operator}
    for name in BINARIES:
        path = f"/apis/apps/v1/namespaces/{HOME}/deployments/{name}"
        operator.wait(lambda path=path: api.get(path).status == 200, f"{name} is made")  # type: ignore[misc]
        programs[name] = _program(control_plane, name, api.get(path).body)
        programs[name].start(folder / BINARIES[name], [*_flags(programs[name]), *ELSEWHERE[name]])
    service = api.get(f"/api/v1/namespaces/{HOME}/services/admission").body["spec"]
    control_plane.sandbox.relay(service["clusterIP"], 443, target=ADMISSION_PORT)
    programs["training-operator"] = start_operator(control_plane, binaries, objects, moved=[*UNREAD, *PROBES])
    return KaiCluster(control_plane, programs)


def _without_two_servers(item: Manifest) -> Manifest:
    """The Config without two webhooks whose servers have one port, which no flag moves."""
    if item["kind"] != "Config":
        return item
    off = {name: {**item["spec"][name], "webhooks": {"enableValidation": False}} for name in _SERVERS}
    return {**item, "spec": {**item["spec"], **off}}


_SERVERS = ("podGroupController", "queueController")


def _program(control_plane: ControlPlane, name: str, made: Manifest) -> Program:
    """A program of a Deployment that the operator made."""
    (container,) = made["spec"]["template"]["spec"]["containers"]
    return Program(control_plane, [{"kind": "Deployment", **made}], name, container["name"])


def _flags(program: Program) -> list[str]:
    """Its arguments, with files where the test has them: what it mounts lies in its /tmp."""
    api, flags = program.control_plane.api, list(program.spec["args"])
    for volume in program.pod.get("volumes", []):
        if "secret" in volume:
            folder = program.tmp / CERTIFICATES
            folder.mkdir(parents=True, exist_ok=True)
            path = f"/api/v1/namespaces/{HOME}/secrets/{volume['secret']['secretName']}"
            # A kubelet would wait for it too.
            what = f"the certificate of {program.name} is made"
            until(lambda path=path: "data" in api.get(path).body, seconds=START_SECONDS, what=what)  # type: ignore[misc]
            for key, value in api.get(path).body["data"].items():
                (folder / key).write_bytes(base64.b64decode(value))
        if "configMap" in volume:
            stored = api.get(f"/api/v1/namespaces/{HOME}/configmaps/{volume['configMap']['name']}").body
            program.tmp.mkdir(parents=True, exist_ok=True)
            (program.tmp / "config.yaml").write_text(stored["data"]["config.yaml"])
            flags = [flag.replace("=/etc/config/", "=/tmp/") for flag in flags]
    return flags
