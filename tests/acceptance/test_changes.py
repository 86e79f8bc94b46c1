"""A change that the API server refuses of what exists is reported at the stack's line, before anything is written."""

from __future__ import annotations

import pytest

from tests.acceptance.repository import HEAD, Repository

FLUX = 'delivery: {engine: flux, repository: "https://git.example.com/platform.git"}\n'
ARGO = FLUX.replace("flux", "argocd")
SIZE = "storage: {fast: {driver: existing}}\ncomponents: {mysql: {workloads: {mysql: {volumes: {data: {size: %s}}}}}}\n"
GROW = 'patch pvc data-mysql-0 --type merge -p \'{"spec":{"resources":{"requests":{"storage":"50Gi"}}}}\''
CONSENT = "replace: {StatefulSet/mysql: larger claims}\n"
SET = "dist/a/mysql/main/mysql/statefulset.apps-mysql.yaml"


def sized(repository: Repository, size: str, *, engine: str = "", more: str = "") -> Repository:
    """A stack with the documented knob `mysql.volumes.data.size`."""
    return repository.write({"stacks/a.yaml": f"{HEAD}{engine}{SIZE % size}{more}"})


@pytest.fixture
def twenty(repository: Repository) -> Repository:
    """Such a stack in dist/, and a copy of that in before/."""
    sized(repository, "20Gi").ask("synth")
    return repository.write({f"before/{path}": text.decode() for path, text in repository.files().items()})


@pytest.mark.parametrize("words", ["synth", "synth --check", "synth a", "check", "check --previous before"])
@pytest.mark.parametrize("size", ["50Gi", "10Gi"])
def test_the_size_of_a_database_cannot_be_changed(twenty: Repository, words: str, size: str) -> None:
    before = twenty.files()
    done = sized(twenty, size).ask(*words.split(), code=1)
    said = done.out + done.err

    assert (
        f"stacks/a.yaml:4: spec.volumeClaimTemplates[0].spec.resources.requests.storage: changes from 20Gi to {size}; "
        in said
    )
    assert "the API server does not let the claim templates of a StatefulSet change [update-refused]" in said
    assert (f"kubectl -n mysql {GROW}" in said) == (size == "50Gi")
    assert ("a volume cannot shrink" in said) == (size == "10Gi")
    assert 'write `replace: {StatefulSet/mysql: "why"}`' in said
    assert twenty.files() == before


def test_the_same_size_in_other_words_is_no_change(twenty: Repository) -> None:
    sized(twenty, "20480Mi").ask("synth")


def test_no_check_writes_it_all_the_same_and_then_nothing_changes_any_more(twenty: Repository) -> None:
    sized(twenty, "50Gi").ask("synth", "--no-check")

    assert "update-refused" not in twenty.ask("check").out
    assert "update-refused" in twenty.ask("check", "--previous", "before", code=1).out


@pytest.mark.parametrize(
    ("engine", "told"),
    [
        (FLUX, "kustomize.toolkit.fluxcd.io/force: enabled"),
        (ARGO, "argocd.argoproj.io/sync-options: Force=true,Replace=true"),
    ],
)
def test_with_consent_the_engine_deletes_and_recreates_it(repository: Repository, engine: str, told: str) -> None:
    sized(repository, "20Gi", engine=engine).ask("synth")
    sized(repository, "50Gi", engine=engine, more=CONSENT)
    said = repository.ask("synth").err
    name = "Flux" if engine == FLUX else "Argo CD"

    assert (
        f"a: {name} deletes and recreates StatefulSet mysql/mysql (larger claims): its pods stop and start again"
        in said
    )
    assert "its claims stay, with their data; the claims that exist keep their size; grow them by hand" in said
    assert GROW in said
    assert told in repository.files()[SET.removeprefix("dist/")].decode()
    repository.ask("check", "--fail-on", "warning")


def test_without_an_engine_the_person_is_told_to_delete_it(twenty: Repository) -> None:
    done = sized(twenty, "50Gi", more=CONSENT).ask("synth", "-o", "json").json

    assert [each["object"] for each in done["replaced"]] == ["StatefulSet mysql/mysql"]
    assert (
        "delete StatefulSet mysql/mysql before you apply this"
        in sized(twenty.copy(twenty.root.with_name("other")), "30Gi", more=CONSENT).ask("synth").err
    )


def test_a_part_with_a_consent_is_compared_on_the_client_by_argo_cd(repository: Repository) -> None:
    """Argo CD's own dry run is refused as the change is; with the consent gone it compares as before."""
    path = "a/_delivery/argocd/application.argoproj.io-mysql-main.yaml"
    sized(repository, "20Gi", engine=ARGO).ask("synth")
    before = repository.files()[path].decode()
    sized(repository, "50Gi", engine=ARGO, more=CONSENT).ask("synth")
    agreed = repository.files()[path].decode()
    sized(repository, "50Gi", engine=ARGO).ask("synth")

    assert "ServerSideDiff=true" in before
    assert "ServerSideDiff=false" in agreed
    assert "- ApplyOutOfSyncOnly=true" in agreed
    assert "name: replaced" in agreed, (
        "without another source it would keep the failed comparison until the next commit"
    )
    assert "ServerSideDiff=true" in repository.files()[path].decode()


def test_an_entry_that_nothing_needs_is_told(twenty: Repository) -> None:
    sized(twenty, "20Gi", engine=FLUX, more=CONSENT)
    told = "stacks/a.yaml:6: replace.StatefulSet/mysql: the API server refuses no change of it [replace]"

    assert told in twenty.ask("check").out
    assert told in twenty.ask("check", "--previous", "before").out


@pytest.mark.parametrize(
    ("entry", "told", "hint"),
    [
        ("StatefulSet/mysq", "there is no such object in the stack", "did you mean 'StatefulSet/mysql'?"),
        ("Namespace/mysql", "everything in it would be deleted with it", "take the entry out"),
        ("mysql", "is not an object such as `StatefulSet/mysql`", ""),
    ],
)
def test_an_entry_that_names_nothing_is_an_error(twenty: Repository, entry: str, told: str, hint: str) -> None:
    said = sized(twenty, "50Gi", more=f"replace: {{{entry}: why}}\n").ask("synth", code=2).err

    assert "stacks/a.yaml:5: replace" in said
    assert told in said
    assert hint in said


# --- where the cause is


def test_the_line_is_that_of_the_file_that_sets_the_value(repository: Repository) -> None:
    base = "components: {mysql: {workloads: {mysql: {volumes: {data: {size: %s}}}}}}\n"
    stack = f"{HEAD}extends: [base/shared.yaml]\nstorage: {{fast: {{driver: existing}}}}\n"
    repository.write({"stacks/base/shared.yaml": base % "20Gi", "stacks/a.yaml": stack}).ask("synth")
    repository.write({"stacks/base/shared.yaml": base % "50Gi"})

    assert "error: stacks/base/shared.yaml:1: spec.volumeClaimTemplates[0]" in repository.ask("synth", code=1).err


def test_a_class_of_storage_is_told_at_its_entry(repository: Repository) -> None:
    stack = (
        HEAD + "components: {csi-driver-nfs: {}}\nstorage:\n  shared:\n    driver: nfs\n    server: %s\n    share: /e\n"
    )
    repository.write({"stacks/a.yaml": stack % "one.example.com"}).ask("synth")
    said = repository.write({"stacks/a.yaml": stack % "two.example.com"}).ask("synth", code=1).err

    assert "StorageClass shared\n  error: stacks/a.yaml:7: parameters.server: changes from one.example.com to" in said
    assert "add a class with a new name" in said


STORAGE = f"""\
{HEAD}nodePools:
  - {{name: train, nodes: 2, selector: {{pool: train}}, localDisk: {{path: /mnt/nvme/datasets, size: 7Ti}}}}
storage:
  files: {{driver: nfs, server: nfs.example.com, share: /exports/ml, binding: WaitForFirstConsumer}}
components: {{csi-driver-nfs: {{volumes: {{home: {{storage: files, namespace: home, path: /home}}}}}}}}
teams:
  - name: vision
    podSecurity: privileged
    datasets:
      faces: {{storage: files, size: 2Ti, localCopy: {{}}}}
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("selector: {pool: train}", "selector: {pool: gpu}", "4: spec.nodeAffinity.required.nodeSelectorTerms[0]"),
        (
            "path: /mnt/nvme/datasets",
            "path: /mnt/raid/datasets",
            "4: spec.hostPath.path: changes from /mnt/nvme/datasets/",
        ),
        ("share: /exports/ml", "share: /exports/all", "6: parameters.share: changes from /exports/ml to /exports/all"),
        (
            "binding: WaitForFirstConsumer",
            "binding: Immediate",
            "6: volumeBindingMode: changes from WaitForFirstConsumer",
        ),
        ("path: /home", "path: /homes", "7: spec.csi.volumeAttributes.share: changes from"),
        (
            "size: 2Ti",
            "size: 1Ti",
            "12: spec.resources.requests.storage: changes from 2Ti to 1Ti; the API server does not",
        ),
    ],
)
def test_what_holds_data_is_told_at_the_line_that_says_where(
    repository: Repository, old: str, new: str, told: str
) -> None:
    repository.write({"stacks/a.yaml": STORAGE}).ask("synth", "--no-check")
    said = repository.write({"stacks/a.yaml": STORAGE.replace(old, new)}).ask("synth", code=1).err

    assert f"error: stacks/a.yaml:{told}" in said
    assert "[update-refused]" in said


def test_growing_a_claim_asks_whether_it_may_grow(repository: Repository) -> None:
    repository.write({"stacks/a.yaml": STORAGE}).ask("synth", "--no-check")
    said = repository.write({"stacks/a.yaml": STORAGE.replace("2Ti", "3Ti")}).ask("synth", "--no-check").err

    assert "warning: stacks/a.yaml:12: spec.resources.requests.storage: changes from 2Ti to 3Ti" in said
    assert "kubectl -n team-vision get pvc faces -o jsonpath='{.status.phase}" in said


def test_what_a_folder_of_the_user_s_brings_is_told_in_its_own_file(repository: Repository) -> None:
    quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec:\n  hard: {pods: 10}\n  scopes: [%s]\n"
    stack = f"{HEAD}components: {{own: {{path: apps/own, namespace: own}}}}\n"
    repository.write({"stacks/a.yaml": stack, "apps/own/q.yaml": quota % "BestEffort"}).ask("synth")
    said = repository.write({"apps/own/q.yaml": quota % "Terminating"}).ask("synth", code=1).err

    assert "error: apps/own/q.yaml:6: spec.scopes[0]: changes from BestEffort to Terminating" in said


def test_what_an_overlay_changes_is_told_in_the_overlay(twenty: Repository) -> None:
    patch = """\
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches:
  - target: {kind: StatefulSet, name: mysql}
    patch: |-
      - {op: replace, path: /spec/podManagementPolicy, value: Parallel}
"""
    said = twenty.write({"overlays/a/mysql/kustomization.yaml": patch}).ask("synth", code=None).err

    assert "overlays/a/mysql/kustomization.yaml:" in said
    assert "spec.podManagementPolicy: " in said


def test_manifests_of_others_are_compared_as_well(repository: Repository) -> None:
    binding = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: b}\nsubjects: []\n"
    role = "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %s}\n"
    repository.write({"old.yaml": binding + role % "view", "new.yaml": binding + role % "edit"})
    said = repository.ask("check", "-f", "new.yaml", "--previous", "old.yaml", code=1).out

    assert "error: new.yaml:5: roleRef.name: changes from view to edit; the API server does not let it change" in said
    assert "or delete the object and apply it again" in said
    assert "replace:" not in said
