"""What Kubeflow's programs for profiles and notebooks write at run time: taken from dist's accounts, and refused where one right
of dist's roles is taken away.

Real: the API server with RBAC, Pod Security, the policies of the stack and the plug-in that guards owners, which OpenShift has on; the
controller that gathers Kubeflow's roles. Stand-ins: the programs themselves, read in source (`notebook_writers.py`); no webhook of
theirs is asked.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from itertools import product
from pathlib import Path
from string import Template
from typing import Any, cast

import pytest

from platform_def.yaml import load
from tests.cluster import notebook_writers as writers
from tests.cluster import rights
from tests.cluster.client import Api, Manifest, Reply
from tests.cluster.committed import in_dist, in_stack
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS, start_kubernetes
from tests.cluster.machines import OWNERS
from tests.cluster.notebook_writers import NAME, OWNER, TEAM, Call
from tests.cluster.pods import Program
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = pytest.mark.cluster

PREVIEW, WITH_PREVIEW = "workspaces", "coverage/notebooks"
PARTS = (
    "namespaces", "istio", "kubeflow-roles", "profiles", "admission-webhook", "notebook-controller", "jupyter-web-app",
    "volumes-web-app", "pvcviewer-controller", "tensorboard-controller", "tensorboards-web-app",
)  # fmt: skip
LEFT = (
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
    "ServiceMonitor",
    "PodMonitor",
    "PrometheusRule",
)
"""Kinds that no program here answers for, or serves."""
ELSEWHERE = ("argocd", "monitoring")
"""Namespaces of other components, whose readers are not here."""
HEADER, TRIES = "kubeflow-userid", 30
WORKLOADS: Mapping[str, tuple[str, str]] = {
    "profile-controller": ("profiles-deployment", "manager"),
    "access-management": ("profiles-deployment", "access-management"),
    "notebook-controller": ("notebook-controller-deployment", "manager"),
    "pvcviewer-controller": ("pvcviewer-controller-manager", "manager"),
    "tensorboard-controller": ("tensorboard-controller-deployment", "manager"),
    "workspaces-controller": ("workspaces-controller", "manager"),
    "jupyter-web-app": ("jupyter-web-app-deployment", "jupyter-web-app"),
    "volumes-web-app": ("volumes-web-app-deployment", "volumes-web-app"),
    "tensorboards-web-app": ("tensorboards-web-app-deployment", "tensorboards-web-app"),
}
"""The Deployment and container of each program; in this order they begin."""
AGGREGATES = ("clusterrole-aggregation-controller", "serviceaccount-controller")


@dataclass
class Bench:
    """The cluster with the stack's objects, and what each program has done there."""

    control_plane: ControlPlane
    objects: Sequence[Manifest]
    done: dict[str, list[tuple[Call, Reply]]] = field(default_factory=dict)

    @property
    def api(self) -> Api:
        """As the administrator sees it."""
        return self.control_plane.api

    def program(self, name: str) -> Program:
        """A program's container as dist has it."""
        return Program(self.control_plane, self.objects, *WORKLOADS[name])

    def account(self, name: str) -> Api:
        """The API server as a program's account sees it."""
        token = self.program(name).token()
        return Api(self.api.socket, authority=self.control_plane.pki.authority, token=token)

    def data(self, name: str) -> dict[str, str]:
        """The files of a ConfigMap."""
        (found,) = (each for each in self.objects if (each["kind"], each["metadata"]["name"]) == ("ConfigMap", name))
        return dict(found["data"])

    def store(self, item: Manifest) -> Manifest:
        """Store an object as a person with all rights does; it as stored."""
        applied = self.api.apply(item)
        assert applied.stored, applied.refusal
        return applied.stored

    def stored(self, item: Manifest) -> Manifest:
        """The object of this key as it is now."""
        return dict(self.api.read(item).body)

    def address(self, call: Call) -> str:
        """Where a call goes."""
        path = str(self.api.path(call.manifest if "name" in call.manifest["metadata"] else _named(call.manifest)))
        home = call.manifest["metadata"].get("namespace")
        if call.verb in ("create", "list", "watch"):
            path = path.rpartition("/")[0]
        return path.replace(f"/namespaces/{home}", "") if call.everywhere else path

    def answer(self, api: Api, call: Call, *, dry: bool = False) -> Reply:
        """Make a call; a dry one changes nothing, and an object of another name is created so."""
        path = self.address(call) + (f"/{call.part}" if call.part else "")
        kept = "dryRun=All&" if dry else ""
        match call.verb:
            case "create":
                return api.request(
                    "POST", f"{path}?{kept}fieldValidation=Strict", _again(call.manifest) if dry else call.manifest
                )
            case "update":
                body = merged(self.stored(call.manifest), call.changes)
                return api.request("PUT", f"{path}?{kept}fieldValidation=Strict", body)
            case "patch":
                content = "application/merge-patch+json"
                return api.request("PATCH", f"{path}?{kept}", dict(call.changes), content=content)
            case "delete":
                return api.request("DELETE", f"{path}?{kept}")
            case "watch":
                return api.get(f"{path}?watch=1&timeoutSeconds=1")
            case _:
                return api.get(path)

    def allows(self, api: Api, call: Call) -> bool:
        """Whether an account may make a call; it changes nothing."""
        return self.answer(api, call, dry=True).status != 403

    def right(self, call: Call) -> tuple[str, str, str]:
        """The right that a call needs: API group, resource, verb."""
        parts = self.address(call).removeprefix("/apis/").split("/")
        group = "" if self.address(call).startswith("/api/") else parts[0]
        found = [each for each in parts if each not in ("", "api", "v1")]
        served = self.api.discover()[call.manifest["apiVersion"], call.manifest["kind"]].plural
        assert served in found, self.address(call)
        return group, f"{served}/{call.part}" if call.part else served, call.verb

    def run(self, name: str, calls: Sequence[Call]) -> None:
        """Have a program make its calls, in order."""
        with closing(self.account(name)) as api:
            self.done[name] = [(call, self.in_time(api, call)) for call in calls]

    def in_time(self, api: Api, call: Call) -> Reply:
        """The answer to a call, which is made again while the server gets its definitions ready, as clients do."""
        for _ in range(TRIES):
            reply = self.answer(api, call)
            if reply.status != HTTPStatus.TOO_MANY_REQUESTS:
                break
            time.sleep(1)
        return reply

    def told(self, api: Api, group: str, resource: str, person: str, home: str, verb: str) -> bool:
        """What a web application is told of a person."""
        review = writers.asks(group, resource, verb)
        body = merged(review.manifest, {"spec": {"user": person, "resourceAttributes": {"namespace": home}}})
        reply = self.answer(api, Call("create", body))
        assert reply.status == 201, reply.message
        return bool(reply.body["status"]["allowed"])

    def granting(self, name: str, right: tuple[str, str, str]) -> list[Manifest]:
        """The roles by which a program's account has a right."""
        program = self.program(name)
        subject = ("ServiceAccount", program.pod["serviceAccountName"], program.home)
        bound = {
            (each["roleRef"]["kind"], each["roleRef"]["name"])
            for each in self.objects
            if each["kind"] in ("RoleBinding", "ClusterRoleBinding")
            for one in each["subjects"]
            if (one["kind"], one["name"], one.get("namespace")) == subject
        }
        group, resource, verb = right
        roles = [each for each in self.objects if (each["kind"], each["metadata"]["name"]) in bound]
        return [
            each
            for each in roles
            if any(
                group in one["apiGroups"] and resource in one.get("resources", ()) and verb in one["verbs"]
                for one in each["rules"]
            )
        ]


def _named(item: Manifest) -> Manifest:
    return {**item, "metadata": {**item["metadata"], "name": "x"}}


def _again(item: Manifest) -> Manifest:
    metadata = item["metadata"]
    return {**item, "metadata": {**metadata, "name": f"{metadata['name']}-again"}} if "name" in metadata else item


def merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> Manifest:
    """Both, map by map; the second wins."""
    made = dict(one)
    for name, value in other.items():
        both = isinstance(value, Mapping) and isinstance(made.get(name), Mapping)
        made[name] = merged(made[name], value) if both else value
    return made


def objects() -> list[Manifest]:
    """Of dist/, and of the coverage stack that has the preview."""
    own = in_dist(*(f"kubeflow/{part}" for part in PARTS))
    preview = [
        each
        for each in in_stack(WITH_PREVIEW)
        if each["metadata"].get("labels", {}).get("app.kubernetes.io/instance") == PREVIEW
        or (each["kind"], each["metadata"]["name"]) == ("Namespace", "kubeflow-workspaces")
    ]
    return [
        each
        for each in (*own, *preview)
        if each["kind"] not in LEFT
        and each["metadata"].get("namespace") not in ELSEWHERE
        and not each["apiVersion"].startswith(("cert-manager.io", "kubeflow.org/v1beta1"))
    ]


def viewer_spec(bench: Bench) -> Manifest:
    """What the volumes web app makes of its template for a claim."""
    (text,) = bench.data("volumes-web-app-viewer-spec").values()
    variables = {**bench.program("volumes-web-app").variables(), "NAME": "data", "NAMESPACE": TEAM, "PVC_NAME": "data"}
    return dict(cast("Manifest", load(Template(text).substitute(variables), file="viewer")))


def workspace(kind: Manifest) -> Manifest:
    """A workspace of the stack's kind."""
    options = kind["spec"]["podTemplate"]["options"]
    chosen = {name: options[name]["spawner"]["default"] for name in ("imageConfig", "podConfig")}
    spec = {"kind": kind["metadata"]["name"], "podTemplate": {"options": chosen, "volumes": {"data": []}}}
    return {**writers.key("kubeflow.org/v1beta1", "Workspace", NAME), "spec": spec}


@pytest.fixture(scope="module")
def running(binaries: Mapping[str, Path], programs: Mapping[str, Path]) -> Iterator[Bench]:
    """The cluster in which each program has done its work once."""
    every = objects()
    kinds = [each for each in in_stack(WITH_PREVIEW) if each["kind"] == "WorkspaceKind"]
    with (
        ControlPlane(binaries, data=snapshot(binaries, crds_of(every)), flags=(OWNERS,)) as control_plane,
        control_plane.explaining(),
    ):
        refused = refusals(apply_in_waves(control_plane.api, every))
        assert not refused, "\n".join(refused)
        start_kubernetes(control_plane, programs, controllers=AGGREGATES, kwok=False)
        bench = Bench(control_plane, every)
        labels = cast(
            "dict[str, str]", load(bench.data("profiles-namespace-labels-data")["namespace-labels.yaml"], file="labels")
        )
        known = bench.program("profile-controller").variables()
        bench.run(
            "profile-controller", writers.profile_controller(known, labels, HEADER, bench.store(writers.profile()))
        )
        bench.run(
            "access-management", writers.access_management(bench.program("access-management").variables(), HEADER)
        )
        notebook = bench.store(writers.notebook())
        bench.store(writers.claim("logs"))
        bench.run("jupyter-web-app", writers.jupyter_web_app(notebook))
        bench.run(
            "notebook-controller",
            writers.notebook_controller(bench.program("notebook-controller").variables(), bench.stored(notebook)),
        )
        bench.run("volumes-web-app", writers.volumes_web_app(viewer_spec(bench)))
        viewer = bench.store(writers.viewer(viewer_spec(bench)))
        bench.run(
            "pvcviewer-controller",
            writers.pvcviewer_controller(bench.program("pvcviewer-controller").variables(), viewer),
        )
        board = bench.store(writers.tensorboard())
        bench.run(
            "tensorboard-controller",
            writers.tensorboard_controller(bench.program("tensorboard-controller").variables(), board),
        )
        bench.run("tensorboards-web-app", writers.tensorboards_web_app())
        (kind,) = (bench.store(each) for each in kinds)
        known = bench.program("workspaces-controller").variables()
        bench.run("workspaces-controller", writers.workspaces_controller(known, bench.store(workspace(kind)), kind))
        yield bench


@pytest.fixture
def bench(running: Bench, request: pytest.FixtureRequest) -> Bench:
    """The shared cluster; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    return running


@pytest.mark.parametrize("name", WORKLOADS)
def test_what_a_program_writes_is_taken(bench: Bench, name: str) -> None:
    refused = [
        f"{call.verb} {call.manifest['kind']} {call.part}: {reply.status} {reply.message}"
        for call, reply in bench.done[name]
        if reply.status not in (200, 201)
    ]

    assert refused == []


@pytest.mark.parametrize("name", WORKLOADS)
def test_without_one_right_the_call_that_needs_it_is_refused(bench: Bench, name: str) -> None:
    needs: dict[tuple[str, str, str], Call] = {}
    for call, _ in bench.done[name]:
        for right in (bench.right(call), *((call.also,) if call.also else ())):
            needs.setdefault(right, call)

    with closing(bench.account(name)) as api:
        for (group, resource, verb), call in needs.items():
            roles = bench.granting(name, (group, resource, verb))
            assert roles, f"no role of {name} grants {verb} of {resource}"
            allowed = partial(bench.allows, api, call)
            with ExitStack() as taken:
                for role in roles:
                    taken.enter_context(rights.without(bench.api, role, resource, (verb,), group=group))
                until(lambda may=allowed: not may(), seconds=START_SECONDS, what=f"{verb} of {resource} is refused")  # type: ignore[misc]
            until(allowed, seconds=START_SECONDS, what=f"{verb} of {resource} is allowed again")


def test_web_applications_let_a_person_do_what_the_roles_of_their_own_team_say(bench: Bench) -> None:
    """By the question that all three ask the API server for whoever the header names."""
    people = {
        OWNER: {TEAM},
        "li@example.com": {"team-recommend", "team-recommend-li"},
        "sun@example.com": {"team-patents"},
        "eve@example.com": set(),
    }
    homes = (TEAM, "team-recommend", "team-recommend-li", "team-patents")
    # The role of the person whom the stand-in let in last is gone again, and its owner is another by then.
    bench.store(writers.binding("namespaceAdmin", "kubeflow-admin", writers.person(OWNER)))
    asked = {
        "jupyter-web-app": ("kubeflow.org", "notebooks"),
        "volumes-web-app": ("", "persistentvolumeclaims"),
        "tensorboards-web-app": ("tensorboard.kubeflow.org", "tensorboards"),
    }
    for name, (group, resource) in asked.items():
        with closing(bench.account(name)) as api:
            may = partial(bench.told, api, group, resource)
            until(partial(may, OWNER, TEAM, "create"), seconds=START_SECONDS, what="roles are gathered")
            found = {
                (person, home): {may(person, home, verb) for verb in ("list", "create", "delete")}
                for person, home in product(people, homes)
            }
            assert found == {(person, home): {home in people[person]} for person, home in product(people, homes)}, name


def test_every_choice_of_the_spawners_form_becomes_a_notebook_that_the_api_server_takes(bench: Bench) -> None:
    (text,) = (each for name, each in bench.data("jupyter-web-app-config").items() if name == "spawner_ui_config.yaml")
    config = cast("Manifest", load(text, file="spawner"))["spawnerFormDefaults"]
    vendors = [
        {"num": "none", "vendor": ""},
        *({"num": "1", "vendor": each["limitsKey"]} for each in config["gpus"]["value"]["vendors"]),
    ]
    pools = ["", *(each["configKey"] for each in config["affinityConfig"]["options"])]
    groups = ["", *(each["groupKey"] for each in config["tolerationGroup"]["options"])]
    assert len(vendors) > 1
    assert len(pools) > 1
    with closing(bench.account("jupyter-web-app")) as api:
        for image, gpus, affinity, tolerations in product(config["image"]["options"], vendors, pools, groups):
            form = {"image": image, "gpus": gpus, "affinityConfig": affinity, "tolerationGroup": tolerations}
            notebook, claims = writers.spawned(config, form)
            replies = [bench.answer(api, Call("create", each), dry=True) for each in (notebook, *claims)]
            # A Notebook's schema does not judge its pod as the API server does.
            pod = {**writers.key("v1", "Pod", NAME), "spec": notebook["spec"]["template"]["spec"]}
            replies.append(bench.answer(bench.api, Call("create", pod), dry=True))

            assert [(each.status, each.message) for each in replies if each.status != 201] == [], form
            (container,) = pod["spec"]["containers"]
            assert (gpus["vendor"] in container["resources"]["limits"]) is (gpus["num"] != "none")
            assert ("affinity" in pod["spec"]) is bool(affinity)
