"""Which Secrets may lie in a repository: those whose content nobody can read."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.checks.rules.policy.secret_content import SECRET_CONTENT

CIPHER = "ENC[AES256_GCM,data:3yQ=,iv:bm8gaXY=,tag:bm8gdGFn,type:str]"
SOPS = {"mac": CIPHER, "version": "3.9.0"}


def faults(**fields: Any) -> list[str]:
    manifest = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, **fields}
    return [f"{each.path}: {each.text}" for each in SECRET_CONTENT.check(manifest, "flux")]


def test_ciphertext_may() -> None:
    assert faults(data={"a": CIPHER}, stringData={"b": CIPHER}, sops=SOPS) == []


def test_nothing_may() -> None:
    assert faults() == faults(data={}) == faults(data={"a": ""}) == []


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"data": {"a": "aHVudGVyMg=="}}, "data.a"),
        ({"data": {"a": CIPHER}}, "data.a"),
        ({"data": {"a": CIPHER}, "sops": {}}, "data.a"),
        ({"data": {"a": CIPHER}, "sops": {"mac": "none"}}, "data.a"),
        ({"data": {"a": CIPHER, "b": "aGk="}, "sops": SOPS}, "data.b"),
        ({"data": {"a": f"{CIPHER} aGk="}, "sops": SOPS}, "data.a"),
        ({"data": {"a": CIPHER}, "stringData": {"b": "hi"}, "sops": SOPS}, "stringData.b"),
        ({"stringData": {"b": "ENC[hi]"}, "sops": SOPS}, "stringData.b"),
    ],
)
def test_what_can_be_read_may_not(fields: Any, path: str) -> None:
    assert f"{path}: the Secret carries its content" in faults(**fields)


def test_an_annotation_that_repeats_it_may_not_even_beside_ciphertext() -> None:
    note = {"kubectl.kubernetes.io/last-applied-configuration": "{}"}

    assert len(faults(metadata={"name": "a", "annotations": note}, data={"a": CIPHER}, sops=SOPS)) == 1


@pytest.mark.parametrize(
    ("engine", "who"), [("argocd", "Argo CD applies it as it is"), ("none", "no engine decrypts it")]
)
def test_ciphertext_may_not_where_nobody_opens_it(engine: str, who: str) -> None:
    manifest = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": {"a": CIPHER}, "sops": SOPS}
    (fault,) = SECRET_CONTENT.check(manifest, engine)

    assert who in fault.text
