"""The path that the documentation describes, walked from `init` through day two: each step says what it should."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.acceptance.repository import Repository
from tests.acceptance.walked import BASE, EAST, EDGE, FILES, JOBS, OVERLAY, RBD, WEST, Walk


def test_the_documented_path(repository: Repository, packages: Path, tmp_path: Path) -> None:
    own = tmp_path.with_name(f"packages of {tmp_path.name}")
    shutil.copytree(packages, own)
    walk = Walk(repository, own)

    for step in STEPS:
        step(walk)


# --- day one


def a_new_repository_is_current_at_once(walk: Walk) -> None:
    walk.does("init . --stack first --ci gitlab")

    assert "1 stack, " in walk.does("synth")
    assert "no findings" in walk.does("check")
    assert "dist is current" in walk.does("synth --check")
    walk.git("init", "-q", "-b", "main")
    walk.passes(base="0" * 40)
    walk.merges()


def three_clusters_with_everything_are_rendered(walk: Walk) -> None:
    walk.writes({**FILES, "stacks/first.yaml": "apiVersion: platform-def/v1\nretire: it was an example\n"})
    shutil.rmtree(walk.repository.root / "overlays/first")
    said = walk.does("synth")

    assert "3 stacks, 17 components, " in said
    assert "first: the stack is retired" in said.split("\n\n")[-1]
    walk.merges()


def each_template_has_a_job_and_each_driver_a_claim(walk: Walk) -> None:
    files = {path.removeprefix("gpu-east/") for path in walk.repository.files() if path.startswith("gpu-east/")}
    jobs = {path.split("/")[1] for path in files if path.startswith("_jobs/")}
    claims = {path.rpartition("-")[2] for path in files if "/team-vision/persistentvolumeclaim-" in path}

    assert jobs == {*JOBS}
    assert claims == {"faces.yaml", "scans.yaml", "films.yaml", "texts.yaml"}


def a_driver_of_one_pod_at_a_time_is_refused_for_a_dataset(walk: Walk) -> None:
    walk.changes(EAST, "storage:\n", f"storage:\n  block: {RBD}\n")
    walk.changes(
        EAST,
        "      texts: {storage: filer",
        "      films-cut: {storage: block, size: 1Ti}\n      texts: {storage: filer",
    )
    walk.changes(EAST, "  csi-driver-nfs: {}\n", "  csi-driver-nfs: {}\n  ceph-csi-rbd: {}\n")
    walk.changes(EAST, "existing: [", "existing: [Secret ceph-csi-rbd/csi-rbd-secret, ")
    said = walk.does("synth", code=2)

    assert re.search(
        rf"error: {EAST}:\d+: team vision: datasets.films-cut is ReadWriteMany, which .*'block' cannot", said
    )
    walk.drops()


def what_is_one_s_own_is_in_dist(walk: Walk) -> None:
    files = walk.repository.files("dist/gpu-east")
    operator = files["training-operator/main/kubeflow/deployment.apps-training-operator.yaml"].decode()

    assert "terminationGracePeriodSeconds: 30" in operator
    assert operator.startswith(f"# Made by platformctl from training-operator, {OVERLAY.rpartition('/')[0]};")
    assert "notes/main/notes/configmap-notes.yaml" in files
    assert "text: good morning" in files["greeting-operator/after/greetings/greeting.example.com-first.yaml"].decode()


def values_and_files_are_explained(walk: Walk) -> None:
    file = "dist/gpu-east/notes/main/notes/configmap-notes.yaml"

    assert f"from   {BASE}:4" in walk.does("explain edge components.training-operator.threads")
    assert "apps/notes/notes.yaml" in walk.does(f"explain gpu-east {file}")
    assert "gpu-west" in walk.does("bootstrap gpu-west")


# --- day two: what cannot work is refused


def a_larger_database_is_refused_and_then_agreed_to(walk: Walk) -> None:
    walk.changes(EAST, "20Gi", "50Gi")
    said = walk.does("synth", code=1)

    assert re.search(rf"error: {EAST}:\d+: spec.volumeClaimTemplates\[0\].* changes from 20Gi to 50Gi", said)
    assert "kubectl -n mysql patch pvc data-mysql-0" in said
    walk.changes(EAST, "jobs:\n", "replace: {StatefulSet/mysql: larger claims}\njobs:\n")
    said = walk.does("synth")
    assert "gpu-east: Argo CD deletes and recreates StatefulSet mysql/mysql (larger claims)" in said
    walk.passes()
    walk.merges()
    walk.changes(EAST, "replace: {StatefulSet/mysql: larger claims}\n", "")
    walk.does("synth")
    walk.merges()


def code_of_one_s_own_that_ends_the_program_is_named(walk: Walk) -> None:
    file = walk.packages / "greeting_platform/greeting_operator.py"
    text = file.read_text(encoding="utf-8")
    file.write_text(
        text.replace("def build(self) -> None:\n", "def build(self) -> None:\n        raise SystemExit('bye')\n")
    )
    said = walk.does("synth", code=2)

    assert "components.greeting-operator" in said
    assert "greeting_platform/greeting_operator.py:" in said
    assert "Traceback" not in said
    file.write_text(text, encoding="utf-8")
    assert "is current" in walk.does("synth --check")


def a_team_leaves_only_with_its_namespace(walk: Walk) -> None:
    walk.changes(EAST, "  - {name: speech, quota: {gpus: 8}}\n", "")

    assert "in the namespace 'team-speech' of a team that the stack no longer names" in walk.does("synth", code=2)
    walk.changes(EAST, "jobs:\n", "retire: {team-speech: the project ended}\njobs:\n")
    assert "Namespace team-speech" in walk.does("synth").split("\n\n")[-1]
    walk.merges()


def another_registry_renames_no_image_of_a_team(walk: Walk) -> None:
    walk.changes(EAST, "registry: old.example.com/mirror", "registry: new.example.com/m")
    said = walk.does("synth", code=1)

    assert "image old.example.com/vision/resnet:1 is now pulled as new.example.com/m/old.example.com/vision" in said
    walk.changes(
        EAST,
        "registry: new.example.com/m",
        "registry: new.example.com/m\n  mirrors: {old.example.com: old.example.com}",
    )
    walk.does("synth")
    assert "image: new.example.com/m/docker.io/library/mysql" in walk.text(
        "dist/gpu-east/mysql/main/mysql/statefulset.apps-mysql.yaml"
    )
    walk.merges()


def mistakes_in_several_places_are_told_at_once(walk: Walk) -> None:
    walk.changes(EDGE, "engine: flux", "engine: fluxx")
    walk.changes(WEST, 'kubernetes: "1.34"', 'kubernetes: "1.28"')
    walk.changes(EAST, "notes: {path: apps/notes, namespace: notes}", "external-secret: {}")
    walk.changes(EAST, "{mysql: {volumes", "{mysqll: {}, mysql: {volumes")
    walk.changes(OVERLAY, "name: training-operator", "name: training-operatr")
    said = walk.does("synth", code=2)

    assert f"error: {EDGE}:4: delivery.engine:" in said
    assert "components.cert-manager: release 1.21.2 works with Kubernetes 1.33 to 1.36, not 1.28" in said
    assert "components.external-secret: unknown component" in said
    assert re.search(rf"error: {EAST}:\d+: components.mysql.workloads.mysqll: there is no such workload", said)
    assert f"error: {OVERLAY}:4: the patch matches no object of training-operator" in said
    assert said.count("error: ") == 5
    walk.drops()


def a_warning_of_all_clusters_comes_once(walk: Walk) -> None:
    walk.changes(BASE, "cert-manager: {}", "cert-manager: {release: 1.19.6}")
    said = walk.does("synth")

    assert said.count("[release-support]") == 1
    assert "\n    stacks edge, gpu-east, gpu-west\n" in said
    walk.does("check --fail-on error")
    walk.does("check --fail-on warning", code=1)
    walk.drops()


# --- day two: what works says what it does


def a_change_goes_one_cluster_after_the_other(walk: Walk) -> None:
    walk.changes(BASE, "threads: 2", "threads: 4")
    walk.does("synth edge")

    assert {path.split("/")[1] for path in walk.differs()} == {"edge"}
    assert "is current" in walk.does("synth --check edge")
    assert "stale: dist/gpu-west/" in walk.does("synth --check", code=1)
    walk.does("synth")
    assert len([path for path in walk.differs() if "/deployment.apps-training-operator" in path]) == 3
    walk.merges()


def kubernetes_goes_up_by_one(walk: Walk) -> None:
    walk.changes(WEST, '"1.34"', '"1.35"')
    said = walk.does("synth")

    assert "[version-skip]" not in said
    assert {path.split("/")[1] for path in walk.differs()} == {"gpu-west"}
    walk.passes()
    walk.drops()


def a_step_over_a_version_is_told(walk: Walk) -> None:
    walk.changes(WEST, '"1.34"', '"1.36"')
    said = walk.does("synth")

    assert f"warning: {WEST}:3: Kubernetes goes from 1.34 to 1.36, past 1.35 [version-skip]" in said
    walk.drops()


def an_upgrade_touches_only_what_differs(walk: Walk) -> None:
    walk.changes(
        WEST,
        'cluster: {kubernetes: "1.34"}\n',
        'cluster: {kubernetes: "1.34"}\ncomponents: {cert-manager: {release: 1.19.6}}\n',
    )
    assert "[release-support]" in walk.does("synth")
    walk.merges()
    walk.changes(WEST, "1.19.6", "1.21.2")
    said = walk.does("synth")
    kinds = {path.rpartition("/")[2].partition("-")[0] for path in walk.differs()}

    assert "cert-manager goes from 1.19.6 to 1.21.2, past 1.20 [version-skip]" in said
    assert "serviceaccount" not in kinds, "nothing in them differs between the releases"
    walk.merges()


def data_does_not_follow_to_another_database(walk: Walk) -> None:
    shared = "shares: {katib: {credentials: {existing: katib-sql}}}"
    walk.changes(EAST, "  mysql: {workloads: {mysql: {volumes: {data: {size: 50Gi}}}}}\n", "")
    walk.changes(
        EAST,
        "components:\n",
        f"external: {{sqlDatabase: {{engine: mysql, host: db.example.com, port: 3306, {shared}}}}}\ncomponents:\n",
    )
    walk.changes(EAST, "ended}", "ended, mysql: the database is outside}")
    said = walk.does("synth")

    assert "the data of katib does not move by itself: it stays in the MySQL database katib at mysql.mysql.svc" in said
    assert "mysqldump -h 127.0.0.1" in said
    assert "mysql -h db.example.com -P 3306 -u USER -p katib < katib.sql" in said
    assert "gpu-east: taken out: mysql" in said.split("\n\n")[-1]
    assert "Application argocd/mysql-main" in said.split("\n\n")[-1]
    assert "gpu-east: taken out: mysql" in walk.passes().split("\n\n")[-1], "the reviewer reads it as well"
    walk.merges()


def a_name_that_nothing_has_is_told(walk: Walk) -> None:
    walk.changes(EAST, "retire: {", "retire: {mysqll: a slip, ")

    assert "retire.mysqll: dist/gpu-east has no component and no team's namespace of that name" in walk.does("synth")
    walk.drops()


def a_stack_is_renamed(walk: Walk) -> None:
    walk.writes({"stacks/lab.yaml": walk.text(WEST).replace("cluster: {", "cluster: {name: gpu-west, ")})
    walk.writes({WEST: "apiVersion: platform-def/v1\nretire: renamed to lab\n"})
    before = walk.repository.files("dist/gpu-west")
    said = walk.does("synth")
    after = walk.repository.files("dist/lab")

    assert "gpu-west: the stack is retired" in said.split("\n\n")[-1]
    differing = {path for path in before | after if before.get(path) != after.get(path)}
    assert all(path.startswith("_delivery/") for path in differing - {"index.json"})
    walk.merges()


def a_cluster_is_added(walk: Walk) -> None:
    walk.writes({"stacks/gpu-north.yaml": FILES[WEST]})
    walk.does("synth gpu-north")

    assert {path.split("/")[1] for path in walk.differs()} == {"gpu-north"}
    assert "dist/gpu-north" in walk.does("bootstrap gpu-north")
    walk.merges()


def a_commit_is_taken_back(walk: Walk) -> None:
    walk.git("revert", "--no-edit", "HEAD")

    assert "is current" in walk.does("synth --check")


def a_component_is_retired_and_a_cluster_given_back(walk: Walk) -> None:
    walk.changes(EDGE, "delivery: {engine: flux}\n", "delivery: {engine: flux}\ncomponents: {cert-manager: null}\n")
    assert "component 'cert-manager' is in dist/edge, and the stack no longer names it" in walk.does("synth", code=2)
    walk.writes({EDGE: "apiVersion: platform-def/v1\nretire: the machines went back\n"})
    said = walk.does("synth")

    assert "edge: the stack is retired; its engine keeps asking for a folder that is gone" in said.split("\n\n")[-1]
    assert "2 stacks, " in said
    walk.passes()
    walk.merges()


STEPS: tuple[Callable[[Walk], None], ...] = (
    a_new_repository_is_current_at_once,
    three_clusters_with_everything_are_rendered,
    each_template_has_a_job_and_each_driver_a_claim,
    a_driver_of_one_pod_at_a_time_is_refused_for_a_dataset,
    what_is_one_s_own_is_in_dist,
    values_and_files_are_explained,
    a_larger_database_is_refused_and_then_agreed_to,
    code_of_one_s_own_that_ends_the_program_is_named,
    a_team_leaves_only_with_its_namespace,
    another_registry_renames_no_image_of_a_team,
    mistakes_in_several_places_are_told_at_once,
    a_warning_of_all_clusters_comes_once,
    a_change_goes_one_cluster_after_the_other,
    kubernetes_goes_up_by_one,
    a_step_over_a_version_is_told,
    an_upgrade_touches_only_what_differs,
    data_does_not_follow_to_another_database,
    a_name_that_nothing_has_is_told,
    a_stack_is_renamed,
    a_cluster_is_added,
    a_commit_is_taken_back,
    a_component_is_retired_and_a_cluster_given_back,
)
