"""The program that makes Secrets in a cluster, run as the process that it is there."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from platform_def.constructs import secret_generator
from tests.unit.constructs.api_double import ApiDouble

PROGRAM = Path(secret_generator.__file__)
PLAN = {
    "name": "katib-database",
    "namespaces": ["one", "two"],
    "metadata": {"labels": {"app.kubernetes.io/name": "katib"}},
    "passwords": {"password": 32},
    "values": {"username": "katib"},
}


@pytest.fixture
def api(tmp_path: Path) -> Iterator[ApiDouble]:
    with ApiDouble(tmp_path) as double:
        yield double


def started(api: ApiDouble, **changes: object) -> subprocess.Popen[str]:
    plan = api.account.with_name("plan.json")
    plan.write_text(json.dumps(PLAN | changes))
    command = [sys.executable, "-I", "-B", str(PROGRAM), str(plan), str(api.account)]
    environment = {"PATH": os.environ["PATH"], **api.environment}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ran(api: ApiDouble, **changes: object) -> tuple[int, str]:
    process = started(api, **changes)
    out, err = process.communicate(timeout=60)
    return process.returncode, out + err


def stored(api: ApiDouble, namespace: str) -> dict[str, str]:
    data = api.secrets[namespace, "katib-database"]["data"]
    return {key: base64.b64decode(value).decode() for key, value in data.items()}


def test_every_namespace_gets_the_same_new_password(api: ApiDouble) -> None:
    code, said = ran(api)

    assert code == 0, said
    assert stored(api, "one") == stored(api, "two")
    assert stored(api, "one")["username"] == "katib"
    assert len(stored(api, "one")["password"]) == 32
    assert stored(api, "one")["password"].isalnum()


def test_no_password_reaches_the_log(api: ApiDouble) -> None:
    _, said = ran(api)

    assert stored(api, "one")["password"] not in said


def test_a_second_run_writes_nothing(api: ApiDouble) -> None:
    ran(api)
    before = json.dumps([*api.secrets.values()])
    api.log.clear()

    assert ran(api)[0] == 0
    assert json.dumps([*api.secrets.values()]) == before
    assert {method for method, _ in api.log} == {"GET"}


def test_two_runs_make_different_passwords(api: ApiDouble) -> None:
    ran(api)
    first = stored(api, "one")
    api.secrets.clear()
    ran(api)

    assert stored(api, "one") != first


def test_a_run_killed_between_two_namespaces_is_finished_by_the_next(api: ApiDouble) -> None:
    process: list[subprocess.Popen[str]] = []

    def kill(method: str, namespace: str) -> None:
        if (method, namespace) == ("POST", "two"):
            process[0].kill()
            process[0].wait()
            api.before = lambda *_: None
            raise ConnectionResetError

    api.before = kill
    process.append(started(api))
    process[0].communicate(timeout=60)
    assert [namespace for namespace, _ in api.secrets] == ["one"]
    first = stored(api, "one")

    assert ran(api)[0] == 0
    assert stored(api, "one") == stored(api, "two") == first


@pytest.mark.parametrize("lost", ["one", "two"])
def test_a_lost_copy_comes_back_from_the_other(api: ApiDouble, lost: str) -> None:
    ran(api)
    before = stored(api, lost)
    del api.secrets[lost, "katib-database"]

    assert ran(api)[0] == 0
    assert stored(api, lost) == before


def test_whoever_is_faster_in_the_first_namespace_decides(api: ApiDouble) -> None:
    def other(method: str, namespace: str) -> None:
        if (method, namespace) == ("POST", "one"):
            api.before = lambda *_: None
            made = {"metadata": {"name": "katib-database"}, "data": {"username": "a2F0aWI=", "password": "b3RoZXI="}}
            api.secrets["one", "katib-database"] = made

    api.before = other

    assert ran(api)[0] == 0
    assert stored(api, "one")["password"] == stored(api, "two")["password"] == "other"


def test_replicas_that_race_agree(api: ApiDouble) -> None:
    processes = [started(api) for _ in range(4)]
    ended = [process.communicate(timeout=120) for process in processes]

    assert [process.returncode for process in processes] == [0] * 4, ended
    assert stored(api, "one") == stored(api, "two")
    assert len({*(each["data"]["password"] for each in api.secrets.values())}) == 1


def test_copies_that_differ_are_told_and_left_alone(api: ApiDouble) -> None:
    ran(api)
    changed: dict[str, Any] = api.secrets["two", "katib-database"]
    api.secrets["two", "katib-database"] = changed | {"data": changed["data"] | {"password": "eA=="}}

    code, said = ran(api)

    assert code == 1
    assert "differs between the namespaces one and two" in said
    assert stored(api, "two")["password"] == "x"


def test_a_secret_that_exists_keeps_what_it_has_and_what_it_lacks_is_told(api: ApiDouble) -> None:
    ran(api)
    before = stored(api, "one")

    code, said = ran(api, passwords={"password": 32, "token": 32})

    assert code == 1
    assert "Secret one/katib-database exists and has no token" in said
    assert stored(api, "one") == before


def test_a_namespace_that_is_not_there_is_told(api: ApiDouble) -> None:
    code, said = ran(api, namespaces=["one", "four"])

    assert code == 1
    assert 'cannot create Secret four/katib-database: 404 namespaces "four" not found' in said


def test_a_token_that_is_refused_is_told(api: ApiDouble) -> None:
    (api.account / "token").write_text("wrong")

    code, said = ran(api)

    assert code == 1
    assert "cannot read Secret one/katib-database: 401 Unauthorized" in said


def test_an_authority_that_did_not_sign_is_refused(api: ApiDouble, tmp_path: Path) -> None:
    from tests.cluster import pki

    (api.account / "ca.crt").write_bytes(pki.create(tmp_path / "other").authority.read_bytes())

    code, said = ran(api)

    assert code == 1
    assert "certificate verify failed" in said
    assert not api.secrets


def test_an_account_is_where_kubernetes_mounts_it_unless_another_is_named(api: ApiDouble) -> None:
    plan = api.account.with_name("plan.json")
    plan.write_text(json.dumps(PLAN))
    done = subprocess.run(
        [sys.executable, "-I", "-B", str(PROGRAM), str(plan)], capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert "'/var/run/secrets/kubernetes.io/serviceaccount/token'" in done.stderr


def test_a_secret_without_content_is_told_what_it_lacks(api: ApiDouble) -> None:
    ran(api)
    for namespace in ("one", "two"):
        api.secrets[namespace, "katib-database"].pop("data")

    code, said = ran(api)

    assert code == 1
    assert "Secret one/katib-database exists and has no password, username" in said


def test_a_copy_is_of_the_kind_of_the_secret_that_is_there(api: ApiDouble) -> None:
    ran(api)
    api.secrets["one", "katib-database"]["type"] = "example.com/login"
    del api.secrets["two", "katib-database"]

    ran(api)

    copy = api.secrets["two", "katib-database"]
    assert (copy["apiVersion"], copy["kind"], copy["type"]) == ("v1", "Secret", "example.com/login")
    assert copy["metadata"]["labels"] == {"app.kubernetes.io/name": "katib"}


def test_a_copy_of_a_secret_without_a_type_is_opaque(api: ApiDouble) -> None:
    ran(api)
    api.secrets["one", "katib-database"].pop("type")
    del api.secrets["two", "katib-database"]

    ran(api)

    assert api.secrets["two", "katib-database"]["type"] == "Opaque"
