"""What was looked at in a run, beside what was found; and the same objects at other versions of Kubernetes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from platform_def.checks.catalogue import OF_OBJECTS
from platform_def.checks.report.answer import Answer, Looked
from platform_def.checks.rule import Finding, covered
from platform_def.manifests.rendered import RenderedObject
from platform_def.pipeline.applications.foreign import Foreign

if TYPE_CHECKING:
    from platform_def.pipeline.findings.at_versions import JudgedStack
    from platform_def.pipeline.synth import Rendered


def answer_of(rendered: Rendered, beside: Iterable[Finding] = ()) -> Answer:
    """The answer for stacks; `beside` are findings of files that are no objects."""
    found = [finding for findings in rendered.findings.values() for finding in findings]
    looked = [
        Looked(rendered.file_in[stack.name](item), str(item)) for stack in rendered.stacks for item in stack.objects()
    ]
    return Answer([*found, *beside], looked)


def judged_stacks(rendered: Rendered) -> Iterator[JudgedStack]:
    """The stacks with their waivers and files."""
    from platform_def.pipeline.findings.at_versions import JudgedStack
    from platform_def.pipeline.findings.waivers import waivers_of

    for stack in rendered.stacks:
        yield JudgedStack(stack, rendered.file_in[stack.name], waivers_of(rendered.loaded[stack.name]))


def origin(item: RenderedObject) -> str:
    """The file of an object that others made."""
    return item.origin


def answer_of_foreign(foreign: Foreign, findings: Iterable[Finding], later: Mapping[str, int]) -> Answer:
    """The answer for manifests that others made; `later` counts the values of each file that are filled in later."""
    objects = [Looked(item.origin, str(item), item.document) for item in foreign.stack.objects()]
    left_out = [rule.id for rule in OF_OBJECTS if not covered(rule.without_stack, foreign.stack)]
    return Answer(
        [*findings],
        objects,
        foreign.problems,
        left_out,
        foreign.left_out,
        foreign.rendered_by,
        no_objects=foreign.no_objects,
        filled_in_later=later,
        line_of=foreign.line_of,
    )
