"""A mypy plugin that lets `Resource(self, DEPLOYMENT, name, spec={…})` check the literal against the API's own type.

mypy infers one type from the API and another, a plain dict, from the literal, and gives up; here the API decides.
Pyright needs no help. Turn it on with `plugins = ["platform_def.mypy_plugin"]`.
"""

from __future__ import annotations

from collections.abc import Callable

from mypy.expandtype import expand_type
from mypy.plugin import FunctionSigContext, Plugin
from mypy.typeops import make_simplified_union
from mypy.types import FunctionLike, Instance, NoneType, Type, UnionType, get_proper_type

AUTHORS = frozenset({"platform_def.constructs.resource.Resource", "platform_def.manifests.author.manifest"})
"""Functions with one type variable, that of their argument `api`."""


class AuthoringPlugin(Plugin):
    """Solves the type variable of authoring functions from the API that they are given."""

    def get_function_signature_hook(self, fullname: str) -> Callable[[FunctionSigContext], FunctionLike] | None:
        """The hook for a function that authors objects."""
        return _signature if fullname in AUTHORS else None


def _signature(context: FunctionSigContext) -> FunctionLike:
    signature = context.default_signature
    given = context.args[signature.arg_names.index("api")] if "api" in signature.arg_names else []
    if not given or not signature.variables:
        return signature
    api = get_proper_type(context.api.get_expression_type(given[0]))
    if not isinstance(api, Instance) or not api.args:
        return signature
    solved = expand_type(signature, {signature.variables[0].id: api.args[0]})
    # Without `| None` mypy names the wrong key instead of the whole literal.
    kinds = zip(signature.arg_types, solved.arg_types, strict=True)
    return solved.copy_modified(variables=[], arg_types=[new if old == new else _present(new) for old, new in kinds])


def _present(kind: Type) -> Type:
    proper = get_proper_type(kind)
    if not isinstance(proper, UnionType):
        return kind
    return make_simplified_union([item for item in proper.items if not isinstance(get_proper_type(item), NoneType)])


def plugin(version: str) -> type[Plugin]:  # noqa: ARG001 - mypy passes its version
    """What mypy asks a plugin module for."""
    return AuthoringPlugin
