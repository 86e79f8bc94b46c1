"""What holds for every API that the project has."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import orjson
import pytest

from platform_def import apis
from platform_def.apis.kubeflow import (
    training_v1 as kubeflow_v1,
)
from platform_def.apis.kubeflow import (
    training_v1_release_1_7 as kubeflow_v1_release_1_7,
)
from platform_def.components import catalogue as components
from platform_def.crds import catalogue
from platform_def.crds.core.expand import expanded
from platform_def.crds.crd import crd
from platform_def.crds.importer import import_crds
from platform_def.crds.model import Definition
from platform_def.crds.versions import age
from tests.unit.apis.imported import comparable, exported, run_module

LARGEST_ANNOTATION = 262_144
UNAVOIDABLY_LARGE = {
    "applicationsets.argoproj.io": "generators hold all other generators, two levels deep",
    "clusterworkflowtemplates.argoproj.io": "full schema: a template holds a pod, part by part, and other templates",
    "cronworkflows.argoproj.io": "full schema: as workflow templates",
    "inferenceservices.serving.kserve.io": "four pods, and a container for each framework beside two of them",
    "llminferenceserviceconfigs.serving.kserve.io": "as LLMInferenceService",
    "llminferenceservices.serving.kserve.io": "two versions, each with five pods",
    "rayclusters.ray.io": "two versions, each with the pods of head and workers",
    "rayjobs.ray.io": "as RayCluster, and a pod that hands the program in",
    "rayservices.ray.io": "as RayCluster, and a Service",
    "workflows.argoproj.io": "full schema: its status repeats the templates",
    "workflowtemplates.argoproj.io": "full schema: as cluster workflow templates",
}
"""Upstream's own, without its descriptions, is larger than what client-side apply can store; and what makes it so."""
FULL = "argo_workflows.full_v1alpha1"
"""Beside it stand the same kinds with open specs, which are small."""


def definitions() -> list[Any]:
    """Every definition of every API module, as pytest parameters."""
    found = []
    for info in pkgutil.walk_packages(apis.__path__, f"{apis.__name__}."):
        module = import_module(info.name)
        for name in ("CRDS", "JOBS", "DEFINITIONS"):
            for definition in getattr(module, name, ()):
                found.append(pytest.param(definition, id=f"{info.name}-{definition.name}"))
    return found


def schemas(node: Any) -> Iterator[dict[str, Any]]:
    """Every schema inside one."""
    yield node
    for inner in node.get("properties", {}).values():
        yield from schemas(inner)
    for part in ("items", "additionalProperties"):
        if isinstance(node.get(part), dict):
            yield from schemas(node[part])


@pytest.mark.parametrize("definition", definitions())
def test_schema_is_structural(definition: Definition) -> None:
    for version in crd(definition)["spec"]["versions"]:
        for node in schemas(version["schema"]["openAPIV3Schema"]):
            loose = "x-kubernetes-int-or-string" in node or "x-kubernetes-preserve-unknown-fields" in node
            assert "type" in node or loose, node
            assert node.get("type") != "array" or "items" in node
            assert not ("properties" in node and "additionalProperties" in node)
            for key in node.get("x-kubernetes-list-map-keys", ()):
                item = node["items"]
                assert key in item.get("required", ()) or "default" in item["properties"][key]


def test_crds_fit_into_an_annotation() -> None:
    sizes = {one.values[0].name: len(orjson.dumps(crd(one.values[0]))) for one in definitions() if FULL not in one.id}
    full = {one.name: len(orjson.dumps(crd(one))) for one in catalogue.definitions("argo-workflows-3.7.18-full")}
    large = {name for found in (sizes, full) for name, size in found.items() if size >= LARGEST_ANNOTATION}

    assert large == {*UNAVOIDABLY_LARGE}


@pytest.mark.parametrize("definition", definitions())
def test_crd_survives_import_and_export(definition: Definition) -> None:
    (source,) = import_crds([crd(definition)]).values()

    assert exported(run_module(source)) == [comparable(crd(definition))]


def pod_of(definition: Definition, field: str) -> dict[str, Any]:
    spec = crd(definition)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    found: dict[str, Any] = spec["properties"][field]["additionalProperties"]["properties"]["template"]
    return comparable_schema(found)


def comparable_schema(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "description"}


def test_training_jobs_embed_the_pod_template_that_their_operator_was_compiled_with() -> None:
    name = "io.k8s.api.core.v1.PodTemplateSpec"
    tf_job, mx_job = kubeflow_v1.JOBS[0], kubeflow_v1_release_1_7.JOBS[2]

    assert pod_of(tf_job, "tfReplicaSpecs") == expanded(name, "1.36", embedded_metadata=True)
    assert pod_of(mx_job, "mxReplicaSpecs") == expanded(name, "1.27", embedded_metadata=True)


def test_releases_of_the_training_operator_serve_their_own_kinds() -> None:
    kinds = [{job.api.kind for job in module.JOBS} for module in (kubeflow_v1, kubeflow_v1_release_1_7)]

    assert kinds[0] - kinds[1] == {"JAXJob"}
    assert kinds[1] - kinds[0] == {"MXJob"}


def test_definitions_come_out_the_same_whatever_was_imported_before() -> None:
    found = (
        info.name for info in pkgutil.walk_packages(apis.__path__, f"{apis.__name__}.") if ".core." not in info.name
    )
    names = sorted(name for name in found if name.split("_")[-1].rpartition(".")[2][0] in "v1")
    program = (
        "import hashlib, sys, orjson\n"
        "from importlib import import_module\n"
        "from platform_def.crds.crd import crd\n"
        "found = {}\n"
        "for name in sys.argv[1:]:\n"
        "    module = import_module(name)\n"
        "    for one in getattr(module, 'CRDS', getattr(module, 'JOBS', ())):\n"
        "        found[name, one.name] = hashlib.sha256(orjson.dumps(crd(one))).hexdigest()\n"
        "print(sorted(found.items()))\n"
    )
    runs = [
        subprocess.run([sys.executable, "-c", program, *order], capture_output=True, text=True, check=True).stdout
        for order in (names, names[::-1])
    ]

    assert runs[0] == runs[1]
    assert "pytorchjobs" in runs[0]


def test_api_modules_do_not_load_the_package_that_ships_the_schemas() -> None:
    program = "import sys; import platform_def.apis.kubeflow.training_v1; print('kubernetes_validate' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout

    assert out.strip() == "False"


@pytest.mark.parametrize("name", catalogue.known())
def test_entry_holds_each_crd_once(name: str) -> None:
    found = catalogue.definitions(name)

    assert all(isinstance(one, Definition) for one in found)
    assert Counter(one.name for one in found).most_common(1)[0][1] == 1


def test_every_definition_is_in_the_catalogue() -> None:
    known = {id(one) for name in catalogue.known() for one in catalogue.definitions(name)}

    assert [str(param.id) for param in definitions() if id(param.values[0]) not in known] == []


def test_every_release_of_a_component_with_apis_is_in_the_catalogue() -> None:
    lacking = []
    for name in components.BUILT_IN:
        for release in components.component(name).config_model().releases:
            entry = f"{name}-{release.version}"
            own = {id(one) for one in catalogue.definitions(entry)} if entry in catalogue.known() else set()
            lacking += [f"{entry} {one.name}" for one in getattr(release, "apis", ()) if id(one) not in own]

    assert lacking == []


def test_asking_what_is_known_imports_no_api() -> None:
    program = (
        "import sys\n"
        "from platform_def.crds.catalogue import known\n"
        "known()\n"
        "print([name for name in sys.modules if name.startswith('platform_def.apis.') and '_v1' in name])\n"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout

    assert out.strip() == "[]"


def test_kinds_that_components_share_have_one_owner() -> None:
    owners: dict[str, set[int]] = {}
    for name in catalogue.known():
        for one in catalogue.definitions(name):
            owners.setdefault(one.name, set()).add(id(one))
    releases = (
        ".getambassador.io",
        ".argoproj.io",
        ".gateway.networking.k8s.io",
        ".cert-manager.io",
        ".fluxcd.io",
        ".istio.io",
        ".ray.io",
        "computedomains.resource.nvidia.com",
    )
    jobs = {f"{kind}jobs.kubeflow.org" for kind in ("mpi", "mx", "paddle", "pytorch", "tf", "xgboost")}
    several = {name for name, found in owners.items() if len(found) > 1 and not name.endswith(releases)}

    assert several == jobs


@pytest.mark.parametrize("name", catalogue.known())
def test_entry_survives_as_data(name: str, tmp_path: Path) -> None:
    wanted = {one.name: comparable(crd(one)) for one in catalogue.definitions(name)}
    found: dict[str, Any] = {}
    files = import_crds([*wanted.values()], data=True)
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    for file in (file for file in files if file.endswith(".py")):
        found |= {one["metadata"]["name"]: one for one in exported(run_module(files[file], file=str(tmp_path / file)))}

    assert found == wanted


def test_rules_that_span_lines_have_a_message() -> None:
    def silent(node: object) -> Iterator[str]:
        if isinstance(node, dict):
            rules = node.get("x-kubernetes-validations")
            yield from (rule["rule"] for rule in rules or () if "\n" in rule["rule"].strip() and "message" not in rule)
            for inner in node.values():
                yield from silent(inner)
        elif isinstance(node, list):
            for inner in node:
                yield from silent(inner)

    assert [rule for one in definitions() for rule in silent(crd(one.values[0]))] == []


def test_a_project_that_counts_anew_is_newest_by_its_new_numbers() -> None:
    releases = sorted(["25.12.0", "0.4.1", "0.10.0"], key=lambda release: age(release, "nvidia-dra-driver"))

    assert releases == ["25.12.0", "0.4.1", "0.10.0"]
    assert age("25.12.0", "another") > age("0.4.1", "another")
