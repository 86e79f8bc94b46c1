"""Runs what the importer writes, and compares CRDs as an API server would."""

from __future__ import annotations

import sys
from itertools import count
from types import ModuleType
from typing import Any

from platform_def.crds.crd import crd
from platform_def.crds.importer.normal import crds_in, undescribed

Manifest = dict[str, Any]
_numbers = count()


def run_module(source: str, *, file: str = "") -> ModuleType:
    """The module that a source makes."""
    name = f"imported_{next(_numbers)}"
    module = ModuleType(name)
    module.__file__ = file or f"{name}.py"  # without one, `inspect` fails on any frame while the module is known
    sys.modules[name] = module
    exec(compile(source, module.__file__, "exec"), vars(module))
    return module


def exported(module: ModuleType) -> list[Manifest]:
    """CRDs of all definitions of a module, in the form that is compared."""
    return [comparable(crd(definition)) for definition in module.DEFINITIONS]


def comparable(doc: Manifest, *, descriptions: bool = False) -> Manifest:
    """A CRD without what an API server fills in, and without descriptions."""
    (known,) = crds_in([doc])
    for version in known["spec"]["versions"]:
        if not descriptions:
            schema = version["schema"]["openAPIV3Schema"]
            version["schema"]["openAPIV3Schema"] = undescribed(schema)
            for column in version.get("additionalPrinterColumns", ()):
                column.pop("description", None)
    return known
