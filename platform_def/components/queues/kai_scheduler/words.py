"""Words of stack files that are KAI's."""

from platform_def.config.words.kinds import SchedulerWord, Words

SCHEDULER = SchedulerWord(word="kai-scheduler", gangs="kai", of_pools=True)
"""What pods and pools ask for; upstream's default."""
WORDS = Words(schedulers=(SCHEDULER,))
