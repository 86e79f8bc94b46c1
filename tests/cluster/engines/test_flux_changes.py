"""Flux on a small cluster: a job is started once, what waits is mended, and what goes leaves in order."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from platform_def.components.delivery.flux.words import ENGINE
from tests.cluster.client import Manifest
from tests.cluster.control_plane import until
from tests.cluster.engines.conftest import EmptyCluster
from tests.cluster.engines.flux import Flux
from tests.cluster.engines.repository import SAMPLE
from tests.cluster.engines.story import (
    CHAIN,
    CHAIN_STACK,
    OTHERS,
    OTHERS_STACK,
    Delivered,
    handed_over,
    leaves_alone,
    removes,
    removes_a_chain_at_once,
    starts_a_job_once,
)

pytestmark = pytest.mark.cluster

PART = "training-operator-main"
OPERATOR = "  training-operator: {}\n"
NOWHERE = "  training-operator: {placement: {nodeSelector: {pool: nowhere}}}\n"
PRETRAIN = '{template: pytorch-ddp, name: pretrain, image: "registry.example.com/pretrain:1", command: [train.py]}'
SMALL = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36", nvidiaRuntime: default}}
delivery: {{engine: flux, repository: "{SAMPLE}"}}
gateway: istio-ingress-gateway
ingress: {{kind: cloud}}
nodePools:
  - {{name: train, nodes: 2, selector: {{pool: train}}, gpu: {{model: h100-80gb, perNode: 8}}}}
components:
  istio: {{}}
  istio-ingress-gateway: {{}}
  nvidia-device-plugin: {{}}
{OPERATOR}{OTHERS_STACK}{CHAIN_STACK}jobs:
  - {PRETRAIN}
"""
REGISTRY = ("nvidiaRuntime: default", "nvidiaRuntime: default, registry: mirror.example.com")
PROXIES: Manifest = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "istio-ingressgateway", "namespace": "istio-system"},
}
GATEWAY: Manifest = {
    "apiVersion": "networking.istio.io/v1",
    "kind": "Gateway",
    "metadata": {"name": "istio-ingressgateway", "namespace": "istio-system"},
}


def test_a_small_cluster_starts_a_job_once_mends_what_waits_and_removes_in_order(
    empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    start = lambda cluster: Flux(cluster, programs, flags=ENGINE.flags)  # noqa: E731 - it is passed on
    with handed_over(empty_cluster, "small", tmp_path, start, text=SMALL, own={**CHAIN, **OTHERS}) as there:
        there.engine.wait(there.repository, there.repository.revision)
        leaves_alone(there, OTHERS["others"])
        starts_a_job_once(there, "pretrain", (PRETRAIN, PRETRAIN.replace("}", ", sync: true}")), REGISTRY)
        is_mended_while_it_waits(there, OPERATOR, NOWHERE)
        removes_a_chain_at_once(there)
        removes(there, "istio-ingress-gateway", PROXIES, GATEWAY)


def is_mended_while_it_waits(there: Delivered[Flux], sound: str, broken: str) -> None:
    """A part that can never be healthy holds back nobody who mends it, though its own timeout is ten minutes."""
    flux, repository = there.engine, there.repository
    revision = repository.change(sound, broken)
    flux.look()
    until(lambda: flux.checks(PART, revision), seconds=180, what=f"{PART} is looked at")
    mended = repository.change(broken, sound)
    flux.look()
    flux.wait(repository, mended, seconds=300)
