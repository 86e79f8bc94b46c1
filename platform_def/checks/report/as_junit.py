"""Findings as JUnit XML, which GitLab, Jenkins and others show as tests: an object a test, a file a suite."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from xml.etree import ElementTree as ET

from platform_def.checks.fault import Severity
from platform_def.checks.report.answer import Answer, Looked, is_as_bad
from platform_def.checks.rule import Finding
from platform_def.errors import visible

_Key = tuple[str, str, int]


def junit(answer: Answer, *, fail_on: Severity) -> str:
    """Every object that was looked at; findings as bad as `fail_on` are failures, others its output.

    What could not be read is an error.
    """
    found: dict[_Key, list[Finding]] = {}
    for finding in answer.findings:
        found.setdefault((_file(finding), finding.object, finding.document), []).append(finding)
    looked = {(each.file, each.object, each.document): each for each in answer.objects}
    told = [Looked(file, item, document) for file, item, document in found if (file, item, document) not in looked]
    root = ET.Element("testsuites", name="platformctl check")
    cases = sorted([*looked.values(), *told], key=lambda each: (each.file, each.document, each.object))
    for file, objects in groupby(cases, key=lambda each: each.file):
        suite = ET.SubElement(root, "testsuite", name=_clean(file))
        for each in objects:
            _case(suite, each, found.get((each.file, each.object, each.document), ()), fail_on)
    _unreadable(root, answer)
    for suite in [root, *root]:
        for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            suite.set(name, str(sum(1 for _ in suite.iter(tag))))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _case(suite: ET.Element, each: Looked, findings: Sequence[Finding], fail_on: Severity) -> None:
    document = f" (document {each.document})" if each.document else ""
    name = f"{each.object}{document}" or each.file
    case = ET.SubElement(suite, "testcase", name=_clean(name), classname=_clean(each.file), file=_clean(each.file))
    beside = []
    for finding in findings:
        if finding.waived or not is_as_bad(finding, fail_on):
            beside.append(_text(finding))
            continue
        failure = ET.SubElement(case, "failure", type=finding.rule, message=_clean(finding.text))
        failure.text = _text(finding)
    if beside:
        ET.SubElement(case, "system-out").text = "\n".join(beside)


def _unreadable(root: ET.Element, answer: Answer) -> None:
    if not answer.unreadable:
        return
    suite = ET.SubElement(root, "testsuite", name="unreadable")
    for problem in answer.unreadable:
        where = _clean(str(problem.where or "input"))
        case = ET.SubElement(suite, "testcase", name=where, classname="unreadable")
        error = ET.SubElement(case, "error", type="unreadable", message=_clean(problem.text))
        error.text = _clean(problem.hint)


def _file(finding: Finding) -> str:
    return finding.file or finding.component


def _text(finding: Finding) -> str:
    path = f"{finding.path}: " if finding.path else ""
    reason = f"\nwaived: {finding.waived}" if finding.waived else ""
    hint = f"\nhint: {finding.hint}" if finding.hint else ""
    return _clean(f"{finding.severity}: {finding.place}: {path}{finding.text} [{finding.rule}]{hint}{reason}")


def _clean(text: str) -> str:
    """Without characters that XML has no way to write."""
    return "\n".join(map(visible, text.split("\n")))
