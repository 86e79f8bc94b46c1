"""Schemas as compact data: parts that repeat are written once, core types by name; no descriptions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import orjson

from platform_def.crds.data import CORE, SHARED
from platform_def.crds.importer.constants import definition, facets, names_of
from platform_def.crds.importer.layout import Pair, call, laid_out, text
from platform_def.crds.importer.naming import constant_name
from platform_def.crds.importer.normal import undescribed
from platform_def.crds.importer.read import SchemaReader
from platform_def.crds.importer.recognise import Core, recogniser, walk
from platform_def.crds.importer.write import ModuleWriter
from platform_def.crds.schema import Manifest, Schema

WORTH_SHARING = 4
"""Nodes of the smallest part that is taken out."""


@dataclass(slots=True)
class Compactor:
    """Builds one data file."""

    reader: SchemaReader
    count: Counter[str] = field(default_factory=Counter)
    shared: list[Any] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)

    def survey(self, schema: Schema) -> None:
        """Count how often each part occurs."""
        self.count.update(self.reader.digests.of(node) for _, node in walk(schema, ""))

    def node(self, schema: Schema, name: str) -> Any:
        """A part of a schema, as it stands in the file."""
        if found := self.reader.recogniser.type_of(schema, self.reader.core, name):
            return {CORE: found.full_name}
        digest = f"{self.reader.digests.of(schema)} {self.reader.core}"
        if digest in self.places:
            return {SHARED: self.places[digest]}
        out = {key: value for key, value in schema.items() if key != "properties"}
        for part in ("items", "additionalProperties"):
            if isinstance(out.get(part), dict):
                out[part] = self.node(out[part], name)
        if "properties" in schema:
            out["properties"] = {field: self.node(inner, field) for field, inner in schema["properties"].items()}
        if self.count[self.reader.digests.of(schema)] > 1 and sum(1 for _ in walk(schema, "")) >= WORTH_SHARING:
            self.places[digest] = len(self.shared)
            self.shared.append(out)
            return {SHARED: self.places[digest]}
        return out


def data_source(crds: list[Manifest], *, stem: str, title: str) -> dict[str, str]:
    """A module and its data file."""
    writer = ModuleWriter(SchemaReader(recogniser(), descriptions=False), title, data_file=f"{stem}.json")
    compactor, common = Compactor(writer.reader), common_core(crds)
    schemas = {id(version): undescribed(schema_of(version)) for crd in crds for version in crd["spec"]["versions"]}
    for schema in schemas.values():
        compactor.survey(schema)
    document: Manifest = {"shared": compactor.shared, "schemas": {}}
    for crd in crds:
        constants = []
        for version in crd["spec"]["versions"]:
            writer.reader.choose(schemas[id(version)], common)
            key = f"{crd['spec']['names']['plural']}/{version['name']}"
            document["schemas"][key] = compactor.node(schemas[id(version)], "")
            constants.append(_constant(writer, crd, version, key))
        writer.definitions.append(definition(writer, crd, constants))
    writer.use("Api", "DataSchema", "Definition")
    data = orjson.dumps(document, option=orjson.OPT_SORT_KEYS).decode()
    return {f"{stem}.py": writer.source(), writer.data_file: f"{data}\n"}


def common_core(crds: list[Manifest]) -> Core:
    """The core version that explains most of all CRDs together."""
    whole = {str(id(version)): schema_of(version) for crd in crds for version in crd["spec"]["versions"]}
    return recogniser().core_of({"type": "object", "properties": whole})


def schema_of(version: Manifest) -> Schema:
    """The schema of a CRD's version."""
    schema: Schema = version["schema"]["openAPIV3Schema"]
    return schema


def _constant(writer: ModuleWriter, crd: Manifest, version: Manifest, key: str) -> str:
    kind = constant_name(crd["spec"]["names"]["kind"])
    name = writer.constant_of(kind if version["storage"] else f"{kind}_{constant_name(version['name'])}")
    core = writer.reader.core
    pairs = [*names_of(crd, version), Pair("spec=", "dict[str, object]")]
    if "spec" not in version["schema"]["openAPIV3Schema"]["properties"]:
        pairs.append(Pair("top_level=", "True"))
    pairs.append(Pair("data=", call("DataSchema", ["_DATA", text(key)])))
    pairs += [Pair("core=", text(core.version))] if core.version else []
    pairs += [Pair("embedded_metadata=", "True")] if core.embedded_metadata else []
    writer.constants.append(laid_out(f"{name} = ", call("Api", [*pairs, *facets(writer, version)])))
    return name
