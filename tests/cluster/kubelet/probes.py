"""Probes: whether what runs in a container says that it has started, or is ready. What has been ready once stays so.

Of gRPC it is asked only whether somebody listens.
"""

from __future__ import annotations

import socket
import ssl
import subprocess
import urllib.error
import urllib.request

from tests.cluster.client import Manifest
from tests.cluster.kubelet.execution import Inside
from tests.cluster.kubelet.network import Place
from tests.cluster.kubelet.processes import among

SECONDS = 5.0
WHO = "kube-probe/1.36"
"""By this name some programs know a kubelet, and answer what they would hand on else."""


def numbered(probe: Manifest, container: Manifest) -> Manifest:
    """The probe with the number of a port that it names."""
    known = {each.get("name"): each["containerPort"] for each in container.get("ports", ())}
    return {
        kind: {**asked, "port": known.get(asked["port"], asked["port"])} if kind in ("httpGet", "tcpSocket") else asked
        for kind, asked in probe.items()
    }


def answers(probe: Manifest, inside: Inside, place: Place) -> bool:
    """Whether a probe succeeds now; its ports are numbers."""
    if "exec" in probe:
        command = [*inside.entered, *probe["exec"]["command"]]
        try:
            with among(inside.processes):
                run = subprocess.run(command, env=inside.variables, capture_output=True, timeout=SECONDS)
        except (OSError, subprocess.TimeoutExpired):
            return False
        return run.returncode == 0
    if listens := probe.get("tcpSocket", probe.get("grpc")):
        try:
            with socket.create_connection((place.address, listens["port"]), timeout=SECONDS):
                return True
        except OSError:
            return False
    asked = probe["httpGet"]
    url = f"{asked.get('scheme', 'HTTP').lower()}://{place.address}:{asked['port']}{asked.get('path', '/')}"
    unverified = ssl.create_default_context()
    # Kubelets take any certificate.
    unverified.check_hostname, unverified.verify_mode = False, ssl.CERT_NONE
    named = {each["name"]: each["value"] for each in asked.get("httpHeaders", ())}
    request = urllib.request.Request(url, headers={"User-Agent": WHO, **named})
    try:
        with urllib.request.urlopen(request, timeout=SECONDS, context=unverified) as reply:
            return bool(reply.status < 400)
    except (OSError, urllib.error.URLError):
        return False
