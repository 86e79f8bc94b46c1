"""Trains a line on data of its own rank, averaging gradients over sockets: what any framework does, with nothing installed.

Rank 0 listens at the port that the operator gives it, by whatever variables the kind of job has; the others find it by
name. It goes on from its last checkpoint, and each rank says what it saw.
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import sys
import time
from pathlib import Path

STEPS = int(os.environ.get("STEPS", "60"))
DIE_AT = int(os.environ.get("DIE_AT", "-1"))


def place() -> tuple[str, int, int, int]:
    """Host, port, rank and number of ranks, from the variables of the kind of job."""
    env = os.environ
    if "COORDINATOR_ADDRESS" in env:
        return (
            env["COORDINATOR_ADDRESS"],
            int(env["COORDINATOR_PORT"]),
            int(env["PROCESS_ID"]),
            int(env["NUM_PROCESSES"]),
        )
    if "TF_CONFIG" in env:
        config = json.loads(env["TF_CONFIG"])
        workers = config["cluster"]["worker"]
        host, _, port = workers[0].partition(":")
        return host, int(port), config["task"]["index"], len(workers)
    if "MASTER_ADDR" in env:
        return env["MASTER_ADDR"], int(env["MASTER_PORT"]), int(env["RANK"]), int(env["WORLD_SIZE"])
    return "localhost", 29500, 0, 1


class Ring:
    """Rank 0 adds up what all send, and tells them the mean."""

    def __init__(self, host: str, port: int, rank: int, size: int) -> None:
        self.rank, self.peers = rank, []
        if rank == 0:
            server = socket.create_server(("", port), backlog=size)
            for _ in range(size - 1):
                self.peers.append(server.accept()[0].makefile("rw"))
            server.close()
            return
        tries = 0
        while True:
            try:
                connected = socket.create_connection((host, port), timeout=5)
                connected.settimeout(None)
                self.peers.append(connected.makefile("rw"))
                return
            except OSError as error:
                tries += 1
                if tries % 50 == 0:
                    print(f"{host}:{port} after {tries} tries: {error!r}", flush=True)
                time.sleep(0.1)

    def mean(self, values: list[float]) -> list[float]:
        """The mean of all ranks' values."""
        if self.rank:
            self._send(self.peers[0], values)
            return self._receive(self.peers[0])
        everybody = [values, *(self._receive(peer) for peer in self.peers)]
        found = [sum(each) / len(everybody) for each in zip(*everybody, strict=True)]
        for peer in self.peers:
            self._send(peer, found)
        return found

    def _send(self, peer, values) -> None:
        peer.write(json.dumps(values) + "\n")
        peer.flush()

    def _receive(self, peer) -> list[float]:
        line = peer.readline()
        if not line:
            raise ConnectionError("a rank is gone")
        return json.loads(line)


def main() -> None:
    """Train."""
    host, port, rank, size = place()
    print(json.dumps({"rank": rank, "size": size, "host": socket.gethostname()}), flush=True)
    ring = Ring(host, port, rank, size)
    folder = Path(os.environ["CHECKPOINT_DIR"])
    folder.mkdir(parents=True, exist_ok=True)
    saved = folder / "checkpoint.json"
    state = json.loads(saved.read_text()) if saved.exists() else {"step": 0, "line": [0.0, 0.0]}
    # All ranks begin where rank 0 does.
    step, *line = ring.mean([state["step"], *state["line"]])
    print(json.dumps({"rank": rank, "begins": step}), flush=True)
    dice = random.Random(rank)
    data = [(x, 3 * x - 1 + dice.gauss(0, 0.01)) for x in (dice.uniform(-1, 1) for _ in range(64))]
    asked_to_go = []
    signal.signal(signal.SIGTERM, lambda *_: asked_to_go.append(True))
    step = int(step)
    while step < STEPS and not asked_to_go:
        errors = [(line[0] * x + line[1] - y, x) for x, y in data]
        loss = sum(error**2 for error, _ in errors) / len(errors)
        slopes = [sum(2 * error * x for error, x in errors), sum(2 * error for error, _ in errors)]
        line = [here - 0.3 * slope / len(data) for here, slope in zip(line, ring.mean(slopes), strict=True)]
        step += 1
        if rank == 0:
            print(json.dumps({"step": step, "loss": loss}), flush=True)
            arriving = saved.with_suffix(".arriving")
            arriving.write_text(json.dumps({"step": step, "line": line}))
            arriving.replace(saved)
        died = folder / "died"
        if step == DIE_AT and rank == size - 1 and not died.exists():
            died.touch()
            # As by SIGKILL from outside: the first process of a container gets none from within.
            os._exit(128 + signal.SIGKILL)
        time.sleep(float(os.environ.get("PAUSE", "0")))
    sys.exit(143 if asked_to_go else 0)


if __name__ == "__main__":
    main()
