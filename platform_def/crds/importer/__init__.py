"""CRDs in, modules of types out; the types give the same CRDs again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from platform_def.crds.importer.compact import common_core, data_source
from platform_def.crds.importer.constants import Constants
from platform_def.crds.importer.naming import module_name
from platform_def.crds.importer.normal import crds_in
from platform_def.crds.importer.read import SchemaReader
from platform_def.crds.importer.recognise import recogniser
from platform_def.crds.importer.write import ModuleWriter, free_name
from platform_def.crds.schema import Manifest


def import_crds(
    docs: list[Manifest], *, files: Sequence[str] = (), descriptions: bool = True, data: bool = False
) -> dict[str, str]:
    """File name → source: a module for each API group; with `data` its schemas lie beside it as compact JSON.

    `files` says where each document is from. Documents that are no CRDs are passed over. Raises ConfigError for CRDs
    that no API server could read.
    """
    groups: dict[str, list[Manifest]] = defaultdict(list)
    for crd in crds_in(docs, files):
        groups[crd["spec"]["group"]].append(crd)
    out: dict[str, str] = {}
    for group, crds in sorted(groups.items()):
        stem = free_name(module_name(group), {name.partition(".")[0] for name in out})
        title = f"API types of {group}."
        if data:
            out |= data_source(crds, stem=stem, title=title)
        else:
            out[f"{stem}.py"] = module_source(crds, title=title, descriptions=descriptions)
    recogniser().digests.let_go()
    return out


def module_source(
    crds: list[Manifest], *, title: str, descriptions: bool = False, names: Mapping[str, str] | None = None
) -> str:
    """Source of one module for v1 CRDs as `crds_in` returns them; `names` are constants of kinds that shall differ."""
    writer = ModuleWriter(SchemaReader(recogniser(), descriptions), title)
    constants, common = Constants(writer, names or {}), common_core(crds)
    for crd in crds:
        constants.read(crd, common)
    writer.name_structs()
    writer.share()
    constants.write()
    return writer.source()
