"""The repository that `test_walk.py` walks through: three clusters, and everything that a platform team may write."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.acceptance.repository import Repository, installed

BASE, EAST, WEST, EDGE = (f"stacks/{name}.yaml" for name in ("base/shared", "gpu-east", "gpu-west", "edge"))

OVERLAY = "overlays/gpu-east/training-operator/kustomization.yaml"
JOBS = {
    "resnet": "template: pytorch-ddp, image: 'old.example.com/vision/resnet:1', command: [train.py], datasets: [faces]",
    "bert": "template: tensorflow, image: 'r.example.com/tf:2', command: [python, train.py], datasets: [scans]",
    "flax": "template: jax, image: 'r.example.com/jax:1', command: [python, train.py], datasets: [films]",
    "trees": "template: xgboost, image: 'r.example.com/xgb:2', command: [python, train.py], datasets: [texts]",
    "ocr": "template: paddle, image: 'r.example.com/paddle:3', command: [train.py]",
    "ring": "template: mpi, image: 'r.example.com/horovod:1', command: [python, train.py]",
    "sweep": "template: gpu-job, image: 'r.example.com/torch:2', command: [python, sweep.py]",
    "desk": "template: development, image: 'r.example.com/torch:2', gpusPerWorker: 1",
}
"""One of each of eight templates; four of them read a dataset, each from another driver."""

_CEPH = (
    'clusterId: a, monitors: ["10.0.1.11:6789"], filesystem: ml, secret: {existing: ceph-csi-cephfs/csi-cephfs-secret}'
)
RBD = (
    '{driver: rbd, clusterId: a, monitors: ["10.0.1.11:6789"], pool: kubernetes, reclaimPolicy: Retain, '
    "secret: {existing: ceph-csi-rbd/csi-rbd-secret}}"
)
FILES = {
    BASE: """\
apiVersion: platform-def/v1
delivery: {engine: argocd, repository: "https://git.example.com/platform.git"}
components:
  training-operator: {threads: 2}
  cert-manager: {}
""",
    EAST: f"""\
apiVersion: platform-def/v1
extends: [base/shared.yaml]
cluster:
  kubernetes: "1.34"
  registry: old.example.com/mirror
  existing: [Secret ceph-csi-cephfs/csi-cephfs-secret, Secret kubeflow/katib-sql]
nodePools:
  - {{name: train, nodes: 16, selector: {{pool: train}}, gpu: {{model: a100-80gb, perNode: 8}}}}
storage:
  shared: {{driver: cephfs, default: true, reclaimPolicy: Retain, {_CEPH}}}
  files: {{driver: nfs, server: nfs.example.com, share: /exports/ml}}
  lustre: {{driver: local-path, shared: true, path: /lustre, binding: Immediate}}
  filer: {{driver: existing, accessModes: [ReadWriteMany], binding: Immediate}}
teams:
  - name: vision
    quota: {{gpus: 32}}
    datasets:
      faces: {{storage: shared, size: 2Ti}}
      scans: {{storage: files, size: 1Ti}}
      films: {{storage: lustre, size: 1Ti}}
      texts: {{storage: filer, size: 1Ti}}
  - {{name: speech, quota: {{gpus: 8}}}}
components:
  nvidia-device-plugin: {{}}
  ceph-csi-cephfs: {{}}
  csi-driver-nfs: {{}}
  local-path-provisioner: {{}}
  mysql: {{workloads: {{mysql: {{volumes: {{data: {{size: 20Gi}}}}}}}}}}
  katib: {{certificates: katib, ui: {{access: administrators}}}}
  greeting-operator: {{firstWords: good morning}}
  notes: {{path: apps/notes, namespace: notes}}
jobs:
{"".join(f"  - {{name: {name}, team: vision, pool: train, {text}}}{chr(10)}" for name, text in JOBS.items())}""",
    WEST: 'apiVersion: platform-def/v1\nextends: [base/shared.yaml]\ncluster: {kubernetes: "1.34"}\n',
    EDGE: """\
apiVersion: platform-def/v1
extends: [base/shared.yaml]
cluster: {kubernetes: "1.34"}
delivery: {engine: flux}
""",
    OVERLAY: """\
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches:
  - target: {kind: Deployment, name: training-operator}
    patch: |-
      - {op: replace, path: /spec/template/spec/terminationGracePeriodSeconds, value: 30}
""",
    "apps/notes/notes.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: notes}\ndata: {a: b}\n",
}


class Walk:
    """A repository under git, in which one person works."""

    def __init__(self, repository: Repository, packages: Path):
        self.repository = repository
        self.packages = packages

    def does(self, words: str, *, code: int = 0) -> str:
        """The output of a command of platformctl, that for programs and that for people."""
        with installed(self.packages):
            done = self.repository.ask(*words.split(), code=code)
        return done.out + done.err

    def writes(self, files: Mapping[str, str]) -> None:
        """Write files."""
        self.repository.write(files)

    def changes(self, path: str, old: str, new: str) -> None:
        """Write something else in one place of a file."""
        text = self.text(path)
        assert text.count(old) == 1, f"{path}: {text.count(old)} times {old}"
        self.repository.write({path: text.replace(old, new)})

    def text(self, path: str) -> str:
        """What a file holds."""
        return (self.repository.root / path).read_text(encoding="utf-8")

    def git(self, *words: str) -> str:
        """The output of git."""
        who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com")
        return self.repository.call("git", *who, *words).out

    def passes(self, *, base: str = "HEAD") -> str:
        """What CI asks of a branch, and what it is told."""
        said = self.does(f"synth --check --base {base}")
        assert "is current" in said
        return said

    def merges(self) -> None:
        """Commit everything."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "a change")

    def drops(self) -> None:
        """Take everything back that is not merged."""
        self.git("checkout", "-q", "--", ".")
        self.git("clean", "-q", "-f", "-d", "stacks", "apps", "overlays", "dist")

    def differs(self) -> set[str]:
        """The files of dist/ that differ from the last commit."""
        return {line[3:] for line in self.git("status", "--porcelain", "-uall", "dist").splitlines()}
