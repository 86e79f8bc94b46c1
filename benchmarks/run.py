"""Ratios from one run: synth beside kustomize and stock cdk8s on the same objects, and a fleet of 100 stacks.

Machines differ and are noisy: quote the ratios, never the seconds. Each measurement is checked to have done its work;
with `--small` one stack and a fleet of three are enough for that, and CI sees when a renamed field breaks it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from page import write_section
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
    parser.add_argument("--small", action="store_true", help="one run of one stack, and a fleet of three")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write figures and ratios into this page as well")
    options = parser.parse_args()
    if options.small:
        options.runs, options.fleet = 1, 3
    with tempfile.TemporaryDirectory(prefix="platform-def-bench-") as temporary:
        folder = Path(temporary)
        own = repository(folder / "own", stacks="onprem-gpu" if options.small else "*")
        figures = single(own, folder, options.runs)
        if options.fleet:
            figures |= fleet(folder, options.fleet, options.runs)
    report(figures, options.fleet, judged=not options.small)
    if options.page:
        write_section(options.page, "synth", figures, {**RATIOS, **of_fleet(options.fleet)})


def repository(target: Path, *, stacks: str) -> Path:
    """A copy of this repository's stacks, those of a pattern, with their overlays."""
    shutil.copytree(ROOT / "overlays", target / "overlays")
    shutil.copytree(ROOT / "stacks" / "base", target / "stacks" / "base")
    for stack in (ROOT / "stacks").glob(f"{stacks}.yaml"):
        shutil.copy(stack, target / "stacks")
    for overlay in (target / "overlays").iterdir():
        if not (target / "stacks" / f"{overlay.name}.yaml").exists():
            shutil.rmtree(overlay)
    return target


def fresh(target: Path) -> None:
    """As after a clone, without dist/ and cache.

    They are moved away: for a minute after files were removed, ext4 takes eight times as long to make as many.
    """
    aside = Path(tempfile.mkdtemp(prefix=f"{target.name}-", dir=target.parent))
    for name in ("dist", ".platformctl"):
        if (target / name).exists():
            (target / name).rename(aside / name)


def single(own: Path, folder: Path, runs: int) -> dict[str, Figures]:
    """The sample stacks, beside the peers."""
    stack = own / "stacks" / "onprem-gpu.yaml"
    text = stack.read_text()
    count = iter(range(1000))

    def change() -> None:
        changed = text.replace(
            "training-operator: {replicas: 2}", f"training-operator: {{replicas: {3 + next(count) % 2}}}"
        )
        require(changed != text, f"{stack.name} has no replicas to change")
        stack.write_text(changed)

    found = {"synth, cold": measure(SYNTH, cwd=own, runs=runs, before=lambda: fresh(own))}
    cold, objects = contents(own / "dist"), len([*(own / "dist").rglob("*.yaml")])
    require(objects > 100, f"only {objects} objects were written")
    found["synth, nothing changed"] = measure(SYNTH, cwd=own, runs=runs)
    require(contents(own / "dist") == cold, "a run with nothing to do changed dist/")
    found["synth, one value changed"] = measure(SYNTH, cwd=own, runs=runs, before=change)
    require(contents(own / "dist") != cold, "a changed value changed nothing in dist/")
    stack.write_text(text)
    measure(SYNTH, cwd=own, runs=1)
    require(contents(own / "dist") == cold, "the same stacks were rendered otherwise")
    builds = f'for stack in */; do "{kubectl_path()}" kustomize "$stack" > "${{stack%/}}.yaml" || exit 1; done'
    built = kustomization(own / "dist", folder / "kustomize")
    found["kustomize build, same objects"] = measure(["sh", "-c", builds], cwd=built, runs=runs)
    require(documents(built.glob("*.yaml")) == objects, "kustomize built other objects")
    made = stock(own / "dist", folder / "stock")
    found["stock cdk8s synth, same objects"] = measure(
        [ROOT / "node_modules" / ".bin" / "cdk8s", "synth"],
        cwd=made,
        runs=runs,
        environment={"CDK8S_CHECK_UPGRADE": "false", "PATH": f"{BIN}:/usr/bin:/bin", **node()},
    )
    require(documents((made / "dist").glob("*.yaml")) == objects, "stock cdk8s wrote other objects")
    return found


def require(condition: bool, otherwise: str) -> None:
    """End the benchmark where what it measures did not happen."""
    if not condition:
        raise SystemExit(f"this is no measurement: {otherwise}")


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def documents(files: Iterable[Path]) -> int:
    """How many objects some files of YAML hold."""
    return sum(line.startswith("kind: ") for file in files for line in file.read_text().splitlines())


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
OPERATOR = "training-operator: {}"
"""What of the base is changed."""


def fleet(folder: Path, size: int, runs: int) -> dict[str, Figures]:
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

    found = {"one stack, cold": measure(SYNTH, cwd=one, runs=runs, before=lambda: fresh(one))}
    found[f"{size} stacks, cold"] = measure(SYNTH, cwd=many, runs=1, before=lambda: fresh(many))
    made = contents(many / "dist")
    require(sum(path.endswith("/index.json") for path in made) == size, "not every stack of the fleet was written")
    found[f"{size} stacks, nothing changed"] = measure(SYNTH, cwd=many, runs=runs)
    found[f"{size} stacks, one value changed"] = measure(SYNTH, cwd=many, runs=runs, before=change)
    after = contents(many / "dist")
    changes = {path.split("/")[0] for path in made.keys() | after.keys() if made.get(path) != after.get(path)}
    require(changes == {"edge-0000"}, f"a value of edge-0000 changed {sorted(changes)}")
    (many / "stacks" / "base" / "shared.yaml").write_text(
        BASE.replace(OPERATOR, f"{OPERATOR[:-1]}labels: {{tier: ml}}}}")
    )
    found[f"{size} stacks, a value of the base changed"] = measure(SYNTH, cwd=many, runs=1)
    based = contents(many / "dist")
    changes = {path.split("/")[0] for path in after.keys() | based.keys() if after.get(path) != based.get(path)}
    require(len(changes) == size, f"a value of the base changed {len(changes)} stacks")
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
    workloads: {{training-operator: {{replicas: {1 + (number % 5 == 0)}}}}}
"""


RATIOS = {
    "cold synth / kustomize build": ("synth, cold", "kustomize build, same objects"),
    "cold synth / stock cdk8s synth": ("synth, cold", "stock cdk8s synth, same objects"),
    "nothing changed / kustomize build": ("synth, nothing changed", "kustomize build, same objects"),
    "one value changed / cold": ("synth, one value changed", "synth, cold"),
}
"""What is divided by what."""


def of_fleet(size: int) -> dict[str, tuple[str, str]]:
    """The same of a fleet; nothing where there is none."""
    one = "one stack, cold"
    wanted = {
        f"{size} stacks cold / one stack cold, at most 15": (f"{size} stacks, cold", one),
        f"{size} stacks, nothing changed / one stack cold": (f"{size} stacks, nothing changed", one),
        f"{size} stacks, one value changed / one stack cold": (f"{size} stacks, one value changed", one),
        f"{size} stacks, base changed / one stack cold": (f"{size} stacks, a value of the base changed", one),
    }
    return wanted if size else {}


def report(figures: dict[str, Figures], size: int, *, judged: bool) -> None:
    """The figures and, of a run that is large enough to say something, the ratios that matter."""
    for name, each in figures.items():
        sys.stdout.write(f"{name:34} {each}\n")
    if not judged:
        return
    ratios = {name: figures[one].seconds / figures[other].seconds for name, (one, other) in RATIOS.items()}
    cold, kustomize = figures["synth, cold"], figures["kustomize build, same objects"]
    ratios["(cold synth - 1.5 s) / kustomize build, at most 0.6"] = (cold.seconds - 1.5) / kustomize.seconds
    ratios["memory, cold synth / kustomize"] = cold.peak_mib / kustomize.peak_mib
    ratios["memory, cold synth / stock cdk8s"] = cold.peak_mib / figures["stock cdk8s synth, same objects"].peak_mib
    ratios |= {name: figures[one].seconds / figures[other].seconds for name, (one, other) in of_fleet(size).items()}
    sys.stdout.write("\nratios\n")
    for name, ratio in ratios.items():
        sys.stdout.write(f"  {name:52} {ratio:6.2f}\n")


if __name__ == "__main__":
    main()
