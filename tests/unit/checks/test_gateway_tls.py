"""Where a certificate for a host comes from, said for the host that lacks one."""

from __future__ import annotations

import pytest

from platform_def.checks.rules.policy.gateway_tls import GATEWAY_TLS


@pytest.mark.parametrize(
    ("host", "remedy"),
    [
        ("ml.example.com", None),
        (
            "*.models.ml.example.com",
            (
                "a certificate of the gateway is for its own host: name one for the wildcard by `tls:` of the component that "
                "opens these hosts, such as `kserve: {tls: {issuer: …}}` or `{tls: {secret: …}}`"
            ),
        ),
    ],
)
def test_a_wildcard_has_a_certificate_of_its_own(host: str, remedy: str | None) -> None:
    manifest = {"apiVersion": "getambassador.io/v3alpha1", "kind": "Host", "spec": {"hostname": host}}
    (fault,) = GATEWAY_TLS.check(manifest, None)

    assert fault.text == f"{host} is served over HTTP alone"
    assert fault.hint == remedy
