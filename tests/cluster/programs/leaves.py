"""A played training program that saves when it is told to go, for `SAVE_SECONDS`, and says each second that it still does.

It goes on from what it saved. Its end is a failure: a Job whose pod ends well is complete, whoever told it to go. mpirun ends
all processes with the first one that does: `TOGETHER`, a number of them, has each wait for the others to have saved.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

RANK = int(os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("RANK", "0")))
FOLDER = Path(os.environ["CHECKPOINT_DIR"])
SAVED, LEAVES = FOLDER / f"step-{RANK}", FOLDER / f"leaves-{RANK}"
told = []


def say(**found):
    """A line at once: processes of a pod share its log."""
    sys.stdout.write(json.dumps({"rank": RANK, **found}) + "\n")
    sys.stdout.flush()


signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
FOLDER.mkdir(parents=True, exist_ok=True)
LEAVES.unlink(missing_ok=True)
step = int(SAVED.read_text()) if SAVED.exists() else 0
say(begins=step, host=os.uname().nodename)
while not told:
    step += 1
    time.sleep(0.1)
say(told=signal.Signals(told[0]).name)
for second in range(int(os.environ["SAVE_SECONDS"])):
    time.sleep(1)
    say(saving=second + 1)
SAVED.write_text(str(step))
say(saved=step)
LEAVES.touch()
while len([*FOLDER.glob("leaves-*")]) < int(os.environ.get("TOGETHER", "1")):
    time.sleep(0.1)
sys.exit(128 + told[0])
