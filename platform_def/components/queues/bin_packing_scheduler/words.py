"""Words of stack files that are the bin packing scheduler's."""

from platform_def.config.words.kinds import SchedulerWord, Words

SCHEDULER = SchedulerWord(word="bin-packing-scheduler")
WORDS = Words(schedulers=(SCHEDULER,))
