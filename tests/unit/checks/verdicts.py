"""What Kubernetes 1.36 says of objects applied strictly and server-side; `tests/cluster` asks a real one the same.

Each value is one that the server takes (`YES`) or refuses (`NO`) in a field of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.manifests.rendered import Manifest

Schema = dict[str, Any]
Values = tuple[object, ...]

_TEXT: Schema = {"type": "string"}
_A_AND_B: Schema = {"type": "object", "properties": {"a": _TEXT, "b": _TEXT}}
_EITHER = [{"required": ["a"]}, {"required": ["b"]}]


def _formatted(name: str) -> Schema:
    return {"type": "string", "format": name}


FIELDS: Mapping[str, tuple[Schema, Values, Values]] = {
    "int32": ({"type": "integer", "format": "int32"}, (1, 2**31 - 1, 1.0), (2**31, -(2**31) - 1, "1", True, 1.5, None)),
    "int64": ({"type": "integer", "format": "int64"}, (1, 2**53), ("1",)),
    "integer": ({"type": "integer"}, (1, 1.0), (1.5, "x")),
    "number": ({"type": "number"}, (1, 1.5), ("x",)),
    "float": ({"type": "number", "format": "float"}, (1, 3e38), (4e38, 1e39)),
    "boolean": ({"type": "boolean"}, (True,), ("true", 1, None)),
    "text": (_TEXT, ("x",), (1, None, True, ["a"], {})),
    "choice": ({"type": "string", "enum": ["A", "B"]}, ("A",), ("C", None, "")),
    "choiceOrNull": ({"type": "string", "nullable": True, "enum": ["A", "B"]}, ("A",), (None,)),
    "textOrNull": ({"type": "string", "nullable": True}, ("x", None), (1,)),
    "defaulted": ({"type": "string", "default": "z"}, ("x", None), (1,)),
    "dateTime": (
        _formatted("date-time"),
        ("2024-01-02T03:04:05Z", "2024-01-02t03:04:05z", "2024-01-02T03:04:05.123+02:00"),
        ("2024-01-02 03:04:05Z", "2024-01-02T03:04:05", "2024-13-02T03:04:05Z", "2024-01-02T25:04:05Z", ""),
    ),
    "date": (_formatted("date"), ("2024-01-02",), ("2024-1-2", "20240102", "2024-02-30")),
    "duration": (
        _formatted("duration"),
        ("1h", "1h30m", "3 days", "1d", "0", "-1.5h", "1w2d", "10 minutes"),
        ("x", "", "5", "1 fortnight"),
    ),
    "byte": (_formatted("byte"), ("aGk=", "aGVsbG8="), ("", "aGk", "!!!!")),
    "uri": (_formatted("uri"), ("http://x", "/a/b", "foo:bar", "//x", "localhost:80"), ("x", "http://a b", "")),
    "hostname": (
        _formatted("hostname"),
        ("a-", "1a", "ex.co", "my-host.example.com"),
        ("a.b", "a_b", "-a", "A.b", "a..b", "", "x" * 65, "ex.c", "a.b.1"),
    ),
    "ipv4": (_formatted("ipv4"), ("1.2.3.4", "01.2.3.4", "::ffff:1.2.3.4"), ("1.2.3", "::1", "256.1.1.1")),
    "ipv6": (_formatted("ipv6"), ("::1", "::ffff:1.2.3.4"), ("1.2.3.4", "fe80::1%eth0")),
    "cidr": (_formatted("cidr"), ("1.2.3.0/24", "::/0"), ("1.2.3.4/33", "1.2.3.4", "1.2.3.0/255.255.255.0")),
    "mac": (
        _formatted("mac"),
        ("00:00:5e:00:53:01", "0000.5e00.5301", "00-00-5e-00-53-01"),
        ("00:00", "00:00:5e:00-53:01"),
    ),
    "uuid": (
        _formatted("uuid"),
        ("123e4567-e89b-12d3-a456-426614174000", "123E4567e89b12d3a456426614174000"),
        ("x",),
    ),
    "email": (_formatted("email"), ("a@b", "A B <a@b>", "<a@b>"), ("a", "a@b c", "@b", "a@")),
    "shortName": (_formatted("k8s-short-name"), ("a",), ("A", "a-", "a.b")),
    "longName": (_formatted("k8s-long-name"), ("a.b",), ("A", "a..b")),
    "unknownFormat": (_formatted("nonsense"), ("q", ""), ()),
    "intOrString": (
        {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
        (1, "a", 2**40),
        (1.5, None, True),
    ),
    "percent": ({"x-kubernetes-int-or-string": True, "pattern": "^[0-9]+%?$"}, ("5%", 5), ("x",)),
    "pattern": ({"type": "string", "pattern": "b"}, ("abc",), ("x",)),
    "length": ({"type": "string", "minLength": 1, "maxLength": 3}, ("abc", "äöü"), ("", "abcd")),
    "range": ({"type": "integer", "minimum": 1, "maximum": 5}, (1, 5), (0, 6)),
    "above": ({"type": "number", "minimum": 1, "exclusiveMinimum": True}, (1.1,), (1,)),
    "multiple": ({"type": "integer", "multipleOf": 5}, (5,), (6,)),
    "closed": ({"type": "object"}, ({},), (None,)),
    "open": (
        {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"known": _A_AND_B}},
        ({"z": {"y": 1}}, {"known": {"a": "x"}}),
        ({"known": {"a": 1}},),
    ),
    "anything": ({"x-kubernetes-preserve-unknown-fields": True}, (1, "a", {"b": [1]}, None, [{}]), ()),
    "map": ({"type": "object", "additionalProperties": _TEXT}, ({"a": "b"},), ({"a": 1}, {"a": None})),
    "mapOfNulls": (
        {"type": "object", "additionalProperties": {"type": "integer", "nullable": True}},
        ({"a": None}, {"a": 1}),
        ({"a": "x"},),
    ),
    "mapOfMaps": (
        {"type": "object", "additionalProperties": _A_AND_B},
        ({"k": {"a": "x"}},),
        ({"k": {"c": "x"}}, {"k": None}),
    ),
    "set": ({"type": "array", "items": _TEXT, "x-kubernetes-list-type": "set"}, (["a"],), (["a", "a"],)),
    "list": ({"type": "array", "items": _TEXT, "maxItems": 3}, (["a", "a"],), (["a", "b", "c", "d"], [None], None)),
    "keyed": (
        {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name", "protocol"],
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": _TEXT, "protocol": {"type": "string", "default": "TCP"}, "value": _TEXT},
            },
        },
        ([{"name": "a"}, {"name": "b"}], [{"name": "a", "protocol": "UDP"}, {"name": "a"}]),
        ([{"name": "a"}, {"name": "a"}], [{"name": "a", "protocol": "TCP"}, {"name": "a"}], [{"value": "x"}]),
    ),
    "required": (
        {
            "type": "object",
            "required": ["a", "b"],
            "properties": {"a": _TEXT, "b": {"type": "string", "default": "x"}},
        },
        ({"a": "x"}, {"a": "x", "b": None}),
        ({}, {"a": None}, {"a": "x", "z": 1}),
    ),
    "oneOf": (_A_AND_B | {"oneOf": _EITHER}, ({"a": "x"}, {"b": "x"}), ({}, {"a": "x", "b": "x"})),
    "oneOfByDefault": (
        {
            "type": "object",
            "properties": {"kind": {"type": "string", "default": "IP"}, "value": _TEXT},
            "oneOf": [
                {"properties": {"kind": {"enum": ["IP"]}, "value": {"format": "ipv4"}}},
                {"properties": {"kind": {"not": {"enum": ["IP"]}}}},
            ],
        },
        ({"value": "1.2.3.4"}, {"kind": "IP", "value": "1.2.3.4"}, {"kind": "Name", "value": "x"}),
        ({"value": "x"}, {"kind": "IP", "value": "x"}),
    ),
    "oneOfDefaulted": (
        {
            "type": "object",
            "properties": {"a": {"type": "string", "default": "q"}, "b": _TEXT},
            "oneOf": _EITHER,
        },
        ({}, {"a": "x"}),
        ({"b": "x"},),
    ),
    "anyOf": (_A_AND_B | {"anyOf": _EITHER}, ({"a": "x"}, {"a": "x", "b": "y"}), ({},)),
    "not": (_A_AND_B | {"not": {"required": ["a"]}}, ({},), ({"a": "x"},)),
    "embedded": (
        {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
        ({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": {"q": 1}},),
        ({"kind": "Pod"}, {"apiVersion": "", "kind": "Pod"}),
    ),
    "embeddedClosed": (
        {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"spec": _A_AND_B}},
        ({"apiVersion": "v1", "kind": "Pod", "spec": {"a": "x"}},),
        ({"apiVersion": "v1", "kind": "Pod", "spec": {"c": "x"}}, {"apiVersion": "v1", "kind": "Pod", "z": 1}),
    ),
}
"""Field of a custom resource → its schema, values that are taken, values that are refused."""

DROPPED: tuple[tuple[str, object], ...] = (("closed", {"a": 1}), ("open", {"known": {"q": 1}}))
"""Server-side apply takes these and drops what is unknown without a word; everything else refuses them."""

CREATED: tuple[tuple[str, object], ...] = (
    *((field, None) for field in ("int32", "boolean", "text", "choice", "intOrString", "closed", "list")),
    ("map", {"a": None}),
    ("mapOfMaps", {"k": None}),
)
"""Server-side apply refuses these; an object that is created with them has lost them."""

CONTAINER: Mapping[str, tuple[Values, Values]] = {
    "env": (
        ([{"name": "A", "value": "1"}, {"name": "B"}],),
        ([{"name": "A"}, {"name": "A"}], [{"name": "A", "value": 1}]),
    ),
    "ports": (
        ([{"containerPort": 80}, {"containerPort": 80, "protocol": "UDP"}],),
        (
            [{"containerPort": 80}, {"containerPort": 80, "protocol": "TCP"}],
            [{"containerPort": "80"}],
            [{"containerPort": 80, "name": "a"}, {"containerPort": 80, "name": "b"}],
        ),
    ),
    "resources": (
        (
            {"limits": {"cpu": 1, "memory": "1Gi"}},
            {"limits": {"cpu": "1e3", "memory": "1E"}},
            {"limits": {"cpu": 1.5}},
            {"limits": {"cpu": None}},
        ),
        ({"limits": {"cpu": "1.5.5"}}, {"limits": {"memory": "1gi"}}, {"limits": {"cpu": ""}}),
    ),
    "command": ((["sh"], None), ("sh", [1])),
    "livenessProbe": (({"exec": {"command": ["true"]}}, None), ({"httpGet": {"path": "/"}},)),
    "securityContext": (({"runAsUser": 1000}, {}), ({"runAsUser": "1000"}, {"runAsRoot": True})),
    "envFrom": (([{"configMapRef": {"name": "a"}}, {"configMapRef": {"name": "a"}}],), ([{"configMapRef": "a"}],)),
    "imagePolicy": ((), ("Always",)),
}
"""Field of a container → values that are taken, values that are refused."""

CREATED_CONTAINER: tuple[tuple[str, object], ...] = (
    ("env", [{"name": "A"}, {"name": "A"}]),
    ("ports", [{"containerPort": 80}, {"containerPort": 80, "protocol": "TCP"}]),
    ("ports", [{"containerPort": 80, "name": "a"}, {"containerPort": 80, "name": "b"}]),
)
"""Server-side apply refuses these; an object can be created with them."""

_DEFAULT = {"name": "it", "namespace": "default"}
_POD = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "x:1"}]}}
OTHERS: tuple[tuple[Manifest, bool], ...] = (
    ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": _DEFAULT, "data": None}, True),
    ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": _DEFAULT, "data": {"a": None}}, True),
    ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": _DEFAULT, "data": {"a": 1}}, False),
    ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": _DEFAULT, "binaryData": {"a": "aGk="}}, True),
    ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": _DEFAULT, "binaryData": {"a": ""}}, True),
    ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": _DEFAULT, "binaryData": {"a": "aGk"}}, False),
    ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {**_DEFAULT, "creationTimestamp": None}}, True),
    ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {**_DEFAULT, "creationTimestamp": "x"}}, False),
    ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {**_DEFAULT, "nope": 1}}, False),
    ({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "it"}, "spec": None, "status": {}}, True),
    ({"apiVersion": "v1", "kind": "LimitRange", "metadata": _DEFAULT, "spec": {}}, True),
    ({"apiVersion": "v1", "kind": "Service", "metadata": _DEFAULT, "spec": {"ports": [{"port": "80"}]}}, False),
    ({"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": _DEFAULT, "spec": {}}, True),
    (
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": {"name": "it"},
            "rules": None,
        },
        True,
    ),
    (
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": "it"},
            "roleRef": {"kind": "ClusterRole", "name": "view"},
            "subjects": [{"kind": "ServiceAccount", "name": "a", "namespace": "b"}],
        },
        True,
    ),
    ({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "it"}}, True),
    ({"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "it.io"}}, True),
    ({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "it"}}, False),
    (
        {
            "apiVersion": "apps/v1",
            "kind": "StatefulSet",
            "metadata": _DEFAULT,
            "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": _POD},
        },
        True,
    ),
)
"""Whole objects, and whether they are taken."""


def definition() -> Manifest:
    """The CRD whose fields are those of the table."""
    spec = {"type": "object", "properties": {name: schema for name, (schema, _, _) in FIELDS.items()}}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "verdicts.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Verdict", "listKind": "VerdictList", "plural": "verdicts", "singular": "verdict"},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }


def custom(field: str, value: object) -> Manifest:
    """A custom resource with that field."""
    return {"apiVersion": "example.com/v1", "kind": "Verdict", "metadata": _DEFAULT, "spec": {field: value}}


def cases() -> Iterator[tuple[Manifest, bool]]:
    """Every object of the tables, and whether the server takes it."""
    for field, (_, taken, refused) in FIELDS.items():
        yield from ((custom(field, value), True) for value in taken)
        yield from ((custom(field, value), False) for value in refused)
    for field, (taken, refused) in CONTAINER.items():
        yield from ((_deployment(field, value), True) for value in taken)
        yield from ((_deployment(field, value), False) for value in refused)
    yield from OTHERS


def created() -> Iterator[tuple[Manifest, bool]]:
    """The same objects, and whether the server takes them where they are created and not applied."""
    both = [*(custom(*each) for each in CREATED), *(_deployment(*each) for each in CREATED_CONTAINER)]
    yield from ((manifest, taken or manifest in both) for manifest, taken in cases())


def _deployment(field: str, value: object) -> Manifest:
    pod = {"containers": [{"name": "c", "image": "x:1", field: value}]}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": pod}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": _DEFAULT, "spec": spec}
