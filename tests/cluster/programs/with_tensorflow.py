"""A regression with TensorFlow: MultiWorkerMirroredStrategy, which reads TF_CONFIG."""

import json
import os

import tensorflow as tf

RATE = float(os.environ.get("RATE", "0.5"))

strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
print(json.dumps({"rank": rank, "size": strategy.num_replicas_in_sync}), flush=True)
with strategy.scope():
    weights = tf.Variable(tf.zeros((3, 1)))
points = tf.random.stateless_uniform((64, 3), seed=(rank, 1), minval=-1.0, maxval=1.0)
targets = points @ tf.constant([[1.0], [-2.0], [3.0]])


@tf.function
def step():
    def replica():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((points @ weights - targets) ** 2)
        slope = tape.gradient(loss, weights)
        context = tf.distribute.get_replica_context()
        mean = context.all_reduce(tf.distribute.ReduceOp.MEAN, slope)
        weights.assign_sub(RATE * mean)
        return loss

    return strategy.reduce(tf.distribute.ReduceOp.MEAN, strategy.run(replica), axis=None)


for number in range(60):
    loss = float(step())
    if rank == 0:
        print(json.dumps({"step": number, "loss": loss}), flush=True)
if rank == 0:
    os.makedirs(os.environ["CHECKPOINT_DIR"], exist_ok=True)
    tf.io.write_file(
        os.path.join(os.environ["CHECKPOINT_DIR"], "weights"), tf.io.serialize_tensor(weights.read_value())
    )
