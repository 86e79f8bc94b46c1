"""The pods of every template pass the admission of a real API server in a restricted team, or the product refuses the job
at its line: what no test trains cannot be held otherwise.
"""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.config.platform import ComponentFact, Platform
from platform_def.config.teams import Team
from platform_def.jobs.templates import BUILT_IN
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane
from tests.unit.jobs.platforms import MINIMAL, PLATFORM, WITH_PODS, WITHOUT_PODS, job, problems, templates_of

pytestmark = pytest.mark.cluster

HOME, LEVEL = "held-to-restricted", "pod-security.kubernetes.io/enforce"
TEAM = Team(name="vision", pod_security="restricted")
RESTRICTED = PLATFORM.with_facts(teams=(TEAM,))
BY_SSH = RESTRICTED.with_facts(
    components={"mpi-operator": ComponentFact("0.8.2", "mpi-operator", component="mpi-operator")}
)
PLAIN_USER: dict[str, Any] = {"team": "vision", "user": 1000, "fsGroup": 1000}
SSH = {"ssh": {"user": 1000, "home": "/home/mpi"}}


def there(name: str) -> tuple[Platform, dict[str, Any]]:
    """The platform of a template, and what its job says."""
    over_ssh = name in ("mpi", "horovod")
    return BY_SSH if over_ssh else RESTRICTED, {**MINIMAL[name], **PLAIN_USER, **(SSH if over_ssh else {})}


@pytest.fixture(scope="module")
def home(cluster: ControlPlane) -> str:
    """A namespace at level restricted."""
    labels = {LEVEL: "restricted", f"{LEVEL}-version": "latest"}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HOME, "labels": labels}}
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": HOME}}
    for each in (namespace, account):
        assert not (refused := cluster.api.apply(each).refusal), refused
    return HOME


def test_no_template_is_left_out() -> None:
    assert {*WITH_PODS} | WITHOUT_PODS == {*BUILT_IN}


@pytest.mark.parametrize("name", WITH_PODS)
def test_a_restricted_team_takes_the_pods_of_a_template(cluster: ControlPlane, home: str, name: str) -> None:
    platform, said = there(name)
    found = [*templates_of(job(name, platform, **said))]

    assert problems(name, platform, **said) == []
    assert found
    for role, template in found:
        assert refusal(cluster, home, template["spec"]) == "", role


def test_the_admission_refuses_what_the_templates_leave_out(cluster: ControlPlane, home: str) -> None:
    platform, said = there("gpu-job")
    ((_, template),) = templates_of(job("gpu-job", platform, **said))
    (container,) = template["spec"]["containers"]

    assert "allowPrivilegeEscalation != false" in refusal(
        cluster, home, {**template["spec"], "containers": [{**container, "securityContext": {}}]}
    )


def refusal(cluster: ControlPlane, home: str, spec: Manifest) -> str:
    """Why the admission refuses a pod, of whose names nothing else is there; empty where it takes it."""
    plain = {key: value for key, value in spec.items() if key not in ("runtimeClassName", "priorityClassName")}
    plain |= {"restartPolicy": "Never", "serviceAccountName": "default"}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "tried", "namespace": home}, "spec": plain}
    reply = cluster.api.request("POST", f"/api/v1/namespaces/{home}/pods?dryRun=All", pod)
    return "" if reply.status == 201 else reply.message
