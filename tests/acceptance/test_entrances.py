"""Stacks as operators write them: several entrances, hosts and cards, and fields of routes that a gateway does not have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from platform_def.delivery.prerequisites import prerequisites
from platform_def.errors import PlatformError
from platform_def.pipeline.synth import Options, render

Found = dict[tuple[str, str], dict[str, Any]]


def written(root: Path, text: str) -> Options:
    (root / "stacks").mkdir()
    (root / "stacks" / "site.yaml").write_text(f"apiVersion: platform-def/v1\n{text}")
    return Options(root=root)


def objects(root: Path, text: str) -> Found:
    """What a stack is rendered as, without an error, by kind and name."""
    rendered = render(written(root, text))
    errors = [str(each) for found in rendered.findings.values() for each in found if each.severity == "error"]
    assert not errors, errors
    (stack,) = rendered.stacks
    every = [item.manifest for component in stack.components.values() for item in component.objects]
    return {(each["kind"], each["metadata"]["name"]): each for each in every}


def refused(root: Path, text: str) -> list[str]:
    """What is wrong with a stack: its lines and texts."""
    options = written(root, text)
    with pytest.raises(PlatformError) as raised:
        render(options)
    return [f"{each.where and each.where.line}: {each.text}" for each in raised.value.problems]


def test_two_gateways_take_addresses_of_two_pools(tmp_path: Path) -> None:
    made = objects(
        tmp_path,
        """\
cluster: {kubernetes: "1.36"}
gateway: emissary
ingress: {kind: metallb, addresses: [10.8.0.10-10.8.0.20], host: outside.example.com}
components:
  metallb: {}
  emissary: {}
  inside:
    component: emissary
    namespace: inside
    ingress: {kind: metallb, addresses: [10.9.0.10-10.9.0.20], host: inside.example.com}
""",
    )
    pools = {name: each["spec"] for (kind, name), each in made.items() if kind == "IPAddressPool"}
    service = made["Service", "inside-ingress"]

    assert sorted(each["addresses"][0] for each in pools.values()) == ["10.8.0.10-10.8.0.20", "10.9.0.10-10.9.0.20"]
    assert service["metadata"]["annotations"]["metallb.io/address-pool"] == "inside"
    assert pools["inside"]["addresses"] == ["10.9.0.10-10.9.0.20"]
    assert pools["inside"]["autoAssign"] is False


def test_a_proxy_is_passed_by_for_the_api_server(tmp_path: Path) -> None:
    made = objects(
        tmp_path,
        """\
cluster: {kubernetes: "1.36"}
components:
  cert-manager: {proxy: {https: "http://proxy.example.com:3128"}}
""",
    )
    container = made["Deployment", "cert-manager"]["spec"]["template"]["spec"]["containers"][0]
    variables = {each["name"]: each.get("value", "") for each in container["env"]}

    assert variables["HTTPS_PROXY"] == variables["https_proxy"] == "http://proxy.example.com:3128"
    assert "$(KUBERNETES_SERVICE_HOST)" in variables["NO_PROXY"].split(",")
    assert variables["no_proxy"] == variables["NO_PROXY"]


def test_cards_of_one_node_are_whole_or_cut_each_its_own_way(tmp_path: Path) -> None:
    made = objects(
        tmp_path,
        """\
cluster: {kubernetes: "1.36"}
nodePools:
  - name: mixed
    selector: {kubernetes.io/hostname: gpu-7}
    gpu:
      model: a100-80gb
      perNode: 8
      mig:
        strategy: mixed
        cards: {"0": {2g.20gb: 3, 1g.10gb: 1}, "1": {4g.40gb: 1, 3g.40gb: 1}, "2-7": {}}
components:
  nvidia-device-plugin: {}
  mig-manager: {}
  node-feature-discovery: {}
  gpu-feature-discovery: {}
teams:
  - {name: vision, quota: {gpus: 6, mig: {2g.20gb: 3, 4g.40gb: 1}}}
""",
    )
    (hard,) = (each["spec"]["hard"] for (kind, _), each in made.items() if kind == "ResourceQuota")

    assert {name.removeprefix("requests.nvidia.com/"): value for name, value in hard.items() if "nvidia" in name} == {
        "gpu": "6",
        "mig-1g.10gb": "0",
        "mig-2g.20gb": "3",
        "mig-3g.40gb": "0",
        "mig-4g.40gb": "1",
    }
    assert "devices:" in made["ConfigMap", "mig-parted-config"]["data"]["config.yaml"]


def test_what_emissary_cannot_serve_is_an_error_at_its_lines(tmp_path: Path) -> None:
    assert refused(
        tmp_path,
        """\
cluster: {kubernetes: "1.36"}
gateway: emissary
ingress: {kind: cloud, ipFamilies: [IPv4, IPv6]}
components:
  emissary: {}
""",
    ) == ["4: ingress.ipFamilies: Emissary listens on addresses of one family"]


def test_a_field_of_a_route_that_the_gateway_lacks_is_an_error_at_its_line(tmp_path: Path) -> None:
    (said,) = refused(
        tmp_path,
        """\
cluster: {kubernetes: "1.36"}
gateway: emissary
ingress: {kind: cloud}
components:
  emissary: {}
  landing-page:
    routing:
      landing-page:
        timeoutSeconds: 30
        maxBodyBytes: 2097152
""",
    )

    assert said.startswith("11: components.landing-page.routing.landing-page.maxBodyBytes: Emissary limits bodies")


@pytest.mark.parametrize("release", ["3.10.0", "4.1.0"])
def test_a_gateway_answers_an_issuer_that_signs_for_its_own_host(tmp_path: Path, release: str) -> None:
    """The route of challenges may need the gateway's webhook, so the gateway does not wait for the issuer."""
    made = objects(
        tmp_path,
        f"""\
cluster: {{kubernetes: "1.36"}}
gateway: emissary
ingress: {{kind: cloud, host: ml.example.com, tls: {{issuer: public}}}}
components:
  emissary: {{release: "{release}"}}
  cert-manager: {{issuers: {{public: {{acme: {{}}}}}}}}
""",
    )

    assert made["Mapping", "acme-http01"]["spec"]["bypass_auth"] is True
    assert made["Certificate", "emissary-ingress"]["spec"]["issuerRef"]["name"] == "public"


def test_what_answers_challenges_behind_emissary_is_no_finding(tmp_path: Path) -> None:
    """Its class of Ingresses is no one's on purpose, and cert-manager makes its pods."""
    text = """\
cluster: {kubernetes: "1.36"}
gateway: emissary
ingress: {kind: cloud, host: ml.example.com, tls: {issuer: public}}
components:
  emissary: {}
  cert-manager: {issuers: {public: {acme: {}}}}
"""
    rendered = render(written(tmp_path, text))

    assert [str(each) for found in rendered.findings.values() for each in found] == []
    assert [each.kind for stack in rendered.stacks for each in prerequisites(stack)] == []


def test_a_host_without_its_certificate_is_an_error_at_its_line(tmp_path: Path) -> None:
    (said,) = refused(
        tmp_path,
        """\
cluster: {kubernetes: "1.36"}
gateway: emissary
ingress:
  kind: cloud
  host: ml.example.com
  tls: {secret: ml}
  furtherHosts: [{host: "*.apps.example.com"}]
components:
  emissary: {}
""",
    )

    assert said.endswith("furtherHosts: *.apps.example.com needs `tls:`, as `host` has a certificate")
