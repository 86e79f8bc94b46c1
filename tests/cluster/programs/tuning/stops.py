# ruff: noqa: ARG002, N802 - the names of Katib's calls, and what gRPC hands over
"""A stand-in for Katib's service of median stopping, which no registry of packages has: Katib's own calls, answered by the mean of
the first reports of trials that ended well, which it asks the DB manager for.

It writes that a trial was stopped into the trial's status, under the account that Katib made for it.
"""

from __future__ import annotations

import json
import os
import socket
import ssl
import urllib.request
from concurrent import futures
from datetime import UTC, datetime
from pathlib import Path

import grpc
from calls import types_of_katib

PORT = 6788
ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
pb, services = types_of_katib()


class Stops(services.EarlyStoppingServicer):
    """The rules of one experiment."""

    def __init__(self) -> None:
        self._means = {}
        """Of trials that ended well, by name."""

    def ValidateEarlyStoppingSettings(self, request, context):
        """Say no to what is not known here."""
        if request.early_stopping.algorithm_name != "medianstop":
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "unknown algorithm")
        for each in request.early_stopping.algorithm_settings:
            if each.name not in ("min_trials_required", "start_step") or int(each.value) < 1:
                context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"{each.name}={each.value}")
        return pb.ValidateEarlyStoppingSettingsReply()

    def GetEarlyStoppingRules(self, request, context):
        """A rule, once enough trials have ended well."""
        spec = request.experiment.spec
        settings = {each.name: int(each.value) for each in spec.early_stopping.algorithm_settings}
        first, metric = settings["start_step"], spec.objective.objective_metric_name
        with grpc.insecure_channel(request.db_manager_address) as channel:
            manager = services.DBManagerStub(channel)
            for trial in request.trials:
                if trial.status.condition == pb.TrialStatus.SUCCEEDED and trial.name not in self._means:
                    asked = pb.GetObservationLogRequest(trial_name=trial.name, metric_name=metric)
                    log = manager.GetObservationLog(asked, timeout=60).observation_log.metric_logs[:first]
                    self._means[trial.name] = sum(float(each.metric.value) for each in log) / len(log)
        reply = pb.GetEarlyStoppingRulesReply()
        if len(self._means) >= settings["min_trials_required"]:
            worse = pb.GREATER if spec.objective.type == pb.MINIMIZE else pb.LESS
            bound = sum(self._means.values()) / len(self._means)
            reply.early_stopping_rules.add(name=metric, value=str(bound), comparison=worse, start_step=first)
        return reply

    def SetTrialStatus(self, request, context):
        """Write into a trial that it was stopped."""
        path = f"/apis/kubeflow.org/v1beta1/namespaces/{word('namespace')}/trials/{request.trial_name}"
        trial = json.loads(asked(path))
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        stopped = {
            "type": "EarlyStopped",
            "status": "True",
            "reason": "TrialEarlyStopped",
            "message": "worse than the others",
            "lastUpdateTime": now,
            "lastTransitionTime": now,
        }
        conditions = [*trial["status"]["conditions"], stopped]
        asked(f"{path}/status", json.dumps({"status": {"conditions": conditions}}).encode())
        return pb.SetTrialStatusReply()


def asked(path: str, patch: bytes | None = None) -> bytes:
    """What the API server answers to the account of this pod."""
    host = f"https://{os.environ['KUBERNETES_SERVICE_HOST']}:{os.environ['KUBERNETES_SERVICE_PORT']}"
    headers = {"Authorization": f"Bearer {word('token')}", "Content-Type": "application/merge-patch+json"}
    request = urllib.request.Request(host + path, patch, headers, method="PATCH" if patch else "GET")
    trusted = ssl.create_default_context(cafile=str(ACCOUNT / "ca.crt"))
    with urllib.request.urlopen(request, context=trusted, timeout=30) as reply:
        return reply.read()


def word(name: str) -> str:
    """What the pod's account is given."""
    return (ACCOUNT / name).read_text().strip()


def main() -> None:
    """Serve for ever."""
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4))
    services.add_EarlyStoppingServicer_to_server(Stops(), server)
    # Here the Services of others keep this port at their addresses.
    server.add_insecure_port(f"{socket.gethostbyname(socket.gethostname())}:{PORT}")
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    main()
