"""What is wrong with a value, said in the words of the file: the one place that translates pydantic's errors.

Also the walk over model fields that this, `platformctl explain` and the reference pages share.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import types
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeGuard

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from platform_def.config.model import ConflictsError, MisfitError, Name
from platform_def.config.words.registered import notes
from platform_def.config.written.provenance import Traced
from platform_def.errors import Problem, nearest

_NAME: TypeAdapter[str] = TypeAdapter(Name, config=ConfigDict(defer_build=True))


def name_problem(name: str) -> str:
    """Why `name` cannot be the name of a stack; empty when it can."""
    try:
        _NAME.validate_python(name.encode(errors="replace").decode())
    except ValidationError as error:
        return _text(error.errors()[0])
    return ""


def problems_of(
    error: ValidationError, model: type[BaseModel], traced: Traced, *, under: Sequence[str | int] = ()
) -> Iterator[Problem]:
    """The problems that `error` holds, each with file and line; `under` is the path of the validated value."""
    return told(details_of(error), model, traced, under=under)


def details_of(error: ValidationError) -> Iterator[ErrorDetails]:
    """What pydantic says, with a detail for each conflict of a model; `reads` in its context is what was noted."""
    for detail in error.errors():
        raised = detail.get("ctx", {}).get("error")
        if not isinstance(raised, ConflictsError):
            yield detail
            continue
        for each in raised.found:
            yield {**detail, "ctx": {"error": each.error, "reads": each.reads}}


def told(
    details: Iterable[ErrorDetails], model: type[BaseModel], traced: Traced, *, under: Sequence[str | int] = ()
) -> Iterator[Problem]:
    """The problems that these details are."""
    for detail in details:
        within = place_in_file(detail, traced, under)
        path = [*under, *within]
        shown = dotted(path)
        where = traced.locate(path)
        if detail["type"] == "extra_forbidden":
            known, name = fields_at(model, detail["loc"][:-1]), str(detail["loc"][-1])
            hint = getattr(model, "elsewhere", {}).get(name, "") if len(detail["loc"]) == 1 else ""
            yield Problem(f"{shown}: unknown field", where, hint or nearest(name, known))
        elif detail["type"] == "missing":
            yield Problem(f"{shown}: is missing", where)
        else:
            yield Problem(f"{shown}: {_text(detail)}" if shown else _text(detail), where, _hint(detail, model, within))


def place_in_file(detail: ErrorDetails, traced: Traced, under: Sequence[str | int]) -> tuple[str | int, ...]:
    """The path of the value that an error speaks of, below `under`, as the file has it."""
    raised = detail.get("ctx", {}).get("error")
    within = raised.at if isinstance(raised, MisfitError) else ()
    return (*_real_path(detail, traced, under), *within)


def dotted(path: Sequence[str | int]) -> str:
    """A path as messages write it: `nodePools[2].gpu.model`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step[:80]}" if text else step[:80]
    return text


def _real_path(detail: ErrorDetails, traced: Traced, under: Sequence[str | int]) -> list[str | int]:
    """Pydantic names the branch of a union and `[key]` among the steps: leave out what the file does not have."""
    loc, path = detail["loc"], list[str | int]()
    last = len(loc) - (1 if detail["type"] == "missing" else 0)
    here = traced.find(under)
    for index, step in enumerate(loc):
        if step == "[key]":
            continue
        found = here.find([step]) if here is not None else None
        if found is None and here is not None and index < len(loc) - 1 and here.find([loc[index + 1]]) is not None:
            continue
        if found is None and here is not None and index < last and isinstance(here.value, dict):
            continue
        if found is None and here is not None and not isinstance(here.value, dict | list):
            continue
        path.append(step)
        here = found
    return path


_TYPE_NAMES = {
    "string_type": "text", "int_type": "a whole number", "float_type": "a number", "bool_type": "true or false",
    "dict_type": "a map", "list_type": "a list", "model_type": "a map",
}  # fmt: skip


_BOUNDS = {
    "greater_than": ("more than", "gt"), "greater_than_equal": ("at least", "ge"), "less_than": ("less than", "lt"),
    "less_than_equal": ("at most", "le"), "multiple_of": ("a multiple of", "multiple_of"),
}  # fmt: skip
_SIZES = {
    "too_short": ("at least", "min_length"), "too_long": ("at most", "max_length"),
    "string_too_short": ("at least", "min_length"), "string_too_long": ("at most", "max_length"),
}  # fmt: skip
_CHOICE = re.compile(r"'([^']*)'")
_QUOTED = "write it in quotes: without them YAML reads it as another type, and 1.30 as 1.3"


def _hint(detail: ErrorDetails, model: type[BaseModel], path: Sequence[str | int]) -> str:
    kind, context, value = detail["type"], detail.get("ctx", {}), detail["input"]
    if kind == "string_pattern_mismatch":
        return _documented(model, path)
    if kind == "model_type" and isinstance(value, str | int | float):
        return _as_a_map(value, model, path)
    if kind == "string_type" and isinstance(value, int | float):
        return _QUOTED
    if kind in ("literal_error", "union_tag_invalid") and isinstance(value, str | dict):
        choices = _CHOICE.findall(str(context.get("expected") or context.get("expected_tags")))
        close = nearest(str(context.get("tag", value)) if isinstance(value, dict) else value, choices)
        return close if close.startswith("did you mean") else ""
    return ""


def _documented(model: type[BaseModel], path: Sequence[str | int]) -> str:
    """What the field is for, with its examples: a pattern is not for people."""
    found = field_at(model, path)
    text = " ".join(docs_of(found.model).get(found.name, "").split()) if found else ""
    return f"its documentation says: {text}" if text else ""


def _as_a_map(value: str | float, model: type[BaseModel], path: Sequence[str | int]) -> str:
    """The value as the only field that its map needs."""
    wanted = [each for each in _walk(model, path)[1] if _is_model(each)]
    needed = [info.alias or name for each in wanted for name, info in each.model_fields.items() if info.is_required()]
    fits = len(wanted) == 1 and len(needed) == 1 and isinstance(value, str) and len(value) <= 60
    return f"write `{{{needed[0]}: {value}}}`" if fits else ""


def _text(detail: ErrorDetails) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    if kind in _BOUNDS:
        words, key = _BOUNDS[kind]
        return f"{words} {context.get(key)} is wanted, not {_shown(detail['input'])}"
    if kind in _SIZES:
        words, key = _SIZES[kind]
        return f"{words} {_counted(context.get(key), detail)} wanted, not {_length(detail)}"
    if kind in _TYPE_NAMES:
        return f"{_TYPE_NAMES[kind]} is wanted, not {_shown(detail['input'])}"
    if kind == "value_error":
        return str(context.get("error", detail["msg"]))
    if kind in ("literal_error", "union_tag_invalid"):
        expected = context.get("expected") or context.get("expected_tags")
        return f"one of {str(expected).replace(chr(39), '')} is wanted, not {_shown(detail['input'])}"
    if kind == "union_tag_not_found":
        return f"{context.get('discriminator', 'a kind')} is missing".replace("'", "")
    if kind == "string_pattern_mismatch":
        return f"{_shown(detail['input'])} does not have the form {context.get('pattern')}"
    message = detail["msg"]
    return f"{message[0].lower()}{message[1:]}, not {_shown(detail['input'])}"


def _counted(count: object, detail: ErrorDetails) -> str:
    """So many characters or entries, with their verb; a bound on a name is one on its characters."""
    one, many = ("character", "characters") if isinstance(detail["input"], str) else ("entry", "entries")
    return f"1 {one} is" if count == 1 else f"{count} {many} are"


def _length(detail: ErrorDetails) -> str:
    value = detail["input"]
    if isinstance(value, dict | list | str):
        return str(len(value)) if value else "none"
    return str(detail.get("ctx", {}).get("actual_length"))


def _shown(value: object) -> str:
    if isinstance(value, dict):
        if set(value) & {"driver", "kind"}:
            return str(value.get("driver", value.get("kind")))[:60]
        return "a map"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value[:60]}'" if isinstance(value, str) else str(value)[:60]


def fields_at(model: type[BaseModel], loc: Sequence[str | int]) -> list[str]:
    """The field names, as files write them, that the model takes at `loc`."""
    models = [model]
    for step in loc:
        inner: list[type[BaseModel]] = []
        for candidate in models:
            for name, info in candidate.model_fields.items():
                if (info.alias or name) == step:
                    inner += models_in(info.annotation)
        if inner:
            models = inner
    return sorted({info.alias or name for candidate in models for name, info in candidate.model_fields.items()})


@dataclass(frozen=True)
class ModelField:
    """A field of a model, under the name that Python has for it."""

    name: str
    model: type[BaseModel]

    @property
    def info(self) -> FieldInfo:
        """What the model says of it."""
        return self.model.model_fields[self.name]


def field_at(model: type[BaseModel], path: Sequence[str | int]) -> ModelField | None:
    """The field at a path of a file, or the one whose map or list holds the path's end; None where the model has none.

    A step into a list is an index or the name of an item, one into a map any key.
    """
    return _walk(model, path)[0]


def names_at(model: type[BaseModel], path: Sequence[str | int]) -> list[str]:
    """The fields that the value at a path may have, sorted."""
    models = [each for each in _walk(model, path)[1] if _is_model(each)]
    return sorted({info.alias or name for each in models for name, info in each.model_fields.items()})


def _walk(model: type[BaseModel], path: Sequence[str | int]) -> tuple[ModelField | None, list[object]]:
    found: ModelField | None = None
    here: list[object] = [model]
    for step in path:
        into = [each for shape in here for each in _into(shape, str(step))]
        if not into:
            return None, []
        found = next((field for field, _ in into if field), found)
        here = [shape for _, shapes in into for shape in shapes]
    return found, here


def _into(shape: object, step: str) -> Iterator[tuple[ModelField | None, list[object]]]:
    """What a step leads to: the field, where it names one, and the types that may be there."""
    if _is_model(shape):
        for name, info in shape.model_fields.items():
            if (info.alias or name) == step:
                yield ModelField(name, shape), shapes(info.annotation)
    elif typing.get_origin(shape) in (list, tuple):
        yield None, shapes(typing.get_args(shape)[0])
    elif typing.get_origin(shape) in (dict, Mapping):
        yield None, shapes(typing.get_args(shape)[1])


def shapes(annotation: object) -> list[object]:
    """The alternatives of a type."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return shapes(typing.get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        return [shape for each in typing.get_args(annotation) for shape in shapes(each)]
    return [annotation]


def _is_model(annotation: object) -> TypeGuard[type[BaseModel]]:
    plain = isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias)
    return plain and issubclass(annotation, BaseModel)  # type: ignore[arg-type]


def models_in(annotation: object) -> list[type[BaseModel]]:
    """The models that an annotation holds, through unions, lists and maps."""
    if _is_model(annotation):
        return [annotation]
    return [found for inner in typing.get_args(annotation) for found in models_in(inner)]


def with_inner(models: Iterable[type[BaseModel]]) -> list[type[BaseModel]]:
    """The models and all that their fields hold, each once, in the order of first use."""
    found: dict[type[BaseModel], None] = {}
    todo = list(models)
    while todo:
        model = todo.pop(0)
        if model not in found:
            found[model] = None
            todo += [inner for info in model.model_fields.values() for inner in models_in(info.annotation)]
    return list(found)


def type_name(annotation: object) -> str:
    """A type as the docs write it: `list of text`, `a | b`."""
    if annotation is type(None):
        return "null"
    origin = typing.get_origin(annotation)
    inner = typing.get_args(annotation)
    if origin is typing.Literal:
        return " | ".join(map(str, inner))
    if origin is typing.Annotated:
        return type_name(inner[0])
    if origin in (typing.Union, types.UnionType):
        return " | ".join(type_name(each) for each in inner)
    if origin in (list, tuple):
        return f"list of {type_name(inner[0])}"
    if origin in (dict, Mapping):
        return f"map of {type_name(inner[1])}"
    names: dict[type, str] = {str: "text", int: "whole number", float: "number", bool: "true or false"}
    if isinstance(annotation, type):
        return names.get(annotation, annotation.__name__)
    return str(annotation)


def about(kind: type) -> str:
    """What a class is for: the first paragraph of its docstring, on one line."""
    return " ".join(inspect.cleandoc(kind.__doc__ or "").partition("\n\n")[0].split())


@cache
def docs_of(model: type[BaseModel]) -> Mapping[str, str]:
    """Attribute docstrings of a model and its bases by Python field name, read from the source.

    Behind them is what components register of these fields.
    """
    found: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if isinstance(base, type) and issubclass(base, BaseModel) and base is not BaseModel:
            own = _module_docs(base.__module__).get(base.__qualname__, {})
            found |= {name: " ".join((text, *notes(base.__name__, name))) for name, text in own.items()}
    return found


@cache
def _module_docs(module: str) -> Mapping[str, Mapping[str, str]]:
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {node.name: dict(_attribute_docs(node)) for node in tree.body if isinstance(node, ast.ClassDef)}


def _attribute_docs(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for statement, following in zip(node.body, node.body[1:], strict=False):
        if (
            isinstance(statement, ast.AnnAssign)
            and isinstance(statement.target, ast.Name)
            and isinstance(following, ast.Expr)
            and isinstance(following.value, ast.Constant)
            and isinstance(following.value.value, str)
        ):
            yield statement.target.id, inspect.cleandoc(following.value.value)
