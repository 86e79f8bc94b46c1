"""KServe's well-known presets: what LLMInferenceServices begin with, by the names that its controller looks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from platform_def.components.serving.kserve.llm.commands import SLEEP_SECONDS, TLS, Start
from platform_def.components.serving.kserve.llm.routes import route
from platform_def.constructs import env, from_field

Image = Callable[[str], str]
SCHEME = "{{ if .GlobalConfig.EnableTLS }}HTTPS{{ else }}HTTP{{ end }}"
CERTIFICATES = "{{ ChildName .ObjectMeta.Name `-kserve-self-signed-certs` }}"
POOL = "{{ ChildName .ObjectMeta.Name `-inference-pool` }}"
ROUTED = {"serving.kserve.io/model-based-routing-enabled": "true"}
WAITS = {"preStop": {"exec": {"command": ["/bin/sleep", str(SLEEP_SECONDS)]}}}
AUTHORITIES = f"{TLS}:/var/run/secrets/kubernetes.io/serviceaccount:/etc/pki/tls/certs"


def presets(image: Image) -> dict[str, dict[str, Any]]:
    """Specs by name; `image` gives an image by its role."""
    reading, writing = ".Spec.Prefill", 8001
    decode, worker = Start(port=writing), Start(port=writing, spread=True)
    return {
        "kserve-config-llm-template": {"annotations": ROUTED, "template": _server(image, Start())},
        "kserve-config-llm-worker-data-parallel": {
            "annotations": ROUTED,
            "template": _server(image, Start(spread=True)),
            "worker": _server(image, Start(spread=True, follows=True, pod=".Spec.Worker")),
        },
        # Upstream's controller looks for this one where layers are shared out, and upstream brings none.
        "kserve-config-llm-worker-pipeline-parallel": {
            "annotations": ROUTED,
            "template": _server(image, Start(stages=True)),
            "worker": _server(image, Start(stages=True, follows=True, pod=".Spec.Worker")),
        },
        "kserve-config-llm-decode-template": {
            "annotations": ROUTED,
            "template": {**_server(image, decode), "initContainers": [_disaggregation(image)]},
        },
        "kserve-config-llm-decode-worker-data-parallel": {
            "annotations": ROUTED,
            "template": {**_server(image, worker), "initContainers": [_disaggregation(image)]},
            "worker": _server(image, Start(port=writing, spread=True, follows=True, pod=".Spec.Worker")),
        },
        "kserve-config-llm-prefill-template": {
            "prefill": {
                "template": _server(image, Start(part=reading, pod=f"{reading}.Template", published=False)),
            }
        },
        "kserve-config-llm-prefill-worker-data-parallel": {
            "prefill": {
                "template": _server(image, Start(part=reading, pod=f"{reading}.Template", spread=True)),
                "worker": _server(image, Start(part=reading, pod=f"{reading}.Worker", spread=True, follows=True)),
            }
        },
        "kserve-config-llm-scheduler": {"router": {"scheduler": _scheduler(image)}},
        "kserve-config-llm-router-route": {"router": {"route": {"http": {"spec": route(POOL)}}}},
    }


def tracing(endpoint: str, percent: int) -> dict[str, Any]:
    """The preset for traces, where the stack has who takes them."""
    return {
        "tracing": {
            "exporter": "otlp",
            "exporterEndpoint": endpoint,
            "sampler": "parentbased_traceidratio",
            "samplerArg": str(percent / 100),
        }
    }


def _server(image: Image, start: Start) -> dict[str, Any]:
    folders = {"home": "/home", "tmp-dir": "/tmp", "dshm": "/dev/shm", "model-cache": "/models"}  # noqa: S108
    container: dict[str, Any] = {
        "name": "main",
        "image": image("server"),
        "imagePullPolicy": "IfNotPresent",
        "command": ["/bin/bash", "-c", start.script(), "--"],
        "env": env({"HOME": "/home", "VLLM_LOGGING_LEVEL": "INFO", "HF_HUB_CACHE": "/models"}),
        "ports": [{"containerPort": start.port, "protocol": "TCP"}],
        "lifecycle": WAITS,
        "securityContext": _security(read_only=False),
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [*({"name": name, "mountPath": at} for name, at in folders.items()), _certificates()],
    }
    if not start.follows:
        asked = {"httpGet": {"path": "/health", "port": start.port, "scheme": SCHEME}}
        container["livenessProbe"] = {**asked, "periodSeconds": 10, "failureThreshold": 10}
        container["readinessProbe"] = {**asked, "periodSeconds": 1, "failureThreshold": 2}
        container["startupProbe"] = {**asked, "periodSeconds": 10, "failureThreshold": 180}
    shared = {"medium": "Memory", "sizeLimit": "8Gi" if start.spread or start.stages else "1Gi"}
    return {
        "containers": [container],
        "terminationGracePeriodSeconds": 60,
        "volumes": [
            *({"name": name, "emptyDir": shared if name == "dshm" else {}} for name in folders),
            {"name": "tls-certs", "secret": {"secretName": CERTIFICATES}},
        ],
    }


def _disaggregation(image: Image) -> dict[str, Any]:
    """Has prompts read elsewhere, and hands the answer to the server of the pod."""
    asked = {"httpGet": {"path": "/health", "port": 8000, "scheme": SCHEME}, "initialDelaySeconds": 10}
    return {
        "name": "llm-d-routing-sidecar",
        "image": image("disaggregation"),
        "imagePullPolicy": "IfNotPresent",
        "restartPolicy": "Always",
        "command": [
            "/app/pd-sidecar",
            "--port=8000",
            "--vllm-port=8001",
            "--kv-connector=nixlv2",
            "--enable-ssrf-protection=true",
            "--pool-group=inference.networking.k8s.io",
            "--inference-pool={{ .GlobalConfig.InferencePoolNamespacedName }}",
            "--secure-proxy={{ if .GlobalConfig.EnableTLS }}true{{ else }}false{{ end }}",
            f"{{{{ if .GlobalConfig.EnableTLS }}}}--cert-path={TLS}{{{{ end }}}}",
            "{{ if .GlobalConfig.EnableTLS }}--enable-tls=decoder{{ end }}",
            "{{ if .GlobalConfig.EnableTLS }}--enable-tls=prefiller{{ end }}",
        ],
        "env": env({"INFERENCE_POOL_NAMESPACE": from_field("metadata.namespace"), "SSL_CERT_DIR": AUTHORITIES}),
        "ports": [{"containerPort": 8000, "protocol": "TCP"}],
        "livenessProbe": {**asked, "periodSeconds": 10, "timeoutSeconds": 10},
        "readinessProbe": {**asked, "periodSeconds": 10, "timeoutSeconds": 5, "failureThreshold": 10},
        "securityContext": _security(read_only=False),
        "volumeMounts": [_certificates()],
    }


def _scheduler(image: Image) -> dict[str, Any]:
    return {
        "pool": {
            "spec": {
                "endpointPickerRef": {
                    "kind": "Service",
                    "name": "{{ ChildName .ObjectMeta.Name `-epp-service` }}",
                    "port": {"number": 9002},
                    "failureMode": "FailOpen",
                },
                "selector": {
                    "matchLabels": {
                        "app.kubernetes.io/name": "{{ .ObjectMeta.Name }}",
                        "app.kubernetes.io/part-of": "llminferenceservice",
                        "kserve.io/component": "workload",
                    }
                },
                "targetPorts": [{"number": 8000}],
            }
        },
        "annotations": {"app.kubernetes.io/version": "0.9.0"},
        "template": {
            "containers": [_picker(image), _tokenizer(image)],
            "terminationGracePeriodSeconds": 60,
            "volumes": [
                {"name": "tls-certs", "secret": {"secretName": CERTIFICATES}},
                *({"name": f"tokenizer-{name}", "emptyDir": {}} for name in ("uds", "tmp", "cache")),
            ],
        },
    }


def _picker(image: Image) -> dict[str, Any]:
    ports = {"grpc": 9002, "grpc-health": 9003, "metrics": 9090, "zmq": 5557}
    secure: Mapping[str, str] = {
        "enable-cert-reload": "true",
        "model-server-metrics-scheme": "https",
        "cert-path": TLS,
    }
    return {
        "name": "main",
        "image": image("picker"),
        "imagePullPolicy": "IfNotPresent",
        "command": [
            "/app/epp",
            "--pool-name",
            POOL,
            "--pool-namespace",
            "{{ .ObjectMeta.Namespace }}",
            "--zap-encoder",
            "json",
            "--grpc-port",
            "9002",
            "--grpc-health-port",
            "9003",
            # By default it serves TLS with a certificate of its own, and Istio asks it by plain HTTP/2.
            "--secure-serving={{ if .GlobalConfig.EnableTLS }}true{{ else }}false{{ end }}",
            *(f"{{{{ if .GlobalConfig.EnableTLS }}}}--{flag}={value}{{{{ end }}}}" for flag, value in secure.items()),
        ],
        "env": env({"SSL_CERT_DIR": AUTHORITIES}),
        "lifecycle": WAITS,
        "ports": [{"name": name, "containerPort": at, "protocol": "TCP"} for name, at in ports.items()],
        "livenessProbe": {"grpc": {"port": 9003, "service": "liveness"}, "initialDelaySeconds": 5},
        "readinessProbe": {"grpc": {"port": 9003, "service": "readiness"}, "initialDelaySeconds": 30},
        "resources": {"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"cpu": "6", "memory": "16Gi"}},
        "securityContext": _security(),
        "volumeMounts": [_certificates(), {"name": "tokenizer-uds", "mountPath": "/tmp/tokenizer"}],  # noqa: S108
    }


def _tokenizer(image: Image) -> dict[str, Any]:
    asked = {"httpGet": {"path": "/healthz", "port": 8082}, "timeoutSeconds": 5}
    folders = {"tokenizer-tmp": "/tmp", "tokenizer-cache": "/.cache", "tokenizer-uds": "/tmp/tokenizer"}  # noqa: S108
    return {
        "name": "tokenizer",
        "image": image("tokenizer"),
        "imagePullPolicy": "IfNotPresent",
        "workingDir": "/mnt/models",
        "env": env({"TOKENIZERS_DIR": "/mnt/models"}),
        "ports": [{"name": "health", "containerPort": 8082, "protocol": "TCP"}],
        "livenessProbe": {**asked, "periodSeconds": 15},
        "readinessProbe": {**asked, "periodSeconds": 10},
        "startupProbe": {**asked, "periodSeconds": 10, "initialDelaySeconds": 5, "failureThreshold": 60},
        "resources": {"requests": {"cpu": "250m", "memory": "500Mi"}},
        "securityContext": _security(),
        "volumeMounts": [{"name": name, "mountPath": at} for name, at in folders.items()],
    }


def _certificates() -> dict[str, Any]:
    return {"name": "tls-certs", "mountPath": TLS, "readOnly": True}


def _security(*, read_only: bool = True) -> dict[str, Any]:
    return {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": read_only,
        "runAsNonRoot": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
