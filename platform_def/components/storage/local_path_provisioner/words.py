"""Words of stack files that are the local path provisioner's."""

from platform_def.config.words.kinds import DriverWord, Words

WORDS = Words(drivers=(DriverWord(word="local-path"),))
