"""Ratios from one run: synth beside kustomize and stock cdk8s on the same objects, and a fleet of 100 stacks.

Machines differ and are noisy: quote the ratios, never the seconds.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

from timing import Figures, measure

from platform_def.tools import kubectl_path, node_path
from platform_def.yaml import load

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
SYNTH: list[str | Path] = [BIN / "platformctl", "synth"]


def main() -> None:
    """Print the figures; `--fleet 0` leaves the fleet out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--fleet", type=int, default=100, metavar="N", help="stacks in the fleet")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="platform-def-bench-") as temporary:
        folder = Path(temporary)
        own = repository(folder / "own")
        figures = single(own, folder, options.runs)
        if options.fleet:
            figures |= fleet(folder, options.fleet)
    report(figures, options.fleet)


def repository(target: Path) -> Path:
    """A copy of this repository's stacks and overlays."""
    for name in ("stacks", "overlays"):
        shutil.copytree(ROOT / name, target / name)
    return target


def fresh(target: Path) -> None:
    """As after a clone, without dist/ and cache."""
    for name in ("dist", ".platformctl"):
        shutil.rmtree(target / name, ignore_errors=True)


def single(own: Path, folder: Path, runs: int) -> dict[str, Figures]:
    """The three sample stacks, beside the peers."""
    stack = own / "stacks" / "onprem-gpu.yaml"
    text = stack.read_text()
    count = iter(range(1000))

    def change() -> None:
        stack.write_text(text.replace("replicas: 2", f"replicas: {2 + next(count) % 2}"))

    found = {"synth, cold": measure(SYNTH, cwd=own, runs=runs, before=lambda: fresh(own))}
    found["synth, nothing changed"] = measure(SYNTH, cwd=own, runs=runs)
    found["synth, one value changed"] = measure(SYNTH, cwd=own, runs=runs, before=change)
    stack.write_text(text)
    measure(SYNTH, cwd=own, runs=1)
    builds = f'for stack in */; do "{kubectl_path()}" kustomize "$stack" || exit 1; done'
    found["kustomize build, same objects"] = measure(
        ["sh", "-c", builds], cwd=kustomization(own / "dist", folder / "kustomize"), runs=runs
    )
    found["stock cdk8s synth, same objects"] = measure(
        [ROOT / "node_modules" / ".bin" / "cdk8s", "synth"],
        cwd=stock(own / "dist", folder / "stock"),
        runs=runs,
        environment={"CDK8S_CHECK_UPGRADE": "false", "PATH": f"{BIN}:/usr/bin:/bin", **node()},
    )
    return found


def node() -> dict[str, str]:
    """The Node that platform_def itself uses, for a fair comparison."""
    return {"JSII_NODE": str(node_path())}


def kustomization(dist: Path, target: Path) -> Path:
    """A kustomization for each stack, listing all of its files: one over all stacks would refuse what they share."""
    shutil.copytree(dist, target)
    for stack in sorted(path for path in target.iterdir() if path.is_dir()):
        files = sorted(str(path.relative_to(stack)) for path in stack.rglob("*.yaml"))
        (stack / "kustomization.yaml").write_text(json.dumps({"resources": files}))
    return target


STOCK = """
import json, pathlib
import cdk8s
app = cdk8s.App()
for path in sorted(pathlib.Path("objects").glob("*.json")):
    chart = cdk8s.Chart(app, path.stem, disable_resource_name_hashes=True)
    for number, body in enumerate(json.loads(path.read_text())):
        head = {"api_version": body.pop("apiVersion"), "kind": body.pop("kind"), "metadata": body.pop("metadata")}
        item = cdk8s.ApiObject(chart, str(number), **head)
        for key, value in body.items():
            item.add_json_patch(cdk8s.JsonPatch.add(f"/{key}", value))
app.synth()
"""


def stock(dist: Path, target: Path) -> Path:
    """An ordinary cdk8s app that builds the same objects, a chart for each component of each stack."""
    (target / "objects").mkdir(parents=True)
    for component in sorted(path for path in dist.glob("*/*") if path.is_dir()):
        bodies = [load(path.read_bytes()) for path in sorted(component.rglob("*.yaml"))]
        name = f"{component.parent.name}-{component.name.strip('_')}.json"
        (target / "objects" / name).write_text(json.dumps(bodies))
    (target / "main.py").write_text(STOCK)
    (target / "cdk8s.yaml").write_text(f"language: python\napp: {sys.executable} main.py\n")
    return target


BASE = (ROOT / "stacks" / "base" / "shared.yaml").read_text()


def fleet(folder: Path, size: int) -> dict[str, Figures]:
    """Many clusters from one base that differ by name, a pool's size and every fifth by a replica."""
    one, many = folder / "one", folder / "fleet"
    for target, count in ((one, 1), (many, size)):
        (target / "stacks" / "base").mkdir(parents=True)
        (target / "stacks" / "base" / "shared.yaml").write_text(BASE)
        for number in range(count):
            (target / "stacks" / f"edge-{number:04}.yaml").write_text(member(number))
    changed = iter(range(1000))

    def change() -> None:
        (many / "stacks" / "edge-0000.yaml").write_text(member(0) + f"    threads: {2 + next(changed) % 7}\n")

    found = {"one stack, cold": measure(SYNTH, cwd=one, runs=3, before=lambda: fresh(one))}
    found[f"{size} stacks, cold"] = measure(SYNTH, cwd=many, runs=1, before=lambda: fresh(many))
    found[f"{size} stacks, nothing changed"] = measure(SYNTH, cwd=many, runs=3)
    found[f"{size} stacks, one value changed"] = measure(SYNTH, cwd=many, runs=3, before=change)
    return found


def member(number: int) -> str:
    """One stack of the fleet."""
    return f"""apiVersion: platform-def/v1
extends: [base/shared.yaml]
gateway: emissary
delivery: {{engine: argocd, repository: "https://git.example.com/platform.git"}}
ingress: {{kind: cloud, host: ml-{number}.example.com}}
nodePools:
  - {{name: gpu, nodes: {1 + number % 8}, selector: {{pool: gpu}}, gpu: {{model: a100-80gb, perNode: 8}}}}
components:
  emissary: {{}}
  nvidia-device-plugin: {{}}
  training-operator:
    replicas: {1 + (number % 5 == 0)}
"""


def report(figures: dict[str, Figures], size: int) -> None:
    """The figures and the ratios that matter."""
    for name, each in figures.items():
        sys.stdout.write(f"{name:34} {each}\n")
    cold, kustomize = figures["synth, cold"], figures["kustomize build, same objects"]
    stock_cdk8s = figures["stock cdk8s synth, same objects"]
    ratios = {
        "cold synth / kustomize build": cold.seconds / kustomize.seconds,
        "(cold synth - 1.5 s) / kustomize build, at most 0.6": (cold.seconds - 1.5) / kustomize.seconds,
        "cold synth / stock cdk8s synth": cold.seconds / stock_cdk8s.seconds,
        "nothing changed / kustomize build": figures["synth, nothing changed"].seconds / kustomize.seconds,
        "one value changed / cold": figures["synth, one value changed"].seconds / cold.seconds,
        "memory, cold synth / kustomize": cold.peak_mib / kustomize.peak_mib,
        "memory, cold synth / stock cdk8s": cold.peak_mib / stock_cdk8s.peak_mib,
    }
    if size:
        one = figures["one stack, cold"].seconds
        ratios[f"{size} stacks cold / one stack cold, at most 15"] = figures[f"{size} stacks, cold"].seconds / one
        ratios[f"{size} stacks, one value changed / one stack cold"] = (
            figures[f"{size} stacks, one value changed"].seconds / one
        )
    sys.stdout.write("\nratios\n")
    for name, ratio in ratios.items():
        sys.stdout.write(f"  {name:52} {ratio:6.2f}\n")


if __name__ == "__main__":
    main()
