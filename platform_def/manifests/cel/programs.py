"""Expressions, each compiled once a process, and what they evaluate to."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from platform_def.manifests.cel.environment import evaluator, is_unjudged
from platform_def.manifests.cel.syntax import names

if TYPE_CHECKING:
    from cel_expr_python.cel import Activation, Expression


class Evaluated(NamedTuple):
    """What an expression makes of its variables: a value, or the reason why there is none."""

    value: Any = None
    error: str = ""
    judged: bool = True
    """False where only a cluster can tell."""


class CompiledExpression:
    """One compiled expression; may be evaluated by many."""

    def __init__(self, source: str, variables: tuple[str, ...]):
        self._variables = variables
        self._expression: Expression | None = None
        self.error = ""
        try:
            self._expression = evaluator(variables).compile(source)
        except (RuntimeError, TypeError) as error:  # of the latter type where a text is no Unicode
            self.error = str(error)
        self._names = names(self._expression.serialize()) if self._expression else frozenset()

    def uses(self, variable: str) -> bool:
        """Whether the expression refers to a variable."""
        return variable in self._names

    def evaluate(self, activation: Activation) -> Evaluated:
        """The value with these variables; what did not compile was reported where it stands, and is not judged."""
        if self._expression is None:
            return Evaluated(judged=False)
        try:
            found = self._expression.eval(activation)
        except RuntimeError:  # a text among the values that is no Unicode
            return Evaluated(judged=False)
        if found.type().name() in ("ERROR", "UNKNOWN"):
            error = str(found.value())
            return Evaluated(error=_plain(error), judged=not is_unjudged(error))
        try:
            return Evaluated(found.plain_value())
        except TypeError:  # an optional, which the library does not hand out
            return Evaluated(judged=False)


@cache
def program(source: str, variables: tuple[str, ...]) -> CompiledExpression:
    """The program of an expression, compiled when it is first met."""
    return CompiledExpression(source, variables)


def activation(values: Mapping[str, Any]) -> Activation:
    """Variables ready for any number of programs that were compiled with the same names."""
    return evaluator(tuple(sorted(values))).Activation(dict(values))


def _plain(error: str) -> str:
    """The library's words without its codes."""
    text = error.partition(": ")[2] if error.split(": ")[0].isupper() else error
    return text.replace("Key not found in map : ", "no such key: ").replace("found no matching", "no such").strip()
