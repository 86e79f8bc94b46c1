"""Roles for people."""

from __future__ import annotations

from platform_def.apis.kubeflow import training_v1
from platform_def.config.platform import ComponentFact, Platform
from platform_def.constructs import KUBERNETES, Component, ComponentConfig, Crds, Definition, PeopleRoles, allow
from tests.unit.built import Objects, built, grants


class Jobs(Component[ComponentConfig]):
    """A component that serves one kind."""

    slug = "jobs"
    aggregate = ""

    @classmethod
    def served_by(cls, at: object) -> tuple[Definition, ...]:  # noqa: ARG003 - it has one kind
        """PyTorchJobs."""
        return (training_v1.JOBS[0],)

    def build(self) -> None:
        """Roles of both families."""
        Crds(self)
        PeopleRoles(self, name="training", edit=[allow("", "events", verbs="get")])
        PeopleRoles(self, name="jobs", aggregate=KUBERNETES, status=False)


def made(platform: Platform | None = None, *, name: str = "") -> Objects:
    return built(Jobs, platform, name=name)


def test_kubeflows_admin_may_what_editors_may_without_gathering_it() -> None:
    """A role that gathers and the roles that it gathers, deleted at once, leave an empty role behind."""
    objects = made()

    edit, admin = (objects.one("ClusterRole", f"kubeflow-training-{role}") for role in ("edit", "admin"))
    assert admin["rules"] == edit["rules"] != []
    assert "aggregationRule" not in admin
    taken_in = [[key for key in each["metadata"]["labels"] if "aggregate-to" in key] for each in (edit, admin)]
    prefix = "rbac.authorization.kubeflow.org/aggregate-to-kubeflow-"
    assert taken_in == [[f"{prefix}edit"], [f"{prefix}admin"]]


def test_editors_write_and_viewers_read() -> None:
    objects = made()
    plural = training_v1.JOBS[0].api.plural

    edit, view = (objects.rules("ClusterRole", f"kubeflow-training-{role}") for role in ("edit", "view"))
    assert {"create", "delete"} <= grants(edit, "kubeflow.org", plural)
    assert grants(view, "kubeflow.org", plural) == {"get", "list", "watch"}
    assert grants(view, "kubeflow.org", f"{plural}/status") == {"get"}
    assert grants(edit, "", "events") == {"get"}
    assert grants(view, "", "events") == set()


def test_kubernetes_own_roles_take_them_in_by_labels() -> None:
    objects = made()

    def labels(name: str) -> set[str]:
        found = objects.one("ClusterRole", name)["metadata"]["labels"]
        return {key.removeprefix(KUBERNETES) for key in found if key.startswith(KUBERNETES)}

    assert labels("jobs-edit") == {"edit", "admin"}
    assert labels("jobs-view") == {"view", "edit", "admin"}


def test_instances_share_roles_and_definitions() -> None:
    both = {name: ComponentFact("", "platform-system", component="jobs") for name in ("jobs", "jobs-b")}

    assert made(Platform(components=both), name="jobs").names("CustomResourceDefinition")
    assert made(Platform(components=both), name="jobs-b").all == []
