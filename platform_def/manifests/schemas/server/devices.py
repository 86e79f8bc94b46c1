"""Devices that are asked for by claims, who may flow how fast to the API server, and events."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.schemas.server.admission import unique
from platform_def.manifests.schemas.server.selectors import labelled
from platform_def.manifests.schemas.server.words import (
    FILLED,
    NOT_NEGATIVE,
    POSITIVE,
    SOME,
    Limits,
    Rules,
    Value,
    Wrong,
    choice,
    each,
    given,
    needed,
    number,
    one_of,
)
from platform_def.manifests.schemas.server.words import text as filled

_R = "resource.v1"
_F = "flowcontrol.v1"
_MODE = choice("ExactCount", "All", empty=True)
_REQUEST = {
    "deviceClassName": needed(filled("subdomain")),
    "allocationMode": _MODE,
    "count": NOT_NEGATIVE,
    "selectors": {"maxItems": 32},
}
_VERBS = each(
    choice("*", "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "proxy"), least=1
)

LIMITS: Limits = {
    f"{_R}.DeviceClaim": {
        "requests": {"maxItems": 32},
        "constraints": {"maxItems": 32},
        "config": {"maxItems": 32},
    },
    f"{_R}.DeviceRequest": {"name": filled("label"), "firstAvailable": {"maxItems": 8}},
    f"{_R}.ExactDeviceRequest": _REQUEST,
    f"{_R}.DeviceSubRequest": {**_REQUEST, "name": filled("label")},
    f"{_R}.CELDeviceSelector": {"expression": {**FILLED, "maxLength": 10240}},
    f"{_R}.DeviceSelector": {"cel": needed()},
    f"{_R}.DeviceConstraint": {"requests": {"maxItems": 32}, "matchAttribute": filled("device-attribute")},
    f"{_R}.OpaqueDeviceConfiguration": {"driver": filled("driver"), "parameters": needed()},
    f"{_R}.DeviceClassSpec": {"selectors": {"maxItems": 32}, "config": {"maxItems": 32}},
    f"{_R}.ResourceSliceSpec": {"driver": filled("driver"), "nodeName": filled("subdomain")},
    f"{_R}.ResourcePool": {
        "name": {**filled("pool"), "maxLength": 253},
        "generation": NOT_NEGATIVE,
        "resourceSliceCount": POSITIVE,
    },
    f"{_R}.Device": {"name": filled("label")},
    f"{_R}.DeviceTaint": {"key": filled("label-key"), "effect": choice("NoSchedule", "NoExecute", "None")},
    f"{_F}.FlowSchema": {"spec": needed()},
    f"{_F}.FlowSchemaSpec": {"matchingPrecedence": number(0, 10000)},
    f"{_F}.FlowDistinguisherMethod": {"type": choice("ByUser", "ByNamespace")},
    f"{_F}.PriorityLevelConfigurationReference": {"name": needed(filled("subdomain"))},
    f"{_F}.PolicyRulesWithSubjects": {"subjects": SOME},
    f"{_F}.Subject": {"kind": choice("User", "Group", "ServiceAccount")},
    f"{_F}.UserSubject": {"name": FILLED},
    f"{_F}.GroupSubject": {"name": FILLED},
    f"{_F}.ServiceAccountSubject": {
        "name": {**FILLED, "format": "server:account"},
        "namespace": filled("label"),
    },
    f"{_F}.ResourcePolicyRule": {
        "verbs": _VERBS,
        "apiGroups": SOME,
        "resources": SOME,
        "namespaces": each(filled("any-label")),
    },
    f"{_F}.NonResourcePolicyRule": {"verbs": _VERBS, "nonResourceURLs": each(filled("url-pattern"), least=1)},
    f"{_F}.PriorityLevelConfiguration": {"spec": needed()},
    f"{_F}.PriorityLevelConfigurationSpec": {"type": needed(choice("Limited", "Exempt"))},
    f"{_F}.LimitedPriorityLevelConfiguration": {
        "nominalConcurrencyShares": NOT_NEGATIVE,
        "lendablePercent": number(0, 100),
        "borrowingLimitPercent": NOT_NEGATIVE,
        "limitResponse": needed(),
    },
    f"{_F}.LimitResponse": {"type": choice("Queue", "Reject")},
    f"{_F}.QueuingConfiguration": {
        "queues": number(0, 10_000_000),
        "handSize": NOT_NEGATIVE,
        "queueLengthLimit": NOT_NEGATIVE,
    },
    "events.v1.Event": {
        "type": needed(choice("Normal", "Warning")),
        "action": needed({**FILLED, "maxLength": 128}),
        "reason": needed({**FILLED, "maxLength": 128}),
        "reportingController": needed(filled("label-key")),
        "reportingInstance": needed({**FILLED, "maxLength": 128}),
        "note": {"maxLength": 1023},
    },
}


def _request(value: Value) -> Iterator[Wrong]:
    if value.get("firstAvailable") == []:
        yield Wrong(("firstAvailable",), "is empty")
    yield from one_of("exactly", "firstAvailable")(value)
    yield from unique(value, "firstAvailable", "name")


def _counted(value: Value) -> Iterator[Wrong]:
    mode, count = value.get("allocationMode") or "ExactCount", value.get("count")
    if mode == "All" and count:
        yield Wrong(("count",), "goes with allocationMode ExactCount alone", "leave it out")


def _claim(value: Value) -> Iterator[Wrong]:
    names = set()
    for request in items(value.get("requests")):
        name = text(at(request, "name"))
        names.add(name)
        names |= {f"{name}/{text(at(sub, 'name'))}" for sub in items(at(request, "firstAvailable"))}
    for field in ("constraints", "config"):
        for index, each_ in enumerate(items(value.get(field))):
            asked = [text(name) for name in items(at(each_, "requests"))]
            for place, name in enumerate(asked):
                if name not in names:
                    yield Wrong((field, index, "requests", place), f"the claim has no request '{name[:60]}'")
                elif name in asked[:place]:
                    yield Wrong((field, index, "requests", place), f"'{name}' is listed twice")
    for index, constraint in enumerate(items(value.get("constraints"))):
        if not given(mapping(constraint), "matchAttribute", "distinctAttribute"):
            yield Wrong(("constraints", index, "matchAttribute"), "is missing")
    for index, config in enumerate(items(value.get("config"))):
        if mapping(config).get("opaque") is None:
            yield Wrong(("config", index, "opaque"), "is missing")
    yield from unique(value, "requests", "name")


def _class(value: Value) -> Iterator[Wrong]:
    for index, config in enumerate(items(value.get("config"))):
        if mapping(config).get("opaque") is None:
            yield Wrong(("config", index, "opaque"), "is missing")


def _opaque(value: Value) -> Iterator[Wrong]:
    if "parameters" in value and not isinstance(value["parameters"], dict):
        yield Wrong(("parameters",), "must be a map")


def _slice(value: Value) -> Iterator[Wrong]:
    chosen = [key for key in ("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection") if value.get(key)]
    if len(chosen) != 1:
        yield Wrong((), "needs one of nodeName, nodeSelector, allNodes, perDeviceNodeSelection")
    if len(items(value.get("devices"))) > 128:
        yield Wrong(("devices",), "are more than 128")
    for index, device in enumerate(items(value.get("devices"))):
        for name, attribute in mapping(at(device, "attributes")).items():
            for wrong in one_of("bool", "int", "string", "version")(mapping(attribute)):
                yield wrong._replace(path=("devices", index, "attributes", name, *wrong.path))
            if len(text(at(attribute, "string"))) > 64 or len(text(at(attribute, "version"))) > 64:
                yield Wrong(("devices", index, "attributes", name), "is longer than 64 characters")
    yield from unique(value, "devices", "name")


def _flow(value: Value) -> Iterator[Wrong]:
    precedence = value.get("matchingPrecedence")
    if precedence == 1:
        yield Wrong(("matchingPrecedence",), "1 is the exempt schema's own")


def _subject(value: Value) -> Iterator[Wrong]:
    fields = {"User": "user", "Group": "group", "ServiceAccount": "serviceAccount"}
    wanted = fields.get(text(value.get("kind")))
    for field in fields.values():
        if field == wanted and value.get(field) is None:
            yield Wrong((field,), f"is missing, and kind {value['kind']} needs it")
        elif wanted and field != wanted and value.get(field) is not None:
            yield Wrong((field,), f"goes with no kind {value['kind']}")


def _rules(value: Value) -> Iterator[Wrong]:
    if not items(value.get("resourceRules")) and not items(value.get("nonResourceRules")):
        yield Wrong((), "needs resourceRules or nonResourceRules")


def _resources(value: Value) -> Iterator[Wrong]:
    for field in ("verbs", "apiGroups", "resources"):
        listed = items(value.get(field))
        if len(listed) > 1 and "*" in listed:
            yield Wrong((field,), "* means all: list nothing else")
    if value.get("clusterScope") is not True and not items(value.get("namespaces")):
        yield Wrong(("namespaces",), "is missing, and clusterScope is not true")


def _level(value: Value) -> Iterator[Wrong]:
    kind = value.get("type")
    for name, field in (("Limited", "limited"), ("Exempt", "exempt")):
        if kind == "Limited" and name == kind and value.get(field) is None:
            yield Wrong((field,), f"is missing, and type {kind} needs it")
        elif kind in ("Limited", "Exempt") and name != kind and value.get(field) is not None:
            yield Wrong((field,), f"goes with no type {kind}")


def _response(value: Value) -> Iterator[Wrong]:
    if value.get("type") == "Reject" and value.get("queuing") is not None:
        yield Wrong(("queuing",), "goes with type Queue alone")
    if value.get("type") == "Queue" and value.get("queuing") is None:
        yield Wrong(("queuing",), "is missing, and type Queue needs it")


def _queues(value: Value) -> Iterator[Wrong]:
    queues, hand = value.get("queues"), value.get("handSize")
    if isinstance(queues, int) and isinstance(hand, int) and hand > (queues or 64):
        yield Wrong(("handSize",), f"{hand} is more than queues, {queues}")


def _template(value: Value) -> Iterator[Wrong]:
    yield from labelled(mapping(at(value, "metadata.labels")), ("metadata", "labels"))


RULES: Rules = {
    f"{_R}.ResourceClaimTemplateSpec": _template,
    f"{_R}.DeviceRequest": _request,
    f"{_R}.ExactDeviceRequest": _counted,
    f"{_R}.DeviceSubRequest": _counted,
    f"{_R}.DeviceClaim": _claim,
    f"{_R}.DeviceClassSpec": _class,
    f"{_R}.OpaqueDeviceConfiguration": _opaque,
    f"{_R}.ResourceSliceSpec": _slice,
    f"{_F}.FlowSchemaSpec": _flow,
    f"{_F}.Subject": _subject,
    f"{_F}.PolicyRulesWithSubjects": _rules,
    f"{_F}.ResourcePolicyRule": _resources,
    f"{_F}.PriorityLevelConfigurationSpec": _level,
    f"{_F}.LimitResponse": _response,
    f"{_F}.QueuingConfiguration": _queues,
}
