"""Ratios of one run: the checks beside kubeconform on the same objects, and how both they and their memory grow.

Kubeconform is given the schemas of the same Kubernetes, each file whole, and looks at core kinds alone. It is the
one of the PATH, or what `python -m tests.cluster.tools build kubeconform` has made of its pinned Go module.
Ratios are of processor time, for machines are busy: quote them, never the seconds. `--small` measures few objects once:
CI then sees that it still runs.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from page import write_section
from timing import Figures, measure

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
VERSION = "1.36"
SIZES = (1000, 5000)
R = TypeVar("R")
P = ParamSpec("P")


def schemas() -> Path:
    """The schemas of core kinds that the tool itself reads."""
    spec = find_spec("kubernetes_validate")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "kubernetes-json-schema" / f"v{VERSION}.0-local-strict"


def apart(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """In a process of its own: what is measured afterwards begins with the memory that this one has."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *args, **kwargs).result()


def main() -> None:
    """Print figures and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--kubeconform", default=program(), help="the program; none: no comparison")
    parser.add_argument("manifests", nargs="?", type=Path, default=ROOT / "dist" / "onprem-gpu")
    parser.add_argument("--small", action="store_true", help="100 and 500 objects, one run")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write figures and ratios into this page as well")
    options = parser.parse_args()
    runs = 1 if options.small else options.runs
    sizes = (100, 500) if options.small else SIZES
    with tempfile.TemporaryDirectory(prefix="platform-def-bench-") as temporary:
        folder = Path(temporary)
        figures = {"check -f": folder_of(options.manifests, runs)}
        figures["check -f, 6 objects"] = folder_of(apart(many, folder / "6.yaml", 6), runs)
        inside = apart(inside_synth, options.manifests)
        if options.kubeconform:
            apart(schemas_in_one, folder / "schemas")
            command = kubeconform(options.kubeconform, folder / "schemas", options.manifests)
            figures["kubeconform"] = measure(command, cwd=folder, runs=runs)
        for count in sizes:
            figures[f"check -f, {count} objects"] = folder_of(apart(many, folder / f"{count}.yaml", count), runs)
            if options.kubeconform:
                command = kubeconform(options.kubeconform, folder / "schemas", folder / f"{count}.yaml")
                figures[f"kubeconform, {count} objects"] = measure(command, cwd=folder, runs=runs)
    report(figures, inside, judged=not options.small)
    if options.page:
        few, lot = (f"check -f, {count} objects" for count in sizes)
        ratios = {f"{sizes[1]} objects / {sizes[0]} objects": (lot, few)}
        if "kubeconform" in figures:
            ratios["check -f / kubeconform"] = ("check -f", "kubeconform")
            ratios[f"check -f / kubeconform, {sizes[1]} objects"] = (lot, f"kubeconform, {sizes[1]} objects")
        write_section(options.page, "check -f", figures, ratios)


def folder_of(manifests: Path, runs: int) -> Figures:
    """The command on files in which no error is."""
    words = ["check", "-f", str(manifests.absolute()), "--kubernetes", VERSION, "-o", "json"]
    return measure([BIN / "platformctl", *words], cwd=ROOT, runs=runs)


def inside_synth(manifests: Path) -> dict[str, float]:
    """Processor seconds of the rules on objects that are in memory: the first time, and when nothing changed."""
    from platform_def.checks.context import Memo
    from platform_def.checks.engine import check
    from platform_def.pipeline.applications.foreign import foreign_stack

    stack = foreign_stack([str(manifests)], kubernetes=VERSION, namespace="default").stack
    objects = sum(1 for _ in stack.objects())
    if objects < 100:
        raise SystemExit(f"this is no measurement: {manifests} has {objects} objects")
    memo, taken = Memo(), []
    for _ in range(2):
        started = time.process_time()
        check(stack, memo=memo)
        taken.append(time.process_time() - started)
    return dict(zip(("all rules, cold", "all rules, nothing changed"), taken, strict=True))


def program() -> str | None:
    """Kubeconform; None where it is neither installed nor built."""
    sys.path.insert(0, str(ROOT))
    from tests.cluster.tools import path_of

    built = path_of("kubeconform")
    return shutil.which("kubeconform") or (str(built) if built.is_file() else None)


def kubeconform(program: str, folder: Path, manifests: Path) -> list[str | Path]:
    """Its command, with schemas of a folder: it asks nobody for anything."""
    template = f"{folder}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json"
    return ["sh", "-c", f'"{program}" -n 2 -ignore-missing-schemas -schema-location "{template}" "{manifests}" || true']


def schemas_in_one(folder: Path) -> None:
    """Schemas that hold their definitions, each in a file."""
    folder.mkdir()
    definitions = json.loads((schemas() / "_definitions.json").read_bytes())["$defs"]
    for file in schemas().glob("*-v*.json"):
        whole = {key: value for key, value in json.loads(file.read_bytes()).items() if key != "$id"}
        needed = _needed(whole, definitions, {})
        text = json.dumps({**whole, "$defs": needed}).replace("/api/_definitions.json#", "#")
        (folder / file.name).write_text(text)


def _needed(value: Any, definitions: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """The definitions that a schema leads to."""
    if isinstance(value, dict):
        name = str(value.get("$ref", "")).rpartition("/")[2]
        if name in definitions and name not in found:
            found[name] = definitions[name]
            _needed(definitions[name], definitions, found)
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _needed(inner, definitions, found)
    return found


def many(file: Path, count: int) -> Path:
    """A file of so many objects in one namespace, all different: Deployments, their Services and their ConfigMaps."""
    from platform_def.yaml import dump

    documents: list[dict[str, Any]] = []
    for number in range(count // 3):
        meta = {"name": f"web-{number}", "namespace": "default"}
        labels = {"app": f"web-{number}"}
        container = {
            "name": "web",
            "image": f"registry.example.com/web:{number}",
            "ports": [{"name": "http", "containerPort": 8080}],
            "envFrom": [{"configMapRef": {"name": meta["name"]}}],
        }
        template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
        spec = {"selector": {"matchLabels": labels}, "template": template}
        port = {"name": "http", "port": 80, "targetPort": "http"}
        documents += [
            {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec},
            {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": {"selector": labels, "ports": [port]}},
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"number": str(number)}},
        ]
    file.write_text("---\n".join(map(dump, documents)))
    return file


def report(figures: dict[str, Figures], inside: dict[str, float], *, judged: bool) -> None:
    """The figures and, of a run that is large enough to say something, the ratios that matter with their bounds."""
    for name, each in figures.items():
        sys.stdout.write(f"{name:34} {each}\n")
    for name, seconds in inside.items():
        sys.stdout.write(f"{name:34}            {seconds:7.3f} s CPU\n")
    if not judged:
        return
    few, lot = figures["check -f, 1000 objects"], figures["check -f, 5000 objects"]
    ratios = {
        "5,000 objects / 1,000 objects, at most 6": lot.cpu_seconds / few.cpu_seconds,
        "memory, 5,000 / 1,000": lot.peak_mib / few.peak_mib,
    }
    if "kubeconform" in figures:
        beside = figures["kubeconform"]
        ratios |= {
            "check -f / kubeconform, 5,000 objects, at most 1.2": lot.cpu_seconds
            / figures["kubeconform, 5000 objects"].cpu_seconds,
            "check -f / kubeconform, at most 2": figures["check -f"].cpu_seconds / beside.cpu_seconds,
            "all rules, cold / kubeconform, at most 2": inside["all rules, cold"] / beside.cpu_seconds,
            "nothing changed / kubeconform, at most 0.6": inside["all rules, nothing changed"] / beside.cpu_seconds,
            "memory, check -f / kubeconform": figures["check -f"].peak_mib / beside.peak_mib,
        }
    sys.stdout.write("\nratios\n")
    for name, ratio in ratios.items():
        sys.stdout.write(f"  {name:52} {ratio:6.2f}\n")


if __name__ == "__main__":
    main()
