"""What a stack changes of workloads, laid over what a component wrote; and which workloads there are to be changed.

A name that a component does not have is refused with the nearest one: a knob without effect would be silent.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from platform_def.apis.core.core_v1 import Container, EnvVar, ResourceRequirements
from platform_def.config.model import Model
from platform_def.config.workloads import ContainerChanges, SecretKey, WorkloadConfig
from platform_def.errors import ConfigError, Problem, nearest


@dataclass
class WorkloadRole:
    """One workload that a component has."""

    scales: bool = False
    """It supports more than one pod."""
    belongs_to_nodes: bool = False
    """Its pods run beside something of the node, which says where they run."""
    containers: set[str] = field(default_factory=set)
    volumes: set[str] = field(default_factory=set)
    """Volumes that it keeps data on."""
    takes: frozenset[str] | None = None
    """What can be changed of it, such as `resources` and `env`, where a controller makes its pods from its settings;
    None: everything."""


class Roles:
    """The workloads of one component, as far as it has made them."""

    def __init__(self) -> None:
        self._roles: dict[str, WorkloadRole] = {}
        self._aliases: dict[str, str] = {}
        self.identities: dict[str, dict[str, str]] = {}
        """Annotations that a stack wants on accounts, by the account's name."""

    def alias(self, name: str, role: str) -> None:
        """An instance's own name of what is `role` in every instance."""
        self._aliases[name] = role

    def role_of(self, name: str) -> str:
        """The role of a workload that is called `name`."""
        return self._aliases.get(name, name)

    def add(self, role: str, *, scales: bool = False, belongs_to_nodes: bool = False) -> WorkloadRole:
        """The role, which several objects may have."""
        found = self._roles.setdefault(role, WorkloadRole())
        found.scales |= scales
        found.belongs_to_nodes |= belongs_to_nodes
        return found

    def identify(self, account: str, annotations: Mapping[str, str]) -> None:
        """Annotate the account that a workload runs under."""
        self.identities.setdefault(account, {}).update(annotations)

    def known(self) -> Mapping[str, WorkloadRole]:
        """All of them by name."""
        return dict(sorted(self._roles.items()))

    def refuse_unknown(self, component: str, chosen: Mapping[str, WorkloadConfig]) -> None:
        """ConfigError with everything in `chosen` that would be without effect."""
        problems = list(_strange(f"components.{component}.workloads", chosen, self._roles))
        if problems:
            raise ConfigError(problems)


def _strange(path: str, chosen: Mapping[str, WorkloadConfig], roles: Mapping[str, WorkloadRole]) -> Iterator[Problem]:
    for name, wanted in chosen.items():
        at = f"{path}.{name}"
        role = roles.get(name)
        if role is None:
            yield Problem(f"{at}: there is no such workload", hint=_choices(name, roles))
            continue
        if role.takes is not None:
            yield from _untaken(at, wanted, role.takes)
        if role.belongs_to_nodes and wanted.placement.node_selector:
            hint = "its nodes are those of the node pools that it serves, or all; change `nodePools`"
            yield Problem(f"{at}.placement.nodeSelector: its pods belong to nodes and follow those", hint=hint)
        if role.takes is None and not role.scales and (wanted.autoscale or (wanted.replicas or 0) > 1):
            knob = "autoscale" if wanted.autoscale else "replicas"
            yield Problem(f"{at}.{knob}: this workload supports only one replica", hint=f"leave `{knob}` out")
        for container in sorted(set(wanted.containers) - role.containers):
            text = f"{at}.containers.{container}: there is no such container"
            yield Problem(text, hint=_choices(container, role.containers))
        for volume in sorted(set(wanted.volumes) - role.volumes):
            text = f"{at}.volumes.{volume}: it keeps no data on a volume of that name"
            yield Problem(text, hint=_choices(volume, role.volumes))


def refuse_unknown_routes(component: str, chosen: Iterable[str], known: Collection[str]) -> None:
    """ConfigError with routes that the stack names and the component does not have."""
    problems = [
        Problem(
            f"components.{component}.routing.{name}: there is no such route",
            hint=_choices(name, known),
            at=("components", component, "routing", name),
        )
        for name in sorted(set(chosen) - set(known))
    ]
    if problems:
        raise ConfigError(problems)


def _untaken(at: str, wanted: WorkloadConfig, takes: frozenset[str]) -> Iterator[Problem]:
    """Knobs that the controller which makes the pods has no place for."""
    found = dict.fromkeys(_set(wanted) - {"containers", "volumes"}, at)
    for name, container in wanted.containers.items():
        found |= dict.fromkeys(_set(container), f"{at}.containers.{name}")
    if wanted.volumes:
        found["volumes"] = at
    for knob in sorted(found.keys() - takes):
        text = f"{found[knob]}.{knob}: a controller makes its pods, and has no place for it"
        yield Problem(text, hint=f"what can be changed: {', '.join(sorted(takes))}")


def _set(model: Model) -> set[str]:
    """Fields in which it differs from one that says nothing, as files write them."""
    return {
        field.alias or name
        for name, field in type(model).model_fields.items()
        if getattr(model, name) != field.get_default(call_default_factory=True)
    }


def _choices(name: str, known: Iterable[str]) -> str:
    return nearest(name, known) or (f"there are {', '.join(sorted(known))}" if known else "there are none")


def changed(container: Container, chosen: ContainerChanges | None, where: str) -> Container:
    """The container with the stack's resources, variables and flags; ConfigError for a flag that stands twice."""
    if chosen is None:
        return container
    made = cast(Container, dict(container))
    given = made.get("resources", {})
    requests = {**given.get("requests", {}), **chosen.resources.requests.plain()}
    limits = {**given.get("limits", {}), **chosen.resources.limits.plain()}
    amounts = {name: each for name, each in (("limits", limits), ("requests", requests)) if each}
    if amounts:
        made["resources"] = cast(ResourceRequirements, amounts)
    if chosen.env:
        kept = [each for each in made.get("env", []) if each["name"] not in chosen.env]
        made["env"] = [*kept, *(_variable(name, value) for name, value in chosen.env.items())]
    for name, value in chosen.flags.items():
        if not made.get("args") and len(made.get("command", [])) > 1:
            made["command"] = _with_flag(made["command"], name, value, where)
        else:
            made["args"] = _with_flag(made.get("args", []), name, value, where)
    return made


def _variable(name: str, value: str | SecretKey) -> EnvVar:
    if isinstance(value, SecretKey):
        return {"name": name, "valueFrom": {"secretKeyRef": {"name": value.secret, "key": value.key}}}
    return {"name": name, "value": value}


def _with_flag(arguments: Sequence[str], name: str, value: str | None, where: str) -> list[str]:
    """The arguments with `--name=value` in place of what they say of it, or without it."""
    places = [index for index, each in enumerate(arguments) if _is_flag(each, name)]
    if len(places) > 1:
        raise ConfigError(
            f"{where}.flags.{name}: the component sets it {len(places)} times, and it is unclear which one is meant",
            hint="use an overlay for this one",
        )
    flag = [] if value is None else [f"{_dashes(arguments)}{name}={value}" if value else f"{_dashes(arguments)}{name}"]
    if not places:
        return [*arguments, *flag]
    at = places[0]
    apart = "=" not in arguments[at] and at + 1 < len(arguments) and not arguments[at + 1].startswith("-")
    return [*arguments[:at], *flag, *arguments[at + (2 if apart else 1) :]]


def _is_flag(argument: str, name: str) -> bool:
    return argument.startswith("-") and argument.lstrip("-").partition("=")[0] == name


def _dashes(arguments: Sequence[str]) -> str:
    """Programs of one dash take two as well, but not the reverse; yet what stands beside the others is read best."""
    flags = [each for each in arguments if each.startswith("-")]
    return "-" if flags and not any(each.startswith("--") for each in flags) else "--"
