"""Stands for InsightFace's train.py: the same arguments, variables, config.py and mxnet.mod.Module, on data of no size.

Facts of deepinsight/insightface, recognition/arcface_mxnet/train.py: what it asks of its environment is asked here.
"""

import argparse
import json
import os
import sys

import mxnet as mx
import numpy as np
from config import config


def parse_args():
    parser = argparse.ArgumentParser()
    for name in ("dataset", "network", "loss", "models-root", "pretrained", "lr-steps", "kvstore"):
        parser.add_argument(f"--{name}", default="")
    for name in ("pretrained-epoch", "ckpt", "verbose", "frequent", "per-batch-size"):
        parser.add_argument(f"--{name}", type=int, default=16)
    for name in ("lr", "wd", "mom"):
        parser.add_argument(f"--{name}", type=float, default=0.1)
    return parser.parse_args()


def main():
    args = parse_args()
    cards = os.environ["CUDA_VISIBLE_DEVICES"].strip()
    assert os.path.isdir("../datasets"), os.getcwd()
    dice = np.random.RandomState(int(os.environ.get("DMLC_WORKER_ID", "0")))
    points = dice.uniform(-1, 1, (256, 4)).astype("float32")
    labels = (points.sum(axis=1) > 0).astype("float32")
    data = mx.io.NDArrayIter(points, labels, batch_size=args.per_batch_size, shuffle=False)
    net = mx.sym.FullyConnected(mx.sym.Variable("data"), num_hidden=2)
    model = mx.mod.Module(context=[mx.cpu()], symbol=mx.sym.SoftmaxOutput(net, name="softmax"))
    metric, steps = mx.metric.CrossEntropy(), [0]
    prefix = os.path.join(args.models_root, f"{args.network}-{args.loss}-{args.dataset}", "model")
    os.makedirs(os.path.dirname(prefix), exist_ok=True)

    def after_batch(param):
        steps[0] += 1
        if steps[0] % 16 == 0:
            print(json.dumps({"step": steps[0], "loss": float(param.eval_metric.get()[1])}), flush=True)
            param.eval_metric.reset()
        if config.max_steps > 0 and steps[0] > config.max_steps:
            mx.model.save_checkpoint(prefix, 1, model.symbol, *model.get_params())
            sys.exit(0)

    store = mx.kv.create(args.kvstore)
    print(json.dumps({"rank": store.rank, "size": store.num_workers, "cards": cards}), flush=True)
    print(json.dumps({"compression": model._compression_params}), flush=True)
    model.fit(
        data,
        num_epoch=999999,
        eval_metric=metric,
        kvstore=store,
        optimizer=mx.optimizer.SGD(learning_rate=0.5, rescale_grad=1.0 / args.per_batch_size),
        batch_end_callback=after_batch,
    )


if __name__ == "__main__":
    main()
