"""Stand-in for the operator of Seldon Core 1.17.1: neither that nor its executor is in a package registry.

It makes what `operator/` makes at the tag v1.17.1 of a SeldonDeployment whose graphs are one step with an image of one's
own, by the variables of the rendered controller. Its functions name the file and lines that they follow; SDT is
`apis/machinelearning.seldon.io/v1/seldondeployment_types.go`, SDC `controllers/seldondeployment_controller.go`. The pods
are without the executor: the port of a Service is led to the step's own server, which answers the executor's paths
(`executor/api/rest/server.go:155-157`) too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from platform_def.yaml import dump
from tests.cluster.client import Manifest

HTTP, GRPC = 8000, 5001
"""SDC:82-83: the executor's ports, those of the Services of predictors."""
METRICS = 6000
GRPC_PATHS = "/(seldon.protos.*|tensorflow.serving.*|inference.*)/.*"
GRPC_PATHS_OF_ISTIO = ".*tensorflow.*|.*seldon.protos.*|.*inference.*"
"""constants/constants.go:7-8, 45."""
FIXED = {"protocol": "TCP"}


def written(deployment: Manifest, variables: Mapping[str, str]) -> list[Manifest]:
    """What the controller makes of a SeldonDeployment (SDC:446-681)."""
    predictors = deployment["spec"]["predictors"]
    made: list[Manifest] = []
    for number, predictor in enumerate(predictors):
        made.append(_pods(deployment, predictor, variables))
        made.append(_service(deployment, predictor, variables, first=number == 0))
    return [*made, *(_istio(deployment, variables) if variables["ISTIO_ENABLED"] == "true" else ())]


def name_of(deployment: Manifest, predictor: Manifest) -> str:
    """Name of a predictor's Service, and value of the label by which it finds pods (SDT:157-171)."""
    return f"{deployment['metadata']['name']}-{predictor['name']}"


def _metadata(deployment: Manifest, name: str, **more: Any) -> Manifest:
    return {"name": name, "namespace": deployment["metadata"]["namespace"], **more}


def _labels(deployment: Manifest, predictor: Manifest) -> dict[str, str]:
    """SDC:686-700, 809-811."""
    return {"seldon-deployment-id": deployment["metadata"]["name"], "seldon-app": name_of(deployment, predictor)}


def _pods(deployment: Manifest, predictor: Manifest, variables: Mapping[str, str]) -> Manifest:
    """The Deployment of a predictor (SDC:499-583, 972-1086, without `addEngineToDeployment`)."""
    (spec,) = (each["spec"] for each in predictor["componentSpecs"])
    (container,) = spec["containers"]
    name = f"{name_of(deployment, predictor)}-0-{container['name']}"
    labels = {**_labels(deployment, predictor), "app": name, "version": predictor["name"]}
    notes = {
        **deployment["spec"].get("annotations", {}),
        "prometheus.io/path": variables["EXECUTOR_PROMETHEUS_PATH"],
        "prometheus.io/scrape": "true",
    }
    pod = {
        "securityContext": {"runAsUser": int(variables["DEFAULT_USER_ID"])},  # controllers/security.go:18-31
        **spec,
        "containers": [_container(deployment, predictor, container, variables)],
        "terminationGracePeriodSeconds": 20,
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": _metadata(deployment, name, labels={**labels, "app.kubernetes.io/managed-by": "seldon-core"}),
        "spec": {
            "replicas": predictor["replicas"],
            "selector": {"matchLabels": _labels(deployment, predictor)},
            "template": {"metadata": {"labels": labels, "annotations": notes}, "spec": pod},
        },
    }


def _container(
    deployment: Manifest, predictor: Manifest, container: Manifest, variables: Mapping[str, str]
) -> Manifest:
    """The container of a step (SDC:804-886; defaults.go:76-156)."""
    ports = {
        "metrics": METRICS,
        "http": int(variables["PREDICTIVE_UNIT_HTTP_SERVICE_PORT"]),
        "grpc": int(variables["PREDICTIVE_UNIT_GRPC_SERVICE_PORT"]),
    }
    told = {
        "PREDICTIVE_UNIT_SERVICE_PORT": ports["http"],
        "PREDICTIVE_UNIT_HTTP_SERVICE_PORT": ports["http"],
        "PREDICTIVE_UNIT_GRPC_SERVICE_PORT": ports["grpc"],
        "PREDICTIVE_UNIT_ID": container["name"],
        "PREDICTIVE_UNIT_IMAGE": container["image"],
        "PREDICTOR_ID": predictor["name"],
        "PREDICTOR_LABELS": json.dumps({"version": predictor["name"]}),
        "SELDON_DEPLOYMENT_ID": deployment["metadata"]["name"],
        "SELDON_EXECUTOR_ENABLED": "true",
        "PREDICTIVE_UNIT_METRICS_SERVICE_PORT": METRICS,
        "PREDICTIVE_UNIT_METRICS_ENDPOINT": variables["EXECUTOR_PROMETHEUS_PATH"],
    }
    env = [*container.get("env", []), *({"name": key, "value": str(value)} for key, value in told.items())]
    listening = [{"name": key, "containerPort": port, **FIXED} for key, port in ports.items()]
    return {**container, "env": env, "ports": listening}


def _service(deployment: Manifest, predictor: Manifest, variables: Mapping[str, str], *, first: bool) -> Manifest:
    """The Service of a predictor (SDC:684-745)."""
    labels = _labels(deployment, predictor)
    found = [_mapping(deployment, predictor, full, grpc, first) for full in (True, False) for grpc in (False, True)]
    if variables["AMBASSADOR_SINGLE_NAMESPACE"] != "true":
        found = found[:2]
    notes = {"getambassador.io/config": "".join(f"---\n{dump(each)}" for each in found)}
    ports = {"http": HTTP, "grpc": GRPC}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _metadata(
            deployment,
            name_of(deployment, predictor),
            labels={**labels, "app.kubernetes.io/managed-by": "seldon-core"},
            annotations=notes if variables["AMBASSADOR_ENABLED"] == "true" else {},
        ),
        "spec": {
            "ports": [{"name": key, "port": port, "targetPort": port, **FIXED} for key, port in ports.items()],
            "selector": {"seldon-app": labels["seldon-app"]},
            "sessionAffinity": "None",
            "type": "ClusterIP",
        },
    }


def _mapping(deployment: Manifest, predictor: Manifest, full: bool, grpc: bool, first: bool) -> Manifest:
    """A Mapping in an annotation, of version 1 (controllers/ambassador/v1.go:160-443)."""
    name, home = deployment["metadata"]["name"], deployment["metadata"]["namespace"]
    notes = deployment["spec"].get("annotations", {})
    kind = "grpc" if grpc else "rest"
    service = f"{name_of(deployment, predictor)}.{home}"
    made: Manifest = {
        "apiVersion": "ambassador/v1",
        "kind": "Mapping",
        "name": "_".join(["seldon", *([home] if full else []), name, predictor["name"], kind, "mapping"]),
        "service": f"{service}:{GRPC if grpc else HTTP}",
        "timeout_ms": int(notes.get(f"seldon.io/{kind}-timeout", "3000")),
    }
    if grpc:
        headers = {"seldon": name, **({"namespace": home} if full else {})}
        made |= {"grpc": True, "prefix": GRPC_PATHS, "prefix_regex": True, "rewrite": "", "headers": headers}
    else:
        made |= {"prefix": f"/seldon/{f'{home}/' if full else ''}{name}/", "rewrite": "/"}
    return made if first else {**made, "weight": predictor.get("traffic", 0)}


def _istio(deployment: Manifest, variables: Mapping[str, str]) -> Iterator[Manifest]:
    """Route and subsets (SDC:242-417)."""
    name, home = deployment["metadata"]["name"], deployment["metadata"]["namespace"]
    predictors: Sequence[Manifest] = deployment["spec"]["predictors"]
    hosts = {each["name"]: f"{name_of(deployment, each)}.{home}.svc.cluster.local" for each in predictors}

    def routes(port: int) -> list[Manifest]:
        return [
            {
                "destination": {"host": hosts[each["name"]], "subset": each["name"], "port": {"number": port}},
                "weight": each.get("traffic", 0),
            }
            for each in predictors
        ]

    api, mode = "networking.istio.io/v1alpha3", variables.get("ISTIO_TLS_MODE")
    called = {"seldon": {"exact": name}, "namespace": {"exact": home}}
    plain = [{"uri": {"prefix": f"/seldon/{home}/{name}/"}}]
    calls = [{"uri": {"regex": GRPC_PATHS_OF_ISTIO}, "headers": called}]
    http = [
        {"match": plain, "rewrite": {"uri": "/"}, "route": routes(HTTP)},
        {"match": calls, "route": routes(GRPC)},
    ]
    spec = {"hosts": ["*"], "gateways": [variables["ISTIO_GATEWAY"]], "http": http}
    yield {"apiVersion": api, "kind": "VirtualService", "metadata": _metadata(deployment, name), "spec": spec}
    for each in predictors:
        yield {
            "apiVersion": api,
            "kind": "DestinationRule",
            "metadata": _metadata(deployment, name_of(deployment, each)),
            "spec": {
                "host": hosts[each["name"]],
                "subsets": [{"name": each["name"], "labels": {"version": each["name"]}}],
                "trafficPolicy": {"tls": {"mode": mode}}
                if mode
                else {"connectionPool": {"http": {"idleTimeout": "60s"}}},
            },
        }
