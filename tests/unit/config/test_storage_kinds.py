"""Which entry of a stack serves a kind of storage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import pytest

from platform_def.components.catalogue import catalogue
from platform_def.config.storage import AccessMode, AnyStorage, ExistingStorage, LocalPath, StorageKind, choose
from platform_def.config.words.registered import drivers
from platform_def.errors import ConfigError

ONE: AnyStorage = ExistingStorage(driver="existing", access_modes=["ReadWriteOnce"])
MANY: AnyStorage = ExistingStorage(driver="existing", access_modes=["ReadWriteOnce", "ReadWriteMany"])
LOCAL: AnyStorage = LocalPath(driver="local-path", class_name="nvme")


def chosen(storage: dict[str, AnyStorage], wanted: str, mode: AccessMode = "ReadWriteOnce", **kinds: Any) -> str | None:
    named: Mapping[StorageKind, str] = kinds  # type: ignore[assignment]
    found = choose(storage, named, wanted, mode=mode, who="jobs[0]")
    return found.class_name if found else None


def refused(storage: dict[str, AnyStorage], wanted: str, mode: AccessMode, **kinds: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        chosen(storage, wanted, mode, **kinds)
    return str(caught.value)


def test_the_stack_says_who_serves_a_kind_and_that_wins_over_an_entry_of_its_name() -> None:
    assert chosen({"fast": ONE, "disk": LOCAL}, "fast", fast="disk") == "nvme"
    assert chosen({"fast": ONE, "disk": LOCAL}, "fast") == "fast"


def test_an_entry_is_meant_by_its_key() -> None:
    assert chosen({"disk": LOCAL}, "disk") == "nvme"


def test_what_is_not_shared_is_left_to_the_clusters_default_where_nobody_is_named() -> None:
    assert chosen({"disk": LOCAL}, "fast") is None
    assert chosen({}, "bulk") is None


def test_the_only_entry_that_many_nodes_can_mount_is_shared() -> None:
    assert chosen({"disk": LOCAL, "ceph": MANY}, "shared", "ReadWriteMany") == "ceph"


def test_of_two_that_many_nodes_can_mount_one_must_be_named() -> None:
    said = refused({"a": MANY, "b": MANY}, "shared", "ReadWriteMany")

    assert "jobs[0] needs shared storage, and a and b are" in said
    assert "storageKinds: {shared: a}" in said
    assert chosen({"a": MANY, "b": MANY}, "shared", "ReadWriteMany", shared="b") == "b"


def test_where_none_can_be_shared_it_is_said_what_there_is() -> None:
    said = refused({"disk": LOCAL}, "shared", "ReadWriteMany")

    assert "needs storage that many nodes can mount (ReadWriteMany), and the stack has none" in said
    assert "disk can be ReadWriteOnce, ReadWriteOncePod" in said


@pytest.mark.parametrize(
    ("wanted", "said"),
    [("slow", "storage 'slow' is not in the stack"), ("disk", "is ReadWriteMany, which storage 'disk' cannot be")],
)
def test_an_entry_that_is_not_there_or_cannot_serve_the_claim_is_refused(wanted: str, said: str) -> None:
    assert said in refused({"disk": LOCAL}, wanted, "ReadWriteMany")


@pytest.mark.parametrize("kind", [each for each in get_args(AnyStorage) if each is not ExistingStorage])
def test_every_driver_is_a_component_of_the_catalogue(kind: type[Any]) -> None:
    (word,) = get_args(kind.model_fields["driver"].annotation)

    assert drivers()[word].component in catalogue()
