"""A small stack in which parts wait for others in every way that gates know: for definitions, programs and their webhooks,
a namespace, a gateway, an address, and of a job for all that it needs."""

from __future__ import annotations

from tests.cluster.engines.either import GATED
from tests.cluster.engines.repository import SAMPLE

ORDERED = f"""\
apiVersion: platform-def/v1
cluster:
  kubernetes: "1.36"
  registry: registry.example.com/mirror
delivery: {{engine: {GATED}, repository: "{SAMPLE}"}}
gateway: emissary
ingress: {{kind: metallb, addresses: [10.0.0.200-10.0.0.210], host: ml.example.com, tls: {{issuer: self-signed}}}}
nodePools:
  - {{name: train, nodes: 2, selector: {{pool: train}}, gpu: {{model: a100-80gb, perNode: 8}}, cores: 128, memoryGib: 1024}}
components:
  cert-manager: {{selfSignedIssuer: self-signed}}
  emissary: {{}}
  metallb: {{}}
  nvidia-device-plugin: {{}}
  training-operator: {{workloads: {{training-operator: {{replicas: 2}}}}}}
teams:
  - name: vision
jobs:
  - template: pytorch-ddp
    name: resnet
    team: vision
    pool: train
    image: registry.example.com/vision/resnet:2.9.1
    command: [train.py, --epochs, "90"]
    workers: 2
    gpusPerWorker: 8
"""
