"""Who is asked what a container of a stack makes of its files and flags, by the container's image: every image is here.

`READ` are asked in `test_readers.py`, `RUN` where their program runs as rendered, and of `UNREAD` it is said what was
tried. A component that brings an image brings its line.
"""

from __future__ import annotations

from collections.abc import Mapping

READ: Mapping[str, str] = {
    "nvidia/k8s-device-plugin": "device-plugin-reader",
    "cloud-native/k8s-mig-manager": "mig-parted-reader",
    "nfd/node-feature-discovery": "nfd-reader",
    "k8snetworkplumbingwg/sriov-network-device-plugin": "sriov-reader",
    "mellanox/k8s-rdma-shared-dev-plugin": "rdma-reader",
    "registry.k8s.io/kube-scheduler": "kube-scheduler",
    "scheduler-plugins/kube-scheduler": "plugins-scheduler",
}
"""The program that reads, a name of `tools.py`."""

RUN: Mapping[str, str] = {
    "argoproj/argocd": "engines/test_argocd_itself.py",
    "certificates/cert-manager-cainjector": "test_cert_manager.py",
    "certificates/cert-manager-controller": "test_certificates.py",
    "certificates/cert-manager-webhook": "test_cert_manager.py",
    "dra-driver-nvidia/dra-driver-nvidia-gpu": "test_compute_domains.py",
    "emissary-ingress/emissary": "test_emissary_routes.py",
    "emissaryingress/emissary": "test_conversion.py",
    "external-dns/external-dns": "test_external_dns.py",
    "fluxcd/kustomize-controller": "engines/test_flux_itself.py",
    "fluxcd/source-controller": "engines/test_flux_itself.py",
    "istio-release/install-cni": "test_istio_cni.py",
    "istio-release/pilot": "test_gateways.py",
    "jetstack/cert-manager-cainjector": "test_cert_manager.py",
    "jetstack/cert-manager-controller": "test_certificates.py",
    "jetstack/cert-manager-webhook": "test_cert_manager.py",
    "jobset/jobset": "test_trainer.py",
    "k8snetworkplumbingwg/multus-cni": "test_networks.py",
    "k8snetworkplumbingwg/whereabouts": "test_networks.py",
    "kai-scheduler/operator": "test_kai.py",
    "kedacore/keda": "test_keda.py",
    "kedacore/keda-admission-webhooks": "test_keda.py",
    "kedacore/keda-metrics-apiserver": "test_keda.py",
    "kubeflow/training-operator": "test_queues.py",
    "kuberay/operator": "test_ray.py",
    "kueue/kueue": "test_queues.py",
    "library/busybox": "../unit/components/test_gpu_preflight_functions.py",
    "library/python": "test_secrets.py",
    "metallb/controller": "test_metallb.py",
    "metallb/speaker": "test_metallb.py",
    "mpioperator/mpi-operator": "test_mpi.py",
    "projecthami/hami": "test_hami.py",
    "scheduler-plugins/controller": "test_scheduler_plugins.py",
    "sig-storage/csi-attacher": "test_volumes.py",
    "sig-storage/csi-provisioner": "test_volumes.py",
    "sig-storage/csi-resizer": "test_volumes.py",
    "sig-storage/csi-snapshotter": "test_volumes.py",
    "sig-storage/snapshot-controller": "test_volumes.py",
    "trainer/trainer-controller-manager": "test_trainer.py",
    "training-v1/training-operator": "test_training.py",
    "volcanosh/vc-controller-manager": "test_gangs.py",
    "volcanosh/vc-scheduler": "test_gangs.py",
    "volcanosh/vc-webhook-manager": "test_gangs.py",
}
"""The test, beside this file, that runs the program under its container's flags or reads its files with its own code."""

_REFUSED = "the proxy of Go modules answers 403 for {}"
_NO_FILE = "in the proxy of Go modules at {}, and not built: it has flags and variables, and no file of a stack's"
_COPIES = "it copies a program to the node, and gets no file and no flag; "
_C_LIBRARY = "linked with a library of C that is not at hand: {}"
_KATIB = "the checksum database refuses 0.19.0, and the proxy of Go modules has neither 0.18 nor 0.17"
_RESTS = "not looked for: upstream rests"

UNREAD: Mapping[str, str] = {
    "cephcsi/cephcsi": _C_LIBRARY.format("librados"),
    "fluxcd/helm-controller": _NO_FILE.format("1.6.4"),
    "fluxcd/notification-controller": _REFUSED.format("1.9.4"),
    "istio-release/proxyv2": "pilot-agent and Envoy: istiod's answers to it are read in test_gateways.py",
    "k8s/dcgm-exporter": _C_LIBRARY.format("DCGM's, by cgo"),
    "k8snetworkplumbingwg/ib-sriov-cni": _COPIES + _REFUSED.format("1.3.0"),
    "k8snetworkplumbingwg/rdma-cni": _COPIES + "a network says nothing but its name",
    "k8snetworkplumbingwg/sriov-cni": _COPIES + _REFUSED.format("2.10.0 and 2.9.0"),
    "katib/katib-controller": _KATIB,
    "katib/katib-db-manager": _KATIB,
    "katib/katib-ui": _KATIB,
    "kubeflow/mxnet-operator": _RESTS,
    "kubeflow/xgboost-operator": _RESTS,
    "library/mysql": "not in Go, and not run here",
    "library/redis": "not in Go; its flags are three, and Argo CD's tests run another server of its protocol",
    "nvidia/gpu-operator": _REFUSED.format("26.7.0"),
    "nvidia/k8s-dra-driver-gpu": _REFUSED.format("25.12.0"),
    "paddlecloud/controller": _RESTS,
    "rancher/local-path-provisioner": "the proxy of Go modules has 0.0.37, the checksum database has no record of it",
    "registry.example.com/chainer-operator": _RESTS,
    "sig-storage/csi-node-driver-registrar": _REFUSED.format("2.17.0, 2.16.0 and 2.15.0"),
    "sig-storage/livenessprobe": _REFUSED.format("2.19.0, 2.18.0 and 2.17.0"),
    "sig-storage/nfsplugin": _REFUSED.format("4.13.4 and 4.12.1"),
    "tkestack/gpu-admission-tke": _RESTS,
    "tkestack/gpu-manager": _RESTS,
}
"""What was tried, or why nothing was."""
