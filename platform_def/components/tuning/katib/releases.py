"""Releases of Katib: their images, what their controller starts for people, and what trials may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from platform_def.components.tuning.katib.observation import METRICS
from platform_def.constructs import (
    APACHE,
    CONTROLLER_RUNTIME,
    Release,
    Support,
    Upkeep,
    releases,
)


@dataclass(frozen=True, kw_only=True)
class Helper:
    """A program that the controller starts in people's namespaces, with what one container of it gets.

    Katib gives each 100Mi where nothing is said: Bayesian optimisation ends there after some twenty trials and leaves
    its experiment waiting (katib 2260, 2716); optuna and TensorFlow do not even start.
    """

    image: str
    memory: str
    """Request."""
    memory_limit: str
    cpu_limit: str = "1"
    """People's namespaces may have quotas, so there is one; Katib's own default is half a core."""
    shared_volume: str = ""
    """Size of a volume that its trials write on as well: ReadWriteMany, and the program stays root to read it."""


@dataclass(frozen=True, kw_only=True)
class TrialKind:
    """A kind that trials may be, as Katib names it."""

    kind: str
    version: str
    group: str
    plural: str
    between: tuple[tuple[str, str], ...] = ()
    """Group and plural of kinds that stand between it and its pods: Katib reads them on its way up to the trial."""

    @property
    def resource(self) -> str:
        """As the controller's configuration names it."""
        return f"{self.kind}.{self.version}.{self.group}"

    @property
    def full_name(self) -> str:
        """As stacks name a custom resource."""
        return f"{self.kind}.{self.group}"


@dataclass(frozen=True, kw_only=True)
class KatibRelease(Release):
    """What differs between releases, as data."""

    db_manager: str
    ui: str
    suggestions: Mapping[str, Helper]
    """Who suggests what to try next, by algorithm."""
    early_stopping: Mapping[str, Helper]
    """Who ends trials without prospects, by algorithm."""
    collectors: Mapping[str, Helper]
    """Sidecars of trials, by the kind of collector."""
    sample_image: str
    """Training in the sample templates of trials."""
    sample_nas_image: str
    """Training of a network whose architecture is searched for."""
    trial_kinds: tuple[TrialKind, ...]
    """Kinds whose end Katib recognises without further settings."""


def _image(name: str, version: str) -> str:
    return f"ghcr.io/kubeflow/katib/{name}:v{version}"


JOB = TrialKind(kind="Job", version="v1", group="batch", plural="jobs")
KUBEFLOW = tuple(
    TrialKind(kind=kind, version="v1", group="kubeflow.org", plural=f"{kind.lower()}s")
    for kind in ("TFJob", "PyTorchJob", "MPIJob", "XGBoostJob")
)
TRAIN_JOB = TrialKind(
    kind="TrainJob",
    version="v1alpha1",
    group="trainer.kubeflow.org",
    plural="trainjobs",
    between=(("jobset.x-k8s.io", "jobsets"), ("batch", "jobs")),
)

_HYPEROPT = Helper(image=_image("suggestion-hyperopt", "0.19.0"), memory="128Mi", memory_limit="512Mi")
_OPTUNA = Helper(image=_image("suggestion-optuna", "0.19.0"), memory="128Mi", memory_limit="512Mi")
_GOPTUNA = Helper(image=_image("suggestion-goptuna", "0.19.0"), memory="32Mi", memory_limit="256Mi")
# It waits for the file of metrics in a loop without a pause: more than half a core would be taken from the training.
_FILE = Helper(image=_image("file-metrics-collector", "0.19.0"), memory="32Mi", memory_limit="128Mi", cpu_limit="500m")

RELEASES = releases(
    KatibRelease(
        "0.19.0",
        upkeep=Upkeep(Support.CURRENT),  # SECURITY.md: fixes for the two newest minor lines
        kubernetes="1.31-1.35",  # tested to 1.34, whose libraries it is built with
        image=_image("katib-controller", "0.19.0"),
        db_manager=_image("katib-db-manager", "0.19.0"),
        ui=_image("katib-ui", "0.19.0"),
        suggestions={
            "random": _HYPEROPT,
            "tpe": _HYPEROPT,
            "grid": _OPTUNA,
            "multivariate-tpe": _OPTUNA,
            "hyperband": Helper(image=_image("suggestion-hyperband", "0.19.0"), memory="128Mi", memory_limit="512Mi"),
            "bayesianoptimization": Helper(
                image=_image("suggestion-skopt", "0.19.0"), memory="256Mi", memory_limit="1Gi"
            ),
            "cmaes": _GOPTUNA,
            "sobol": _GOPTUNA,
            # TensorFlow alone takes most of it.
            "enas": Helper(image=_image("suggestion-enas", "0.19.0"), memory="512Mi", memory_limit="2Gi"),
            "darts": Helper(image=_image("suggestion-darts", "0.19.0"), memory="128Mi", memory_limit="512Mi"),
            "pbt": Helper(
                image=_image("suggestion-pbt", "0.19.0"), memory="128Mi", memory_limit="512Mi", shared_volume="5Gi"
            ),
        },
        early_stopping={
            "medianstop": Helper(
                image=_image("earlystopping-medianstop", "0.19.0"), memory="64Mi", memory_limit="256Mi"
            ),
        },
        collectors={
            "StdOut": _FILE,
            "File": _FILE,
            "TensorFlowEvent": Helper(
                image=_image("tfevent-metrics-collector", "0.19.0"), memory="256Mi", memory_limit="1Gi"
            ),
        },
        sample_image=_image("pytorch-mnist-cpu", "0.19.0"),
        sample_nas_image=_image("enas-cnn-cifar10-cpu", "0.19.0"),
        trial_kinds=(TRAIN_JOB, JOB, *KUBEFLOW),
        exports=(CONTROLLER_RUNTIME.honored, METRICS),
    ),
    license=APACHE,
)
