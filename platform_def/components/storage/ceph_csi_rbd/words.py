"""Words of stack files that are those of Ceph's block devices."""

from platform_def.config.words.kinds import DriverWord, Words

WORDS = Words(drivers=(DriverWord(word="rbd"),))
