"""Versions of Kubernetes compare by number."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from platform_def.config.kubernetes import SUPPORTED_KUBERNETES, Kubernetes, KubernetesRange


def test_versions_compare_by_number_and_not_as_text() -> None:
    nine, ten = Kubernetes("1.9"), Kubernetes("1.10")

    assert nine < "1.10"
    assert nine <= "1.9"
    assert ten > "1.9"
    assert ten >= nine
    assert not nine > "1.10"
    assert not ten < "1.10"
    assert max(nine, ten) is ten
    assert ten.minor == 10


def test_a_version_is_text() -> None:
    assert Kubernetes("1.36") == "1.36"
    assert f"v{Kubernetes('1.36')}" == "v1.36"
    assert hash(Kubernetes("1.36")) == hash("1.36")


@pytest.mark.parametrize("text", ["1", "1.", "2.1", "v1.36", "1.36.2", "1.036", "", "1.x"])
def test_what_is_no_version_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a version of Kubernetes"):
        Kubernetes(text)


def test_files_may_name_versions_whose_schemas_there_are() -> None:
    adapter = TypeAdapter(Kubernetes)

    assert adapter.validate_python(SUPPORTED_KUBERNETES[0]) >= "1.25"
    assert adapter.dump_json(Kubernetes("1.36")) == b'"1.36"'
    with pytest.raises(ValidationError, match=r"'1\.24' is not a supported Kubernetes version"):
        adapter.validate_python("1.24")


def test_a_range_holds_both_its_ends() -> None:
    known = KubernetesRange.parse("1.28-1.31")

    assert [version for version in SUPPORTED_KUBERNETES if version in known] == ["1.28", "1.29", "1.30", "1.31"]
    assert str(known) == "1.28 to 1.31"


@pytest.mark.parametrize("text", ["1.31-1.28", "1.28", "1.28-", "", "1.28-1.31-1.33"])
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"1\."):
        KubernetesRange.parse(text) if text else KubernetesRange.parse("1.")
