"""The experiments of the delivery table, one after another on a cluster on which the real Argo CD has brought a stack."""

from __future__ import annotations

import copy
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from maintenance.delivery_table import SOON_SECONDS, Form, Outcome
from platform_def.delivery.target import part_name
from platform_def.manifests.rendered import RenderedObject, RenderedStack
from platform_def.yaml import dump, load_all
from tests.cluster.client import Api, Manifest
from tests.cluster.engines import picked, state
from tests.cluster.engines.allow import CHANGED
from tests.cluster.engines.argocd import ArgoCd
from tests.cluster.engines.refusing import definitions_refused
from tests.cluster.engines.story import FINALIZER, Delivered, leaves, set_finalizers

LOOKS = 2
"""How often Argo CD must have compared an Application by itself before what stands in the way goes: what a comparison that
failed leaves behind is seen at the next one."""
TRIED_SECONDS = 90.0
"""How long that may take; a form under which it is not tried at all has been given its time then."""
PATIENCE_SECONDS = 300.0
"""After which nobody would wait any longer for a form to converge by itself: longer than four of the longest pauses."""
INJECTED_SECONDS = 30.0
"""After which a pod that is left as it was stays so: nothing starts it again."""
MENDED_SECONDS = 240.0
NOTE = "platform-def.test/round"
PODS = "/api/v1/pods"
TRIES = 4
"""How many components are tried, until one can leave the stack."""


def measured(there: Delivered[ArgoCd], seconds: Callable[[], float]) -> Form:
    """All experiments, from the moment at which the repository was handed over; `seconds` counts from there."""
    before = counted(there.api)
    there.engine.wait(there.repository, there.repository.revision)
    empty = Outcome("itself", round(seconds(), 1))
    after = counted(there.api)
    stack = picked.rendered(there.repository.folder)
    delivery = there.repository.manifests("_delivery")
    experiments = {
        "empty": empty,
        "injector": injector(there, stack),
        "update": update(there, stack),
        "webhook": webhook(there, stack),
        "removal": removal(there, stack),
    }
    return Form(
        objects=len(delivery),
        policies=sum(each["kind"].endswith("AdmissionPolicy") for each in delivery),
        writes=round(after.writes - before.writes),
        checks=round(after.checks - before.checks),
        experiments=experiments,
    )


@dataclass(frozen=True)
class Counted:
    """What an API server has done since it started."""

    writes: float
    checks: float


def counted(api: Api) -> Counted:
    """By its own metrics."""
    text = api.text("/metrics")

    def total(name: str, label: str = "") -> float:
        rows = re.findall(rf"^{name}(\{{[^\n]*\}})? ([0-9.e+]+)$", text, re.MULTILINE)
        return sum(float(value) for labels, value in rows if label in labels)

    asked = ("validating_admission_policy_check_total", "mutating_admission_policy_check_total")
    return Counted(
        writes=total("apiserver_admission_step_admission_duration_seconds_count", 'type="validate"'),
        checks=sum(total(f"apiserver_{name}") for name in asked),
    )


def update(there: Delivered[ArgoCd], stack: RenderedStack) -> Outcome:
    """A definition, its program and an object with the new field come in one commit, the definition last."""
    found = picked.extensible(stack)
    if found is None:
        return Outcome("none", about="it brings no custom resource whose definition lists its fields")
    ops = [{"op": "add", "path": path, "value": {"type": "string"}} for path in picked.version_paths(found)]
    with definitions_refused(there.api, found.definition.name):
        overlay(there, found.definition, json.dumps(ops))
        overlay(
            there,
            found.program,
            merged(found.program, {"spec": {"template": {"metadata": {"annotations": {NOTE: "update"}}}}}),
        )
        overlay(there, found.resource, merged(found.resource, {"spec": {picked.FIELD: "yes"}}))
        revision = there.repository.commit("A definition, its program and its object")
        tried(there, found.definition, found.resource)

    def done() -> bool:
        template = there.api.read(found.program.manifest).body["spec"]["template"]["metadata"]
        has_field = there.api.read(found.resource.manifest).body["spec"].get(picked.FIELD) == "yes"
        return bool(has_field and template.get("annotations", {}).get(NOTE) == "update")

    return settled(there, revision, done, about=str(found))


def webhook(there: Delivered[ArgoCd], stack: RenderedStack) -> Outcome:
    """An object changes while the webhook that must admit it does not answer."""
    found = picked.admitted(stack)
    if found is None:
        return Outcome("none", about="no webhook of it must admit an object that it brings")
    there.stand_ins.fall_silent()
    overlay(there, found, merged(found, {"metadata": {"annotations": {NOTE: "webhook"}}}))
    revision = there.repository.commit("An object that a webhook must admit")
    tried(there, found)
    done = partial(is_noted, there.api, found.manifest, "webhook")
    was_asked = not done()
    there.stand_ins.answer()
    outcome = settled(there, revision, done, about=str(found))
    return outcome if was_asked else Outcome("none", about=f"{found} was changed all the same")


def removal(there: Delivered[ArgoCd], stack: RenderedStack) -> Outcome:
    """A component leaves with a resource under a finalizer, which only its program takes away."""
    for leaving in picked.leaving(stack)[:TRIES]:
        before = there.repository.file.read_text(encoding="utf-8")
        try:
            revision = retired(there, leaving.components)
        except AssertionError:
            there.repository.file.write_text(before, encoding="utf-8")
            continue
        return gone(there, leaving, revision)
    return Outcome("none", about="none of its components that serve a resource can leave it")


def retired(there: Delivered[ArgoCd], components: Sequence[str]) -> str:
    """The revision without these components; AssertionError with what synth says where others cannot do without them."""
    file = there.repository.file
    (stack,) = cast("list[Manifest]", load_all(file.read_bytes(), file=str(file)))
    said = stack.get("components") or {}
    rest = {name: value for name, value in said.items() if name not in components}
    inherited = {name: None for name in components if name not in said}
    changed = {**stack, "components": {**rest, **inherited}, "retire": dict.fromkeys(components, "it goes")}
    if changed.get("gateway") in components:
        del changed["gateway"]
    if waivers := (stack.get("checks") or {}).get("waive"):
        kept = [each for each in waivers if not any(f"/{name}" in str(each) for name in components)]
        changed["checks"] = {**stack["checks"], "waive": kept}
    file.write_text(dump(changed), encoding="utf-8")
    for each in components:
        there.repository.drop_overlay(each)
    return there.repository.commit(f"Without {', '.join(components)}")


def gone(there: Delivered[ArgoCd], leaving: picked.Leaving, revision: str) -> Outcome:
    """Whether the program stays until its resource has gone, and all is well then."""
    api, engine, held, program = there.api, there.engine, leaving.served.resource, leaving.served.program
    about = f"{held}, and {', '.join(leaving.components)} go"
    set_finalizers(api, held.manifest, [FINALIZER])
    engine.look()
    main = part_name(program.component, "main")
    if within(partial(leaves, api, held.manifest), PATIENCE_SECONDS) is None:
        return Outcome("person", PATIENCE_SECONDS, f"{about}: the resource was not told to go; {brief(engine)}")
    within(lambda: engine.keeps(main) or is_leaving(api, program.manifest), TRIED_SECONDS)
    if is_leaving(api, program.manifest):
        return Outcome("loses", about=f"{about}: {program} went before it")
    set_finalizers(api, held.manifest, [])
    return settled(there, revision, lambda: main not in engine.applications(), about=about)


def injector(there: Delivered[ArgoCd], stack: RenderedStack) -> Outcome:
    """Every pod that a webhook would change now has been changed, some minutes later at the latest."""
    keys = {changed_by(path) for path in picked.injectors(stack)}
    programs = [
        item.manifest
        for component in stack.components.values()
        for item in component.objects
        if item.group == "apps" and item.kind in picked.PROGRAMS and keys
    ]
    wanted = {_which(each): found for each in programs if (found := keys & noted(there.api, each))}
    if not wanted:
        return Outcome("none", about="no webhook of it must change a pod that it brings")
    by_name = {_which(each): each for each in programs}

    def unchanged() -> list[str]:
        return [
            f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
            for key, marks in wanted.items()
            for pod in pods(there.api, by_name[key])
            if not marks <= {*(pod["metadata"].get("annotations") or {})}
        ]

    took = within(lambda: not unchanged(), INJECTED_SECONDS)
    if took is None:
        return Outcome(
            "person", INJECTED_SECONDS, f"pods without what a webhook adds: {', '.join(sorted(unchanged()))}"
        )
    return Outcome("itself", round(took, 1), f"{len(wanted)} programs have pods that a webhook changes")


def _which(manifest: Manifest) -> tuple[str, str, str]:
    """Which program it is."""
    metadata = manifest["metadata"]
    return manifest["kind"], metadata["namespace"], metadata["name"]


def noted(api: Api, program: Manifest) -> set[str]:
    """The annotations that a pod of a program would get if it were made now."""
    template = copy.deepcopy(program["spec"]["template"])
    pod = {"apiVersion": "v1", "kind": "Pod", **template}
    pod["metadata"] = {**template["metadata"], "generateName": "tried-"}
    reply = api.request("POST", f"/api/v1/namespaces/{program['metadata']['namespace']}/pods?dryRun=All", pod)
    return {*((reply.body.get("metadata") or {}).get("annotations") or {})}


def pods(api: Api, program: Manifest) -> list[Manifest]:
    """Those of a program."""
    wanted = program["spec"]["selector"]["matchLabels"].items()
    found = api.get(f"/api/v1/namespaces/{program['metadata']['namespace']}/pods").body.get("items") or ()
    return [each for each in found if wanted <= (each["metadata"].get("labels") or {}).items()]


def changed_by(path: str) -> str:
    """The annotation by which a stand-in says that a webhook changed a pod."""
    return CHANGED + (path.strip("/").replace("/", "_") or "root")[:60]


def tried(there: Delivered[ArgoCd], *items: RenderedObject) -> None:
    """Have the repository read, and wait until Argo CD has compared the Applications of some objects by itself."""
    names = {part_name(item.component, item.part) for item in items}
    before = there.engine.comparisons()
    there.engine.look()
    # That one, which is asked for, keeps nothing of what the one before has found.
    wanted = {name: before[name] + 1 + LOOKS for name in names}
    within(lambda: all(there.engine.comparisons()[name] >= count for name, count in wanted.items()), TRIED_SECONDS)


def is_leaving(api: Api, item: Manifest) -> bool:
    """Whether an object is gone, or was told to go."""
    found = api.read(item)
    return found.status != 200 or "deletionTimestamp" in found.body["metadata"]


def settled(there: Delivered[ArgoCd], revision: str, done: Callable[[], bool], *, about: str) -> Outcome:
    """How everything comes to a revision: by itself, or after a person has asked Argo CD to look once more."""
    names = [
        each["metadata"]["name"] for each in there.repository.manifests("_delivery") if each["kind"] == "Application"
    ]
    whole = lambda: there.engine.synced(revision, names) and done()  # noqa: E731 - it is passed on
    took = within(whole, PATIENCE_SECONDS)
    if took is not None:
        return Outcome("itself" if took <= SOON_SECONDS else "later", round(took, 1), about)
    told = brief(there.engine)
    if leaving := on_their_way(there.api):
        told = f"{told}; still going: {', '.join(leaving)}"
    there.engine.look()
    mended = within(whole, MENDED_SECONDS)
    how = "a refresh by hand mends it" if mended is not None else "a refresh by hand does not mend it"
    return Outcome("person", PATIENCE_SECONDS, f"{about}: {how}; {told}")


def brief(engine: ArgoCd) -> str:
    """What Applications say that are not ready, in few words."""
    lines = [line for line in engine.told().splitlines() if "Synced" not in line or "; Healthy" not in line]
    return " ".join(" / ".join(lines or ["all Applications are Synced and Healthy"]).split())[:300]


def on_their_way(api: Api) -> list[str]:
    """Some of the objects and pods that were told to go and are still there."""
    found = [key for key, each in state.objects(api).items() if "deletionTimestamp" in each["metadata"]]
    pods = (each["metadata"] for each in api.get(PODS).body.get("items") or ())
    names = [f"Pod {each['namespace']}/{each['name']}" for each in pods if "deletionTimestamp" in each]
    return [*names, *state.names(found)][:5]


def within(condition: Callable[[], bool], seconds: float) -> float | None:
    """After how many seconds a condition holds; None where it does not within these."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() > began + seconds:
            return None
        time.sleep(0.5)
    return time.monotonic() - began


def is_noted(api: Api, item: Manifest, note: str) -> bool:
    """Whether an object has the annotation of an experiment."""
    found = api.read(item)
    return found.status == 200 and (found.body["metadata"].get("annotations") or {}).get(NOTE) == note


def merged(item: RenderedObject, patch: Mapping[str, Any]) -> str:
    """A merge patch of an object."""
    metadata = {"name": item.name, **patch.get("metadata", {})}
    return dump({"apiVersion": item.api_version, "kind": item.kind, **patch, "metadata": metadata})


def overlay(there: Delivered[ArgoCd], item: RenderedObject, patch: str) -> None:
    """Have an object of the stack changed by an overlay, as its owner would."""
    there.repository.overlay(item.component, item.manifest, patch)
