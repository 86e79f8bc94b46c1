"""What of a resolved stack cannot work, each with the line to change; components and jobs say the rest themselves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain

from pydantic import JsonValue, ValidationError

from platform_def.capabilities import Gateway, JobQueue, TeamRoles
from platform_def.components import catalogue
from platform_def.config.accelerators import strange_model
from platform_def.config.capability import EXTERNAL, Need
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.config.queues import Shares, shares
from platform_def.config.reads import independently
from platform_def.config.storage import Provisioned
from platform_def.config.teams import Team, owned
from platform_def.config.words.registered import drivers
from platform_def.config.written.explain import dotted
from platform_def.constructs.component import Setting
from platform_def.crds.catalogue import components_with_apis
from platform_def.errors import Problem, nearest
from platform_def.jobs.demand import Demand
from platform_def.jobs.queueing import gangs_on
from platform_def.jobs.template import JobConfig, PlacedConfig
from platform_def.jobs.together import shortages
from platform_def.jobs.waiting import waiting_problems
from platform_def.pipeline.load import Loaded
from platform_def.pipeline.resolve.asking import asked, at_the_stack
from platform_def.pipeline.resolve.choices import Choices, Chosen
from platform_def.pipeline.resolve.documents import place_in
from platform_def.pipeline.resolve.doubts import Doubts, Place
from platform_def.pipeline.resolve.fabrics import fabric_problems
from platform_def.pipeline.resolve.givers import loadable, who_could, who_offers
from platform_def.pipeline.resolve.partners import known, misfits
from platform_def.pipeline.resolve.quotas import quota_problems
from platform_def.serving.template import ServiceConfig

_Question = tuple[str | Place, Iterable[Problem]]
"""What is asked about: a fact, an entry of the stack file, the objects of a component (`components.katib`), or nothing
that others could ask too; and the answers."""
_BUILT = frozenset({"components", "jobs", "serving"})
"""Lists and maps of a stack file whose entries are built."""
_TO_SERVE = {
    "InferenceService.serving.kserve.io": "add `kserve: {}` under components",
    "LeaderWorkerSet.leaderworkerset.x-k8s.io": "add `lws: {}` under components",
    "ScaledObject.keda.sh": "add `keda: {}` under components",
}
"""What brings kinds of served models."""


_GATEWAY_OF = {
    "gateway-api": ("istio-ingress-gateway", "{api: gateway-api}"),
    "istio": ("istio-ingress-gateway", "{}"),
}
"""The component that serves routes, and how it is written, for APIs and meshes that people name in its place."""


@dataclass(frozen=True)
class Wanted:
    """The jobs and the served models of a stack, each with its place in the list of the stack file."""

    jobs: Sequence[tuple[int, JobConfig]]
    services: Sequence[tuple[int, ServiceConfig]]

    def placed(self) -> Iterator[tuple[Place, PlacedConfig]]:
        """Each with its list in the stack file and its place there."""
        yield from ((("jobs", index), job) for index, job in self.jobs)
        yield from ((("serving", index), service) for index, service in self.services)


def of(
    loaded: Loaded,
    made: Choices,
    wanted: Wanted,
    platform: Platform,
    *,
    requires: Mapping[str, tuple[str, ...]],
    asked_for: Collection[str],
) -> list[Problem]:
    """Everything that is wrong, but for what was concluded from something in doubt.

    `asked_for` are the components whose needs are met, or may be: the others cannot be asked about the stack.
    """
    no_gateway = made.doubts.sure(_gateway_problems(loaded, platform))
    if no_gateway:  # who wants routes would say it again
        _doubt(made, "gateway")
    of_stack: Iterable[_Question] = (
        *(("", _requires_problems(loaded, name, needs, platform)) for name, needs in requires.items()),
        ("node_pools", _fabric_problems(loaded, platform)),
        ("teams", _queue_problems(loaded, platform)),
        ("", _together_problems(loaded, wanted, platform)),
    )
    of_items: Iterable[_Question] = (
        *(
            (("nodePools", index), each)
            for index, pool in enumerate(platform.node_pools)
            for each in (_card_problems(index, pool, loaded), _scheduler_problems(index, pool, loaded, platform))
        ),
        *((("storage", name), _storage_problems(name, loaded, platform)) for name in platform.storage),
        *(
            (("teams", index), each)
            for index, team in enumerate(platform.teams)
            for each in (
                _member_problems(index, team, loaded, platform),
                _home_problems(index, team, loaded, platform),
                quota_problems(index, team, loaded, platform),
            )
        ),
    )
    of_components: Iterable[_Question] = (
        each
        for name, chosen in made.built.items()
        for each in (
            (f"components.{name}", _release_problems(loaded, name, chosen, platform)),
            (f"components.{name}", _partner_problems(loaded, name, chosen, platform)),
            (("components", name), _component_problems(loaded, name, chosen, platform) if name in asked_for else ()),
        )
    )
    of_placed: Iterable[_Question] = (
        (place, each)
        for place, one in wanted.placed()
        for each in (
            _name_problems(place, one, loaded, platform),
            _pool_name_problems(place, one, loaded, platform),
            _wanted_problems(place, one, loaded, platform, made.doubts),
        )
    )
    of_named: Iterable[_Question] = (
        (place, each)
        for place, one in _only_named(loaded, wanted)
        for each in (_name_problems(place, one, loaded, platform), _pool_name_problems(place, one, loaded, platform))
    )
    questions = chain(of_stack, of_items, of_components, of_placed, of_named)
    asking = ((about, made.doubts.sure(question)) for about, question in questions)
    found = [(about, problems) for about, problems in asking if problems]
    for about, _ in found:  # what builds conclude from it would be said twice
        _doubt(made, about)
    return [*no_gateway, *(problem for _, problems in found for problem in problems)]


def _doubt(made: Choices, about: str | Place) -> None:
    if isinstance(about, tuple) and about[0] in _BUILT:
        made.doubts.wrong.add(about)
    elif isinstance(about, tuple):
        made.doubts.of_stack([about])
    elif about:
        made.doubts.reads.add(about)


def _requires_problems(loaded: Loaded, name: str, needs: Iterable[str], platform: Platform) -> Iterator[Problem]:
    for need in needs:
        if need not in platform.components:
            text = f"components.{name}: needs the component {need}, which the stack does not have"
            yield Problem(text, loaded.where("components", name), _to_have(need, platform))


def _to_have(component: str, platform: Platform) -> str:
    """What to write so that the stack has a component."""
    provided = f"`{component}: {{provided: true}}` when the cluster has it"
    if component in catalogue.catalogue():
        return f"add `{component}: {{}}` under components, or {provided}"
    if component in components_with_apis():
        return f"add {provided}; this tool does not install it"
    return nearest(component, platform.components)


def _gateway_problems(loaded: Loaded, platform: Platform) -> Iterator[Problem]:
    """A gateway that does not run: every route would be written and none served."""
    wanted, where = platform.gateway, loaded.where("gateway")
    if wanted == "none":
        return
    outside = wanted == EXTERNAL and any(each.by == EXTERNAL for each in platform.all(Gateway))
    if wanted not in platform.components and not outside:
        known = [name for name, kind in loadable() if Gateway in kind.gives]
        if wanted in known:
            hint = f"add `{wanted}: {{}}` under components, or `{wanted}: {{provided: true}}`"
            yield Problem(f"gateway: {wanted} is not among the components", where, hint)
        else:
            near = nearest(wanted, known)
            hint = near if near.startswith("did you mean") else _that_serves(wanted, ())
            yield Problem(f"gateway: {wanted} cannot be rendered yet", where, hint)
    elif wanted not in (gateways := {each.by for each in platform.all(Gateway)}):
        yield Problem(f"gateway: the component {wanted} serves no routes", where, _that_serves(wanted, gateways))


def _that_serves(wanted: str, gateways: Collection[str]) -> str:
    """What to write instead of a component that serves no routes: Gateway API and Istio are served by another one."""
    if wanted in _GATEWAY_OF:
        name, value = _GATEWAY_OF[wanted]
        return f"write `gateway: {name}`, and `{name}: {value}` under components"
    if gateways:
        return f"one that does: {', '.join(sorted(gateways))}"
    known = [name for name, kind in loadable() if Gateway in kind.gives]
    return f"choose {', '.join(known)}, a component of yours that provides one, or none"


def _card_problems(index: int, pool: NodePool, loaded: Loaded) -> Iterator[Problem]:
    """A card model that does not exist."""
    near = strange_model(pool.gpu.model) if pool.gpu and pool.gpu.memory_gib is None else None
    if pool.gpu and near is not None:
        text = f"nodePools[{index}].gpu.model: no card of NVIDIA's that this tool knows is called {pool.gpu.model}"
        hint = f"{near}; for a card that is too new say `memoryGib:` beside it"
        yield Problem(text, loaded.where("nodePools", index, "gpu", "model"), hint)


def _scheduler_problems(index: int, pool: NodePool, loaded: Loaded, platform: Platform) -> Iterator[Problem]:
    """A scheduler that does not run."""
    if pool.scheduler and not gangs_on(pool, platform):
        text = f"nodePools[{index}].scheduler: pool {pool.name} asks for {pool.scheduler}, which nothing here runs"
        hint = f"add `{pool.scheduler}: {{}}` under components, or leave `scheduler` out"
        yield Problem(text, loaded.where("nodePools", index, "scheduler"), hint)


def _fabric_problems(loaded: Loaded, platform: Platform) -> Iterator[Problem]:
    """Ways to a fabric that the stack does not serve."""
    for problem in fabric_problems(platform):
        yield Problem(problem.text, loaded.where(*problem.at), problem.hint)


def _storage_problems(name: str, loaded: Loaded, platform: Platform) -> Iterator[Problem]:
    """An entry whose class does not exist: claims would stay pending."""
    entry = platform.storage[name]
    if not isinstance(entry, Provisioned) or platform.instances(maker := drivers()[entry.driver].component):
        return
    where, text = loaded.where("storage", name), f"storage.{name}: nothing in the stack makes its volumes"
    there = [key for key, fact in platform.components.items() if fact.component == maker]
    if there:
        text = f"storage.{name}: {there[0]} is the cluster's own, and its classes are made with it"
        yield Problem(text, where, f"write `{name}: {{driver: existing, className: …, accessModes: […]}}`")
    else:
        yield Problem(text, where, f"add `{maker}: {{}}` under components")


_OF_THE_CLUSTER = frozenset({"kube-system", "kube-public", "kube-node-lease"})


def _member_problems(index: int, team: Team, loaded: Loaded, platform: Platform) -> Iterator[Problem]:
    """Members whom nothing gives their roles."""
    if (team.members or team.groups) and not platform.all(TeamRoles):
        field = "members" if team.members else "groups"
        text = f"teams[{index}].{field}: nothing in the stack gives members of teams their roles"
        yield Problem(text, loaded.where("teams", index, field), "add `kubeflow-roles: {}` under components")


def _home_problems(index: int, team: Team, loaded: Loaded, platform: Platform) -> Iterator[Problem]:
    """Namespaces that are not a team's own: its quota would hold others too."""
    homes = {
        fact.namespace: f"the component {name}" for name, fact in platform.components.items() if fact.component
    } | dict.fromkeys(_OF_THE_CLUSTER, "Kubernetes itself")
    for home in (each for each in team.homes if each in homes):
        text = f"teams[{index}].namespace: {home} belongs to {homes[home]}"
        hint = "leave it out, and the team's is `team-<name>`, or write one that is the team's alone"
        yield Problem(text, loaded.where("teams", index, "namespace"), hint)


def _queue_problems(loaded: Loaded, platform: Platform) -> Iterator[Problem]:
    """Queues that no component keeps, and quotas that are more, all together, than the pools have of anything."""
    waiting = {team.name: index for index, team in enumerate(platform.teams) if team.queue}
    if not waiting:
        return
    if not platform.all(JobQueue):
        for index in waiting.values():
            text = f"teams[{index}].queue: nothing in the stack queues jobs"
            yield Problem(text, loaded.where("teams", index, "queue"), who_could(Need(JobQueue), platform))
        return
    divided = shares(platform.teams, platform.node_pools)
    yield from _share_problems(loaded, platform, divided)
    for resource in dict.fromkeys(place[1] for place in divided.there):
        short = [queue for queue in divided.queues if resource in queue.unmet and not queue.above]
        if not short:
            continue
        owned = sum(amount for queue in divided.queues for place, amount in queue.own.items() if place[1] == resource)
        promised = owned + sum(queue.unmet[resource] for queue in short)
        last = short[-1].teams[-1].name
        names = " and ".join(queue.name for queue in short)
        text = f"teams[{waiting[last]}].quota: queues are promised {promised} {resource}, and there are {owned}: "
        hint = "lower the quotas: what is promised to no queue goes to those that may `borrow:`"
        yield Problem(f"{text}{names} would have less", loaded.where("teams", waiting[last], "quota"), hint)


def _share_problems(loaded: Loaded, platform: Platform, divided: Shares) -> Iterator[Problem]:
    """Quotas of members beyond what their team ever has, and names of shares that are queues' too."""
    names = {queue.name for queue in divided.queues}
    for index, team in enumerate(platform.teams):
        queue = divided.queue(team.queue or "")
        if queue and queue.below and queue.share in names:
            text = f"teams[{index}].queue: a queue is called {queue.share}, as what {queue.name} and its members share"
            yield Problem(text, loaded.where("teams", index, "queue"), "give one of the two queues another name")
        for room in (room for room in team.rooms if room.queue):
            below = divided.queue(str(room.queue))
            place = [each.name for each in team.members].index(room.members[0].name)
            for resource, amount in below.unmet.items() if below else ():
                text = f"teams[{index}].members[{place}].quota: {amount} {resource} more than the team ever has"
                where = loaded.where("teams", index, "members", place, "quota")
                yield Problem(text, where, "lower it, raise the team's quota, or let the team `borrow:`")


def _release_problems(loaded: Loaded, name: str, chosen: Chosen, platform: Platform) -> Iterator[Problem]:
    """Releases that need a newer Kubernetes; one that is newer than those they were tried with is a rule's to tell."""
    cluster, release = platform.kubernetes, chosen.kind.release_of(chosen.config)
    if cluster < release.supported.oldest:
        fitting = [each.version for each in known(chosen) if cluster in each.supported]
        hint = f"releases that do: {', '.join(fitting)}" if fitting else "no release that this tool knows does"
        text = f"components.{name}: release {release.version} works with Kubernetes {release.supported}, not {cluster}"
        yield Problem(text, loaded.where("components", name, "release"), hint)


def _partner_problems(loaded: Loaded, name: str, chosen: Chosen, platform: Platform) -> Iterator[Problem]:
    """Releases that do not work together."""
    versions = {each: (fact.component, fact.release) for each, fact in platform.components.items()}
    release = chosen.kind.release_of(chosen.config)
    for partner, wanted in misfits(release, versions):
        component, version = versions[partner]
        text = f"components.{name}: release {release.version} works with {component} {wanted}"
        text += f", and {partner} is {version}"
        yield Problem(text, loaded.where("components", name), "choose another `release:` of one of the two")


def _component_problems(loaded: Loaded, name: str, chosen: Chosen, platform: Platform) -> Iterator[Problem]:
    """What a component says of the stack itself, with its own line unless it knows a better one."""
    found: list[Problem] = []
    with asked(found, loaded, "components", name, of=chosen.kind):
        for said in chosen.kind.problems(Setting(name, chosen.config, platform)):
            yield from at_the_stack([said], loaded, "components", name)
    yield from found


def _wanted_problems(
    place: Place, one: PlacedConfig, loaded: Loaded, platform: Platform, doubts: Doubts
) -> Iterator[Problem]:
    """What a job or a model asks in vain, with its own line; of a pool that there is not, its name is told."""
    found: list[Problem] = []
    if one.pool and not platform.pool(one.pool):
        doubts.watched(one, [("pool",)], dotted(place))
    with asked(found, loaded, *place, of=type(one)):
        yield from _problems_of(place, one, loaded, platform)
    yield from found


def _name_problems(place: Place, job: PlacedConfig, loaded: Loaded, platform: Platform) -> Iterator[Problem]:
    """A namespace or a team that a job or a model names in vain."""
    at = _shown(place, job)
    if job.namespace in _OF_THE_CLUSTER:
        text = f"{at}: namespace {job.namespace} belongs to Kubernetes itself"
        yield Problem(text, loaded.where(*place, "namespace"), "name a team, or a namespace of your own")
    if job.team and job.namespace:
        text = f"{at}: it belongs to team '{job.team}', and would run outside of its namespace and quota"
        yield Problem(text, loaded.where(*place, "namespace"), "leave out `namespace:`, or `team:`")
    teams = [team.name for team in platform.teams] if job.team else []
    if job.team and job.team not in teams:
        yield Problem(
            f"{at}: team '{job.team}' is not in teams",
            loaded.where(*place, "team"),
            nearest(job.team, teams),
        )
    elif job.member and owned(job.owner, platform.teams) is None:
        yield Problem(f"{at}: {_no_room(job, platform)}", loaded.where(*place, "member"), _ROOM)


_ROOM = "write `members: [{name: …, quota: {gpus: 2}}]` in the team: who has a quota has a namespace"


def _no_room(job: PlacedConfig, platform: Platform) -> str:
    """Why there is no namespace of a job's member."""
    if job.team is None:
        return "a member is a team's: it names no `team:`"
    members = {each.name for team in platform.teams if team.name == job.team for each in team.members}
    lacks = "has no quota, so no namespace of their own" if job.member in members else "is none of its members"
    return f"{job.member} {lacks}, in team '{job.team}'"


def _pool_name_problems(place: Place, job: PlacedConfig, loaded: Loaded, platform: Platform) -> Iterator[Problem]:
    """A pool that a job or a model names in vain."""
    pools = [pool.name for pool in platform.node_pools] if job.pool else []
    if job.pool and job.pool not in pools:
        text = f"{_shown(place, job)}: pool '{job.pool}' is not in nodePools"
        yield Problem(text, loaded.where(*place, "pool"), nearest(job.pool, pools))


def _only_named(loaded: Loaded, wanted: Wanted) -> Iterator[tuple[Place, PlacedConfig]]:
    """Jobs and models of which no more than names can be judged, since their template is not known."""
    known = {place for place, _ in wanted.placed()}
    for head, items in (("jobs", loaded.stack.jobs), ("serving", loaded.stack.serving)):
        for index, raw in enumerate(items):
            names: dict[str, JsonValue] = {"template": "unknown"}
            names |= {field: raw[field] for field in ("name", "team", "namespace", "pool") if field in raw}
            with suppress(ValidationError):
                if (head, index) not in known:
                    yield (head, index), PlacedConfig.from_file(names)


def _shown(place: Place, job: PlacedConfig) -> str:
    return f"{place[0]}[{place[1]}] ({job.name})"


def _problems_of(place: Place, job: PlacedConfig, loaded: Loaded, platform: Platform) -> Iterator[Problem]:
    yield from independently(
        (
            _api_problems(place, job, loaded, platform),
            _keeping_problems(place, job, loaded),
            _own_problems(place, job, loaded, platform),
        )
    )


def _api_problems(place: Place, job: PlacedConfig, loaded: Loaded, platform: Platform) -> Iterator[Problem]:
    """Kinds that nothing serves."""
    for api in job.apis():
        if not platform.serves(api):
            hint = _TO_SERVE.get(api) or f"add the operator that serves {api.split('.')[0]} to components"
            text = f"{_shown(place, job)}: the stack serves no {api}"
            yield Problem(text, loaded.where(*place, "template"), hint)


def _keeping_problems(place: Place, job: PlacedConfig, loaded: Loaded) -> Iterator[Problem]:
    """A job that is kept for a while, and that nothing removes."""
    if isinstance(job, JobConfig) and job.keep_hours is not None and job.stays:
        text = f"{_shown(place, job)}: nothing removes a {job.stays} that is over"
        yield Problem(text, loaded.where(*place, "keepHours"), "leave it out")


def _own_problems(place: Place, job: PlacedConfig, loaded: Loaded, platform: Platform) -> Iterator[Problem]:
    """What a job or a model says itself, and how it waits."""
    at = _shown(place, job)
    waiting = waiting_problems(job, platform) if isinstance(job, JobConfig) else ()
    for problem in independently((job.problems(platform), waiting)):
        hint = problem.hint or (who_offers(problem.missing, platform) if problem.missing else "")
        where = place_in(loaded, problem) or loaded.where(*place, problem.field)
        yield Problem(f"{at}: {problem.text}", where, hint)


def _together_problems(loaded: Loaded, wanted: Wanted, platform: Platform) -> Iterator[Problem]:
    """Jobs and models that the engine starts at once; jobs that only wait in dist/ are started by a person, who
    counts."""
    places: dict[str, Place] = {}
    demands: dict[str, Demand] = {}
    failed: list[Problem] = []
    for place, one in wanted.placed():
        with asked(failed, loaded, *place, of=type(one)):
            if one.started and (demand := one.demand(platform)):
                name = one.name if isinstance(one, JobConfig) else f"model {one.name}"
                places[name], demands[name] = place, demand
    yield from failed
    for short in shortages(demands, platform):
        last = short.jobs[-1]
        others = ", ".join(short.jobs[:-1])
        kind = "jobs " if all(places[name][0] == "jobs" for name in short.jobs) else ""
        text = f"{kind}{others} and {last} start together and need {short.needed}, and {short.whose} "
        waits = "write `sync: false` for those that have ended or are to wait, or "
        hint = f"{waits if any(places[name][0] == 'jobs' for name in short.jobs) else ''}{short.remedy}"
        field = "sync" if places[last][0] == "jobs" else "replicas"
        yield Problem(f"{text}{short.there}", loaded.where(*places[last], field), hint)
