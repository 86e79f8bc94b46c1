"""The API server of Kubeflow Pipelines makes its tables on the database that the stack's Job has made for it, with that user and the
configuration of its stack. On PostgreSQL it never starts, which is why the component takes none.

Real: Debian's MariaDB and PostgreSQL, and the program of the Job. Played: the server, by `go/pipeline-server` with its libraries.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from platform_def.constructs.database_programs import program
from tests.cluster.control_plane import until
from tests.cluster.flow_stores import has_mariadb, postgres_folder
from tests.cluster.stacks import rendered_stack

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(os.getuid() != 0, reason="servers run as users of their own: needs root"),
]

ROOT, WORD, NAME = "root-word", "pipelines-word", "mlpipeline"
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
storage: {shared: {driver: existing, accessModes: [ReadWriteOnce], default: true}}
components:
  argo-workflows: {artifacts: false}
  mysql: {nativePassword: true}
  seaweedfs: {}
  kfp: {serves: one, ui: {access: administrators}}
"""


@dataclass(frozen=True)
class Server:
    """A stand-in for the API server, and its configuration."""

    binary: Path
    folder: Path
    variables: Mapping[str, str]

    def starts(self, **more: str) -> tuple[int, str]:
        """Its exit code and what it says when it opens its database and ends."""
        command = [str(self.binary), f"--config={self.folder}", "--only-database"]
        env = {**self.variables, **more}
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
        return done.returncode, done.stderr


@pytest.fixture(scope="module")
def server(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Server:
    """The stand-in with file and variables that the stack renders."""
    folder = tmp_path_factory.mktemp("server")
    objects = [item.manifest for item in rendered_stack(folder, STACK, name="server").components["kfp"].objects]
    found = {(item["kind"], item["metadata"]["name"]): item for item in objects}
    (folder / "config.json").write_text(found["ConfigMap", "ml-pipeline-config"]["data"]["config.json"])
    (container,) = found["Deployment", "ml-pipeline"]["spec"]["template"]["spec"]["containers"]
    secrets = {"username": NAME, "password": WORD}
    variables = {
        each["name"]: each["value"] if "value" in each else secrets[each["valueFrom"]["secretKeyRef"]["key"]]
        for each in container["env"]
        if each["name"].startswith("DB")
    }
    return Server(programs["pipeline-server"], folder, variables)


@dataclass(frozen=True)
class Database:
    """A server of databases on this machine."""

    port: str
    client: list[str]
    """The command that asks it as its administrator."""

    def asked(self, question: str) -> list[str]:
        """The words of an answer."""
        env = {**os.environ, "MYSQL_PWD": ROOT}
        command = [*self.client, question]
        return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout.split()


def free_port() -> str:
    """A port that nothing listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return str(found.getsockname()[1])


@contextmanager
def serving(database: Database, *command: str | Path, user: str) -> Iterator[Database]:
    """A server as long as the block lasts, once it answers."""
    process = subprocess.Popen(command, user=user, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    asks, env = [*database.client, "SELECT 1"], {**os.environ, "MYSQL_PWD": ROOT}
    answers = lambda: subprocess.run(asks, env=env, capture_output=True, check=False).returncode == 0  # noqa: E731
    try:
        until(answers, seconds=120, what="the server answers")
        yield database
    finally:
        process.terminate()
        process.wait(60)


@pytest.fixture(scope="module")
def mysql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A server whose root has a password."""
    folder, port = tmp_path_factory.mktemp("mysql"), free_port()
    data, first = f"--datadir={folder / 'data'}", folder / "first.sql"
    command = ["mariadb-install-db", "--no-defaults", data, "--user=root", "--auth-root-authentication-method=normal"]
    subprocess.run([*command, "--skip-test-db"], capture_output=True, check=True)
    first.write_text(
        "DELETE FROM mysql.global_priv WHERE Host <> 'localhost' OR User = '';\nFLUSH PRIVILEGES;\n"
        f"ALTER USER root@localhost IDENTIFIED BY '{ROOT}';\n"
    )
    client = ["mysql", "--no-defaults", "--protocol=TCP", "--host=127.0.0.1", f"--port={port}", "--user=root", "-Ne"]
    words = ("--no-defaults", data, "--user=root", f"--port={port}", f"--socket={folder / 'socket'}")
    with serving(Database(port, client), "mariadbd", *words, f"--init-file={first}", user="root") as database:
        yield database


@pytest.fixture(scope="module")
def postgresql() -> Iterator[Database]:
    """A server that believes everyone, with the user and the database."""
    port, programs = free_port(), postgres_folder()
    assert programs is not None
    client = ["psql", "-X", "-q", "-h", "127.0.0.1", "-p", port, "-U", "postgres", "-c"]
    # Its user must come to its folder, which in that of a test it does not.
    with tempfile.TemporaryDirectory() as data:
        shutil.chown(data, "postgres")
        command = [str(programs / "initdb"), "-D", data, "-A", "trust"]
        subprocess.run(command, user="postgres", capture_output=True, check=True)
        words = (programs / "postgres", "-D", data, "-p", port, "-k", data)
        with serving(Database(port, client), *words, user="postgres") as database:
            database.asked(f"CREATE ROLE {NAME} LOGIN PASSWORD '{WORD}'")
            database.asked(f"CREATE DATABASE {NAME} OWNER {NAME}")
            yield database


def make_database(server: Database, folder: Path) -> None:
    """Run what the stack's Job runs, with its Secrets in a folder."""
    files = {"administrator/password": ROOT, "user/username": NAME, "user/password": WORD}
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    env = {"HOST": "127.0.0.1", "PORT": server.port, "ADMINISTRATOR": "root", "DATABASE": NAME, "TLS": "optional"}
    command = [each.replace("/run/secrets", str(folder)) for each in program("mysql")]
    subprocess.run(command, env={**os.environ, **env, "TMPDIR": str(folder)}, check=True, capture_output=True)


def at(database: Database) -> dict[str, str]:
    """Where the server is: variables of the stack name its Service."""
    return {"DBCONFIG_MYSQLCONFIG_HOST": "127.0.0.1", "DBCONFIG_MYSQLCONFIG_PORT": database.port}


@pytest.mark.skipif(not has_mariadb(), reason="no MariaDB: apt-get install mariadb-server")
def test_it_makes_its_tables_with_the_user_of_the_job_and_finds_them_again(
    server: Server, mysql: Database, tmp_path: Path
) -> None:
    make_database(mysql, tmp_path)

    assert server.starts(**at(mysql)) == (0, "")
    assert {"experiments", "pipeline_versions", "run_details", "tasks"} <= {*mysql.asked(f"SHOW TABLES IN {NAME}")}
    assert server.starts(**at(mysql)) == (0, "")
    assert mysql.asked(f"SELECT count(*) FROM {NAME}.db_statuses") == ["1"]


@pytest.mark.skipif(not has_mariadb(), reason="no MariaDB: apt-get install mariadb-server")
def test_without_rights_on_its_database_it_does_not_start(server: Server, mysql: Database, tmp_path: Path) -> None:
    make_database(mysql, tmp_path)
    mysql.asked(f"REVOKE ALL PRIVILEGES ON `{NAME}`.* FROM '{NAME}'@'%'")
    code, said = server.starts(**at(mysql))

    assert code == 1
    assert "Access denied for user 'mlpipeline'" in said


@pytest.mark.skipif(postgres_folder() is None, reason="no PostgreSQL: apt-get install postgresql")
def test_on_postgresql_it_never_starts_whatever_its_user_may(server: Server, postgresql: Database) -> None:
    of = {"HOST": "127.0.0.1", "PORT": postgresql.port, "USER": NAME, "PASSWORD": WORD, "DBNAME": NAME}
    here = {"DBDRIVERNAME": "pgx", **{f"DBCONFIG_POSTGRESQLCONFIG_{name}": value for name, value in of.items()}}
    code, said = server.starts(**here)
    assert (code, "permission denied to create database" in said) == (1, True)

    postgresql.asked(f"ALTER ROLE {NAME} CREATEDB")
    code, said = server.starts(**here)

    assert (code, 'column "havesamplesloaded" does not exist' in said) == (1, True)
