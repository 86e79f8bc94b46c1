"""A regression with Ray: the program on the head has actors on the workers work out gradients of data of their own.

It goes on from its last checkpoint. `DIE_AT` has the last actor killed at a step, once.
"""

import json
import os
import signal
import socket
from pathlib import Path

import numpy as np
import ray

STEPS, DIE_AT = 60, int(os.environ.get("DIE_AT", "-1"))
FOLDER = Path(os.environ["CHECKPOINT_DIR"])
SAVED = FOLDER / "weights.npz"


@ray.remote(num_gpus=1)
class Part:
    """A share of the data, on a GPU of its own."""

    def __init__(self, rank):
        self.rank = rank
        self.points = np.random.RandomState(rank).uniform(-1, 1, (64, 3))
        self.targets = self.points @ np.array([1.0, -2.0, 3.0])

    def place(self):
        return {"rank": self.rank, "host": socket.gethostname(), "cards": ray.get_gpu_ids()}

    def slope(self, weights):
        errors = self.points @ weights - self.targets
        return float(np.mean(errors**2)), 2 * self.points.T @ errors / len(errors)

    def die(self):
        os.kill(os.getpid(), signal.SIGKILL)


def main():
    ray.init()
    FOLDER.mkdir(parents=True, exist_ok=True)
    begun, weights = 0, np.zeros(3)
    if SAVED.exists():
        with np.load(SAVED) as found:
            begun, weights = int(found["step"]), found["weights"]
    size = int(ray.cluster_resources()["GPU"])
    parts = [Part.remote(rank) for rank in range(size)]
    for seen in ray.get([part.place.remote() for part in parts]):
        print(json.dumps({**seen, "size": size, "head": socket.gethostname(), "begins": begun}), flush=True)
    for step in range(begun, STEPS):
        losses, slopes = zip(*ray.get([part.slope.remote(weights) for part in parts]), strict=True)
        weights = weights - 0.4 * np.mean(slopes, axis=0)
        print(json.dumps({"step": step, "loss": max(losses)}), flush=True)
        arriving = FOLDER / "arriving.npz"
        np.savez(arriving, step=step + 1, weights=weights)
        arriving.replace(SAVED)
        died = FOLDER / "died"
        if step == DIE_AT and not died.exists():
            died.touch()
            parts[-1].die.remote()


if __name__ == "__main__":
    main()
