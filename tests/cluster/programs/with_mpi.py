"""A regression with MPI: every process has its own data, gradients are added up over all of them.

It goes on from its last checkpoint. `DIE_AT` has the last rank killed at a step, once; `PAUSE` are seconds after each, `RATE` is that of learning.
"""

import json
import os
import signal
import socket
import time

import numpy as np
from mpi4py import MPI

STEPS, DIE_AT = 60, int(os.environ.get("DIE_AT", "-1"))
RATE = float(os.environ.get("RATE", "0.4"))

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
folder = os.environ["CHECKPOINT_DIR"]
saved, died = os.path.join(folder, "weights.npz"), os.path.join(folder, "died")
os.makedirs(folder, exist_ok=True)
begun, weights = 0, np.zeros(3)
if rank == 0 and os.path.exists(saved):
    with np.load(saved) as found:
        begun, weights = int(found["step"]), found["weights"]
begun, weights = world.bcast((begun, weights))
print(json.dumps({"rank": rank, "size": size, "host": socket.gethostname(), "begins": begun}), flush=True)
points = np.random.RandomState(rank).uniform(-1, 1, (64, 3))
targets = points @ np.array([1.0, -2.0, 3.0])
for step in range(begun, STEPS):
    errors = points @ weights - targets
    slope = world.allreduce(2 * points.T @ errors / len(points)) / size
    weights = weights - RATE * slope
    if rank == 0:
        print(json.dumps({"step": step, "loss": float(np.mean(errors**2))}), flush=True)
        np.savez(f"{saved}.arriving.npz", step=step + 1, weights=weights)
        os.replace(f"{saved}.arriving.npz", saved)
    world.barrier()
    time.sleep(float(os.environ.get("PAUSE", "0")))
    if step == DIE_AT and rank == size - 1 and not os.path.exists(died):
        with open(died, "w"):
            pass
        os.kill(os.getpid(), signal.SIGKILL)
