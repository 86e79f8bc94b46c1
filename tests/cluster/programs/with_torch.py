"""A regression with PyTorch: DistributedDataParallel over gloo, with the variables that torchrun gives each process."""

import json
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
print(json.dumps({"rank": rank, "size": dist.get_world_size(), "local": os.environ["LOCAL_RANK"]}), flush=True)
points = torch.rand((64, 3), generator=torch.Generator().manual_seed(rank)) * 2 - 1
targets = points @ torch.tensor([[1.0], [-2.0], [3.0]])
model = DistributedDataParallel(torch.nn.Linear(3, 1, bias=False))
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for step in range(60):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(points), targets)
    loss.backward()
    optimizer.step()
    if rank == 0:
        print(json.dumps({"step": step, "loss": float(loss)}), flush=True)
if rank == 0:
    os.makedirs(os.environ["CHECKPOINT_DIR"], exist_ok=True)
    torch.save(model.module.state_dict(), os.path.join(os.environ["CHECKPOINT_DIR"], "weights"))
dist.barrier()
dist.destroy_process_group()
