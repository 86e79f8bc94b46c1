"""Katib's controller with a stack's account, rights, file and webhooks counts experiments and trials as its table says.

Real: the controller, the API server. Played: the way from the Service to the webhook, and the kubelet's part of its
certificate. Nothing runs trials.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import pytest

import platform_def.components.tuning.katib as component
from platform_def.components.tuning.katib.configuration import METRICS_PORT, WEBHOOK_PORT
from platform_def.components.tuning.katib.observation import METRICS
from platform_def.constructs.observation.controllers import CONTROLLER_RUNTIME
from platform_def.yaml import load_all
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane
from tests.cluster.pods import Program
from tests.cluster.scrape import Page, faults, page_at
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

NAME, HOME = "katib-controller", "team-vision"
EXAMPLES = Path(str(component.__file__)).parent / "examples"
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.35"}
storage:
  shared: {driver: existing, default: true}
components:
  postgresql: {}
  katib: {certificates: katib, ui: {enabled: false}}
teams: [{name: vision}]
"""


@pytest.fixture(scope="module")
def controller(
    tmp_path_factory: pytest.TempPathFactory, binaries: Mapping[str, Path], programs: Mapping[str, Path]
) -> Iterator[Program]:
    """The controller, whose webhook takes an experiment and which has seen it, and a trial."""
    rendered = rendered_stack(tmp_path_factory.mktemp("stack"), STACK, name="counted")
    objects = [item.manifest for name in ("namespaces", "katib") for item in rendered.components[name].objects]
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects))) as control_plane:
        with control_plane.explaining():
            results = apply_in_waves(control_plane.api, objects)
            assert not refusals(results), "\n".join(refusals(results))
            found = Program(control_plane, objects, NAME, NAME)
            found.start(programs[NAME], found.flags)
            hand_over_certificate(found)
            for item in (example("experiments"), example("trials")):
                # It is refused until the webhook answers and is trusted.
                found.wait(lambda item=item: not control_plane.api.apply(item).refusal, f"{item['kind']} is taken")  # type: ignore[misc]
            found.wait(lambda: counted(page(found)), "both are counted")
        yield found


def example(plural: str) -> Manifest:
    """An object as the component shows it to people."""
    file = EXAMPLES / f"{plural}.kubeflow.org.yaml"
    return cast("list[Manifest]", load_all(file.read_bytes(), file=file.name))[0]


def hand_over_certificate(program: Program) -> None:
    """The kubelet's and kube-proxy's parts, once the controller has written its Secret."""
    api = program.control_plane.api
    (volume,) = (each for each in program.pod["volumes"] if "secret" in each)
    (mount,) = (each for each in program.spec["volumeMounts"] if each["name"] == volume["name"])
    path = f"/api/v1/namespaces/{program.home}/secrets/{volume['secret']['secretName']}"
    program.wait(lambda: bool(api.get(path).body.get("data")), "the controller has made its certificate")
    folder = program.tmp / Path(mount["mountPath"]).relative_to("/tmp")
    folder.mkdir(parents=True, exist_ok=True)
    for key, value in api.get(path).body["data"].items():
        (folder / key).write_bytes(base64.b64decode(value))
    service = api.read(program.object("Service", NAME)).body["spec"]
    (hook,) = (each for each in service["ports"] if each["targetPort"] in (WEBHOOK_PORT, "webhook"))
    program.control_plane.sandbox.relay(service["clusterIP"], hook["port"], target=WEBHOOK_PORT)


def page(program: Program) -> Page:
    """What it serves."""
    return page_at(program.control_plane, METRICS_PORT)


def counted(found: Page) -> bool:
    """Whether an experiment and a trial were counted."""
    return {f"katib_{each}_created_total" for each in ("experiment", "trial")} <= found.samples.keys()


def test_what_the_controller_counts_is_what_its_table_says(
    controller: Program, programs: Mapping[str, Path], request: pytest.FixtureRequest
) -> None:
    show_logs(request, controller.control_plane)
    found = page(controller)

    # Nothing ends here, and one pod needs no election.
    ends = " ".join(f"katib_{each}_{end}_total" for each in ("experiment", "trial") for end in ENDS)
    tables = [METRICS, CONTROLLER_RUNTIME]
    assert faults(found, tables, program=programs[NAME], silent=f"{ends} leader_election_master_status") == []
    assert {"namespace": HOME} in found.samples["katib_experiment_created_total"]


ENDS = ("succeeded", "failed", "deleted")
