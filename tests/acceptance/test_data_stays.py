"""Data that does not follow its component to another database is reported, with the commands that move it."""

from __future__ import annotations

import pytest

from tests.acceptance.repository import HEAD, Repository
from tests.acceptance.test_base import commit, git

KATIB = "katib: {certificates: katib, ui: {access: administrators}}"
INSIDE = f"storage: {{fast: {{driver: existing}}}}\ncomponents:\n  mysql: {{}}\n  {KATIB}\n"
OUTSIDE = f"""\
external:
  sqlDatabase:
    engine: %s
    host: db.example.com
    port: %s
    shares: {{katib: {{database: trials, credentials: {{existing: katib-sql}}}}}}
components:
  {KATIB}
"""
CLUSTER = HEAD.replace('"1.36"}', '"1.34", existing: [Secret kubeflow/katib-sql]}')
MYSQL, POSTGRESQL = OUTSIDE % ("mysql", 3306), OUTSIDE % ("postgresql", 5432)
STAYS = "stays in the MySQL database katib at mysql.mysql.svc.cluster.local:3306, and the %s database trials at db.example.com"
READ = "$(kubectl -n kubeflow get secret katib-database -o jsonpath='{.data.%s}' | base64 -d)"


def put(repository: Repository, text: str, *, more: str = "") -> Repository:
    """The stack with these words."""
    return repository.write({"stacks/a.yaml": CLUSTER + text + more})


@pytest.fixture
def inside(repository: Repository) -> Repository:
    """A stack with its own MySQL in dist/, as a commit."""
    put(repository, INSIDE).ask("synth")
    git(repository, "init", "-q", "-b", "main")
    commit(repository)
    return repository


@pytest.mark.parametrize("words", ["synth", "check", "check --base HEAD", "synth --check --base HEAD"])
def test_from_a_server_of_the_stack_to_one_outside(inside: Repository, words: str) -> None:
    put(inside, MYSQL, more='retire: {mysql: "the team for databases runs one"}\n')
    done = inside.ask(*words.split(), code=None)
    said = done.out + done.err

    assert "warning: stacks/a.yaml:10: the data of katib does not move by itself: it " + STAYS % "MySQL" in said
    assert "      kubectl -n mysql port-forward service/mysql 15432:3306 &\n" in said
    assert f'MYSQL_PWD="{READ % "password"}" mysqldump -h 127.0.0.1 -P 15432 -u "{READ % "username"}" ' in said
    assert " --single-transaction --no-tablespaces katib > katib.sql\n" in said
    assert (
        "restore it before you merge this, as the user whose credentials the Secret kubeflow/katib-sql holds:" in said
    )
    assert "      mysql -h db.example.com -P 3306 -u USER -p trials < katib.sql\n" in said
    assert "[data-stays]" in said


def test_another_kind_of_server_does_not_read_the_dump(inside: Repository) -> None:
    said = put(inside, POSTGRESQL, more="retire: {mysql: moved}\n").ask("synth").err

    assert STAYS % "PostgreSQL" in said
    assert "does not read such a dump: convert it, or start without the data" in said


def test_from_outside_into_the_cluster_is_restored_afterwards(repository: Repository) -> None:
    put(repository, MYSQL).ask("synth")
    said = put(repository, INSIDE).ask("synth").err

    assert "mysqldump -h db.example.com -P 3306" in said
    assert "restore it after the change is applied, before anyone uses it" in said
    assert "      mysql -h 127.0.0.1 -P 15432 -u USER -p katib < katib.sql\n" in said


def test_the_same_database_by_another_way_is_no_move(inside: Repository) -> None:
    more = "networkPolicies: true\n"

    assert "data-stays" not in put(inside, INSIDE, more=more).ask("synth").err


def test_what_is_written_is_not_repeated(inside: Repository) -> None:
    put(inside, MYSQL, more="retire: {mysql: moved}\n").ask("synth")

    assert "data-stays" not in inside.ask("check").out
    assert "data-stays" in inside.ask("check", "--base", "HEAD").out


def test_a_component_that_kept_its_data_on_a_volume_says_so(repository: Repository) -> None:
    stack = "storage: {fast: {driver: existing}}\nexternal: {metrics: {address: 'http://prometheus.example.com'}}\n"
    stack += "components: {mysql: {}, grafana: {access: administrators, keeps: %s}}\n"
    put(repository, stack % "volume").ask("synth")
    said = put(repository, stack % "sql").ask("synth").err

    assert "the data of grafana does not move by itself: it stays in the volume of the claim grafana" in said
    assert "export from grafana what you need before you merge this" in said


def test_a_database_and_a_bucket_of_one_name_are_two_places(repository: Repository) -> None:
    text = "storage: {fast: {driver: existing}}\ncomponents:\n  postgresql: {}\n  seaweedfs: {}\n"
    put(repository, f"{text}  mlflow: {{access: administrators}}\n").ask("synth")

    assert (
        "data-stays"
        not in put(repository, f"{text}  mlflow: {{access: administrators, workers: 3}}\n").ask("synth").err
    )
