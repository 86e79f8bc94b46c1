"""A regression with MXNet: every worker has its own data, and servers add up gradients in a kvstore that it makes."""

import json
import os

import mxnet as mx
from mxnet import autograd, gluon

store = mx.kv.create("dist_sync")
rank, size = store.rank, store.num_workers
print(json.dumps({"rank": rank, "size": size, "servers": int(os.environ["DMLC_NUM_SERVER"])}), flush=True)
mx.random.seed(rank)
points = mx.nd.random.uniform(-1, 1, (64, 3))
targets = mx.nd.dot(points, mx.nd.array([[1.0], [-2.0], [3.0]]))
layer = gluon.nn.Dense(1, use_bias=False, in_units=3)
layer.initialize(mx.init.Zero())
trainer = gluon.Trainer(layer.collect_params(), "sgd", {"learning_rate": 0.4}, kvstore=store)
for step in range(60):
    with autograd.record():
        loss = ((layer(points) - targets) ** 2).mean()
    loss.backward()
    # The kvstore adds gradients up over workers; each loss is a mean already.
    trainer.step(size)
    if rank == 0:
        print(json.dumps({"step": step, "loss": float(loss.asscalar())}), flush=True)
if rank == 0:
    os.makedirs(os.environ["CHECKPOINT_DIR"], exist_ok=True)
    layer.save_parameters(os.path.join(os.environ["CHECKPOINT_DIR"], "weights"))
# Exchanges that are still under way would be lost with a process that ends.
mx.nd.waitall()
