"""Templates whose jobs no test trains; every module imports it, and so it imports nothing."""

from __future__ import annotations

NOT_TRAINED = {
    "caffe": "neither PyPI nor Debian has it; its launcher runs in tests/unit/jobs/test_caffe.py",
    "chainer": "its operator is older than Go modules, and does not build",
    "dataset-load": "loads from outside, which no test may reach",
    "dataset-prepare": "trains nothing; runs in test_training.py",
    "development": "is for a person",
    "offline-inference": "trains nothing; runs in tests/unit/jobs/test_offline_inference.py",
    "experiment": "its trials are jobs of other templates; Katib's programs cannot be built",
    "spark": "its operator starts Java, and Spark's image cannot be had",
    "image": "builds images with BuildKit, whose image cannot be had",
    "workflow": "runs what its file says",
    "cron-workflow": "runs what its file says",
    "pipeline": "runs what its file says, by a server that no package registry carries",
    "queue-workers": "knows no framework; the real KEDA makes its Jobs in test_keda.py",
}
NOT_ON_FABRIC = {
    "development": "is for a person, who may try the fabric in it",
    "spark": "its operator starts Java; what its executors must be let in to is held in tests/unit/jobs/test_fabric.py",
}
"""Templates that take `rdma` and train nowhere behind the policies of a team on a fabric, by why."""
"""Templates by why. Beyond them: collectives between GPUs, and RDMA, which need both; root's sshd, which needs more users
than a namespace of an ordinary one's has; Paddle's servers, which PyPI's newest build for CPUs is made without, and which
crash where they send in 2.6.2, the last with them; the trainer's `deepspeed-distributed`, whose image cannot be had and
whose launcher trained alone in another, for Open MPI 5 does not read the variable that names the hosts."""
