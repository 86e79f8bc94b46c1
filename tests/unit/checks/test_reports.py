"""The forms of an answer: text, JSON, SARIF, JUnit, GitHub; in all of them everything is told."""

from __future__ import annotations

import json as plain
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from platform_def.checks.catalogue import checks
from platform_def.checks.engine import check
from platform_def.checks.report.answer import Answer, Looked
from platform_def.checks.report.as_github import github
from platform_def.checks.report.as_json import json
from platform_def.checks.report.as_junit import junit
from platform_def.checks.report.as_sarif import sarif
from platform_def.checks.report.as_text import summary, text, uncovered
from platform_def.checks.report.encode import encoded
from platform_def.checks.rule import Finding
from platform_def.errors import Problem, Source
from tests.unit.checks.samples import config_map, deployment, rendered, thing

NOTHING = Answer([])


def findings(image: str = "web", **container: Any) -> list[Finding]:
    return check(rendered(deployment(image=image, **container)), file_of=lambda item: f"dist/{item.name}.yaml")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(["\ud800", "\x7f\x1b\u2028\\"]),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=10,
    ),
    st.booleans(),
)
def test_json_is_what_pythons_own_encoder_writes(document: object, in_order: bool) -> None:
    text = plain.dumps(document, indent=2, sort_keys=in_order, ensure_ascii=False)

    assert encoded(document, sort_keys=in_order) == text.encode("utf-8", "backslashreplace").decode() + "\n"


def test_text_names_object_file_path_rule_and_hint() -> None:
    answer = Answer(findings(imagePolicy="x"))

    assert text(answer) == (
        "Deployment default/web\n"
        "  error: dist/web.yaml: spec.template.spec.containers[0].imagePolicy: unknown field [schema]\n"
        "    hint: did you mean 'imagePullPolicy'?\n"
        "  warning: dist/web.yaml: spec.template.spec.containers[0].image: image web has no tag [image-tag]\n"
        "    hint: write the version as tag, or pin the digest (image@sha256:…)\n"
    )
    assert summary(answer) == "1 error, 1 warning"


def test_text_without_files_names_the_component() -> None:
    answer = Answer(check(rendered(deployment(image="web"))))

    assert text(answer).startswith("Deployment default/web\n  warning: app: spec.template")


def test_text_names_line_and_document_where_they_are_known() -> None:
    [finding] = findings()
    said = text(Answer([replace(finding, line=7, document=2)]))

    assert said.startswith("Deployment default/web (document 2)\n  warning: dist/web.yaml:7: spec")


def test_objects_with_errors_come_first() -> None:
    found = check(rendered(deployment("a", image="x"), config_map("b", dat={})))

    assert [line for line in text(Answer(found)).splitlines() if line[0] != " "] == [
        "ConfigMap default/b",
        "Deployment default/a",
    ]


def test_a_cause_is_told_once_with_all_its_places() -> None:
    twice = check(rendered(deployment("a", image="web"), deployment("b", image="web")), file_of=lambda item: item.name)
    several = [replace(each, stack=stack) for stack in ("one", "two") for each in twice]
    answer = Answer([*several, *findings(imagePolicy="x")])

    assert text(answer) == (
        "Deployment default/web\n"
        "  error: dist/web.yaml: spec.template.spec.containers[0].imagePolicy: unknown field [schema]\n"
        "    hint: did you mean 'imagePullPolicy'?\n"
        "warning: spec.template.spec.containers[0].image: image web has no tag [image-tag]\n"
        "  hint: write the version as tag, or pin the digest (image@sha256:…)\n"
        "  a: Deployment default/a (stacks one, two)\n"
        "  b: Deployment default/b (stacks one, two)\n"
        "  dist/web.yaml: Deployment default/web\n"
    )
    assert summary(answer) == "1 error, 1 warning"


def test_fields_of_other_names_are_causes_of_their_own_and_other_paths_are_shown() -> None:
    [finding] = findings()
    paths = ("spec.a[0].image", "spec.a[1].image", "spec.a[1].images[0]")
    answer = Answer([replace(finding, path=path) for path in paths])

    assert [[place.first.path for place in cause.places] for cause in answer.causes] == [[*paths[:2]], [paths[2]]]
    assert "  dist/web.yaml: Deployment default/web: spec.a[1].image\n" in text(answer)


def shared(count: int) -> list[Finding]:
    """One finding as many stacks have it, each in its folder."""
    [finding] = findings()
    return [replace(finding, file=f"dist/s{n:02}/web.yaml", line=7, stack=f"s{n:02}") for n in range(count)]


def test_what_many_stacks_share_is_told_once_with_their_names() -> None:
    answer = Answer(shared(10))

    assert text(answer).splitlines() == [
        "Deployment default/web",
        "  warning: dist/s00/web.yaml:7: spec.template.spec.containers[0].image: image web has no tag [image-tag]",
        "    hint: write the version as tag, or pin the digest (image@sha256:…)",
        "    stacks s00, s01, s02, s03, s04, s05, s06, s07 and 2 more",
    ]
    assert summary(answer) == "1 warning"
    assert github(answer).count("::warning") == 1
    assert github(answer).endswith("%0Astacks: s00, s01, s02, s03, s04, s05, s06, s07, s08, s09\n")
    [result] = orjson.loads(sarif(answer))["runs"][0]["results"]
    assert len(result["relatedLocations"]) == 9
    assert len(orjson.loads(json(answer))["findings"]) == 10


def test_of_very_many_places_the_first_are_shown() -> None:
    [finding] = findings()
    answer = Answer([replace(finding, file=f"{number:03}.yaml") for number in range(30)])

    assert len(text(answer).splitlines()) == 23
    assert text(answer).endswith("  and in 10 more places, which -o json names\n")


def test_what_is_not_written_is_placed_where_the_stack_asks_for_it() -> None:
    [finding] = findings()
    written = replace(finding, line=7, asked=Source("stacks/a.yaml", 3))
    refused = replace(written, unwritten=True)

    assert written.place == "dist/web.yaml:7"
    assert refused.place == "stacks/a.yaml:3"
    assert "file=stacks/a.yaml,line=3" in github(Answer([refused]))
    assert orjson.loads(json(Answer([written])))["findings"][0]["asked"] == {"file": "stacks/a.yaml", "line": 3}
    [result] = orjson.loads(sarif(Answer([refused])))["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 3}


def test_what_stacks_ask_for_on_lines_of_their_own_is_to_be_changed_on_each() -> None:
    [finding] = findings()
    refused = replace(finding, unwritten=True)
    own = [replace(refused, stack=name, asked=Source(f"stacks/{name}.yaml", 3)) for name in ("a", "b")]
    of_base = [replace(refused, stack=name, asked=Source("stacks/base.yaml", 3)) for name in ("a", "b")]

    assert [place.first.place for place in Answer(own).causes[0].places] == ["stacks/a.yaml:3", "stacks/b.yaml:3"]
    assert [place.stacks for place in Answer(of_base).causes[0].places] == [("a", "b")]


def test_what_could_not_be_covered_is_said_in_text_and_json() -> None:
    answer = Answer(
        check(rendered(thing({}))), unreadable=[Problem("no YAML")], rules_left_out=["quota-size"], files_left_out=2
    )

    assert list(uncovered(answer)) == [
        "fields not checked, no schema available: Thing.example.com (1)",
        "not covered, unreadable: 1 document",
        "not covered without a stack: quota-size",
        "left out, for only tools read it: 2 documents",
    ]
    document = orjson.loads(json(answer))
    assert document["coverage"]["kindsWithoutSchema"] == {"Thing.example.com": 1}
    assert document["unreadable"] == [{"where": "", "text": "no YAML", "hint": ""}]
    assert list(uncovered(NOTHING)) == []


def test_files_without_objects_and_values_with_variables_are_named() -> None:
    names = [f"{number}.yaml" for number in range(6)]
    answer = Answer([], no_objects=names, filled_in_later={"b.yaml": 2, "c.yaml": 1})

    assert list(uncovered(answer)) == [
        "left out, for they hold no Kubernetes objects: 0.yaml, 1.yaml, 2.yaml, 3.yaml and 2 more, which -o json names",
        "not checked, 3 values with variables that are filled in later: b.yaml, c.yaml",
    ]
    coverage = orjson.loads(json(answer))["coverage"]
    assert (coverage["filesWithoutObjects"], coverage["valuesWithVariables"]) == (names, {"b.yaml": 2, "c.yaml": 1})


def test_of_many_commands_that_render_the_first_are_told() -> None:
    answer = Answer([], files_left_out=9, rendered_by=[f"helm template ./{number}" for number in range(7)])

    assert list(uncovered(answer))[1:] == [
        "not checked is what these tools make of it:",
        *(f"  helm template ./{number}" for number in range(5)),
        "  and 2 more, which -o json names",
    ]
    assert orjson.loads(json(answer))["coverage"]["renderedBy"] == list(answer.rendered_by)


def test_json_holds_every_field_and_the_counts() -> None:
    document = orjson.loads(json(Answer(check(rendered(deployment(image="web"))), [Looked("a", "b")])))

    assert document["summary"] == {"error": 0, "warning": 1, "waived": 0}
    assert document["coverage"]["objects"] == 1
    [finding] = document["findings"]
    assert finding["rule"] == "image-tag"
    assert finding["key"] == {"group": "apps", "kind": "Deployment", "namespace": "default", "name": "web"}
    assert finding["file"] is None


def test_no_findings_are_said_in_words() -> None:
    assert (text(NOTHING), summary(NOTHING)) == ("", "no findings")


def test_what_is_waived_is_counted_beside_and_carried_with_its_reason() -> None:
    answer = Answer([replace(each, waived="for a day") for each in findings()])

    assert (text(answer), summary(answer)) == ("", "1 waived")
    document = orjson.loads(json(answer))
    assert document["findings"] == []
    assert [each["reason"] for each in document["waived"]] == ["for a day"]
    assert not answer.fails("warning")


def test_sarif_names_rules_places_and_lines() -> None:
    [finding] = findings()
    run = orjson.loads(sarif(Answer([replace(finding, line=7)])))["runs"][0]

    [result] = run["results"]
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert (rule["id"], result["ruleId"], result["level"]) == ("image-tag", "image-tag", "warning")
    assert rule["shortDescription"]["text"] == checks()["image-tag"].title
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "dist/web.yaml"},
        "region": {"startLine": 7},
    }


def test_sarif_carries_waivers_and_what_could_not_be_read() -> None:
    problem = Problem("no YAML", Source("a b.yaml", 3))
    [finding] = findings()
    run = orjson.loads(sarif(Answer([replace(finding, waived="for a day")], unreadable=[problem])))["runs"][0]

    assert run["results"][0]["suppressions"] == [{"kind": "external", "justification": "for a day"}]
    [invocation] = run["invocations"]
    assert invocation["executionSuccessful"] is False
    [told] = invocation["toolExecutionNotifications"]
    assert told["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "a%20b.yaml"}


def test_junit_has_a_test_for_every_object_and_a_failure_for_what_fails() -> None:
    looked = [Looked("dist/web.yaml", "Deployment default/web"), Looked("dist/x.yaml", "ConfigMap default/x")]
    answer = Answer(findings(imagePolicy="x"), looked, [Problem("no YAML", Source("bad.yaml", 1))])
    mild, strict = (ET.fromstring(junit(answer, fail_on=each)) for each in ("error", "warning"))

    assert (mild.get("tests"), mild.get("failures"), mild.get("errors")) == ("3", "1", "1")
    assert strict.get("failures") == "2"
    assert [case.get("name") for case in mild.iter("testcase")] == [
        "Deployment default/web",
        "ConfigMap default/x",
        "bad.yaml:1",
    ]
    [failure] = mild.iter("failure")
    assert failure.get("type") == "schema"


def test_github_gets_a_command_a_finding_with_what_it_would_read_as_its_own_escaped() -> None:
    [finding] = findings()
    odd = replace(finding, file="a,b:c.yaml", line=7, text="100%\n::error::no", hint="")

    assert github(Answer([odd])) == (
        "::warning file=a%2Cb%3Ac.yaml,line=7,title=image-tag::Deployment default/web: "
        "spec.template.spec.containers[0].image: 100%25%0A::error::no\n"
    )


@pytest.mark.parametrize("write", [json, sarif, github, lambda answer: junit(answer, fail_on="error")])
def test_odd_letters_break_no_form(write: object) -> None:
    [finding] = findings()
    odd = "\x00\x1b[31m\ud800\u202e<&>\"'"
    answer = Answer([replace(finding, text=odd, object=odd, path=odd, hint=odd)], unreadable=[Problem(odd)])

    said = write(answer)  # type: ignore[operator]

    assert "\x1b" not in said
    said.encode()
