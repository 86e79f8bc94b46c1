"""Tokens of ServiceAccounts: an issuer whose keys can be had, and nothing of a private key."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.config.access.tokens import ServiceAccountTokens
from platform_def.config.model import ConflictsError

INSIDE, OUTSIDE, SHOWN = (
    "https://kubernetes.default.svc.cluster.local",
    "https://oidc.example.com/id/1",
    "ml.example.com",
)
KEY = {"kid": "one", "kty": "RSA", "use": "sig", "alg": "RS256", "n": "AQAB", "e": "AQAB"}
INLINE: dict[str, Any] = {"keys": "inline", "jwks": {"keys": [KEY]}}


def tokens(issuer: str = INSIDE, **fields: Any) -> ServiceAccountTokens:
    return ServiceAccountTokens.from_file({"issuer": issuer, "audiences": [SHOWN], **fields})


def wrong(issuer: str, **fields: Any) -> list[tuple[str, tuple[str | int, ...]]]:
    with pytest.raises(ValidationError) as caught:
        tokens(issuer, **fields)
    error = caught.value.errors()[0]["ctx"]["error"]
    assert isinstance(error, ConflictsError)
    return [(str(each.error), getattr(each.error, "at", ())) for each in error.found]


@pytest.mark.parametrize(
    "issuer", [INSIDE, "https://10.1.2.3:6443", "https://kubernetes", "https://kubernetes.default.svc"]
)
def test_an_issuer_of_the_clusters_own_without_keys_is_refused(issuer: str) -> None:
    host = issuer.removeprefix("https://").partition(":")[0]
    text = (
        f"nothing outside the cluster knows {host}, whose certificate the cluster signs itself: write "
        "`keys: cluster`, or `keys: inline` with `jwks:`"
    )

    assert wrong(issuer) == [(text, ("keys",))]


def test_keys_are_public_in_the_cluster_or_inline() -> None:
    assert tokens(OUTSIDE).keys == "public"
    assert [tokens(each).is_inside for each in ("https://203.0.114.7",)] == [False]
    assert tokens(keys="cluster").host == "kubernetes.default.svc.cluster.local"
    assert tokens("https://kubernetes.default", keys="cluster").is_inside
    assert tokens(OUTSIDE, **INLINE).jwks == tokens(**INLINE).jwks


def test_the_api_server_has_no_other_name_in_the_cluster() -> None:
    text = (
        "oidc.example.com is no name of the API server in the cluster: write `keys: public`, or `keys: inline` with "
        "`jwks:`"
    )

    assert wrong(OUTSIDE, keys="cluster") == [(text, ("keys",))]


def test_inline_keys_are_there_and_no_other_are() -> None:
    needs = "needs `jwks:`, what `kubectl get --raw /openid/v1/jwks` prints"

    assert wrong(INSIDE, keys="inline") == [(needs, ("keys",))]
    assert wrong(INSIDE, **{**INLINE, "keys": "cluster"}) == [("is for `keys: inline`, and keys is cluster", ("jwks",))]


def test_a_token_for_the_api_server_is_not_shown_to_applications() -> None:
    text = "is the API server's own audience: an application that sees the token could use it there"

    assert wrong(INSIDE, keys="cluster", audiences=[SHOWN, INSIDE]) == [(text, ("audiences", 1))]


@pytest.mark.parametrize("issuer", ["http://id.example.com", "https://id.example.com/a=b", "https://id.example.com?x"])
def test_an_issuer_has_https_and_a_path_at_most(issuer: str) -> None:
    assert wrong(issuer) == [("is no issuer: write https://host, with a path where it has one", ("issuer",))]


def test_a_set_of_keys_is_written_as_it_was_read_and_no_private_key_is_taken() -> None:
    written = '{"keys":[{"kid":"one","kty":"RSA","use":"sig","alg":"RS256","n":"AQAB","e":"AQAB"}]}'

    found = tokens(**INLINE).jwks
    assert found is not None
    assert found.document() == written
    for field in ("d", "p", "q"):
        with pytest.raises(ValidationError, match="Extra inputs"):
            tokens(keys="inline", jwks={"keys": [{**KEY, field: "AQAB"}]})
