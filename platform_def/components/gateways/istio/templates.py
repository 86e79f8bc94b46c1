"""Templates of Go's whose YAML is written as data.

An expression of the template stands in a string; where it makes text with quotes or braces it goes through `quote` and
stands bare, which `Bare` does.
"""

from __future__ import annotations

from platform_def.constructs import yaml_file

_BARE = "BARE{}BARE"


class BareExpressions:
    """Expressions of a template that stand outside quotes."""

    def __init__(self) -> None:
        self._kept: list[str] = []

    def __call__(self, expression: str) -> str:
        """A stand-in for the expression."""
        self._kept.append(expression)
        return _BARE.format(len(self._kept) - 1)

    def text(self, content: object) -> str:
        """The content as YAML with the expressions in their places."""
        made = yaml_file(content)
        for index, expression in enumerate(self._kept):
            made = made.replace(_BARE.format(index), expression)
        return made


def own(bare: BareExpressions, name: str, default: str = "") -> str:
    """An annotation of the pod's, or a default, quoted: whatever is written there, it stays one value."""
    return bare(f"{{{{ annotation .ObjectMeta `{name}` `{default}` | quote }}}}")
