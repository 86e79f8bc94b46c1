"""Workers that are copies of the process: they build the same, and hold nothing of what is not theirs."""

from __future__ import annotations

import json
import subprocess
import sys
from threading import Event, Thread
from typing import Any

from platform_def.pipeline.build import forked

HEAD = """
import json, os, sys
from platform_def.pipeline.build import forked, task, workers
from platform_def.pipeline.build.task import Task
from platform_def.config.platform import Platform
"""

SAME = (
    HEAD
    + """
tasks = {
    (name, number): Task("component", name, name, {}, Platform())
    for name in ("lws", "keda", "training-operator")
    for number in range(8)
}
own = {name: task.run(each).to_json() for name, each in tasks.items() if name[1] == 0}  # Node is at work here
copies, here = [], []
workers.forked.Forked = lambda work, made=forked.Forked: copies.append(made(work)) or copies[-1]
workers.run = lambda each, run=task.run: here.append(each) or run(each)
with workers.Workers(2) as both:
    found = dict(both.perform(tasks))
    again = dict(both.perform(tasks))
same = all(found[name].to_json() == again[name].to_json() == own[name[0], 0] for name in tasks)
shared = 0 < len(here) < 2 * len(tasks)
print(json.dumps({"same": same, "shared": shared, "ended": [each.poll() for each in copies]}))
"""
)

OPEN = (
    HEAD
    + """
kept = open(os.devnull)
first = forked.Forked(lambda lines, answers: [None for _ in lines])

def told(lines, answers):
    own = {lines.fileno(), answers.fileno()}
    held = {each for each in map(int, os.listdir("/proc/self/fd")) if os.path.exists(f"/proc/self/fd/{each}")}
    print("to stderr")
    answers.write(json.dumps([sorted(held - own), os.getsid(0) == os.getpid()]).encode())

second = forked.Forked(told)
second.stdin.close()
found = json.loads(second.stdout.read())
first.kill()
print(json.dumps([*found, second.wait(), first.wait(), first.poll()]))
"""
)

FAILS = (
    HEAD
    + """
def fails(lines, answers):
    raise KeyError("no such thing")

worker = forked.Forked(fails)
worker.stdin.close()
print(json.dumps([worker.wait(), worker.stdout.read().decode()]))
"""
)


def said(program: str) -> tuple[Any, str]:
    """What a program prints as JSON, and what it writes to stderr."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return json.loads(done.stdout), done.stderr


def test_a_copy_builds_the_same_though_node_is_at_work_in_the_first_process() -> None:
    found, _ = said(SAME)

    assert found == {"same": True, "shared": True, "ended": [0]}


def test_a_copy_holds_only_its_own_files_and_prints_to_stderr() -> None:
    (held, leads, *codes), printed = said(OPEN)

    assert held == [0, 1, 2]
    assert leads, "Ctrl-C would reach it"
    assert codes == [0, -9, -9]
    assert printed == "to stderr\n"


def test_a_copy_that_fails_says_why_and_ends_with_a_code() -> None:
    found, printed = said(FAILS)

    assert found == [1, ""]
    assert "KeyError: 'no such thing'" in printed


def test_a_process_with_other_threads_is_not_copied() -> None:
    ended = Event()
    other = Thread(target=ended.wait)
    other.start()
    possible = forked.possible()
    ended.set()
    other.join()

    assert not possible
