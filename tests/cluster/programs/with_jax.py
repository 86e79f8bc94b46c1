"""A regression with JAX: every process has its own data, gradients are added up over all of them."""

import functools
import json
import os

import jax
from jaxlib.xla_client import _xla

if "GLOO_SOCKET_IFNAME" in os.environ:  # which NCCL has a variable for, and JAX on processors none
    there = {"interface": os.environ["GLOO_SOCKET_IFNAME"]}
    _xla.make_gloo_tcp_collectives = functools.partial(_xla.make_gloo_tcp_collectives, **there)
jax.config.update("jax_cpu_collectives_implementation", "gloo")
if "JAX_COORDINATOR_ADDRESS" in os.environ:  # the trainer's names
    said = [os.environ[f"JAX_{name}"] for name in ("COORDINATOR_ADDRESS", "NUM_PROCESSES", "PROCESS_ID")]
else:  # the training operator's
    address = f"{os.environ['COORDINATOR_ADDRESS']}:{os.environ['COORDINATOR_PORT']}"
    said = [address, os.environ["NUM_PROCESSES"], os.environ["PROCESS_ID"]]
jax.distributed.initialize(said[0], int(said[1]), int(said[2]))
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.experimental import multihost_utils  # noqa: E402

rank = jax.process_index()
print(json.dumps({"rank": rank, "size": jax.process_count()}), flush=True)
points = np.random.RandomState(rank).uniform(-1, 1, (64, 3)).astype("float32")
targets = points @ np.array([1.0, -2.0, 3.0], dtype="float32")


@jax.jit
def loss_and_slope(weights):
    return jax.value_and_grad(lambda w: jnp.mean((points @ w - targets) ** 2))(weights)


weights = np.zeros(3, dtype="float32")
for step in range(60):
    loss, slope = loss_and_slope(weights)
    weights = weights - 0.5 * np.asarray(multihost_utils.process_allgather(slope)).mean(axis=0)
    if rank == 0:
        print(json.dumps({"step": step, "loss": float(loss)}), flush=True)
os.makedirs(os.environ["CHECKPOINT_DIR"], exist_ok=True)
if rank == 0:
    np.save(os.path.join(os.environ["CHECKPOINT_DIR"], "weights.npy"), weights)
