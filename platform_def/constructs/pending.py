"""Constructs that Node does not get before it is asked something.

What a build makes of cdk8s is a tree of names: bodies stay in Python, and most builds only want to know at their end
what is in it. So the tree is kept here, and no Node is started for it. A question that goes further (`node`,
`Chart.of`, a class whose insides Node makes) hands Node everything first, in the order in which it was made; from there
on all goes as jsii has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from jsii import _reference_map
from jsii._kernel.types import CreateRequest, CreateResponse

_ROOT = "cdk8s.App"
_PLAIN = ("constructs.Construct", "cdk8s.ApiObject", "cdk8s.Chart")
"""What Node makes of these is one place in the tree, and nothing else."""
_SEPARATOR = re.compile(r"[/\n]")
_LARGEST_INDEX = 2**32 - 2
_numbers = count()


class PendingTree:
    """The constructs of one build, until Node is asked something."""

    def __init__(self) -> None:
        self.asked = False
        """Whether Node was, and knows everything."""
        self._waiting: list[tuple[CreateRequest, CreateResponse]] = []
        self._below: dict[str, dict[str, str]] = {}
        """By reference, what is right below a construct: references by id."""

    def take(self, request: object) -> CreateResponse | None:
        """The answer to a request that can wait; None where Node itself must answer."""
        if self.asked or not isinstance(request, CreateRequest):
            return None
        if request.fqn == _ROOT:
            return self._kept(request)
        if request.fqn not in _PLAIN:
            return None
        scope, name, *_ = request.args
        siblings = self._below.get(getattr(getattr(scope, "__jsii_ref__", None), "ref", ""))
        name = _SEPARATOR.sub("--", name) if isinstance(name, str) else ""
        if siblings is None or not name or name in siblings:  # Node says what is wrong
            return None
        answer = self._kept(request)
        siblings[name] = answer.ref
        return answer

    def _kept(self, request: CreateRequest) -> CreateResponse:
        answer = CreateResponse(ref=f"{request.fqn}@pending-{next(_numbers)}")
        self._waiting.append((request, answer))
        self._below[answer.ref] = {}
        return answer

    def hand_over(self, create: Callable[[CreateRequest], CreateResponse]) -> None:
        """Have Node make what has waited; references to it become Node's."""
        self.asked = True
        known = _reference_map._refs._refs
        for request, answer in self._waiting:
            made = known.pop(answer.ref, None)
            object.__setattr__(answer, "ref", create(request).ref)  # all who hold it see that
            if made is not None:
                known[answer.ref] = made
        self._waiting.clear()

    def holds(self, construct: Any) -> bool:
        """Whether a construct is known here, and not to Node."""
        return not self.asked and construct.__jsii_ref__.ref in self._below

    def all_below(self, top: Any) -> Iterator[Any]:
        """A construct that is held here and all below it, in the order of `node.find_all`."""
        return self._from(top.__jsii_ref__.ref)

    def _from(self, ref: str) -> Iterator[Any]:
        yield _reference_map._refs._refs[ref]
        for _, each in sorted(self._below[ref].items(), key=_place):
            yield from self._from(each)


def _place(entry: tuple[str, str]) -> int:
    """JavaScript has entries whose names are indices before all others, by number."""
    name, _ = entry
    index = int(name) if name.isascii() and name.isdecimal() and (name == "0" or name[0] != "0") else _LARGEST_INDEX + 1
    return min(index, _LARGEST_INDEX + 1)
