"""Rules that Prometheus does not load, and monitors that prometheus-operator leaves out.

Facts: Prometheus 3 (model/rulefmt/rulefmt.go: Rule.Validate), by which prometheus-operator 0.93 judges PrometheusRules
in its webhook and before it writes one. Of monitors, its resource selector: it rejects a timeout above the
interval, and says so in an event alone. Loki's rulers and VictoriaMetrics read the same kind in languages of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.checks.fault import Fault
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.rendered import Manifest

GROUP = "monitoring.coreos.com"
_IGNORED = "prometheus-operator loads no rule of the object"
_OTHER_LANGUAGE = re.compile(r"\||\b(?:anchored|smoothed)\b")
"""LogQL's pipes, and what newer releases try out: an expression that has them is left to its reader."""
_QUOTED = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)""")
_ALERTS_ALONE = ("annotations", "for", "keep_firing_for")
_DURATION = re.compile(r"(?:(\d+)y)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?")
_MILLISECONDS = (31_536_000_000, 604_800_000, 86_400_000, 3_600_000, 60_000, 1000, 1)
_ENDPOINTS = {"ServiceMonitor": "endpoints", "PodMonitor": "podMetricsEndpoints"}


def of_rule(manifest: Manifest) -> Iterator[Fault]:
    """A PrometheusRule."""
    for first, group in enumerate(map(mapping, items(at(manifest, "spec.groups")))):
        for second, rule in enumerate(map(mapping, items(group.get("rules")))):
            yield from _of_one(rule, f"spec.groups[{first}].rules[{second}]")


def of_monitor(manifest: Manifest) -> Iterator[Fault]:
    """A ServiceMonitor, PodMonitor, Probe or ScrapeConfig."""
    spec, kind = mapping(manifest.get("spec")), text(manifest.get("kind"))
    if field := _ENDPOINTS.get(kind):
        asked = [(f"spec.{field}[{index}].", mapping(each)) for index, each in enumerate(items(spec.get(field)))]
    else:
        asked = [("spec.", spec)]
    interval = "scrapeInterval" if kind == "ScrapeConfig" else "interval"
    for path, each in asked:
        timeout, every = _milliseconds(each.get("scrapeTimeout")), _milliseconds(each.get(interval))
        if timeout and every and timeout > every:
            said = f"{each['scrapeTimeout']} is longer than {interval}, {each[interval]}"
            hint = f"write at most {each[interval]}, or raise {interval}"
            yield Fault(f"{path}scrapeTimeout", f"{said}: prometheus-operator leaves the {kind} out", hint)


def _of_one(rule: Mapping[str, Any], path: str) -> Iterator[Fault]:
    alert, record = text(rule.get("alert")), text(rule.get("record"))
    if alert and record:
        yield Fault(f"{path}.record", f"a rule alerts or records, not both: {_IGNORED}", "make two rules of it")
    if not (alert or record):
        yield Fault(path, f"has neither alert nor record: {_IGNORED}", "name the alert, or the series that it records")
    if record and not alert:
        yield from _of_recording(rule, record, path)
    if "expr" in rule:
        yield from _of_expression(str(rule["expr"]), f"{path}.expr")
    for field in ("labels", "annotations") if alert else ():
        for name, value in mapping(rule.get(field)).items():
            if _unclosed(text(value)):
                said = f"has '{{{{' without '}}}}': {_IGNORED}"
                yield Fault(f"{path}.{field}.{name}", said, "close what the template writes by '}}'")


def _of_recording(rule: Mapping[str, Any], record: str, path: str) -> Iterator[Fault]:
    for field in _ALERTS_ALONE:
        if rule.get(field):
            yield Fault(f"{path}.{field}", f"is for alerts, and this rule records: {_IGNORED}", "leave it out")
    if "{" in record or "}" in record:
        said = f"'{record[:60]}' has braces, which no name of a series may have here: {_IGNORED}"
        yield Fault(f"{path}.record", said, "write the name alone; labels go to `labels`")


def _of_expression(expression: str, path: str) -> Iterator[Fault]:
    import promql_parser  # native code, needed for rules alone

    if not expression.strip():
        yield Fault(path, f"is empty: {_IGNORED}", "write the condition of the alert, or what is recorded")
        return
    try:
        promql_parser.parse(expression)
    except ValueError as error:
        said = str(error).splitlines()[0][:120]
        if _OTHER_LANGUAGE.search(_QUOTED.sub("", expression)) or "inside brackets" in said:
            return
        # Another program that reads the kind may have a function that Prometheus lacks.
        unknown = "unknown function" in said
        hint = "try it by `promtool check rules`, or in Prometheus' own page"
        yield Fault(path, f"is no PromQL: {said}: {_IGNORED}", hint, "warning" if unknown else None)


def _unclosed(template: str) -> bool:
    """Whether an action of a template has no end; braces within strings of it are text."""
    return any("}}" not in _QUOTED.sub("", action) for action in template.split("{{")[1:])


def _milliseconds(written: object) -> int | None:
    found = _DURATION.fullmatch(text(written))
    if not found or not any(found.groups()):
        return None
    return sum(int(number or 0) * unit for number, unit in zip(found.groups(), _MILLISECONDS, strict=True))
