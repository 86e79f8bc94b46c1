"""Defects that the API server refuses, or that it drops without a word."""

from __future__ import annotations

from tests.unit.checks.samples import crd
from tests.unit.checks.seeded.seed import Seed, along, beside, lacking, wrong
from tests.unit.checks.seeded.stacks import GUESTS, MESH, ONPREM, QUICK

_POD = "spec.template.spec"
_C = f"{_POD}.containers[0]"
_SHOP, _TRAIN = "Deployment guests/shop", "Deployment kubeflow/training-operator"
_RESNET = "PyTorchJob team-vision/resnet-*"
_CRD = "CustomResourceDefinition pytorchjobs.kubeflow.org"
_V1, _ROUTE = "spec.versions[0].schema.openAPIV3Schema", "spec.rules[0]"
_LARGE = crd({"type": "object", "description": "x" * 262_144})
_POLICY, _HOOK = "ValidatingAdmissionPolicy few-replicas", "ValidatingWebhookConfiguration guests-guard"

_DOOR, _AGAIN = "Service emissary/emissary-ingress", "Service emissary/again"

OBJECTS = (
    wrong(ONPREM, _CRD, "spec.versions[0].deprecated", True, "api-deprecated", at=_RESNET, warns=True),
    wrong(ONPREM, _TRAIN, "spec.replica", 2, "schema"),
    wrong(ONPREM, _TRAIN, "spec.replicas", "two", "schema"),
    wrong(ONPREM, _TRAIN, "spec.replicas", -1, "schema"),
    lacking(ONPREM, _TRAIN, "spec.template", "schema"),
    wrong(ONPREM, _TRAIN, "apiVersion", "apps/v1beta1", "schema"),
    wrong(QUICK, _TRAIN, "kind", "Deploymnet", "schema", at="Deploymnet kubeflow/training-operator"),
    wrong(QUICK, _TRAIN, f"{_POD}.restartPolicy", "Never", "schema"),
    wrong(QUICK, _TRAIN, "spec.selector.matchLabels", {"app": "other"}, "schema"),
    wrong(QUICK, _TRAIN, f"{_C}.imagePullPolicy", "Sometimes", "schema"),
    wrong(GUESTS, _SHOP, f"{_C}.resources.requests.memory", "64MB", "schema"),
    wrong(GUESTS, _SHOP, f"{_C}.resources.requests.memory", "1Gi", "schema"),
    wrong(GUESTS, _SHOP, f"{_C}.ports[0].containerPort", 99999, "schema"),
    wrong(GUESTS, _SHOP, f"{_C}.volumeMounts[0].name", "setting", "schema"),
    wrong(GUESTS, _SHOP, f"{_C}.env[0].value", "fast", "schema"),
    wrong(GUESTS, _SHOP, f"{_C}.readinessProbe.exec", {"command": ["true"]}, "schema"),
    wrong(GUESTS, "CronJob guests/tidy", "spec.schedule", "61 * * * *", "schema"),
    wrong(GUESTS, "Job guests/render", f'{_C}.resources.limits["nvidia.com/gpu"]', "500m", "schema"),
    wrong(GUESTS, "Job guests/render", f"{_POD}.restartPolicy", "Always", "schema"),
    wrong(GUESTS, "Service guests/shop", "spec.ports[1]", {"port": 81}, "schema"),
    wrong(QUICK, _DOOR, "spec.ports[0].nodePort", 80, "node-port", "outside 30000-32767", warns=True),
    Seed(QUICK, _DOOR, beside("metadata.labels", {}, name="again"), "node-port", "one port twice", at=_AGAIN),
    wrong(GUESTS, "PodDisruptionBudget guests/shop", "spec.maxUnavailable", 1, "schema"),
    lacking(GUESTS, "PersistentVolumeClaim guests/data", "spec.resources", "schema"),
    lacking(GUESTS, "Role guests/shop", "rules[0].resources", "schema"),
    wrong(GUESTS, "HorizontalPodAutoscaler guests/shop", "spec.maxReplicas", 1, "schema"),
    wrong(ONPREM, _RESNET, "spec.pytorchReplicaSpec", {}, "schema"),
    wrong(ONPREM, _RESNET, "spec.nprocPerNode", {}, "schema"),
    wrong(ONPREM, _RESNET, "spec.runPolicy.cleanPodPolicy", 7, "schema"),
    wrong(ONPREM, "Host emissary/emissary-ingress", "apiVersion", "getambassador.io/v9", "schema"),
    wrong(MESH, "ClusterQueue research", "spec.queueingStrategy", "LIFO", "schema"),
    wrong(MESH, "HTTPRoute shop/web", "spec.rules[0].backendRefs[0].port", 0, "schema"),
    wrong(QUICK, _CRD, "spec.versions[0].storage", False, "crd-valid"),
    wrong(QUICK, _CRD, f"{_V1}.x-kubernetes-validations", [{"rule": "self.spce.size() > 0"}], "crd-valid", "'spce'"),
    wrong(
        QUICK,
        _CRD,
        f"{_V1}.properties.spec.properties.tags",
        {
            "type": "array",
            "items": {"type": "string"},
            "x-kubernetes-validations": [{"rule": "self.all(x, x in self)"}],
        },
        "crd-valid",
        "more than 100 times its limit",
    ),
    wrong(QUICK, _CRD, f"{_V1}.x-kubernetes-validations", [{"rule": "self.kind"}], "crd-valid", "true or false"),
    wrong(MESH, "HTTPRoute shop/web", f"{_ROUTE}.matches", [{"path": {"value": "web"}}], "custom-rule", "begins with"),
    wrong(MESH, "HTTPRoute shop/web", f"{_ROUTE}.filters", [{"type": "RequestRedirect"}], "custom-rule"),
    wrong(
        MESH, "ClusterQueue research", "spec.preemption.borrowWithinCohort", {"policy": "LowerPriority"}, "custom-rule"
    ),
    wrong(GUESTS, _POLICY, "spec.validations[0].expression", "replicas <= 5", "expression-valid", "'replicas'"),
    wrong(GUESTS, _POLICY, "spec.variables[0].expression", "'five'", "expression-valid", "does not take"),
    wrong(GUESTS, _POLICY, "spec.validations[0].messageExpression", "variables.replicas", "expression-valid"),
    wrong(GUESTS, _HOOK, "webhooks[0].matchConditions", [{"name": "all", "expression": "object."}], "expression-valid"),
    wrong(QUICK, _CRD, "spec.names.plural", "pytorchjob", "name-valid"),
    wrong(
        GUESTS, "ConfigMap guests/settings", "metadata.name", "Settings", "name-valid", at="ConfigMap guests/Settings"
    ),
    wrong(GUESTS, "Service guests/shop", "metadata.name", "shop.a", "name-valid", at="Service guests/shop.a"),
    wrong(GUESTS, _SHOP, "metadata.labels", {"team": "the vision team"}, "name-valid"),
    wrong(
        GUESTS,
        "ClusterRole guests-reader",
        "metadata.namespace",
        "guests",
        "scope",
        at="ClusterRole guests/guests-reader",
    ),
    lacking(GUESTS, "ConfigMap guests/settings", "metadata.namespace", "scope", at="ConfigMap settings"),
    wrong(
        GUESTS,
        "ConfigMap guests/settings",
        "metadata.namespace",
        "gests",
        "namespace-exists",
        at="ConfigMap gests/settings",
    ),
    Seed(MESH, "ClusterQueue research", along(_LARGE), "crd-size", "a CRD", at=f"{_LARGE['kind']} things*", warns=True),
    wrong(GUESTS, "HorizontalPodAutoscaler guests/shop", "apiVersion", "autoscaling/v2beta2", "schema"),
)

_GROUP = "admissionregistration.k8s.io"
_REFUSING = {
    "apiVersion": f"{_GROUP}/v1",
    "kind": "ValidatingAdmissionPolicy",
    "metadata": {"name": "replicas"},
    "spec": {
        "matchConstraints": {
            "resourceRules": [
                {"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["deployments"]}
            ]
        },
        "validations": [{"expression": "object.metadata.name != 'shop'"}],
    },
}
_BOUND = {
    "apiVersion": f"{_GROUP}/v1",
    "kind": "ValidatingAdmissionPolicyBinding",
    "metadata": {"name": "replicas"},
    "spec": {"policyName": "replicas", "validationActions": ["Deny"]},
}

EXPRESSIONS = (
    lacking(MESH, "HTTPRoute shop/web", "spec.rules[0].backendRefs[0].port", "custom-rule", "port"),
    wrong(
        GUESTS,
        "ValidatingWebhookConfiguration guests-guard",
        "webhooks[0].matchConditions",
        [{"name": "odd", "expression": "object.metadata.name +"}],
        "expression-valid",
    ),
    Seed(GUESTS, _SHOP, along(_REFUSING, _BOUND), "admission-policy", "refused by a policy"),
)

SEEDS = OBJECTS + EXPRESSIONS
