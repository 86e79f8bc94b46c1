"""Defects that the API server takes, and a node, an engine or a driver does not."""

from __future__ import annotations

from platform_def.manifests.rendered import Manifest
from tests.unit.checks.seeded.seed import Seed, along, beside, lacking, wrong
from tests.unit.checks.seeded.stacks import GUESTS, ONPREM

_POD = "spec.template.spec"
_SECURITY = f"{_POD}.containers[0].securityContext"
_SHOP, _CLASS = "Deployment guests/shop", "StorageClass shared"
_LOGIN = '["csi.storage.k8s.io/provisioner-secret-name"]'


def _waits(kind: str, name: str, other: str) -> Manifest:
    api = f"{'kustomize' if kind == 'Kustomization' else 'helm'}.toolkit.fluxcd.io"
    metadata = {"name": name, "namespace": "guests"}
    return {"apiVersion": f"{api}/v1", "kind": kind, "metadata": metadata, "spec": {"dependsOn": [{"name": other}]}}


def _application(name: str, **spec: object) -> Manifest:
    metadata = {"name": name, "namespace": "guests"}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": metadata, "spec": spec}


_CIRCLE = along(_waits("Kustomization", "first", "second"), _waits("Kustomization", "second", "first"))
_OPTION = along(_application("shop", syncPolicy={"syncOptions": ["CreateNamespaces=true"]}))
_BOTH = along(_application("shop", destination={"name": "here", "server": "https://kubernetes.default.svc"}))

SEEDS: tuple[Seed, ...] = (
    wrong(GUESTS, _SHOP, f"{_POD}.volumes[1]", {"name": "shm", "emptyDir": {"medium": "memory"}}, "node-refused"),
    wrong(GUESTS, _SHOP, _SECURITY, {"capabilities": {"add": ["CAP_IPC_LOCK"]}}, "node-refused", "no capability"),
    wrong(GUESTS, _SHOP, _SECURITY, {"runAsNonRoot": True, "runAsUser": 0}, "node-refused", "does not start"),
    wrong(
        GUESTS,
        _SHOP,
        f"{_POD}.securityContext",
        {"sysctls": [{"name": "net.core.somaxconn", "value": "1024"}]},
        "node-refused",
        "--allowed-unsafe-sysctls",
        warns=True,
    ),
    Seed(GUESTS, _SHOP, _CIRCLE, "engine-object", "two that wait", "waits for itself", "Kustomization guests/first"),
    Seed(GUESTS, _SHOP, _BOTH, "engine-object", "a cluster twice", "an address of one", "Application guests/shop"),
    Seed(
        GUESTS, _SHOP, _OPTION, "engine-object", "an option", "CreateNamespaces", "Application guests/shop", warns=True
    ),
    lacking(ONPREM, _CLASS, f"parameters{_LOGIN}", "class-parameters", "has no Secret"),
    lacking(ONPREM, _CLASS, "parameters.fsName", "class-parameters", "fsName"),
    Seed(
        ONPREM,
        "StorageClass fast",
        beside("metadata.annotations", {"storageclass.kubernetes.io/is-default-class": "true"}, name="other"),
        "class-parameters",
        "a second default",
        "is the default as",
        "StorageClass other",
        warns=True,
    ),
)
