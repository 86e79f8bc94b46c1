"""Expressions with Kubernetes' own functions give what its documentation and its server give."""

from __future__ import annotations

import pytest

from platform_def.manifests.cel.environment import checker
from platform_def.manifests.cel.functions.urls import parsed
from platform_def.manifests.cel.programs import activation, program
from platform_def.manifests.cel.types import Types
from tests.unit.manifests.cel.tables import DEAR, ERRORS, SINCE, TRUE


@pytest.mark.parametrize("source", [*TRUE, *DEAR])
def test_functions_give_what_kubernetes_says(source: str) -> None:
    found = program(source, ()).evaluate(activation({}))

    assert (found.value, found.error) == (True, "")


@pytest.mark.parametrize("source", [*TRUE, *DEAR])
def test_functions_have_the_types_that_kubernetes_gives_them(source: str) -> None:
    assert checker(Types().pool(), {}, 37).compile(source).return_type().name() == "BOOL"


@pytest.mark.parametrize(("source", "said"), ERRORS.items())
def test_a_value_that_a_function_refuses_is_an_error(source: str, said: str) -> None:
    found = program(source, ()).evaluate(activation({}))

    assert said in found.error
    assert found.judged


def test_what_only_a_cluster_knows_is_not_judged() -> None:
    given = activation({"authorizer": {"kubernetes.authorization.Authorizer": ""}})
    found = program("authorizer.group('').resource('pods').check('get').allowed()", ("authorizer",)).evaluate(given)

    assert not found.judged


@pytest.mark.parametrize(("source", "since"), SINCE.items())
def test_a_release_compiles_what_the_one_before_it_knows(source: str, since: int) -> None:
    checker(Types().pool(), {}, since).compile(source)
    with pytest.raises(RuntimeError):
        checker(Types().pool(), {}, since - 1).compile(source)


@pytest.mark.parametrize("release", [25, 29, 30, 36])
def test_every_release_joins_texts(release: int) -> None:
    checker(Types().pool(), {}, release).compile("'a,b'.split(',').join('-').upperAscii() == ['A', '-', 'B'].join()")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("mailto:ada@example.com?subject=x", ("mailto", "", "", "subject=x")),
        ("https://a.example:80/b?c=d#e", ("https", "a.example:80", "/b", "c=d")),
        ("/b?c", ("", "", "/b", "c")),
    ],
)
def test_an_address_is_taken_apart(text: str, parts: tuple[str, str, str, str]) -> None:
    assert tuple(parsed(text)) == parts
