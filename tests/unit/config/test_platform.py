"""What a build reads of the platform is recorded by question, and a hash holds the answers to these alone."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.capabilities import Devices, Gateway, ObjectStore, SqlDatabase
from platform_def.config.capability import Provision, need
from platform_def.config.platform import ComponentFact, Platform
from platform_def.config.reads import observed
from platform_def.errors import ConfigError

MYSQL = SqlDatabase(engine="mysql", host="mysql.data", port=3306)
POSTGRES = SqlDatabase(engine="postgresql", host="pg.example.com", port=5432)


def platform(**given: Any) -> Platform:
    return Platform(provisions=tuple(Provision.of(value, by) for by, value in given.items()))


def reads(ask: Any, of: Platform) -> set[str]:
    with observed() as found:
        ask(of)
    return set(found)


@pytest.mark.parametrize(
    ("ask", "question"),
    [
        (lambda of: of.serves("Issuer.cert-manager.io"), "serves:Issuer.cert-manager.io"),
        (lambda of: of.offers_resource("nvidia.com/gpu"), "resource:nvidia.com/gpu"),
        (lambda of: of.component("emissary"), "component:emissary"),
        (lambda of: of.instances("mysql"), "instances:mysql"),
        (lambda of: of.all(SqlDatabase), "given:sqlDatabase"),
        (lambda of: of.registry, "registry"),
    ],
)
def test_a_question_is_recorded_by_its_words_and_no_fact_beside_it(ask: Any, question: str) -> None:
    assert reads(ask, platform()) == {question}


def test_an_added_api_or_provider_builds_nothing_anew_that_did_not_ask_for_it() -> None:
    facts = ("serves:A.example.com", "given:sqlDatabase", "component:a", "instances:a", "resource:x")
    before = platform(mysql=MYSQL)
    after = before.with_facts(
        apis=frozenset({"B.example.com"}),
        resources=frozenset({"y"}),
        components={"b": ComponentFact("1", "b", component="b")},
        provisions=(*before.provisions, Provision.of(ObjectStore(host="s3.example.com"), "external")),
    )

    assert before.digest(facts) == after.digest(facts)


@pytest.mark.parametrize(
    ("question", "change"),
    [
        ("serves:A.example.com", {"apis": frozenset({"A.example.com"})}),
        ("resource:nvidia.com/gpu", {"resources": frozenset({"nvidia.com/*"})}),
        ("component:a", {"components": {"a": ComponentFact("1", "a")}}),
        ("instances:a", {"components": {"a-b": ComponentFact("1", "a", component="a")}}),
        ("given:sqlDatabase", {"provisions": (Provision.of(MYSQL, "mysql"),)}),
        ("registry", {"registry": "registry.example.com"}),
    ],
)
def test_an_answer_that_changes_changes_the_hash(question: str, change: dict[str, Any]) -> None:
    assert Platform().digest((question,)) != Platform().with_facts(**change).digest((question,))


def test_instances_are_those_that_are_rendered_and_the_one_of_the_components_name_is_first() -> None:
    facts = {name: ComponentFact("1", "x", component="mysql") for name in ("a-db", "mysql", "z-db")}
    facts["theirs"] = ComponentFact("1", "x", provided=True, component="mysql")
    facts["other"] = ComponentFact("1", "x", component="postgres")

    assert Platform(components=facts).instances("mysql") == ("mysql", "a-db", "z-db")


# --- one rule for every need


def test_the_one_who_gives_it_is_found() -> None:
    found = platform(mysql=MYSQL).one(SqlDatabase)

    assert (found.by, found.value) == ("mysql", MYSQL)


def test_nobody_gives_it() -> None:
    with pytest.raises(ConfigError, match="katib needs a SQL database, and nothing in the stack gives one"):
        platform().one(SqlDatabase, who="katib")
    assert platform().maybe(SqlDatabase) is None


def test_two_give_it() -> None:
    with pytest.raises(ConfigError, match="katib needs a SQL database, and a and b give one") as caught:
        platform(a=MYSQL, b=MYSQL).one(SqlDatabase, who="katib")

    assert "`uses: {sqlDatabase: a}`" in str(caught.value)


def test_a_need_narrows_to_those_that_fit() -> None:
    both = platform(a=MYSQL, b=POSTGRES)

    assert both.one(need(SqlDatabase, engine="mysql")).by == "a"
    assert both.one(need(SqlDatabase, engine="postgresql")).by == "b"


def test_the_wrong_one_gives_it() -> None:
    with pytest.raises(ConfigError, match="external gives one, but its engine is postgresql, not mysql"):
        platform(external=POSTGRES).one(need(SqlDatabase, engine="mysql"), who="katib")


def test_the_component_says_which_before_the_stack_does() -> None:
    both = platform(a=MYSQL, b=MYSQL).with_facts(uses={"sqlDatabase": "a"})

    assert both.one(SqlDatabase).by == "a"
    assert both.one(SqlDatabase, uses={"sqlDatabase": "b"}).by == "b"


def test_one_who_does_not_give_it_cannot_be_used() -> None:
    with pytest.raises(ConfigError, match="katib uses c as a SQL database, which does not give one"):
        platform(a=MYSQL).one(SqlDatabase, uses={"sqlDatabase": "c"}, who="katib")


def test_a_need_of_a_field_that_there_is_not_is_a_mistake_in_code() -> None:
    with pytest.raises(TypeError, match="SqlDatabase has no field engin"):
        need(SqlDatabase, engin="mysql")


def test_capabilities_are_called_as_files_write_them() -> None:
    assert (SqlDatabase.kind(), Gateway.kind(), Devices.kind()) == ("sqlDatabase", "gateway", "devices")
