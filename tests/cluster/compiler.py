"""Emissary's own compiler, which turns its objects into Envoy's configuration: Python code beside that of its Go module.

That of release 3.10.0 is in the zip of the module that `go/emissary` pins; what it imports comes from PyPI by
`requirements/emissary.txt`; both are made once and kept in the cache of tools. `python -m tests.cluster.compiler` makes them.
That of 4.1.0 is in no module and no package: it is taken from a checkout of upstream's tag, where a variable names one.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from platform_def.yaml import dump, load_all
from tests.cluster.client import Manifest
from tests.cluster.tools import LeftOutError, MissingToolError, cache_folder, module_folder

PINS = Path(__file__).parents[2] / "requirements" / "emissary.txt"
PROGRAM = Path(__file__).with_name("compile_emissary.py")


CHECKOUT = "PLATFORM_DEF_EMISSARY"
"""Variable that names a checkout of Emissary's repository at the tag of `IN_CHECKOUT`."""
ANNOTATION = "getambassador.io/config"
IN_MODULE, IN_CHECKOUT = "3.10.0", "4.1.0"


def folder(release: str, code: Path | None = None) -> Path:
    """Where it is, or will be: its environment, and its code in `code`."""
    digest = hashlib.sha256(PINS.read_bytes())
    for file in sorted(code.rglob("*.py")) if code else ():
        digest.update(file.read_bytes())
    return cache_folder() / f"emissary-compiler-v{release}-{digest.hexdigest()[:12]}"


def obtain_compiler(release: str = IN_MODULE) -> Path:
    """The folder, made when missing; MissingToolError when that cannot be done."""
    code = None if release == IN_MODULE else _checkout()
    target = folder(release, code)
    if not (target / "complete").exists():
        code = code or module_folder("apiext") / "python" / "ambassador"  # whose hash the go.sum has
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(target)], check=True)
        pip = [str(target / "bin" / "pip"), "install", "-q", "--disable-pip-version-check", "--require-hashes"]
        if subprocess.run([*pip, "-r", str(PINS)], check=False).returncode != 0:
            raise MissingToolError(f"what Emissary's compiler imports cannot be had: {PINS.name}")
        shutil.copytree(code, target / "code" / "ambassador")
        # It looks for its schemas beside the package of this name.
        (target / "code" / "ambassador.egg-info").mkdir()
        about = f"Metadata-Version: 2.1\nName: ambassador\nVersion: {release}\n"
        (target / "code" / "ambassador.egg-info" / "PKG-INFO").write_text(about)
        (target / "complete").touch()
    return target


def envoy_beside(compiler: Path) -> Path:
    """The Envoy that takes what it makes, which is older than the one of Istio's tests (`requirements/emissary.in`)."""
    (found,) = compiler.glob("lib/python*/site-packages/envoy/_bin/envoy")
    return found


def _checkout() -> Path:
    """The package in a checkout, as far as one can tell of the right tag: earlier ones have it elsewhere.

    Who names none leaves it out, CI too: it cannot be had by pins.
    """
    named = os.environ.get(CHECKOUT)
    if not named:
        raise LeftOutError(
            f"the compiler of Emissary {IN_CHECKOUT} is in no Go module and no package: name a checkout of its tag in {CHECKOUT}"
        )
    found = Path(named) / "python" / "ambassador" / "src" / "ambassador"
    if not found.is_dir():
        raise MissingToolError(
            f"{CHECKOUT} names {named}, which is no checkout of Emissary {IN_CHECKOUT}: it has no {found}"
        )
    return found


def compiled(compiler: Path, sets: Sequence[Sequence[Manifest]], *, certificates: Path) -> list[dict[str, Any]]:
    """Envoy's configuration of each set of objects; certificates out of Secrets go to files of that folder."""
    texts = ["---\n".join(dump(each) for each in objects) for objects in sets]
    command = [str(compiler / "bin" / "python"), "-I", str(PROGRAM), str(compiler / "code"), str(certificates)]
    done = subprocess.run(command, input=json.dumps(texts), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    made: list[dict[str, Any]] = json.loads(done.stdout)
    return made


def annotated(services: Sequence[Manifest]) -> list[Manifest]:
    """Objects in annotations of Services, as Emissary's Go program hands them to its compiler: of the newest version.

    A stand-in for `pkg/snapshot/v1/annotations.go:127-180` at v3.10.0, and for the one change that
    `pkg/api/getambassador.io/v2/handwritten.conversion.go:518-525` makes of a Mapping without a host.
    """
    made: list[Manifest] = []
    for service in services:
        metadata = service["metadata"]
        for each in load_all(metadata.get("annotations", {}).get(ANNOTATION, "")):
            found = dict(cast(Manifest, each))
            group, _, _ = str(found.pop("apiVersion")).rpartition("/")
            assert group in ("ambassador", "getambassador.io"), f"no API of Emissary's: {group}"
            about = {"name": found.pop("name"), "namespace": metadata["namespace"]}
            kind, more = found.pop("kind"), {"hostname": found.pop("host", "*")} if "prefix" in found else {}
            api = "getambassador.io/v3alpha1"
            made.append({"apiVersion": api, "kind": kind, "metadata": about, "spec": {**more, **found}})
    return made


def handed_on(ingress: Manifest) -> Manifest:
    """An Ingress as Emissary's Go program hands it to its compiler: in the form of `extensions/v1beta1`.

    A stand-in for `pkg/kates/k8s_resource_types/ingress.go` at v3.10.0, as far as backends are Services.
    """
    made = cast(Manifest, json.loads(json.dumps(ingress))) | {"apiVersion": "extensions/v1beta1"}
    for rule in made["spec"].get("rules", []):
        for path in rule["http"]["paths"]:
            service = path["backend"]["service"]
            port = service["port"].get("number", service["port"].get("name"))
            path["backend"] = {"serviceName": service["name"], "servicePort": port}
    return made


def located(configuration: dict[str, Any], places: Mapping[tuple[str, int], tuple[str, int]]) -> dict[str, Any]:
    """The configuration with addresses of pods in place of names of Services, as DNS and kube-proxy would lead there."""
    for cluster in configuration["static_resources"]["clusters"]:
        for locality in cluster["load_assignment"]["endpoints"]:
            for each in locality["lb_endpoints"]:
                address = each["endpoint"]["address"]["socket_address"]
                name = str(address["address"]).removesuffix(".svc.cluster.local")
                address["address"], address["port_value"] = places.get((name, address["port_value"]), ("127.0.0.1", 1))
    return configuration


if __name__ == "__main__":
    try:
        sys.stdout.write(f"Emissary's compiler: {obtain_compiler()}\n")
    except MissingToolError as error:
        sys.exit(f"error: {error}")
