"""A component's database and bucket, wherever the stack has them; and what is told where it does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from platform_def.capabilities import SqlDatabase
from platform_def.components import catalogue
from platform_def.constructs import database_need
from platform_def.errors import PlatformError
from platform_def.manifests.rendered import RenderedStack
from tests.unit.pipeline.repository import synthesise, unchecked, write

HEAD = 'apiVersion: platform-def/v1\ncluster: {kubernetes: "1.36"}\n'
SERVER = "engine: mysql, host: db.example.com, port: 3306"
SHARES = "shares: {notes: {database: notes_prod, credentials: {existing: notes-credentials}}}"
EXTERNAL = f"external: {{sqlDatabase: {{{SERVER}, {SHARES}}}}}\n"
S3 = "external: {objectStore: {host: s3.example.com, credentials: {existing: s3}}}\n"
OWN = (
    "provides: {sqlDatabase: {engine: mysql, host: db.db.svc, port: 3306, namespace: db, "
    "administrator: {secret: db-root}, image: 'docker.io/library/mysql:8.4.11'}}"
)
APP = {"apps/db/db.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: db}\nspec: {ports: [{port: 3306}]}\n"}


@pytest.fixture(autouse=True)
def notes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The component among those of the catalogue."""
    module = "tests.unit.constructs.data_user:Notes"
    monkeypatch.setattr(catalogue, "BUILT_IN", {**catalogue.BUILT_IN, "notes": module})
    catalogue.catalogue.cache_clear()
    yield
    catalogue.catalogue.cache_clear()


def built(root: Path, text: str, files: dict[str, str] | None = None) -> RenderedStack:
    (made,) = unchecked(write(root, {"stacks/a.yaml": HEAD + text, **(files or {})})).stacks
    return made


def findings(root: Path, text: str, files: dict[str, str] | None = None) -> list[str]:
    made = synthesise(write(root, {"stacks/a.yaml": HEAD + text, **(files or {})}))
    return [f"{each.rule}: {each.object}: {each.text}" for each in made.findings["a"]]


def refused(root: Path, text: str, files: dict[str, str] | None = None) -> str:
    with pytest.raises(PlatformError) as caught:
        built(root, text, files)
    return str(caught.value)


def environment(stack: RenderedStack) -> dict[str, Any]:
    (item,) = (each for each in stack.components["notes"].objects if each.kind == "Deployment")
    env = item.manifest["spec"]["template"]["spec"]["containers"][0]["env"]
    return {each["name"]: each.get("value") or each["valueFrom"]["secretKeyRef"] for each in env}


def objects(stack: RenderedStack, kind: str) -> list[tuple[str, str]]:
    found = (item for each in stack.components.values() for item in each.objects if item.kind == kind)
    return sorted(
        (item.namespace or "", item.name.rpartition("-")[0] if kind == "Job" else item.name) for item in found
    )


def test_the_stacks_own_server_gets_a_database_by_a_job(tmp_path: Path) -> None:
    stack = built(tmp_path, "components: {mysql: {}, notes: {}}\n")

    assert environment(stack) == {
        "DB_HOST": "mysql.mysql.svc.cluster.local",
        "DB_PORT": "3306",
        "DB_NAME": "notes",
        "DB_USER": {"name": "notes-database", "key": "username"},
        "DB_PASSWORD": {"name": "notes-database", "key": "password"},
    }
    assert objects(stack, "Job") == [
        ("mysql", "mysql-root-generator"),
        ("mysql", "notes-database"),
        ("notes", "notes-database-generator"),
    ]


def test_the_same_component_moves_between_servers_by_what_stands_beside_it(tmp_path: Path) -> None:
    """From the catalogue's to one that the cluster has, to one outside, to a folder of one's own."""
    ours = built(tmp_path / "a", "components: {mysql: {}, notes: {}}\n")
    theirs = built(tmp_path / "b", "components: {mysql: {provided: '8.4', namespace: db}, notes: {}}\n")
    outside = built(tmp_path / "c", f"{EXTERNAL}components: {{notes: {{}}}}\n")
    own = built(tmp_path / "d", f"components: {{db: {{path: apps/db, namespace: db, {OWN}}}, notes: {{}}}}\n", APP)

    assert [environment(each)["DB_HOST"] for each in (ours, theirs, outside, own)] == [
        "mysql.mysql.svc.cluster.local",
        "mysql.db.svc.cluster.local",
        "db.example.com",
        "db.db.svc",
    ]
    assert [objects(each, "Job") for each in (theirs, own)] == [
        [("db", "notes-database"), ("notes", "notes-database-generator")]
    ] * 2
    assert objects(outside, "Job") == []
    assert environment(outside)["DB_NAME"] == "notes_prod"
    assert environment(outside)["DB_PASSWORD"] == {"name": "notes-credentials", "key": "password"}


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("components: {mysql: {}, notes: {}}\n", {}),
        ("components: {mysql: {provided: '8.4', namespace: db}, notes: {}}\n", {}),
        (f"{EXTERNAL}components: {{notes: {{}}}}\n", {}),
        ("networkPolicies: true\ncomponents: {mysql: {}, notes: {}}\n", {}),
        ("components: {mysql: {}, mysql-b: {component: mysql}, notes: {uses: {sqlDatabase: mysql-b}}}\n", {}),
    ],
    ids=["catalogue", "provided", "external", "policies", "two"],
)
def test_every_check_is_content(tmp_path: Path, text: str, files: dict[str, str]) -> None:
    assert findings(tmp_path, text, files) == []


def test_the_administrator_of_a_server_of_ones_own_is_looked_for_in_its_folder(tmp_path: Path) -> None:
    text = f"components: {{db: {{path: apps/db, namespace: db, {OWN}}}, notes: {{}}}}\n"
    secret = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: db-root}\n"
    (told,) = findings(tmp_path / "a", text, APP)

    assert told.startswith("reference-exists: Job db/notes-database-")
    assert told.endswith("names the Secret 'db-root', which does not exist in its namespace")
    assert findings(tmp_path / "b", text, {**APP, "apps/db/secret.yaml": secret}) == []


def test_what_needs_the_server_waits_for_it(tmp_path: Path) -> None:
    stack = built(tmp_path, "components: {mysql: {}, notes: {}}\n")

    assert stack.waves["notes/main"] > stack.waves["mysql/main"]


def test_two_servers_of_one_kind_have_names_of_their_own(tmp_path: Path) -> None:
    text = "components: {mysql: {}, mysql-b: {component: mysql}, notes: {uses: {sqlDatabase: mysql-b}}}\n"
    stack = built(tmp_path, text)

    assert environment(stack)["DB_HOST"] == "mysql-b.mysql.svc.cluster.local"
    assert objects(stack, "StatefulSet") == [("mysql", "mysql"), ("mysql", "mysql-b")]


def test_policies_let_in_whoever_has_a_database(tmp_path: Path) -> None:
    stack = built(tmp_path, "networkPolicies: true\ncomponents: {mysql: {}, notes: {}}\n")
    (policy,) = (item for item in stack.components["notes"].objects if item.kind == "NetworkPolicy")

    assert objects(stack, "NetworkPolicy") == [("mysql", "mysql"), ("mysql", "notes-database")]
    peers = [peer for rule in policy.manifest["spec"]["ingress"] for peer in rule["from"]]
    assert [peer["namespaceSelector"]["matchLabels"] for peer in peers] == [
        {"kubernetes.io/metadata.name": "mysql"},
        {"kubernetes.io/metadata.name": "notes"},
    ]
    assert {peer["podSelector"]["matchLabels"]["app.kubernetes.io/instance"] for peer in peers} == {"notes"}


# --- what is missing, doubled or wrong


def test_no_server(tmp_path: Path) -> None:
    assert refused(tmp_path, "components:\n  notes: {}\n") == (
        "error: stacks/a.yaml:4: components.notes: needs a SQL database, and nothing in the stack gives one\n"
        "  hint: add `mysql: {}` under components, or `mysql: {provided: true}` where the cluster has it, "
        "or name it under `external: {sqlDatabase: …}`"
    )


def test_two_servers(tmp_path: Path) -> None:
    assert refused(tmp_path, f"{EXTERNAL}components:\n  mysql: {{}}\n  notes: {{}}\n") == (
        "error: stacks/a.yaml:6: components.notes: needs a SQL database, and external and mysql give one\n"
        "  hint: say which: `uses: {sqlDatabase: external}`, in the component or for the whole stack"
    )


def test_a_word_chooses_between_two(tmp_path: Path) -> None:
    one = built(tmp_path / "a", f"{EXTERNAL}components: {{mysql: {{}}, notes: {{uses: {{sqlDatabase: external}}}}}}\n")
    all_of_it = built(
        tmp_path / "b", f"{EXTERNAL}uses: {{sqlDatabase: mysql}}\ncomponents: {{mysql: {{}}, notes: {{}}}}\n"
    )

    assert environment(one)["DB_HOST"] == "db.example.com"
    assert environment(all_of_it)["DB_HOST"] == "mysql.mysql.svc.cluster.local"


def test_a_server_of_another_engine(tmp_path: Path) -> None:
    text = "external: {sqlDatabase: {engine: postgresql, host: db.example.com, port: 5432}}\ncomponents: {notes: {}}\n"

    assert refused(tmp_path, text).startswith(
        "error: stacks/a.yaml:4: components.notes: needs a SQL database with other features: external gives one, "
        "but its engine is postgresql, not mysql\n  hint: add `mysql: {}` under components"
    )


def test_one_of_several_engines_may_be_enough() -> None:
    wanted = database_need("mysql", "postgresql")
    server = SqlDatabase(engine="postgresql", host="db.example.com", port=5432)

    assert wanted.misfit(server) == ""
    assert database_need("mysql").misfit(server) == "its engine is postgresql, not mysql"


def test_a_server_outside_that_lists_no_database_of_it(tmp_path: Path) -> None:
    text = f"external: {{sqlDatabase: {{{SERVER}}}}}\ncomponents: {{notes: {{}}}}\n"

    assert refused(tmp_path, text) == (
        "error: stacks/a.yaml:4: components.notes: external gives a SQL server outside the cluster, and nothing says "
        "which database on it is that of notes\n  hint: have one made there and add "
        "`shares: {notes: {database: notes, credentials: {existing: …}}}` to its `sqlDatabase`"
    )


def test_a_server_in_the_cluster_that_nobody_may_administer(tmp_path: Path) -> None:
    own = "provides: {sqlDatabase: {engine: mysql, host: db.db.svc, port: 3306, namespace: db}}"
    text = f"components: {{db: {{path: apps/db, namespace: db, {own}}}, notes: {{}}}}\n"

    assert (
        "db gives a SQL server without `administrator` and `image`, so the database notes cannot be created there"
        in (refused(tmp_path, text, APP))
    )


def test_a_password_that_a_server_outside_cannot_know(tmp_path: Path) -> None:
    shares = "shares: {notes: {credentials: {generate: {}}}}"
    text = f"external: {{sqlDatabase: {{{SERVER}, {shares}}}}}\ncomponents: {{notes: {{}}}}\n"

    assert "shares.notes.credentials: a generated password is not known to the server" in refused(tmp_path, text)


def test_somebody_used_who_gives_none(tmp_path: Path) -> None:
    text = "components: {mysql: {}, cert-manager: {}, notes: {uses: {sqlDatabase: cert-manager}}}\n"

    assert "components.notes: uses cert-manager as a SQL database, which does not give one" in refused(tmp_path, text)


def test_what_is_provided_is_changed_by_what_the_stack_says_of_it(tmp_path: Path) -> None:
    mysql = "{provided: '8.4', provides: {sqlDatabase: {host: sql.example.com, administrator: {secret: boss}}}}"
    stack = built(tmp_path, f"components: {{mysql: {mysql}, notes: {{}}}}\n")
    (job,) = (item for item in stack.components["notes"].objects if item.kind == "Job" and item.namespace == "mysql")

    assert environment(stack)["DB_HOST"] == "sql.example.com"
    assert job.manifest["spec"]["template"]["spec"]["volumes"][0]["secret"]["secretName"] == "boss"


# --- buckets


def test_a_store_outside_gives_a_bucket(tmp_path: Path) -> None:
    stack = built(tmp_path, f"{S3}components: {{mysql: {{}}, notes: {{files: true}}}}\n")

    assert environment(stack)["S3"] == "https://s3.example.com:443/notes"
    assert environment(stack)["AWS_SECRET_ACCESS_KEY"] == {"name": "s3", "key": "secretKey"}


def test_a_bucket_and_credentials_of_its_own(tmp_path: Path) -> None:
    keys = "{accessKey: key-id, secretKey: key}"
    share = f"{{notes: {{bucket: notes-prod, credentials: {{existing: notes-s3, keys: {keys}}}}}}}"
    text = f"external: {{objectStore: {{host: s3.example.com, buckets: {share}}}}}\n"
    stack = built(tmp_path, f"{text}components: {{mysql: {{}}, notes: {{files: true}}}}\n")

    assert environment(stack)["S3"].endswith("/notes-prod")
    assert environment(stack)["AWS_ACCESS_KEY_ID"] == {"name": "notes-s3", "key": "key-id"}


def test_an_identity_of_the_cloud_needs_no_credentials(tmp_path: Path) -> None:
    text = "external: {objectStore: {host: s3.amazonaws.com}}\ncomponents: {mysql: {}, notes: {files: true}}\n"

    assert "AWS_ACCESS_KEY_ID" not in environment(built(tmp_path, text))


def test_no_store(tmp_path: Path) -> None:
    said = refused(tmp_path, "components: {mysql: {}, notes: {files: true}}\n")

    assert "components.notes: needs an object store, and nothing in the stack gives one" in said
    assert "name it under `external: {objectStore: …}`" in said


def test_a_store_in_the_cluster_without_credentials(tmp_path: Path) -> None:
    own = "provides: {objectStore: {host: s3.db.svc, namespace: db}}"
    text = f"components: {{db: {{path: apps/db, namespace: db, {own}}}, mysql: {{}}, notes: {{files: true}}}}\n"

    assert "db gives an object store in the cluster, and nothing says how notes gets into it" in (
        refused(tmp_path, text, APP)
    )
