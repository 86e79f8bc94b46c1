"""A kind is found by its name, and nothing is imported but the module that defines it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from platform_def.crds import catalogue, index
from platform_def.crds.catalogue import api_of, definition_of
from platform_def.crds.generate_index import index_text

PROBE = (
    "import sys\n"
    "from platform_def.crds.catalogue import api_of\n"
    "api = api_of('jobset.x-k8s.io', 'JobSet')\n"
    "print(api.plural, *sorted(name[18:] for name in sys.modules if name.startswith('platform_def.apis.') and name.rpartition('.')[2][0] != '_' and name.count('.') == 3))\n"
)


def test_the_index_is_current() -> None:
    assert index.FILE.read_text(encoding="utf-8") == index_text(), "run `make docs`"


def test_the_index_says_what_the_definitions_say() -> None:
    for name in catalogue.known():
        assert catalogue.entries(name) == tuple(map(index.entry_of, catalogue.definitions(name)))


def test_asking_for_a_kind_imports_its_module_alone() -> None:
    out = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True).stdout

    assert [name for name in out.split() if not name.startswith("core.")] == ["jobsets", "jobset.v1alpha2"]


@pytest.mark.parametrize(
    ("kind", "version", "source", "found"),
    [
        ("kubeflow.org PyTorchJob", "", "training-operator-1.9.4", "v1"),
        ("kubeflow.org MXJob", "", "training-operator-1.7.0", "v1"),
        ("kubeflow.org MPIJob", "", "training-operator-1.9.4", "v1"),
        ("kubeflow.org MPIJob", "v2beta1", "mpi-operator-0.8.2", "v2beta1"),
        ("getambassador.io Mapping", "", "emissary-4.1.0", "v3alpha1"),
        ("getambassador.io Mapping", "v2", "emissary-3.10.0", "v2"),
        ("gateway.networking.k8s.io HTTPRoute", "", "gateway-api-1.7.0", "v1"),
        ("gateway.networking.k8s.io ReferenceGrant", "", "gateway-api-1.7.0", "v1beta1"),
        ("gateway.networking.k8s.io TCPRoute", "v1alpha2", "gateway-api-1.6.1-experimental", "v1alpha2"),
        ("argoproj.io Workflow", "", "argo-workflows-4.0.10", "v1alpha1"),
        ("resource.nvidia.com ComputeDomain", "", "nvidia-dra-driver-25.12.0", "v1beta1"),
    ],
)
def test_a_kind_comes_from_the_newest_release_that_serves_it(kind: str, version: str, source: str, found: str) -> None:
    group, _, name = kind.partition(" ")
    api, definition = api_of(group, name, version), definition_of(group, name, version)

    assert definition in catalogue.definitions(source)
    assert api is not None
    assert (api.group, api.kind, api.version) == (group, name, found)


@pytest.mark.parametrize(
    "asked", [("kubeflow.org", "PytorchJob", ""), ("kubeflow.org", "PyTorchJob", "v2"), ("", "Pod", ""), ("", "", "")]
)
def test_what_the_catalogue_lacks_is_none(asked: tuple[str, str, str]) -> None:
    assert api_of(*asked) is None
    assert definition_of(*asked) is None
