"""Small rendered stacks."""

from __future__ import annotations

from typing import Any

from platform_def.config.cluster import Delivery
from platform_def.config.objects import Drift, Part
from platform_def.config.platform import ComponentFact, Platform
from platform_def.crds.health import HealthConditions
from platform_def.delivery.order import order
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedObject, RenderedStack

REPOSITORY = "https://git.example.com/platform.git"
ARGOCD = Delivery(engine="argocd", repository=REPOSITORY)
"""Argo CD in the default form: plain Applications, which are tried again."""
GATES = ARGOCD.model_copy(update={"order": "gates"})
FLUX = Delivery(engine="flux", repository=REPOSITORY)


def body(api_version: str, kind: str, name: str, namespace: str = "", **fields: Any) -> Manifest:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


def crd(kind: str, group: str) -> Manifest:
    spec = {"group": group, "names": {"kind": kind}}
    return body("apiextensions.k8s.io/v1", "CustomResourceDefinition", f"{kind.lower()}s.{group}", spec=spec)


def deployment(name: str, namespace: str) -> Manifest:
    return body("apps/v1", "Deployment", name, namespace)


def component(
    name: str,
    *,
    crds: tuple[Manifest, ...] = (),
    main: tuple[Manifest, ...] = (),
    after: tuple[Manifest, ...] = (),
    requires: tuple[str, ...] = (),
    drifting: tuple[Drift, ...] = (),
) -> RenderedComponent:
    parts: tuple[tuple[Part, tuple[Manifest, ...]], ...] = (("crds", crds), ("main", main), ("after", after))
    objects = tuple(RenderedObject(item, name, part, "here") for part, items in parts for item in items)
    return RenderedComponent(name, objects, requires, drifting)


def stack(
    *components: RenderedComponent, jobs: dict[str, tuple[Manifest, ...]] | None = None, **facts: Any
) -> RenderedStack:
    rendered = {
        job: tuple(RenderedObject(item, job, "main", "here") for item in items) for job, items in (jobs or {}).items()
    }
    return RenderedStack(
        "gpu-prod",
        Platform(stack="gpu-prod", cluster="gpu-prod", **facts),
        {item.name: item for item in components},
        facts={item.name: ComponentFact("1", f"{item.name}-system") for item in components},
        jobs=rendered,
    )


def ordered(*components: RenderedComponent, **more: Any) -> RenderedStack:
    return order(stack(*components, **more))


def nothing_declared(group: str, kind: str) -> HealthConditions | None:
    return None


NAMESPACES = component("namespaces", main=(body("v1", "Namespace", "cert-manager"), body("v1", "Namespace", "vision")))
CERT_MANAGER = component(
    "cert-manager",
    crds=(crd("Certificate", "cert-manager.io"),),
    main=(deployment("cert-manager", "cert-manager"),),
    after=(body("cert-manager.io/v1", "Certificate", "ca", "cert-manager"),),
    requires=("namespaces",),
)
EMISSARY = component(
    "emissary",
    main=(deployment("emissary", "emissary"), body("cert-manager.io/v1", "Certificate", "web", "emissary")),
    requires=("cert-manager", "namespaces", "external-secrets"),
)
TRAINING = component(
    "training-operator",
    crds=(crd("PyTorchJob", "kubeflow.org"),),
    main=(deployment("training-operator", "training"),),
)
JOB = body("kubeflow.org/v1", "PyTorchJob", "faces-1a2b3c4d", "vision")
