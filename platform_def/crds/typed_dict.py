"""`TypedDict` as API modules write it: typing's own to type checkers, at run time a class that keeps its hints as text.

typing compiles every hint when a class is made, which was most of the cost of importing an API module; `hints` compiles
those that are asked for. Types made with typing's own TypedDict serve as well.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeGuard, cast, is_typeddict

if TYPE_CHECKING:
    from typing import TypedDict as TypedDict
else:

    class TypedDict(dict):
        """Makes a type, by subclass or by call."""

        def __init_subclass__(cls, *, total=True):
            cls.__total__ = total

        def __new__(cls, *args, **kwargs):
            """A type from a name and hints; of a type a plain dict."""
            return _called(*args, **kwargs) if cls is TypedDict else dict(*args, **kwargs)


_LIGHT = cast("type", TypedDict)


def _called(name: str, hints: dict[str, object], *, total: bool = True) -> type:
    """What `TypedDict(name, hints)` stands for; its module is the caller's, as with typing's."""
    module: str = sys._getframe(2).f_globals["__name__"]
    return type(name, (_LIGHT,), {"__module__": module, "__annotations__": hints}, total=total)


def is_light(value: object) -> TypeGuard[type]:
    """Whether `value` is a type made by this module's TypedDict."""
    return isinstance(value, type) and issubclass(value, _LIGHT) and value is not _LIGHT


def is_typed_dict(value: object) -> TypeGuard[type]:
    """Whether `value` is a type made by this module's TypedDict or by typing's."""
    return is_light(value) or is_typeddict(value)
