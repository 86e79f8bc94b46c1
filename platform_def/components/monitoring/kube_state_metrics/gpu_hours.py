"""GPU hours and their price, by team and user: recorded series over what pods ask for and what cards do.

A sample of an hour's series is what the minute before it added, so the sum over any time is that time's hours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from platform_def.config.devices import card_price, card_shares, slices_of
from platform_def.config.pools import NodePool, mig_devices
from platform_def.config.teams import Team
from platform_def.constructs import Choice, Dashboard, Query, Record, graph, row, stat, table
from platform_def.constructs.observation.panels import Panel

INTERVAL = "1m"
"""How often the rules are evaluated; hours are counted by it."""
TEAM, POOL, SHARE = "namespace:team:info", "node:pool:info", "pool_resource:gpu_share:info"
PROFILE = "profile:gpu_share:info"
PRICE = "pool:gpu_price:info"
HELD, USED = "namespace_pod:gpus_requested:sum", "namespace_pod:gpus_used:sum"
HELD_HOURS, USED_HOURS = "team_user:gpu_hours_requested:sum", "team_user:gpu_hours_used:sum"
COST = "team_user:gpu_cost:sum"
NO_ONE = "shared"
"""The user of a namespace in which a whole team works."""


def records(teams: Sequence[Team], pools: Sequence[NodePool]) -> Iterator[Record]:
    """The series, in the order in which they are made; none without teams, or without GPUs."""
    cards = [pool for pool in pools if pool.gpu]
    if not teams or not cards:
        return
    for team in teams:
        for home in (team, *team.rooms):
            user = NO_ONE if home is team else home.members[0].name
            yield Record(TEAM, "vector(1)", labels={"namespace": home.home, "team": team.name, "user": user})
    for pool in cards:
        assert pool.gpu is not None
        nodes = f"max by (node) (kube_node_labels{_selector(pool.selector)})"
        yield Record(POOL, nodes, labels={"pool": pool.name, "card": pool.gpu.model})
        for resource, share in card_shares(pool).items():
            yield Record(SHARE, f"vector({share})", labels={"pool": pool.name, "resource": _sanitized(resource)})
    parts = {profile: slices_of(pool, profile) for pool in cards if pool.gpu for profile in mig_devices(pool.gpu)}
    for profile, share in sorted(parts.items()):
        yield Record(PROFILE, f"vector({share})", labels={"GPU_I_PROFILE": profile})
    if parts:
        yield Record(PROFILE, "vector(1)")
    yield from _hours(cut=bool(parts))
    yield from _costs(cards)


def _hours(*, cut: bool) -> Iterator[Record]:
    asked = (
        f'sum by (namespace, pod, node, resource) (kube_pod_container_resource_requests{{resource=~"{_RESOURCES}"}})'
    )
    running = 'max by (namespace, pod) (kube_pod_status_phase{phase="Running"} == 1)'
    yield Record(
        HELD,
        f"sum by (namespace, pod, node, pool, card) ({asked} * on (namespace, pod) group_left () {running}"
        f" * on (node) group_left (pool, card) {POOL} * on (pool, resource) group_left () {SHARE})",
    )
    every = "namespace, pod, node, UUID, GPU_I_ID, GPU_I_PROFILE"
    active = (
        f'(max by ({every}) (DCGM_FI_PROF_GR_ENGINE_ACTIVE{{pod!=""}})'
        f' or max by ({every}) (DCGM_FI_DEV_GPU_UTIL{{pod!=""}} / 100))'
    )
    # Pods that share a card all have its activity, and each is counted with its part.
    part = f"{active} / on (UUID, GPU_I_ID) group_left () count by (UUID, GPU_I_ID) ({active})"
    sliced = f" * on (GPU_I_PROFILE) group_left () {PROFILE}" if cut else ""
    pools = f"{sliced} * on (node) group_left (pool, card) {POOL}"
    yield Record(USED, f"sum by (namespace, pod, node, pool, card) ({part}{pools})")
    for hours, cards in ((HELD_HOURS, HELD), (USED_HOURS, USED)):
        owned = f"{cards} * on (namespace) group_left (team, user) {TEAM}"
        yield Record(hours, f"sum by (team, user, pool, card) ({owned}) / 60")


_RESOURCES = "nvidia_com_.*|tencent_com_vcuda_core"


def _costs(pools: Sequence[NodePool]) -> Iterator[Record]:
    prices = {pool.name: price for pool in pools if (price := card_price(pool)) is not None}
    for name, price in prices.items():
        yield Record(PRICE, f"vector({price})", labels={"pool": name})
    if prices:
        yield Record(COST, f"{HELD_HOURS} * on (pool) group_left () {PRICE}")


def _selector(labels: Mapping[str, str]) -> str:
    pairs = ", ".join(f'label_{_sanitized(key)}="{value}"' for key, value in sorted(labels.items()))
    return f"{{{pairs}}}" if pairs else ""


def _sanitized(name: str) -> str:
    """A label's key, or a resource, as kube-state-metrics writes it: `nvidia.com/gpu` is `nvidia_com_gpu`."""
    plain = re.sub(r"[^a-zA-Z0-9_]", "_", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", plain).lower()


def dashboard(pools: Sequence[NodePool]) -> Dashboard:
    """Hours of teams and users in the time that the reader chooses."""
    priced = any(card_price(pool) is not None for pool in pools)
    return Dashboard(
        "GPU hours: teams and users",
        [*_panels(priced=priced)],
        choices=[Choice("team", HELD_HOURS, "Team"), Choice("pool", HELD_HOURS, "Pool")],
        tags=["gpu"],
        hours=24,
    )


def _panels(*, priced: bool) -> Iterator[Panel]:
    picked = '{team=~"$team", pool=~"$pool"}'

    def hours(labels: str, series: str) -> str:
        return f"sum by ({labels}) (sum_over_time({series}{picked}[$__range]))"

    yield stat("Hours held", f"sum(sum_over_time({HELD_HOURS}{picked}[$__range]))", unit="h")
    yield stat("Hours used", f"sum(sum_over_time({USED_HOURS}{picked}[$__range]))", unit="h")
    if priced:
        yield stat("Cost", f"sum(sum_over_time({COST}{picked}[$__range]))", unit="none")
    yield row("In the chosen time")
    for title, labels in (("Teams and users", "team, user"), ("Pools and cards", "pool, card")):
        yield table(
            title,
            [
                hours(labels, HELD_HOURS),
                hours(labels, USED_HOURS),
                *([hours(labels, COST)] if priced else []),
            ],
            columns={"Value #A": "Hours held", "Value #B": "Hours used", **({"Value #C": "Cost"} if priced else {})},
            text="Held: what running pods have asked for. Used: how far their cards were active.",
        )
    yield row("Over time")
    yield graph("Cards held", Query(f"sum by (team) ({HELD_HOURS}{picked}) * 60", "{{team}}"), unit="none")
    yield graph("Cards used", Query(f"sum by (team) ({USED_HOURS}{picked}) * 60", "{{team}}"), unit="none")
