"""A regression with Horovod on MXNet: every process has its own data, gradients are averaged by its ring."""

import json
import os
import socket

import horovod.mxnet as hvd
import mxnet as mx
import numpy as np
from mxnet import autograd, gluon

hvd.init()
rank = hvd.rank()
found = {"rank": rank, "size": hvd.size(), "local": hvd.local_rank(), "host": socket.gethostname()}
print(json.dumps({**found, "cycle": os.environ.get("HOROVOD_CYCLE_TIME")}), flush=True)
points = mx.nd.array(np.random.RandomState(rank).uniform(-1, 1, (64, 3)))
targets = mx.nd.dot(points, mx.nd.array([[1.0], [-2.0], [3.0]]))
layer = gluon.nn.Dense(1, use_bias=False, in_units=3)
layer.initialize()
parameters = layer.collect_params()
hvd.broadcast_parameters(parameters, root_rank=0)
trainer = hvd.DistributedTrainer(parameters, mx.optimizer.SGD(learning_rate=0.4 * 64))
for step in range(60):
    with autograd.record():
        loss = ((layer(points) - targets) ** 2).mean()
    loss.backward()
    trainer.step(64)
    if rank == 0:
        print(json.dumps({"step": step, "loss": float(loss.asscalar())}), flush=True)
if rank == 0:
    os.makedirs(os.environ["CHECKPOINT_DIR"], exist_ok=True)
    layer.save_parameters(os.path.join(os.environ["CHECKPOINT_DIR"], "weights"))
# Exchanges that are still under way would be lost with the first process that ends.
mx.nd.waitall()
