"""What of kubeflow-classic really runs while an engine brings it, a row a workload, and what is played, with the reason."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cluster import flow_stores
from tests.cluster.conftest import or_skip
from tests.cluster.engines.operators import Programs, Row, Rows
from tests.cluster.hub import NODE_BIN, obtain_hub, obtain_proxy
from tests.cluster.kubelet.image import Image
from tests.cluster.machines import PROGRAMS

CERTIFICATES = "cert-manager-programs"
CERT_MANAGER = tuple(
    f"Deployment cert-manager/{each}" for each in ("cert-manager", "cert-manager-cainjector", "cert-manager-webhook")
)


def _hub(_: Programs) -> Mapping[str, Image]:
    return {"hub": Image((str(or_skip(obtain_hub).parent),))}


def _proxy(_: Programs) -> Mapping[str, Image]:
    return {"proxy": Image((str(or_skip(obtain_proxy)), str(NODE_BIN)))}


def _mysql(_: Programs) -> Mapping[str, Image]:
    if not flow_stores.has_mariadb():
        pytest.skip("no MariaDB: apt-get install mariadb-server")
    return flow_stores.mysql()


def _postgresql(_: Programs) -> Mapping[str, Image]:
    return flow_stores.postgresql() or pytest.skip("no PostgreSQL: apt-get install postgresql")


def _page(_: Programs) -> Mapping[str, Image]:
    """busybox' httpd, which is here a program of the tests."""
    return {"page": Image((str(PROGRAMS / "httpd"), str(Path(sys.executable).parent)))}


def _idle(_: Programs) -> Mapping[str, Image]:
    """A program that no registry has, beside one that runs: it does nothing."""
    return {"idle": Image(entrypoint=("sh", "-c", "exec sleep infinity", "sh"))}


REAL: Rows = {
    "Deployment argo/argo-server": [Row("argo-server")],
    "Deployment argo/workflow-controller": [Row("workflow-controller-4.0")],
    "Deployment auth/dex": [Row("dex")],
    "Deployment cert-manager/cert-manager": [
        Row("cert-manager-controller", makes=("Certificate", "Issuer"), needs=CERT_MANAGER)
    ],
    "Deployment cert-manager/cert-manager-cainjector": [Row(CERTIFICATES, ("cainjector",), needs=CERT_MANAGER)],
    "Deployment cert-manager/cert-manager-webhook": [Row(CERTIFICATES, ("webhook",), needs=CERT_MANAGER)],
    "Deployment jupyterhub/hub": [Row(image=_hub, needs=("Deployment jupyterhub/proxy",))],
    "Deployment jupyterhub/proxy": [Row(image=_proxy)],
    "Deployment jupyterhub/user-scheduler": [Row("kube-scheduler")],
    "Deployment kubeflow/katib-controller": [Row("katib-controller", needs=CERT_MANAGER)],
    "Deployment kubeflow/katib-db-manager": [Row("katib-db-manager", needs=("StatefulSet mysql/mysql",))],
    "Deployment kubeflow/katib-ui": [
        Row("katib-ui", files={"/app/build/static/index.html": str(PROGRAMS / "tuning" / "index.html")})
    ],
    "Deployment kubeflow/training-operator": [Row("training-operator")],
    "Deployment landing-page/landing-page": [Row(image=_page)],
    "Deployment monitoring/kube-state-metrics": [Row("kube-state-metrics")],
    "Deployment monitoring/prometheus-operator": [
        Row("prometheus-operator", makes=("Prometheus",), container="prometheus-operator"),
        Row(image=_idle, container="kube-rbac-proxy"),
    ],
    "Deployment mpi-operator/mpi-operator": [Row("mpi-operator")],
    "Deployment oauth2-proxy/oauth2-proxy": [Row("oauth2-proxy", needs=("Deployment auth/dex",))],
    "Deployment training-jobs/training-jobs": [Row(image=lambda _: flow_stores.python())],
    "StatefulSet mysql/mysql": [Row(image=_mysql, serves_jobs=True)],
    "StatefulSet postgresql/postgresql": [Row(image=_postgresql, serves_jobs=True)],
    "StatefulSet seaweedfs/seaweedfs": [Row(image=flow_stores.seaweedfs, serves_jobs=True)],
}
"""Jobs run too: they are of the images of these. MariaDB of Debian stands for MySQL."""

ABSENT = "no package registry has it"
ON_NODES = "works on the disk, network or devices of a node, and the nodes are played"
PLAYED: Mapping[str, str] = {
    "DaemonSet ceph-csi-cephfs/csi-cephfsplugin": ON_NODES,
    "DaemonSet jupyterhub/continuous-image-puller": ON_NODES,
    "DaemonSet jupyterhub/continuous-image-puller-train": ON_NODES,
    "DaemonSet monitoring/node-exporter": f"node-exporter {ON_NODES}",
    "DaemonSet nvidia-device-plugin/dcgm-exporter": ON_NODES,
    "DaemonSet nvidia-device-plugin/nvidia-device-plugin": ON_NODES,
    "Deployment ceph-csi-cephfs/csi-cephfsplugin-provisioner": "of Ceph's driver no package registry has a program, and csi-provisioner, csi-resizer and csi-snapshotter ask that alone (test_volumes.py runs them)",
    "Deployment chainer-operator/chainer-operator": ABSENT,
    "Deployment emissary/emissary-ingress": ABSENT,
    "Deployment kube-system/metrics-server": "reads from kubelets what pods use, which these do not measure",
    "Deployment kubeflow/mxnet-operator": ABSENT,
    "Deployment local-path-storage/local-path-provisioner": f"{ON_NODES}; a registry has 0.0.30 of it, not 0.0.37",
    "Deployment modeldb/modeldb-graphql": ABSENT,
    "Deployment modeldb/modeldb-webapp": ABSENT,
    "Deployment seldon-system/seldon-controller-manager": ABSENT,
    "StatefulSet modeldb/modeldb-backend": ABSENT,
}

EXISTING: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("auth", "company-directory"): ("password",),
    ("ceph-csi-cephfs", "csi-cephfs-secret"): ("userID", "userKey"),
    ("emissary", "kubeflow-example-com"): ("tls.crt", "tls.key"),
}
"""Secrets that the cluster has before, as the text of `platformctl bootstrap` asks, by place: their keys."""
