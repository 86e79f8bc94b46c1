"""Words of stack files that are Volcano's."""

from platform_def.config.words.kinds import SchedulerWord, Words

SCHEDULER = SchedulerWord(word="volcano", gangs="volcano")
WORDS = Words(schedulers=(SCHEDULER,))
