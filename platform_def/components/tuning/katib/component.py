"""Katib: searches for hyperparameters and architectures by running trials, each a job of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from platform_def.capabilities import CertificateIssuer, Identity, WebLink
from platform_def.components.tuning.katib import db_manager, observation, rules, trials, ui
from platform_def.components.tuning.katib.config import KatibConfig, algorithms
from platform_def.components.tuning.katib.controller import INJECTION, NAME, controller
from platform_def.components.tuning.katib.releases import KatibRelease
from platform_def.constructs import (
    RESTRICTED_LEVEL,
    Alerts,
    Component,
    Crds,
    Dashboards,
    NamespaceNeed,
    Need,
    Offers,
    PeopleRoles,
    Problem,
    Setting,
    access_problems,
    database_need,
    need,
    web_links,
)


class Katib(Component[KatibConfig, KatibRelease]):
    """CRDs, controller with webhook, DB manager and interface; roles for people who search."""

    pod_security = RESTRICTED_LEVEL
    gives = (WebLink,)

    @classmethod
    def needs_of(cls, at: Setting[KatibConfig]) -> tuple[Need[Any], ...]:
        """A database; who signs certificates, unless Katib does; who people are, where they may come."""
        issuer = (need(CertificateIssuer),) if at.config.certificates == "cert-manager" else ()
        return (database_need(order="any"), need(Identity, order="any", optional=True), *issuer)

    @classmethod
    def offers(cls, at: Setting[KatibConfig]) -> Offers:
        """The label of namespaces with experiments, and a link to the interface."""
        homes = at.config.experiment_namespaces
        if homes is None:
            homes = [team.home for team in at.platform.teams]
        # No level of its own: the highest that another component needs there counts.
        labelled = tuple(NamespaceNeed(home, "restricted", ((INJECTION, "enabled"),)) for home in homes)
        links = web_links(at, at.config.ui.access, ui.LINK) if at.config.ui.enabled else ()
        return Offers(namespaces=labelled, capabilities=links)

    @classmethod
    def problems(cls, at: Setting[KatibConfig]) -> Iterator[Problem]:
        """Kinds that are not served, a database that it cannot use, an interface that all or none could reach."""
        yield from trials.problems(at.config.trial_kinds, at.platform, at.name)
        yield from db_manager.problems(at)
        if at.config.ui.enabled:
            yield from access_problems(at, at.config.ui.access, "ui.access")

    @classmethod
    def runtime_images(cls, at: Setting[KatibConfig]) -> tuple[str, ...]:
        """What runs in people's namespaces: algorithms, collectors, sample trials."""
        release = cls.release_of(at.config)
        helpers = [*algorithms(release, at.config).values(), *release.early_stopping.values()]
        samples = (release.sample_image, release.sample_nas_image) if at.config.trial_templates else ()
        return tuple(dict.fromkeys([*(each.image for each in (*helpers, *release.collectors.values())), *samples]))

    def build(self) -> None:
        """Everything that searches."""
        kinds = trials.kinds(self)
        Crds(self)
        self.awaits(*(kind.full_name for kind in kinds))
        controller(self, kinds)
        db_manager.db_manager(self)
        if self.config.ui.enabled:
            ui.ui(self)
        PeopleRoles(self, verbs=rules.EDIT, status=False, edit=rules.PEOPLE)
        Dashboards(self, [observation.BOARD], tables=Alerts(self, observation.alerts(NAME)).tables)
