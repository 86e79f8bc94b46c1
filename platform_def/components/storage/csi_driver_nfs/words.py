"""Words of stack files that are the NFS driver's."""

from platform_def.config.words.kinds import DriverWord, Words

WORDS = Words(drivers=(DriverWord(word="nfs"),))
