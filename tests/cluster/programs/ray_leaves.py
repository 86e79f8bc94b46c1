"""A played Ray program: a task on a worker that would save when it is told to go, and says each fifth of a second that it is there,
in a file beside the checkpoints, where the time of each line is kept."""

import json
import os
import signal
import time
from pathlib import Path

import ray

SAID = Path(os.environ["CHECKPOINT_DIR"], "said")


def say(**found):
    """A line at once."""
    with SAID.open("a") as said:
        said.write(json.dumps({"at": time.time(), **found}) + "\n")


@ray.remote(num_gpus=1, max_retries=0)
def works():
    """Work until the end; the handler is the task's own, in the thread that Ray runs it in."""
    signal.signal(signal.SIGTERM, lambda *_: say(told="SIGTERM"))
    say(begins=ray.get_gpu_ids())
    while True:
        time.sleep(0.2)
        say(works=True)


SAID.parent.mkdir(parents=True, exist_ok=True)
ray.init()
ray.get(works.remote())
