"""The name server of the cluster tests: one query that it cannot answer must not end it, and with it every test after."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.cluster.client import Api
from tests.cluster.kubelet.names import answer, lookup


class _NoService:
    def get(self, _path: str) -> Any:
        return SimpleNamespace(status=404, body={})


@pytest.mark.parametrize(
    "name",
    [
        "svc.cluster.local",
        "job-master-0.svc.cluster.local",
        "job-master-0.team.svc.cluster.local",
        "pod.job-master-0.team.svc.cluster.local",
        "too.many.pod.job-master-0.team.svc.cluster.local",
        "example.com",
        "",
    ],
)
def test_every_name_of_a_search_through_the_domains_is_answered(name: str) -> None:
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split(".") if label)
    query = struct.pack("!HHHHHH", 7, 0x100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!HH", 1, 1)

    told = answer(query, lambda asked: lookup(cast(Api, _NoService()), asked))

    identity, flags, questions, answers = struct.unpack("!HHHH", told[:8])
    assert (identity, flags & 15, questions, answers) == (7, 3, 1, 0)
