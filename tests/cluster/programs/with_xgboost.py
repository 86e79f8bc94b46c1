"""Boosted trees with XGBoost: rank 0 starts the tracker at the port that its operator names, and everybody joins it.

By the trainer's variables (`DMLC_…`) where they are set, else by those of the training operator.
"""

import json
import os
import socket

import numpy as np
import xgboost
from xgboost import collective
from xgboost.tracker import RabitTracker

TRAINERS = ("DMLC_TASK_ID", "DMLC_NUM_WORKER", "DMLC_TRACKER_URI", "DMLC_TRACKER_PORT")
OPERATORS = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
said = [os.environ[name] for name in (TRAINERS if TRAINERS[0] in os.environ else OPERATORS)]
rank, size, host, port = int(said[0]), int(said[1]), said[2], int(said[3])
tracker = None
if rank == 0:
    address = os.environ.get("POD_IP") or socket.gethostbyname(socket.gethostname())
    tracker = RabitTracker(n_workers=size, host_ip=address, port=port, sortby="task")
    tracker.start()
with collective.CommunicatorContext(
    dmlc_tracker_uri=host, dmlc_tracker_port=port, dmlc_task_id=str(rank), dmlc_retry=100
):
    found = collective.get_rank()
    print(json.dumps({"rank": found, "size": collective.get_world_size()}), flush=True)
    points = np.random.RandomState(found).uniform(-1, 1, (200, 3))
    table = xgboost.DMatrix(points, points @ np.array([1.0, -2.0, 3.0]))
    told: dict = {}
    booster = xgboost.train({"nthread": 1}, table, 20, [(table, "all")], evals_result=told, verbose_eval=False)
    if found == 0:
        for step, loss in enumerate(told["all"]["rmse"]):
            print(json.dumps({"step": step, "loss": loss}), flush=True)
        os.makedirs(os.environ["CHECKPOINT_DIR"], exist_ok=True)
        booster.save_model(os.path.join(os.environ["CHECKPOINT_DIR"], "trees.json"))
if tracker:
    tracker.wait_for()
