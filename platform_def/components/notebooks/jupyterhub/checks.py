"""What of a stack JupyterHub cannot serve, told before anything is built."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.components.notebooks.jupyterhub.config import JupyterhubConfig
from platform_def.components.notebooks.jupyterhub.profiles import choices, problems_of, unqueued
from platform_def.components.notebooks.jupyterhub.settings import IDENTITY, home_storage
from platform_def.config.storage import LocalPath
from platform_def.constructs import Problem, Setting
from platform_def.constructs.route import gateway_of
from platform_def.errors import ConfigError, nearest

At = Setting[JupyterhubConfig]


def of_access(at: At) -> Iterator[Problem]:
    """Pages that no one reaches, an identity provider that knows nothing of the hub."""
    config, here, knob = at.config, ("components", at.name, "access"), f"components.{at.name}"
    alone = "or write `access: administrators` to reach it by port-forward alone"
    if config.access != "administrators" and gateway_of(at.platform) is None:
        text = f"{knob}.access: the stack has no gateway, so {config.access} could not reach its pages"
        yield Problem(text, hint=f"add one and name it under `gateway:`, {alone}", at=here)
        return
    if config.access != "people":
        return
    if at.platform.ingress.host is None:
        text = f"{knob}.access: the stack has no host to which browsers return after they signed in"
        yield Problem(text, hint="write `ingress: {host: …}`, or `access: everyone` for a password of its own", at=here)
    given = at.maybe(IDENTITY)
    if given is None:
        text = f"{knob}.access: nothing in the stack says who people are"
        hint = "add dex or name an issuer under `external: {identity: …}`, or write `access: everyone` for a password"
        yield Problem(text, hint=hint, at=here)
    elif not given.value.clients_namespace and config.client_secret.generate:
        text = f"{knob}.clientSecret: {given.value.issuer} is outside the stack and does not know a generated secret"
        hint = f"register the client {config.client_id} there, and name its Secret: `clientSecret: {{existing: …}}`"
        yield Problem(text, hint=hint, at=("components", at.name, "clientSecret"))


def of_profiles(at: At) -> Iterator[Problem]:
    """No team, a team that is not there, a profile that no one of its teams can start."""
    config, platform, here = at.config, at.platform, ("components", at.name)
    knob, teams = f"components.{at.name}", {team.name: team for team in platform.teams}
    if not teams:
        text = f"{knob}: the stack has no teams, in whose namespaces servers run"
        yield Problem(text, hint="write `teams: [{name: research}]`", at=here)
        return
    if config.guests and config.guests not in teams:
        yield Problem(
            f"{knob}.guests: there is no team '{config.guests}'",
            hint=nearest(config.guests, teams),
            at=(*here, "guests"),
        )
    for choice in choices(config, platform):
        place = here if choice.suggested else (*here, "profiles", choice.name)
        named = f"{knob}.profiles.{choice.name}"
        for name in choice.wanted.teams:
            if name not in teams:
                yield Problem(f"{named}.teams: there is no team '{name}'", hint=nearest(name, teams), at=place)
        general = problems_of(choice, None, platform)
        wanted = [] if choice.suggested else [teams[name] for name in choice.wanted.teams or teams if name in teams]
        of_teams = [found for team in wanted for found in problems_of(choice, team, platform)] if not general else []
        for problem in {each.text: each for each in (general or of_teams)}.values():
            text = f"{named}.{problem.field}: {problem.text}"
            yield Problem(text, hint=problem.hint or "change the profile, or leave it out", at=place)
        if choice.wanted.gpus and choice.wanted.teams and not config.outside_queues:
            for team in wanted:
                if unqueued(choice, team, platform):
                    text = f"{named}.teams: the queue of team {team.name} lets jobs in, and no pods by themselves"
                    yield Problem(text, hint="write `outsideQueues: true`, or leave the team out", at=place)


def of_homes(at: At) -> Iterator[Problem]:
    """Storage that is not there, or whose folders belong to another user whatever a pod asks for."""
    here, who = ("components", at.name, "home"), f"components.{at.name}.home"
    try:
        home_storage(at.config, at.platform, who)
    except ConfigError as error:
        yield from (Problem(each.text, hint=each.hint, at=here) for each in error.problems)
        return
    wanted = at.config.home.storage
    entry = at.platform.storage.get(at.platform.storage_kinds.get(wanted, wanted)) if wanted else None  # type: ignore[call-overload]
    if isinstance(entry, LocalPath) and int(entry.permissions, 8) & 0o7 != 0o7:
        text = (
            f"{who}.storage: folders of '{wanted}' have mode {entry.permissions}, and a pod's fsGroup does not reach "
        )
        text += "them: people could not write in their home"
        yield Problem(text, hint=f'write `permissions: "0777"` under `storage: {{{wanted}: …}}`', at=here)
