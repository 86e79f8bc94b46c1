"""The program that makes buckets and keys in an object store and keeps backups, against one that checks signatures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from platform_def.constructs import store_program
from tests.unit.constructs.store_double import ADMINISTRATOR, StoreDouble, store_double

OWN, TEAM = ("KFPKEY", "kfp-word-of-its-own"), ("TEAMKEY", "word-of-the-team")


@pytest.fixture
def store() -> Iterator[StoreDouble]:
    with store_double() as double:
        yield double


def made(store: StoreDouble, folder: Path, *, prefix: str = "team/", writes: bool = True) -> None:
    keys = {"administrator": ADMINISTRATOR, "kfp": OWN, "kfp-team": TEAM}
    for name, (access, secret) in keys.items():
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "accessKey").write_text(access)
        (folder / name / "secretKey").write_text(secret)
    users = [{"name": "kfp", "prefix": ""}, {"name": "kfp-team", "prefix": prefix, "writes": writes}]
    plan = {"host": "127.0.0.1", "port": store.port, "tls": False, "region": "us-east-1"}
    store_program.main({**plan, "bucket": "pipelines", "users": users}, folder, pause=0.01)


def test_each_user_has_one_key_and_a_key_opens_its_own_prefix_alone(store: StoreDouble, tmp_path: Path) -> None:
    made(store, tmp_path)

    assert store.buckets == {"pipelines"}
    assert store.users == {"kfp": dict([OWN]), "kfp-team": dict([TEAM])}
    assert store.lists("KFPKEY", "pipelines", "")
    assert store.lists("TEAMKEY", "pipelines", "team/runs")
    assert not store.lists("TEAMKEY", "pipelines", "other/")
    assert not store.lists("TEAMKEY", "pipelines", "")


def test_a_policy_holds_objects_below_the_prefix_and_never_deletes_the_bucket(
    store: StoreDouble, tmp_path: Path
) -> None:
    made(store, tmp_path)
    objects = store.policies["kfp-team"]["Statement"][0]

    assert objects["Resource"] == "arn:aws:s3:::pipelines/team/*"
    assert not {each for each in objects["Action"] if "Bucket" in each}


def test_a_user_that_only_reads_gets_and_lists_and_nothing_else(store: StoreDouble, tmp_path: Path) -> None:
    made(store, tmp_path, writes=False)
    statements = store.policies["kfp-team"]["Statement"]

    assert [each["Action"] for each in statements] == [["s3:GetObject"], "s3:GetBucketLocation", "s3:ListBucket"]
    assert store.lists("TEAMKEY", "pipelines", "team/")


def test_running_again_changes_nothing(store: StoreDouble, tmp_path: Path) -> None:
    made(store, tmp_path)
    before = dict(store.users["kfp"])
    made(store, tmp_path)

    assert store.users["kfp"] == before


def test_a_key_that_the_store_knows_otherwise_becomes_what_the_secret_holds(store: StoreDouble, tmp_path: Path) -> None:
    store.users["kfp"] = {OWN[0]: "an-older-word", "LEFTOVER": "somebody-had-this"}
    made(store, tmp_path)

    assert store.users["kfp"] == dict([OWN])


def test_a_prefix_that_changes_is_taken_over(store: StoreDouble, tmp_path: Path) -> None:
    made(store, tmp_path)
    made(store, tmp_path, prefix="moved/")

    assert not store.lists("TEAMKEY", "pipelines", "team/")
    assert store.lists("TEAMKEY", "pipelines", "moved/x")


def test_who_is_no_administrator_is_told_so(
    store: StoreDouble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.unit.constructs.test_store_program.ADMINISTRATOR", ("ADMIN", "a-wrong-word"))

    with pytest.raises(SystemExit, match="cannot make the bucket pipelines: 403 SignatureDoesNotMatch"):
        made(store, tmp_path)


def test_a_store_that_never_answers_is_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="the object store does not answer: 503"):
        made(StoreDouble(port=9), tmp_path)


def kept(store: StoreDouble, folder: Path, *, keep: int = 2) -> list[str]:
    """The backups that there are after one more."""
    (folder / "dump.sql.gz").write_bytes(b"0123456789")
    plan = {"host": "127.0.0.1", "port": store.port, "tls": False, "region": "us-east-1", "bucket": "pipelines"}
    plan |= {"prefix": "mysql/", "keep": keep, "user": "kfp", "file": str(folder / "dump.sql.gz"), "part": 4}
    store_program.main(plan, folder)
    return sorted(store.objects)


def test_a_backup_goes_up_in_parts_and_is_whole(store: StoreDouble, tmp_path: Path) -> None:
    made(store, tmp_path)
    (name,) = kept(store, tmp_path)

    assert name.startswith("pipelines/mysql/2")
    assert name.endswith("Z.sql.gz")
    assert store.objects[name] == b"0123456789"
    assert store.parts == {}


def test_the_newest_backups_are_kept_and_nothing_else_is_deleted(store: StoreDouble, tmp_path: Path) -> None:
    made(store, tmp_path)
    store.objects = {f"pipelines/mysql/{year}0101T000000Z.sql.gz": b"" for year in (2001, 2002, 2003)}
    store.objects["pipelines/other/2001"] = b""

    left = kept(store, tmp_path)

    assert left[0] == "pipelines/mysql/20030101T000000Z.sql.gz"
    assert len(left) == 3
    assert "pipelines/other/2001" in left
