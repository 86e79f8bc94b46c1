"""What is wrong with a value, in the words of the file, and the walk over model fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, Self

import pytest
from pydantic import BaseModel, Field, ValidationError, model_validator

from platform_def.config.cluster import Cluster, Delivery
from platform_def.config.model import MisfitError, Model
from platform_def.config.pools import Gpu, Mig, NodePool, Sharing
from platform_def.config.stack import Stack
from platform_def.config.storage import StorageMap
from platform_def.config.teams import Team
from platform_def.config.written.explain import (
    about,
    docs_of,
    dotted,
    field_at,
    fields_at,
    models_in,
    name_problem,
    names_at,
    problems_of,
    type_name,
    with_inner,
)
from platform_def.config.written.provenance import trace
from platform_def.yaml import parse


class Inner(Model):
    """Inside."""

    size: Annotated[int, Field(ge=1)] = 1
    """How large."""


class Cat(Model):
    """One branch."""

    kind: Literal["cat"]
    lives: int = 9


class Dog(Model):
    """Another."""

    kind: Literal["dog"]


class Outer(Model):
    """A model with a field of every sort."""

    plain: str = ""
    two_words: int = 0
    ratio: float = 0.5
    on: bool = False
    one_of: Literal["a", "b"] = "a"
    inner: Inner = Inner()
    listed: list[Inner] = Field(default_factory=list)
    mapped: dict[str, Inner] = Field(default_factory=dict)
    pet: Annotated[Cat | Dog, Field(discriminator="kind")] | None = None
    either: Inner | Literal[True] | None = None
    many: list[Inner] | Literal[True] | None = None
    several: Annotated[list[str], Field(min_length=2)] = ["a", "b"]  # noqa: RUF012 - pydantic copies it
    form: Annotated[str, Field(pattern="^x+$")] = "x"
    storage: StorageMap = Field(default_factory=dict)
    needed: int


def told(text: str, model: type[BaseModel] = Outer) -> list[str]:
    """The problems of a file, `needed` beside them given."""
    text = text if model is not Outer or "needed" in text or text == "{}" else f"needed: 1\n{text}"
    traced = trace(parse(text, file="a.yaml"), "a.yaml")
    with pytest.raises(ValidationError) as caught:
        model.from_file(traced.plain())  # type: ignore[attr-defined]
    return [str(problem).removeprefix("error: ") for problem in problems_of(caught.value, model, traced)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("plain: 1", "plain: text is wanted, not 1"),
        ("plain: null", "plain: text is wanted, not nothing"),
        ("plain: [1]", "plain: text is wanted, not a list"),
        ("plain: {a: 1}", "plain: text is wanted, not a map"),
        ("plain: true", "plain: text is wanted, not true"),
        (f"twoWords: {'x' * 70}", f"twoWords: a whole number is wanted, not '{'x' * 60}'"),
        ("twoWords: 1.5", "twoWords: a whole number is wanted, not 1.5"),
        ("ratio: a", "ratio: a number is wanted, not 'a'"),
        ("'on': 1", "on: true or false is wanted, not 1"),
        ("inner: 1", "inner: a map is wanted, not 1"),
        ("listed: {}", "listed: a list is wanted, not a map"),
        ("mapped: []", "mapped: a map is wanted, not a list"),
        ("oneOf: c", "oneOf: one of a or b is wanted, not 'c'"),
        ("pet: {kind: bird}", "pet: one of cat, dog is wanted, not bird"),
        ("pet: {lives: 1}", "pet: kind is missing"),
        ("several: [a]", "several: at least 2 entries are wanted, not 1"),
        ("form: yes-x", "form: 'yes-x' does not have the form ^x+$"),
        ("inner: {size: 0}", "inner.size: at least 1 is wanted, not 0"),
        (
            "storage: {a: {driver: iscsi}}",
            "storage.a: one of cephfs, rbd, nfs, local-path, existing is wanted, not iscsi",
        ),
        ("storage: {A: {driver: existing}}", "storage.A: 'A' is not a name"),
    ],
)
def test_what_is_wanted_is_said_with_what_is_there(text: str, said: str) -> None:
    [problem] = told(text)

    assert said in problem
    assert problem.startswith("a.yaml:2: ")


def test_a_pattern_is_explained_by_what_the_field_is_for() -> None:
    """No one reads a regular expression to learn how an address is written."""
    [problem] = told("repository: git.example.com/platform", Delivery)

    assert "does not have the form" in problem
    assert "its documentation says: Address of what holds dist/: a Git repository (`https://…`" in problem
    assert "or that of a registry" in problem


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("members: [ada@example.com]", "write `{name: ada@example.com}`"),
        ("datasets: {faces: big}", None),
        ("quota: many", None),
    ],
)
def test_a_text_in_place_of_a_map_is_written_as_its_only_needed_field(text: str, hint: str | None) -> None:
    [problem] = told(f"name: vision\n{text}", Team)

    assert "a map is wanted, not '" in problem
    assert problem.partition("hint: ")[2] == (hint or "")


def test_a_missing_field_is_told_where_it_should_be() -> None:
    assert told("{}") == ["a.yaml:1: needed: is missing"]


def test_an_unknown_field_is_told_with_the_nearest_of_those_beside_it() -> None:
    [problem] = told("inner: {sise: 2}")

    assert "a.yaml:2: inner.sise: unknown field" in problem
    assert "did you mean 'size'?" in problem


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("listed: [{}, {size: 0}]", "listed[1].size: "),
        ("mapped: {a: {size: 0}}", "mapped.a.size: "),
        ("pet: {kind: cat, lives: many}", "pet.lives: "),
        ("either: {size: 0}", "either.size: "),
        ("many: [{}, {size: 0}]", "many[1].size: "),
        ("many: 5", "many: "),
    ],
)
def test_a_place_has_the_steps_of_the_file_and_no_others(text: str, place: str) -> None:
    assert place in told(text)[0]


def test_a_misfit_is_told_at_the_value_to_change() -> None:
    [problem] = told(
        "apiVersion: platform-def/v1\ncluster: {name: c, kubernetes: '1.36'}\nteams:\n- {name: a}\n- {name: a}\n", Stack
    )

    assert problem.startswith("a.yaml:5: teams[1]: two teams are called 'a'")


def test_a_value_that_does_not_fit_as_a_whole_is_told_without_a_place_of_its_own() -> None:
    class Whole(Model):
        @model_validator(mode="after")
        def _never(self) -> Self:
            raise ValueError("never fits")

    assert told("{}", Whole) == ["a.yaml:1: never fits"]


def test_a_problem_below_a_place_is_told_from_the_top() -> None:
    traced = trace(parse("a:\n  b:\n    size: 0\n", file="a.yaml"), "a.yaml")
    with pytest.raises(ValidationError) as caught:
        Inner.from_file({"size": 0})

    [problem] = problems_of(caught.value, Inner, traced, under=("a", "b"))

    assert "a.yaml:3: a.b.size: " in str(problem)


def test_a_misfit_knows_its_place() -> None:
    assert MisfitError("no", "a", 1, "b").at == ("a", 1, "b")


def test_paths_are_dotted_and_long_names_cut() -> None:
    assert dotted(["nodePools", 2, "gpu", "model"]) == "nodePools[2].gpu.model"
    assert dotted(["x" * 90, "y" * 90]) == f"{'x' * 80}.{'y' * 80}"
    assert dotted([]) == ""


def test_a_name_is_told_what_is_wrong_with_it() -> None:
    assert name_problem("gpu-prod") == ""
    assert "'GPU' is not a name" in name_problem("GPU")
    assert name_problem("\udc80")


def test_fields_are_those_of_the_model_at_a_place() -> None:
    assert fields_at(Stack, ("nodePools", 0, "gpu", "mig")) == ["cards", "layout", "strategy"]
    assert "memoryGib" in fields_at(NodePool, ("gpu",))
    assert fields_at(Outer, ("pet",)) == ["kind", "lives"]
    assert fields_at(Outer, ("mapped", "any")) == ["size"]


def test_models_are_found_through_unions_lists_and_maps_once_and_in_order() -> None:
    assert models_in(dict[str, list[Inner] | None]) == [Inner]
    assert models_in(list[int]) == []
    assert models_in(Inner) == [Inner]
    assert with_inner([NodePool])[0] is NodePool
    assert [each for each in with_inner([NodePool, Gpu]) if each in (Gpu, Sharing, Mig)] == [Gpu, Sharing, Mig]


@pytest.mark.parametrize(
    ("annotation", "name"),
    [
        (str, "text"),
        (int, "whole number"),
        (float, "number"),
        (bool, "true or false"),
        (Literal["a", 1], "a | 1"),
        (Annotated[int, Field(ge=1)], "whole number"),
        (list[str], "list of text"),
        (dict[str, int], "map of whole number"),
        (str | None, "text | null"),
        (list[Inner] | Literal[True], "list of Inner | True"),
        (Inner, "Inner"),
        (tuple[int, ...], "list of whole number"),
        (Mapping[str, int], "map of whole number"),
        (set[int], "set[int]"),
    ],
)
def test_types_are_named_as_the_docs_name_them(annotation: object, name: str) -> None:
    assert type_name(annotation) == name


class Base(Model):
    """Its fields are inherited."""

    first: int = 1
    """The first."""
    second: int = 2
    """The second."""
    silent: int = 3


class Derived(Base):
    """One field said anew."""

    second: int = 4
    """Said anew,

    in two paragraphs."""
    CONSTANT: ClassVar[int] = 5
    """No field."""


def test_docs_of_a_field_are_the_text_below_it_and_the_nearest_class_says_it() -> None:
    assert {name: docs_of(Derived).get(name) for name in Derived.model_fields} == {
        "first": "The first.",
        "second": "Said anew,\n\nin two paragraphs.",
        "silent": None,
    }
    assert docs_of(Base)["second"] == "The second."


def test_every_field_of_a_cluster_says_what_it_is() -> None:
    assert set(docs_of(Cluster)) == set(Cluster.model_fields)


def test_fields_below_several_models_are_those_of_each() -> None:
    class Two(Model):
        either: Inner | Cat = Inner()

    assert fields_at(Two, ("either",)) == ["kind", "lives", "size"]
    assert fields_at(Two, ("nowhere",)) == ["either"]


def test_a_model_that_holds_itself_is_listed_once() -> None:
    assert with_inner([Tree, Tree]) == [Tree, Inner]


class Tree(Model):
    """Holds itself."""

    branches: list[Tree] = Field(default_factory=list)
    leaf: Inner = Inner()


def test_what_a_class_is_for_is_its_whole_first_paragraph() -> None:
    class Two(Model):
        """One sentence. Another, which the line
        cuts in the middle.

        More.
        """

    assert about(Two) == "One sentence. Another, which the line cuts in the middle."
    assert about(type("Silent", (), {})) == ""


def test_a_field_is_found_through_lists_and_maps_and_nowhere_else() -> None:
    found = field_at(Tree, ("branches", 0, "branches", "oak", "leaf"))

    assert found is not None
    assert (found.name, found.model) == ("leaf", Tree)
    assert field_at(Tree, ("branches", 0, "leav")) is None
    assert field_at(Tree, ("leaf", "size", "more")) is None
    assert names_at(Tree, ("branches", 0)) == ["branches", "leaf"]
    assert names_at(Tree, ("branches",)) == names_at(Tree, ("nowhere",)) == []
