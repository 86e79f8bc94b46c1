"""What dist/ has and the stacks no longer say: it goes only once a stack file says that it is to go, and why.

An engine deletes what leaves dist/, so a line lost in a merge must not be enough. The consent stands in the stack file,
where it is reviewed with the change; once dist/ is written it has no effect and may be dropped. A team needs it too: no
engine deletes its namespace, so its pods would go on without the policy, quotas and limits that hold them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from platform_def.components.catalogue import ALWAYS, catalogue
from platform_def.errors import ConfigError, Problem, Source
from platform_def.pipeline.load import FOLDER, Loaded, retired_stacks, stack_files
from platform_def.pipeline.output import index

_GUARDS = {
    "limitrange-defaults.yaml": "LimitRange",
    "networkpolicy.networking.k8s.io-team.yaml": "NetworkPolicy",
    "resourcequota-compute.yaml": "ResourceQuota",
    "resourcequota-gpus.yaml": "ResourceQuota",
}
"""What restricts the pods of a team, by its file. What an overlay adds to a namespace has other names."""


def gone_stacks(out: Path, root: Path) -> tuple[str, ...]:
    """Stacks in the output folder whose file says that they are retired; ConfigError for those that have no file."""
    present = {path.parent.name for path in out.glob(f"*/{index.FILE}")} if out.is_dir() else set()
    files, retired = stack_files(root), retired_stacks(root)
    lost = sorted(present - files.keys())
    if lost:
        raise ConfigError(_lost(out, name) for name in lost)
    return tuple(sorted(present & retired.keys()))


def _lost(out: Path, name: str) -> Problem:
    text = f"dist has the stack '{name}', whose file is gone".replace("dist", out.name, 1)
    hint = (
        f"put the file back; or, for a cluster that nothing is delivered to any more, let {FOLDER}/{name}.yaml hold "
        '`apiVersion: platform-def/v1` and `retire: "why"` until it has left; a renamed stack is another one'
    )
    return Problem(text, Source(f"{FOLDER}/{name}.yaml"), hint)


def refuse_unsaid(out: Path, stacks: Mapping[str, Loaded], components: Mapping[str, Sequence[str]]) -> None:
    """ConfigError for each component, and each namespace of a team, that the output folder has and the stack neither
    names nor retires.

    `components` are those that the stacks have now, provided ones among them.
    """
    problems = [
        problem for name, loaded in stacks.items() for problem in _unsaid(out, loaded, components.get(name, ()))
    ]
    if problems:
        raise ConfigError(problems)


def idle_retirements(out: Path, stacks: Iterable[Loaded]) -> Iterator[str]:
    """A warning for each name in `retire:` that neither the output folder nor the catalogue has: a typing mistake, or
    something that has gone already.
    """
    for loaded in stacks:
        said = _said(loaded).keys()
        files = _files(out, loaded.name) if said else ()
        for name in sorted(said - _written(files) - _guarded(files).keys() - catalogue().keys()):
            where = loaded.where("retire", name) or Source(loaded.file)
            text = f"retire.{name}: {out.name}/{loaded.name} has no component and no team's namespace of that name"
            yield f"warning: {where}: {text}\n  hint: take the entry out, or correct the name"


def _said(loaded: Loaded) -> Mapping[str, str]:
    return loaded.stack.retire if isinstance(loaded.stack.retire, dict) else {}


def _unsaid(out: Path, loaded: Loaded, present: Sequence[str]) -> Iterator[Problem]:
    said, files = _said(loaded), _files(out, loaded.name)
    for name in sorted(_written(files) - {*present} - said.keys()):
        text = f"component '{name}' is in {out.name}/{loaded.name}, and the stack no longer names it"
        close = get_close_matches(name, said.keys() - {*present}, n=1)
        hint = f'name it again, or say that it goes: retire: {{{name}: "why"}}'
        hint += f"; retire has '{close[0]}', which is not there" if close else ""
        yield Problem(text, loaded.where("components") or Source(loaded.file), hint)
    homes = {home for team in loaded.stack.teams for home in team.homes}
    for name, guards in sorted(_guarded(files).items()):
        if name not in homes | said.keys():
            held = f"{out.name}/{loaded.name} has {', '.join(sorted(guards))} in the namespace '{name}' of a team"
            text = f"{held} that the stack no longer names: they would be deleted while the namespace and its pods stay"
            kept = "its member's quota" if any(name.startswith(f"{home}-") for home in homes) else "the team"
            hint = f'keep {kept} until no pod runs there; then retire the namespace: retire: {{{name}: "why"}}'
            yield Problem(text, loaded.where("teams") or Source(loaded.file), hint)


def _written(files: Sequence[str]) -> set[str]:
    """The components that have files."""
    return {path.partition("/")[0] for path in files if not path.startswith("_")}


def _guarded(files: Sequence[str]) -> dict[str, set[str]]:
    """Kinds of what restricts the pods of teams, by namespace."""
    found: dict[str, set[str]] = {}
    for path in files:
        match path.split("/"):
            case [component, _, namespace, name] if component in ALWAYS:
                if name in _GUARDS:
                    found.setdefault(namespace, set()).add(_GUARDS[name])
    return found


def _files(out: Path, stack: str) -> Sequence[str]:
    """The files of a stack in the output folder, as its index says."""
    return [path for one in index.read(out, stack) for path in one.files]
