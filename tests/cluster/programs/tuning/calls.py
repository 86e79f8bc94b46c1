"""Katib's own types of its calls, from its Python package, without the client for Kubernetes that the package loads first."""

from __future__ import annotations

import sys
import types
from importlib.util import find_spec
from pathlib import Path


def types_of_katib() -> tuple[types.ModuleType, types.ModuleType]:
    """Messages, and services."""
    found = find_spec("kubeflow")
    assert found is not None
    assert found.submodule_search_locations is not None
    package = types.ModuleType("kubeflow.katib")
    package.__path__ = [str(Path(each) / "katib") for each in found.submodule_search_locations]
    sys.modules["kubeflow.katib"] = package
    from kubeflow.katib import katib_api_pb2, katib_api_pb2_grpc

    return katib_api_pb2, katib_api_pb2_grpc
