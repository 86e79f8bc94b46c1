"""A regression with TensorFlow: ParameterServerStrategy, whose coordinator saves and ends; the others only serve."""

import json
import os

import tensorflow as tf

resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
said = {"role": resolver.task_type, "rank": resolver.task_id, "cards": os.environ.get("CUDA_VISIBLE_DEVICES")}
print(json.dumps(said), flush=True)
if resolver.task_type in ("worker", "ps"):
    server = tf.distribute.Server(
        resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id, protocol="grpc"
    )
    server.join()

strategy = tf.distribute.ParameterServerStrategy(resolver)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    # More variables than servers, which hold them in turn.
    weights = [tf.Variable(0.0) for _ in range(4)]
print(json.dumps({"servers": sorted({weight.device.split("/")[3] for weight in weights})}), flush=True)
saved = tf.train.Checkpoint(**{f"weight{number}": weight for number, weight in enumerate(weights)})
manager = tf.train.CheckpointManager(saved, os.environ["CHECKPOINT_DIR"], max_to_keep=1)
goal = (1.0, -2.0, 3.0, 0.5)


@tf.function
def step():
    def replica():
        points = tf.random.uniform((64, 4), minval=-1.0, maxval=1.0)
        targets = tf.linalg.matvec(points, goal)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.linalg.matvec(points, tf.stack(weights)) - targets) ** 2)
        for weight, slope in zip(weights, tape.gradient(loss, weights), strict=True):
            weight.assign_sub(0.3 * slope)
        return loss

    return strategy.run(replica)


for number in range(20):
    losses = [coordinator.schedule(step) for _ in range(4)]
    coordinator.join()
    print(json.dumps({"step": number, "loss": float(losses[-1].fetch())}), flush=True)
manager.save()
