"""What is wrong with a job, before anybody knows in which file it stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class JobProblem:
    """Something wrong with a job: the field, what, and the remedy."""

    field: str
    text: str
    hint: str = ""
    missing: str = ""
    """Extended resource that nothing offers; who could is for those to say who know all components."""
    file: str = ""
    """File of the repository that is to be changed, where it is not the stack's."""
    path: tuple[str | int, ...] = ()
    """Place in that file's first document."""
