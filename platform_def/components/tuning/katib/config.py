"""What a stack says of katib."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from platform_def.components.tuning.katib.releases import RELEASES, Helper, KatibRelease
from platform_def.config.model import Image, Model, Name, conflict
from platform_def.constructs import (
    Access,
    Component,
    ComponentConfig,
)


class FurtherTrialKind(Model):
    """A kind that trials may be beside those that Katib knows; experiments say when an object of it has succeeded."""

    kind: Annotated[str, Field(pattern=r"^[A-Z][A-Za-z0-9]*\.v[a-z0-9]+\.[a-z0-9]([-a-z0-9.]*[a-z0-9])?$")]
    """Kind, version and API group: `Workflow.v1alpha1.argoproj.io`."""
    plural: Name | None = None
    """Its plural, for kinds that no catalogue has."""
    between: list[Annotated[str, Field(pattern=r"^[a-z0-9]+\.[a-z0-9]([-a-z0-9.]*[a-z0-9])?$")]] = Field(
        default_factory=list
    )
    """What stands between it and its pods, as plural and API group (`taskruns.tekton.dev`): Katib follows the owners of
    a pod up to the trial."""


class OwnAlgorithm(Model):
    """An algorithm of your own, or another image for one of Katib's."""

    image: Image
    """Serves Katib's suggestion API on port 6789."""
    restricted: bool = True
    """Run it as user 1000 of group 0 without any right, as Katib's own; false: as the image has it."""


class KatibUiConfig(Model):
    """The interface."""

    enabled: bool = True
    """Whether there is one."""
    access: Access = "people"
    """Who may use it: `people` whom the identity provider knows, with their own rights; `everyone` who reaches the
    gateway, with all rights that it has; `administrators`, likewise, by port-forward alone, without a route."""


class KatibConfig(ComponentConfig):
    """What a stack may choose about Katib."""

    releases = RELEASES

    namespace: Name = "kubeflow"
    """Namespace of its programs. Trials that push their metrics through its Python package expect upstream's."""
    experiment_namespaces: list[Name] | None = None
    """Namespaces in which experiments may run, which get the label for it; by default those of all teams."""
    algorithms: list[Name] = Field(default_factory=list)
    """Algorithms to offer; by default all of the release and all of your own."""
    own_algorithms: dict[Name, OwnAlgorithm] = Field(default_factory=dict)
    """Further algorithms by name."""
    trial_kinds: list[FurtherTrialKind] = Field(default_factory=list)
    """Kinds that trials may be beside Job, and TrainJob, TFJob, PyTorchJob, MPIJob and XGBoostJob where the stack has
    them."""
    trial_templates: bool = True
    """Offer upstream's sample templates of trials in the interface."""
    certificates: Literal["cert-manager", "katib"] = "cert-manager"
    """Who makes the webhook's certificate; Katib itself needs rights on Secrets and webhooks for that."""
    injection_failure: Literal["Fail", "Ignore"] = "Fail"
    """What becomes of the pods of jobs in namespaces with experiments while Katib is away: they wait for it, or start
    without collectors, and a trial among them ends without metrics."""
    inject_security_context: bool = True
    """Collectors get the security context of the trial's first container: at the level `restricted` they are refused
    without, and they can end only what runs as their user."""
    look_up_commands: bool = True
    """Ask the registry what the image of a trial without a command runs; that reads pull secrets of all namespaces."""
    ui: KatibUiConfig = KatibUiConfig.of_defaults()
    """The interface."""

    @conflict
    def _known_algorithms(self) -> Iterator[ValueError]:
        release = next(each for each in RELEASES if each.version == self.version)
        known = {*release.suggestions, *self.own_algorithms}
        strange = [name for name in self.algorithms if name not in known]
        if strange:
            yield ValueError(f"there is no algorithm {', '.join(strange)}; there are {', '.join(sorted(known))}")


AnyKatib = Component[KatibConfig, KatibRelease]
"""The component, as its parts see it."""


def algorithms(release: KatibRelease, config: KatibConfig) -> dict[str, Helper]:
    """Those of the release and those of the stack, as far as it wants them."""
    own = {
        name: Helper(image=each.image, memory="128Mi", memory_limit="512Mi")
        for name, each in config.own_algorithms.items()
    }
    found = {**release.suggestions, **own}
    return {name: helper for name, helper in found.items() if not config.algorithms or name in config.algorithms}
