"""What every component may be told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.config.component import Application, ComponentConfig, Provided, slug_of
from platform_def.config.storage import CephFs, ExistingStorage, SecretRef
from platform_def.config.teams import Member, Quota, Team
from platform_def.config.workloads import PodPlacement, ResourceAmounts


@dataclass(frozen=True)
class Release:
    version: str


class Config(ComponentConfig):
    """With two releases."""

    releases = (Release("1.2.0"), Release("1.1.0"))


def test_the_newest_release_is_the_default() -> None:
    assert Config().version == "1.2.0"
    assert Config(release="1.1.0").version == "1.1.0"
    assert ComponentConfig().version == ""


def test_an_unknown_release_is_told_the_known_ones() -> None:
    with pytest.raises(ValidationError, match=r"release '1\.0\.0' is not known; known: 1\.2\.0, 1\.1\.0"):
        Config(release="1.0.0")
    with pytest.raises(ValidationError, match=r"release '1\.0\.0' is not known: the component has no releases"):
        ComponentConfig(release="1.0.0")
    with pytest.raises(ValidationError, match=f"release '{'9' * 40}' is not known"):
        Config(release="9" * 41)


@pytest.mark.parametrize(
    ("module", "slug"),
    [
        ("platform_def.components.training_operator", "training-operator"),
        ("platform_def.components.gpu.hami.component", "hami"),
        ("greeting_operator", "greeting-operator"),
        ("a.b_c.component", "b-c"),
    ],
)
def test_a_component_is_called_as_its_file_or_its_folder(module: str, slug: str) -> None:
    assert slug_of(module) == slug


def test_amounts_are_named_as_kubernetes_names_them_and_only_those_given() -> None:
    every = ResourceAmounts(cpu="1", memory="2Gi", ephemeral_storage="3Gi")

    assert every.plain() == {"cpu": "1", "memory": "2Gi", "ephemeral-storage": "3Gi"}
    assert ResourceAmounts(memory="1Gi").plain() == {"memory": "1Gi"}


@pytest.mark.parametrize(
    ("text", "taint"),
    [
        ("gpu=yes:NoSchedule", ("gpu", "yes", "NoSchedule")),
        ("gpu:NoExecute", ("gpu", "", "NoExecute")),
        ("example.com/gpu=:PreferNoSchedule", ("example.com/gpu", "", "PreferNoSchedule")),
    ],
)
def test_a_taint_is_written_as_kubectl_writes_it(text: str, taint: tuple[str, str, str]) -> None:
    [found] = PodPlacement.from_file({"tolerations": [text]}).tolerations

    assert (found.key, found.value, found.effect) == taint


@pytest.mark.parametrize("text", ["gpu", "gpu=yes", "gpu=yes:Never", ":NoSchedule", "a b=c:NoSchedule", "x" * 90])
def test_another_text_is_no_taint(text: str) -> None:
    with pytest.raises(ValidationError) as caught:
        PodPlacement.from_file({"tolerations": [text]})

    assert f"'{text[:80]}' is not a taint: write key=value:NoSchedule" in str(caught.value)


@pytest.mark.parametrize("version", ["1", "v1.2", "1.2.3", "1.2.3-rc.1", True])
def test_what_is_provided_has_a_version_or_is_just_there(version: Any) -> None:
    assert Provided.from_file({"provided": version}).provided == version


@pytest.mark.parametrize("version", ["", "latest", False, "vv1"])
def test_what_is_not_there_is_not_provided(version: Any) -> None:
    with pytest.raises(ValidationError):
        Provided.from_file({"provided": version})


@pytest.mark.parametrize("path", ["apps/my-app", "a", "a.b_c/d"])
def test_a_folder_of_ones_own_is_below_the_repository(path: str) -> None:
    assert Application.from_file({"path": path}).path == path


@pytest.mark.parametrize("path", ["/apps", "apps/", "a//b", "a b", ""])
def test_a_folder_elsewhere_is_refused(path: str) -> None:
    with pytest.raises(ValidationError):
        Application.from_file({"path": path})


def test_a_secret_is_named_with_its_namespace() -> None:
    secret = SecretRef(existing="ceph-csi/admin.key")

    assert (secret.namespace, secret.name) == ("ceph-csi", "admin.key")
    for wrong in ("admin", "a/b/c", "A/b", "/b", "a/"):
        with pytest.raises(ValidationError):
            SecretRef(existing=wrong)


def test_a_class_of_storage_says_which_claims_it_can_serve() -> None:
    cephfs = CephFs.from_file(
        {
            "driver": "cephfs",
            "clusterId": "c",
            "monitors": ["10.0.0.1:6789"],
            "filesystem": "f",
            "secret": {"existing": "a/b"},
        }
    )

    assert set(cephfs.modes) == {"ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"}
    assert (cephfs.reclaim_policy, cephfs.allow_expansion, cephfs.mounter) == (None, True, "kernel")
    assert ExistingStorage(driver="existing").modes == ("ReadWriteOnce",)
    assert ExistingStorage(driver="existing", access_modes=["ReadOnlyMany"]).modes == ("ReadOnlyMany",)


@pytest.mark.parametrize(
    "fields", [{"clusterId": ""}, {"clusterId": "c" * 37}, {"monitors": []}, {"driver": "nfs"}, {"mounter": "nbd"}]
)
def test_a_ceph_file_system_that_cannot_be_reached_is_refused(fields: dict[str, Any]) -> None:
    base = {
        "driver": "cephfs",
        "clusterId": "c" * 36,
        "monitors": ["m"],
        "filesystem": "f",
        "secret": {"existing": "a/b"},
    }

    assert CephFs.from_file(base)
    with pytest.raises(ValidationError):
        CephFs.from_file(base | fields)


def test_a_class_that_exists_is_taken_to_bind_late() -> None:
    assert ExistingStorage(driver="existing").binding == "WaitForFirstConsumer"


def test_a_team_lives_in_a_namespace_named_after_it_at_the_baseline_level() -> None:
    assert Team(name="vision").home == "team-vision"
    assert Team(name="vision", namespace="eyes").home == "eyes"
    assert Team(name="vision").pod_security == Application(path="a").pod_security == "baseline"


def test_a_quota_may_be_nothing_but_not_less() -> None:
    assert Quota(gpus=0).gpus == 0
    with pytest.raises(ValidationError):
        Quota(gpus=-1)


def test_a_member_has_the_name_that_the_identity_provider_gives() -> None:
    assert Member(name="ada@example.com").name == "ada@example.com"
    assert Member(name="x" * 253)
    for wrong in ("", "a b", "x" * 254):
        with pytest.raises(ValidationError):
            Member(name=wrong)
