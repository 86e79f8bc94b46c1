"""Addresses that an engine can read, and what is said of those that none can."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.config.cluster import Delivery, mistake, with_scheme, wrong_revision

OCI = "oci://registry.example.com:5000/team/platform"
SSH = "ssh://git@git.example.com/team/platform.git"


def delivery(engine: str, repository: str, **fields: Any) -> Delivery:
    return Delivery.from_file({"engine": engine, "repository": repository, **fields})


@pytest.mark.parametrize(
    "address",
    [
        OCI,
        SSH,
        "ssh://git@git.example.com:2222/team/platform.git",
        "git@git.example.com:team/platform.git",
        "https://git.example.com/team/platform.git",
        "oci://registry.example.com/Team/platform".lower(),
    ],
)
def test_an_address_that_engines_read_is_taken(address: str) -> None:
    assert mistake(address) == ""


@pytest.mark.parametrize(
    ("address", "instead"),
    [
        ("ssh://git@git.example.com:team/a.git", "write git@git.example.com:team/a.git"),
        ("ssh://git.example.com/team/a.git", "write ssh://git@git.example.com/team/a.git"),
        ("ssh://git.example.com:22/a.git", "write ssh://git@git.example.com:22/a.git"),
        (f"{OCI}:main", "the tag is `revision:`"),
        ("oci://registry.example.com/Team/a", "in lower case"),
        ("oci://registry.example.com", "write oci://host/path"),
    ],
)
def test_an_address_that_cannot_be_right_is_told_how_it_is_written(address: str, instead: str) -> None:
    assert instead in mistake(address)
    with pytest.raises(ValidationError, match="Value error"):
        delivery("argocd", address)


def test_a_path_of_scp_becomes_one_of_ssh() -> None:
    assert with_scheme("git@git.example.com:a/b.git") == "ssh://git@git.example.com/a/b.git"
    assert with_scheme("git@git.example.com:/a/b.git") == "ssh://git@git.example.com/a/b.git"


@pytest.mark.parametrize("revision", ["a" * 40, "a" * 64, f"sha256:{'a' * 64}"])
@pytest.mark.parametrize(("address", "what"), [(OCI, "an artifact"), (SSH, "a commit")])
def test_what_is_delivered_cannot_name_itself(address: str, what: str, revision: str) -> None:
    assert wrong_revision(address, revision).startswith(f"{what} cannot hold its own name")
    with pytest.raises(ValidationError, match="cannot hold its own name"):
        delivery("argocd", address, revision=revision)
    assert delivery("none", address, revision=revision).revision == revision


def test_an_artifact_has_a_tag() -> None:
    assert [wrong_revision(OCI, each) for each in ("main", "v1.2.3", "_a", "a" * 128)] == [""] * 4
    assert all("is no tag" in wrong_revision(OCI, each) for each in ("refs/heads/main", ">=1.0", "a" * 129))
    assert wrong_revision(SSH, "refs/heads/main") == ""
    assert wrong_revision(SSH, "a" * 41) == ""


@pytest.mark.parametrize(
    "revision", ["", "feature branch", "main ", "a..b", "v1.*", "~1.0", "-x", "a/", "a.lock", "a\\b"]
)
def test_a_revision_that_git_takes_for_no_name_is_refused(revision: str) -> None:
    """Flux and Argo CD would say it in the cluster alone, after the merge."""
    assert "cannot be the name of a branch or tag" in wrong_revision(SSH, revision)
    with pytest.raises(ValidationError, match="Git refuses it"):
        delivery("argocd", SSH, revision=revision)


@pytest.mark.parametrize(
    "revision", ["main", "feature/new-pools", "v1.2.3", "release-1.2", "refs/tags/x", "été", "a@b"]
)
def test_a_revision_that_git_takes_is_taken(revision: str) -> None:
    assert wrong_revision(SSH, revision) == ""


def test_flux_needs_a_key_for_ssh_and_argo_cd_finds_its_own() -> None:
    with pytest.raises(ValidationError, match="nothing by SSH without a key"):
        delivery("flux", SSH)

    assert delivery("flux", SSH, secret="key").secret == "key"
    assert delivery("argocd", SSH).secret is None


def test_a_secret_with_an_authority_is_for_flux_and_a_registry() -> None:
    assert delivery("flux", OCI, caSecret="site").ca_secret == "site"
    with pytest.raises(ValidationError, match="argocd-tls-certs-cm"):
        delivery("argocd", OCI, caSecret="site")
    with pytest.raises(ValidationError, match="Secret of `secret`"):
        delivery("flux", "https://git.example.com/a.git", caSecret="site")
