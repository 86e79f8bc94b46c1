"""What a container is given: its variables, its command, and the files of its volumes."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.cluster.client import Api, Manifest


class MissingError(LookupError):
    """A Secret or a ConfigMap that a pod needs is not there."""


_REFERENCE = re.compile(r"\$\$|\$\(([^)]*)\)")
DEFAULT_MODE = 0o644
ROOT_AUTHORITY = "kube-root-ca.crt"
"""ConfigMap of every namespace with the certificate by which clients trust the API server."""
_KEYED = re.compile(r"metadata\.(labels|annotations)\['(.+)'\]")


def expanded(text: str, values: Mapping[str, str]) -> str:
    """The text with `$(NAME)` replaced where the name is known, and left as it is where not; `$$` is a dollar sign, but
    not between those parentheses."""

    def value(found: re.Match[str]) -> str:
        if found[0] == "$$":
            return "$"
        return values.get(found[1], found[0])

    return _REFERENCE.sub(value, text)


def variables(api: Api, pod: Manifest, container: Manifest) -> dict[str, str]:
    """The container's variables, each expanded with those before it."""
    found: dict[str, str] = {}
    for each in container.get("env", ()):
        source = each.get("valueFrom")
        found[each["name"]] = (
            _sourced(api, pod, container, source) if source else expanded(each.get("value", ""), found)
        )
    return found


def _sourced(api: Api, pod: Manifest, container: Manifest, source: Mapping[str, Any]) -> str:
    if "fieldRef" in source:
        return field(pod, source["fieldRef"]["fieldPath"])
    if "resourceFieldRef" in source:
        where, _, name = source["resourceFieldRef"]["resource"].partition(".")
        return str(container.get("resources", {}).get(where, {}).get(name, ""))
    kind, reference = next(
        (kind, source[key])
        for key, kind in (("secretKeyRef", "secrets"), ("configMapKeyRef", "configmaps"))
        if key in source
    )
    return _data(api, pod["metadata"]["namespace"], kind, reference["name"])[reference["key"]].decode()


def field(pod: Manifest, path: str) -> str:
    """A field of the pod, as the downward API gives it."""
    keyed = _KEYED.fullmatch(path)
    if keyed:
        return str(pod["metadata"].get(keyed[1], {}).get(keyed[2], ""))
    here: Any = pod
    for step in path.split("."):
        here = here.get(step, "")
    return str(here)


def _data(api: Api, namespace: str, kind: str, name: str) -> dict[str, bytes]:
    reply = api.get(f"/api/v1/namespaces/{namespace}/{kind}/{name}")
    if reply.status != 200:
        raise (MissingError if reply.status == 404 else LookupError)(reply.message)
    data = reply.body.get("data", {})
    return {key: base64.b64decode(text) if kind == "secrets" else text.encode() for key, text in data.items()}


def volume_folder(
    api: Api, pod: Manifest, volume: Manifest, *, own: Path, claims: Path, authority: Path, mask: int
) -> str:
    """The folder that stands for a volume, or the size of one that lives in memory; LookupError where it is missing."""
    namespace = pod["metadata"]["namespace"]
    if "persistentVolumeClaim" in volume:
        folder = claims / namespace / volume["persistentVolumeClaim"]["claimName"]
        folder.mkdir(parents=True, exist_ok=True)
        return str(folder)
    folder = own / "volumes" / volume["name"]
    folder.mkdir(parents=True, exist_ok=True)
    for key, kind, named in (("configMap", "configmaps", "name"), ("secret", "secrets", "secretName")):
        if key in volume:
            _lay(folder, _data(api, namespace, kind, volume[key][named]), volume[key], mask)
    for source in volume.get("projected", {}).get("sources", ()):
        for key, said in source.items():
            _lay(folder, _projected(api, pod, key, said, authority), said if "items" in said else {}, mask)
    return str(folder)


def _projected(api: Api, pod: Manifest, key: str, said: Manifest, authority: Path) -> dict[str, bytes]:
    """Files of one source: a token, a ConfigMap or a Secret, or fields of the pod."""
    namespace = pod["metadata"]["namespace"]
    if key == "serviceAccountToken":
        account = f"/api/v1/namespaces/{namespace}/serviceaccounts/{pod['spec']['serviceAccountName']}"
        spec = {"audiences": [said["audience"]]} if said.get("audience") else {}
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec}
        reply = api.request("POST", f"{account}/token", request)
        if reply.status != 201:
            raise LookupError(reply.message)
        return {said["path"]: reply.body["status"]["token"].encode()}
    if key == "downwardAPI":
        return {each["path"]: field(pod, each["fieldRef"]["fieldPath"]).encode() for each in said["items"]}
    if said["name"] == ROOT_AUTHORITY:  # no controller publishes it here
        return {"ca.crt": authority.read_bytes()}
    return _data(api, namespace, "secrets" if key == "secret" else "configmaps", said["name"])


def _lay(folder: Path, data: Mapping[str, bytes], source: Mapping[str, Any], mask: int) -> None:
    """Files of a volume, each under the name and with the mode that the volume gives it, as far as `mask` has it."""
    every: list[dict[str, Any]] = [{"key": key, "path": key} for key in data]
    for item in source.get("items", every):
        if "fieldRef" in item:
            item = {"key": item["path"], **item}
        file = folder / item["path"]
        file.parent.mkdir(parents=True, exist_ok=True)
        mode, content = item.get("mode", source.get("defaultMode", DEFAULT_MODE)) & mask, data[item["key"]]
        # Programs that watch it would read it again.
        if file.is_file() and file.stat().st_mode & 0o777 == mode and file.read_bytes() == content:
            continue
        # A container beside this one may be reading it.
        arriving = file.with_name(f".{file.name}.arriving")
        arriving.write_bytes(content)
        arriving.chmod(mode)
        arriving.replace(file)


def mount_lines(pod: Manifest, container: Manifest, folders: Mapping[str, str]) -> Iterator[str]:
    """Lines of `root.sh` for the container's mounts, outer ones first."""
    memory = {
        each["name"]: each["emptyDir"].get("sizeLimit", "64Mi").replace("i", "").lower()
        for each in pod["spec"].get("volumes", ())
        if each.get("emptyDir", {}).get("medium") == "Memory"
    }
    for mount in sorted(container.get("volumeMounts", ()), key=lambda each: str(each["mountPath"])):
        name, target = mount["name"], mount["mountPath"]
        if name not in folders:
            continue
        if name in memory:
            yield f"memory\t{memory[name]}\t{target}"
            continue
        source = Path(folders[name], mount.get("subPath", ""))
        if "subPath" in mount and not source.exists():
            source.mkdir(parents=True)
        kind = "file" if source.is_file() else "sealed" if mount.get("readOnly") else "folder"
        yield f"{kind}\t{source}\t{target}"
