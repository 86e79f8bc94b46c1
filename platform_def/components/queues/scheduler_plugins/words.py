"""Words of stack files that belong to the scheduler plugins."""

from platform_def.config.words.kinds import SchedulerWord, Words

SCHEDULER = SchedulerWord(word="scheduler-plugins-scheduler", gangs="scheduler-plugins")
WORDS = Words(schedulers=(SCHEDULER,))
