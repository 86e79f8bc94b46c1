"""The programs that make databases, run with a client that writes down what it is told instead of a server's."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from platform_def.constructs.database_programs import PROGRAMS

HARD = """it's "hard" \\ `x` $HOME %I # ;--"""
CLIENT = """#!/bin/sh
printf '%s\\n' "$@" >> "$RECORD/arguments"
for each in "$@"; do case $each in --defaults-extra-file=*) cp "${each#*=}" "$RECORD/options" ;; esac; done
case "$*" in *'SELECT 1'*) exit "${REFUSE:-0}" ;; esac
cat > "$RECORD/sql"
env > "$RECORD/environment"
"""


class Run:
    """One run in a folder of its own, with the Secrets as files."""

    def __init__(self, folder: Path, engine: str, client: str):
        self.folder = folder
        for secret, key, value in (
            ("administrator", "password", HARD),
            ("user", "username", "notes"),
            ("user", "password", HARD),
        ):
            path = folder / "secrets" / secret / key
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(value)
        binary = folder / "bin" / client
        binary.parent.mkdir()
        binary.write_text(CLIENT)
        binary.chmod(0o755)
        self.command = [each.replace("/run/secrets", str(folder / "secrets")) for each in PROGRAMS[engine]]

    def write(self, secret: str, key: str, value: str) -> None:
        """Another value in a Secret."""
        (self.folder / "secrets" / secret / key).write_text(value)

    def __call__(self, *, database: str = "notes_b", tls: str = "optional") -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "RECORD": str(self.folder),
            "TMPDIR": str(self.folder),
            "HOST": "db.example.com",
            "PORT": "3307",
            "ADMINISTRATOR": "root",
            "DATABASE": database,
            "TLS": tls,
        }
        return subprocess.run(
            self.command,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    def text(self, name: str) -> str:
        """What the client wrote down."""
        return (self.folder / name).read_text()


@pytest.fixture
def mysql(tmp_path: Path) -> Run:
    return Run(tmp_path, "mysql", "mysql")


@pytest.fixture
def postgresql(tmp_path: Path) -> Run:
    return Run(tmp_path, "postgresql", "psql")


def unquoted(literal: str) -> str:
    """A string of MySQL's, as the server reads it without further modes."""
    return re.sub(r"\\(.)", r"\1", literal)


def test_mysql_gets_a_database_a_user_and_rights_on_that_alone(mysql: Run) -> None:
    done = mysql()

    assert done.returncode == 0, done.stderr
    assert re.sub(r"BY '.*'", "BY …", mysql.text("sql")).splitlines() == [
        "SET SESSION sql_mode = '';",
        "CREATE DATABASE IF NOT EXISTS `notes_b` CHARACTER SET utf8mb4;",
        "CREATE USER IF NOT EXISTS 'notes'@'%' IDENTIFIED BY …;",
        "ALTER USER 'notes'@'%' IDENTIFIED BY …;",
        r"GRANT ALL PRIVILEGES ON `notes\_b`.* TO 'notes'@'%';",
    ]


def test_a_hard_password_arrives_as_it_is(mysql: Run) -> None:
    mysql()
    literals = re.findall(r"IDENTIFIED BY '((?:[^'\\]|\\.)*)';", mysql.text("sql"))
    (option,) = re.findall(r'^password="(.*)"$', mysql.text("options"), re.MULTILINE)

    assert [unquoted(each) for each in literals] == [HARD, HARD]
    assert unquoted(option) == HARD


def test_a_changed_password_is_set_by_the_next_run(mysql: Run) -> None:
    mysql()
    mysql.write("user", "password", "another")
    mysql()

    assert "ALTER USER 'notes'@'%' IDENTIFIED BY 'another';" in mysql.text("sql")


@pytest.mark.parametrize("engine", ["mysql", "postgresql"])
def test_no_password_is_on_a_command_line_or_in_the_log(engine: str, request: pytest.FixtureRequest) -> None:
    run: Run = request.getfixturevalue(engine)
    done = run()

    assert done.returncode == 0, done.stderr
    assert HARD not in run.text("arguments") + done.stdout + done.stderr


@pytest.mark.parametrize("value", ["", "two\nlines", "tab\tbed"])
def test_a_password_that_cannot_be_one_ends_the_run(mysql: Run, value: str) -> None:
    mysql.write("user", "password", value)
    done = mysql()

    assert done.returncode == 1
    assert "user/password is empty, or has characters that no password has" in done.stderr
    assert not (mysql.folder / "sql").exists()


@pytest.mark.parametrize(("tls", "asked"), [("required", True), ("optional", False), ("off", False)])
def test_mysql_encrypts_where_the_server_asks_for_it(mysql: Run, tls: str, asked: bool) -> None:
    mysql(tls=tls)

    assert ("--ssl-mode=REQUIRED" in mysql.text("arguments")) is asked


def test_postgresql_leaves_quoting_to_its_client(postgresql: Run) -> None:
    done = postgresql(tls="required")
    environment = postgresql.text("environment")

    assert done.returncode == 0, done.stderr
    assert f"PGPASSWORD={HARD}" in environment
    assert {"PGHOST=db.example.com", "PGPORT=3307", "PGSSLMODE=require"} < {*environment.splitlines()}
    assert "\\getenv database DATABASE" in postgresql.text("sql")
    assert "format('ALTER ROLE %I LOGIN PASSWORD %L', :'user', :'password')" in postgresql.text("sql")
