"""A regression with PyTorch: DistributedDataParallel over gloo, with the variables that torchrun gives each process.

It goes on from its last checkpoint. `DIE_AT` has the last rank killed at a step, once.
"""

import json
import os
import signal
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

STEPS, DIE_AT = 60, int(os.environ.get("DIE_AT", "-1"))


def say(**found):
    """A line at once: processes of a pod share its log."""
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()


dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
folder = os.environ["CHECKPOINT_DIR"]
saved, died = os.path.join(folder, "weights"), os.path.join(folder, "died")
os.makedirs(folder, exist_ok=True)
layer = torch.nn.Linear(3, 1, bias=False)
begun = 0
if os.path.exists(saved):
    found = torch.load(saved)
    begun = found["step"]
    layer.load_state_dict(found["layer"])
dist.barrier()
say(rank=rank, size=size, local=os.environ["LOCAL_RANK"], begins=begun, meets=os.environ["MASTER_ADDR"])
points = torch.rand((64, 3), generator=torch.Generator().manual_seed(rank)) * 2 - 1
targets = points @ torch.tensor([[1.0], [-2.0], [3.0]])
model = DistributedDataParallel(layer)
optimizer = torch.optim.SGD(model.parameters(), lr=float(os.environ.get("RATE", "0.5")))
for step in range(begun, STEPS):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(points), targets)
    loss.backward()
    optimizer.step()
    if rank == 0:
        say(step=step, loss=float(loss))
        torch.save({"layer": layer.state_dict(), "step": step + 1}, f"{saved}.arriving")
        os.replace(f"{saved}.arriving", saved)
    dist.barrier()
    if step == DIE_AT and rank == size - 1 and not os.path.exists(died):
        with open(died, "w"):
            pass
        os.kill(os.getpid(), signal.SIGKILL)
dist.barrier()
dist.destroy_process_group()
