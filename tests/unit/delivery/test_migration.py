"""What a person does when a stack changes its engine."""

from __future__ import annotations

import pytest

from platform_def.delivery.migration import letting_go, migration


def steps(before: str, after: str) -> list[str]:
    return list(migration("prod", before, after, namespace="gitops", mutates=False, gated=False))


@pytest.mark.parametrize(
    ("before", "after", "title"),
    [
        ("argocd", "flux", "from Argo CD to Flux"),
        ("flux", "argocd", "from Flux to Argo CD"),
        ("flux", "none", "from Flux to no engine"),
        ("none", "argocd", "from no engine to Argo CD"),
    ],
)
def test_the_title_names_both(before: str, after: str, title: str) -> None:
    assert steps(before, after)[0] == f"prod: delivery moves {title}"


@pytest.mark.parametrize("before", ["argocd", "flux"])
def test_the_former_engine_lets_go_before_it_sees_the_change(before: str) -> None:
    found = steps(before, "none")

    commands = [line.strip() for line in found if line.startswith("    ")]
    assert commands == list(letting_go(before, "gitops", mutates=False, gated=False))
    (gates,) = (command for command in commands if "kubectl -n gitops " not in command)
    assert "validatingadmissionpolicies -l platform-def/bootstrap=true" in gates
    assert "or it deletes what it has brought" in found[1]


def test_policies_that_change_objects_go_where_the_cluster_knows_such() -> None:
    (policies,) = [
        command
        for command in letting_go("argocd", "gitops", mutates=True, gated=False)
        if "admissionpolicies" in command
    ]

    kinds = policies.removeprefix("kubectl delete ").removesuffix(" -l platform-def/bootstrap=true").split(",")
    assert kinds == [
        "validatingadmissionpolicybindings",
        "validatingadmissionpolicies",
        "mutatingadmissionpolicybindings",
        "mutatingadmissionpolicies",
    ]


def test_gates_leave_no_markers_behind() -> None:
    *others, last = letting_go("argocd", "gitops", mutates=False, gated=True)

    assert last == "kubectl -n gitops delete configmaps -l platform-def/marker=true"
    assert others == list(letting_go("argocd", "gitops", mutates=False, gated=False))


def test_nobody_lets_go_where_there_was_no_engine() -> None:
    assert steps("none", "flux") == [
        "prod: delivery moves from no engine to Flux",
        "  After that: platformctl bootstrap prod",
    ]


def test_without_an_engine_nobody_applies_any_more() -> None:
    assert "no engine applies dist/" in steps("argocd", "none")[-1]
    assert not [line for line in steps("argocd", "none") if "platformctl bootstrap" in line]


@pytest.mark.parametrize(
    ("engine", "kind"), [("argocd", "applications.argoproj.io"), ("flux", "kustomizations.kustomize.toolkit.fluxcd.io")]
)
def test_the_engines_own_objects_go_last(engine: str, kind: str) -> None:
    root, every, last, *_ = letting_go(engine, "gitops", mutates=False, gated=False)

    assert f" {kind} platform" in root
    assert "xargs" in every
    assert last == f"kubectl -n gitops delete {kind} -l app.kubernetes.io/managed-by=platform-def"
    assert ("finalizers" in every) == (engine == "argocd")
    assert ('"deletionPolicy":"Orphan"' in every) == (engine == "flux")
