"""One CRD has one owner in a stack: two are named, with what to write so that both can stay where that is possible."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def.errors import ConfigError
from platform_def.pipeline.load import load
from platform_def.pipeline.resolve.resolve import resolve
from tests.unit.pipeline.repository import HEAD, write

OTHERS = "kinds: [JAXJob, PaddleJob, PyTorchJob, TFJob, XGBoostJob]"


def told(root: Path, components: str) -> list[tuple[str, str, str]]:
    """Place, text and hint of what is wrong with a stack of these components."""
    with pytest.raises(ConfigError) as caught:
        resolve(load(write(root, {"stacks/a.yaml": f"{HEAD}components:\n{components}"}))[0])
    return [(str(each.where), each.text, each.hint) for each in caught.value.problems]


def fits(root: Path, components: str) -> bool:
    return bool(resolve(load(write(root, {"stacks/a.yaml": f"{HEAD}components:\n{components}"}))[0]))


def test_two_owners_of_mpijobs_are_named_with_the_way_to_keep_both(tmp_path: Path) -> None:
    ((where, text, hint),) = told(tmp_path, "  mpi-operator: {}\n  training-operator: {}\n")

    assert where.endswith("stacks/a.yaml:5")
    assert text == "components.training-operator: it and mpi-operator both bring the CRD of MPIJob"
    assert hint == f"keep one of the two, or under training-operator write `{OTHERS}`"


def test_the_training_operator_without_mpijob_stands_beside_the_mpi_operator(tmp_path: Path) -> None:
    assert fits(tmp_path, f"  mpi-operator: {{}}\n  training-operator: {{{OTHERS}}}\n")


def test_a_kind_that_is_served_alone_leaves_nothing_to_leave(tmp_path: Path) -> None:
    ((_, text, hint),) = told(tmp_path, "  mpi-operator: {}\n  training-operator: {kinds: [MPIJob]}\n")

    assert text == "components.mpi-operator: it and training-operator both bring the CRD of MPIJob"
    assert hint == "keep one of the two"


def test_an_owner_that_the_cluster_has_counts(tmp_path: Path) -> None:
    ((where, text, hint),) = told(tmp_path, "  mpi-operator: {}\n  training-operator: {provided: true}\n")

    assert where.endswith("stacks/a.yaml:4")
    assert text == (
        "components.mpi-operator: it and training-operator, which the cluster has, both bring the CRD of MPIJob"
    )
    assert hint == (
        "keep one of the two; where the cluster's training-operator is set to leave it out, "
        "take training-operator out of the stack"
    )


def test_what_the_cluster_has_twice_is_not_the_stacks_to_mend(tmp_path: Path) -> None:
    assert fits(tmp_path, "  mpi-operator: {provided: true}\n  training-operator: {provided: true}\n")


def test_instances_of_one_component_share_what_they_bring(tmp_path: Path) -> None:
    two = "  emissary: {}\n  inner: {component: emissary, namespace: inner}\n"

    assert fits(tmp_path, f"  cert-manager: {{}}\n{two}")
