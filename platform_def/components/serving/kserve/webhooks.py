"""KServe's webhooks. All fail closed, and look at its own kinds and at pods that its controller labelled alone."""

from __future__ import annotations

from platform_def.constructs import AdmissionServer, Hook, port, rule

SERVICE, SECRET, CERTIFICATE = "kserve-webhook-server-service", "kserve-webhook-server-cert", "serving-cert"
GROUP = "serving.kserve.io"
ISVC = f"inferenceservice.{GROUP}"
OF_SERVICE = "serving.kserve.io/inferenceservice"
"""Label of the pods of an InferenceService."""


def server(namespace: str) -> AdmissionServer:
    """Those for InferenceServices and their pods; the controller's own pods never wait for it."""
    change, judge = _hook("inferenceservice", "v1beta1", "mutate"), _hook("inferenceservice", "v1beta1", "validate")
    pods = Hook(
        name="inferenceservice.kserve-webhook-server.pod-mutator",
        path="/mutate-pods",
        rules=[rule("", "v1", "pods", "CREATE")],
        object_selector={"matchExpressions": [{"key": OF_SERVICE, "operator": "Exists"}]},
        namespace_selector={
            "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": [namespace]}]
        },
    )
    return AdmissionServer(
        validating=[judge],
        mutating=[change, pods],
        secret=SECRET,
        trust="cert-manager",
        certificate=CERTIFICATE,
        configuration=ISVC,
        port=port("webhook", 443, 9443),
        service=SERVICE,
    )


def validators() -> dict[str, Hook]:
    """The configurations that upstream has apart, by name."""
    kinds = ("clusterservingruntime", "inferencegraph", "servingruntime", "trainedmodel")
    return {f"{kind}.{GROUP}": _hook(kind, "v1alpha1", "validate") for kind in kinds}


def of_caches() -> Hook:
    """The webhook for caches: it refuses what a node group cannot hold, and to delete what is in use."""
    return _hook("localmodelcache", "v1alpha1", "validate", operations="CREATE UPDATE DELETE")


def _hook(kind: str, version: str, verb: str, *, operations: str = "CREATE UPDATE") -> Hook:
    word = {"mutate": "defaulter", "validate": "validator"}[verb]
    return Hook(
        name=f"{kind}.kserve-webhook-server.{word}",
        path=f"/{verb}-serving-kserve-io-{version}-{kind}",
        rules=[rule(GROUP, version, f"{kind}s", operations)],
    )
