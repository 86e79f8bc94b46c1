"""Releases of upstream components."""

from __future__ import annotations

import pytest

from platform_def.constructs.release import Release, releases


def test_releases_are_known_in_their_order_and_once() -> None:
    newest, older = Release("2.0"), Release("1.9")

    assert releases(newest, older) == (newest, older)
    with pytest.raises(ValueError, match=r"a release is listed twice: 2\.0, 1\.9, 2\.0"):
        releases(newest, older, newest)


def test_images_are_listed_once_and_those_that_are_not_said_are_none() -> None:
    release = Release("1", image="a:1", images={"ui": "b:1", "agent": "a:1"}, runtime_images=("c:1", "b:1"))

    assert release.all_images() == ("a:1", "b:1", "c:1")
    assert Release("1").all_images() == ()


def test_a_release_is_known_to_work_with_a_range_of_kubernetes() -> None:
    assert str(Release("1", kubernetes="1.28-1.35").supported) == "1.28 to 1.35"
