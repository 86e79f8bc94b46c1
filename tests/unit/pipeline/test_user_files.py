"""What the operating system refuses, in a user's words."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def.errors import ConfigError
from platform_def.pipeline.user_files import followed, is_there, reading


def test_a_refusal_becomes_a_message_that_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught, reading("stacks/a.yaml"):
        tmp_path.read_bytes()

    assert str(caught.value) == "error: stacks/a.yaml: cannot be read: Is a directory"


def test_a_link_to_itself_is_followed_without_an_error_and_is_not_there(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to("loop")

    assert not is_there(followed(loop))


def test_a_name_that_no_file_system_takes_is_not_there(tmp_path: Path) -> None:
    assert not is_there(followed(tmp_path / ("x" * 5000)))
