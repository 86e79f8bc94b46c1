"""What the forms of delivery by Argo CD came to, stack by stack: the records of `make delivery-table`, and their page.

A record is a file a stack (`tests/cluster/engines/measured`). The page says of each stack that Argo CD can deliver what
was measured, and names those that were not: a row that is missing cannot be taken for one that went well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from platform_def.components.catalogue import ALWAYS, BUILT_IN
from platform_def.delivery.gates import SINCE
from platform_def.manifests.loose import items, mapping
from platform_def.yaml import load_all

ROOT = Path(__file__).parent.parent
MEASURED = Path("tests/cluster/engines/measured")
"""Where the records are, from the top of the repository."""
PAGE = Path("docs/reference/delivery.md")
BARE = "bare"
FORMS: Mapping[str, str] = {"retries": "`retries`", "gates": "`gates`", BARE: "`retries`, `policies: false`"}
"""What the page calls each: the words of `delivery.order`, the simpler one first, and that one without policies."""
SURE = ("retries", "gates")
"""Forms that need no person. What the other one needs a person for is why there are policies."""
EXPERIMENTS: Mapping[str, str] = {
    "empty": "from empty",
    "update": "update in the worst order",
    "removal": "removal under finalizers",
    "webhook": "webhook away",
    "injector": "pod before its injector",
}
OUTCOMES: Mapping[str, str] = {
    "itself": "converges by itself",
    "later": "converges later",
    "person": "needs a person",
    "loses": "loses something",
    "none": "does not apply",
}
SOUND = frozenset({"itself", "later", "none"})
"""Outcomes that need no person."""
LOOKS_SECONDS = 10
"""How often Argo CD looks by itself in the experiments; an installation does every two to three minutes."""
SOON_SECONDS = 180.0
"""Three of the longest pauses between two tries: what takes longer, once the cause is gone, converges later."""


@dataclass(frozen=True)
class Outcome:
    """What became of one experiment."""

    outcome: str
    """One of `OUTCOMES`."""
    seconds: float = 0.0
    """From the moment at which nothing stood in the way any more."""
    about: str = ""
    """The object that it was tried with, and what was seen; or why it does not apply."""

    @property
    def sound(self) -> bool:
        """Whether it is as it must be."""
        return self.outcome in SOUND

    def __post_init__(self) -> None:
        if self.outcome not in OUTCOMES:
            raise ValueError(f"{self.outcome} is none of {', '.join(OUTCOMES)}")


@dataclass(frozen=True)
class Form:
    """What one form came to with a stack."""

    objects: int
    """In `_delivery/`."""
    policies: int
    """Of them, admission policies."""
    writes: int
    """Requests that the API server admitted during the first sync, trials included."""
    checks: int
    """Times that a policy was asked during the first sync."""
    experiments: Mapping[str, Outcome] = field(default_factory=dict)


@dataclass(frozen=True)
class Record:
    """The forms of one stack that were measured."""

    stack: str
    argo_cd: str
    parts: int
    forms: Mapping[str, Form] = field(default_factory=dict)


def deliverable(root: Path) -> Sequence[str]:
    """Stacks that Argo CD can deliver: all of them, whatever delivers them otherwise."""
    folders = (root / "stacks", root / "tests" / "coverage" / "stacks")
    return sorted(file.stem for folder in folders for file in folder.glob("*.yaml"))


def _file(root: Path, stack: str) -> Path:
    """Where a stack is said."""
    files = (root / "stacks" / f"{stack}.yaml", root / "tests" / "coverage" / "stacks" / f"{stack}.yaml")
    (found,) = (file for file in files if file.exists())
    return found


def possible(root: Path, stack: str, form: str) -> bool:
    """Whether the cluster of a stack knows what a form needs, or does without; a cluster without policies has one."""
    minor = re.search(r'kubernetes: "1\.(\d+)"', _file(root, stack).read_text(encoding="utf-8"))
    return form == "retries" or minor is None or int(minor[1]) >= int(SINCE.partition(".")[2])


def brought(root: Path, stack: str) -> frozenset[str]:
    """Components of the catalogue that a stack brings itself."""
    file = _file(root, stack)
    said = {name: each for name, each in _components(file, file.parent).items() if not each.get("provided")}
    return frozenset({*ALWAYS, *(str(each.get("component", name)) for name, each in said.items())} & BUILT_IN.keys())


def _components(file: Path, folder: Path) -> Mapping[str, Mapping[str, object]]:
    """What a stack's file says of components, and what those that it extends do."""
    (text,) = load_all(file.read_bytes(), file=str(file))
    stack = mapping(text)
    found: dict[str, Mapping[str, object]] = {}
    for base in items(stack.get("extends")):
        found |= _components(folder / str(base), folder)
    for name, each in mapping(stack.get("components")).items():
        found[name] = {**found.get(name, {}), **mapping(each)}
    return found


def read(folder: Path) -> Mapping[str, Record]:
    """The records of a folder by stack; ValueError for one that is not of this format."""
    return {file.stem: _record(file) for file in sorted(folder.glob("*.json"))}


def write(folder: Path, record: Record) -> None:
    """Write a record in the place of the one before it; forms that it lacks stay as they were recorded."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{record.stack}.json"
    before = _record(file).forms if file.exists() else {}
    merged = Record(record.stack, record.argo_cd, record.parts, {**before, **record.forms})
    file.write_text(json.dumps(asdict(merged), indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _record(file: Path) -> Record:
    found = json.loads(file.read_text(encoding="utf-8"))
    try:
        forms = {name: _form(each) for name, each in found["forms"].items()}
        record = Record(found["stack"], found["argo_cd"], found["parts"], forms)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{file} is no record of a delivery: {error}") from error
    if record.stack != file.stem or not forms.keys() <= {*FORMS}:
        raise ValueError(f"{file} is of another stack, or has a form that is none of {', '.join(FORMS)}")
    return record


def _form(found: dict[str, object]) -> Form:
    outcomes = found.pop("experiments")
    assert isinstance(outcomes, dict)
    if outcomes.keys() != EXPERIMENTS.keys():
        raise KeyError(f"not these experiments: {', '.join(EXPERIMENTS)}")
    return Form(**found, experiments={name: Outcome(**each) for name, each in outcomes.items()})  # type: ignore[arg-type]


def page(root: Path) -> str:
    """The text of the page."""
    names, records = deliverable(root), read(root / MEASURED)
    unknown = sorted(records.keys() - {*names})
    if unknown:
        raise ValueError(f"{MEASURED} has records of stacks that are gone: {', '.join(unknown)}")
    return "\n".join(_lines(root, names, records)) + "\n"


_HEAD = """\
Written by `make docs` from the records of `make delivery-table`: the real Argo CD brings a stack to an empty cluster
with a real API server, and five experiments follow there. [Delivery](../delivery.md) says which form is the default.
"""


def _lines(root: Path, names: Sequence[str], records: Mapping[str, Record]) -> Iterator[str]:
    rows = [(record, form) for record in records.values() for form in FORMS if form in record.forms]
    yield "# What the forms of delivery by Argo CD came to"
    yield ""
    yield _HEAD
    yield f"{len(names)} stacks can be delivered by Argo CD; of {len(records)} at least one form was measured:"
    yield ""
    yield from _covered(root, records)
    yield ""
    yield from _summary(rows)
    yield _EXPLAINED
    yield from _stacks(rows)
    yield from _notes(rows)
    yield from _unmeasured(root, names, records)


def _covered(root: Path, records: Mapping[str, Record]) -> Iterator[str]:
    """Which components the measured stacks hold, in each form that needs no person."""
    for form in SURE:
        measured = [name for name, record in records.items() if form in record.forms]
        held = frozenset[str]().union(*(brought(root, name) for name in measured))
        left = sorted(BUILT_IN.keys() - held)
        count = f"{len(BUILT_IN) - len(left)} of the catalogue's {len(BUILT_IN)} components"
        yield f"* {FORMS[form]}: {len(measured)} stacks, which hold {count}{_missing(left)}."


def _missing(components: Sequence[str]) -> str:
    return f"; in none of them: {', '.join(components)}" if components else ""


def _summary(rows: Sequence[tuple[Record, str]]) -> Iterator[str]:
    """How often each outcome was seen."""
    yield "## In short"
    yield ""
    yield f"| form | experiment | {' | '.join(OUTCOMES.values())} |"
    yield f"|---|---|{'---|' * len(OUTCOMES)}"
    for form in FORMS:
        forms = [record.forms[form] for record, name in rows if name == form]
        for key, title in EXPERIMENTS.items():
            counts = [sum(each.experiments[key].outcome == outcome for each in forms) for outcome in OUTCOMES]
            yield f"| {FORMS[form]} | {title} | {' | '.join(map(str, counts))} |"
    yield ""
    yield from _costs([record for record in records_of(rows) if record.forms.keys() >= {*SURE}])


def records_of(rows: Sequence[tuple[Record, str]]) -> list[Record]:
    """Each record once, in order."""
    return list({record.stack: record for record, _ in rows}.values())


def _costs(both: Sequence[Record]) -> Iterator[str]:
    """What a first sync takes in either form, of the stacks that were measured in both."""
    if not both:
        return
    yield f"Together, the {len(both)} stacks that were measured with `retries` and with `gates` take:"
    yield ""
    titles = ("objects in `_delivery/`", "policies in it", "writes", "policy checks")
    yield f"| form | {' | '.join(titles)} | seconds until ready |"
    yield "|---|---|---|---|---|---|"
    for form in SURE:
        found = [record.forms[form] for record in both]
        sums = [sum(getattr(each, name) for each in found) for name in ("objects", "policies", "writes", "checks")]
        spent = sum(each.experiments["empty"].seconds for each in found)
        yield f"| `{form}` | {' | '.join(map(str, sums))} | {spent:.0f} |"
    yield ""


_EXPLAINED = f"""\
## The experiments

Stacks that are measured in one run take turns on one control plane, which is emptied in between: everything that a
stack brought, its definitions among it, is gone before the next one comes.

* **From empty:** the second step of `platformctl bootstrap`, until everything is synced and healthy.
* **Update in the worst order:** one commit adds a field to a definition of the stack, restarts the program that serves
  it, and sets the field in an object that exists already. The API server refuses the change of the definition until
  Argo CD has compared the Applications of both three times.
* **Removal under finalizers:** one commit takes a component out, with all that needs it. A custom resource that its
  program serves carries a finalizer, so the program must stay until the resource is gone.
* **Webhook away:** no webhook answers while a commit changes an object that one of them must admit, until Argo CD has
  compared its Application three times.
* **Pod before its injector:** after the first sync, every pod that a webhook of the stack would change was
  changed. Only webhooks count without which the API server refuses pods.

Pods do nothing here. A webhook is answered from the moment on at which a pod behind its Service runs. So the
table says nothing of programs that look for definitions only as they start: prometheus-operator, started before
these, answers its probes and does nothing until it is restarted. Under `retries` the policy
`platform-def-definitions` refuses its pods until then, which the tests try with the real one.

Without policies, `policies: false`, some stacks were tried to see what the policies are for. That form needs a person
there; a cluster before Kubernetes 1.30 has it with `retries`.

Seconds count from the moment at which nothing stands in the way any more. What takes longer than {SOON_SECONDS:.0f},
three of the longest pauses between two tries, *converges later*; from empty there is no such limit. *Needs a
person* is what a refresh or a restart by hand then mended. Argo CD looks every {LOOKS_SECONDS} seconds here, and
every two to three minutes where it is installed: add that to what a failed comparison delays. Stacks measured before
the pauses between tries became shorter may show more seconds, and before pods waited for definitions
or the syncs of parts that go were ended, fewer objects and policies. The machines had two cores and other work: compare
the forms with each other.
"""


def _stacks(rows: Sequence[tuple[Record, str]]) -> Iterator[str]:
    yield "## Stacks"
    yield ""
    yield f"| stack | form | objects | writes | policies asked | {' | '.join(EXPERIMENTS.values())} |"
    yield f"|---|---|---|---|---|{'---|' * len(EXPERIMENTS)}"
    for record, name in rows:
        form = record.forms[name]
        cells = [_cell(form.experiments[key]) for key in EXPERIMENTS]
        costs = [FORMS[name], str(form.objects), str(form.writes), str(form.checks)]
        yield f"| {record.stack} | {' | '.join(costs + cells)} |"
    yield ""


def _cell(outcome: Outcome) -> str:
    if outcome.outcome == "none":
        return "none"
    words = {"itself": "", "later": "later, ", "person": "**person**, ", "loses": "**loses**, "}[outcome.outcome]
    return f"{words}{outcome.seconds:.0f} s"


def _notes(rows: Sequence[tuple[Record, str]]) -> Iterator[str]:
    """What was seen where a form did not converge by itself."""
    told = [
        f"* `{record.stack}`, {FORMS[name]}, {EXPERIMENTS[key]}: {each.about.rstrip('.')}."
        for record, name in rows
        for key, each in record.forms[name].experiments.items()
        if each.outcome not in SOUND
    ]
    if told:
        yield from ("Where it needed a person, or lost something:", "", *told, "")


def _unmeasured(root: Path, names: Sequence[str], records: Mapping[str, Record]) -> Iterator[str]:
    yield "## Not measured"
    yield ""
    for form in FORMS:
        able = [name for name in names if possible(root, name, form)]
        left = [name for name in able if name not in records or form not in records[name].forms]
        yield f"* {FORMS[form]}: {', '.join(left) or 'none is left'}."
        if form == "gates" and (too_old := sorted({*names} - {*able})):
            yield f"* {FORMS[form]} needs Kubernetes {SINCE} or newer, which these do not have: {', '.join(too_old)}."
    yield ""
    yield '`make delivery-table STACKS="queues secrets"` measures these.'
    yield ""
    yield _COMPUTED


_COMPUTED = """\
Of every stack, measured or not, the tests compute that no webhooks and pods wait for each other, so that trying again
brings all of it, that each pod which a webhook must change is refused until that webhook is there, and each pod whose
program looks for definitions only as it starts until these are there."""


def main() -> None:
    """Write the page."""
    (ROOT / PAGE).write_text(page(ROOT), encoding="utf-8")


if __name__ == "__main__":
    main()
