"""Amounts of memory that Spark cannot read: its suffixes are the JVM's, not Kubernetes'.

Facts: Spark 3 and 4 (common/network/util/JavaUtils: byteStringAs) read whole numbers with b, k, m, g, t or p, in either
case and with a second b; the driver ends before it asks for a pod.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from platform_def.checks.fault import Fault
from platform_def.manifests.loose import at, mapping, text
from platform_def.manifests.rendered import Manifest

GROUP = "sparkoperator.k8s.io"
_FIELDS = ("memory", "memoryOverhead")
_READ = re.compile(r"\s*[0-9]+(?:b|[kmgtp]b?)?\s*", re.IGNORECASE)
_OF_KUBERNETES = re.compile(r"([0-9]+)\s*([KMGTP])iB?", re.IGNORECASE)


def of_application(manifest: Manifest) -> Iterator[Fault]:
    """A SparkApplication."""
    yield from _of(manifest, "spec")


def of_scheduled(manifest: Manifest) -> Iterator[Fault]:
    """A ScheduledSparkApplication."""
    yield from _of(manifest, "spec.template")


def _of(manifest: Manifest, above: str) -> Iterator[Fault]:
    for role in ("driver", "executor"):
        part = mapping(at(manifest, f"{above}.{role}"))
        for field in _FIELDS:
            written = text(part.get(field))
            if written and not _READ.fullmatch(written):
                said = f"'{written[:40]}' is no amount of memory that Spark reads: the driver never starts"
                same = _OF_KUBERNETES.fullmatch(written)
                hint = (
                    f"write {same[1]}{same[2].lower()}" if same else "write a whole number with k, m or g, such as 4g"
                )
                yield Fault(f"{above}.{role}.{field}", said, hint)
