"""The `Api` and `Definition` of each CRD as source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from platform_def.crds.importer.hint import FieldHint, Hint, NotedHint, Struct, Word, embeds_core, expression
from platform_def.crds.importer.layout import Expression, Group, Pair, call, laid_out, literal, text
from platform_def.crds.importer.naming import camel, constant_name
from platform_def.crds.importer.normal import undescribed
from platform_def.crds.importer.read import notes
from platform_def.crds.importer.recognise import Core
from platform_def.crds.importer.write import ModuleWriter
from platform_def.crds.schema import Manifest, Schema

ENVELOPE = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"}}


@dataclass(slots=True)
class Constants:
    """Writes the constants of one module, and asks its writer for the types that they name."""

    writer: ModuleWriter
    names: Mapping[str, str]
    """Constant of a kind, where it is not what `constant_name` makes of it."""
    pending: list[tuple[str, Manifest, Manifest, Root]] = field(default_factory=list)
    crds: list[tuple[Manifest, list[str]]] = field(default_factory=list)

    def read(self, crd: Manifest, common: Core) -> None:
        """Read one CRD, the stored version first: the writer knows all its types afterwards."""
        names = {}
        for version in sorted(crd["spec"]["versions"], key=lambda v: not v["storage"]):
            self.writer.reader.choose(version["schema"]["openAPIV3Schema"], common)
            names[version["name"]] = name = self._name(crd["spec"]["names"]["kind"], version)
            self.pending.append((name, crd, version, Root.read(self.writer, crd, version)))
        self.crds.append((crd, [names[version["name"]] for version in crd["spec"]["versions"]]))

    def _name(self, kind: str, version: Manifest) -> str:
        name = self.names.get(kind) or constant_name(kind)
        return self.writer.constant_of(name if version["storage"] else f"{name}_{constant_name(version['name'])}")

    def write(self) -> None:
        """Write the constants of all CRDs read; structures have their names by now."""
        for name, crd, version, root in self.pending:
            pairs = [*names_of(crd, version), *root.pairs(), *facets(self.writer, version)]
            self.writer.constants.append(laid_out(f"{name} = ", call("Api", pairs)))
        for crd, constants in self.crds:
            self.writer.definitions.append(definition(self.writer, crd, constants))
        self.writer.use("Api", "Definition")


@dataclass(slots=True)
class Root:
    """What the schema of one version says of whole objects."""

    spec: Expression | Hint
    status: Hint | None = None
    top: Struct | None = None
    rules: list[Expression] = field(default_factory=list)
    metadata: Schema | None = None
    required: tuple[str, ...] = ()
    doc: str = ""
    top_level: bool = False
    core: Core = field(default_factory=Core)

    @classmethod
    def read(cls, writer: ModuleWriter, crd: Manifest, version: Manifest) -> Root:
        """Types of the top-level fields, which the reader keeps."""
        reader, schema = writer.reader, version["schema"]["openAPIV3Schema"]
        kind, later = camel(crd["spec"]["names"]["kind"]), camel(version["name"])
        properties = {name: inner for name, inner in schema["properties"].items() if name not in ENVELOPE}
        envelope = {name: undescribed(schema["properties"][name]) for name in ("apiVersion", "kind")}
        odd = any(envelope[name] != ENVELOPE[name] for name in envelope)
        if odd or schema["type"] != "object" or schema.keys() & {"items", "additionalProperties"}:
            writer.use("Shape")
            kept = schema if reader.descriptions else undescribed(schema)
            return cls("dict[str, object]", rules=[call("Shape", [literal(kept)])], top_level="spec" not in properties)
        wanted = (kind,) if version["storage"] else (f"{kind}{later}",)
        struct = Struct((*wanted, f"{kind}{later}Object"))
        reader.structs[f"top of {crd['metadata']['name']} {version['name']}"] = struct
        required = [name for name in schema.get("required", ()) if name not in properties]
        struct.members = [cls._member(writer, name, inner, schema, wanted) for name, inner in properties.items()]
        root = cls(
            "", required=tuple(required), doc=reader.doc(schema), top_level="spec" not in properties, core=reader.core
        )
        rest = {k: v for k, v in schema.items() if k not in ("type", "properties", "required", "description")}
        root.rules = [note.expression for key in rest for note in notes(key, rest)]
        writer.use(*(note.name for key in rest for note in notes(key, rest)))
        metadata = undescribed(schema["properties"]["metadata"])
        root.metadata = None if metadata == ENVELOPE["metadata"] else metadata
        root._settle(writer, struct)
        return root

    @staticmethod
    def _member(writer: ModuleWriter, name: str, inner: Schema, schema: Schema, wanted: tuple[str, ...]) -> FieldHint:
        names = tuple(f"{kind}{camel(name)}" for kind in wanted)
        hint = writer.reader.hint(inner, name=name, wanted=names)
        return FieldHint(name, hint, name in schema.get("required", ()), writer.reader.doc(inner))

    def _settle(self, writer: ModuleWriter, struct: Struct) -> None:
        """Keep the structure of the whole object only where `spec` and `status` don't say enough."""
        hints = {member.name: member.hint for member in struct.members}
        self.spec = "dict[str, object]"
        if self.top_level:
            self.spec = self.top = struct
            return
        spec = hints["spec"].value if isinstance(hints["spec"], NotedHint) else hints["spec"]
        if _typed(spec):
            self.spec = spec
        if _typed(hints["spec"]) and hints.keys() <= {"spec", "status"} and _typed(hints.get("status", struct)):
            self.status = hints.get("status")
            self.required = (*(m.name for m in struct.members if m.required), *self.required)
            structs = writer.reader.structs
            del structs[next(key for key, value in structs.items() if value is struct)]
        else:
            self.top = struct

    def hints(self) -> list[Hint]:
        """All types that the schema consists of."""
        own = [member.hint for member in self.top.members] if self.top else [self.spec, self.status]
        return [hint for hint in own if hint is not None and not isinstance(hint, (str, Group, Pair))]

    def pairs(self) -> list[Expression]:
        """Arguments of `Api`."""
        out: list[Expression] = [Pair("spec=", _source(self.spec))]
        out += [Pair("top_level=", "True")] if self.top_level else []
        out += [Pair("status=", _source(self.status))] if self.status is not None else []
        out += [Pair("top=", self.top.name)] if self.top and self.top is not self.spec else []
        out += [Pair("required=", strings(self.required))] if self.required else []
        out += [Pair("rules=", Group("(", tuple(self.rules), ")", literal=True))] if self.rules else []
        out += [Pair("metadata=", literal(self.metadata))] if self.metadata is not None else []
        out += [Pair("doc=", text(self.doc))] if self.doc else []
        if any(map(embeds_core, self.hints())):
            out.append(Pair("core=", text(self.core.version)))
            out += [Pair("embedded_metadata=", "True")] if self.core.embedded_metadata else []
        return out


def _typed(hint: Hint) -> bool:
    return isinstance(hint, Struct) or (isinstance(hint, Word) and "." in hint.text)


def _source(hint: Expression | Hint) -> Expression:
    return hint if isinstance(hint, (str, Group, Pair)) else expression(hint)


def strings(values: tuple[str, ...] | list[str]) -> Expression:
    """A tuple of text."""
    return Group("(", tuple(map(text, values)), ")", literal=True)


def names_of(crd: Manifest, version: Manifest) -> list[Expression]:
    """Group, version, kind, plural and scope."""
    spec = crd["spec"]
    said = {"group": spec["group"], "version": version["name"]} | {k: spec["names"][k] for k in ("kind", "plural")}
    scope: list[Expression] = [Pair("namespaced=", "False")] if spec["scope"] == "Cluster" else []
    return [*(Pair(f"{key}=", text(value)) for key, value in said.items()), *scope]


def facets(writer: ModuleWriter, version: Manifest) -> list[Expression]:
    """Subresources, columns and what else a version has beside its schema."""
    sub, out = version.get("subresources", {}), list[Expression]()
    out += [Pair("status_subresource=", "True")] if "status" in sub else []
    if scale := sub.get("scale"):
        keys = {"specReplicasPath": "spec", "statusReplicasPath": "status", "labelSelectorPath": "selector"}
        given = [Pair(f"{keys[key]}=", text(scale[key])) for key in keys if scale.get(key)]
        out.append(Pair("scale=", call("Scale", given)))
        writer.use("Scale")
    if columns := version.get("additionalPrinterColumns"):
        shown = tuple(_column(writer, column) for column in columns)
        out.append(Pair("columns=", Group("(", shown, ")", literal=True)))
    if selectable := version.get("selectableFields"):
        out.append(Pair("selectable=", strings([entry["jsonPath"] for entry in selectable])))
    flags = {"served": (version["served"], True), "storage": (version["storage"], True)}
    out += [Pair(f"{key}=", repr(value)) for key, (value, usual) in flags.items() if value is not usual]
    out += [Pair("deprecated=", "True")] if version.get("deprecated") else []
    warning = version.get("deprecationWarning")
    return out + ([Pair("deprecation_warning=", text(warning))] if warning else [])


def _column(writer: ModuleWriter, column: Manifest) -> Expression:
    if column == {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}:
        writer.use("AGE")
        return "AGE"
    writer.use("Column")
    options = {"type": column["type"] if column["type"] != "string" else "", "priority": column.get("priority")}
    options |= {"format": column.get("format"), "doc": column.get("description") if writer.reader.descriptions else ""}
    given = [Pair(f"{key}=", literal(value)) for key, value in options.items() if value]
    return call("Column", [text(column["name"]), text(column["jsonPath"]), *given])


def definition(writer: ModuleWriter, crd: Manifest, constants: list[str]) -> Expression:
    """The `Definition` of a CRD."""
    spec, metadata = crd["spec"], crd["metadata"]
    names = spec["names"]
    out: list[Expression] = [Group("(", tuple(constants), ")", literal=True)]
    if names.get("singular") != names["kind"].lower():
        out.append(Pair("singular=", text(names.get("singular", ""))))
    if names.get("listKind") != f"{names['kind']}List":
        out.append(Pair("list_kind=", text(names.get("listKind", ""))))
    out += [Pair("short_names=", strings(names["shortNames"]))] if names.get("shortNames") else []
    out += [Pair("categories=", strings(names["categories"]))] if names.get("categories") else []
    if webhook := spec.get("conversion", {}).get("webhook"):
        out.append(Pair("conversion=", _conversion(webhook)))
        writer.use("WebhookConversion")
    out += [Pair(f"{key}=", literal(metadata[key])) for key in ("annotations", "labels") if metadata.get(key)]
    return call("Definition", out)


def _conversion(webhook: dict[str, Any]) -> Expression:
    client = webhook["clientConfig"]
    service = client.get("service", {})
    options = {"service": service.get("name", ""), "namespace": service.get("namespace", "")}
    options |= {"path": service.get("path"), "port": service.get("port"), "url": client.get("url")}
    options |= {"ca_bundle": client.get("caBundle")}
    pairs: list[Expression] = [Pair(f"{key}=", literal(value)) for key, value in options.items() if value]
    versions = webhook["conversionReviewVersions"]
    return call(
        "WebhookConversion", pairs + ([] if versions == ["v1"] else [Pair("review_versions=", strings(versions))])
    )
