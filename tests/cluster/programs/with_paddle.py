"""A regression with PaddlePaddle: DataParallel over gloo, with the variables that paddle.distributed.launch gives.

It goes on from its last checkpoint. `DIE_AT` has the last rank killed at a step, once.
"""

import json
import os
import signal
import socket

import paddle
import paddle.distributed as dist

STEPS, DIE_AT = 60, int(os.environ.get("DIE_AT", "-1"))

dist.init_parallel_env()
rank, size = dist.get_rank(), dist.get_world_size()
folder = os.environ["CHECKPOINT_DIR"]
saved, died = os.path.join(folder, "weights.pdparams"), os.path.join(folder, "died")
os.makedirs(folder, exist_ok=True)
layer = paddle.nn.Linear(3, 1, bias_attr=False)
begun = 0
if os.path.exists(saved):
    found = paddle.load(saved)
    begun = found.pop("step")
    layer.set_state_dict(found)
dist.barrier()
print(json.dumps({"rank": rank, "size": size, "host": socket.gethostname(), "begins": begun}), flush=True)
model = paddle.DataParallel(layer)
optimizer = paddle.optimizer.SGD(0.4, parameters=model.parameters())
paddle.seed(rank)
points = paddle.rand((64, 3)) * 2 - 1
targets = points @ paddle.to_tensor([[1.0], [-2.0], [3.0]])
for step in range(begun, STEPS):
    loss = ((model(points) - targets) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    if rank == 0:
        print(json.dumps({"step": step, "loss": float(loss)}), flush=True)
        paddle.save({**layer.state_dict(), "step": step + 1}, f"{saved}.arriving")
        os.replace(f"{saved}.arriving", saved)
    dist.barrier()
    if step == DIE_AT and rank == size - 1 and not os.path.exists(died):
        with open(died, "w"):
            pass
        os.kill(os.getpid(), signal.SIGKILL)
