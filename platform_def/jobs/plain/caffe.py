"""Caffe on the GPUs of one pod, as a plain Job: legacy, for models that must be trained on.

`caffe train` at 1.0 can stop at SIGHUP with a snapshot and exit code 0, and stops at SIGTERM without either: so a
pod that must leave turns the one into the other, and ends as one that did not finish. The next goes on from there.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from platform_def.apis.core.batch_v1 import JOB
from platform_def.constructs.resource import Resource
from platform_def.jobs.parameters import AbsolutePath
from platform_def.jobs.plain.batch import SIBLINGS, job_spec
from platform_def.jobs.pod import Role, make_claims, make_tensorboard, pod_template
from platform_def.jobs.template import TemplateJob
from platform_def.jobs.training import PodConfig

SCRIPT = """\
state=
if [ "${CHECKPOINT_DIR:-}" ]; then
  state=$(ls -t "$CHECKPOINT_DIR"/*.solverstate "$CHECKPOINT_DIR"/*.solverstate.h5 2>/dev/null | head -n 1)
fi
if [ "$state" ]; then
  echo "goes on from $state"
  set -- "$@" "--snapshot=$state"
elif [ "${WEIGHTS:-}" ]; then
  set -- "$@" "--weights=$WEIGHTS"
fi
caffe=
left=
trap 'left=1 begun=${caffe:-$!}; if [ "$begun" ]; then kill -HUP "$begun"; else exit 143; fi' TERM
"$@" &
caffe=$!
wait "$caffe"
code=$?
while kill -0 "$caffe" 2>/dev/null; do wait "$caffe"; code=$?; done
[ -z "$left" ] || exit 143
exit "$code"
"""
"""Weights and a snapshot exclude each other; the snapshot is later. `$!` names Caffe before its number is noted."""


class CaffeConfig(PodConfig):
    """Parameters of a Caffe job."""

    exchanges_nothing = "Caffe trains in one pod, and exchanges nothing with others"

    command: Annotated[list[str], Field(min_length=1)] = Field(default_factory=lambda: ["caffe"])
    """Caffe's program, or its path in the image."""
    solver: AbsolutePath
    """File with the solver's definition. Its `snapshot_prefix` begins with the folder of `checkpoints:`."""
    weights: AbsolutePath | None = None
    """Trained model to begin with, where there is no snapshot yet."""
    retries: Annotated[int, Field(ge=0, le=100)] = 3
    """How often the pod is tried again; it goes on from the newest snapshot."""


class Caffe(TemplateJob[CaffeConfig]):
    """A Job of one pod that runs `caffe train`."""

    def build(self) -> None:
        """Claims, and the job."""
        make_claims(self)
        config = self.config
        train = [*config.command, "train", f"--solver={config.solver}", "--sighup_effect=stop"]
        if config.gpus_per_worker:
            train.append("--gpu=all")
        role = Role(
            container="caffe",
            command=["sh", "-c", SCRIPT, "caffe", *train],
            args=config.args,
            env={"WEIGHTS": config.weights} if config.weights else {},
            restart="Never",
        )
        template = pod_template(self, role, siblings=SIBLINGS)
        spec = job_spec(
            template, deadline_hours=config.deadline_hours, lifetime=config.lifetime, retries=config.retries
        )
        Resource(self, JOB, self.unique_name, spec=spec)
        make_tensorboard(self)
