"""Emissary 3.10's objects on a real API server, which a real conversion webhook turns into the version that is stored.

The webhook runs as its Deployment says: under its own account, which may write its authority into the CRDs and no more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cluster.client import Manifest
from tests.cluster.committed import in_stack
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.pods import Program
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import borrowed_crds, catalogued_crds, converted, crds_of
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

NAME, WEBHOOK = "emissary-apiext", 8443


@dataclass(frozen=True)
class Converting:
    """A cluster with the objects of a stack, all but those that are converted."""

    control_plane: ControlPlane
    program: Program
    objects: list[Manifest]
    later: list[Manifest]

    @property
    def crds(self) -> list[Manifest]:
        """The definitions that it writes into, as they are stored."""
        wanted = [each for each in crds_of(self.objects) if "conversion" in each["spec"]]
        return [self.control_plane.api.read(each).body for each in wanted]


@pytest.fixture(scope="module")
def running(binaries: Mapping[str, Path], programs: Mapping[str, Path]) -> Iterator[Converting]:
    """The stack with two gateways, and the webhook that they share."""
    binary = programs["apiext"]
    everything = in_stack("coverage/emissary-3")
    later = converted(everything)
    objects = [item for item in everything if item not in later]
    crds = [*crds_of(objects), *borrowed_crds(objects, catalogued_crds(objects))]
    with ControlPlane(binaries, data=snapshot(binaries, crds)) as control_plane:
        # Webhooks of others have no backend here, and refuse what they watch.
        plain = [item for item in objects if not item["kind"].endswith("WebhookConfiguration")]
        refused = refusals(apply_in_waves(control_plane.api, plain))
        assert not refused, "\n".join(refused)
        program = Program(control_plane, objects, NAME, NAME)
        made = Converting(control_plane, program, objects, later)
        program.start(binary, program.flags)
        service = control_plane.api.read(program.object("Service", NAME)).body["spec"]
        control_plane.sandbox.relay(service["clusterIP"], service["ports"][0]["port"], target=WEBHOOK)
        program.wait(
            lambda: all(each["spec"]["conversion"]["webhook"]["clientConfig"].get("caBundle") for each in made.crds),
            "the webhook has written its authority into the CRDs",
        )
        # Whatever is stored first waits until the server has learnt of it.
        until(
            lambda: not control_plane.api.apply(later[0], dry_run=True).refusal,
            seconds=START_SECONDS,
            what="an object is converted",
        )
        yield made


@pytest.fixture
def converting(running: Converting, request: pytest.FixtureRequest) -> Converting:
    """The shared cluster; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    return running


def test_objects_are_stored_in_another_version_and_read_as_they_were_written(converting: Converting) -> None:
    api = converting.control_plane.api
    kinds = {item["kind"] for item in converting.later}
    assert kinds == {"AuthService", "Host", "Mapping", "Module", "TLSContext"}

    refused = refusals(api.apply_all(converting.later))

    assert not refused, "\n".join(refused)
    for item in converting.later:
        assert api.read(item).body["spec"] == item["spec"], item["metadata"]["name"]
    (health,) = (each for each in converting.later if each["metadata"]["name"] == "emissary-health")
    former = api.read({**health, "apiVersion": "getambassador.io/v2"}).body["spec"]
    assert former["ambassador_id"] == ["--apiVersion-v3alpha1-only--default"]


def test_a_second_apply_leaves_the_authority_where_it_is(converting: Converting) -> None:
    api = converting.control_plane.api
    before = [each["spec"]["conversion"] for each in converting.crds]

    refused = refusals(api.apply_all(crds_of(converting.objects)))

    assert not refused, "\n".join(refused)
    assert [each["spec"]["conversion"] for each in converting.crds] == before


def test_it_lacks_no_right(converting: Converting) -> None:
    assert converting.program.forbidden() == []


def test_release_4_takes_the_objects_over_and_former_versions_leave_without_a_gap(converting: Converting) -> None:
    """The way of the page from 3.10 to 4.1: at each step every object reads as it did. It is the last test of the module."""
    api = converting.control_plane.api
    refused = refusals(api.apply_all(converting.later))
    assert not refused, "\n".join(refused)
    legacy = [each for each in crds_of(in_stack("coverage/emissary-legacy")) if "conversion" in each["spec"]]
    assert len(legacy) == len(converting.crds)

    for crds in (legacy, [storing(each, "v3alpha1") for each in legacy]):
        refused = refusals(api.apply_all(crds))
        assert not refused, "\n".join(refused)
        same(converting)
    plain = [alone(each) for each in legacy]
    assert all("storedVersions" in each.refusal for each in api.apply_all(plain, dry_run=True))
    for item in converting.later:  # kubectl get … | kubectl replace, once the server stores the new version
        path = api.path(item)
        assert path
        assert api.request("PUT", path, api.read(item).body).status == 200
    for each in legacy:
        path = f"{api.path(each)}/status"
        body: Manifest = {"status": {"storedVersions": ["v3alpha1"]}}
        assert api.request("PATCH", path, body, content="application/merge-patch+json").status == 200
    # The webhook's authority is its own field, which keeps the conversion in the definition until someone takes it out.
    assert all("spec.conversion.strategy: Required" in each.refusal for each in api.apply_all(plain, dry_run=True))
    for each in legacy:
        body = {"spec": {"conversion": {"strategy": "None", "webhook": None}}}
        path = api.path(each) or ""
        assert api.request("PATCH", path, body, content="application/merge-patch+json").status == 200
    refused = refusals(api.apply_all(plain))
    assert not refused, "\n".join(refused)
    same(converting)


def same(converting: Converting) -> None:
    """Every object reads as it was written."""
    for item in converting.later:
        assert converting.control_plane.api.read(item).body["spec"] == item["spec"], item["metadata"]["name"]


def storing(definition: Manifest, version: str) -> Manifest:
    """The definition with another version as the one that is stored."""
    versions = [{**each, "storage": each["name"] == version} for each in definition["spec"]["versions"]]
    return {**definition, "spec": {**definition["spec"], "versions": versions}}


def alone(definition: Manifest) -> Manifest:
    """The definition without former versions and without conversion, as release 4 has it by default."""
    spec = {key: value for key, value in storing(definition, "v3alpha1")["spec"].items() if key != "conversion"}
    return {**definition, "spec": {**spec, "versions": [each for each in spec["versions"] if each["storage"]]}}
