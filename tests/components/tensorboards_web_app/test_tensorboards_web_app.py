"""The page of TensorBoards: what it may do, and what it needs."""

from __future__ import annotations

from platform_def.components.notebooks.tensorboards_web_app.component import TensorboardsWebApp
from tests.unit.built import built, grants
from tests.unit.meshed import meshed, problems, variables


def test_it_acts_only_after_the_api_server_said_that_the_person_may() -> None:
    made = built(TensorboardsWebApp, meshed())
    rules = made.rules("ClusterRole", "tensorboards-web-app-cluster-role")

    assert grants(rules, "authorization.k8s.io", "subjectaccessreviews") == {"create"}
    assert variables(made)["APP_DISABLE_AUTH"] == "false"
    assert variables(made)["APP_PREFIX"] == "/tensorboards"


def test_people_who_edit_may_make_tensorboards_and_viewers_see_them() -> None:
    made = built(TensorboardsWebApp, meshed())
    edit = made.rules("ClusterRole", "kubeflow-tensorboard-ui-edit")
    view = made.rules("ClusterRole", "kubeflow-tensorboard-ui-view")

    assert "create" in grants(edit, "tensorboard.kubeflow.org", "tensorboards")
    assert grants(view, "tensorboard.kubeflow.org", "tensorboards") == {"get", "list"}


def test_it_is_refused_where_nothing_runs_tensorboards() -> None:
    assert problems(TensorboardsWebApp, meshed(apis=frozenset())) == [
        "components.tensorboards-web-app: nothing in the stack serves the TensorBoards that it makes"
    ]
