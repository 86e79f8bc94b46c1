"""Core types of api.admissionregistration.v1, written by `generate.py`."""

# ruff: noqa: D101

from __future__ import annotations

from typing import Required

from platform_def.apis.core import meta_v1
from platform_def.crds.model import Api
from platform_def.crds.schema import Bytes
from platform_def.crds.typed_dict import TypedDict


class ServiceReference(TypedDict, total=False):
    name: Required[str]
    namespace: Required[str]
    path: str
    port: int


class WebhookClientConfig(TypedDict, total=False):
    caBundle: Bytes
    service: ServiceReference
    url: str


class MatchCondition(TypedDict, total=False):
    expression: Required[str]
    name: Required[str]


class RuleWithOperations(TypedDict, total=False):
    apiGroups: list[str]
    apiVersions: list[str]
    operations: list[str]
    resources: list[str]
    scope: str


class MutatingWebhook(TypedDict, total=False):
    admissionReviewVersions: Required[list[str]]
    clientConfig: Required[WebhookClientConfig]
    failurePolicy: str
    matchConditions: list[MatchCondition]
    matchPolicy: str
    name: Required[str]
    namespaceSelector: meta_v1.LabelSelector
    objectSelector: meta_v1.LabelSelector
    reinvocationPolicy: str
    rules: list[RuleWithOperations]
    sideEffects: Required[str]
    timeoutSeconds: int


class MutatingWebhookConfiguration(TypedDict, total=False):
    webhooks: list[MutatingWebhook]


class ValidatingWebhook(TypedDict, total=False):
    admissionReviewVersions: Required[list[str]]
    clientConfig: Required[WebhookClientConfig]
    failurePolicy: str
    matchConditions: list[MatchCondition]
    matchPolicy: str
    name: Required[str]
    namespaceSelector: meta_v1.LabelSelector
    objectSelector: meta_v1.LabelSelector
    rules: list[RuleWithOperations]
    sideEffects: Required[str]
    timeoutSeconds: int


class ValidatingWebhookConfiguration(TypedDict, total=False):
    webhooks: list[ValidatingWebhook]


class AuditAnnotation(TypedDict, total=False):
    key: Required[str]
    valueExpression: Required[str]


class NamedRuleWithOperations(TypedDict, total=False):
    apiGroups: list[str]
    apiVersions: list[str]
    operations: list[str]
    resourceNames: list[str]
    resources: list[str]
    scope: str


class MatchResources(TypedDict, total=False):
    excludeResourceRules: list[NamedRuleWithOperations]
    matchPolicy: str
    namespaceSelector: meta_v1.LabelSelector
    objectSelector: meta_v1.LabelSelector
    resourceRules: list[NamedRuleWithOperations]


class ParamKind(TypedDict, total=False):
    apiVersion: str
    kind: str


class Validation(TypedDict, total=False):
    expression: Required[str]
    message: str
    messageExpression: str
    reason: str


class Variable(TypedDict, total=False):
    expression: Required[str]
    name: Required[str]


class ValidatingAdmissionPolicySpec(TypedDict, total=False):
    auditAnnotations: list[AuditAnnotation]
    failurePolicy: str
    matchConditions: list[MatchCondition]
    matchConstraints: MatchResources
    paramKind: ParamKind
    validations: list[Validation]
    variables: list[Variable]


class ParamRef(TypedDict, total=False):
    name: str
    namespace: str
    parameterNotFoundAction: str
    selector: meta_v1.LabelSelector


class ValidatingAdmissionPolicyBindingSpec(TypedDict, total=False):
    matchResources: MatchResources
    paramRef: ParamRef
    policyName: Required[str]
    validationActions: Required[list[str]]


class ApplyConfiguration(TypedDict, total=False):
    expression: str


class JSONPatch(TypedDict, total=False):
    expression: str


class Mutation(TypedDict, total=False):
    applyConfiguration: ApplyConfiguration
    jsonPatch: JSONPatch
    patchType: Required[str]


class MutatingAdmissionPolicySpec(TypedDict, total=False):
    failurePolicy: str
    matchConditions: list[MatchCondition]
    matchConstraints: MatchResources
    mutations: list[Mutation]
    paramKind: ParamKind
    reinvocationPolicy: str
    variables: list[Variable]


class MutatingAdmissionPolicyBindingSpec(TypedDict, total=False):
    matchResources: MatchResources
    paramRef: ParamRef
    policyName: str


MUTATING_WEBHOOK_CONFIGURATION = Api(
    group="admissionregistration.k8s.io",
    version="v1",
    kind="MutatingWebhookConfiguration",
    plural="mutatingwebhookconfigurations",
    spec=MutatingWebhookConfiguration,
    namespaced=False,
    top_level=True,
    builtin=True,
)

VALIDATING_WEBHOOK_CONFIGURATION = Api(
    group="admissionregistration.k8s.io",
    version="v1",
    kind="ValidatingWebhookConfiguration",
    plural="validatingwebhookconfigurations",
    spec=ValidatingWebhookConfiguration,
    namespaced=False,
    top_level=True,
    builtin=True,
)

VALIDATING_ADMISSION_POLICY = Api(
    group="admissionregistration.k8s.io",
    version="v1",
    kind="ValidatingAdmissionPolicy",
    plural="validatingadmissionpolicies",
    spec=ValidatingAdmissionPolicySpec,
    namespaced=False,
    builtin=True,
)

VALIDATING_ADMISSION_POLICY_BINDING = Api(
    group="admissionregistration.k8s.io",
    version="v1",
    kind="ValidatingAdmissionPolicyBinding",
    plural="validatingadmissionpolicybindings",
    spec=ValidatingAdmissionPolicyBindingSpec,
    namespaced=False,
    builtin=True,
)

MUTATING_ADMISSION_POLICY = Api(
    group="admissionregistration.k8s.io",
    version="v1",
    kind="MutatingAdmissionPolicy",
    plural="mutatingadmissionpolicies",
    spec=MutatingAdmissionPolicySpec,
    namespaced=False,
    builtin=True,
)

MUTATING_ADMISSION_POLICY_BINDING = Api(
    group="admissionregistration.k8s.io",
    version="v1",
    kind="MutatingAdmissionPolicyBinding",
    plural="mutatingadmissionpolicybindings",
    spec=MutatingAdmissionPolicyBindingSpec,
    namespaced=False,
    builtin=True,
)
