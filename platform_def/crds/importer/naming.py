"""Names in Kubernetes' spelling as Python names."""

from __future__ import annotations

import re


def camel(name: str) -> str:
    """`elasticPolicy` → `ElasticPolicy`, `x-y` → `XY`; a valid identifier whatever comes in."""
    parts = "".join(char if char.isascii() and char.isalnum() else " " for char in name).split()
    joined = "".join(part[0].upper() + part[1:] for part in parts)
    return joined if joined and not joined[0].isdigit() else f"Field{joined}"


def singular(name: str) -> str:
    """`Policies` → `Policy`; the name itself where it looks like no plural."""
    if name.endswith("ies") and len(name) > 4:
        return f"{name[:-3]}y"
    if name.endswith(("sses", "uses", "shes", "ches", "xes")):
        return name[:-2]
    plural = name.endswith("s") and not name.endswith(("ss", "us", "is", "Dns", "Tls"))
    return name[:-1] if plural else name


def constant_name(kind: str) -> str:
    """`PersistentVolumeClaim` → `PERSISTENT_VOLUME_CLAIM`, `CSIDriver` → `CSI_DRIVER`."""
    out = ""
    for index, char in enumerate(kind):
        before, after = kind[index - 1 : index], kind[index + 1 : index + 2]
        if index and char.isupper() and (not before.isupper() or after.islower()):
            out += "_"
        out += char.upper() if char.isascii() and char.isalnum() else "_"
    return out if out.isidentifier() else f"KIND_{out}"


def module_name(group: str) -> str:
    """`cert-manager.io` → `cert_manager_io`."""
    name = re.sub(r"[^a-z0-9]+", "_", group.lower()).strip("_")
    return name if name[:1].isalpha() else f"group_{name}"
