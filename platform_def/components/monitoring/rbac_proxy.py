"""kube-rbac-proxy in front of metrics: it asks the API server whether who connects may read `/metrics`."""

from __future__ import annotations

from platform_def.apis.core.core_v1 import Container
from platform_def.constructs import ImageFacts, allow, env, from_field, secured

PROXY = "quay.io/brancz/kube-rbac-proxy:v0.22.1"
REVIEWS = (
    allow("authentication.k8s.io", "tokenreviews", verbs="create"),
    allow("authorization.k8s.io", "subjectaccessreviews", verbs="create"),
)
FACTS = ImageFacts(runs_as=65532, read_only=True, source="kube-prometheus runs the image so")
CIPHERS = ",".join(
    f"TLS_ECDHE_{key}_WITH_{cipher}"
    for cipher in ("AES_128_GCM_SHA256", "AES_256_GCM_SHA384", "CHACHA20_POLY1305")
    for key in ("RSA", "ECDSA")
)


def rbac_proxy(image: str, port: int, *, upstream: int, on_node: bool = False) -> Container:
    """The container: TLS on `port`, on the node's address where the pod is on its network, before `upstream`."""
    return {
        "name": "kube-rbac-proxy",
        "image": image,
        "args": [
            f"--secure-listen-address={'[$(IP)]' if on_node else ''}:{port}",
            f"--tls-cipher-suites={CIPHERS}",
            f"--upstream=http://127.0.0.1:{upstream}/",
        ],
        **({"env": env({"IP": from_field("status.podIP")})} if on_node else {}),  # type: ignore[typeddict-item]
        "ports": [{"name": "https", "containerPort": port, "protocol": "TCP"}],
        "resources": {"requests": {"cpu": "10m", "memory": "20Mi"}, "limits": {"memory": "40Mi"}},
        "securityContext": secured(FACTS),
    }
