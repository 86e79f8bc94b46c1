"""What Kueue would take in though another has it: jobs of pools that have a scheduler of their own."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.components.queues.kueue.config import KueueConfig
from platform_def.components.queues.kueue.queues import DEFAULT_QUEUE
from platform_def.constructs import Problem, Setting


def taken_in(at: Setting[KueueConfig]) -> Iterator[Problem]:
    """Ways in which jobs that name no queue of Kueue's wait there all the same: it has no quota for their pool.

    A LocalQueue `default` takes whatever of its namespace names none (defaults of Kueue's webhooks at 0.19).
    """
    pool = next((each for each in at.platform.node_pools if each.scheduler), None)
    if pool is None:
        return
    whose = f"jobs of pool {pool.name} are {pool.scheduler}'s, and they"
    if at.config.manage_jobs_without_queue_name:
        text = f"components.{at.name}.manageJobsWithoutQueueName: {whose} would stay suspended in {at.name}"
        yield Problem(text, hint=f"leave it out: jobs of the job templates name their queue where {at.name} keeps it")
    for index, team in enumerate(at.platform.teams):
        if team.queue == DEFAULT_QUEUE:
            text = (
                f"teams: {whose} would stay suspended in {at.name}, whose queue {DEFAULT_QUEUE} takes what names none"
            )
            yield Problem(text, hint="give the queue another name", at=("teams", index, "queue"))
