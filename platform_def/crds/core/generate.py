"""Writes the modules of `apis/core` from the newest schemas: `python -m platform_def.crds.core.generate`.

Only what platforms author: the kinds listed here and what their specs reach; no status, no list kinds, no descriptions.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from platform_def.crds.core.definitions import META, NEWEST, PREFIXES, definitions, referenced
from platform_def.crds.core.generate_kinds import CLUSTER_SCOPED, kinds_module, plural_of
from platform_def.crds.importer.layout import WIDTH, Pair, call, laid_out, text
from platform_def.crds.importer.naming import constant_name
from platform_def.crds.schema import Schema

KINDS: Mapping[str, str] = {
    "core_v1": "Namespace ConfigMap Secret Service ServiceAccount PersistentVolumeClaim PersistentVolume Pod Endpoints"
    " ResourceQuota LimitRange",
    "apps_v1": "Deployment StatefulSet DaemonSet",
    "batch_v1": "Job CronJob",
    "autoscaling_v2": "HorizontalPodAutoscaler",
    "policy_v1": "PodDisruptionBudget",
    "networking_v1": "NetworkPolicy Ingress IngressClass",
    "rbac_v1": "Role ClusterRole RoleBinding ClusterRoleBinding",
    "storage_v1": "StorageClass CSIDriver VolumeAttributesClass",
    "node_v1": "RuntimeClass",
    "scheduling_v1": "PriorityClass",
    "coordination_v1": "Lease",
    "discovery_v1": "EndpointSlice",
    "resource_v1": "ResourceClaim ResourceClaimTemplate DeviceClass",
    "admissionregistration_v1": "MutatingWebhookConfiguration ValidatingWebhookConfiguration ValidatingAdmissionPolicy"
    " ValidatingAdmissionPolicyBinding MutatingAdmissionPolicy MutatingAdmissionPolicyBinding",
    "apiextensions_v1": "CustomResourceDefinition",
    "apiregistration_v1": "APIService",
}
EMBEDDED: Mapping[str, str] = {
    "meta_v1": "Condition LabelSelector ObjectMeta OwnerReference",
    "core_v1": "ConfigMapKeySelector ConfigMapNodeConfigSource ContainerState LoadBalancerStatus LocalObjectReference"
    " NodeAffinity NodeSelector ObjectReference PodCondition PodTemplateSpec SecretKeySelector SecretReference"
    " Toleration TopologySpreadConstraint TypedLocalObjectReference",
    "autoscaling_v2": "MetricSpec HorizontalPodAutoscalerBehavior",
}
"""Types that custom resources embed, beside those which the kinds reach."""
SUSPENDED_BY: Mapping[str, str] = {"Job": "spec.suspend"}
"""The field by which a kind is held back: `Api.suspended_by`."""
WRITTEN_BY_SERVER = frozenset(
    {"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation", "managedFields"}
    | {"resourceVersion", "selfLink", "uid"}
)
VERSION = f"1.{NEWEST}"
ALIASES: Mapping[str, str] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": "Quantity",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "IntOrString",
    f"{META}.Time": "Time",
    f"{META}.MicroTime": "Time",
    "io.k8s.apimachinery.pkg.runtime.RawExtension": "OpenObject",
}
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


@dataclass(frozen=True, slots=True)
class Module:
    """One module to be written: its definitions in order of use, and its kinds."""

    name: str
    types: tuple[str, ...]
    kinds: tuple[str, ...]


def closure(roots: list[str]) -> list[str]:
    """Definitions with properties that `roots` reach, each behind those it uses."""
    known, done, order = definitions(VERSION), set[str](), list[str]()

    def visit(name: str) -> None:
        if name in done or name in ALIASES or not known[name].get("properties"):
            return
        done.add(name)
        for field, schema in fields(name):
            for target in sorted(targets(schema)):
                if field != "status" or name not in set_of_kinds:
                    visit(target)
        order.append(name)

    set_of_kinds = {full for _, full, _ in kinds()}
    for root in roots:
        visit(root)
    return order


def kinds() -> Iterator[tuple[str, str, str]]:
    """(module, full name of the definition, kind) of every kind."""
    for module, names in KINDS.items():
        for kind in names.split():
            yield module, f"{PREFIXES[module]}.{kind}", kind


def fields(name: str) -> Iterator[tuple[str, Schema]]:
    """Fields of a definition that an author may write; none whose type is of an alpha group."""
    prefixes = set(PREFIXES.values())
    for field, schema in definitions(VERSION)[name]["properties"].items():
        foreign = {target for target in targets(schema) if target.rpartition(".")[0] not in prefixes} - set(ALIASES)
        if not foreign and not (name == f"{META}.ObjectMeta" and field in WRITTEN_BY_SERVER):
            yield field, schema


def targets(schema: Schema) -> set[str]:
    """Definitions that a field's schema names."""
    found = {referenced(schema)} - {""}
    for part in ("items", "additionalProperties"):
        if isinstance(schema.get(part), dict):
            found |= targets(schema[part])
    return found


def modules() -> list[Module]:
    """All modules, from the types that they hold."""
    roots: list[str] = [f"{PREFIXES[m]}.{n}" for m, names in EMBEDDED.items() for n in names.split()]
    for _, full, _ in kinds():
        spec = definitions(VERSION)[full]["properties"].get("spec")
        roots.append(referenced(spec) if spec else full)
    order = closure(roots)
    return [
        Module(
            module,
            tuple(name for name in order if name.rpartition(".")[0] == prefix),
            tuple(KINDS.get(module, "").split()),
        )
        for module, prefix in PREFIXES.items()
    ]


class CoreWriter:
    """The source of one module."""

    def __init__(self, module: Module):
        self.module, self.known = module, definitions(VERSION)
        self.aliases, self.imports, self.written = set[str](), set[str](), set[str]()
        self.required = False

    def source(self) -> str:
        """The whole module."""
        body = [self.typed_dict(name) for name in self.module.types]
        constants = [self.constant(kind) for kind in self.module.kinds]
        prefix = PREFIXES[self.module.name]
        head = [f'"""Core types of {prefix.removeprefix("io.k8s.")}, written by `generate.py`."""', ""]
        head += ["# ruff: noqa: D101", ""]
        head += ["from __future__ import annotations", ""]
        head += ["from typing import Required", ""] if self.required else []
        if self.imports:
            head.append(f"from platform_def.apis.core import {', '.join(sorted(self.imports))}")
        if constants:
            head.append("from platform_def.crds.model import Api")
        if self.aliases:
            head.append(f"from platform_def.crds.schema import {', '.join(sorted(self.aliases))}")
        head.append("from platform_def.crds.typed_dict import TypedDict")
        gap = "\n\n" if constants else ""
        return "\n".join(head) + "\n\n\n" + "\n\n\n".join(body) + "\n" + gap + "\n".join(constants)

    def typed_dict(self, name: str) -> str:
        """One type; in the functional form where a field's name is no identifier."""
        schema, title = self.known[name], name.rpartition(".")[2]
        top = title in self.module.kinds
        own = [(f, s) for f, s in fields(name) if not (top and f in ("apiVersion", "kind", "metadata", "status"))]
        rows = [(f, self.field(s, required=f in schema.get("required", ()))) for f, s in own]
        self.written.add(name)
        if all(f.isidentifier() and not keyword.iskeyword(f) for f, _ in rows):
            lines = [f"    {field}: {hint}" for field, hint in rows] or ["    pass"]
            return "\n".join([f"class {title}(TypedDict, total=False):", *lines])
        pairs = "\n".join(laid_out("", Pair(f'"{f}": ', hint), indent=8, suffix=",") for f, hint in rows)
        return f'{title} = TypedDict(\n    "{title}",\n    {{\n{pairs}\n    }},\n    total=False,\n)'

    def field(self, schema: Schema, *, required: bool) -> str:
        """Type of a field."""
        hint = self.hint(schema)
        self.required |= required
        return f"Required[{hint}]" if required else hint

    def hint(self, schema: Schema) -> str:
        """Type of a value."""
        if name := referenced(schema):
            return self.reference(name)
        kind = next((t for t in _listed(schema.get("type")) if t != "null"), "")
        if kind == "array":
            return f"list[{self.hint(schema['items'])}]"
        if kind == "object":
            extra = schema.get("additionalProperties")
            return f"dict[str, {self.hint(extra)}]" if isinstance(extra, dict) else self.alias("OpenObject")
        if kind == "string" and schema.get("format") == "byte":
            return self.alias("Bytes")
        return SCALARS.get(kind, "object")

    def alias(self, name: str) -> str:
        """A name from the vocabulary."""
        self.aliases.add(name)
        return name

    def reference(self, name: str) -> str:
        """Another definition: a type here or in a sister module, a vocabulary word, or what it consists of."""
        if name in ALIASES:
            return self.alias(ALIASES[name])
        if not self.known[name].get("properties"):
            return self.hint(self.known[name])
        prefix, _, title = name.rpartition(".")
        if prefix == PREFIXES[self.module.name]:
            return title if name in self.written else f'"{title}"'
        sister = next(module for module, known in PREFIXES.items() if known == prefix)
        self.imports.add(sister)
        return f"{sister}.{title}"

    def constant(self, kind: str) -> str:
        """The `Api` of a kind."""
        full = f"{PREFIXES[self.module.name]}.{kind}"
        gvk = self.known[full]["x-kubernetes-group-version-kind"][0]
        spec = self.known[full]["properties"].get("spec")
        names = {"group": gvk["group"], "version": gvk["version"], "kind": kind, "plural": plural_of(kind)}
        pairs = [Pair(f"{key}=", text(value)) for key, value in names.items()]
        pairs.append(Pair("spec=", self.reference(referenced(spec)) if spec else kind))
        pairs += [Pair("namespaced=", "False")] if kind in CLUSTER_SCOPED else []
        pairs += [] if spec else [Pair("top_level=", "True")]
        pairs += [Pair("suspended_by=", text(SUSPENDED_BY[kind]))] if kind in SUSPENDED_BY else []
        return laid_out(f"{constant_name(kind)} = ", call("Api", [*pairs, Pair("builtin=", "True")])) + "\n"


def _listed(value: str | list[str] | None) -> list[str]:
    return value if isinstance(value, list) else [value] if value else []


def lazy_package() -> str:
    """The package's `__init__`: every constant under one name, its module imported when it is first asked for."""
    homes = {constant_name(kind): module for module, _, kind in kinds()}
    lines = [
        '"""Core kinds as constants, imported when asked for: `from platform_def.apis.core import DEPLOYMENT`."""',
        "",
        "from importlib import import_module",
        "from typing import TYPE_CHECKING",
        "",
        "if TYPE_CHECKING:",
    ]
    for module in sorted(KINDS):
        names = [constant for constant, home in sorted(homes.items()) if home == module]
        line = f"    from platform_def.apis.core.{module} import {', '.join(names)}"
        if len(line) > WIDTH:
            line = line.partition(" import ")[0] + " import (\n" + "".join(f"        {n},\n" for n in names) + "    )"
        lines.append(line)
    lines += ["", "_HOMES = {"]
    lines += [f'    "{name}": "{home}",' for name, home in sorted(homes.items())]
    lines += ["}", "", "__all__ = ["]
    lines += [f'    "{name}",' for name in sorted(homes)]
    lines += ["]", "", "", "def __getattr__(name: str) -> object:"]
    lines += ["    if name not in _HOMES:"]
    lines += ['        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")']
    lines += ['    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)', ""]
    return "\n".join(lines)


def main() -> None:
    """Write every module of types into `apis/core`, and the table of kinds beside this one."""
    here = Path(__file__).parent
    types = here.parent.parent / "apis" / "core"
    for module in modules():
        (types / f"{module.name}.py").write_text(CoreWriter(module).source())
    (types / "__init__.py").write_text(lazy_package())
    (here / "kinds.py").write_text(kinds_module())


if __name__ == "__main__":
    main()
